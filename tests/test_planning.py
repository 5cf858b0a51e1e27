"""How deep to judge."""

import pytest

import rankwise
from rankwise.planning import depth_for, greatest_p, plan_depth, weight_left, why_no_depth


@pytest.mark.parametrize(("p", "depth"), [(0.5, 14), (0.8, 42), (0.95, 180)])
def test_depths_for_rbp_are_those_of_moffat_and_zobel(p: float, depth: int) -> None:
    metric = rankwise.parse(f"RBP(p={p})")
    assert depth_for(metric, 0.0001) == depth
    assert isinstance(metric, rankwise.WeightedPrecision)
    assert weight_left(metric, depth) < 0.0001 <= weight_left(metric, depth - 1)


def test_a_hundred_documents_suffice_up_to_p_091() -> None:
    assert round(greatest_p(0.0001, 100), 2) == 0.91
    assert depth_for("RBP(p=0.91)", 0.0001) <= 100 < depth_for("RBP(p=0.92)", 0.0001)


def test_other_weights_and_cutoffs() -> None:
    assert depth_for("InvSq", 0.0001) == 10_000  # 1 / (d + 1)
    assert depth_for("P@10", 0.25) == 8  # two of ten are left
    assert depth_for("P@10", 0.0001) == 10
    assert depth_for("RBP(p=0.95)@20", 0.0001) == 20
    assert depth_for("RBP(p=0.5,gains={1:0.5})", 0.0001) == 13
    assert depth_for("RBP", 2) == 0
    assert plan_depth(["RBP(p=0.5)", "P@10"])["depth"].to_list() == [14, 10]


@pytest.mark.parametrize(
    ("metric", "why"),
    [
        ("AP", "divides by what is known to be relevant"),
        ("nDCG@10", "divides by what is known to be relevant"),
        ("DCG", "no finite sum"),
        ("ERR", "no sum of fixed weights"),
    ],
)
def test_where_there_is_no_such_depth_it_says_why(metric: str, why: str) -> None:
    assert why in (why_no_depth(rankwise.parse(metric)) or "")
    with pytest.raises(rankwise.CallError, match=why):
        depth_for(metric, 0.0001)
