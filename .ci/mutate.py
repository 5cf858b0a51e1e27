"""Mutation testing: change one operator or constant at a time, and see whether a test notices.

    python .ci/mutate.py --mutants 200 --seed 1 [--package stats]

The mutants are a random sample over four packages. Each one runs in a forked process, in memory
only: no file is changed. Its tests are the nearest test file, for a metric or an argument of bounds
the laws of the metrics concerned, and those of its package (TESTS). A mutant that no test notices
has survived: write the test that notices it, or, if it computes the same numbers, add its line to
.ci/equivalent_mutants.txt with the reason.
"""

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import os
import random
import resource
import sys
import time
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "rankwise"
EQUIVALENT = ROOT / ".ci" / "equivalent_mutants.txt"
# Cheap tests first: a mutant ends with the first test that fails.
TESTS = {
    "stats": ["tests/stats", "tests/comparison/test_comparison.py", "tests/judging"],
    "rankings": [
        *["tests/rankings", "tests/scores", "tests/native/test_kernel.py", "tests/golden"],
        *["tests/laws/test_every_metric.py", "tests/laws/test_bounds.py"],
    ],
    "metrics": ["tests/metrics", "tests/golden", "tests/comparison/test_comparison.py"],
    "bounds": [
        *["tests/metrics", "tests/comparison/test_verdicts.py", "tests/scores"],
        "tests/laws/test_subtopics.py",
    ],
}
# With -k and the names of the metrics of a file, or of those whose bounds it has; if there are
# none, the sample of the day.
LAWS = ["tests/laws/test_every_metric.py", "tests/laws/test_ties.py", "tests/laws/test_bounds.py"]
UNMARKED = "not (slow or data or browser or spark)"
GRACE = 20  # seconds of processor time that a mutant may take beyond three times its tests

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


class Mutant(NamedTuple):
    file: Path
    place: int  # which of the file's sites
    line: int
    function: str
    change: str

    @property
    def key(self) -> str:
        """Where it is, without the line, which moves."""
        return f"{self.file.relative_to(SOURCE)}: {self.function}: {self.change}"


class Sites(ast.NodeVisitor):
    """All places of a file that can be changed, each as (node, field, function)."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.AST, str, str]] = []
        self.inside: list[str] = []

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.Assert | ast.JoinedStr):
            return  # words, and what the interpreter checks by itself
        if isinstance(node, ast.keyword) and node.arg == "strict":
            return  # zip(…, strict=True) checks, and changes no number
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self.inside.append(node.name)
            for part in node.body:  # neither decorators, defaults nor annotations
                self.visit(part)
            self.inside.pop()
            return
        where = ".".join(self.inside) or "(module)"
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.visit(node.value)
            return
        if isinstance(node, ast.Assign) and not self.inside and not _is_number(node.value):
            return  # tables of words, aliases of types
        if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
            self.found.append((node, "ops", where))
        elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED:
            self.found.append((node, "op", where))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            self.found.append((node, "operand", where))
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
            self.found.append((node, "value", where))
        self.generic_visit(node)


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant | ast.BinOp) and not isinstance(
        getattr(node, "value", 0), str
    )


def sites_of(tree: ast.AST) -> list[tuple[ast.AST, str, str]]:
    sites = Sites()
    sites.visit(tree)
    return sites.found


def change(node: ast.AST, field: str) -> None:
    """Change one node in place."""
    if field == "ops":
        node.ops[0] = SWAPPED[type(node.ops[0])]()  # type: ignore[attr-defined]
    elif field == "op":
        node.op = SWAPPED[type(node.op)]()  # type: ignore[attr-defined]
    elif field == "operand":  # without the sign: + is its neutral form
        node.op = ast.UAdd()  # type: ignore[attr-defined]
    elif isinstance(node.value, bool):  # type: ignore[attr-defined]
        node.value = not node.value  # type: ignore[attr-defined]
    else:
        node.value += 1  # type: ignore[attr-defined]


def without_not(tree: ast.AST) -> ast.AST:
    """Replace `+x`, where it stands for a sign that was taken away, by `x`."""

    class Drop(ast.NodeTransformer):
        def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
            self.generic_visit(node)
            return node.operand if isinstance(node.op, ast.UAdd) else node

    return ast.fix_missing_locations(Drop().visit(tree))


def mutants_of(file: Path) -> Iterator[Mutant]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for place, (node, field, where) in enumerate(sites_of(tree)):
        after = copy.deepcopy(node)
        change(after, field)
        shown = f"{ast.unparse(node)} → {ast.unparse(without_not(after))}"
        yield Mutant(file, place, node.lineno, where, shown)  # type: ignore[attr-defined]


def code_of(mutant: Mutant) -> ast.Module:
    tree = ast.parse(mutant.file.read_text(encoding="utf-8"))
    node, field, _ = sites_of(tree)[mutant.place]
    change(node, field)
    return without_not(tree)  # type: ignore[return-value]


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import one module from changed code, and all others as they are."""

    def __init__(self, mutant: Mutant) -> None:
        parts = mutant.file.relative_to(SOURCE.parent).with_suffix("").parts
        self.is_package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_package else parts)
        self.file, self.code = mutant.file, compile(code_of(mutant), str(mutant.file), "exec")

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        inside = [str(self.file.parent)] if self.is_package else None
        return importlib.util.spec_from_file_location(
            name, self.file, loader=self, submodule_search_locations=inside
        )

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


