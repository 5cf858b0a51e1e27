"""Shared weights and expected search length are the mean over all orders of tied documents."""

from dataclasses import replace
from itertools import groupby, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow import SLOW, Ranking, is_relevant
from table import SHARING

import rankwise
from rankwise.metrics import parse

NAMES = "abcdef"


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
@given(tied=tied_rankings)
@settings(max_examples=40, deadline=None)
def test_the_mean_over_all_orders(example: str, tied: tuple[list[int | None], list[float]]) -> None:
    metric = parse(example)
    grades = dict(zip(NAMES, tied[0], strict=False))
    scores = dict(zip(grades, tied[1], strict=False))
    qrels = {name: grade for name, grade in grades.items() if grade is not None} | {"z": 0}
    found = rankwise.score({"1": qrels}, {"1": scores}, [metric]).value.item()
    every = orders(grades, scores)
    if type(metric).__name__ == "SearchLength":
        expected = np.mean([search_length(metric, ranking) for ranking in every])
        expected = min(expected, metric.give_up)  # type: ignore[attr-defined]
        if not any(is_relevant(metric, grade) for grade in grades.values()):
            expected = np.nan
    else:
        by_name = replace(metric, ties="name")  # type: ignore[call-arg]
        slow = SLOW[type(metric).__name__]
        expected = np.mean([slow(by_name, ranking, list(qrels.values())) for ranking in every])
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


def test_ties_cannot_be_shared_by_a_metric_that_does_not_say_how() -> None:
    with pytest.raises(rankwise.WrongParameter, match="AP has no parameter 'ties'"):
        parse("AP(ties=share)")
    with pytest.raises(rankwise.WrongParameter, match="ties=share does not go with judged_only"):
        parse("RBP(ties=share,judged_only=True)")
