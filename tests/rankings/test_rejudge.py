"""Rankings under other judgments, against joining the changed judgments again."""

import gc
import tracemalloc
import weakref
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from calls import read_judged
from table import LAWS

from rankwise import Qrels, parse, read, read_qrels, simulate
from rankwise.rankings import Needs
from rankwise.rankings.documents import Retrieved
from rankwise.rankings.judged import JudgedRankings, from_vectors
from rankwise.rankings.rejudge import Pools, Rejudged, Rows, judge_one_at_a_time
from rankwise.scores.apply_metric import bounds_of, scores_of

MADE = simulate(topics=6, systems=5, depth=40, pool_depth=10, seed=4)
METRICS = ("AP", "nDCG@10", "RBP(ties=share)", "Bpref", "P@5", "RR", "Judged@10")


@pytest.fixture(autouse=True, scope="module")
def _each_reader() -> None:
    """Rejudging does not depend on the reader, so one reader is enough."""


def joined(qrels: Qrels) -> JudgedRankings:
    return read_judged(qrels, MADE.runs, retrieved=True)


def same(ours: JudgedRankings, theirs: JudgedRankings) -> None:
    for name in ("ranking", "rank", "grade", "tie_first", "tie_last", "length", "topic"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist(), name
    assert ours.topic_grades.tolist() == theirs.topic_grades.tolist()
    assert ours.topic_start.tolist() == theirs.topic_start.tolist()
    for name in METRICS:
        metric = parse(name)
        assert scores_of(metric, ours) == pytest.approx(scores_of(metric, theirs), nan_ok=True)


@pytest.mark.parametrize("retrieved", [False, True])
def test_a_subset_of_the_judgments_is_as_if_only_these_had_been_read(retrieved: bool) -> None:
    judged = joined(MADE.qrels)
    table = judged.retrieved
    assert table is not None
    kept = np.random.default_rng(1).random(table.judgments) < 0.5
    kept[judged.topic_start[:-1]] = True  # a topic without judgments would not be read
    names = table.names.gather(np.flatnonzero(kept))
    topics = np.repeat(np.arange(len(judged.topics)), np.diff(judged.topic_start))[kept]
    rows = pl.DataFrame({"topic": pl.Series(judged.topics).gather(topics), "document": names})
    less = read_qrels(rows.with_columns(grade=pl.Series(judged.topic_grades[kept])))
    given = judged if retrieved else replace(judged, retrieved=None)
    same(Rejudged.of(given).keep(kept), joined(less))


def test_new_grades_and_new_judgments_are_as_if_they_had_been_read() -> None:
    judged = joined(MADE.qrels)
    table = judged.retrieved
    assert table is not None
    rng = np.random.default_rng(2)
    rejudged = Rejudged.of(judged)
    known = rejudged.is_judged | (rng.random(table.codes) < 0.3)
    grade = rng.integers(-1, 4, table.codes)
    rows = pl.DataFrame(
        {
            "topic": pl.Series(judged.topics).gather(rejudged.topic[known]),
            "document": table.names.gather(np.flatnonzero(known)),
            "grade": grade[known],
        }
    )
    assert known.sum() > rejudged.is_judged.sum() + 50
    expected = joined(read_qrels(rows))
    same(rejudged.assign(known, grade), expected)
    ready = rejudged.alternatives(known)
    ready.graded(np.zeros_like(grade))
    same(ready.graded(grade), expected)


def test_judgments_that_stay_keep_their_grades_by_subtopic() -> None:
    rows = [("a", "s0", 1), ("a", "s1", 0), ("b", "s0", 0), ("b", "s1", 2), ("c", "s1", 0)]
    qrels = pl.DataFrame(rows, schema=["document", "subtopic", "grade"], orient="row")
    runs = {"run": {"1": ["b", "u", "a"]}}
    judged = read(qrels.with_columns(topic=pl.lit("1")), runs).judged(Needs(documents=True))
    rejudged, metric = Rejudged.of(judged), parse("P_IA@1")
    stay = rejudged.keep(np.ones(3, np.bool_))
    assert metric.scores(stay).tolist() == metric.scores(judged).tolist() == [0.5]
    grade = np.where(rejudged.is_judged, 1, 0)
    changed = rejudged.assign(rejudged.is_judged, grade)  # b, of grade 2, has 1 everywhere
    assert metric.scores(changed).tolist() == [1]


def test_unjudged_documents_within_the_first_of_any_run_are_kept_at_all_their_ranks() -> None:
    whole = joined(MADE.qrels).retrieved
    few = read_judged(MADE.qrels, MADE.runs, retrieved=True, within=15).retrieved
    assert whole is not None and few is not None

    def places(table: Retrieved, kept: np.ndarray) -> set[tuple[object, ...]]:
        names = table.names.gather(table.code).to_list()
        columns = (table.run, table.topic, table.rank, table.tie_first, table.tie_last)
        rows = zip(*(column.tolist() for column in columns), names, strict=True)
        return {row for row, keep in zip(rows, kept, strict=True) if keep}

    best = np.full(whole.codes, 999)
    np.minimum.at(best, whole.code, whole.rank)
    wanted = (whole.code < whole.judgments) | (best[whole.code] <= 15)
    assert 100 < wanted.sum() < len(wanted) - 100
    assert places(few, few.rank > 0) == places(whole, wanted)


def test_pools_are_by_topic_highest_first() -> None:
    topic, grade = np.array([2, 0, 2, 2]), np.array([1, 0, 3, -1])
    pools = Pools.of(topic, grade, 4)
    assert pools.topic_grades.tolist() == [0, 3, 1, -1]
    assert pools.topic_start.tolist() == [0, 1, 1, 4, 4]


def test_one_document_at_a_time_is_judged_otherwise() -> None:
    one = from_vectors([[2, None, 0, 1, None]], judged=[[3, 2, 1, 0]])
    ranks, grades = np.array([1, 2, 3, 5]), np.array([0, 3, 1, 1])
    found = judge_one_at_a_time(one, Rows.untied(np.zeros(4, np.int64), ranks, grades))
    rows = [[0, None, 0, 1, None], [2, 3, 0, 1, None], [2, None, 1, 1, None], [2, None, 0, 1, 1]]
    pools = [[3, 1, 0, 0], [3, 3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 1, 1, 0]]
    expected = from_vectors(rows, judged=pools)
    for name in ("AP", "nDCG@10", "Bpref", "RBP(p=0.8)", "Recall@3"):
        assert scores_of(parse(name), found) == pytest.approx(scores_of(parse(name), expected))


def test_no_metric_makes_rankings_refer_to_themselves() -> None:
    """Scores and bounds of every metric; then the rankings are freed, without a collector."""
    examples = [parse(text) for laws in LAWS.values() for text in laws.examples]
    metrics = [metric for metric in examples if not metric.reads_lengths]
    assert len(metrics) > 150 and sum(metric.cutoff is not None for metric in metrics) > 50
    rejudged = Rejudged.of(replace(joined(MADE.qrels), topic_unjudged=None))
    gc.collect()
    gc.disable()
    try:
        for metric in metrics:
            for grade in (rejudged.grade, np.ones_like(rejudged.grade)):
                alternative = rejudged.assign(rejudged.is_judged, grade)
                scores_of(metric, alternative, infinite=True)
                bounds_of(metric, alternative, "retrieved")
                kept = weakref.ref(alternative)
                del alternative
                assert kept() is None, metric
    finally:
        gc.enable()


@pytest.mark.slow
def test_a_thousand_alternatives_take_the_memory_of_a_few() -> None:
    rejudged = Rejudged.of(joined(MADE.qrels))
    metrics = [parse(name) for name in ("nDCG@10", "AP@20", "P@10")]
    rng = np.random.default_rng(1)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        sizes = []
        for number in range(1000):
            grade = rng.integers(0, 3, len(rejudged.grade))
            alternative = rejudged.assign(rejudged.is_judged, grade)
            for metric in metrics:
                scores_of(metric, alternative)
            if number in (99, 999):
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
        gc.enable()
    assert sizes[1] < sizes[0] + 100_000
