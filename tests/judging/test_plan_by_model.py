"""Which documents to judge next by any metric, under the probable model."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from calls import read_judged

import rankwise
from rankwise import Qrels, Run, parse, read_qrels, score, simulate
from rankwise.judging import plan_judgments, pool
from rankwise.judging.plan_by_model import Doubt, Stakes, _about_rise, _about_slight
from rankwise.probable import Prediction, predict
from rankwise.probable.effects import effects_of

TOP = 30


def judged_to(made: Any, depth: int) -> Qrels:
    known = made.truth.frame.select("topic", "document", "grade")
    found = pool(made.runs, depth).select("topic", "document")
    found = found.join(known, on=["topic", "document"], how="left")
    return read_qrels(found.with_columns(pl.col("grade").fill_null(0)))


@cache
def collection() -> tuple[Qrels, list[Run]]:
    made = simulate(topics=8, systems=5, depth=TOP, pool_depth=6, seed=3)
    return judged_to(made, 6), made.runs


def estimated(metric: str) -> Prediction:
    qrels, runs = collection()
    return predict(qrels, runs, metric, top=TOP, resamples=20)


@pytest.mark.parametrize("metric", ["AP", "nDCG@10", "RBP(p=0.8)", "Q", "Bpref", "Recall@20", "RR"])
def test_an_effect_is_that_of_judging_the_document_relevant(metric: str) -> None:
    """One draw, and every ranking scored anew with one document of each topic relevant."""
    found = estimated(metric)
    documents, ahead = found.documents, found.draws
    places = documents.rejudged
    effects = effects_of(documents, parse(metric), ahead.codes, ahead.samples[:1])
    grade = documents.grade.copy()
    grade[ahead.codes] = ahead.samples[0]
    known = documents.is_judged | np.isin(np.arange(len(grade)), ahead.codes)
    scorer = documents.scorer((parse(metric),), known, known)
    before = np.nan_to_num(scorer(grade)[0])
    tried = 0
    for place in range(0, len(ahead.codes), 17):
        code = ahead.codes[place]
        topic = documents.topic[code]
        if grade[code] > 0:
            continue
        here = np.sort(grade[known & (documents.topic == topic) & (grade > 0)])[::-1]
        changed = grade.copy()
        changed[code] = here[int(0.5 * len(here))] if len(here) else 1
        after = np.nan_to_num(scorer(changed)[0])
        rows = np.flatnonzero(places.code == code)
        expected = effects.missed.reshape(before.shape)[:, topic].copy()
        runs = places.ranking[rows] // len(documents.topics)
        small = places.rank[rows] <= 20  # below, some ranks are between two that are tried
        expected[runs] = effects.at(places.ranking[rows], places.rank[rows])
        wanted = (after - before)[:, topic]
        exact = np.ones(len(expected), np.bool_)
        exact[runs[~small]] = False
        assert expected[exact] == pytest.approx(wanted[exact], abs=1e-9)
        assert expected == pytest.approx(wanted, abs=0.05)
        tried += exact.sum()
    assert tried > 20


def test_values_and_variances_are_those_of_all_pairs_one_by_one() -> None:
    found = estimated("AP")
    stakes = Stakes.of(found.documents, found.draws, parse("AP"))
    worth = np.random.default_rng(1).random((5, 5))
    worth = worth + worth.T
    np.fill_diagonal(worth, 0)
    values, variances = stakes.values(worth), np.zeros((5, 5))
    for members, table in stakes.parts:
        for place, adds in zip(members, table, strict=True):
            spread = stakes.chance[place] * (1 - stakes.chance[place])
            squares = spread * (adds[:, None] - adds) ** 2
            variances += squares
            assert values[place] == pytest.approx((worth * squares).sum() / 2)
    assert stakes.variances() == pytest.approx(variances)


def test_what_is_expected_of_a_pair_is_what_draws_give() -> None:
    """A difference with a known part and a part that stays open, both normal."""
    rng = np.random.default_rng(2)
    mean = np.array([0.0, 0.3, 1.0, 2.5])
    one = np.ones((1, 4))
    for share in (0.1, 0.5, 0.9):
        known = mean + np.sqrt(share) * rng.standard_normal((200_000, 4))
        true = known + np.sqrt(1 - share) * rng.standard_normal((200_000, 4))
        doubt = Doubt(one > 0, mean[None], one, share * one)
        assert doubt.misordered[0] == pytest.approx((known * true < 0).mean(axis=0), abs=0.005)
        unclear = np.abs(known) < 1.6449 * np.sqrt(1 - share)
        assert doubt.unresolved[0] == pytest.approx(unclear.mean(axis=0), abs=0.005)


def test_judging_more_is_expected_to_clear_up_more() -> None:
    qrels, runs = collection()
    plan = plan_judgments(qrels, runs, "AP", 10**4, unjudged=f"top={TOP}")
    judged = read_judged(qrels, runs, retrieved=True)
    assert judged.retrieved is not None
    assert 0 < plan.frame.height <= judged.retrieved.codes - judged.retrieved.judgments
    assert all(after <= before for before, after in pairwise(plan.progress["misordered"]))
    assert plan.progress["misordered"][-1] == pytest.approx(0, abs=1e-6)
    assert plan.progress["judged"][-1] == plan.frame.height
    assert any("shorter than the budget" in note for note in map(str, plan.notes))
    assert any("resolve fewer than 0.001 pairs" in note for note in map(str, plan.notes))


def test_a_pair_whose_order_no_judgments_can_change_is_not_in_doubt() -> None:
    """B is A but for one swap, and one unjudged document that cannot outweigh it."""
    qrels, runs = collection()
    sorted_run = runs[0].frame.sort("topic", "score", descending=True)
    documents = {
        topic: rows["document"].to_list()
        for (topic,), rows in sorted_run.group_by("topic", maintain_order=True)
    }
    grades = {(t, d): g for t, d, g in qrels.frame.select("topic", "document", "grade").rows()}

    def swapped(topic: str, one: int, other: int) -> dict[str, list[str]]:
        ranked = list(documents[topic])
        ranked[one], ranked[other] = ranked[other], ranked[one]
        return {topic: ranked}

    relevant = next(
        (topic, at)
        for topic, ranked in documents.items()
        for at in range(3, 5)
        if grades.get((topic, ranked[0]), 0) > 0 and grades.get((topic, ranked[at]), 1) == 0
    )
    elsewhere = next(t for t in documents if t != relevant[0])
    unjudged = next(
        at for at, d in enumerate(documents[elsewhere]) if at > 4 and (elsewhere, d) not in grades
    )
    other = documents | swapped(relevant[0], 0, relevant[1]) | swapped(elsewhere, 4, unjudged)
    both = {
        name: {t: {d: -float(at) for at, d in enumerate(ranked)} for t, ranked in each.items()}
        for name, each in (("A", documents), ("B", other))
    }
    for metric in ("RBP(p=0.8)", "DCG@5"):
        found = rankwise.compare(qrels, both, metric, unjudged=f"top={TOP}").frame
        low, high = found.select("low", "high").row(0)
        assert low > 0 or high < 0
        plan = plan_judgments(qrels, both, metric, 5, probable=True, unjudged=f"top={TOP}")
        assert plan.frame.is_empty() and plan.open_pairs == ()


def test_the_pairs_most_likely_to_stay_unresolved_are_named() -> None:
    qrels, runs = collection()
    plan = plan_judgments(qrels, runs[:3], "AP", 5, unjudged=f"top={TOP}")
    names = [run.name for run in runs]
    chances = [chance for *_, chance in plan.open_pairs]
    assert chances == sorted(chances, reverse=True) and len(chances) > 0
    assert all(names.index(a) < names.index(b) for a, b, _ in plan.open_pairs)
    assert sum(chances) == pytest.approx(plan.progress["unresolved"][-1])


def test_documents_that_resolve_nothing_are_said_to() -> None:
    def said(resolves: list[float], doubtful: float) -> list[str]:
        columns = {"resolves": np.array(resolves), "chosen": np.arange(len(resolves))}
        made: Any = SimpleNamespace(**columns, progress=[(0, 0.0, doubtful, 0.0)])
        return [str(note) for note in _about_slight(made)]

    assert said([0.5, 0.1], 1.0) == []
    assert "the last 1 of these" in said([0.5, 0.0], 1.0)[0]
    [sure] = said([0.0, 0.0], 0.0)
    assert sure.startswith("these documents are not worth judging: ")
    assert sure.endswith("expects that the judgments confirm this order")
    assert "many more judgments would be needed" in said([0.0, 0.0], 1.0)[0]


def test_a_pair_needs_only_what_moves_its_own_difference() -> None:
    qrels, runs = collection()
    names = [run.name for run in runs[:2]]
    plan = plan_judgments(qrels, runs, "P@10", 10**4, pair=(names[0], names[1]), unjudged="top=30")
    places: dict[Any, dict[str, int]] = {}
    for run in runs[:2]:
        for (topic,), part in run.frame.group_by("topic", maintain_order=True):
            ordered = part.sort("score", "document", descending=True)["document"]
            for rank, document in enumerate(ordered, 1):
                places.setdefault((topic, document), {})[run.name] = rank
    for topic, document in plan.frame.select("topic", "document").rows():
        inside = [rank <= 10 for rank in places[(topic, document)].values()]
        assert sum(inside) == 1, "what both have in the first ten tells them not apart"
    assert plan.frame.height > 3


@pytest.mark.slow
def test_a_plan_clears_up_more_than_the_pool_does() -> None:
    """As many judgments by the plan and by rank: how many pairs then stand as in truth."""
    by_plan: list[float] = []
    by_pool: list[float] = []
    for seed in (1, 2, 3, 4):
        made = simulate(topics=15, systems=8, depth=TOP, pool_depth=5, seed=seed)
        few, all_of = judged_to(made, 5), judged_to(made, TOP)
        true = score(all_of, made.runs, "AP").totals["value"][0]
        plan = plan_judgments(few, made.runs, "AP", 60, unjudged=f"top={TOP}").frame
        deeper = pool(made.runs, TOP, without=few).sort("rank", "topic", "document").head(60)
        for chosen, found in ((plan, by_plan), (deeper, by_pool)):
            new = chosen.select("topic", "document").join(
                all_of.frame.select("topic", "document", "grade"), on=["topic", "document"]
            )
            more = read_qrels(pl.concat([few.frame.select("topic", "document", "grade"), new]))
            ahead = (
                predict(more, made.runs, "AP", top=TOP, resamples=30).pairs()["better"].to_numpy()
            )
            first, second = np.triu_indices(len(true), 1)
            right = np.where(true[first] > true[second], ahead, 1 - ahead)
            found.append(float(np.log(np.maximum(right, 1e-3)).mean()))
    assert np.mean(by_plan) > np.mean(by_pool), (by_plan, by_pool)


def test_a_plan_is_the_same_for_the_same_seed() -> None:
    qrels, runs = collection()
    plans = [
        plan_judgments(qrels, runs, "nDCG@10", 9, seed=s, unjudged="top=30") for s in (0, 0, 1)
    ]
    assert plans[0].frame.equals(plans[1].frame) and not plans[0].frame.equals(plans[2].frame)
    assert isinstance(plans[0], rankwise.judging.JudgmentPlan)


def test_an_empty_list_says_what_the_model_expects_and_not_what_is_possible() -> None:
    """The runs have the same documents in the same order."""
    qrels, runs = collection()
    twice = [runs[0], replace(runs[0], name="again")]
    expected = {
        3: "the first 3 documents of all runs are judged. Use `unjudged='top=30'`",
        30: "no unjudged document in the first 30 of a run is expected to make the order of two",
    }
    for top, text in expected.items():
        plan = plan_judgments(qrels, twice, "AP", 5, unjudged=f"top={top}")
        assert plan.frame.height == 0
        assert any(
            f"no document is listed, because {text}" in str(each) for each in plan.input_notes
        )


def test_the_plan_says_where_the_model_expects_another_order_than_now() -> None:
    """The judged part of B's ranking is better, but most of it is unjudged."""
    topics = [str(topic) for topic in range(12)]
    qrels = {
        t: {f"a{n}": int(n < 3) for n in range(10)} | {f"b{n}": 1 for n in range(2)} for t in topics
    }
    first = {f"a{n}": -float(n) for n in range(10)}
    second = {f"b{n}": -float(n) for n in range(10)}
    runs = {"A": dict.fromkeys(topics, first), "B": dict.fromkeys(topics, second)}
    plan = plan_judgments(qrels, runs, "nDCG@10", 5, unjudged="top=10")
    now = rankwise.score(qrels, runs, "nDCG@10").to_dict()
    assert now["A"]["nDCG@10"] > now["B"]["nDCG@10"]
    assert plan.expected_reversals == (("B", "A"),)
    [told] = [str(each) for each in plan.notes if each.kind == "expected-reversal"]
    assert "reverses the order of 1 pair of runs: B (" in told and "above A (" in told
    same = plan_judgments(qrels, {"A": runs["A"], "C": runs["A"]}, "nDCG@10", 5, unjudged="top=10")
    assert same.expected_reversals == ()


def test_a_rise_of_unresolved_pairs_is_explained() -> None:
    told = _about_rise([(0, 0.0, 0.01, 0.0), (5, 0.2, 0.1, 0.0), (9, 0.3, 0.0, 0.0)])
    assert str(told[0]).startswith("'unresolved' can increase before it decreases: ")
    assert not _about_rise([(0, 0.0, 0.11, 0.0), (5, 0.2, 0.1, 0.0)])
    # The first row is the limit for few judgments.
    one = np.ones((2, 2))
    for odds in (0.5, 1.6, 1.7, 3.0):
        doubt = Doubt(one == 1, odds * one, one, 0 * one)
        slightly = replace(doubt, resolved=1e-9 * one)
        assert doubt.expected() == pytest.approx(slightly.expected(), abs=1e-4)
    sure = Doubt(one == 1, 2.0 * one, one, 0 * one)
    assert replace(sure, resolved=0.5 * one).expected()[0] > sure.expected()[0] + 0.05
