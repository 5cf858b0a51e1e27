"""Imports point one way, and the public names are the ones on the list."""

import ast
import subprocess
import sys
from pathlib import Path

import rankwise

SOURCE = Path(rankwise.__file__).parent

# What each package, or module of the root, may import besides itself. `cli` is imported by
# nothing.
BASE = {"arrays", "errors", "threads", "vocabulary"}
CORE = BASE | {"formats", "rankings", "bounds", "metrics"}
NUMBERS = CORE | {"results", "scores", "stats"}
VERBS = NUMBERS | {"comparison", "correlation", "judging"}
MAY_IMPORT = {
    "vocabulary": set(),
    "arrays": set(),
    "errors": set(),
    "threads": set(),
    "simulation": {"arrays", "errors", "rankings"},
    "results": {"errors"},
    "formats": {"arrays", "errors"},
    "rankings": BASE | {"formats"},
    "bounds": BASE | {"rankings"},
    "metrics": BASE | {"formats", "rankings", "bounds"},
    "stats": {"arrays", "errors", "vocabulary"},
    "scores": CORE | {"results", "stats"},
    "compat": CORE | {"results", "scores"},
    "comparison": NUMBERS,
    "correlation": NUMBERS,
    "judging": NUMBERS | {"comparison"},
    "experiments": VERBS,
    "published": NUMBERS,
    "charts": VERBS | {"experiments", "published"},
    "studies": VERBS | {"experiments", "published", "charts"},
    "cli": VERBS | {"experiments", "published", "charts", "studies", "compat"} | {"simulation"},
}


def package_of(module: str) -> str:
    """`rankwise` itself stands for the public names, which nothing inside may use."""
    return module.removeprefix("rankwise.").split(".")[0]


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {alias.name for alias in node.names}
            found.update([] if names == {"__version__"} else [node.module])
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return {name for name in found if name == "rankwise" or name.startswith("rankwise.")}


def test_imports_point_one_way() -> None:
    doors = {SOURCE / "__init__.py", SOURCE / "__main__.py"}
    files = [path for path in SOURCE.rglob("*.py") if path not in doors]
    assert len(files) > 20
    for path in files:
        here = path.relative_to(SOURCE).with_suffix("").parts[0]
        assert here in MAY_IMPORT, f"{path}: say in MAY_IMPORT what {here} may import"
        for module in imports_of(path):
            there = package_of(module)
            allowed = there == here or there in MAY_IMPORT[here]
            assert allowed, f"{path} imports {module}: {here} may import {MAY_IMPORT[here]}"


def test_nothing_goes_round_in_a_circle() -> None:
    done: set[str] = set()
    while left := MAY_IMPORT.keys() - done:
        free = {name for name in left if MAY_IMPORT[name] <= done}
        assert free, f"these import each other: {sorted(left)}"
        done |= free


def test_no_room_is_a_drawer() -> None:
    names = {path.stem for path in SOURCE.rglob("*.py")}
    assert not names & {"utils", "util", "helpers", "common", "misc"}


def test_the_public_names_are_these() -> None:
    assert rankwise.__all__ == [
        "CallError",
        "Collection",
        "Comparison",
        "Correlation",
        "Discrimination",
        "Explanation",
        "InputError",
        "JudgedRankings",
        "JudgmentPlan",
        "LeftOut",
        "Metric",
        "MetricError",
        "Overview",
        "Published",
        "Qrels",
        "RankwiseError",
        "Run",
        "Scores",
        "Stability",
        "UnknownMetric",
        "WeightedPrecision",
        "WrongParameter",
        "compare",
        "compare_published",
        "compare_scores",
        "confidence",
        "correlate",
        "correlate_orders",
        "depth_for",
        "discriminate",
        "discriminate_scores",
        "explain",
        "greatest_p",
        "invert",
        "judge",
        "leave_groups_out",
        "load_metrics",
        "overview",
        "parse",
        "plan_judgments",
        "pool",
        "preferred_ranks",
        "properties",
        "read_matrix",
        "read_qrels",
        "read_runs",
        "reduce",
        "register",
        "score",
        "score_gains",
        "simulate",
        "stability",
        "standardise",
        "study",
    ]
    for name in rankwise.__all__:
        assert getattr(rankwise, name).__name__ == name


def test_importing_rankwise_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'polars', 'scipy', 'altair', 'rich', 'click'}"
    program = f"import rankwise, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
