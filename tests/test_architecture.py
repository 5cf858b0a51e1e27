"""Imports point one way, and the public names are the ones on the list."""

import ast
import subprocess
import sys
from pathlib import Path

import rankwise

SOURCE = Path(rankwise.__file__).parent

# Each room may import from those before it and from itself. `cli` is imported by nothing.
ROOMS = [
    *[
        "errors",
        "files",
        "rendering",
        "threads",
        "inputs",
        "unjudged",
        "judged",
        "ideal",
        "judgments",
        "sorting",
        "join",
        "bounds",
        "cuts",
        "undefined",
        "metrics",
        "catalogue",
    ],
    *[
        "measuring",
        "scores",
        "matrices",
        "explanation",
        "trec_eval",
        "simulation",
        "inversion",
        "stats",
        "standardisation",
        "uncertainty",
        "verdicts",
    ],
    *["planning", "comparison", "agreement", "experiments", "charts", "studies", "cli"],
]


def room_of(module: str) -> str:
    return module.removeprefix("rankwise.").split(".")[0]


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return {name for name in found if name.startswith("rankwise.")}


def test_imports_point_one_way() -> None:
    doors = {SOURCE / "__init__.py", SOURCE / "__main__.py"}
    files = [path for path in SOURCE.rglob("*.py") if path not in doors]
    assert len(files) > 20
    for path in files:
        here = path.relative_to(SOURCE).with_suffix("").parts[0]
        assert here in ROOMS, f"{path}: give the room {here} its place in ROOMS"
        for module in imports_of(path):
            there = room_of(module)
            assert ROOMS.index(there) <= ROOMS.index(here), f"{path} imports {module}"


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
