"""Users who stop at a document with a probability that rises with its gain: ERR, NERR, RBP2."""

from typing import Protocol

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.base import EXACT, UNIT, Binary, ScoreBounds, only_upper
from rankwise.bounds.grid import Bounds, Grid, product_above
from rankwise.bounds.unit_gains import OfUnitGains, UnitGains, enough, unit_gains_on
from rankwise.rankings import JudgedRankings


class Reached(UnitGains, Protocol):
    """A metric with the probability to see a rank if no document above it gains."""

    def reach(self, rank: Ints) -> Floats: ...
    def reach_after(self, rank: Ints) -> Floats: ...


class GainPerDocumentSeen(OfUnitGains[Reached]):
    """Bounds of Σ V g / Σ V with V(i) = reach(i) × Π (1 − gain) above rank i; exact.

    Each gain moves users from stopping further down to stopping here, where V is greater, so
    Σ V g rises; and fewer documents are seen. The score rises with every gain: its bounds are
    the scores of the two extreme assignments.
    """

    exact = EXACT
    open_range = (np.inf, 1.0)

    def open_more(self, metric: Reached, judged: JudgedRankings) -> int | None:
        return enough(metric, judged)

    def on(self, metric: Reached, grid: Grid) -> Bounds:
        _, gain = unit_gains_on(metric, grid)
        above = product_above(1 - gain)
        earned = (metric.reach(grid.rank) * above * gain).sum(axis=1)
        everything = metric.reach_after(np.zeros(1, np.int64))
        seen = everything - (above * gain * metric.reach_after(grid.rank)).sum(axis=1)
        return only_upper(earned / seen)


class ReciprocalStops(OfUnitGains[UnitGains]):
    """Bounds of the expected reciprocal rank: ERR; exact."""

    exact = EXACT
    open_range = (np.inf, 1.0)

    def open_more(self, metric: UnitGains, judged: JudgedRankings) -> int | None:
        return enough(metric, judged)

    def on(self, metric: UnitGains, grid: Grid) -> Bounds:
        return only_upper(greatest_reciprocal(metric, grid))


def greatest_reciprocal(metric: UnitGains, grid: Grid) -> Floats:
    """Return ERR with every unjudged document of the best grade.

    A better document moves users who would stop further down, or never, to its rank.
    """
    _, chance = unit_gains_on(metric, grid)
    return (chance * product_above(1 - chance) / grid.rank).sum(axis=1)


class TwoPatiences(Binary, Protocol):
    """A metric with separate persistence after relevant documents and after others."""

    p1: float
    p2: float

    def score_of(self, relevant_seen: Floats) -> Floats: ...


class PatienceByRelevance(ScoreBounds[TwoPatiences]):
    """Bounds of RBP with separate persistence after relevant documents: RBP2; exact.

    The score rises with the relevant documents seen, and these with each relevant document: one
    seen with probability V adds V and changes what is seen below from V p2 X to V p1 X;
    X ≤ 1 / (1 − p1), so V (1 + p1 X − p2 X) > 0.
    """

    exact = EXACT
    open_range = UNIT

    def open_more(self, metric: TwoPatiences, judged: JudgedRankings) -> int:
        return 0  # the ranks below the end have a closed form

    def on(self, metric: TwoPatiences, grid: Grid) -> Bounds:
        hit = grid.relevant(metric.rel) | grid.unjudged
        length = grid.of(grid.judgments.length)
        inside = np.arange(hit.shape[1]) < length[:, None]
        going_on = np.where(hit, metric.p1, metric.p2)
        seen = (product_above(going_on) * hit).sum(axis=1)
        after = np.where(inside, going_on, 1.0).prod(axis=1)
        seen += np.where(np.isinf(grid.others), after / (1 - metric.p1), 0.0)
        return only_upper(metric.score_of(seen))
