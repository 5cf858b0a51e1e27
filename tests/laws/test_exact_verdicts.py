"""Ends of differences that are called exact, against every way to judge what is not judged.

Three runs, so that there are documents that neither of two has; topics that have no score
yet; grades that only other topics have seen; and documents that may stay unjudged.
"""

from collections.abc import Callable
from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from calls import read_judged
from table import EXAMPLES

from rankwise.comparison.verdicts import difference_bounds
from rankwise.metrics import Metric, parse
from rankwise.rankings.judged import JudgedRankings

DOCUMENTS = [f"d{place}" for place in range(6)]
SEEN = {"x": 2, "y": 1, "z": 3}  # so that these grades are known
CASES = 8
TESTED = [
    example for example in EXAMPLES if not parse(example).is_diagnostic and "ties" not in example
]
ONE_GRADE = [  # formulas that ask for one grade, and metrics of a few documents and R
    *["O", "O@3", "P-measure@4", "P-plus", "P-plus(beta=0.3)", "R-measure", "R-measure(beta=0)@3"],
    *["ESL", "ESL(give_up=2)", "ESL(per=document)", "SetAP", "Shaw", "Shaw@3", "nRBP", "nRBP@2"],
    *["AP", "AP@2", "Q@2", "Bpref", "RankEff", "Compat", "ERR", "nERR@2", "SP", "G"],
]


class Case(NamedTuple):
    known: dict[str, int]
    runs: dict[str, list[str]]

    @property
    def unjudged(self) -> list[str]:
        return sorted({name for run in self.runs.values() for name in run} - self.known.keys())


@cache
def case(seed: int) -> Case:
    random = Random(seed)
    free = random.sample(DOCUMENTS, 1 + seed % 3)
    grades = [0, 1] if seed % 2 else [-1, 0, 1, 2, 3]
    known = {name: random.choice(grades) for name in DOCUMENTS if name not in free}
    if seed % 4 == 0:
        known = dict.fromkeys(known, 0)
    found = {name: random.sample(DOCUMENTS, random.randint(2, 6)) for name in "ABC"}
    return Case(known, found)


@cache
def case_of_one_grade(seed: int) -> Case:
    random = Random(seed)
    names = [f"d{place}" for place in range(8)]
    free = random.sample(names, 1 + seed % 5)
    known = {name: random.randint(0, 1) * (seed % 4 > 0) for name in names if name not in free}
    found = {name: random.sample(names, random.randint(2, 8)) for name in "ABC"}
    return Case(known, found)


def scored(names: list[str]) -> dict[str, float]:
    return {name: -float(place) for place, name in enumerate(names)}


def judged_as(
    ways: dict[str, dict[str, int]],
    runs: dict[str, list[str]],
    seen: dict[str, int] = SEEN,
    **how: Any,
) -> Any:
    every = {
        name: dict.fromkeys(ways, scored(found)) | {"seen": {"x": 1.0}}
        for name, found in runs.items()
    }
    return read_judged(ways | {"seen": seen}, every, **how)


@cache
def every_way_of_one_grade(seed: int) -> JudgedRankings:
    now, ways = case_of_one_grade(seed), {}
    for number, way in enumerate(product((None, 0, 1), repeat=len(now.unjudged))):
        new = dict(zip(now.unjudged, way, strict=True))
        ways[str(number)] = now.known | {name: g for name, g in new.items() if g is not None}
    found: JudgedRankings = judged_as(ways, now.runs, {"x": 1})
    return found


@cache
def today_of_one_grade(seed: int) -> JudgedRankings:
    now = case_of_one_grade(seed)
    found: JudgedRankings = judged_as({"1": now.known}, now.runs, {"x": 1}, retrieved=True)
    return found


@cache
def every_way(seed: int) -> JudgedRankings:
    now = case(seed)
    ways = {}
    for number, way in enumerate(product((None, 0, 1, 2, 3), repeat=len(now.unjudged))):
        new = dict(zip(now.unjudged, way, strict=True))
        ways[str(number)] = now.known | {name: g for name, g in new.items() if g is not None}
    return judged_as(ways, now.runs)


@cache
def today(seed: int) -> JudgedRankings:
    found: JudgedRankings = judged_as({"1": case(seed).known}, case(seed).runs, retrieved=True)
    return found


def extremes(
    metric: Metric, seed: int, ways: Callable[[int], JudgedRankings] = every_way
) -> tuple[float, float] | None:
    judged = ways(seed)
    keep = np.array([topic != "seen" for topic in judged.topics])
    scores = metric.at_levels_of(judged).scores(judged).reshape(3, -1)[:, keep]
    apart = scores[0] - scores[1]
    return None if np.isnan(apart).all() else (float(np.nanmin(apart)), float(np.nanmax(apart)))


