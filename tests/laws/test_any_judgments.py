"""Bounds of `diff` without judgments, against every way to judge two short rankings."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from calls import read_judged
from table import EXAMPLES

import rankwise
from rankwise.arrays import Floats
from rankwise.metrics import Metric, parse
from rankwise.rankings.judged import JudgedRankings
from rankwise.similarity import RunDiff

OPTIONS = (None, 0, 1, 2, 3)
GRADES = {"x": 3, "y": 2, "z": 1}
CASES = {  # the lists of two runs, of five documents at most
    "swapped": ("abc", "bac"),
    "replaced": ("abcd", "abe"),
    "disjoint": ("ab", "cde"),
    "reversed": ("abcd", "dcba"),
    "shorter": ("abcde", "ca"),
    "the same": ("abcd", "abcd"),
    "lacking": ("abc", ""),
}
TESTED = [
    example for example in EXAMPLES if not parse(example).is_diagnostic and "ties" not in example
]


def scored(names: str) -> dict[str, float]:
    return {name: -float(place) for place, name in enumerate(names)}


@cache
def bounded(*metrics: str) -> RunDiff:
    runs = {
        run: {case: scored(lists[side]) for case, lists in CASES.items() if lists[side]}
        for side, run in enumerate(("old", "new"))
    }
    return rankwise.diff(runs, metrics, measures=["RBO"], highest_grade=3)


@cache
def every_way(case: str) -> JudgedRankings:
    """The two rankings under all judgments, each a topic; the last one has all grades."""
    names = sorted({*CASES[case][0], *CASES[case][1]})
    ways = {}
    for number, grades in enumerate(product(OPTIONS, repeat=len(names))):
        given = zip(names, grades, strict=True)
        ways[str(number)] = {name: grade for name, grade in given if grade is not None}
    ways["0"] = {"q": 0}  # a topic of which nothing is judged has no line in qrels
    runs = {
        run: dict.fromkeys(ways, scored(CASES[case][side])) | {"grades": {"x": 1.0}}
        for side, run in enumerate(("old", "new"))
    }
    found: JudgedRankings = read_judged(ways | {"grades": GRADES}, runs)
    return found


def differences(metric: Metric, case: str) -> Floats:
    """The new score minus the old one under all judgments; 0 where there is none."""
    judged = every_way(case)
    keep = np.array([topic != "grades" for topic in judged.topics])
    old, new = metric.at_levels_of(judged).scores(judged).reshape(2, -1)[:, keep]
    return np.nan_to_num(new - old)


@pytest.mark.parametrize("example", TESTED)
def test_no_judgments_leave_the_bounds_and_exact_ones_are_reached(example: str) -> None:
    found, metric, exact = bounded(example), parse(example), 0
    ends = found.bounds[str(metric)]
    for case in CASES:
        at = found.topics.index(case)
        every = differences(metric, case)
        low, high = ends.low[0, at], ends.high[0, at]
        assert low <= every.min() + 1e-9 and high >= every.max() - 1e-9, f"{metric} on {case}"
        if ends.gap[0, at] == 0:
            assert (low, high) == pytest.approx((every.min(), every.max()), abs=1e-9), case
            exact += 1
    assert exact == len(CASES), f"{metric}: exact in {exact} cases"


def test_the_most_of_a_mean_is_that_of_its_topics() -> None:
    found = bounded("P@5", "nDCG@5", "AP", "RR")
    for metric in found.metrics:
        every = [differences(metric, case) for case in found.topics]
        high = np.mean([values.max() for values in every])
        low = np.mean([values.min() for values in every])
        med = np.mean([np.abs(values).max() for values in every])
        limit = found.limit(str(metric))
        assert limit.mean == pytest.approx(max(high, -low), abs=1e-9)
        assert limit.med == pytest.approx(med, abs=1e-9)
        assert limit.gap == 0


def test_there_are_metrics_to_try() -> None:
    assert len(TESTED) >= 160 and len(CASES) == 7
