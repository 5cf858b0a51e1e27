"""Bounds and verdicts under `top=K` and `extra=N`, against every way to judge that these allow."""

from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from table import EXAMPLES

import rankwise
from rankwise.comparison.verdicts import difference_bounds
from rankwise.errors import CallError
from rankwise.metrics import Metric, parse
from rankwise.rankings.join import read_judged
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.table import score_judged

DOCUMENTS = [f"d{place}" for place in range(6)]
SEEN = {"x": 2, "y": 1, "z": 3}  # so that these grades are known
CHANGING = [
    example
    for example in EXAMPLES
    if not parse(example).is_diagnostic and not parse(example).tells_unusable
]
ASSUMPTIONS = ["top=2", "top=1,extra=1", "extra=2"]


class Case(NamedTuple):
    known: dict[str, int]
    runs: dict[str, list[str]]

    def open_to(self, unjudged: str, run: str | None = None) -> list[str]:
        """The documents that can turn out relevant; of one run, those it or the pool has."""
        parts = dict(part.split("=") for part in unjudged.split(","))
        top = int(parts["top"]) if "top" in parts else None
        runs = self.runs if top or run is None else {run: self.runs[run]}
        found = {name for ranked in runs.values() for name in ranked[:top]} - self.known.keys()
        return sorted(found) + [f"extra{place}" for place in range(int(parts.get("extra", 0)))]


@cache
def case(seed: int) -> Case:
    random = Random(seed)
    free = random.sample(DOCUMENTS, 2)
    known = {name: random.choice([0, 0, 1, 2]) for name in DOCUMENTS if name not in free}
    known |= {"never": 1} if seed % 3 else dict.fromkeys(known, 0)
    return Case(known, {name: random.sample(DOCUMENTS, random.randint(2, 6)) for name in "ABC"})


def with_seen(qrels: dict[str, dict[str, int]], runs: dict[str, list[str]], **how: Any) -> Any:
    scored = {
        name: {topic: {d: -float(at) for at, d in enumerate(ranked)} for topic in qrels}
        for name, ranked in runs.items()
    }
    return read_judged(
        qrels | {"seen": SEEN}, {n: run | {"seen": {"x": 1.0}} for n, run in scored.items()}, **how
    )


@cache
def every_way(seed: int, unjudged: str, run: str | None) -> JudgedRankings:
    now = case(seed)
    free, ways = now.open_to(unjudged, run), {}
    for at, way in enumerate(product((None, 0, 1, 2, 3), repeat=len(free))):
        new = dict(zip(free, way, strict=True))
        ways[str(at)] = now.known | {name: g for name, g in new.items() if g is not None}
    found: JudgedRankings = with_seen(ways, now.runs)
    return found


def scores(metric: Metric, seed: int, unjudged: str, run: str | None = None) -> Any:
    judged = every_way(seed, unjudged, run)
    keep = np.array([topic != "seen" for topic in judged.topics])
    return metric.at_levels_of(judged).scores(judged).reshape(3, -1)[:, keep]


@pytest.mark.parametrize("unjudged", ASSUMPTIONS)
@pytest.mark.parametrize("example", CHANGING)
def test_no_judgment_that_is_allowed_leads_outside(example: str, unjudged: str) -> None:
    metric, tried = parse(example), 0
    for seed in range(4):
        now = case(seed)
        runs = {n: {"1": {d: -at for at, d in enumerate(r)}} for n, r in now.runs.items()}
        runs = {name: run | {"seen": {"x": 1}} for name, run in runs.items()}
        qrels = {"1": now.known, "seen": SEEN}
        found = rankwise.score(qrels, runs, metric, bounds=True, unjudged=unjudged)
        at = found.topics.index("1")
        assert found.low is not None and found.high is not None
        for place, name in enumerate("ABC"):
            every = scores(metric, seed, unjudged, name)[place]
            low, high = found.low[0, place, at], found.high[0, place, at]
            if np.isnan(every).all():
                continue
            assert low <= np.nanmin(every) + 1e-9 and high >= np.nanmax(every) - 1e-9
            if not found.outer:
                assert (low, high) == pytest.approx((np.nanmin(every), np.nanmax(every)), abs=1e-9)
            tried += 1
    assert tried >= 6


@pytest.mark.parametrize("unjudged", ASSUMPTIONS)
@pytest.mark.parametrize(
    "example",
    ["AP", "nDCG@3", "nDCG", "Recall@3", "Rprec", "RBP(p=0.5)", "RR", "Bpref", "Q", "SetF"],
)
def test_verdicts_are_those_of_all_judgments_that_are_allowed(example: str, unjudged: str) -> None:
    metric, tried = parse(example), 0
    for seed in range(6):
        judged = with_seen({"1": case(seed).known}, case(seed).runs, retrieved=True)
        found = difference_bounds(judged, metric, np.array([0]), np.array([1]), unjudged)
        ends, at = found.by_topic, found.topics.index("1")
        every = scores(metric, seed, unjudged)
        ways = every[0] - every[1]
        if np.isnan(ways).all():
            continue
        extremes = (np.nanmin(ways), np.nanmax(ways))
        assert (ends.low[0, at], ends.high[0, at]) == pytest.approx(extremes, abs=1e-9)
        assert found.unjudged == unjudged
        tried += 1
    assert tried >= 4


