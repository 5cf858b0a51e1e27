"""Expected reciprocal rank over that of the best order, where all satisfy with one chance."""

from typing import Protocol

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.bounds.base import EXACT_IF_RETRIEVED, UNIT
from rankwise.bounds.cascade import greatest_reciprocal
from rankwise.bounds.grid import Bounds, Grid, rest, running
from rankwise.bounds.unit_gains import OfUnitGains, UnitGains, enough, greatest_of, unit_gains_on
from rankwise.rankings import Ideal, JudgedRankings


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
    lowest = alone + np.power(going_on, known) * _seen_below(either, going_on)
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


def _seen_below(cells: Bools, going_on: float) -> Floats:
    """Return Σ going_on^(n−1) / rank over the cells below each cut, n counting these cells."""
    sums = np.zeros((len(cells), cells.shape[1] + 1))
    for rank in range(cells.shape[1], 0, -1):
        below = sums[:, rank]
        sums[:, rank - 1] = np.where(cells[:, rank - 1], 1 / rank + going_on * below, below)
    return sums


class OverBestReciprocal(UnitGains, Protocol):
    """A metric that divides by the expected reciprocal rank of the best order."""

    def best(self, judged: JudgedRankings) -> Floats: ...


class NormalisedReciprocal(OfUnitGains[OverBestReciprocal]):
    """Bounds of ERR over the ERR of the best order: nERR.

    Exact where all relevant documents satisfy with one chance; otherwise the current ERR over
    the best of any judgments, and the reverse.
    """

    exact_if_alike = EXACT_IF_RETRIEVED
    open_range = UNIT

    def open_more(self, metric: OverBestReciprocal, judged: JudgedRankings) -> int | None:
        return enough(metric, judged)

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
