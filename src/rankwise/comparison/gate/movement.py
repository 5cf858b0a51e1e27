"""Topics that changed most, with the relevant documents gained, lost and missed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankwise.arrays import NEAR, Bools, Floats
from rankwise.metrics import Metric
from rankwise.rankings import Qrels, Run, rank_rows
from rankwise.scores import Scores
from rankwise.stats import differences_of
from rankwise.vocabulary import Order

if TYPE_CHECKING:
    from rankwise.comparison.gate.sides import Sides

BASELINE, CANDIDATE = 0, 1  # the two runs of the scores
SCHEMA = {
    **{name: pl.String() for name in ("metric", "topic", "group")},
    **{name: pl.Float64() for name in ("baseline", "candidate", "difference")},
    "no_results": pl.Boolean(),
    **{name: pl.List(pl.String()) for name in ("gained", "lost", "missed")},
}
UNKNOWN: dict[str, list[str] | None] = {"gained": None, "lost": None, "missed": None}


@dataclass(frozen=True)
class Drop:
    """Topics on which a metric got worse by more than half of its range, the worst first.

    The range of some metrics is not bounded: `limit` is then infinite, and there are no topics.
    """

    metric: str
    limit: float
    topics: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Documents:
    """Rankings of the two runs by name; a baseline of saved scores has none."""

    qrels: Qrels
    runs: tuple[Run | None, Run]
    order: Order
    depth: int | None

    def moved(self, metric: Metric, topic: str) -> dict[str, list[str] | None]:
        """Return the relevant documents that entered the top, that left it, and that are not in
        it.

        The top ends at the metric's cutoff. Documents are in ranking order; missed ones are
        sorted by grade.
        """
        relevant = self._relevant(topic, metric.rel or 1)
        before, after = (self._first(run, topic, metric.cutoff) for run in self.runs)
        assert after is not None
        missed = [document for document in relevant if document not in set(after)]
        if before is None:
            return {"gained": None, "lost": None, "missed": missed}
        known = set(relevant)
        gained = [one for one in after if one in known and one not in set(before)]
        lost = [one for one in before if one in known and one not in set(after)]
        return {"gained": gained, "lost": lost, "missed": missed}

    def _relevant(self, topic: str, rel: int) -> list[str]:
        rows = self._judged.get((topic,))
        if rows is None:
            return []
        return rows.filter(pl.col("grade") >= rel)["document"].to_list()

    @cached_property
    def _judged(self) -> dict[tuple[object, ...], pl.DataFrame]:
        ordered = self.qrels.frame.sort("grade", "document", descending=[True, False])
        return ordered.partition_by("topic", as_dict=True)

    def _first(self, run: Run | None, topic: str, cutoff: int | None) -> list[str] | None:
        if run is None:
            return None
        one = replace(run, frame=run.frame.filter(pl.col("topic") == topic))
        if one.frame.is_empty():
            return []
        ranks = rank_rows(one, self.order).all_places().rank
        documents = one.frame["document"].gather(np.argsort(ranks)).to_list()
        ends = [end for end in (cutoff, self.depth) if end is not None]
        return documents[: min(ends)] if ends else documents


def topics_that_moved(
    scores: Scores, metrics: Sequence[Metric], sides: Sides, count: int
) -> pl.DataFrame:
    """Return the topics that changed most for each metric.

    Topics for which the candidate returned no results come first, then the largest drop.
    """
    rows = []
    for metric in metrics:
        values, gain = _gains(scores, metric)
        empty = np.isin(scores.topics, sides.no_results or ())
        for place in _most(gain, empty, count):
            topic = scores.topics[place]
            row: dict[str, Any] = {"metric": str(metric), "topic": topic}
            row |= {"group": scores.groups[place] if scores.groups else None}
            row |= {"baseline": values[BASELINE][place], "candidate": values[CANDIDATE][place]}
            row |= {"difference": metric.sign * gain[place], "no_results": bool(empty[place])}
            documents = sides.documents
            rows.append(row | (documents.moved(metric, topic) if documents else UNKNOWN))
    return pl.DataFrame(rows, schema=SCHEMA)


def large_drops(scores: Scores, metrics: Sequence[Metric]) -> tuple[Drop, ...]:
    """Return the topics that got worse by more than half of each metric's range."""
    drops = []
    for metric in metrics:
        low, high = metric.score_range or ((0, 1) if metric.is_builtin else (-np.inf, np.inf))
        limit = (high - low) / 2
        _, gain = _gains(scores, metric)
        worse = np.flatnonzero(gain < -limit - NEAR)
        worst_first = worse[np.argsort(gain[worse], kind="stable")]
        topics = tuple(scores.topics[place] for place in worst_first)
        drops.append(Drop(str(metric), float(limit), topics))
    return tuple(drops)


def _gains(scores: Scores, metric: Metric) -> tuple[Floats, Floats]:
    """Return the scores of both runs, and for each topic how much better the candidate is."""
    values = scores.value[scores.metrics.index(metric)]
    change = differences_of(values, np.array([CANDIDATE]), np.array([BASELINE]))[0]
    return values, metric.sign * change


def _most(gain: Floats, empty: Bools, count: int) -> list[int]:
    """Return the positions of the largest changes: without results first, then worst to best."""
    moved = np.flatnonzero(np.isfinite(gain) & (gain != 0))
    most = moved[np.lexsort((-np.abs(gain[moved]), ~empty[moved]))][:count]
    return most[np.lexsort((gain[most], ~empty[most]))].tolist()