@pytest.mark.parametrize("example", TESTED)
def test_ends_are_those_of_all_ways_to_judge(example: str) -> None:
    metric, tried = parse(example), 0
    for seed in range(CASES):
        found = difference_bounds(today(seed), metric, np.array([0]), np.array([1]))
        ends, at = found.by_topic, found.topics.index("1")
        every = extremes(metric, seed)
        if every is None:
            assert np.isnan(ends.low[0, at])
            continue
        low, high = ends.low[0, at], ends.high[0, at]
        assert (low, high) == pytest.approx(every, abs=1e-9), f"{metric} on {case(seed)}"
        reached = (ends.reached_low[0, at], ends.reached_high[0, at])
        assert reached == pytest.approx(every, abs=1e-9)
        tried += 1
    assert tried >= CASES - 2, f"{tried} cases"


@pytest.mark.parametrize(
    "example", ["AP", "Q", "Bpref", "Compat", "RankEff", "nDCG@5", "Recall@4", "RR", "Success@3"]
)
@pytest.mark.parametrize("effort", [0, 100, 2_000, 20_000])
def test_any_effort_gives_ends_that_hold_and_a_gap_that_is_true(example: str, effort: int) -> None:
    metric, tried, wide = parse(example), 0, 0
    for seed in range(20, 20 + CASES):
        every = extremes(metric, seed)
        if every is None:
            continue
        pair = (np.array([0]), np.array([1]))
        found = difference_bounds(today(seed), metric, *pair, effort=effort)
        at = found.topics.index("1")
        ends = type(found.by_topic)(*(column[:, at] for column in found.by_topic))
        assert ends.low[0] <= every[0] + 1e-9 and ends.high[0] >= every[1] - 1e-9
        assert not ends.reached_low[0] < every[0] - 1e-9  # NaN: none is known
        assert not ends.reached_high[0] > every[1] + 1e-9
        if ends.gap[0] == 0:
            assert (ends.low[0], ends.high[0]) == pytest.approx(every, abs=1e-9)
        wide += ends.gap[0] != 0
        tried += 1
    assert tried >= CASES - 3
    if metric.normalised or metric.exact_form(today(20)):
        assert wide == 0  # a formula is exact whatever the effort is


@pytest.mark.parametrize("example", ["AP", "Q", "P-plus", "RankEff", "Bpref", "Compat", "nDCG"])
def test_every_pair_that_is_decided_is_recognised(example: str) -> None:
    metric, decided = parse(example), 0
    for seed in range(100, 130):
        every = extremes(metric, seed)
        if every is None:
            continue
        found = difference_bounds(today(seed), metric, np.array([0]), np.array([1]))
        at = found.topics.index("1")
        low, high = found.by_topic.low[0, at], found.by_topic.high[0, at]
        assert (low > 1e-12, high < -1e-12) == (every[0] > 1e-12, every[1] < -1e-12)
        decided += every[0] > 1e-12 or every[1] < -1e-12
    assert decided >= 5, f"{decided} decided"


@pytest.mark.parametrize("example", ONE_GRADE)
def test_ends_are_those_of_all_ways_to_judge_where_there_is_one_grade(example: str) -> None:
    metric, decided = parse(example), 0
    for seed in range(200, 225):
        every = extremes(metric, seed, every_way_of_one_grade)
        now = case_of_one_grade(seed)
        found = difference_bounds(today_of_one_grade(seed), metric, np.array([0]), np.array([1]))
        at = found.topics.index("1")
        ends = (found.by_topic.low[0, at], found.by_topic.high[0, at])
        if every is None:
            assert np.isnan(ends).all()
            continue
        assert ends == pytest.approx(every, abs=1e-9), f"{metric} on {now}"
        assert found.by_topic.gap[0, at] == 0
        decided += every[0] > 1e-12 or every[1] < -1e-12
    assert decided >= 2, f"{decided} decided"


@pytest.mark.parametrize("example", ["AP@2", "Q@2", "nERR@2", "O@2", "Shaw@2", "G@2"])
def test_many_documents_elsewhere_are_counted_not_tried_one_by_one(example: str) -> None:
    """Of forty that a third run alone has, below the cutoff of the others: only R changes."""
    metric, more = parse(example), [f"e{place}" for place in range(40)]
    runs = {"A": ["a", "b", "c"], "B": ["c", "d", "a"], "C": ["b", *more]}
    known = {"a": 1, "d": 1}
    ways = {
        f"{number} {b} {c}": known | dict.fromkeys(more[:number], 1) | {"b": b, "c": c}
        for number, b, c in product(range(41), (0, 1), (0, 1))
    }
    judged = judged_as(ways, runs, {"x": 1})
    a, b = metric.at_levels_of(judged).scores(judged).reshape(3, -1)[:2]
    apart = (a - b)[[topic != "seen" for topic in judged.topics]]
    now = judged_as({"1": known}, runs, {"x": 1}, retrieved=True)
    found = difference_bounds(now, metric, np.array([0]), np.array([1]))
    at = found.topics.index("1")
    assert found.by_topic.gap[0, at] == 0
    ends = (found.by_topic.low[0, at], found.by_topic.high[0, at])
    assert ends == pytest.approx((apart.min(), apart.max()), abs=1e-9)
    assert apart.min() < apart.max()


def test_there_are_metrics_to_try() -> None:
    by_formula = [
        example
        for example in TESTED
        if parse(example).normalised or parse(example).exact_form(today(0))
    ]
    assert len(TESTED) >= 160 and len(by_formula) >= 29
