"""Writes docs/planning.md: which documents to judge next, tried on TREC-8.

`RANKWISE_DATA=… python docs/make_planning_page.py`; the data is not part of the project.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from rankwise import Qrels, WeightedPrecision, parse, read_qrels
from rankwise.join import read_judged
from rankwise.judged import Bools, Floats, Ints, JudgedRankings
from rankwise.planning.budget import best_to_separate, order_by_weight, worth_of_pairs
from rankwise.planning.standing import Candidates, Standing, candidates_of

DEPTH = 100
STEP = 250  # judgments between two looks at what was found
STOPS = (0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
METRICS = ("RBP(p=0.8)", "RBP(p=0.95)")


@dataclass(frozen=True, eq=False)
class Trial:
    """TREC-8 with its judgments hidden: what is unjudged (all), and what would be found."""

    judged: JudgedRankings
    metric: WeightedPrecision
    candidates: Candidates
    gain: Floats  # of each document
    start: Standing

    @classmethod
    def of(cls, judged: JudgedRankings, truth: Qrels, name: str) -> "Trial":
        metric = parse(name)
        assert isinstance(metric, WeightedPrecision)
        candidates = candidates_of(judged, metric)
        start = Standing.of(judged, metric, candidates, "retrieved")
        return cls(judged, metric, candidates, gains(judged, truth), start)

    def course(self, batches: Iterator[Ints]) -> list[tuple[float, int]]:
        """The mean residual and the undecided pairs at each stop."""
        found, standing, done = [], self.start, 0
        for batch in batches:
            standing, done = (
                standing.after(self.candidates.among(batch), self.gain),
                done + len(batch),
            )
            if done in STOPS:
                found.append(
                    (standing.residual / len(self.judged.topics), standing.undecided_count)
                )
        return found


def gains(judged: JudgedRankings, truth: Qrels) -> Floats:
    """1 for each document that TREC found relevant; what TREC did not judge counts as not."""
    rows = judged.unjudged
    assert rows is not None
    first = np.searchsorted(rows.document, np.arange(rows.count))
    topics = pl.Series(judged.topics).gather(rows.topic[first])
    wanted = pl.DataFrame({"topic": topics, "document": rows.names})
    both = wanted.join(truth.frame, on=["topic", "document"], how="left", maintain_order="left")
    return (both["grade"].fill_null(0) >= 1).to_numpy().astype(np.float64)


def in_batches(order: Ints) -> Iterator[Ints]:
    yield order[:0]
    for start, stop in zip(STOPS[:-1], STOPS[1:], strict=True):
        yield order[start:stop]


def by_pooling(trial: Trial) -> Iterator[Ints]:
    """Rank 1 of all runs and topics, then rank 2, and so on; a rank in order of topic."""
    rows = trial.judged.unjudged
    assert rows is not None
    best = np.full(rows.count, DEPTH + 1)
    np.minimum.at(best, rows.document, rows.rank)
    return in_batches(np.argsort(best, kind="stable"))


def by_weight(trial: Trial) -> Iterator[Ints]:
    return in_batches(order_by_weight(trial.candidates, STOPS[-1]))


def by_separation(trial: Trial, seeing: bool, worth=worth_of_pairs) -> Iterator[Ints]:
    """By what tells undecided runs apart; `seeing` what was found, or with no expectation."""
    standing, taken = trial.start, np.zeros(trial.candidates.count, np.bool_)
    gain = trial.gain if seeing else np.zeros(len(trial.gain))
    yield np.zeros(0, np.int64)
    for _ in range(STOPS[-1] // STEP):
        batch = best_to_separate(trial.candidates, worth(standing), taken, STEP)
        yield batch
        standing = standing.after(trial.candidates.among(batch), gain)
        taken[batch] = True
