"""Verdicts worked out by hand, where there is no verdict, and on TREC-8."""

from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from calls import read_judged

import rankwise
from rankwise.comparison.verdicts import Differences, difference_bounds, weighted_sums
from rankwise.comparison.verdicts.differences import Pairs
from rankwise.comparison.verdicts.identical_rankings import first_alike
from rankwise.comparison.verdicts.search import FIRST_STEPS, greatest_differences
from rankwise.errors import CallError
from rankwise.metrics import ByCount, Metric, parse
from rankwise.rankings import JudgedRankings, Needs, as_collection
from rankwise.scores.engine import score_judged


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
    assert mean.verdict[0] == "undecided"
    assert mean.to_resolve[0] == 0.25 / 0.625
    assert mean.gap[0] == 0 and mean.reversible[0]
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
    undefined = differences(none, parse("AP")).mean
    assert np.isnan(undefined.value[0]) and undefined.verdict[0] == "undecided"
    bounds = (undefined.low[0], undefined.high[0], undefined.to_resolve[0], undefined.gap[0])
    assert bounds == (-1, 1, 0.5, 0)


def test_what_has_no_bound_is_undecided() -> None:
    runs = {"A": {"1": {"a": 2, "u": 1}}, "B": {"1": {"b": 1}}}
    judged = read_judged({"1": {"a": 1, "b": 0}}, runs, retrieved=True)
    infinite = differences(judged, parse("DCG"), "open").mean
    assert np.isinf(infinite.low[0]) and np.isnan(infinite.to_resolve[0])
    metric, pair = parse("Recall(judged_only=True)@4"), (np.array([0]), np.array([1]))
    widest = difference_bounds(judged, metric, *pair, effort=0).mean
    assert (widest.low[0], widest.gap[0], widest.verdict[0]) == (-1, 2, "undecided")
    searched = difference_bounds(judged, metric, *pair).mean
    assert (searched.low[0], searched.gap[0], searched.verdict[0]) == (1, 0, "A")


@pytest.mark.parametrize("topics", [1, 40])
def test_a_pair_of_many_topics_is_not_searched(
    monkeypatch: pytest.MonkeyPatch, topics: int
) -> None:
    """Where the effort does not reach them all, by far: that pair stays as it was."""
    names = [str(topic) for topic in range(topics)]
    a, b = {"a": 5.0, "u": 4.0, "v": 3.0, "b": 2.0}, {"u": 5.0, "w": 4.0, "a": 3.0}
    runs = {"A": dict.fromkeys(names, a), "B": dict.fromkeys(names, b)}
    qrels = {name: {"a": 1, "b": 1, "c": 0} for name in names}
    judged, metric = read_judged(qrels, runs, retrieved=True), parse("AP")
    spent: list[int] = []

    def counted(*given: Any) -> Any:
        found = greatest_differences(*given)
        spent.append(found.cost)
        return found

    monkeypatch.setattr("rankwise.comparison.verdicts.search.greatest_differences", counted)
    pair = (np.array([0]), np.array([1]))
    widest = difference_bounds(judged, metric, *pair, effort=0).mean
    for effort in (10, 1_000, 1_000_000):
        spent.clear()
        found = difference_bounds(judged, metric, *pair, effort=effort).mean
        assert sum(spent) <= FIRST_STEPS * effort
        assert spent or effort < 1_000_000
        if not spent:
            assert (found.low, found.high) == (widest.low, widest.high)
            assert found.gap <= widest.gap  # one set of judgments is tried without a search
    assert found.gap[0] == 0 < widest.gap[0]


def test_verdicts_need_the_unjudged_documents() -> None:
    judged = read_judged({"1": {"a": 1}}, {"1": {"a": 1}})
    with pytest.raises(CallError, match="documents=True"):
        differences(judged, parse("P@10"))


Runs = dict[str, dict[str, dict[str, float]]]


def runs_at_random(random: Random, runs: int, topics: int) -> Runs:
    """Short rankings of few documents, some tied or missing: many are alike, in part or whole."""

    def ranking() -> dict[str, float]:
        documents = random.sample("abcd", random.randint(1, 3))
        return {name: float(random.randint(1, 2)) for name in documents}

    def run() -> dict[str, dict[str, float]]:
        named = {f"{topic:02}": ranking() for topic in range(topics)}
        return {topic: found for topic, found in named.items() if random.random() < 0.9}

    return {f"run{place}": run() for place in range(runs)}


def contents(run: dict[str, float], known: dict[str, int], cutoff: int | None) -> list[Any]:
    """What a metric sees of a ranking: grades, unjudged documents, and ties."""
    order = sorted(run, key=lambda name: (run[name], name), reverse=True)
    spans = {
        score: (min(at), max(at))
        for score in run.values()
        if (at := [place for place, name in enumerate(order) if run[name] == score])
    }
    return [(known.get(name, name), spans[run[name]]) for name in order][:cutoff]


