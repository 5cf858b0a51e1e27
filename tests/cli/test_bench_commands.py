"""The commands of `benchmarks/commands.py` are valid: the bench runs by hand, and rarely."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from calls import Done

from rankwise.simulation import simulate

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from commands import COMMANDS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("label", COMMANDS)
def test_it_runs(rankwise: Callable[..., Done], tmp_path: Path, label: str) -> None:
    simulate(topics=12, systems=12, depth=100, pool_depth=20, seed=3).write(tmp_path / "made")
    runs = [str(path) for path in sorted((tmp_path / "made" / "runs").iterdir())]
    words, options, _, _ = COMMANDS[label]
    after = [option.replace("DIR", str(tmp_path)) for option in options]
    done = rankwise(*words, str(tmp_path / "made" / "qrels.txt"), *runs, *after)
    assert done.code == 0, done.err
