"""Ends of differences that are called exact, against every way to judge what is not judged.

Three runs, so that there are documents that neither of two has; topics that have no score
yet; grades that only other topics have seen; and documents that may stay unjudged.
"""

from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from table import EXAMPLES

from rankwise.comparison.verdicts import difference_bounds
from rankwise.metrics import Metric, parse
from rankwise.rankings.join import read_judged
from rankwise.rankings.judged import JudgedRankings

DOCUMENTS = [f"d{place}" for place in range(6)]
SEEN = {"x": 2, "y": 1, "z": 3}  # so that these grades are known
CASES = 8
TESTED = [
    example for example in EXAMPLES if not parse(example).is_diagnostic and "ties" not in example
]
BY_FORMULA = [
    example
    for example in TESTED
    if parse(example).normalised is not None
    or parse(example).by_count is not None
    or parse(example).by_first is not None
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


def scored(names: list[str]) -> dict[str, float]:
    return {name: -float(place) for place, name in enumerate(names)}


def judged_as(ways: dict[str, dict[str, int]], runs: dict[str, list[str]], **how: Any) -> Any:
    every = {
        name: dict.fromkeys(ways, scored(found)) | {"seen": {"x": 1.0}}
        for name, found in runs.items()
    }
    return read_judged(ways | {"seen": SEEN}, every, **how)


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


def extremes(metric: Metric, seed: int) -> tuple[float, float] | None:
    judged = every_way(seed)
    keep = np.array([topic != "seen" for topic in judged.topics])
    scores = metric.at_levels_of(judged).scores(judged).reshape(3, -1)[:, keep]
    ways = scores[0] - scores[1]
    return None if np.isnan(ways).all() else (float(np.nanmin(ways)), float(np.nanmax(ways)))


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
        names = found.by_topic.__dataclass_fields__
        ends = type(found.by_topic)(*(getattr(found.by_topic, n)[:, at] for n in names))
        assert ends.low[0] <= every[0] + 1e-9 and ends.high[0] >= every[1] - 1e-9
        assert not ends.reached_low[0] < every[0] - 1e-9  # NaN: none is known
        assert not ends.reached_high[0] > every[1] + 1e-9
        if ends.gap[0] == 0:
            assert (ends.low[0], ends.high[0]) == pytest.approx(every, abs=1e-9)
        wide += ends.gap[0] != 0
        tried += 1
    assert tried >= CASES - 3
    assert wide == 0 if effort == 20_000 and example in BY_FORMULA else True


@pytest.mark.parametrize("example", ["AP", "Q", "P-plus", "RankEff", "Bpref", "Compat", "nDCG"])
def test_every_pair_that_is_decided_is_recognised(example: str) -> None:
    metric, decided = parse(example), 0
    for seed in range(100, 160):
        every = extremes(metric, seed)
        if every is None:
            continue
        found = difference_bounds(today(seed), metric, np.array([0]), np.array([1]))
        at = found.topics.index("1")
        low, high = found.by_topic.low[0, at], found.by_topic.high[0, at]
        assert (low > 1e-12, high < -1e-12) == (every[0] > 1e-12, every[1] < -1e-12)
        decided += every[0] > 1e-12 or every[1] < -1e-12
    assert decided >= 10, f"{decided} decided"


def test_there_are_metrics_to_try() -> None:
    assert len(TESTED) >= 160 and len(BY_FORMULA) >= 22
