"""Bounds and verdicts under each assumption, against every way to judge that it allows."""

from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from calls import call, read_judged
from table import EXAMPLES

import rankwise
from rankwise.comparison.verdicts import difference_bounds
from rankwise.errors import CallError
from rankwise.metrics import Metric, parse
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.engine import score_judged

DOCUMENTS = [f"d{place}" for place in range(6)]
SEEN = {"x": 2, "y": 1, "z": 3}  # so that these grades are known
CHANGING = [
    example
    for example in EXAMPLES
    if not parse(example).is_diagnostic and not parse(example).tells_unusable
]
BETWEEN_RUNS = ["retrieved", "top=2", "top=1,extra=1", "extra=2"]
ASSUMPTIONS = [*BETWEEN_RUNS, "own", "own,extra=1"]


class Case(NamedTuple):
    known: dict[str, int]
    runs: dict[str, list[str]]

    def open_to(self, unjudged: str, run: str | None = None) -> list[str]:
        """The documents that can turn out relevant, of this run."""
        parts = dict(part.partition("=")[::2] for part in unjudged.split(","))
        top = int(parts["top"]) if "top" in parts else None
        runs = {run: self.runs[run]} if run is not None and "own" in parts else self.runs
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
def today(seed: int) -> JudgedRankings:
    found: JudgedRankings = with_seen({"1": case(seed).known}, case(seed).runs, retrieved=True)
    return found


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
        found = score_judged(today(seed), [metric], unjudged=unjudged)
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


@pytest.mark.parametrize("unjudged", BETWEEN_RUNS)
@pytest.mark.parametrize(
    "example",
    ["AP", "nDCG@3", "nDCG", "Recall@3", "Rprec", "RBP(p=0.5)", "RR", "Bpref", "Q", "SetF"],
)
def test_verdicts_are_those_of_all_judgments_that_are_allowed(example: str, unjudged: str) -> None:
    metric, tried = parse(example), 0
    for seed in range(6):
        found = difference_bounds(today(seed), metric, np.array([0]), np.array([1]), unjudged)
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
    """A run of four documents, now and with some of sixty judged that another has, or none."""
    runs = {"A": ["a", "b", "c", "d"]} | ({} if "extra" in unjudged else {"B": ["b", *MANY]})
    known = {"a": 1, "c": 0, "d": 2}
    ways = {
        f"{number} {grade} {b} {rest}": known
        | dict.fromkeys(MANY[:number], grade)
        | dict.fromkeys(MANY[number:rest], 0)
        | {"b": b}
        for number, grade, b, rest in product((0, 1, 5, 20, 60), (1, 2, 3), (0, 1, 3), (0, 25, 60))
    }
    return with_seen({"1": known}, runs, retrieved=True), with_seen(ways, runs)


@pytest.mark.parametrize("unjudged", ["retrieved", "top=61", "extra=60"])
@pytest.mark.parametrize("example", CHANGING)
def test_bounds_hold_with_many_relevant_documents_elsewhere(example: str, unjudged: str) -> None:
    metric, (now, later) = parse(example), many_elsewhere(unjudged)
    found = score_judged(now, [metric], unjudged=unjudged)
    assert found.low is not None and found.high is not None
    every = metric.at_levels_of(later).scores(later).reshape(len(now.runs), -1)
    every = every[:, [topic != "seen" for topic in later.topics]]
    at = found.topics.index("1")
    for low, high, scores in zip(found.low[0, :, at], found.high[0, :, at], every, strict=True):
        assert low <= np.nanmin(scores) + 1e-9 and high >= np.nanmax(scores) - 1e-9


PREFERENCES = ["Bpref", "Bpref(k=1)", "Bpref(k=10)", "bpref-10", "RankEff", "AgreedPairs"]


