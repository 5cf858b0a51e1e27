"""Bounds of means against every way to judge, topics that are undefined today among them."""

from dataclasses import replace
from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from calls import read_judged
from table import EXAMPLES

import rankwise
from rankwise.comparison.verdicts import difference_bounds
from rankwise.metrics import Metric, parse
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.confidence_intervals import confidence
from rankwise.scores.engine import score_judged
from rankwise.stats.intervals import t_interval

DOCUMENTS = [f"d{place}" for place in range(6)]
OF_TODAY = {"Judged", "Unjudged", "RBPResidual", "NumRet", "NumQ"}  # judgments do not change them
CHANGING = [example for example in EXAMPLES if type(parse(example)).__name__ not in OF_TODAY]


class Topic(NamedTuple):
    known: dict[str, int]
    runs: dict[str, list[str]]

    @property
    def unjudged(self) -> list[str]:
        retrieved = {name for run in self.runs.values() for name in run}
        return sorted(retrieved - self.known.keys())


def topic_at_random(random: Random, defined: bool, unjudged: int) -> Topic:
    free = random.sample(DOCUMENTS, unjudged)
    known = {name: random.choice([0, 0, 1, 2]) for name in DOCUMENTS if name not in free}
    known = known | {"never": 2} if defined else dict.fromkeys(known, 0)
    found = {name: random.sample(DOCUMENTS, random.randint(2, 6)) for name in "AB"}
    return Topic(known, found)


def collection_at_random(seed: int) -> list[Topic]:
    random = Random(seed)
    kinds = [[True, False, False], [False, False], [True, True, False], [True, False]][seed % 4]
    return [topic_at_random(random, kind, random.randint(1, 2)) for kind in kinds]


def possible(metric: Metric) -> tuple[int | None, ...]:
    table = metric.gains or getattr(metric, "beta", None) or getattr(metric, "shares", None)
    given = {int(grade) for grade, _ in table} if isinstance(table, tuple) else {1}
    return (None, *sorted({0, 1, 2, *given, metric.rel or 0}))


def judged_today(topics: list[Topic]) -> Any:
    qrels = {str(at): topic.known for at, topic in enumerate(topics)}
    qrels["seen"] = {"x": 2, "y": 1}  # so that these grades are known
    return qrels, {
        name: {str(at): scored(topic.runs[name]) for at, topic in enumerate(topics)}
        | {"seen": {"x": 1.0, "y": 0.5}}
        for name in "AB"
    }


def scored(names: list[str]) -> dict[str, float]:
    return {name: -float(place) for place, name in enumerate(names)}


@cache
def today(seed: int) -> JudgedRankings:
    return read_judged(*judged_today(collection_at_random(seed)), retrieved=True)


@cache
def every_way(seed: int, own: str, grades: tuple[int | None, ...]) -> list[JudgedRankings]:
    """For each topic of a collection all ways to judge it, which metrics share.

    With `own` only the documents of that run are judged anew.
    """
    found = []
    for topic in collection_at_random(seed):
        free = [name for name in topic.unjudged if not own or name in topic.runs[own]]
        ways = {}
        for at, way in enumerate(product(grades, repeat=len(free))):
            new = dict(zip(free, way, strict=True))
            ways[str(at)] = topic.known | {
                n: grade for n, grade in new.items() if grade is not None
            }
        runs = {name: dict.fromkeys(ways, scored(run)) for name, run in topic.runs.items()}
        runs = {name: run | {"seen": {"x": 1.0, "y": 0.5}} for name, run in runs.items()}
        found.append(read_judged(ways | {"seen": {"x": 2, "y": 1}}, runs))
    return found


def all_scores(metric: Metric, seed: int, own: str = "") -> list[np.ndarray]:
    """For each topic the scores of A and B (2 × ways) over all ways to judge."""
    found = []
    for judged in every_way(seed, own, possible(metric)):
        keep = np.array([name != "seen" for name in judged.topics])
        found.append(metric.scores(judged).reshape(2, -1)[:, keep])
    return found


def extremes(metric: Metric, by_topic: list[np.ndarray]) -> tuple[float, float] | None:
    """The least and greatest mean over all combinations of what each topic can have."""
    few = [np.unique(values.round(12)) for values in by_topic]  # NaN counts once
    means = []
    for way in product(*few):
        there = [value for value in way if not np.isnan(value)]
        means += [np.sum(there) if metric.aggregate == "sum" else np.mean(there)] if there else []
    return (min(means), max(means)) if means else None


