"""Users who stop at a document with a probability that rises with its gain: ERR, NERR, RBP2."""

from typing import Protocol

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, Binary, ScoreBounds, only_upper
from rankwise.bounds.grid import Bounds, Grid, product_above, rest, running
from rankwise.bounds.unit_gains import FAR, OfUnitGains, U, UnitGains, greatest_of, unit_gains_on
from rankwise.rankings import Ideal, JudgedRankings

NOBODY = 1e-14  # a chance to go on that makes no difference


class OfSatisfied(OfUnitGains[U]):
    """Bounds of a metric whose users stop at a document with a probability that is its gain."""

    def open_more(self, metric: U, judged: JudgedRankings) -> int | None:
        """Return after how many of the best documents nobody goes on; None if after too many."""
        greatest = greatest_of(metric, judged)
        if greatest == 0 or greatest == 1:
            return int(greatest)
        number = np.ceil(np.log(NOBODY) / np.log1p(-greatest))
        return int(number) if number <= FAR else None


class Reached(UnitGains, Protocol):
    """A metric with the probability to see a rank if no document above it gains."""

    def reach(self, rank: Ints) -> Floats: ...
    def reach_after(self, rank: Ints) -> Floats: ...


class GainPerDocumentSeen(OfSatisfied[Reached]):
    """Bounds of Σ V g / Σ V with V(i) = reach(i) × Π (1 − gain) above rank i; exact.

    Each gain moves users from stopping further down to stopping here, where V is greater, so
    Σ V g rises; and fewer documents are seen. The score rises with every gain: its bounds are
    the scores of the two extreme assignments.
    """

    exact = EXACT
    open_range = (np.inf, 1.0)

    def on(self, metric: Reached, grid: Grid) -> Bounds:
        _, gain = unit_gains_on(metric, grid)
        above = product_above(1 - gain)
        earned = (metric.reach(grid.rank) * above * gain).sum(axis=1)
        everything = metric.reach_after(np.zeros(1, np.int64))
        seen = everything - (above * gain * metric.reach_after(grid.rank)).sum(axis=1)
        return only_upper(earned / seen)


class ReciprocalStops(OfSatisfied[UnitGains]):
    """Bounds of the expected reciprocal rank: ERR; exact."""

    exact = EXACT
    open_range = (np.inf, 1.0)

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


def greatest_expected(chance: float) -> float:
    """Return the supremum over all rankings: Σ c (1 − c)^(r−1) / r = −c ln(c) / (1 − c)."""
    return 1.0 if chance == 1 else float(-chance * np.log(chance) / (1 - chance))


def normalised_reciprocal(
    grid: Grid, hit: Bools, relevant: Floats, chance: float, cutoff: int | None
) -> Bounds:
    """Return the bounds of the ratio if all relevant documents satisfy with probability c; exact.

    With q = 1 − c the expected reciprocal rank is c Σ q^(n−1) / r(n), r(n) being the rank of
    the n-th one. So for m new ones, which fix the ideal, it is greatest with the highest and
    least with the lowest m. `hit` are the relevant cells, `relevant` is R.
    """
    going_on = 1 - chance
    known, unjudged, inverse = running(hit), running(grid.unjudged), 1 / grid.rank

    def seen(count: Floats) -> Floats:
        return np.power(going_on, count - 1) * inverse

    either = hit | grid.unjudged
    alone = running(np.where(hit, seen(np.maximum(known[:, 1:], 1)), 0.0))
    both = np.where(either, seen(np.maximum((known + unjudged)[:, 1:], 1)), 0.0)
    highest = running(both) + np.power(going_on, unjudged) * rest(alone)
    below = np.zeros(known.shape)  # Σ q^(n−1) / rank over the cells below each cut
    for rank in range(hit.shape[1], 0, -1):
        one_more = 1 / rank + going_on * below[:, rank]
        below[:, rank - 1] = np.where(either[:, rank - 1], one_more, below[:, rank])
    lowest = alone + np.power(going_on, known) * below
    count = relevant[:, None]
    least = count + rest(unjudged) + grid.others[:, None]
    high = chance * highest / _ideal(count + unjudged, chance, cutoff)
    low = chance * lowest / _ideal(least, chance, cutoff)
    return low.min(axis=1), high.max(axis=1)


def _ideal(count: Floats, chance: float, cutoff: int | None) -> Floats:
    """Return the expected reciprocal rank of `count` documents, from the top."""
    last = cutoff or int(count[np.isfinite(count)].max(initial=1))
    rank = np.arange(1.0, last + 1)
    sums = np.cumsum(chance * np.power(1 - chance, rank - 1) / rank)
    end = greatest_expected(chance) if cutoff is None else sums[-1]
    table = np.concatenate([[np.nan], sums, [end]])  # NaN: nothing is relevant
    return table[np.minimum(count, last + 1).astype(np.int64)]


class OverBestReciprocal(UnitGains, Protocol):
    """A metric that divides by the expected reciprocal rank of the best order."""

    def best(self, judged: JudgedRankings) -> Floats: ...


class NormalisedReciprocal(OfSatisfied[OverBestReciprocal]):
    """Bounds of ERR over the ERR of the best order: nERR.

    Exact where all relevant documents satisfy with one chance; otherwise the current ERR over
    the best of any judgments, and the reverse.
    """

    exact_if_alike = EXACT_IF_RETRIEVED
    open_range = UNIT

    def on(self, metric: OverBestReciprocal, grid: Grid) -> Bounds:
        judged, chance = grid.judgments, greatest_of(metric, grid.judgments)
        if self.one_gain(metric, judged) is not None:
            gain, _ = unit_gains_on(metric, grid)
            ideal = Ideal.of(judged, lambda grade: metric.unit_gain(grade, judged))
            count = np.asarray(ideal.count_positive())
            return normalised_reciprocal(grid, gain > 0, grid.of(count), chance, metric.cutoff)
        now = grid.of(metric.best(judged))
        earned = judged.keep(
            ("earned", metric), lambda: metric.compute(judged) * metric.best(judged)
        )
        best = np.where(grid.hidden > 0, np.maximum(now, greatest_expected(chance)), now)
        return grid.of(earned) / best, np.minimum(greatest_reciprocal(metric, grid) / now, 1)
