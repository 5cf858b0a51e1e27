"""Bounds of DCG divided by the DCG of the best order: nDCG and related metrics.

All classes of bounds except `RatioOfAnother` read `worth`, `discount`, `ideal` and `discounted` of
the metric.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import LAST_BIT, Floats, Ints
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, mean_bounds, rest, running, scan
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


@dataclass(frozen=True, eq=False, repr=False)
class Levels:
    """Possible gains (levels) in decreasing order, and the step from each level down to the next.

    `count[level, ranking]` is the number n of judged documents of the ranking's topic with at least
    this gain. The ideal DCG of the topic is the sum over the levels of step × (total discount of
    the first n ranks).
    """

    gain: Floats
    step: Floats
    count: Ints

    @classmethod
    def of(cls, gains: Floats, count_from: Callable[[float], Floats]) -> "Levels":
        """Return the levels of the possible `gains`.

        `count_from` returns, for each ranking, the number of documents with at least a given gain.
        """
        levels = np.unique(gains[gains > 0])[::-1]
        step = levels - np.append(levels[1:], 0.0)
        return cls(levels, step, np.array([count_from(level) for level in levels]).astype(np.int64))

    def of_block(self, grid: Grid) -> "Levels":
        return Levels(self.gain, self.step, self.count[:, grid.rankings])

    @property
    def greatest(self) -> float:
        return float(self.step.sum())

    def ideal(self, more: Floats, depth: npt.NDArray[Any], sums: Floats) -> Floats:
        """Return the DCG of the best order down to rank `depth`.

        `more` is the number of documents of the largest gain that join the judged documents. `more`
        and `depth` are arrays with one row per ranking, or broadcast to it. `sums[n]` is the total
        discount of the first n ranks.
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
    """Return exact bounds of Σ gain × weight divided by the same sum for the best order.

    The weights must not increase with the rank. `earned` is the current sum, `weight` the weight of
    each rank, and `sums[n]` the total weight of the first n ranks. `missed` is, for each level, the
    number of judged documents with at least this gain that the ranking does not retrieve.

    The ideal sum is a maximum of linear functions of the gains. It is therefore convex, and the
    ratio is quasi-concave. At the minimum of the ratio, each unjudged document has the largest gain
    or none, and the unjudged documents with gain have the lowest ranks. For the maximum see
    `greatest_ratio`. At the maximum, the ranks below the end of the ranking are first filled with
    judged documents that it has not retrieved, because the best order already includes these
    documents. New documents of each level take the highest unjudged ranks.
    """
    unjudged, found = running(grid.unjudged), running(np.where(grid.unjudged, weight, 0.0))
    least = earned[:, None] + levels.greatest * rest(found)
    more, depth = rest(unjudged) + grid.others[:, None], np.full((1, 1), np.inf)
    # A topic without gains scores 0 here; the caller makes it NaN.
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
    """Return the maximum of (earned + Σ step × found[cut]) / Σ (step × ideal[cut]) per ranking.

    `earned` is the current DCG of each ranking. The sums are over the levels of gain (see
    `Levels`), and each level has its own cut (see grid.py). `steps` has the step of each level. For
    each level, `founds` has the total discount of the unjudged ranks above each cut, and `ideals`
    the total discount of the ranks of the ideal ranking.

    Dinkelbach's algorithm (1967) maximises numerator − λ × denominator, sets λ to the ratio at the
    maximum, and repeats this until λ no longer rises. Numerator − λ × denominator is a sum over
    levels of step × (E(n) − λ W(K + n)). The n highest unjudged documents and K judged documents
    have at least the gain of the level. E(n) is the total discount of these n ranks, and W(j) that
    of the first j ranks. Each level can be maximised separately: lower levels have a larger K, and
    thus a larger best n, so the levels stay in order.
    """
    rows, high = np.arange(len(earned)), np.zeros(len(earned))
    for _ in range(100):  # λ rises each time, over finitely many ratios; in practice 3 to 6 rounds
        gained, best = earned.copy(), np.zeros(len(earned))
        for step, found, ideal in zip(steps, founds, ideals, strict=True):
            cut = (found - high[:, None] * ideal).argmax(axis=1)
            gained += step * found[rows, cut]
            best += step * ideal[rows, cut]
        ratio = np.divide(gained, best, out=np.zeros(len(earned)), where=best > 0)
        # A row that does not rise is kept, independently of other rows; the tolerance is relative
        # because some ratios are tiny.
        rises = ratio > high * (1 + LAST_BIT)
        if not rises.any():
            break
        high = np.where(rises, ratio, high)
    return high


def gains_on(metric: Any, grid: Grid) -> Floats:
    """Return the gain of each judged document of a grid, and 0 in all other cells."""
    usable = grid.judged & (grid.grade >= 0)
    return np.where(usable, metric.worth(grid.grade, grid.judgments), 0.0)


def levels_of(metric: Any, judged: JudgedRankings) -> Levels:
    """Return the possible gains, and the number of judged documents with at least each gain."""

    def count() -> Levels:
        gains = metric.worth(metric.possible_grades(judged), judged)
        return Levels.of(gains, metric.ideal(judged).count_from)

    return judged.keep(("levels", metric), count)


def _discounts_down_to(metric: Any, levels: Levels, grid: Grid) -> Floats:
    """Return the sums of the first 0, 1, 2 … discounts, for all ranks of any ideal ranking."""
    others = int(grid.others[np.isfinite(grid.others)].max(initial=0))
    last = metric.cutoff or int(levels.count.max(initial=0)) + grid.grade.shape[1] + others
    return np.concatenate([[0.0], np.cumsum(metric.discount(np.arange(1, last + 1)))])


