"""Bounds of gains discounted by the non-relevant documents above: binG, G."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import EXACT_IF_RETRIEVED, UNIT, Binary, ScoreBounds
from rankwise.bounds.grid import (
    Bounds,
    Grid,
    chords,
    different,
    greatest_of_cuts,
    least_of_cuts,
    mean_bounds,
    rest,
    running,
    tangents,
)
from rankwise.bounds.ratio import gains_on, levels_of
from rankwise.rankings import JudgedRankings, undiscounted


def by_nonrelevant(grid: Grid, hit: Bools, known: Floats) -> Bounds:
    """Return exact bounds of (1/R) Σ 1 / log2(2 + number of non-relevant documents above).

    The sum runs over the retrieved relevant documents. R is the number of all relevant documents,
    `known` the current R, and `hit` marks the relevant cells. If m unjudged documents are relevant,
    the score is largest for the m highest and smallest for the m lowest, because the n-th relevant
    document then has the fewest (most) non-relevant documents above it. If the rank of this
    document is i, i − n non-relevant documents are above it. This number depends on m, so
    cumulative sums cannot give the scores of all cuts (see grid.py). But the discount is convex in
    this number. Chords and tangents therefore bound the score of each cut, and few cuts need to be
    evaluated. Documents outside the grid rank below all others.
    """
    unjudged, either = running(grid.unjudged), hit | grid.unjudged
    tried = different(grid.unjudged)
    # Currently non-relevant documents above each cell.
    others = np.asarray(grid.rank - np.cumsum(hit, axis=1))
    fewest = others - unjudged[:, 1:]

    def total(rows: Ints, new: Bools) -> Floats:
        relevant = hit[rows] | (grid.unjudged[rows] & new)
        return (relevant * _discount(grid.rank - np.cumsum(relevant, axis=1))).sum(axis=1)

    count, top = known + unjudged, running(either * _discount(fewest))
    promised = chords(
        unjudged + 1, lambda new: top + rest(running(hit * _discount(others - new + 1))), count
    )
    high = greatest_of_cuts(
        promised,
        tried,
        lambda rows, cut: total(rows, grid.rank <= cut[:, None]) / count[rows, cut],
    )
    some = np.isfinite(grid.others)
    most_count = known + rest(unjudged) + np.where(some, grid.others, 0.0)[:, None]
    alone = running(hit * _discount(others))
    promised = tangents(
        unjudged + 1,
        lambda above: alone + rest(running(either * _discount(fewest + above - 1))),
        lambda above: rest(running(either * _slope(fewest + above - 1))),
        most_count,
    )
    low = least_of_cuts(
        promised,
        tried & some[:, None],
        lambda rows, cut: total(rows, grid.rank > cut[:, None]) / most_count[rows, cut],
    )
    return np.where(some, low, 0.0), high


def _discount(others: npt.NDArray[Any]) -> Floats:
    """Return 1 / log2(2 + others) for whole numbers, and its tangent at 0 for negative numbers."""
    known = 1 / np.log2(2 + np.arange(max(int(others.max(initial=0)), 0) + 1))
    discount = known[np.maximum(others, 0).astype(np.int64)]
    return np.where(others < 0, known[0] - others / (2 * np.log(2)), discount)


def _slope(others: npt.NDArray[Any]) -> Floats:
    """Return the derivative of the discount with respect to `others`."""
    more = 2 + np.arange(int(others.max(initial=0)) + 1)
    slope = -np.log(2) / (more * np.log(more) ** 2)
    return slope[np.maximum(others, 0).astype(np.int64)]


class NonrelevantAbove(ScoreBounds[Binary]):
    """Bounds of the mean of 1 / log2(2 + n) over the relevant documents: binG.

    n is the number of non-relevant documents above. The bounds are exact under the assumption
    `retrieved` (see `ScoreBounds.of`). This class reads `rel` of the metric.
    """

    exact = EXACT_IF_RETRIEVED
    open_range = UNIT

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        count = grid.relevant_count(metric.rel)[:, None]
        return by_nonrelevant(grid, grid.relevant(metric.rel), count)


class GainBehindIdeal(ScoreBounds[Any]):
    """Bounds of gains discounted by the lead of the ideal ranking in cumulative gain: G.

    If all gains are 0 or 1, G equals binG, and the bounds are exact under the assumption
    `retrieved`. With other gains they may not be tight: each document's discount is bounded with
    the largest (smallest) cumulative gain of the ideal ranking and the smallest (largest)
    cumulative gain of this ranking.

    This class reads `worth`, `discount`, `ideal`, `discounted` and `cost` of the metric.
    """

    exact_if_alike = EXACT_IF_RETRIEVED
    exact_where = "all gains are 0 or 1"
    open_range = UNIT

    def one_gain(self, metric: Any, judged: JudgedRankings) -> float | None:
        worth = np.unique(metric.worth(metric.possible_grades(judged), judged))
        return 1.0 if worth[worth > 0].tolist() == [1.0] else None

    def on(self, metric: Any, grid: Grid) -> Bounds:
        judged, gain = grid.judgments, gains_on(metric, grid)
        relevant = grid.of(metric.ideal(judged).count_positive())
        if self.one_gain(metric, judged) is not None:
            return by_nonrelevant(grid, gain > 0, np.maximum(relevant, 1)[:, None])
        best = levels_of(metric, judged).of_block(grid).greatest
        ranking, rank = grid.cells
        hidden = np.minimum(grid.hidden[:, None], rank).astype(np.int64)
        now = metric.cost(judged, ranking, rank)
        cost = max(best, 1.0) * hidden + metric.cost(judged, ranking, rank - hidden)
        so_far = np.cumsum(gain, axis=1)
        possible = so_far + best * np.cumsum(grid.unjudged, axis=1)
        least, most = (
            1 / np.log2(2 + np.maximum(behind, 0)) for behind in (cost - so_far, now - possible)
        )
        known = ((gain * least).sum(axis=1), (gain * most).sum(axis=1))
        total = np.maximum(grid.of(metric.ideal(judged).total(undiscounted)), 1e-300)
        missed = relevant - (gain > 0).sum(axis=1)
        return mean_bounds(grid, known, (least, most), weight=total, missed=missed, heaviest=best)
