"""Means of nDCG at several ranks: nDCGRel, Rndcg."""

import numpy as np

from rankwise.bounds.base import UNIT, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid
from rankwise.bounds.means import Mean, mean_bounds
from rankwise.bounds.ratio import (
    Discounted,
    RatioToIdeal,
    gains_on,
    levels_of,
    ratio_at_each_rank,
)

WHOLE = RatioToIdeal()


def _at_each_rank(metric: Discounted, grid: Grid) -> Bounds:
    """Return bounds of nDCG after each document."""
    levels = levels_of(metric, grid.judgments).of_block(grid)
    last = int(levels.count.max(initial=0) + grid.grade.shape[1])
    sums = np.concatenate([[0.0], np.cumsum(metric.discount(np.arange(1, last + 1)))])
    discount = metric.discount(grid.rank)
    return ratio_at_each_rank(grid, gains_on(metric, grid), discount, levels, sums)


class MeanRatioAtRelevant(ScoreBounds[Discounted]):
    """Bounds of the mean of nDCG at the relevant documents: nDCGRel; outer.

    Each rank, and the end for relevant documents that are not retrieved, has its own extreme.
    """

    open_range = UNIT

    def on(self, metric: Discounted, grid: Grid) -> Bounds:
        least, most = _at_each_rank(metric, grid)
        low, high = WHOLE.on(metric, grid)
        hit = gains_on(metric, grid) > 0
        count = grid.of(metric.ideal(grid.judgments).count_positive())
        missed = count - hit.sum(axis=1)
        known = (
            (hit * least).sum(axis=1) + missed * low,
            (hit * most).sum(axis=1) + missed * np.minimum(high, 1),
        )
        mean = Mean(known, np.maximum(count, 1), least, most, missed, 1.0, low)
        bounds = mean_bounds(grid, mean)
        return bounds[0], np.maximum(bounds[1], high)


class MeanRatioAtSteps(ScoreBounds[Discounted]):
    """Bounds of the mean of nDCG where the ideal moves to a lower grade: Rndcg; outer.

    A mean lies between the least and the greatest of its terms. Below the end of the ranking
    nDCG@k falls to its value at the end of the ideal.
    """

    open_range = UNIT

    def on(self, metric: Discounted, grid: Grid) -> Bounds:
        least, most = _at_each_rank(metric, grid)
        low, high = WHOLE.on(metric, grid)
        return np.minimum(least.min(axis=1), low), np.maximum(most.max(axis=1), high)