@pytest.mark.parametrize("example", PREFERENCES)
def test_bounds_of_few_judgments_hold_for_every_way_to_judge_the_rest(example: str) -> None:
    """One relevant document or none above, among or below non-relevant ones, two elsewhere."""
    metric, runs = parse(example), {"A": list("abcd"), "B": ["e", "f"]}
    for labels, judged_elsewhere in product(product((0, 1, None), repeat=4), (0, 3)):
        labelled = list(zip("abcd", labels, strict=True))
        free = [*(name for name, grade in labelled if grade is None), "e", "f"]
        known = {name: grade for name, grade in labelled if grade is not None}
        known |= {f"never{place}": 0 for place in range(judged_elsewhere)}
        if not known or len(free) > 4:
            continue
        ways = {
            str(way): known | {n: g for n, g in zip(free, way, strict=True) if g is not None}
            for way in product((None, 0, 1), repeat=len(free))
        }
        found = score_judged(
            with_seen({"1": known}, runs, retrieved=True), [metric], unjudged="retrieved"
        )
        later = with_seen(ways, runs)
        scores = (
            metric.at_levels_of(later)
            .scores(later)
            .reshape(2, -1)[0, [t != "seen" for t in later.topics]]
        )
        if np.isnan(scores).all():
            continue
        assert found.low is not None and found.high is not None
        low, high = found.low[0, 0], found.high[0, 0]
        at = found.topics.index("1")
        assert low[at] <= np.nanmin(scores) + 1e-9, labels
        assert high[at] >= np.nanmax(scores) - 1e-9, labels


def test_there_are_metrics_to_try() -> None:
    assert len(CHANGING) >= 180


def test_what_bounds_assume_is_said_in_words() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}}
    notes = rankwise.score(qrels, run, "AP", bounds=True, unjudged="top=1,extra=2").notes
    only = "an unjudged document can be relevant only if at least one of the given runs has it in "
    only += "its top 1, apart from at most 2 other documents per topic"
    assert f"bounds assume that {only}" in map(str, notes)


def test_bounds_that_leave_other_runs_out_say_so_of_the_metrics_that_count_what_is_missed() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}}
    metrics = ["AP", "nDCG", "Rprec", "nDCG@10", "RBP(p=0.8)", "RR", "P@5"]

    def noted(runs: Any, unjudged: str, kind: str) -> list[str]:
        notes = rankwise.score(qrels, runs, metrics, bounds=True, unjudged=unjudged).notes
        about = [note for note in notes if note.kind == kind]
        assert all("these bounds may be too narrow" in str(note) for note in about)
        return [note.metric for note in about]

    two = {"x": run, "y": {"1": {"c": 1.0}}}
    for runs in (run, two):
        assert noted(runs, "own", "bounds-own") == ["AP, nDCG, Rprec, nDCG@10"]
        for other in ("retrieved", "top=10", "open", "extra=2"):
            assert noted(runs, other, "bounds-own") == []
    assert noted(run, "retrieved", "bounds-of-one-run") == ["AP, nDCG, Rprec, nDCG@10"]
    assert noted(two, "retrieved", "bounds-of-one-run") == []
    assert noted(run, "open", "bounds-of-one-run") == []


