"""What a command loads: a score of a small text file needs no polars, no scipy, no other metric."""

import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.metrics.index import FAMILIES
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
@pytest.mark.parametrize("style", ["table", "csv", "markdown", "latex"])
@pytest.mark.parametrize("more", [[], ["--by-topic"], ["--bounds"]])
def test_a_score_of_text_loads_nothing_heavy(
    files: list[Path], style: str, more: list[str]
) -> None:
    loaded = modules("score", *files, "-m", "AP", "-m", "nDCG@10", "--format", style, *more)
    assert not HEAVY & loaded
    families = {name.removeprefix("rankwise.metrics.") for name in loaded} & set(FAMILIES)
    assert families == {"average_precision", "dcg"}
    assert not {name for name in loaded if name.startswith("rankwise.formats.json")}


def test_help_loads_not_even_numpy() -> None:
    assert not (HEAVY | {"numpy"}) & modules("--help")
