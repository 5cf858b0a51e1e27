"""What the unjudged documents leave possible: the machinery that the metrics' bounds share.

Some rankings at a time are laid out rank by rank, as a grid. Most bounds come from a
scan over cuts: for every depth t at once, the unjudged documents down to t are relevant
(the m highest of them, whatever m is), or those below t (the m lowest). A metric that
favours the top is, for each m, greatest with the highest and least with the lowest m.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints
from rankwise.rankings.judged import JudgedRankings

Bounds = tuple[Floats, Floats]
CELLS = 1 << 17  # in a block: its columns stay in the cache


@dataclass(frozen=True, eq=False)
class Grid:
    """A block of rankings: a row for each ranking, a column for each rank.

    `others` says, for each ranking, how many documents may turn out to be relevant that
    are not in the grid: those below the cutoff, or any number (infinity). `below` are the
    cells below the end of the ranking, if it goes on: an unjudged document may be there, or
    one that is judged and that the ranking has not shown yet.
    """

    judgments: JudgedRankings
    rankings: slice
    grade: Ints
    judged: Bools
    unjudged: Bools
    others: Floats
    below: Bools

    @property
    def rank(self) -> Ints:
        return np.arange(1, self.grade.shape[1] + 1)

    @property
    def cells(self) -> tuple[Ints, Ints]:
        """The number of the ranking and the rank of each cell."""
        width = self.grade.shape[1]
        ranking = np.arange(self.rankings.start, self.rankings.stop)[:, None]
        return np.repeat(ranking, width, axis=1), np.tile(
            np.arange(1, width + 1), (len(ranking), 1)
        )

    def of(self, column: npt.NDArray[Any]) -> Floats:
        """The values of this block's rankings out of a column with one for each ranking."""
        return column[self.rankings].astype(np.float64, copy=False)

    def relevant(self, rel: int) -> Bools:
        return self.judged & (self.grade >= rel)

    def nonrelevant(self, rel: int) -> Bools:
        """Judged, usable and not relevant."""
        return self.judged & (self.grade >= 0) & (self.grade < rel)

    def relevant_count(self, rel: int) -> Floats:
        """R of each ranking's topic, at least 1."""
        return np.maximum(self.of(self.judgments.judged_count(rel)), 1.0)

    def shown_later(self, missed: Floats) -> Floats:
        """How many of the documents that a ranking lacks can still come below its end."""
        return np.minimum(missed, (self.below & self.unjudged).sum(axis=1))

    @property
    def hidden(self) -> Floats:
        """How many documents may turn out to be relevant, in the grid or not."""
        return self.unjudged.sum(axis=1) + self.others


