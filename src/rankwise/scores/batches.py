"""Runs scored a few at a time: of what is judged nothing is kept but the scores.

A few runs fit the processor's caches, all runs of a track do not; and while some runs are
scored, others are read. The numbers are those of all runs at once, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from rankwise.metrics import Metric
from rankwise.rankings.join import (
    JudgedRun,
    Origin,
    about_runs,
    judged_runs,
    rankings_of,
    topics_of,
)
from rankwise.rankings.judged import TopicsOfRun
from rankwise.rankings.lookup import Judgments
from rankwise.rankings.sources import Loader
from rankwise.scores.table import Scores, score_judged
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Order

RUNS = 8  # at a time
Judged = tuple[Origin, JudgedRun]


def score_batches(
    judgments: Judgments,
    loaders: Iterable[Loader],
    metrics: Sequence[Metric],
    *,
    order: Order,
    depth: int | None,
    bounds: bool,
    unjudged: str,
) -> Scores:
    """What `score_judged` gives of all runs that are loaded."""
    return Batches(judgments, metrics, order, depth, bounds, unjudged).scores(loaders)


class Batch(NamedTuple):
    """A few runs: what there is to say of each, and their scores."""

    origins: list[Origin]
    topics: list[TopicsOfRun]
    scores: Scores


@dataclass(frozen=True, eq=False)
class Batches:
    """What there is to score, and how."""

    judgments: Judgments
    metrics: Sequence[Metric]
    order: Order
    depth: int | None
    bounds: bool
    unjudged: str

    def scores(self, loaders: Iterable[Loader]) -> Scores:
        cut = None if self._shares_ties else self.depth
        runs = judged_runs(self.judgments, loaders, self.order, cut)
        return self._joined(list(map_in_threads(self._scored, _by_few(runs))))

    @property
    def _shares_ties(self) -> bool:
        return any(metric.shares_ties for metric in self.metrics)

    def _scored(self, runs: Sequence[Judged]) -> Batch:
        origins, parts = [origin for origin, _ in runs], [part for _, part in runs]
        judged = rankings_of(self.judgments, [origin.name for origin in origins], parts)
        if self._shares_ties:
            judged = replace(judged, depth=self.depth)
        scores = score_judged(judged, self.metrics, bounds=self.bounds, unjudged=self.unjudged)
        return Batch(origins, [topics_of(*run) for run in runs], scores)

    def _joined(self, batches: Sequence[Batch]) -> Scores:
        origins = [origin for batch in batches for origin in batch.origins]
        topics = [of_run for batch in batches for of_run in batch.topics]
        given = self.judgments
        labels, notes = about_runs(origins, topics, given.notes, given.topics)
        parts = [batch.scores for batch in batches]
        first = parts[0]
        columns: dict[str, Any] = {
            name: np.concatenate([part.cubes[name] for part in parts], axis=1)
            for name in first.cubes
        }
        outer = {name for part in parts for name in part.outer}
        return replace(
            first,
            **columns,
            runs=tuple(labels),
            present=np.concatenate([part.present for part in parts]),
            input_notes=tuple(notes),
            outer=tuple(str(metric) for metric in self.metrics if str(metric) in outer),
        )


def _by_few(runs: Iterator[Judged]) -> Iterator[list[Judged]]:
    while few := list(islice(runs, RUNS)):
        yield few
