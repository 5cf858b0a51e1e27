"""Exact ends for metrics that look only for the first relevant document: RR, Success."""

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.grid import Bounds
from rankwise.comparison.verdicts.cells import Cells
from rankwise.metrics.base import ByFirst
from rankwise.rankings.judged import JudgedRankings


def extremes_by_first(cells: Cells, judged: JudgedRankings, metric: ByFirst) -> Bounds:
    """The least and the greatest difference: one new relevant document is enough for either.

    Scores fall with the rank of the first relevant document. Of the new ones at the greatest
    difference take that one which is highest in A: A scores the same with it alone, and B not
    more, as it has no others. So every document is tried by itself, and none at all. `judged` is
    as the metric sees it.
    """
    found = judged.relevant(metric.rel)
    first = found.first(found.place == 1)
    known = _differences(metric, first[cells.a][:, None], first[cells.b][:, None])
    new = _differences(
        metric, _or_new(first[cells.a], cells.rank_a), _or_new(first[cells.b], cells.rank_b)
    )
    every = np.concatenate([known, np.where(cells.there, new, known)], axis=1)
    return every.min(axis=1), every.max(axis=1)


def _or_new(first: Floats, rank: Ints) -> Floats:
    """The first relevant rank if this document is relevant too; 0 is a document it lacks."""
    return np.minimum(first[:, None], np.where(rank > 0, rank, np.inf))


def _differences(metric: ByFirst, a: Floats, b: Floats) -> Floats:
    return metric.score_at(a) - metric.score_at(b)
