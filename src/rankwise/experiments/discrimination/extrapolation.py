"""Swap rates by number of topics: measured up to half of them, extrapolated to all.

Voorhees and Buckley, "The effect of topic set size on retrieval experiment error", SIGIR 2002.
Two disjoint sets have at most half of the topics. To estimate the rates for all topics, the swap
rate of each bin of differences is fitted by rate = a · exp(b · n) over the numbers of topics n,
and extrapolated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import NEAR, Floats, Ints
from rankwise.experiments.discrimination.draws import best_of, overall_means
from rankwise.experiments.discrimination.swap import SwapRates, disjoint_swaps, least_edge, share
from rankwise.progress import track
from rankwise.vocabulary import Mean

COIN = 0.5
SIZES = 5  # how many numbers of topics are tried, the greatest being half of all


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """Swap rates at several sizes of topic sets, extrapolated to `topics`.

    For each bin ln(rate) = `intercept` + `slope` · size, by least squares over the sizes at
    which it has swaps, weighted by their number (the variance of the logarithm of a count is
    about 1 / count). NaN where fewer than two sizes have swaps.
    """

    measured: tuple[SwapRates, ...]
    topics: int
    intercept: Floats
    slope: Floats
    means: Floats  # of each system over all topics
    less_is_better: bool = False

    def fitted(self, size: int) -> Floats:
        """Fitted swap rate of each bin at this number of topics; NaN without a fit.

        At most 0.5, in case a fit rises.
        """
        return np.minimum(np.exp(self.intercept + self.slope * size), COIN)

    @property
    def rates(self) -> Floats:
        """Swap rate of each bin at `topics`: 0 for a bin without swaps, NaN without comparisons.

        A bin with swaps at one size only keeps the rate of all its comparisons.
        """
        comparisons = np.sum([rates.comparisons for rates in self.measured], axis=0)
        swaps = np.sum([rates.swaps for rates in self.measured], axis=0)
        fitted = self.fitted(self.topics)
        return np.where(np.isnan(fitted), share(swaps, comparisons), fitted)

    def needed(self, level: float = 0.05) -> float:
        """Smallest difference from which on no bin has a higher swap rate at `topics`."""
        return least_edge(self.measured[0].edges, self.rates, level)

    def summary(self, alpha: float) -> list[dict[str, Any]]:
        """Return the difference needed at each measured size and, extrapolated, at all topics.

        For all topics the fraction that reaches it is that of the pairs of systems, over all
        topics. A single size is not extrapolated.
        """
        rows = [row | {"how": "measured"} for one in self.measured for row in one.summary(alpha)]
        if len(rows) < 2:
            return rows
        best, needed = best_of(self.means, self.less_is_better), self.needed(alpha)
        first, second = np.triu_indices(len(self.means), 1)
        apart = np.abs(self.means[first] - self.means[second]) >= needed * (1 - NEAR)
        extrapolated = {
            "topics": self.topics,
            "best": best,
            "difference": needed,
            "% of best": 100 * needed / best if best else float("nan"),
            "% reach": float("nan") if np.isnan(needed) else 100 * float(apart.mean()),
            "how": "extrapolated",
        }
        return [*rows, extrapolated]

    def curve(self, runs: Sequence[str]) -> pl.DataFrame:
        """One row per bin and size, with the fit; at all topics only the fit."""
        counted = [one.curve(runs).drop("rate from here") for one in self.measured]
        beyond = {"topics": np.full(len(self.slope), self.topics)}
        beyond |= {"difference": self.measured[0].edges}
        parts, sizes = counted, [one.size for one in self.measured]
        if len(sizes) > 1:
            parts, sizes = [*parts, pl.DataFrame(beyond)], [*sizes, self.topics]
        fits = [
            part.with_columns(fitted=self.fitted(size), intercept=self.intercept, slope=self.slope)
            for part, size in zip(parts, sizes, strict=True)
        ]
        return pl.concat(fits, how="diagonal")


def default_sizes(topics: int) -> tuple[int, ...]:
    """Return five sizes, evenly spaced up to half of the topics.

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
    averaged: Mean = "arithmetic",
    less_is_better: bool = False,
) -> Extrapolation:
    """Measure swap rates at each of the sizes and fit them; `values` has no NaN."""
    topics = values.shape[1]
    sizes = sorted(set(sizes)) or default_sizes(topics)
    measured = tuple(
        disjoint_swaps(
            values, size, count=count, rng=rng, averaged=averaged, less_is_better=less_is_better
        )
        for size in track(sizes, "sizes")
    )
    intercept, slope = _exponential_fit(
        np.array(sizes, np.float64),
        np.array([rates.swaps for rates in measured]),
        np.array([rates.comparisons for rates in measured]),
    )
    means = overall_means(values, averaged)
    return Extrapolation(measured, topics, intercept, slope, means, less_is_better)


def _exponential_fit(size: Floats, swaps: Ints, comparisons: Ints) -> tuple[Floats, Floats]:
    """Intercept and slope of ln(rate) over the size, for each column (bin)."""
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
