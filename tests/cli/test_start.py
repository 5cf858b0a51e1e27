"""What a command loads: a score of a small text file needs no polars, no scipy, no other metric."""

import subprocess
import sys
from dataclasses import MISSING, fields
from pathlib import Path

import numpy as np
import pytest

from rankwise.metrics import REGISTRY, Metric
from rankwise.metrics.registry import families as all_families
from rankwise.native import kernel

HEAVY = {"polars", "scipy", "rich", "altair", "pandas", "pyarrow"}
SCRIPT = """
import sys
from rankwise.cli import main
sys.argv = ["rankwise", *sys.argv[1:]]
try:
    main()
finally:
    print("MODULES", *sys.modules, file=sys.stderr)
"""


def modules(*args: str | Path) -> set[str]:
    """What is loaded once the command is done."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, args)], capture_output=True, text=True, check=True
    )
    assert done.stdout
    return set(done.stderr.rpartition("MODULES")[2].split())


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    texts = {"qrels.txt": "1 0 a 1\n1 0 b 0\n", "one.run": "1 Q0 a 1 2 one\n1 Q0 b 2 1 one\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in texts]


@pytest.mark.skipif(kernel() is None, reason="the kernel was not built: polars reads")
@pytest.mark.parametrize(
    ("style", "more"),
    [
        *[("table", []), ("csv", ["--by-topic"]), ("markdown", ["--bounds"])],
        *[("latex", []), ("table", ["--by-topic", "--bounds"])],
    ],
)
def test_a_score_of_text_loads_nothing_heavy(
    files: list[Path], style: str, more: list[str]
) -> None:
    loaded = modules("score", *files, "-m", "AP", "-m", "nDCG@10", "--format", style, *more)
    assert not HEAVY & loaded
    families = {name.removeprefix("rankwise.metrics.") for name in loaded} & set(all_families())
    assert families == {"average_precision", "dcg"}
    others = ("rankwise.formats.json", "rankwise.formats.columns", "rankwise.formats.trec")
    assert not {name for name in loaded if name.startswith(others)}
    if "--bounds" not in more and not np.__version__.startswith("1."):  # 1.x always loads it
        assert "numpy.ma" not in loaded  # which np.unique loads: a tenth of the time


@pytest.mark.skipif(kernel() is None, reason="the kernel was not built: polars reads")
def test_no_metric_loads_anything_heavy_nor_do_bounds_of_several_runs(files: list[Path]) -> None:
    other = files[1].with_name("two.run")
    other.write_text("1 Q0 b 1 2 two\n1 Q0 c 2 1 two\n")
    metrics = [_with_defaults(metric) for metric in REGISTRY.values() if not metric.reads_lengths]
    asked = [word for metric in metrics for word in ("-m", metric)]
    assert len(metrics) > 60 and not HEAVY & modules("score", *files, other, *asked)
    assert not HEAVY & modules("score", *files, other, "-m", "AP", "--bounds")


def _with_defaults(metric: type[Metric]) -> str:
    required = [each.name for each in fields(metric) if each.default is MISSING]
    return str(metric(**{name: 0.5 if name == "recall" else 10 for name in required}))


def test_help_loads_not_even_numpy() -> None:
    assert not (HEAVY | {"numpy"}) & modules("--help")
