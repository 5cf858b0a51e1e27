"""Bounds of interpolated precision: the highest precision at a recall level or beyond."""

from typing import Any

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.base import EXACT_IF_RETRIEVED, UNIT, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, different, leading, least_of_cuts, rest, running

UNCOUNTED = 1e15  # an unlimited number of documents outside the ranking


def interpolated_bounds(grid: Grid, rel: int, level: Any) -> Bounds:
    """Return exact bounds of the highest precision over the ranks with enough relevant documents.

    `level.wanted` takes R, the number of the topic's relevant documents, and returns the number
    that is wanted for the recall level. For the upper bound, exactly the unjudged documents down to
    the rank of the highest precision are relevant: each raises the number of relevant documents
    found by 1, and the number wanted by 0 or 1. For the lower bound, the m lowest unjudged
    documents are relevant, for some m, because the number found is then smallest at every rank.
    """
    count = grid.of(grid.judgments.judged_count(rel))[:, None]
    either = np.cumsum(grid.relevant(rel), axis=1) + np.cumsum(grid.unjudged, axis=1)
    new = np.cumsum(grid.unjudged, axis=1)
    reached = either >= level.wanted(count + new)
    high = np.where(reached, either / grid.rank, 0.0).max(axis=1)
    return _least_interpolated(grid, rel, level), high


def _least_interpolated(grid: Grid, rel: int, level: Any) -> Floats:
    """Return the smallest score over all cuts, with the unjudged documents below the cut relevant.

    All documents outside the ranking are relevant too. A cut (see grid.py) is tried only if one
    relevant document less would lower the number of relevant documents wanted. The score at a cut
    is at least the precision at any rank where this number is reached. The largest of some of these
    precisions is the quick bound that selects the cuts to evaluate.
    """
    count = grid.of(grid.judgments.judged_count(rel))[:, None]
    known, unjudged = running(grid.relevant(rel)), running(grid.unjudged)
    either, rank = known + unjudged, np.arange(known.shape[1])
    least = count + np.minimum(grid.others, UNCOUNTED)[:, None]
    relevant = least + rest(unjudged)
    eager = level.wanted(relevant) > level.wanted(relevant - 1)
    tried = different(grid.unjudged) & (eager | (relevant == least))
    row, cut = np.nonzero(tried)
    needed, above = level.wanted(relevant[row, cut]), unjudged[row, cut]
    # The first rank where the wanted number is reached, or a rank past the end.
    reached = leading(-known, 1 - needed, row)
    reached = np.where(reached <= cut, reached, leading(-either, 1 - needed - above, row))
    ends = np.minimum(reached, rank[-1])
    alone = np.maximum.accumulate((known / np.maximum(rank, 1))[:, ::-1], axis=1)[:, ::-1]
    found = np.maximum(known[row, ends], either[row, ends] - above) / np.maximum(ends, 1)
    promise = np.maximum.reduce([found, alone[row, ends], (either[row, -1] - above) / rank[-1]])
    promised, depth = np.zeros(known.shape), np.zeros(known.shape, np.int64)
    promised[row, cut], depth[row, cut] = np.where(reached > rank[-1], 0.0, promise), reached

    def score_at(rows: Ints, cut: Ints) -> Floats:
        new = np.maximum(unjudged[rows] - unjudged[rows, cut][:, None], 0)
        precision = (known[rows] + new) / np.maximum(rank, 1)
        return np.where(rank >= depth[rows, cut][:, None], precision, 0.0).max(axis=1)

    return least_of_cuts(promised, tried, score_at)


class InterpolatedPrecision(ScoreBounds[Any]):
    """Bounds of interpolated precision at one recall level: IPrec.

    They are exact under the assumption `retrieved` (see `ScoreBounds.of`).

    This class reads `rel` and `levels` of the metric.
    """

    exact = EXACT_IF_RETRIEVED
    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        [level] = metric.levels
        return interpolated_bounds(grid, metric.rel, level)


class MeanInterpolatedPrecision(ScoreBounds[Any]):
    """Bounds of the mean of interpolated precision over several recall levels: IPrecMean.

    They may not be tight, because the precision at each level is lowest, or highest, under
    different judgments.

    This class reads `rel` and `levels` of the metric.
    """

    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        ends = [interpolated_bounds(grid, metric.rel, level) for level in metric.levels]
        # Summed one by one, because NumPy sums a single ranking in another order.
        low, high = (np.asarray(sum(end)) / len(ends) for end in zip(*ends, strict=True))
        return low, high
