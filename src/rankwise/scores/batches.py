"""Runs scored a few at a time: of what is judged nothing is kept but the scores.

A few runs fit the processor's caches, all runs of a track do not; and while some runs are
scored, others are read. The numbers are those of all runs at once, to the last bit. Bounds that
depend on what the other runs have wait for their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from rankwise.metrics import Metric
from rankwise.rankings.join import (
    about_runs,
    judged_runs,
    rankings_of,
    topics_of,
    unjudged_of_runs,
)
from rankwise.rankings.judged import TopicsOfRun
from rankwise.rankings.lookup import Judgments
from rankwise.rankings.run_join import JudgedRun, Origin
from rankwise.rankings.sources import Loader
from rankwise.scores.scoring import score_judged
from rankwise.scores.table import Scores
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Order

RUNS = 8  # at a time
Judged: TypeAlias = tuple[Origin, JudgedRun]


def score_batches(
    judgments: Judgments,
    loaders: Iterable[Loader],
    metrics: Sequence[Metric],
    *,
    order: Order,
    depth: int | None,
    bounds: bool,
    unjudged: str,
    count_unjudged: bool = False,
) -> Scores:
    """What `score_judged` gives of all runs that are loaded.

    `count_unjudged`: bounds depend on how many unjudged documents all runs have.
    """
    share_ties = any(metric.shares_ties for metric in metrics)
    origins: list[Origin] = []
    topics: list[TopicsOfRun] = []
    cut = None if share_ties else depth
    runs = judged_runs(judgments, loaders, order, cut, count_unjudged=count_unjudged)
    counts = None
    if count_unjudged:  # all are read before the first is scored
        every = list(runs)
        counts = unjudged_of_runs([part for _, part in every], len(judgments.topics))
        runs = iter(every)

    def each_few() -> Iterator[list[Judged]]:
        """The runs, a few at a time; what is to be said of each is kept."""
        while few := list(islice(runs, RUNS)):
            origins.extend(origin for origin, _ in few)
            topics.extend(topics_of(*run, judgments.topics) for run in few)
            yield few

    def scored(few: list[Judged]) -> Scores:
        names, parts = [origin.name for origin, _ in few], [part for _, part in few]
        judged = replace(rankings_of(judgments, names, parts), topic_unjudged=counts)
        if share_ties:
            judged = replace(judged, depth=depth)
        return score_judged(judged, metrics, bounds=bounds, unjudged=unjudged)

    scores = list(map_in_threads(scored, each_few()))
    labels, notes = about_runs(origins, topics, judgments.notes, judgments.topics)
    return _joined(scores, labels, notes)


def _joined(parts: Sequence[Scores], labels: Sequence[str], notes: Sequence[str]) -> Scores:
    """The scores of all runs; unlike `Scores.concat` it is told what they are called."""
    first = parts[0]
    columns: dict[str, Any] = {
        name: np.concatenate([part.cubes[name] for part in parts], axis=1) for name in first.cubes
    }
    outer = {name for part in parts for name in part.outer}
    return replace(
        first,
        **columns,
        runs=tuple(labels),
        present=np.concatenate([part.present for part in parts]),
        input_notes=tuple(notes),
        outer=tuple(str(metric) for metric in first.metrics if str(metric) in outer),
    )
