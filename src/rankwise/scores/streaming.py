"""Scoring of runs that are read as a stream, without storing the runs.

The stream is split into pieces, each with the complete rankings of some topics
(`rankings.batches`). Each piece is joined with the judgments of its topics, scored, and released.
Only the judgments and the scores stay in memory. The scores are identical to those of a run that is
read at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankwise.arrays import Bools, Ints
from rankwise.errors import CallError
from rankwise.metrics import Metric
from rankwise.rankings import (
    Collection,
    Join,
    JudgedRun,
    Judgments,
    JudgmentsByTopic,
    Loader,
    Origin,
    Piece,
    Possible,
    RunInPieces,
    TopicsOfRun,
    about_runs,
    pieces_of,
    rankings_of,
    topics_of,
)
from rankwise.scores.engine import check_defined, score_judged
from rankwise.scores.scores import Cube, Scores
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Order

TOPICS = 1 << 16  # number of missing topics scored at once


def score_streams(
    collection: Collection, metrics: Sequence[Metric], assumption: Possible | None
) -> Scores:
    judgments = JudgmentsByTopic.read(
        collection.qrels, collection.gains, collection.lenient, collection.filters
    )
    work = Work(judgments, metrics, collection.order, collection.depth, assumption)
    return work.whole([run for loader in collection.loaders() for run in work.runs_of(loader)])


class ScoredRun(RunInPieces):
    """Scores of a run that is read piece by piece."""

    def __init__(self, loader: Loader, topics: Sequence[str], metrics: int) -> None:
        super().__init__(loader, topics)
        self.shape = metrics, len(topics)
        self.topics_of_run = TopicsOfRun()
        self.cubes: dict[str, Cube] = {}
        self.outer: set[str] = set()

    def add(self, origin: Origin, part: JudgedRun, codes: Ints, scores: Scores) -> None:
        """Add a piece of the run with its scores; `codes` has the indices of the scored topics."""
        self.meet(origin, codes[part.present], part)
        self.topics_of_run = self.topics_of_run.plus(topics_of(origin, part, scores.topics))
        self.put(scores, codes, part.present)

    def put(self, scores: Scores, codes: Ints, here: Bools) -> None:
        """Store the scores on the topics for which the mask `here` is True.

        `codes` has the index of each topic of `scores` among all topics.
        """
        self.outer.update(scores.outer)
        for name, cube in scores.cubes.items():
            kept = self.cubes.setdefault(name, np.full(self.shape, np.nan))
            kept[:, codes[here]] = cube[:, 0, here]


@dataclass(frozen=True, eq=False)
class Work:
    """Judgments, metrics and options of a streamed evaluation."""

    judgments: JudgmentsByTopic
    metrics: Sequence[Metric]
    order: Order
    depth: int | None
    assumption: Possible | None

    def runs_of(self, loader: Loader) -> Iterator[tuple[Origin, ScoredRun]]:
        """Yield the runs of a stream, each scored on the topics of the run."""
        found: dict[str, ScoredRun] = {}
        for piece in map_in_threads(self._scored, pieces_of(loader, self.order)):
            for origin, part, codes, scores in piece:
                name = origin.name
                if name not in found:
                    found[name] = ScoredRun(loader, self.judgments.topics.names, len(self.metrics))
                found[name].add(origin, part, codes, scores)
        for run in found.values():
            yield run.origin(len(found) == 1), run

    def _scored(self, piece: Piece) -> list[tuple[Origin, JudgedRun, Ints, Scores]]:
        """Return, per run in a piece, its origin, its judged rows, topic indices, and scores."""
        names = list(dict.fromkeys(name for _, run in piece for name in run.stretches[1]))
        codes = self.judgments.topics.codes(names)
        judgments = self.judgments.part(codes[codes >= 0])
        depth = None if self._shares_ties else self.depth
        join = Join(judgments, self.order, depth)
        parts = [join.by_name(run) for _, run in piece]
        scores = self._scores(judgments, [origin.name for origin, _ in piece], parts)
        codes = self.judgments.topics.codes(judgments.topics)
        return [
            (origin, part, codes, scores.of_runs([at]))
            for at, ((origin, _), part) in enumerate(zip(piece, parts, strict=True))
        ]

    @property
    def _shares_ties(self) -> bool:
        return any(metric.ties == "share" for metric in self.metrics)

    def _scores(
        self, judgments: Judgments, names: Sequence[str], parts: Sequence[JudgedRun]
    ) -> Scores:
        judged = rankings_of(judgments, names, parts)
        if self._shares_ties:
            judged = replace(judged, depth=self.depth)
        return score_judged(judged, self.metrics, unjudged=self.assumption)

    def whole(self, scored_runs: Sequence[tuple[Origin, ScoredRun]]) -> Scores:
        """Return the scores of all runs on all topics."""
        if not scored_runs:
            raise CallError("no run is given.")
        runs = [run for _, run in scored_runs]
        qrels, topics = self.judgments.qrels, self.judgments.topics.names
        read = [(origin, run.topics_of_run) for origin, run in scored_runs]
        labels, notes = about_runs(read, qrels.notes, topics)
        self._fill(runs)
        cubes: dict[str, Any] = {
            name: _stacked([run.cubes[name] for run in runs]) for name in runs[0].cubes
        }
        for metric, value in zip(self.metrics, cubes["value"], strict=True):
            check_defined(metric, labels, topics, value)
        outer = set[str]().union(*(run.outer for run in runs))
        unused = [str(m) for m in self.metrics if qrels.gains is not None and not m.takes_gains]
        return Scores(
            tuple(self.metrics),
            tuple(labels),
            topics,
            **cubes,
            present=np.array([run.present for run in runs]),
            input_notes=tuple(notes),
            outer=tuple(str(metric) for metric in self.metrics if str(metric) in outer),
            unjudged=None if self.assumption is None else str(self.assumption),
            gains_unused=tuple(unused),
        )

    def _fill(self, runs: Sequence[ScoredRun]) -> None:
        """Set the scores on topics that a run does not have to those of an empty ranking."""
        lacking = np.flatnonzero(~np.logical_and.reduce([run.present for run in runs]))
        for first in range(0, len(lacking), TOPICS):
            judgments = self.judgments.part(lacking[first : first + TOPICS])
            none, zero = np.zeros(0, np.int64), np.zeros(len(judgments.topics), np.int64)
            nothing = JudgedRun(none, none, none, none, none, length=zero, retrieved=zero)
            scores = self._scores(judgments, ["none"], [nothing])
            codes = self.judgments.topics.codes(judgments.topics)
            for run in runs:
                run.put(scores, codes, (codes >= 0) & ~run.present[codes])


def _stacked(cubes: Sequence[Cube]) -> Cube:
    """Stack one array of shape (metrics, topics) per run to shape (metrics, runs, topics)."""
    return cubes[0][:, None] if len(cubes) == 1 else np.stack(cubes, axis=1)
