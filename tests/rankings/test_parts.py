"""A part of the topics scores as the whole does, to the last bit: Spark and streams need it."""

from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from calls import call, every_metric

import rankwise
from rankwise import Qrels, Run
from rankwise.arrays import sums_within

MADE = rankwise.simulate(topics=60, systems=2, seed=3)
FEW = rankwise.simulate(topics=12, systems=2, seed=3)
GRADES = [0, 1, 2, 3]


@pytest.fixture(autouse=True, scope="module")
def _each_reader() -> None:
    """Here all is arithmetic: one reader will do."""


@pytest.mark.parametrize("gains", [None, "1:0.7:0.3"])
def test_a_topic_alone_scores_as_among_others(gains: str | None) -> None:
    """With the grades of the whole, which some metrics look at, in a topic of their own."""
    whole = rankwise.score(
        rankwise.read(MADE.qrels, MADE.runs, gains=gains), metrics=every_metric(), bounds=True
    )
    columns = {"topic": "grades", "document": list("0123"), "grade": GRADES}
    grades = pl.DataFrame(columns).cast(MADE.qrels.frame.schema)
    for topics in (["7"], ["60"], ["3", "31", "32"]):
        here = pl.col("topic").is_in(topics)
        qrels = Qrels(pl.concat([MADE.qrels.frame.filter(here), grades]))
        runs = [Run(run.frame.filter(here), name=run.name) for run in MADE.runs]
        part = rankwise.score(
            rankwise.read(qrels, runs, gains=gains), metrics=every_metric(), bounds=True
        )
        for name in ("value", "low", "high"):
            one = getattr(whole, name)[..., [whole.topics.index(topic) for topic in topics]]
            other = getattr(part, name)[..., [part.topics.index(topic) for topic in topics]]
            np.testing.assert_array_equal(one, other)


def cut_at(run: Run, longest: int) -> Run:
    """Rankings of many lengths: what is computed rank by rank is laid out in tables."""
    length = (pl.col("topic").cast(pl.Int64) * 37) % longest + 5
    return Run(run.frame.filter(pl.int_range(pl.len()).over("topic") < length), name=run.name)


@pytest.mark.slow
@pytest.mark.parametrize("unjudged", ["own", "open", "own,extra=3", "retrieved", "extra=3"])
def test_bounds_do_not_depend_on_how_long_other_rankings_are(unjudged: str) -> None:
    metrics = [*every_metric(), "INST@100", "nDCG@50", "AP@70", "ERR@33", "RBP(p=0.9)@90"]
    runs = [cut_at(FEW.runs[0], 180), cut_at(FEW.runs[1], 31)]
    assert all(run.frame.group_by("topic").len()["len"].n_unique() > 6 for run in runs)
    ways: Any = {"bounds": True, "unjudged": unjudged}
    both = call(rankwise.score, FEW.qrels, runs, metrics, **ways)
    for at, run in enumerate(runs if unjudged.startswith("o") else []):
        alone = call(rankwise.score, FEW.qrels, run, metrics, **ways)
        for name in ("value", "low", "high"):
            np.testing.assert_array_equal(getattr(both, name)[:, [at]], getattr(alone, name))
    batches = (
        part
        for run in runs
        for part in run.frame.with_columns(run=pl.lit(run.name)).iter_slices(99)
    )
    streamed = call(rankwise.score, FEW.qrels, batches, metrics, **ways)
    for name in ("value", "low", "high"):
        np.testing.assert_array_equal(getattr(both, name), getattr(streamed, name))
    assert streamed.notes == both.notes


@pytest.mark.parametrize("many", [0, 100])  # short ones are then summed together
def test_sums_within_groups_are_cumulative_sums(many: int) -> None:
    rng = np.random.default_rng(1)
    sizes = [3, 0, 511, 512, 1024, 1, 0, *rng.integers(0, 9, many)]
    start = np.concatenate([[0], np.cumsum(sizes)])
    values = rng.random(start[-1])
    found = sums_within(values, start)
    for first, last in pairwise(start):
        wanted = np.cumsum(values[first:last], dtype=np.longdouble)
        np.testing.assert_array_equal(found[first:last], wanted)