SEEDS = range(4)


@pytest.mark.parametrize("unjudged", ["retrieved", "own"])
@pytest.mark.parametrize("example", CHANGING)
def test_bounds_of_a_mean_hold_every_way_to_judge(example: str, unjudged: str) -> None:
    metric, tried = parse(example), 0
    for seed in SEEDS:
        topics = collection_at_random(seed)
        scores = score_judged(today(seed), [metric], unjudged=unjudged)
        scores = scores.where_topics(np.array([name != "seen" for name in scores.topics]))
        rows = scores.mean().rows(named=True)
        for at, name in enumerate("AB"):
            every = all_scores(metric, seed, name if unjudged == "own" else "")
            found = extremes(metric, [values[at] for values in every])
            if found is None:
                assert rows[at]["low"] is None
                continue
            low, high = rows[at]["low"], rows[at]["high"]
            assert low <= found[0] + 1e-9 and high >= found[1] - 1e-9, f"{metric} on {topics}"
            if not scores.outer:
                assert (low, high) == pytest.approx(found, abs=1e-9), f"{metric} on {topics}"
            tried += 1
    assert tried >= 4


@pytest.mark.parametrize("example", CHANGING)
def test_ends_of_a_mean_difference_hold_every_way_to_judge(example: str) -> None:
    metric, tried = parse(example), 0
    for seed in SEEDS:
        topics, judged = collection_at_random(seed), today(seed)
        found = difference_bounds(judged, metric, np.array([0]), np.array([1]))
        keep = np.array([name != "seen" for name in judged.topics])
        ends = replace(found, by_topic=found.by_topic.of_topics(keep)).mean
        every = extremes(metric, [values[0] - values[1] for values in all_scores(metric, seed)])
        if every is None:  # no judgments give any topic a score
            assert np.isnan(ends.low[0])
            continue
        assert ends.low[0] <= every[0] + 1e-9, f"{metric} on {topics}: {ends} {every}"
        assert ends.high[0] >= every[1] - 1e-9, f"{metric} on {topics}: {ends} {every}"
        if (ends.gap == 0).all():
            assert (ends.low[0], ends.high[0]) == pytest.approx(every, abs=1e-9)
        tried += 1
    assert tried >= 2


def test_there_are_settings_to_try() -> None:
    assert len(CHANGING) >= 190


def test_undefined_topics_can_overturn_a_verdict() -> None:
    """A verdict that leaves topics 2 to 4 out calls A better; with every x relevant B is."""
    qrels = {"1": {"r": 1, "n": 0}, **{topic: {"m": 0} for topic in "234"}}
    runs = {  # A − B
        "B": {"1": {"n": 2, "r": 1}, **{topic: {"x": 2, "m": 1} for topic in "234"}},
        "A": {"1": {"r": 2, "n": 1}, **{topic: {"m": 2, "x": 1} for topic in "234"}},
    }
    row = rankwise.compare(qrels, runs, "AP").frame.row(0, named=True)
    assert row["difference"] == 0.5
    assert (row["low"], row["high"]) == pytest.approx((-0.25, 0.5))
    assert row["verdict"] == "undecided"
    zero = rankwise.compare(rankwise.read(qrels, runs, undefined="zero"), metrics="AP").frame.row(
        0, named=True
    )
    assert (zero["topics"], zero["difference"]) == (4, 0.125)
    assert (zero["low"], zero["high"]) == pytest.approx((-0.25, 0.125))


def test_intervals_over_topics_and_judgments_hold_undefined_topics() -> None:
    metric, tried = parse("AP"), 0
    for seed in range(40, 48):
        topics = [*collection_at_random(2), *collection_at_random(seed)]
        qrels, runs = judged_today(topics)
        scores = rankwise.score(qrels, runs, metric, bounds=True)
        scores = scores.where_topics(np.array([name != "seen" for name in scores.topics]))
        rows = confidence(scores, 0.9).frame.rows(named=True)
        random, every = Random(seed), [*all_scores(metric, 2), *all_scores(metric, seed)]
        for at in range(2):
            few = [np.unique(values[at].round(12)) for values in every]
            for _ in range(200):
                values = np.array([[random.choice(list(values)) for values in few]])
                low, high = t_interval(values, 0.9)
                if np.isnan(low[0]):
                    continue
                assert rows[at]["both_low"] <= max(low[0], 0) + 1e-9
                assert rows[at]["both_high"] >= min(high[0], 1) - 1e-9
                tried += 1
    assert tried > 500
