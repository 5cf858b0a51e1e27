"""Sum of weights over that of the best order: nDCG and related metrics."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rankwise.arrays import LAST_BIT, Floats, Ints
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, Bounded, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, rest, running, scan
from rankwise.bounds.means import Mean, mean_bounds
from rankwise.rankings import Ideal, JudgedRankings
from rankwise.vocabulary import Assumption


@dataclass(frozen=True, eq=False, repr=False)
class Levels:
    """Possible gains, highest first, as steps from one down to the next.

    The DCG of a list of gains in the best order is Σ step × (weight of the first n ranks), n
    being the number of gains that reach the level: `count` (levels × rankings).
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
        """Return the weight of the best order with `more` documents of the greatest gain added.

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
    """Return the bounds of Σ gain × weight over the same sum of the best order; exact.

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
    """Return the greatest (earned + Σ step × found[cut]) / Σ step × ideal[cut], a cut per level.

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
    """Return outer bounds of the ratio down to each rank, against the ideal down to there.

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


class Discounted(Bounded, Protocol):
    """A metric with a gain for each grade, a discount for each rank, and the ideal ranking."""

    def worth(self, grade: Ints, judged: JudgedRankings) -> Floats: ...
    def discount(self, rank: Ints) -> Floats: ...
    def ideal(self, judged: JudgedRankings) -> Ideal: ...
    def discounted(self, judged: JudgedRankings) -> Floats: ...


def gains_on(metric: Discounted, grid: Grid) -> Floats:
    """Return the gain of each judged document of a grid; 0 elsewhere."""
    usable = grid.judged & (grid.grade >= 0)
    return np.where(usable, metric.worth(grid.grade, grid.judgments), 0.0)


def levels_of(metric: Discounted, judged: JudgedRankings) -> Levels:
    """Return the possible gains, and how many of each topic's judged documents reach each."""

    def count() -> Levels:
        gains = metric.worth(metric.possible_grades(judged), judged)
        return Levels.of(gains, metric.ideal(judged).count_from)

    return judged.keep(("levels", metric), count)


def _discounts_down_to(metric: Discounted, levels: Levels, grid: Grid) -> Floats:
    """Return the sums of the first 0, 1, 2 … discounts, as far as an ideal can reach."""
    others = int(grid.others[np.isfinite(grid.others)].max(initial=0))
    last = metric.cutoff or int(levels.count.max(initial=0)) + grid.grade.shape[1] + others
    return np.concatenate([[0.0], np.cumsum(metric.discount(np.arange(1, last + 1)))])


class RatioToIdeal(ScoreBounds[Discounted]):
    """Bounds of DCG over the DCG of the ideal ranking, for any discount that falls; exact."""

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Discounted, grid: Grid, earned: Floats | None = None) -> Bounds:
        """`earned` replaces the DCG of the grid's documents."""
        levels = levels_of(metric, grid.judgments).of_block(grid)
        gain, discount = gains_on(metric, grid), metric.discount(grid.rank)
        if earned is None:
            earned = (gain * discount).sum(axis=1)
        sums = _discounts_down_to(metric, levels, grid)
        missed = [
            count - (gain >= level).sum(axis=1)
            for level, count in zip(levels.gain, levels.count, strict=True)
        ]
        return ratio_to_ideal(grid, earned, discount, levels, sums, missed)

    def condensed(
        self, metric: Discounted, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        """Bounds of condensed lists: the lower one is exact, the upper one is outer.

        A document that gains nothing never raises the score. At most the judged documents keep
        their current gains, with nothing between them, and the n-th one that enters is no higher
        than the n-th of the unjudged in the whole list.
        """
        whole = self.uncondensed(metric, judged, unjudged)
        if whole is None or (unjudged == "open" and metric.cutoff is None):
            return whole
        today = metric.discounted(metric.view(judged))

        def on(grid: Grid) -> Bounds:
            # A document that enters from below the end may come above an unjudged one of today.
            below = grid.unjudged & (unjudged == "open")
            return self.on(metric, replace(grid, below=below), grid.of(today))

        open_to = None if unjudged == "retrieved" else metric.cutoff
        bounds = scan(judged.usable().top(metric.cutoff), on, open_to=open_to)
        return bounds and (whole[0], np.minimum(bounds[1], 1))


class AsRatio(Bounded, Protocol):
    """A metric whose score is that of a ratio to the ideal."""

    ratio: Discounted


class RatioOfAnother(ScoreBounds[AsRatio]):
    """Bounds of a metric defined as a ratio of another (nRBP); exact under `retrieved`."""

    exact = EXACT_IF_RETRIEVED
    open_range = UNIT
    argument = RatioToIdeal()

    def on(self, metric: AsRatio, grid: Grid) -> Bounds:
        return self.argument.on(metric.ratio, grid)

    def condensed(
        self, metric: AsRatio, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        return self.argument.condensed(metric.ratio, judged, unjudged)


class RatioToBestOrder(ScoreBounds[Discounted]):
    """Bounds of DCG over that of the same documents in the best order: SN-DCG; exact.

    Documents elsewhere play no part.
    """

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Discounted, grid: Grid) -> Bounds:
        gain, discount = gains_on(metric, grid), metric.discount(grid.rank)
        possible = metric.worth(metric.possible_grades(grid.judgments), grid.judgments)
        levels = Levels.of(possible, lambda level: (gain >= level).sum(axis=1))
        sums = _discounts_down_to(metric, levels, grid)
        nothing = np.zeros(len(gain))
        alone, earned = replace(grid, others=nothing), (gain * discount).sum(axis=1)
        return ratio_to_ideal(alone, earned, discount, levels, sums, [nothing] * len(levels.step))


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
