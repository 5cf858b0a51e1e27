"""Swap methods: the rate at which two sets of topics disagree on the better of two systems.

Three methods differ in how the sets are drawn, what counts as a swap, and the width of the
bins of differences; `SwapRates` counts for all of them.

- Sakai (IPSJ Digital Courier 3, 2007, Figure 4): all topics with replacement, 21 bins of
  0.01, and a tie is a swap.
- Voorhees and Buckley (SIGIR 2002): disjoint sets of at most half the topics;
  `rankwise.experiments.discrimination.extrapolation` extrapolates to more topics. 21 bins of
  0.01.
- Ahlgren and Grönqvist (IP&M 44(1), 2008): the same with 101 bins of 0.002; the smallest
  difference is cumulative, over all differences from it on, not per bin.

No swap method tests a hypothesis: a swap rate is not a p-value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import NEAR, ROUNDING, Floats, Ints
from rankwise.experiments.discrimination.draws import (
    best_of,
    disjoint_pairs,
    set_means,
    with_replacement,
)
from rankwise.progress import track
from rankwise.vocabulary import Mean

COMPARISONS_AT_ONCE = 250_000  # few enough to stay in the cache
COARSE, FINE = (0.01, 21), (0.002, 101)  # width and number of bins


@dataclass(frozen=True, eq=False)
class SwapSizes:
    """Swap rates at several sizes of topic sets."""

    measured: tuple["SwapRates", ...]

    def summary(self, alpha: float) -> list[dict[str, Any]]:
        return [row for rates in self.measured for row in rates.summary(alpha)]

    def curve(self, runs: Sequence[str]) -> pl.DataFrame:
        return pl.concat([rates.curve(runs) for rates in self.measured])


@dataclass(frozen=True, eq=False)
class SwapRates:
    """Comparisons of two systems on two topic sets, by their difference on the first set.

    Bin i has differences from i × `width` on, the last all beyond. `size` is the number of topics
    in a set, `best` the best mean of a system on any set: the largest, or the smallest if lower
    is better.
    """

    width: float
    size: int
    comparisons: Ints
    swaps: Ints
    best: float

    @property
    def edges(self) -> Floats:
        """Smallest difference of each bin."""
        return np.round(np.arange(len(self.comparisons)) * self.width, 9)

    @property
    def rates(self) -> Floats:
        """Swap rate of each bin; NaN if it is empty."""
        return share(self.swaps, self.comparisons)

    @property
    def rates_from(self) -> Floats:
        """Swap rate of each bin and all beyond; NaN if they are empty."""
        return share(_from_here_on(self.swaps), _from_here_on(self.comparisons))

    def needed(self, level: float = 0.05) -> float:
        """Return the smallest difference from which on no bin exceeds this swap rate.

        NaN if the last bin that is not empty exceeds it.
        """
        return least_edge(self.edges, self.rates, level)

    def needed_overall(self, level: float = 0.05) -> float:
        """Return the smallest δ for which the swap rate of all differences from δ on is at most
        this.
        """
        return least_edge(self.edges, self.rates_from, level)

    def reached(self, difference: float) -> float:
        """Return the fraction of comparisons whose difference on the first set is at least this.

        Valid only for differences at the edge of a bin. NaN for NaN.
        """
        if np.isnan(difference):
            return float("nan")
        place = round(difference / self.width)
        return float(self.comparisons[place:].sum() / max(self.comparisons.sum(), 1))

    def summary(self, alpha: float) -> list[dict[str, Any]]:
        """A row of Table 3 of Sakai (2007), for a swap rate of at most α.

        The paper calls its third column the maximum difference. As it is 1 for RR, and the second
        column a fraction of it, it can only be the maximum mean.
        """
        needed = self.needed(alpha)
        return [
            {
                "topics": self.size,
                "best": self.best,
                "difference": needed,
                "% of best": 100 * needed / self.best if self.best else float("nan"),
                "% reach": 100 * self.reached(needed),
            }
        ]

    def curve(self, runs: Sequence[str]) -> pl.DataFrame:
        """One row per bin: its smallest difference, and its swap rate alone and with all beyond."""
        return pl.DataFrame(
            {
                "topics": np.full(len(self.edges), self.size),
                "difference": self.edges,
                "comparisons": self.comparisons,
                "swaps": self.swaps,
                "rate": self.rates,
                "rate from here": self.rates_from,
            }
        )


def _from_here_on(counts: Ints) -> Ints:
    return counts[::-1].cumsum()[::-1]


def share(part: Ints, whole: Ints) -> Floats:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


def least_edge(edges: Floats, rates: Floats, level: float) -> float:
    """Return the smallest edge from which on no rate exceeds the level, ignoring NaN bins."""
    above = np.flatnonzero(rates > level)
    filled = np.flatnonzero(~np.isnan(rates))
    start = above[-1] + 1 if len(above) else 0
    later = filled[filled >= start]
    return float(edges[start]) if len(later) else float("nan")


def swap_rates(
    values: Floats,
    sets: tuple[Ints, Ints],
    *,
    bins: tuple[float, int] = COARSE,
    ties_swap: bool = False,
    averaged: Mean = "arithmetic",
    less_is_better: bool = False,
) -> SwapRates:
    """Compare every pair of systems on each pair of topic sets (counts, see `draws`).

    A swap is a difference on the second set of the other sign. If one of the two is 0, it
    is a swap only with `ties_swap`.
    """
    width, number = bins
    one, other = (set_means(values, tallies, averaged) for tallies in sets)
    first, second = np.triu_indices(len(values), 1)
    comparisons, swaps = np.zeros(number, np.int64), np.zeros(number, np.int64)
    step = max(1, COMPARISONS_AT_ONCE // max(one.shape[1], 1))
    starts = range(0, len(first), step)
    for start in track(starts, "pairs"):
        a, b = first[start : start + step], second[start : start + step]
        before, after = one[a] - one[b], other[a] - other[b]
        size = np.abs(before)
        tie = (size < ROUNDING) | (np.abs(after) < ROUNDING)
        opposed = (before > 0) != (after > 0)
        swapped = opposed | tie if ties_swap else opposed & ~tie
        place = np.minimum((size / width + NEAR).astype(np.int64), number - 1)
        comparisons += np.bincount(place.ravel(), minlength=number)
        swaps += np.bincount(place[swapped], minlength=number)
    best = best_of(np.concatenate([one, other]), less_is_better)
    return SwapRates(width, int(sets[0][0].sum()), comparisons, swaps, best)


def bootstrap_swaps(
    values: Floats,
    *,
    sizes: Sequence[int] = (),
    count: int = 1_000,
    rng: np.random.Generator,
    averaged: Mean = "arithmetic",
    less_is_better: bool = False,
) -> SwapSizes:
    """Sakai's swap method; `values` is systems × topics without NaN.

    Sets have `sizes` topics; the default is all topics.
    """
    topics = values.shape[1]

    def rates(size: int) -> SwapRates:
        one, other = (with_replacement(topics, size, count, rng) for _ in range(2))
        return swap_rates(
            values,
            (one, other),
            ties_swap=True,
            averaged=averaged,
            less_is_better=less_is_better,
        )

    return SwapSizes(tuple(rates(size) for size in dict.fromkeys(sizes or [topics])))


def disjoint_swaps(
    values: Floats,
    size: int,
    *,
    count: int = 1_000,
    bins: tuple[float, int] = COARSE,
    rng: np.random.Generator,
    averaged: Mean = "arithmetic",
    less_is_better: bool = False,
) -> SwapRates:
    """Voorhees and Buckley's swap method and, with `bins=FINE`, Ahlgren and Grönqvist's."""
    sets = disjoint_pairs(values.shape[1], size, count, rng)
    return swap_rates(
        values,
        sets,
        bins=bins,
        averaged=averaged,
        less_is_better=less_is_better,
    )
