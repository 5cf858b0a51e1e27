"""Imports point one way, and the public names are the ones on the list."""

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from source_trees import nodes_of

import rankwise
import rankwise.judging
import rankwise.published
from rankwise import vocabulary
from rankwise.doors import homes

PUBLIC = (rankwise, rankwise.judging, rankwise.published)
SOURCE = Path(rankwise.__file__).parent

# What each package, or module of the root, may import besides itself. `cli` and `integrations`
# are imported by nothing, `spark` by `cli` alone.
BASE = {"arguments", "arrays", "doors", "errors", "forks", "lazy", "notes", "progress", "threads"}
BASE |= {"colours", "plugins", "vocabulary", "wording"}
CORE = BASE | {"formats", "rankings", "bounds", "metrics"}
NUMBERS = CORE | {"results", "scores", "stats"}
VERBS = NUMBERS | {"comparison", "correlation", "judging"}
MAY_IMPORT = {
    "arguments": {"errors", "vocabulary", "wording"},
    "doors": {"arguments"},
    "vocabulary": set(),
    "colours": set(),
    "arrays": set(),
    "wording": set(),
    "errors": {"wording"},
    "notes": {"errors", "wording"},
    "lazy": set(),
    "forks": {"errors"},
    "threads": set(),
    "progress": set(),
    "plugins": set(),
    "simulation": {"arrays", "errors", "formats", "rankings"},
    "results": {"doors", "errors", "notes", "vocabulary", "wording"},
    "formats": {"arrays", "doors", "errors", "lazy", "notes", "plugins", "threads", "wording"},
    "native": BASE | {"formats"},
    "rankings": BASE | {"formats", "native"},
    "bounds": BASE | {"rankings"},
    "metrics": BASE | {"formats", "rankings", "bounds"},
    "stats": {"arrays", "doors", "errors", "progress", "threads", "vocabulary"},
    "scores": CORE | {"results", "stats"},
    "compat": CORE | {"results", "scores"},
    "comparison": NUMBERS,
    "probable": NUMBERS,
    "integrations": VERBS | {"compat"},
    "correlation": NUMBERS,
    "agreement": NUMBERS | {"comparison"},
    "similarity": NUMBERS | {"comparison"},
    "judging": NUMBERS | {"comparison", "probable"},
    "experiments": VERBS,
    "published": NUMBERS,
    "charts": VERBS | {"agreement", "experiments", "probable", "published", "similarity"},
    "reporting": VERBS | {"agreement", "native", "probable", "similarity"},
    "studies": VERBS | {"experiments", "published", "charts"},
    "spark": NUMBERS | {"comparison"},
    "cli": VERBS
    | {"agreement", "experiments", "published", "charts", "reporting", "studies", "compat"}
    | {"native", "similarity", "simulation", "probable", "spark"},
}


# The imports that point up: a result asks for the chart that is registered for its type, and
# the studies are customers, who take public names where users find them.
UP = {(SOURCE / "results" / "result.py", "rankwise.charts")}
UP |= {(path, "rankwise") for path in (SOURCE / "studies").glob("*.py")}


def package_of(module: str) -> str:
    """`rankwise` itself stands for the public names, which only its customers, the studies, use."""
    return module.removeprefix("rankwise.").split(".")[0]


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in nodes_of(path):
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
            allowed = there == here or there in MAY_IMPORT[here] or (path, module) in UP
            assert allowed, f"{path} imports {module}: {here} may import {MAY_IMPORT[here]}"


def test_studies_take_public_names_from_rankwise() -> None:
    seen = 0
    for path in (SOURCE / "studies").glob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom):
                public = {alias.name for alias in node.names} & {*rankwise.__all__}
                from_here = str(node.module).startswith(("rankwise.studies", "rankwise.errors"))
                assert not public or from_here or node.module == "rankwise", f"{path}: {public}"
                seen += len(public)
    assert seen > 20