@pytest.mark.parametrize("cutoff", [None, 1, 2, 9])
def test_rankings_alike_are_those_that_hold_the_same(cutoff: int | None) -> None:
    random, topics = Random(7), 30
    runs = runs_at_random(random, 10, topics)
    names = [f"{topic:02}" for topic in range(topics)]
    qrels = {topic: {"a": random.choice([0, 1, -1]), "b": 1} for topic in names}
    judged = read_judged(qrels, runs, retrieved=True)
    assert judged.retrieved is not None
    found = first_alike(judged, judged.retrieved, cutoff).reshape(len(runs), topics)
    alike = 0
    for (one, first), (other, second) in product(enumerate(runs.values()), repeat=2):
        for place, topic in enumerate(names):
            sides = [contents(run.get(topic, {}), qrels[topic], cutoff) for run in (first, second)]
            assert (found[one, place] == found[other, place]) == (sides[0] == sides[1])
            alike += one < other and sides[0] == sides[1] != []
    assert 20 < alike < 1000


@pytest.mark.parametrize(("block", "cells"), [(1 << 15, 1 << 17), (1, 1), (20, 40)])
def test_shared_weights_are_those_of_a_plain_loop(
    block: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many topics are taken at a time; documents at the third rank weigh nothing."""
    monkeypatch.setattr(weighted_sums, "BLOCK", block)
    monkeypatch.setattr(weighted_sums, "CELLS", cells)
    runs, topics = runs_at_random(Random(5), 5, 20), [f"{topic:02}" for topic in range(20)]
    judged = read_judged({topic: {"a": 1} for topic in topics}, runs, retrieved=True)
    assert judged.retrieved is not None
    rows = judged.retrieved.unjudged
    weight = np.where(rows.rank < 3, 1 / (rows.rank + rows.run), 0.0)
    of = {
        (int(run), int(topic), int(code)): float(value)
        for run, topic, code, value in zip(rows.run, rows.topic, rows.code, weight, strict=True)
    }
    first, second = np.array([0, 1, 4, 3, 2]), np.array([1, 0, 2, 4, 2])
    found = weighted_sums.shared_weight(Pairs(judged, first, second), rows, weight)
    expected = np.zeros((len(first), len(topics)))
    for (run, topic, document), value in of.items():
        for pair in np.flatnonzero(first == run):
            expected[pair, topic] += min(value, of.get((int(second[pair]), topic, document), 0.0))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert (found > 0).sum() > 40


@pytest.fixture(scope="module")
def judged_trec8(trec8: Path) -> JudgedRankings:
    runs = sorted((trec8 / "runs").iterdir())
    return read_judged(trec8 / "trec8.qrels.gz", runs, depth=100, retrieved=True)


@pytest.mark.parametrize("unjudged", ["retrieved", "open"])
@pytest.mark.parametrize("name", ["RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "nDCG@10"])
def test_on_trec8_shared_judgments_decide_more(
    judged_trec8: JudgedRankings, name: str, unjudged: Any
) -> None:
    """And all that the bounds of both scores decide, which they never exceed."""
    metric, runs = parse(name), len(judged_trec8.runs)
    first, second = np.triu_indices(runs, 1)
    found = difference_bounds(judged_trec8, metric, first, second, unjudged).mean
    scores = score_judged(judged_trec8, [metric], unjudged=unjudged)
    assert scores.low is not None and scores.high is not None
    low, high = (np.nanmean(end[0], axis=1) for end in (scores.low, scores.high))
    least, greatest = low[first] - high[second], high[first] - low[second]
    assert (found.low >= least - 1e-9).all() and (found.high <= greatest + 1e-9).all()
    for word, sure in (("A", least > 1e-9), ("B", greatest < -1e-9)):
        assert sure.sum() > 1000 and (found.verdict[sure] == word).all()
    more = np.isin(found.verdict, ["A", "B"]).sum() - ((least > 0) | (greatest < 0)).sum()
    assert more > 0 or name == "RBP(p=0.95)" or unjudged == "open"


BY_FORMULA = ["nDCG", "nDCG@2", "Recall", "Rprec", "SetF", "SetAP", "RR", "O"]


def three_runs() -> JudgedRankings:
    topics = [f"{topic:02}" for topic in range(12)]
    runs = runs_at_random(Random(11), 3, 12)
    return read_judged({topic: {"a": 1, "x": 1} for topic in topics}, runs, retrieved=True)


@pytest.mark.parametrize("name", BY_FORMULA)
def test_no_effort_switches_a_formula_off(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And bounds that a formula replaces are not computed."""

    def refused(*_: Any) -> None:
        raise AssertionError("bounds of any metric, where the metric has a formula")

    monkeypatch.setattr("rankwise.comparison.verdicts.forms.bounds_of_any_metric", refused)
    first, second = np.triu_indices(3, 1)
    none, much = (
        difference_bounds(three_runs(), parse(name), first, second, effort=effort).mean
        for effort in (0, 1_000_000)
    )
    assert (none.gap == 0).all() and (none.high > none.low).any()
    assert (none.low == much.low).all() and (none.high == much.high).all()


@pytest.mark.parametrize("name", [name for name in BY_FORMULA if name != "Recall"])
def test_pairs_beyond_the_limit_of_formulas_keep_valid_bounds(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = np.triu_indices(3, 1)
    exact = difference_bounds(three_runs(), parse(name), first, second).mean
    for limit in ("MOST_STEPS", "STEPS_FOR_SOME"):
        monkeypatch.setattr(f"rankwise.comparison.verdicts.forms.{limit}", 0)
    valid = difference_bounds(three_runs(), parse(name), first, second).mean
    assert (valid.low <= exact.low + 1e-9).all() and (valid.high >= exact.high - 1e-9).all()
    assert (valid.gap > 0).any()


@pytest.mark.parametrize("name", ["Recall", "Recall@3", "Recall(rel=2)@4", "RelP@2", "RelP@5"])
@pytest.mark.parametrize("unjudged", ["retrieved", "extra=2"])
def test_corners_suffice_where_every_number_of_relevant_documents_can_be_tried(
    name: str, unjudged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the corners no limit applies: all pairs are exact."""
    made = rankwise.simulate(topics=20, systems=5, depth=12, pool_depth=1, seed=3)
    judged = as_collection(made.qrels, made.runs).judged(Needs(documents=True))
    first, second = np.triu_indices(5, 1)
    metric = parse(name)
    form = metric.exact_form(judged)
    assert isinstance(form, ByCount)
    every = form._replace(corners=None)
    with monkeypatch.context() as patched:
        for limit in ("MOST_STEPS", "STEPS_FOR_SOME"):
            patched.setattr(f"rankwise.comparison.verdicts.forms.{limit}", 0)
        at_corners = difference_bounds(judged, metric, first, second, unjudged).by_topic
    monkeypatch.setattr(type(metric), "exact_form", lambda *_: every)
    all_numbers = difference_bounds(judged, metric, first, second, unjudged).by_topic
    for ends in ("low", "high", "reached_low", "reached_high"):
        found, expected = getattr(at_corners, ends), getattr(all_numbers, ends)
        assert np.allclose(found, expected, rtol=0, atol=1e-15, equal_nan=True)
    assert (at_corners.high > at_corners.low).sum() > 50


def test_a_pair_is_reversible_only_with_an_example() -> None:
    """By AP a search finds examples that the bounds alone do not have."""
    judged, first, second = three_runs(), *np.triu_indices(3, 1)
    unknown = difference_bounds(judged, parse("AP"), first, second, effort=0).mean
    searched = difference_bounds(judged, parse("AP"), first, second).mean
    assert ((unknown.verdict == "undecided") & ~unknown.reversible & searched.reversible).any()
    assert (searched.low[searched.reversible] < 0).all()
    assert (searched.high[searched.reversible] > 0).all()


@pytest.mark.parametrize("name", ["AP", "Bpref", "AP(judged_only=True)"])
def test_one_set_of_judgments_shows_what_can_be_reversed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a search: no attained difference lies outside the exact bounds."""
    first, second = np.triu_indices(3, 1)
    exact = difference_bounds(three_runs(), parse(name), first, second).mean
    monkeypatch.setattr("rankwise.comparison.verdicts.search.FIRST_STEPS", 0)
    tried = difference_bounds(three_runs(), parse(name), first, second).mean
    unknown = difference_bounds(three_runs(), parse(name), first, second, effort=0).mean
    assert (tried.low == unknown.low).all() and (tried.high == unknown.high).all()
    assert (tried.reached_low >= exact.low - 1e-9).all()
    assert (tried.reached_high <= exact.high + 1e-9).all()
    assert (~unknown.reversible & tried.reversible).any()
    assert (exact.reversible | ~tried.reversible).all()


@pytest.mark.parametrize("names_at_once", [1, 60, 1 << 25])
@pytest.mark.parametrize("metrics", ["nDCG@3,Recall@5", "nDCG@3,AP"])
def test_blocks_of_pairs_and_names_coded_on_the_way_change_no_verdict(
    names_at_once: int, metrics: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With cutoffs only, documents below the deepest one are counted and not kept."""
    made = rankwise.simulate(topics=6, systems=5, depth=12, pool_depth=2, seed=4)
    files = []
    for run in made.runs:
        files.append(tmp_path / f"{run.name}.run")
        rows = run.frame.select("topic", "document", "score").rows()
        lines = [f"{topic} Q0 {document} 1 {score} {run.name}\n" for topic, document, score in rows]
        files[-1].write_text("".join(lines), encoding="utf-8")
    expected = rankwise.compare(made.qrels, files, metrics.split(","), effort=0).frame
    monkeypatch.setattr("rankwise.rankings.join.NAMES_AT_ONCE", names_at_once)
    monkeypatch.setattr("rankwise.comparison.comparing.BOUNDED_AT_ONCE", 13)
    monkeypatch.setattr("rankwise.comparison.pairs.pieces_of.__defaults__", (20,))
    found = rankwise.compare(made.qrels, files, metrics.split(","), effort=0).frame
    for name in expected.columns:
        assert found[name].to_list() == pytest.approx(expected[name].to_list(), abs=1e-12), name
    assert (expected["high"] > expected["low"]).sum() > 5
