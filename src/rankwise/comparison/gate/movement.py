"""Topics that changed most, with the relevant documents gained, lost and missed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.metrics import Metric
from rankwise.rankings import Qrels, Run, rank_rows
from rankwise.scores import Scores
from rankwise.stats import differences_of
from rankwise.vocabulary import Order

BASELINE, CANDIDATE = 0, 1  # the two runs of the scores
SCHEMA = {
    **{name: pl.String() for name in ("metric", "topic", "group")},
    **{name: pl.Float64() for name in ("baseline", "candidate", "difference")},
    **{name: pl.List(pl.String()) for name in ("gained", "lost", "missed")},
}


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
    scores: Scores, metrics: Sequence[Metric], documents: Documents, count: int
) -> pl.DataFrame:
    """Return the topics that changed most for each metric, the largest drop first."""
    rows = []
    for metric in metrics:
        values = scores.value[scores.metrics.index(metric)]
        change = differences_of(values, np.array([CANDIDATE]), np.array([BASELINE]))[0]
        for place in _most(metric.sign * change, count):
            topic = scores.topics[place]
            row: dict[str, Any] = {"metric": str(metric), "topic": topic}
            row |= {"group": scores.groups[place] if scores.groups else None}
            row |= {"baseline": values[BASELINE][place], "candidate": values[CANDIDATE][place]}
            rows.append(row | {"difference": change[place], **documents.moved(metric, topic)})
    return pl.DataFrame(rows, schema=SCHEMA)


def _most(gain: Floats, count: int) -> list[int]:
    """Return the positions of the largest changes, from the worst to the best."""
    moved = np.flatnonzero(np.isfinite(gain) & (gain != 0))
    most = moved[np.argsort(-np.abs(gain[moved]), kind="stable")][:count]
    return most[np.argsort(gain[most], kind="stable")].tolist()
