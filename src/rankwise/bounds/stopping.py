"""Bounds of the utility at the rank where users stop, which depends on the documents above."""

from typing import Protocol

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.base import EXACT, UNIT, Bounded, ScoreBounds, only_upper
from rankwise.bounds.blended import Blended, BlendedBounds, ratio_on
from rankwise.bounds.grid import Bounds, Grid, product_above, scan
from rankwise.rankings import Ideal, JudgedRankings
from rankwise.vocabulary import Assumption


def over_the_ideal(found: Bounds, ideal: Bounds) -> Bounds:
    """Return bounds divided by the ideal: `found[0]` / `ideal[0]` and `found[1]` / `ideal[1]`.

    `ideal` has the largest ideal value first and the smallest second. The upper bound is at most 1.
    """
    low = found[0] / np.maximum(ideal[0], 1e-300)
    return low, np.minimum(found[1] / np.maximum(ideal[1], 1e-300), 1.0)


class BlendedStops(Blended, Protocol):
    """A metric with a blended ratio and a stopping probability at each rank."""

    def chance(self, grade: Ints, judged: JudgedRankings) -> Floats: ...
    def best(self, judged: JudgedRankings) -> Floats: ...


def _greatest_blended_chance(metric: BlendedStops, judged: JudgedRankings) -> float:
    return float(metric.chance(metric.relevant_grades(judged), judged).max())


class ExpectedRatio(BlendedBounds[BlendedStops]):
    """Bounds of the expected blended ratio at the rank where users stop: EBR.

    They may not be tight.

    Suppose that each user is satisfied by a fixed set of documents, which judgments do not change.
    Under any judgments, a user who currently stops at a judged document stops there or further up,
    so the smallest ratio down to that rank is a lower bound. A user who would stop at rank r if all
    unjudged documents had the best grade stops at r, further down, or never, so the largest ratio
    from r on is an upper bound.
    """

    exact_if_alike = frozenset()

    def on(self, metric: BlendedStops, grid: Grid) -> Bounds:
        now = np.where(grid.judged, metric.chance(grid.grade, grid.judgments), 0.0)
        greatest = _greatest_blended_chance(metric, grid.judgments)
        best = np.where(grid.unjudged, greatest, now)
        cells = grid.relevant(metric.rel) | grid.unjudged  # where users may stop
        least, most = ratio_on(metric, grid).at_each_rank()
        worst_above = np.minimum.accumulate(np.where(cells, least, np.inf), axis=1)
        best_below = np.maximum.accumulate(np.where(cells, most, 0.0)[:, ::-1], axis=1)[:, ::-1]
        stops = now * product_above(1 - now)
        low = np.where(now > 0, stops * np.where(cells, worst_above, 0.0), 0.0).sum(axis=1)
        return low, (best * product_above(1 - best) * best_below).sum(axis=1)


class NormalisedExpectedRatio(ExpectedRatio):
    """Bounds of nEBR, which is EBR divided by the EBR of the best order. They may not be tight.

    The lower bound of EBR is divided by the largest ideal value, the upper bound by the smallest.
    """

    def on(self, metric: BlendedStops, grid: Grid) -> Bounds:
        judged, now = grid.judgments, grid.of(metric.best(grid.judgments))
        number = np.minimum(grid.relevant_count(metric.rel) + grid.hidden, metric.cutoff or np.inf)
        later = -np.expm1(number * np.log1p(-_greatest_blended_chance(metric, judged)))
        ideal = np.where(grid.hidden > 0, np.maximum(now, later), now)
        return over_the_ideal(super().on(metric, grid), (ideal, now))


class RankBiasedStops(Bounded, Protocol):
    """A metric of users who stop at rank r with a given probability, and have utility p^r."""

    p: float

    def chance(self, grade: Ints, judged: JudgedRankings) -> Floats: ...
    def expected(self, judged: JudgedRankings) -> Floats: ...
    def best(self, judged: JudgedRankings) -> Floats: ...


def _greatest_chance(metric: RankBiasedStops, judged: JudgedRankings) -> float:
    return float(metric.chance(metric.possible_grades(judged), judged).max())


def _best_of(metric: RankBiasedStops, number: Floats | float, chance: float) -> Floats:
    """Return the score of `number` documents at the top with stopping probability `chance`."""
    step = metric.p * (1 - chance)
    return np.asarray(chance * metric.p * (1 - np.power(step, number)) / (1 - step))


def _greatest_utility(metric: RankBiasedStops, grid: Grid, *, endless: bool = False) -> Floats:
    """Return the score if every unjudged document has the largest gain.

    A better document makes users stop earlier, which raises the score. With `endless`, documents
    with the largest stopping probability c follow below the last rank d. For users who get there, n
    of these documents add c p^(d+1) (1 + p(1 − c) + …), a geometric sum of n terms.
    """
    judged, most = grid.judgments, _greatest_chance(metric, grid.judgments)
    now = np.where(grid.judged, metric.chance(grid.grade, judged), 0.0)
    best = np.where(grid.unjudged, most, now)
    reached = product_above(1 - best)
    high = (best * reached * np.power(float(metric.p), grid.rank)).sum(axis=1)
    if endless:
        left = reached[:, -1] * (1 - best[:, -1])
        high += left * _best_of(metric, np.inf, most) * np.power(metric.p, grid.of(judged.length))
    return np.asarray(high)


class DiscountedStops(ScoreBounds[RankBiasedStops]):
    """Bounds of Σ p^r chance(r) Π (1 − chance(i)), with i < r: iRBU. They are exact.

    Documents outside the ranking have no effect.
    """

    exact = EXACT
    open_range = UNIT
    sees_elsewhere = True

    def in_view(
        self, metric: RankBiasedStops, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        if unjudged == "open" and metric.cutoff is None:
            return scan(
                judged, lambda grid: only_upper(_greatest_utility(metric, grid, endless=True))
            )
        return super().in_view(metric, judged, unjudged)

    def on(self, metric: RankBiasedStops, grid: Grid) -> Bounds:
        return only_upper(_greatest_utility(metric, grid))


class NormalisedDiscountedStops(ScoreBounds[RankBiasedStops]):
    """Bounds of niRBU, which is iRBU divided by the iRBU of the best order. They may not be tight.

    The lower bound of iRBU is divided by the largest ideal value, the upper bound by the smallest.
    """

    open_range = UNIT

    def on(self, metric: RankBiasedStops, grid: Grid) -> Bounds:
        judged, now = grid.judgments, grid.of(metric.best(grid.judgments))
        earned = judged.keep(("earned", metric), lambda: metric.expected(judged))
        relevant = Ideal.of(judged, lambda grade: metric.chance(grade, judged)).count_positive()
        number = np.minimum(grid.of(relevant) + grid.hidden, metric.cutoff or np.inf)
        later = _best_of(metric, number, _greatest_chance(metric, judged))
        ideal = np.where(grid.hidden > 0, np.maximum(now, later), now)
        return over_the_ideal((grid.of(earned), _greatest_utility(metric, grid)), (ideal, now))
