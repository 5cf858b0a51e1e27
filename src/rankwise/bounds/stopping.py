"""Bounds of the utility at the rank where users stop: EBR, nEBR, iRBU, niRBU."""

from typing import Any

import numpy as np

from rankwise.arrays import Floats
from rankwise.bounds.base import EXACT, UNIT, ScoreBounds, only_upper
from rankwise.bounds.blended import BlendedBounds, BlendedRatio
from rankwise.bounds.grid import Bounds, Grid, product_above
from rankwise.rankings import Ideal, JudgedRankings


def over_the_ideal(grid: Grid, found: Bounds, now: Floats, later: Floats) -> Bounds:
    """Return bounds (not tight) of a score divided by the score of the best order.

    `found` has the bounds of the score before this division. The lower bound is divided by the
    largest score of the best order, the upper bound by the current score of the best order. `now`
    is the current score of the best order, and `later` the largest after further judgments. The
    upper bound is at most 1.
    """
    largest = np.where(grid.hidden > 0, np.maximum(now, later), now)
    low = found[0] / np.maximum(largest, 1e-300)
    return low, np.minimum(found[1] / np.maximum(now, 1e-300), 1.0)


def _greatest_chance(metric: Any, judged: JudgedRankings) -> float:
    return float(metric.chance(metric.possible_grades(judged), judged).max())


class ExpectedRatio(BlendedBounds):
    """Bounds of the expected blended ratio at the rank where users stop: EBR.

    They may not be tight.

    Suppose that each user is satisfied by a fixed set of documents, which judgments do not change.
    Consider a user who currently stops at a judged document. Under any judgments, this user stops
    at this document or further up, so the smallest ratio down to its rank is a lower bound for this
    user. Consider a user who would stop at rank r if all unjudged documents had the best grade.
    Under any judgments, this user stops at r, further down, or never, so the largest ratio from r
    on is an upper bound for this user. The score is the mean over users.

    This class reads `chance` of the metric, and the attributes that `BlendedBounds` lists.
    """

    exact_if_alike = frozenset()

    def on(self, metric: Any, grid: Grid) -> Bounds:
        now = np.where(grid.judged, metric.chance(grid.grade, grid.judgments), 0.0)
        greatest = _greatest_chance(metric, grid.judgments)
        best = np.where(grid.unjudged, greatest, now)
        cells = grid.relevant(metric.rel) | grid.unjudged  # where users may stop
        least, most = BlendedRatio(metric, grid).at_each_rank()
        worst_above = np.minimum.accumulate(np.where(cells, least, np.inf), axis=1)
        best_below = np.maximum.accumulate(np.where(cells, most, 0.0)[:, ::-1], axis=1)[:, ::-1]
        stops = now * product_above(1 - now)
        low = np.where(now > 0, stops * np.where(cells, worst_above, 0.0), 0.0).sum(axis=1)
        return low, (best * product_above(1 - best) * best_below).sum(axis=1)


class NormalisedExpectedRatio(ExpectedRatio):
    """Bounds of nEBR, which is EBR divided by the EBR of the best order. They may not be tight.

    The lower bound is the lower bound of EBR, divided by the largest possible EBR of the best
    order. The upper bound is the upper bound of EBR, divided by the current EBR of the best order.

    This class reads `best` of the metric, and the attributes that `ExpectedRatio` lists.
    """

    def on(self, metric: Any, grid: Grid) -> Bounds:
        judged, now = grid.judgments, grid.of(metric.best(grid.judgments))
        number = np.minimum(grid.relevant_count(metric.rel) + grid.hidden, metric.cutoff or np.inf)
        later = -np.expm1(number * np.log1p(-_greatest_chance(metric, judged)))
        return over_the_ideal(grid, super().on(metric, grid), now, later)


def _best_of(metric: Any, number: Floats | float, chance: float) -> Floats:
    """Return the iRBU of `number` documents, each with stopping probability `chance`."""
    step = metric.p * (1 - chance)
    return np.asarray(chance * metric.p * (1 - np.power(step, number)) / (1 - step))


def _greatest_utility(metric: Any, grid: Grid) -> Floats:
    """Return the iRBU of each ranking if every unjudged document has the largest gain.

    If the ranking continues without end, documents with the largest stopping probability c follow
    below the last rank d. For users who reach them, n of these documents add c p^(d+1) (1 + p(1 −
    c) + …), a geometric sum of n terms.
    """
    judged, most = grid.judgments, _greatest_chance(metric, grid.judgments)
    now = np.where(grid.judged, metric.chance(grid.grade, judged), 0.0)
    best = np.where(grid.unjudged, most, now)
    reached = product_above(1 - best)
    high = (best * reached * np.power(float(metric.p), grid.rank)).sum(axis=1)
    if metric.cutoff is not None or np.isfinite(grid.others).any():
        return np.asarray(high)
    left = reached[:, -1] * (1 - best[:, -1])
    below = left * _best_of(metric, np.inf, most) * np.power(metric.p, grid.of(judged.length))
    return np.asarray(high + below)


class DiscountedStops(ScoreBounds[Any]):
    """Bounds of Σ p^r R(r) Π (1 − R(i)), with i < r: iRBU. They are exact.

    R(r) is the probability to stop at the document of rank r. The lower bound is the current score.
    For the upper bound every unjudged document has the largest gain: a better document makes users
    stop earlier, which raises the score. Documents outside the ranking have no effect.

    This class reads `p` and `chance` of the metric.
    """

    exact = EXACT
    open_range = UNIT

    def open_more(self, metric: Any, judged: JudgedRankings) -> int:
        return 0  # the ranks below the end have a closed form

    def on(self, metric: Any, grid: Grid) -> Bounds:
        return only_upper(_greatest_utility(metric, grid))


class NormalisedDiscountedStops(ScoreBounds[Any]):
    """Bounds of niRBU, which is iRBU divided by the iRBU of the best order. They may not be tight.

    The lower bound is the lower bound of iRBU, divided by the largest possible iRBU of the best
    order. The upper bound is the upper bound of iRBU, divided by the current iRBU of the best
    order.

    This class reads `p`, `chance`, `expected` and `best` of the metric.
    """

    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        judged, now = grid.judgments, grid.of(metric.best(grid.judgments))
        earned = judged.keep(("earned", metric), lambda: metric.expected(judged))
        relevant = Ideal.of(judged, lambda grade: metric.chance(grade, judged)).count_positive()
        number = np.minimum(grid.of(relevant) + grid.hidden, metric.cutoff or np.inf)
        later = _best_of(metric, number, _greatest_chance(metric, judged))
        found = grid.of(earned), _greatest_utility(metric, grid)
        return over_the_ideal(grid, found, now, later)