MANY = [f"e{place}" for place in range(60)]


@cache
def many_elsewhere(unjudged: str) -> tuple[JudgedRankings, JudgedRankings]:
    """A run of four documents, now and with some of sixty relevant that another has, or none."""
    runs = {"A": ["a", "b", "c", "d"]} | ({"B": ["b", *MANY]} if "top" in unjudged else {})
    known = {"a": 1, "c": 0, "d": 2}
    ways = {
        f"{number} {grade} {b}": known | dict.fromkeys(MANY[:number], grade) | {"b": b}
        for number, grade, b in product((0, 1, 5, 20, 60), (1, 2, 3), (0, 1, 3))
    }
    return with_seen({"1": known}, runs, retrieved=True), with_seen(ways, runs)


@pytest.mark.parametrize("unjudged", ["top=61", "extra=60"])
@pytest.mark.parametrize("example", CHANGING)
def test_bounds_hold_with_many_relevant_documents_elsewhere(example: str, unjudged: str) -> None:
    metric, (now, later) = parse(example), many_elsewhere(unjudged)
    found = score_judged(now, [metric], bounds=True, unjudged=unjudged)
    assert found.low is not None and found.high is not None
    every = metric.at_levels_of(later).scores(later).reshape(len(now.runs), -1)
    every = every[:, [topic != "seen" for topic in later.topics]]
    at = found.topics.index("1")
    for low, high, scores in zip(found.low[0, :, at], found.high[0, :, at], every, strict=True):
        assert low <= np.nanmin(scores) + 1e-9 and high >= np.nanmax(scores) - 1e-9


def test_there_are_metrics_to_try() -> None:
    assert len(CHANGING) >= 180


def test_what_bounds_assume_is_said_in_words() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}}
    notes = rankwise.score(qrels, run, "AP", bounds=True, unjudged="top=1,extra=2").notes
    only = "only documents that some run has in its first 1, and 2 per topic that no run retrieved,"
    assert f"low, high: bounds if {only} can turn out relevant" in notes


def test_bounds_that_leave_other_runs_out_say_so_of_the_metrics_that_count_what_is_missed() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}}
    metrics = ["AP", "nDCG", "Rprec", "nDCG@10", "RBP(p=0.8)", "RR", "P@5", "ESL"]
    notes = rankwise.score(qrels, run, metrics, bounds=True).notes
    assert [note.partition(": ")[0] for note in notes if "leave out" in note] == ["AP, nDCG, Rprec"]
    for other in ("top=10", "open", "extra=2"):
        notes = rankwise.score(qrels, run, metrics, bounds=True, unjudged=other).notes
        assert not any("leave out" in note for note in notes)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("top", "'top' is none of retrieved, open, top=K and extra=N"),
        ("top=0", "K of 1 or more"),
        ("open,extra=3", "any document can be relevant already"),
        ("extra=-1", "with whole numbers"),
        ("retreived", "retrieved"),
    ],
)
def test_an_assumption_that_cannot_be_read_is_refused(given: str, said: str) -> None:
    with pytest.raises(CallError, match=said):
        rankwise.score({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP", bounds=True, unjudged=given)


def test_top_is_refused_where_negative_grades_mean_something() -> None:
    with pytest.raises(CallError, match="infAP"):
        rankwise.score({"1": {"a": 1}}, {"1": {"a": 1.0}}, "infAP", bounds=True, unjudged="top=1")


def test_a_deeper_pool_stays_within_the_bounds_of_top() -> None:
    """And within those of `retrieved` only where other runs' documents do not matter."""
    metrics = ["P@10", "RBP(p=0.8)", "RR", "nDCG@10", "AP", "Recall@30"]
    made = rankwise.simulate(topics=12, systems=6, depth=30, pool_depth=5, seed=3)
    grades = {(t, d): g for t, d, g in made.truth.frame.select("topic", "document", "grade").rows()}
    deep: dict[str, dict[str, int]] = {}
    for run in made.runs:
        for topic, document in run.frame.select("topic", "document").rows():
            deep.setdefault(topic, {})[document] = grades.get((topic, document), 0)
    for topic, document in made.qrels.frame.select("topic", "document").rows():
        deep[topic][document] = grades.get((topic, document), 0)
    true = rankwise.score(deep, made.runs, metrics).value
    held = {}
    for unjudged in ("top=30", "retrieved"):
        found = rankwise.score(made.qrels, made.runs, metrics, bounds=True, unjudged=unjudged)
        assert found.low is not None and found.high is not None
        held[unjudged] = (true >= found.low - 1e-9) & (true <= found.high + 1e-9)
    assert held["top=30"].all()
    assert held["retrieved"][:4].all()
    assert held["retrieved"][4:].mean() < 0.5
