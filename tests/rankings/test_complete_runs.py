"""The exclusion rule of Ahlgren and Grönqvist (2007), an option wherever runs are scored."""

from pathlib import Path

import numpy as np
import pytest

import rankwise
from rankwise.errors import CallError
from rankwise.rankings.join import incomplete


def test_the_rule() -> None:
    assert not incomplete(np.full(50, 950))
    assert incomplete(np.full(50, 949))
    assert incomplete(np.array([1000] * 49 + [0]))


def test_no_complete_run_is_an_error() -> None:
    with pytest.raises(CallError, match="no run is complete"):
        rankwise.score(
            rankwise.read({"1": {"a": 1}}, {"1": {"a": 1.0}}, complete_runs=True), metrics="AP"
        )


def test_on_trec8_122_runs_are_left_whatever_the_depth(trec8: Path) -> None:
    """Table 2 of Ahlgren and Grönqvist (2007)."""
    runs = sorted((trec8 / "runs").iterdir())
    scores = rankwise.score(
        rankwise.read(trec8 / "trec8.qrels.gz", runs, depth=10, complete_runs=True), metrics="P@10"
    )
    assert len(scores.runs) == 122
    assert str(scores.notes[0]).startswith("7 of 129 runs are excluded as incomplete (")
