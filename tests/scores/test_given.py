"""Scores that were made elsewhere."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankwise.errors import CallError
from rankwise.scores.given import scores_from_matrices


def test_columns_and_rows_are_matched_by_name(tmp_path: Path) -> None:
    (tmp_path / "ap.csv").write_text("topic,a,b\n1,0.1,0.2\n2,0.3,0.4\n")
    (tmp_path / "rr.csv").write_text("topic,b,a\n2,4,3\n1,2,1\n")
    scores = scores_from_matrices({"AP": tmp_path / "ap.csv", "RR": tmp_path / "rr.csv"})
    assert scores.runs == ("a", "b") and scores.topics == ("1", "2")
    assert np.allclose(scores.value[1], 10 * scores.value[0])
    assert [str(metric) for metric in scores.metrics] == ["AP", "RR"]


def test_other_systems_are_refused() -> None:
    one = pl.DataFrame({"topic": ["1"], "a": [0.5]})
    other = pl.DataFrame({"topic": ["1"], "b": [0.5]})
    with pytest.raises(CallError, match="RR and AP are of other systems"):
        scores_from_matrices({"AP": one, "RR": other})