@pytest.mark.slow
def test_what_only_other_runs_have_matters_to_metrics_that_say_so_and_to_no_others() -> None:
    """Else `retrieved` would leave it out of their bounds."""
    changed: dict[str, bool] = {}
    for example in EXAMPLES:
        metric = parse(example)
        for seed in range(12):
            ranked = case(seed).runs["A"][:3]
            known = {name: g for name, g in case(seed).known.items() if name in ranked}
            ways = {
                str(at): known | {f"e{place}": g for place, g in enumerate(way) if g is not None}
                for at, way in enumerate(product((None, 0, 1, 3), repeat=2))
            }
            judged = with_seen({at: way for at, way in ways.items() if way}, {"A": ranked})
            found = metric.at_levels_of(judged).scores(judged)
            found = found[[topic != "seen" for topic in judged.topics]]
            one = np.isclose(found, found[0], rtol=0, atol=1e-12, equal_nan=True).all()
            changed[example] = changed.get(example, False) or not one
    wrong = [name for name, changes in changed.items() if changes and not parse(name).counts_missed]
    assert wrong == []
    idle = [name for name, changes in changed.items() if not changes and parse(name).counts_missed]
    assert idle == ["ScaledRBP(p=0.5,gains={1:0.5,2:3})", "ScaledRBP(gains={1:1,3:9})"]
    assert sum(changed.values()) > 90 and len(changed) - sum(changed.values()) > 90


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("top", "'top' has no number. Use retrieved, own, open, top=K or extra"),
        ("own,top=5", "but top=K about all runs"),
        ("own,open", "one of retrieved, own, open"),
        ("retrieved,own", "one of retrieved, own, open"),
        ("top=5,top=6", "top and extra only once"),
        ("extra=1000001", "extra is at most 1,000,000"),
        ("", "'' is not a known assumption"),
        ("top=-1", r"K in top=K must be a whole number, 1 or more"),
        ("top=0", "must be 1 or more"),
        ("open,extra=3", "already allows any document to be relevant"),
        ("extra=-1", r"N in extra=N must be a whole number, 0 or more"),
        ("retreived", "retrieved"),
        ("top100", r"Did you mean top=100\?$"),
        ("top 10,extra=2", r"Did you mean top=10\?$"),
    ],
)
def test_an_assumption_that_cannot_be_read_is_refused(given: str, said: str) -> None:
    with pytest.raises(CallError, match=said):
        rankwise.score({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP", bounds=True, unjudged=given)


def test_top_is_refused_where_negative_grades_mean_something() -> None:
    with pytest.raises(CallError, match="infAP"):
        rankwise.score({"1": {"a": 1}}, {"1": {"a": 1.0}}, "infAP", bounds=True, unjudged="top=1")


def test_a_deeper_pool_stays_within_the_bounds_of_top() -> None:
    """And of `retrieved`; within those of `own` only where other runs' documents do not matter."""
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
    for unjudged in ("top=30", "retrieved", "own"):
        found = rankwise.score(made.qrels, made.runs, metrics, bounds=True, unjudged=unjudged)
        assert found.low is not None and found.high is not None
        held[unjudged] = (true >= found.low - 1e-9) & (true <= found.high + 1e-9)
    assert held["top=30"].all()
    assert held["retrieved"].all()
    assert held["own"][:4].all()
    assert held["own"][4:].mean() < 0.5


def test_what_is_of_each_run_alone_is_refused_between_runs() -> None:
    runs = {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}
    with pytest.raises(CallError, match=r"a single run, .*\. Use retrieved"):
        rankwise.compare({"1": {"a": 1}}, runs, "AP", unjudged="own")


@pytest.mark.parametrize("depth", [None, 8])
@pytest.mark.parametrize("metrics", [["AP", "nDCG@3", "P@3"], ["AP", "P(ties=share)@3"]])
def test_all_that_runs_retrieved_is_a_pool_as_deep_as_they_are(
    metrics: list[str], depth: int | None
) -> None:
    """Of native text, of dicts, of frames, of streams, with and without a depth, to the bit."""
    made = rankwise.simulate(topics=8, systems=5, depth=20, pool_depth=3, seed=2)
    dicts = {
        run.name: {
            topic: dict(part.select("document", "score").rows())
            for (topic,), part in run.frame.partition_by("topic", as_dict=True).items()
        }
        for run in made.runs
    }
    ways: Any = {"bounds": True, "depth": depth}
    pooled = call(rankwise.score, made.qrels, made.runs, metrics, unjudged="top=99", **ways)
    own = call(rankwise.score, made.qrels, made.runs, metrics, unjudged="own", **ways)
    rows = [run.frame.with_columns(run=pl.lit(run.name)) for run in made.runs]
    alone = {run.name: iter([run.frame]) for run in made.runs}
    for runs in (made.runs, dicts, iter(rows), iter([pl.concat(rows).sort("topic")]), alone):
        found = call(rankwise.score, made.qrels, runs, metrics, **ways)
        for name in ("value", "low", "high"):
            np.testing.assert_array_equal(getattr(found, name), getattr(pooled, name))
    assert pooled.low is not None and own.low is not None
    assert (pooled.low[0] < own.low[0]).mean() > 0.5
    np.testing.assert_array_equal(pooled.low[-1], own.low[-1])
