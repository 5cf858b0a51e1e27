"""Swap methods: the rate at which two sets of topics disagree on the better of two systems.

Swaps are counted in bins of the difference of the two systems on the first set. Three methods
differ in how the two sets are drawn, whether a tie is a swap, and the width of the bins.

- Sakai (IPSJ Digital Courier 3, 2007, Figure 4): each set has as many topics as the collection,
  drawn with replacement. There are 21 bins of width 0.01, and a tie is a swap.
- Voorhees and Buckley (SIGIR 2002): disjoint sets of at most half the topics, and 21 bins of width
  0.01. The swap rate of each bin is fitted by rate = a · exp(b · n) over sets of n topics, and
  extrapolated to the number of topics of the collection.
- Ahlgren and Grönqvist (IP&M 44(1), 2008, Tables 5 to 7): disjoint sets, and 101 bins of width
  0.002. The swap rate of a bin includes all larger differences.

No swap method tests a hypothesis: a swap rate is not a p-value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankwise.arrays import NEAR, ROUNDING, Floats, Ints
from rankwise.errors import CallError
from rankwise.progress import track
from rankwise.scores import LEAST_IN_GEOMETRIC_MEAN
from rankwise.vocabulary import Mean
from rankwise.wording import Argument

COMPARISONS_AT_ONCE = 250_000  # few enough to stay in the cache
COARSE, FINE = (0.01, 21), (0.002, 101)  # width and number of bins
COIN = 0.5
SIZES = 5  # default number of sizes of topic sets; the largest is half of the topics


# A set of topics is a row of counts, one per topic: a mean over a set is a matrix product.


def with_replacement(topics: int, size: int, count: int, rng: np.random.Generator) -> Ints:
    """Draw `count` sets of `size` topics with replacement; return topic counts, sets × topics."""
    return tallied(rng.integers(topics, size=(count, size)), topics)


def disjoint_pairs(
    topics: int, size: int, count: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Draw `count` pairs of disjoint sets of `size` topics; return both sets' topic counts."""
    if not 1 <= size <= topics // 2:
        fit = f" must be from 1 to {topics // 2} (half of the {topics} topics), not {size}."
        raise CallError(Argument("sizes"), fit)
    order = rng.permuted(np.tile(np.arange(topics), (count, 1)), axis=1)
    return tallied(order[:, :size], topics), tallied(order[:, size : 2 * size], topics)


def tallied(drawn: Ints, topics: int) -> Ints:
    """Count the occurrences of each topic in each row of drawn topics."""
    rows = np.arange(len(drawn))[:, None] * topics
    counts = np.bincount((rows + drawn).ravel(), minlength=len(drawn) * topics)
    return counts.reshape(len(drawn), topics)


def logarithms(values: Floats) -> Floats:
    """Return logarithms for a geometric mean; values below 0.00001 are raised to 0.00001."""
    return np.log(np.maximum(values, LEAST_IN_GEOMETRIC_MEAN))


class Averaging(NamedTuple):
    """Kind of mean over a set of topics, and whether a lower mean is better."""

    mean: Mean = "arithmetic"
    less_is_better: bool = False

    def of_sets(self, values: Floats, tallies: Ints) -> Floats:
        """Return the mean of each system over each set: systems × sets."""
        weights = tallies.T / tallies.sum(axis=1)
        if self.mean == "geometric":
            return np.exp(logarithms(values) @ weights)
        return values @ weights

    def overall(self, values: Floats) -> Floats:
        """Return the mean of each system over all topics."""
        return self.of_sets(values, np.ones((1, values.shape[1]), np.int64))[:, 0]

    def best(self, means: Floats) -> float:
        """Return the largest mean, or the smallest if lower is better."""
        return float(means.min() if self.less_is_better else means.max())


USUAL = Averaging()