def calls_of(file: Path) -> list[list[str]]:
    """The calls of pytest for a file: its own examples and tests, the laws, then its package's."""
    package = file.relative_to(SOURCE).parts[0]
    nearest = ROOT / "tests" / package / f"test_{file.stem}.py"
    own = [str(file), *([str(nearest)] if nearest.exists() else [])]
    calls = [own, TESTS[package]]
    if package in ("metrics", "bounds"):
        own.append("tests/frozen")  # numbers of every metric, in two seconds
        names = metrics_of(file) if package == "metrics" else metrics_bounded_by(file)
        calls.insert(1, [*LAWS, *(["-k", " or ".join(names)] if names else [])])
    return calls


def metrics_of(file: Path) -> list[str]:
    """The classes that a file registers, or decorates as a base of metrics."""
    return [
        node.name
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.decorator_list
    ]


def metrics_bounded_by(file: Path) -> list[str]:
    """The metrics of the families that name an argument of this file."""
    arguments = [
        node.name
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    families = {
        family
        for family in sorted((SOURCE / "metrics").glob("*.py"))
        for name in arguments
        if f" = {name}()" in family.read_text(encoding="utf-8")
    }
    return [name for family in sorted(families) for name in metrics_of(family)]


def tests_fail(mutant: Mutant | None, calls: list[list[str]]) -> bool:
    """Run pytest in this process: True if any test fails."""
    import pytest

    class ImportChanged:
        @pytest.hookimpl(tryfirst=True)
        def pytest_load_initial_conftests(self) -> None:
            """Go before the finder of pytest, which is in place by now."""
            if mutant is not None:
                sys.meta_path.insert(0, Changed(mutant))

    options = ["-x", "-q", "-m", UNMARKED, "-p", "no:cacheprovider", "-p", "no:xdist"]
    options += ["--hypothesis-seed=0", "--tb=no", "--no-header"]
    results = (pytest.main([*options, *call], plugins=[ImportChanged()]) for call in calls)
    return any(result not in (0, 5) for result in results)


def run(mutant: Mutant | None, calls: list[list[str]], limit: float | None) -> tuple[bool, float]:
    """Whether the tests fail, in a fork, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if (child := os.fork()) == 0:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit)))
        code = 1
        try:
            code = int(tests_fail(mutant, calls))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return status != 0, used


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--package", choices=TESTS, action="append")
    parser.add_argument("--minutes", type=float, help="stop after this many")
    parser.add_argument(
        "--limit",
        type=float,
        help="processor seconds per mutant; by default measured, by running the tests without one",
    )
    given = parser.parse_args()
    os.chdir(ROOT)
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    preload()
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines() if EQUIVALENT.exists() else []
    equivalent = {line.partition("  # ")[0] for line in lines if line and line[0] != "#"}
    files = [f for name in given.package or TESTS for f in sorted((SOURCE / name).rglob("*.py"))]
    every = [mutant for file in files for mutant in mutants_of(file)]
    drawn = random.Random(given.seed).sample(every, min(given.mutants, len(every)))
    same = [mutant for mutant in drawn if mutant.key in equivalent]
    drawn = [mutant for mutant in drawn if mutant.key not in equivalent]
    print(f"{len(drawn)} of {len(every)} mutants, seed {given.seed}", flush=True)
    limits = dict.fromkeys(TESTS, given.limit) if given.limit else {}
    killed, survived, start = 0, [], time.monotonic()
    for mutant in drawn:
        if given.minutes and time.monotonic() - start > 60 * given.minutes:
            break
        calls = calls_of(mutant.file)
        package = mutant.file.relative_to(SOURCE).parts[0]
        if package not in limits:
            fails, used = run(None, calls, None)
            if fails:
                sys.exit(f"The tests of {mutant.file} fail without a mutant: pytest {calls}")
            limits[package] = 3 * used + GRACE
        noticed, used = run(mutant, calls, limits[package])
        killed += noticed
        if not noticed:
            survived.append(mutant)
        mark = "killed  " if noticed else "SURVIVED"
        where = f"{mutant.file.relative_to(ROOT)}:{mutant.line}"
        print(f"{mark} {used:5.1f} s  {where}: {mutant.change}", flush=True)
    tried = killed + len(survived)
    print(f"killed {killed} of {tried} ({100 * killed / max(tried, 1):.1f} %); ", end="")
    print(f"{len(same)} more of the sample are listed as equivalent; survived:")
    for mutant in survived:
        print(f"  {mutant.key}  # line {mutant.line}")


def preload() -> None:
    """Import what every fork needs, but for rankwise itself and polars, which must not fork."""
    import numpy
    import scipy.optimize
    import scipy.special
    import scipy.stats

    assert numpy and scipy


if __name__ == "__main__":
    main()