def blocks(judged: JudgedRankings, others: Floats, end: Ints) -> Iterator[Grid]:
    """The rankings as grids, as many at a time as fit the cache; `end` is where each ends."""
    rows = max(1, CELLS // max(1, int(judged.length.max(initial=1))))
    for start in range(0, judged.count, rows):
        rankings = slice(start, min(start + rows, judged.count))
        lengths = judged.length[rankings]
        shape = (len(lengths), max(1, int(lengths.max(initial=1))))
        here = slice(judged.row_start[rankings.start], judged.row_start[rankings.stop])
        cells = (judged.ranking[here] - start) * shape[1] + judged.rank[here] - 1
        grade, known = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        grade.ravel()[cells] = judged.grade[here]
        known.ravel()[cells] = True
        place = np.arange(shape[1])
        unjudged = (place < lengths[:, None]) & ~known
        below = place >= end[rankings][:, None]
        yield Grid(judged, rankings, grade, known, unjudged, others[rankings], below)


def scan(
    judged: JudgedRankings,
    bounds_on: Callable[[Grid], Bounds | None],
    *,
    open_to: int | None = None,
    more: int = 0,
) -> Bounds | None:
    """The bounds of every ranking, block by block.

    With `open_to` every ranking goes on to that rank, and `more` documents beyond its end,
    and any number of documents elsewhere may be relevant.
    """
    others, end = judged.unjudged_below.astype(np.float64), judged.length
    if open_to is not None:
        judged = judged.going_on(np.maximum(end, open_to) + more)
        others = np.full(judged.count, np.inf)
    low, high = np.empty(judged.count), np.empty(judged.count)
    for grid in blocks(judged, others, end):
        found = bounds_on(grid)
        if found is None:
            return None
        low[grid.rankings], high[grid.rankings] = found
    return low, high


def running(values: npt.NDArray[Any]) -> Floats:
    """For each cut, after 0, 1, 2 … documents, the sum of the values above it."""
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums


def above(cells: Bools) -> Ints:
    """How many of some cells are above each cell."""
    return np.asarray(np.cumsum(cells, axis=1) - cells)


def rest(sums: Floats) -> Floats:
    """For each cut the sum of the values below it, from those above it."""
    return sums[:, -1:] - sums


@dataclass(frozen=True, eq=False)
class Precisions:
    """Σ (relevant documents down to i) × weight(i) over relevant ranks i, for every cut.

    With c(i) judged relevant and u(i) unjudged documents down to rank i, and a cut at t:
    if the unjudged above it are relevant, it is Σ (c + u) w over relevant and unjudged
    ranks i ≤ t, plus Σ (c + u(t)) w over relevant ranks i > t; if those below it are,
    Σ c w over relevant i ≤ t, plus Σ (c + u − u(t)) w over both kinds of i > t. Each is a
    sum over all ranks, and two running sums.
    """

    hit: Floats
    either: Floats  # relevant or unjudged
    alone: Floats  # c at relevant ranks
    both: Floats  # c + u at both kinds
    unjudged: Floats  # u, for every cut

    @classmethod
    def of(cls, grid: Grid, hit: Bools) -> "Precisions":
        unjudged, either = running(grid.unjudged), (hit | grid.unjudged).astype(np.float64)
        alone = np.where(hit, np.cumsum(hit, axis=1), 0.0)
        both = either * (np.cumsum(hit, axis=1) + unjudged[:, 1:])
        return cls(hit.astype(np.float64), either, alone, both, unjudged)

    def highest(self, weight: Floats) -> Floats:
        sums = running((self.both - self.alone) * weight)
        sums += self.unjudged * rest(running(self.hit * weight))
        return sums + (self.alone * weight).sum(axis=1)[:, None]

    def lowest(self, weight: Floats) -> Floats:
        sums = running((self.alone - self.both) * weight)
        sums -= self.unjudged * rest(running(self.either * weight))
        return sums + (self.both * weight).sum(axis=1)[:, None]


def sums_of_precisions(grid: Grid, rel: int) -> tuple[Floats, Floats, Floats]:
    """Σ precision at relevant ranks, for each cut; and how many unjudged are above the cut.

    First with the unjudged documents above the cut relevant, then with those below it.
    """
    precisions, weight = Precisions.of(grid, grid.relevant(rel)), 1 / grid.rank
    return precisions.highest(weight), precisions.lowest(weight), precisions.unjudged


@dataclass(frozen=True)
class Mean:
    """A weighted mean of values of relevant documents; each is only known to lie in a range.

    `known` holds Σ weight × value over the relevant documents of today, at least and at
    most, `weight` their whole weight, `least` and `most` (grids) the values, up to 1, that
    unjudged documents would have. Each of these weighs at most `heaviest`, as does each of the
    others outside of the grid, whose value is at least `elsewhere`. `missed` is how many
    relevant documents the rankings lack: their weight is in `weight`, not their value.
    """

    known: Bounds
    weight: Floats
    least: Floats
    most: Floats
    missed: Floats
    heaviest: float = 1.0
    elsewhere: Floats | float = 0.0


def mean_bounds(grid: Grid, mean: Mean) -> Bounds:
    """Outer bounds of a weighted mean of which some weights are unknown.

    Were the values fixed, the mean would be a ratio of linear functions of the new
    weights, so its extremes take each weight whole or not at all; and whole exactly
    where the value is above (for the least: below) the extreme. So it is enough to try
    the m best values, and the m worst, for every m. Of the m best some may be documents that
    are known to be relevant and still come below the end: these add no weight.
    """
    best = -np.sort(np.where(grid.unjudged, -mean.most, np.inf), axis=1)
    worst = np.sort(np.where(grid.unjudged, mean.least, np.inf), axis=1)
    count = np.minimum(np.arange(best.shape[1] + 1), grid.unjudged.sum(axis=1)[:, None])
    weight = mean.weight[:, None] + mean.heaviest * count
    found = [
        known[:, None] + mean.heaviest * running(np.where(np.isfinite(values), values, 0.0))
        for known, values in zip(mean.known, (worst, best), strict=True)
    ]
    low = (found[0] / weight).min(axis=1)
    others = np.where(np.isfinite(grid.others), grid.others, 0.0) * mean.heaviest
    with_others = (found[0] + (others * mean.elsewhere)[:, None]) / (weight + others[:, None])
    low = np.minimum(low, with_others.min(axis=1))
    low = np.where(np.isfinite(grid.others), low, np.minimum(low, mean.elsewhere))
    free = grid.shown_later(mean.missed)[:, None]
    light = mean.weight[:, None] + mean.heaviest * np.maximum(count - free, 0)
    return low, np.minimum((found[1] / light).max(axis=1), 1)


@dataclass(frozen=True)
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

    `earned` is the sum of today, `weight` that of each rank, `sums[n]` that of n ranks;
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
        if not (ratio > high + 1e-15).any():
            break
        high = np.maximum(ratio, high)
    return high