@dataclass(frozen=True, eq=False)
class SwapRates:
    """Numbers of comparisons and swaps, in bins of the absolute difference on the first topic set.

    Bin i has the differences from i × `width` to (i + 1) × `width`; the last bin has no upper
    limit. `size` is the number of topics in a set, `best` the best mean of a system on any set.
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
        """Swap rate of each bin; NaN if the bin is empty."""
        return _share(self.swaps, self.comparisons)

    @property
    def rates_from(self) -> Floats:
        """Swap rate of all differences from each bin on; NaN if there are none."""
        beyond = (counts[::-1].cumsum()[::-1] for counts in (self.swaps, self.comparisons))
        return _share(*beyond)

    def needed(self, level: float = 0.05) -> float:
        """Return the smallest difference from which on no bin exceeds this swap rate.

        The result is NaN if the last bin that is not empty exceeds the rate.
        """
        return least_edge(self.edges, self.rates, level)

    def needed_overall(self, level: float = 0.05) -> float:
        """Return the smallest difference from which on `rates_from` is at most `level`.

        The result is NaN if the last value of `rates_from` that is not NaN exceeds `level`.
        """
        return least_edge(self.edges, self.rates_from, level)

    def reached(self, difference: float) -> float:
        """Return the fraction of comparisons with at least this `difference` on the first set.

        The difference must be the lower edge of a bin, or NaN, for which NaN is returned.
        """
        if np.isnan(difference):
            return float("nan")
        place = round(difference / self.width)
        return float(self.comparisons[place:].sum() / max(self.comparisons.sum(), 1))

    def curve(self) -> pl.DataFrame:
        """Return one row per bin, with its smallest difference and its swap rate.

        `rate from here` is the swap rate of all differences from this bin on.
        """
        columns = {
            "topics": np.full(len(self.edges), self.size),
            "difference": self.edges,
            "comparisons": self.comparisons,
            "swaps": self.swaps,
            "rate": self.rates,
            "rate from here": self.rates_from,
        }
        return pl.DataFrame(columns)


def _share(part: Ints, whole: Ints) -> Floats:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)


def least_edge(edges: Floats, rates: Floats, level: float) -> float:
    """Return the smallest edge from which on no rate exceeds `level`; NaN rates are ignored."""
    above = np.flatnonzero(rates > level)
    filled = np.flatnonzero(~np.isnan(rates))
    start = above[-1] + 1 if len(above) else 0
    later = filled[filled >= start]
    return float(edges[start]) if len(later) else float("nan")


@dataclass(frozen=True, eq=False)
class Swaps:
    """Sakai's swap rates, for each size of topic sets."""

    measured: tuple[SwapRates, ...]

    def summary(self, alpha: float) -> list[dict[str, Any]]:
        """Return a row of Sakai's Table 3 (2007) per size of topic sets, for swap rates up to α.

        The paper calls its third column the maximum difference, but its values are best means
        (`best`).
        """
        rows = []
        for rates in self.measured:
            needed = rates.needed(alpha)
            rows.append(_row(rates.size, rates.best, needed, rates.reached(needed)))
        return rows

    def curve(self, _runs: Sequence[str]) -> pl.DataFrame:
        return pl.concat([rates.curve() for rates in self.measured])


def _row(topics: int, best: float, difference: float, reach: float, **more: Any) -> dict[str, Any]:
    """Return a row of a summary, for sets of `topics` topics.

    The row has the smallest difference with an allowed swap rate, this difference in percent of the
    best mean, and the percentage of comparisons with at least this difference.
    """
    percent = 100 * difference / best if best else float("nan")
    row = {"topics": topics, "best": best, "difference": difference, "% of best": percent}
    return {**row, **more, "% reach": 100 * reach}


@dataclass(frozen=True, eq=False)
class ErrorRates(Swaps):
    """Ahlgren and Grönqvist's swap rates in 101 bins; `means` and `best` are over all topics."""

    means: Floats
    best: float

    def summary(self, alpha: float) -> list[dict[str, Any]]:
        """Return a row of Table 5 of Ahlgren and Grönqvist (2007) for each size of topic sets.

        The table calls the variance σ, “standard deviation”. δ is the smallest difference from
        which on the cumulative swap rate is at most α.
        """
        spread = {"variance": float(self.means.var()), "sd": float(self.means.std())}
        rows = []
        for rates in self.measured:
            needed = rates.needed_overall(alpha)
            rows.append(_row(rates.size, self.best, needed, rates.reached(needed), **spread))
        return rows