def test_packages_use_one_another_through_their_front_doors() -> None:
    """No module imports a module of another package, and no front door is a module's name."""
    seen = 0
    for path in SOURCE.rglob("*.py"):
        here = path.relative_to(SOURCE).parts[0]
        for module in imports_of(path):
            there = SOURCE.joinpath(*module.split(".")[1:])
            if package_of(module) != here:
                assert there.is_dir() or there.parent == SOURCE, f"{path} imports {module}"
                seen += there.is_dir()
    assert seen > 300
    packages = [path.parent for path in SOURCE.rglob("__init__.py")]
    assert len(packages) > 20
    for package in packages:
        modules = {path.stem for path in package.glob("*.py")}
        named = homes(str(package / "__init__.py"))
        assert not modules & named.keys(), f"{package}: a name and a module are called the same"
        for name, module in named.items():
            if package.name != "spark" or find_spec("pyspark"):
                assert hasattr(import_module(module), name), f"{package}: {module} has no {name}"


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
        "InputError",
        "JudgedRankings",
        "Judges",
        "Metric",
        "Qrels",
        "RankwiseError",
        "Run",
        "Scores",
        "Subtopics",
        "TestOptions",
        "WeightedPrecision",
        "agree",
        "calibrate",
        "compare",
        "compare_collections",
        "confidence",
        "convert",
        "correlate",
        "diff",
        "discriminate",
        "explain",
        "flips",
        "gate",
        "overview",
        "parse",
        "predict",
        "properties",
        "read",
        "read_qrels",
        "read_runs",
        "read_scores",
        "register",
        "report",
        "score",
        "score_cheap",
        "score_gains",
        "simulate",
        "stability",
        "standardise",
        "study",
        "user_model",
        "weight_topics",
        "which_metric",
        "write_qrels",
        "write_run",
    ]
    for name in rankwise.__all__:
        assert getattr(rankwise, name).__name__ == name


def test_types_for_annotations_are_public() -> None:
    words = [name for name in vars(vocabulary) if name[0].isupper() and name != "Literal"]
    assert len(words) > 10
    for name in [*words, "QrelsLike", "RunsLike", "Simulated"]:
        assert getattr(rankwise, name) and name in dir(rankwise)


def test_no_public_call_hides_its_keywords() -> None:
    """Typos are errors, `help` and completion know every keyword, and these are at most 14."""
    calls = [getattr(package, name) for package in PUBLIC for name in package.__all__]
    verbs = [call for call in calls if inspect.isfunction(call)]
    assert len(verbs) > 25
    for verb in verbs:
        parameters = inspect.signature(verb).parameters.values()
        assert inspect.Parameter.VAR_KEYWORD not in {each.kind for each in parameters}, verb
        assert len(parameters) <= 14, verb
        with pytest.raises(TypeError, match=rf"{verb.__name__}\(\) "):
            verb(no_such_keyword=1)


def test_no_call_unpacks_a_tuple_that_is_written_there() -> None:
    """`f(*(a, b), c)` hides from the reader which parameter gets which value."""
    calls = [
        (path, node)
        for path in SOURCE.rglob("*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
    ]
    assert len(calls) > 1_000
    for path, call in calls:
        for given in call.args:
            is_tuple = isinstance(given, ast.Starred) and isinstance(given.value, ast.Tuple)
            assert not is_tuple, f"{path}:{given.lineno}: write the arguments one by one"


def test_verbs_list_their_parameters() -> None:
    verbs = ["score", "compare", "correlate", "discriminate", "stability", "overview", "explain"]
    verbs += ["gate", "which_metric", "confidence", "standardise", "properties", "write_run"]
    verbs += ["report", "agree", "flips", "score_cheap", "diff"]
    verbs += ["convert", "read_scores", "write_qrels"]
    for verb in [getattr(rankwise, name) for name in verbs]:
        doc = inspect.getdoc(verb) or ""
        listed = re.findall(r"^([\w, ]+)\n    \S", doc.partition("Parameters")[2], re.M)
        named = {name for line in listed for name in line.split(", ")}
        missing = set(inspect.signature(verb).parameters) - named
        assert "Parameters\n---" in doc and not missing, (verb.__name__, missing)


def test_importing_rankwise_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'polars', 'scipy', 'altair', 'rich', 'click'}"
    program = f"import rankwise, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def narrows_a_type(test: ast.expr) -> bool:
    """Whether an assertion only tells the type checker what holds: not None, or of a class."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return all(map(narrows_a_type, test.values))
    if isinstance(test, ast.Compare):
        nothing = [isinstance(one, ast.Constant) and one.value is None for one in test.comparators]
        return nothing == [True] and isinstance(test.ops[0], ast.IsNot)
    called = test.func if isinstance(test, ast.Call) else None
    return isinstance(called, ast.Name) and called.id in ("isinstance", "issubclass")


def test_no_assertion_checks_input() -> None:
    """`python -O` removes assertions, and a user must never see an AssertionError."""
    found = [
        f"{file.relative_to(SOURCE)}:{node.lineno}"
        for file in SOURCE.rglob("*.py")
        for node in nodes_of(file)
        if isinstance(node, ast.Assert) and not narrows_a_type(node.test)
    ]
    assert not found
    kinds = ["x is not None and isinstance(y, int)", "x.success", "x > 0", "not x", "x is None"]
    tests = [ast.parse(text, mode="eval").body for text in kinds]
    assert [narrows_a_type(test) for test in tests] == [True, False, False, False, False]
