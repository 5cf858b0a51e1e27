"""Verdicts worked out by hand, where there is no verdict, and on TREC-8."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankwise.comparison.verdicts import Differences, difference_bounds
from rankwise.errors import CallError
from rankwise.metrics import Metric, parse
from rankwise.rankings.join import read_judged
from rankwise.rankings.judged import JudgedRankings


def differences(judged: JudgedRankings, metric: Metric, unjudged: Any = "retrieved") -> Differences:
    """A − B and B − A."""
    return difference_bounds(judged, metric, np.array([0, 1]), np.array([1, 0]), unjudged)


def test_runs_that_are_alike_may_still_go_on_differently() -> None:
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    judged = read_judged({"1": {"a": 1, "x": 1}}, {"A": run, "B": run}, retrieved=True)
    below = differences(judged, parse("RBP(p=0.5)"), "open").mean
    assert (below.low[0], below.high[0]) == (-0.125, 0.125)  # each goes on by itself
    assert list(differences(judged, parse("AP@3"), "open").mean.verdict) == ["equal"] * 2
    assert list(differences(judged, parse("AP@4"), "open").mean.verdict) == ["undecided"] * 2


def test_a_verdict_and_how_much_is_to_be_settled() -> None:
    """A has x, y at ranks 1, 2; B has y, x; z is B's alone. At p = 0.5 by hand."""
    runs = {"A": {"1": {"x": 3, "y": 2, "r": 1}}, "B": {"1": {"y": 3, "x": 2, "z": 1}}}
    judged = read_judged({"1": {"r": 1}}, runs, retrieved=True)
    found = differences(judged, parse("RBP(p=0.5)"))
    mean = found.mean
    assert mean.value[0] == 0.125
    assert (mean.low[0], mean.high[0]) == (0.125 - 0.25 - 0.125, 0.125 + 0.25)
    assert (mean.separate_low[0], mean.separate_high[0]) == (0.125 - 0.875, 0.125 + 0.75)
    assert mean.verdict[0] == "undecided"
    assert mean.to_resolve[0] == 0.25 / 0.625
    assert found.frame.row(0) == (
        *("A", "B", "RBP(p=0.5)", 0.125, -0.25, 0.375, -0.75, 0.875),
        *("undecided", 0.4),
    )
    settled = read_judged({"1": {"r": 1, "y": 0, "z": 0}}, runs, retrieved=True)
    assert list(differences(settled, parse("RBP(p=0.5)")).mean.verdict) == ["A", "B"]


def test_topics_without_a_score_are_left_out_and_counts_add_up() -> None:
    runs = {"A": {"1": {"a": 1}, "2": {"u": 1}}, "B": {"1": {"b": 1}}}
    judged = read_judged({"1": {"a": 1, "b": 0}, "2": {"v": 0}}, runs, retrieved=True)
    recall = differences(judged, parse("Recall")).mean
    assert (recall.value[0], recall.low[0], recall.high[0]) == (1, 1, 1)
    counts = differences(judged, parse("NumRelRet")).mean
    assert (counts.value[0], counts.low[0], counts.high[0]) == (1, 1, 2)
    none = read_judged(
        {"1": {"v": 0}}, {"A": {"1": {"a": 1}}, "B": {"1": {"b": 1}}}, retrieved=True
    )
    undefined = differences(none, parse("AP"))
    assert undefined.mean.verdict[0] == "undecided"
    assert undefined.frame.row(0)[3:] == (None, -1, 1, -1, 1, "undecided", 0.5)


def test_what_has_no_bound_is_undecided() -> None:
    runs = {"A": {"1": {"a": 2, "u": 1}}, "B": {"1": {"b": 1}}}
    judged = read_judged({"1": {"a": 1, "b": 0}}, runs, retrieved=True)
    infinite = differences(judged, parse("DCG"), "open").mean
    assert np.isinf(infinite.low[0]) and np.isnan(infinite.to_resolve[0])
    widest = differences(judged, parse("Recall(judged_only=True)@4")).mean
    assert widest.low[0] == -1 and list(widest.verdict) == ["undecided"] * 2


def test_verdicts_need_the_unjudged_documents() -> None:
    judged = read_judged({"1": {"a": 1}}, {"1": {"a": 1}})
    with pytest.raises(CallError, match="retrieved=True"):
        differences(judged, parse("P@10"))


@pytest.fixture(scope="module")
def judged_trec8(trec8: Path) -> JudgedRankings:
    runs = sorted((trec8 / "runs").iterdir())
    return read_judged(trec8 / "trec8.qrels.gz", runs, depth=100, retrieved=True)


@pytest.mark.parametrize("unjudged", ["retrieved", "open"])
@pytest.mark.parametrize("name", ["RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "nDCG@10"])
def test_on_trec8_shared_judgments_decide_more(
    judged_trec8: JudgedRankings, name: str, unjudged: Any
) -> None:
    """And all that separate intervals decide; those are the bounds of the scores."""
    metric, runs = parse(name), len(judged_trec8.runs)
    first, second = np.triu_indices(runs, 1)
    found = difference_bounds(judged_trec8, metric, first, second, unjudged).mean
    shared, separate = found.verdict, found.separate_verdict
    sure = np.isin(separate, ["A", "B"])
    assert (shared[sure] == separate[sure]).all()
    more = np.isin(shared, ["A", "B"]).sum() - sure.sum()
    assert sure.sum() > 6000 and (more > 0 or name == "RBP(p=0.95)" or unjudged == "open")
    bounds = metric.bounds(judged_trec8, unjudged)
    assert bounds is not None
    low, high = (np.nanmean(end.reshape(runs, -1), axis=1) for end in bounds)
    if name != "nDCG@10":  # there the other runs' documents count too
        assert found.separate_low == pytest.approx(low[first] - high[second], abs=1e-9)
        assert found.separate_high == pytest.approx(high[first] - low[second], abs=1e-9)