@dataclass(frozen=True, eq=False)
class Extrapolation(Swaps):
    """Voorhees and Buckley's swap rates, extrapolated to sets of `topics` topics.

    For each bin, ln(rate) = `intercept` + `slope` · size is fitted by least squares over the sizes
    with swaps. Sizes are weighted by the number of swaps, because the variance of the logarithm of
    a count is about 1 / count. The fit is NaN if fewer than two sizes have swaps. `means` has the
    mean score of each system over all topics, and `best` is the best of these means.
    """

    topics: int
    intercept: Floats
    slope: Floats
    means: Floats
    best: float

    def fitted(self, size: int) -> Floats:
        """Return the fitted swap rate of each bin at this number of topics; NaN without a fit.

        The rate is at most 0.5, in case a fit rises.
        """
        return np.minimum(np.exp(self.intercept + self.slope * size), COIN)

    @property
    def rates(self) -> Floats:
        """Swap rate of each bin at `topics`: 0 for a bin without swaps, NaN without comparisons.

        The rate of a bin with swaps at only one size is computed from its comparisons at all sizes.
        """
        comparisons = np.sum([rates.comparisons for rates in self.measured], axis=0)
        swaps = np.sum([rates.swaps for rates in self.measured], axis=0)
        fitted = self.fitted(self.topics)
        return np.where(np.isnan(fitted), _share(swaps, comparisons), fitted)

    def needed(self, level: float = 0.05) -> float:
        """Return the smallest difference from which on no bin has `rates` above `level`."""
        return least_edge(self.measured[0].edges, self.rates, level)

    def summary(self, alpha: float) -> list[dict[str, Any]]:
        """Return the difference from which on swap rates are at most α, for each size of sets.

        The last row is extrapolated to all topics. For all topics, `% reach` is the percentage of
        pairs of systems whose means over all topics differ by at least `difference`. A single size
        is not extrapolated.
        """
        rows = [row | {"how": "measured"} for row in super().summary(alpha)]
        if len(rows) < 2:
            return rows
        needed = self.needed(alpha)
        first, second = np.triu_indices(len(self.means), 1)
        apart = np.abs(self.means[first] - self.means[second]) >= needed * (1 - NEAR)
        reach = float("nan") if np.isnan(needed) else float(apart.mean())
        return [*rows, _row(self.topics, self.best, needed, reach) | {"how": "extrapolated"}]

    def curve(self, _runs: Sequence[str]) -> pl.DataFrame:
        """Return one row per bin and size of topic sets: the measured swap rate, and the fit.

        For all topics the measured swap rate is null.
        """
        parts = {rates.size: rates.curve().drop("rate from here") for rates in self.measured}
        if len(parts) > 1:
            beyond = {"topics": np.full(len(self.slope), self.topics)}
            parts[self.topics] = pl.DataFrame(beyond | {"difference": self.measured[0].edges})
        fits = [
            part.with_columns(fitted=self.fitted(size), intercept=self.intercept, slope=self.slope)
            for size, part in parts.items()
        ]
        return pl.concat(fits, how="diagonal")


# The methods. `values` is systems × topics without NaN; `count` pairs of sets are drawn.


