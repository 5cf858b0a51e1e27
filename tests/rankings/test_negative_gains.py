"""Gains of negative grades: a table of the qrels may have them, a metric's own may not."""

import pytest

import rankwise
from rankwise.errors import WrongParameter

JUDGED, RANKED = {"1": {"a": -1, "b": 1, "c": 0}}, {"1": {"a": 2.0, "b": 1.0}}


@pytest.mark.parametrize("metric", ["nDCG", "AP", "iRBU", "U(length=9)", "RR", "Q", "ERR", "Bpref"])
def test_a_label_that_gains_counts_like_any_other_whatever_its_sign(metric: str) -> None:
    """As where it is called 1, and the other 2."""
    found = rankwise.score(rankwise.read(JUDGED, RANKED, gains={-1: 0.5, 1: 1}), metrics=metric)
    renamed = {"1": {"a": 1, "b": 2, "c": 0}}
    assert (
        found.to_dict()
        == rankwise.score(
            rankwise.read(renamed, RANKED, gains={1: 0.5, 2: 1}), metrics=metric
        ).to_dict()
    )
    read = rankwise.read_qrels(JUDGED, gains={-1: 0.5, 1: 1})
    assert read.as_read["grade"].to_list() == [-1, 1, 0]


@pytest.mark.parametrize("name", ["nDCG", "iRBU", "U", "RBP", "ERR", "Q"])
def test_a_metric_s_own_table_gives_nothing_to_negative_grades(name: str) -> None:
    with pytest.raises(WrongParameter, match=r"a negative grade cannot have a gain"):
        rankwise.parse(name + "(gains={-1:0.5,1:1})")
    rankwise.parse(name + "(gains={-1:0,1:1})")
