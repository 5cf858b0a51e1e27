"""Shared weights and expected search length are the mean over all orders of tied documents."""

from dataclasses import replace
from itertools import groupby, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from reference import SLOW, Ranking, is_relevant
from table import SHARING

import rankwise
from rankwise.metrics import Metric, parse

NAMES = "abcdef"
Tied = tuple[list[int | None], list[float]]  # a grade and a score for each document


def orders(grades: dict[str, int | None], scores: dict[str, float]) -> list[Ranking]:
    """Every ranking that the scores allow."""
    ranked = sorted(scores, key=lambda name: -scores[name])
    groups = [list(group) for _, group in groupby(ranked, key=lambda name: scores[name])]
    ways = product(*(permutations(group) for group in groups))
    return [[grades[name] for group in way for name in group] for way in ways]


def search_length(metric: object, ranking: Ranking) -> float:
    found = 0
    for rank, grade in enumerate(ranking, start=1):
        found += is_relevant(metric, grade)
        if found == metric.n:  # type: ignore[attr-defined]
            return rank - found
    return np.inf


tied_rankings = st.tuples(
    st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=1, max_size=6),
    st.lists(st.sampled_from([0.0, 1.0]), min_size=6, max_size=6),
)


@pytest.mark.parametrize("example", [*SHARING, "ESL", "ESL(n=2)", "ESL(n=2,rel=2)"])
def test_the_mean_over_all_orders(example: str) -> None:
    metric, defined = parse(example), []

    @given(tied=tied_rankings)
    @settings(max_examples=40, deadline=None)
    def law(tied: Tied) -> None:
        found, expected = mean_over_all_orders(metric, tied)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)
        defined.append(not np.isnan(found))

    law()
    assert sum(defined) >= 5


def mean_over_all_orders(metric: Metric, tied: Tied) -> tuple[float, float]:
    """The score, and the mean of the scores of all rankings that the scores allow."""
    grades = dict(zip(NAMES, tied[0], strict=False))
    scores = dict(zip(grades, tied[1], strict=False))
    qrels = {name: grade for name, grade in grades.items() if grade is not None} | {"z": 0}
    found = rankwise.score({"1": qrels}, {"1": scores}, [metric]).value.item()
    every = orders(grades, scores)
    if type(metric).__name__ == "SearchLength":
        expected = float(np.mean([search_length(metric, ranking) for ranking in every]))
        expected = min(expected, metric.give_up)  # type: ignore[attr-defined]
        expected /= metric.n if metric.per == "document" else 1  # type: ignore[attr-defined]
        if not any(is_relevant(metric, grade) for grade in grades.values()):
            expected = np.nan
    else:
        by_name = replace(metric, ties="name")  # type: ignore[call-arg]
        slow = SLOW[type(metric).__name__]
        scored = [slow(by_name, ranking, list(qrels.values())) for ranking in every]
        expected = float(np.mean(scored))
    return found, expected


def test_ties_cannot_be_shared_by_a_metric_that_does_not_say_how() -> None:
    with pytest.raises(rankwise.errors.WrongParameter, match="AP has no parameter 'ties'"):
        parse("AP(ties=share)")
    with pytest.raises(
        rankwise.errors.WrongParameter, match="ties=share cannot be combined with judged_only"
    ):
        parse("RBP(ties=share,judged_only=True)")


def test_a_tie_that_spans_the_depth_is_shared_before_it_is_cut() -> None:
    """The mean over all orders of the tied documents, each cut at the depth."""
    qrels = {"1": {"a": 1, "b": 0, "d": 2}}
    scores = {"z": 2.0, "a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}
    grades = {name: qrels["1"].get(name) for name in scores}
    for depth, example in product((1, 2, 3, 4), SHARING):
        metric = parse(example)
        found = rankwise.score(
            rankwise.read(qrels, {"1": scores}, depth=depth), metrics=metric, bounds=True
        )
        by_name, slow = replace(metric, ties="name"), SLOW[type(metric).__name__]  # type: ignore[call-arg]
        every = [slow(by_name, ranking[:depth], [1, 0, 2]) for ranking in orders(grades, scores)]
        assert found.value.item() == pytest.approx(np.mean(every)), f"{metric} at depth {depth}"
        assert found.low is not None and found.high is not None
        assert found.low.item() == pytest.approx(found.value.item())
        assert found.high.item() >= found.value.item()


def test_bounds_and_verdicts_hold_where_a_tie_spans_the_depth() -> None:
    known = {"a": 1, "b": 0}
    runs = {
        "A": {"1": {"z": 2.0, "a": 1.0, "b": 1.0, "c": 1.0}},
        "B": {"1": {"b": 2.0, "c": 1.0, "z": 1.0, "a": 1.0}},
    }
    for example in ("P(ties=share)@3", "RBP(p=0.5,ties=share)", "AP", "nDCG"):
        found = rankwise.compare(
            rankwise.read({"1": known}, runs, depth=2), metrics=example
        ).frame.row(0, named=True)
        ways = []
        for c, z in product((0, 1), repeat=2):
            qrels = {"1": known | {"c": c, "z": z}}
            value = rankwise.score(rankwise.read(qrels, runs, depth=2), metrics=example).value[
                0, :, 0
            ]
            ways.append(value[1] - value[0])  # new − old
        assert found["low"] <= min(ways) + 1e-9 and found["high"] >= max(ways) - 1e-9
        if "share" in example:
            assert (found["low"], found["high"]) == pytest.approx((min(ways), max(ways)))


def test_a_depth_is_refused_where_ties_cannot_be_shared_first() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}
    for call in (
        lambda: rankwise.explain(
            rankwise.read(qrels, run, depth=1), metric="P(ties=share)@2", topic="1"
        ),
        lambda: rankwise.stability(rankwise.read(qrels, run, depth=1), metrics="P(ties=share)@2"),
    ):
        with pytest.raises(rankwise.CallError, match="use a cutoff of the metric instead"):
            call()