def swap_rates(
    values: Floats,
    sets: tuple[Ints, Ints],
    *,
    bins: tuple[float, int] = COARSE,
    ties_swap: bool = False,
    averaging: Averaging = USUAL,
) -> SwapRates:
    """Compare every pair of systems on each pair of topic `sets` (counts, sets × topics).

    A swap is a difference of two systems' means with the opposite sign on the second set. A
    difference of 0 on at least one of the two sets is a swap only with `ties_swap`.
    """
    width, number = bins
    one, other = (averaging.of_sets(values, tallies) for tallies in sets)
    first, second = np.triu_indices(len(values), 1)
    comparisons, swaps = np.zeros(number, np.int64), np.zeros(number, np.int64)
    step = max(1, COMPARISONS_AT_ONCE // max(one.shape[1], 1))
    for start in track(range(0, len(first), step), "pairs"):
        a, b = first[start : start + step], second[start : start + step]
        before, after = one[a] - one[b], other[a] - other[b]
        size = np.abs(before)
        tie = (size < ROUNDING) | (np.abs(after) < ROUNDING)
        opposed = (before > 0) != (after > 0)
        swapped = opposed | tie if ties_swap else opposed & ~tie
        place = np.minimum((size / width + NEAR).astype(np.int64), number - 1)
        comparisons += np.bincount(place.ravel(), minlength=number)
        swaps += np.bincount(place[swapped], minlength=number)
    best = averaging.best(np.concatenate([one, other]))
    return SwapRates(width, int(sets[0][0].sum()), comparisons, swaps, best)


def bootstrap_swaps(
    values: Floats,
    *,
    sizes: Sequence[int] = (),
    count: int = 1_000,
    rng: np.random.Generator,
    averaging: Averaging = USUAL,
) -> Swaps:
    """Apply Sakai's swap method; sets have `sizes` topics, by default as many as there are."""
    topics = values.shape[1]
    measured = []
    for size in dict.fromkeys(sizes or [topics]):
        one, other = (with_replacement(topics, size, count, rng) for _ in range(2))
        measured.append(swap_rates(values, (one, other), ties_swap=True, averaging=averaging))
    return Swaps(tuple(measured))


def disjoint_swaps(
    values: Floats,
    size: int,
    *,
    count: int = 1_000,
    bins: tuple[float, int] = COARSE,
    rng: np.random.Generator,
    averaging: Averaging = USUAL,
) -> SwapRates:
    """Return the swap rates on pairs of disjoint sets of one size."""
    sets = disjoint_pairs(values.shape[1], size, count, rng)
    return swap_rates(values, sets, bins=bins, averaging=averaging)


def error_rates(
    values: Floats,
    *,
    sizes: Sequence[int] = (),
    count: int = 1_000,
    rng: np.random.Generator,
    averaging: Averaging = USUAL,
) -> ErrorRates:
    """Apply Ahlgren and Grönqvist's method; sets have `sizes` topics, by default half of all."""
    measured = tuple(
        disjoint_swaps(values, size, count=count, bins=FINE, rng=rng, averaging=averaging)
        for size in dict.fromkeys(sizes or [values.shape[1] // 2])
    )
    means = averaging.overall(values)
    return ErrorRates(measured, means, averaging.best(means))


def default_sizes(topics: int) -> tuple[int, ...]:
    """Return at most five sizes of topic sets, evenly spaced up to half of the topics.

    >>> default_sizes(50)
    (5, 10, 15, 20, 25)
    """
    half = topics // 2
    return tuple(sorted({max(1, half * step // SIZES) for step in range(1, SIZES + 1)}))


def extrapolated_swaps(
    values: Floats,
    *,
    sizes: Sequence[int] = (),
    count: int = 1_000,
    rng: np.random.Generator,
    averaging: Averaging = USUAL,
) -> Extrapolation:
    """Apply Voorhees and Buckley's method: measure swap rates at `sizes`, and fit them."""
    topics = values.shape[1]
    sizes = sorted(set(sizes)) or default_sizes(topics)
    measured = tuple(
        disjoint_swaps(values, size, count=count, rng=rng, averaging=averaging)
        for size in track(sizes, "sizes")
    )
    intercept, slope = _exponential_fit(
        np.array(sizes, np.float64),
        np.array([rates.swaps for rates in measured]),
        np.array([rates.comparisons for rates in measured]),
    )
    means = averaging.overall(values)
    return Extrapolation(measured, topics, intercept, slope, means, averaging.best(means))


def _exponential_fit(size: Floats, swaps: Ints, comparisons: Ints) -> tuple[Floats, Floats]:
    """Return intercept and slope of ln(rate) against the size, for each column (bin)."""
    weight = swaps.astype(np.float64)
    logs = np.log(np.maximum(swaps, 1) / np.maximum(comparisons, 1))
    total = np.maximum(weight.sum(axis=0), 1)
    middle, level = ((weight * part).sum(axis=0) / total for part in (size[:, None], logs))
    off = size[:, None] - middle
    spread = (weight * off**2).sum(axis=0)
    some = (swaps > 0).sum(axis=0) >= 2
    lean = (weight * off * (logs - level)).sum(axis=0) / np.where(some, spread, 1)
    slope = np.where(some, lean, np.nan)
    return level - slope * middle, slope