class RatioToIdeal(ScoreBounds[Any]):
    """Bounds of DCG / (ideal DCG), for any discount that never increases. They are exact."""

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Any, grid: Grid, earned: Floats | None = None) -> Bounds:
        """Return the bounds of the scores of a grid's rankings.

        `earned` is the DCG of each ranking. If it is None, it is computed from the grid.
        """
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

    def condensed(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        """Return the bounds for condensed lists. The upper bound may not be tight.

        Inserting a document without gain never raises the score. The lower bound is therefore that
        of the full list. For the upper bound, the judged documents keep their current discounted
        gains, as if nothing were inserted above them. The n-th inserted document is ranked no
        higher than the n-th unjudged document of the full list.
        """
        whole = self.uncondensed(metric, judged, unjudged)
        if whole is None or (unjudged == "open" and metric.cutoff is None):
            return whole
        today = metric.discounted(metric.view(judged))

        def on(grid: Grid) -> Bounds:
            # A document inserted from below the end may come above a currently unjudged one.
            below = grid.unjudged & (unjudged == "open")
            return self.on(metric, replace(grid, below=below), grid.of(today))

        open_to = None if unjudged == "retrieved" else metric.cutoff
        bounds = scan(judged.usable().top(metric.cutoff), on, open_to=open_to)
        return bounds and (whole[0], np.minimum(bounds[1], 1))


class RatioOfAnother(ScoreBounds[Any]):
    """Bounds of a metric with the scores of another metric, its attribute `ratio`: nRBP.

    They are exact under the assumption `retrieved` (see `ScoreBounds.of`).

    This class reads `ratio` of the metric.
    """

    exact = EXACT_IF_RETRIEVED
    open_range = UNIT
    argument = RatioToIdeal()

    def on(self, metric: Any, grid: Grid) -> Bounds:
        return self.argument.on(metric.ratio, grid)

    def condensed(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        return self.argument.condensed(metric.ratio, judged, unjudged)


class RatioToBestOrder(ScoreBounds[Any]):
    """Bounds of DCG divided by the DCG of the same documents in the best order: SN-DCG.

    They are exact. Documents outside the ranking have no effect.
    """

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        gain, discount = gains_on(metric, grid), metric.discount(grid.rank)
        possible = metric.worth(metric.possible_grades(grid.judgments), grid.judgments)
        levels = Levels.of(possible, lambda level: (gain >= level).sum(axis=1))
        sums = _discounts_down_to(metric, levels, grid)
        nothing = np.zeros(len(gain))
        alone, earned = replace(grid, others=nothing), (gain * discount).sum(axis=1)
        return ratio_to_ideal(alone, earned, discount, levels, sums, [nothing] * len(levels.step))


WHOLE = RatioToIdeal()


def _at_each_rank(metric: Any, grid: Grid) -> Bounds:
    """Return bounds of nDCG@k at each rank k (not tight).

    The lower bound divides the smallest DCG@k by the largest ideal DCG@k, the upper bound the
    largest DCG@k by the current ideal DCG@k.
    """
    levels = levels_of(metric, grid.judgments).of_block(grid)
    last = int(levels.count.max(initial=0) + grid.grade.shape[1])
    sums = np.concatenate([[0.0], np.cumsum(metric.discount(np.arange(1, last + 1)))])
    gain, discount = gains_on(metric, grid), metric.discount(grid.rank)
    possible = np.where(grid.unjudged, levels.greatest, gain)
    earned = [np.cumsum(gains * discount, axis=1) for gains in (gain, possible)]
    depth = np.broadcast_to(grid.rank, gain.shape)
    best = levels.ideal(grid.hidden[:, None], depth, sums)
    today = levels.ideal(np.zeros((1, 1)), depth, sums)
    least = np.divide(earned[0], best, out=np.zeros(gain.shape), where=best > 0)
    most = np.divide(earned[1], today, out=np.ones(gain.shape), where=today > 0)
    return least, np.minimum(most, 1)


class MeanRatioAtRelevant(ScoreBounds[Any]):
    """Bounds of the mean of nDCG@k over the ranks k of the relevant documents: nDCGRel.

    They may not be tight, because nDCG at each rank is lowest, or highest, under different
    judgments. Relevant documents that are not retrieved count with the bounds of the nDCG of the
    whole ranking.
    """

    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        least, most = _at_each_rank(metric, grid)
        low, high = WHOLE.on(metric, grid)
        hit = gains_on(metric, grid) > 0
        count = grid.of(metric.ideal(grid.judgments).count_positive())
        missed = count - hit.sum(axis=1)
        known = (
            (hit * least).sum(axis=1) + missed * low,
            (hit * most).sum(axis=1) + missed * np.minimum(high, 1),
        )
        weight = np.maximum(count, 1)
        bounds = mean_bounds(
            grid, known, (least, most), weight=weight, missed=missed, elsewhere=low
        )
        return bounds[0], np.maximum(bounds[1], high)


class MeanRatioAtSteps(ScoreBounds[Any]):
    """Bounds of Rndcg: the mean of nDCG@k at the ranks k where the ideal ranking's grade drops.

    A mean lies between its smallest and its largest term. The lower bound is therefore the smallest
    lower bound of nDCG@k at any rank k, and the upper bound the largest upper bound. They may not
    be tight. For ranks k below the end of the ranking, nDCG@k only falls, down to nDCG without a
    cutoff. The bounds of nDCG without a cutoff are therefore included.
    """

    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        least, most = _at_each_rank(metric, grid)
        low, high = WHOLE.on(metric, grid)
        return np.minimum(least.min(axis=1), low), np.maximum(most.max(axis=1), high)
