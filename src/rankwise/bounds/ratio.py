"""A sum of weights over that of the best order: nDCG and its relatives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import LAST_BIT, Floats, Ints
from rankwise.bounds.grid import Bounds, Grid, rest, running


@dataclass(frozen=True, eq=False, repr=False)
class Levels:
    """The gains that documents can have, highest first, as steps from one down to the next.

    A list of gains in the best order is worth Σ step × (weight of the first n ranks), n
    being how many reach the level: `count` (levels × rankings).
    """

    gain: Floats
    step: Floats
    count: Ints

    @classmethod
    def of(cls, gains: Floats, count_from: Callable[[float], Floats]) -> "Levels":
        """`gains` are those possible; `count_from` tells how many documents reach one."""
        levels = np.unique(gains[gains > 0])[::-1]
        step = levels - np.append(levels[1:], 0.0)
        return cls(levels, step, np.array([count_from(level) for level in levels]).astype(np.int64))

    def of_block(self, grid: Grid) -> "Levels":
        return Levels(self.gain, self.step, self.count[:, grid.rankings])

    @property
    def greatest(self) -> float:
        return float(self.step.sum())

    def ideal(self, more: Floats, depth: npt.NDArray[Any], sums: Floats) -> Floats:
        """The weight of the best order with `more` documents of the greatest gain added.

        Down to `depth`; all are grids or columns. `sums[n]` is the weight of n ranks.
        """
        last = len(sums) - 1
        total = np.zeros(np.broadcast_shapes(more.shape, depth.shape))
        for step, count in zip(self.step, self.count, strict=True):
            reach = np.minimum(np.minimum(count[:, None] + more, depth), last)
            total += step * sums[reach.astype(np.int64)]
        return total


def ratio_to_ideal(
    grid: Grid,
    earned: Floats,
    weight: Floats,
    levels: Levels,
    sums: Floats,
    missed: Sequence[Floats],
) -> Bounds:
    """The extremes of Σ gain × weight over the same of the best order; exact.

    `earned` is the current sum, `weight` that of each rank, `sums[n]` that of n ranks;
    `missed` says how many judged documents of each level the rankings lack.
    The ideal is the greatest of linear functions of the gains, hence convex, and the ratio
    quasi-concave: at its least each unjudged document gains the most or nothing, and those
    that gain are the lowest. For its greatest see `greatest_ratio`: at each level the
    documents that the ranking lacks come first below its end, since the ideal has them
    already; new ones that reach the level come into the highest places.
    """
    unjudged, found = running(grid.unjudged), running(np.where(grid.unjudged, weight, 0.0))
    least = earned[:, None] + levels.greatest * rest(found)
    more, depth = rest(unjudged) + grid.others[:, None], np.full((1, 1), np.inf)
    # Nothing to gain is 0 here, and made NaN further up.
    low = least / np.maximum(levels.ideal(more, depth, sums), 1e-300)
    founds, ideals = [], []
    below = running(grid.unjudged & grid.below)
    below_found = running(np.where(grid.unjudged & grid.below, weight, 0.0))
    for count, lacking in zip(levels.count, missed, strict=True):
        free = grid.shown_later(lacking)[:, None]
        cut = np.maximum(np.arange(below.shape[1]), (below < free).sum(axis=1)[:, None])
        free_found = np.take_along_axis(below_found, cut, axis=1)
        founds.append(found - below_found + free_found)
        new = unjudged - np.minimum(below, free)
        ideals.append(sums[np.minimum(count[:, None] + new, len(sums) - 1).astype(np.int64)])
    return low.min(axis=1), greatest_ratio(earned, founds, levels.step, ideals)


def greatest_ratio(
    earned: Floats, founds: list[Floats], steps: Floats, ideals: list[Floats]
) -> Floats:
    """The greatest (earned + Σ step × found[cut]) / Σ step × ideal[cut], a cut for each level.

    λ is raised to the ratio at the maximum of (numerator − λ denominator) until it stays
    (Dinkelbach 1967). That difference is a sum over levels of step × (E(n) − λ W(K + n)):
    n unjudged documents, the highest, reach the level with K judged ones, E is their
    weight, W that of the first ranks. Each level is maximised alone, since the greater K
    the greater is the best n, and the levels stay in order.
    """
    rows, high = np.arange(len(earned)), np.zeros(len(earned))
    for _ in range(100):  # it rises each time, over finitely many ratios; in practice 3 to 6
        gained, best = earned.copy(), np.zeros(len(earned))
        for step, found, ideal in zip(steps, founds, ideals, strict=True):
            cut = (found - high[:, None] * ideal).argmax(axis=1)
            gained += step * found[rows, cut]
            best += step * ideal[rows, cut]
        ratio = np.divide(gained, best, out=np.zeros(len(earned)), where=best > 0)
        # A row that stays is left alone, whatever the others do; some ratios are tiny.
        rises = ratio > high * (1 + LAST_BIT)
        if not rises.any():
            break
        high = np.where(rises, ratio, high)
    return high


def ratio_at_each_rank(
    grid: Grid, gain: Floats, weight: Floats, levels: Levels, sums: Floats
) -> Bounds:
    """Outer bounds of the ratio down to each rank, against the ideal down to there.

    The least gain over the greatest ideal, and the greatest gain over the current one.
    """
    possible = np.where(grid.unjudged, levels.greatest, gain)
    earned = [np.cumsum(gains * weight, axis=1) for gains in (gain, possible)]
    depth = np.broadcast_to(grid.rank, gain.shape)
    best = levels.ideal(grid.hidden[:, None], depth, sums)
    today = levels.ideal(np.zeros((1, 1)), depth, sums)
    least = np.divide(earned[0], best, out=np.zeros(gain.shape), where=best > 0)
    most = np.divide(earned[1], today, out=np.ones(gain.shape), where=today > 0)
    return least, np.minimum(most, 1)
