"""Sakai's bootstrap sensitivity: a bootstrap test of every pair of systems.

Sakai, "On the properties of evaluation metrics for finding one highly relevant document", IPSJ
Digital Courier 3, 2007, Figures 5 to 7; first in SIGIR 2006. The fraction of pairs with an
achieved significance level (ASL) of at most α is the discriminative power of a metric.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np

from rankwise.arrays import CANCELLATION, Floats, Ints
from rankwise.errors import CallError
from rankwise.experiments.discrimination.draws import (
    logarithms,
    tallied,
    worst_area,
    worst_areas_of_draws,
)
from rankwise.experiments.discrimination.significance import Significance
from rankwise.progress import track
from rankwise.stats import bootstrap_statistics, differences_of, drawn_topics, share_as_large

Summary: TypeAlias = Literal["mean", "geometric mean", "logarithms", "area"]
RESAMPLES_AT_ONCE = 200_000  # pairs × resamples, few enough to stay in the cache


def bootstrap_sensitivity(
    values: Floats,
    *,
    summary: Summary = "mean",
    alpha: Sequence[float] = (0.05,),
    count: int = 1_000,
    rng: np.random.Generator,
) -> Significance:
    """Return the ASL of every pair, and the difference that each needs for ASL ≤ α.

    `values` are systems × topics without NaN. Means are compared by the paired test, and so
    are logarithms; geometric means and areas by the unpaired test. All pairs are tested on
    the same resamples.

    The paired test is studentised: with z the differences by topic and w = z − mean(z), ASL is
    the share of resamples w* of w with |t(w*)| ≥ |t(z)|, and the difference needed |mean(w*)| of
    the resample whose |t| is the Bα-th largest. Both are NaN if z is constant and not 0: t(z) has
    no variance estimate.

    The unpaired test (Efron and Tibshirani 1993, Algorithm 16.1) draws both systems' scores from
    the union of the two, and compares the difference of their means (areas) itself; the
    difference needed is the Bα-th largest. It ignores that topics are paired. A geometric mean is
    the exponential of the mean of logarithms, so the paired test of logarithms tests the same
    hypothesis; its differences are of logarithms.
    """
    places = [place_of(level, count) for level in alpha]
    first, second = np.triu_indices(len(values), 1)
    test = TESTS_OF[summary](values, count, rng)
    p, needed = np.empty(len(first)), np.empty((len(places), len(first)))
    step = max(1, RESAMPLES_AT_ONCE // count)
    starts = range(0, len(first), step)
    for start in track(starts, "pairs"):
        rows = slice(start, start + step)
        observed, statistic, size = test.resampled(first[rows], second[rows])
        p[rows] = share_as_large(statistic, observed)
        for at, place in enumerate(places):  # two at once take longer than one by one
            here = np.argpartition(statistic, place, axis=1)[:, place, None]
            found_here = np.take_along_axis(size, here, axis=1)[:, 0]
            needed[at, rows] = np.where(np.isnan(observed), np.nan, found_here)
    return Significance(p, first, second, tuple(alpha), needed)


def place_of(alpha: float, count: int) -> int:
    """Return the index of the Bα-th largest of B = `count` values in ascending order."""
    largest = int(count * alpha + CANCELLATION)
    if largest < 1:
        least = int(np.ceil(1 / alpha - CANCELLATION))
        raise CallError(f"alpha {alpha:g} with {count:,} resamples: it takes {least:,} at least.")
    return count - largest


class Resampling(Protocol):
    def resampled(self, first: Ints, second: Ints) -> tuple[Floats, Floats, Floats]: ...


class _Paired:
    """Resamples of the differences by topic, minus their mean."""

    def __init__(self, values: Floats, count: int, rng: np.random.Generator) -> None:
        self.values = values
        self.draws = drawn_topics(values.shape[1], count, rng)

    def resampled(self, first: Ints, second: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the observed |t| of each pair, and |t| and |mean| of each of its resamples."""
        return bootstrap_statistics(differences_of(self.values, first, second), self.draws)


class _PairedLogs(_Paired):
    """Resamples of the differences of logarithms."""

    def __init__(self, values: Floats, count: int, rng: np.random.Generator) -> None:
        super().__init__(logarithms(values), count, rng)


class _Unpaired:
    """Resamples of the pooled scores of two systems, for geometric means."""

    def __init__(self, values: Floats, count: int, rng: np.random.Generator) -> None:
        topics, logs = values.shape[1], logarithms(values)
        drawn = rng.integers(2 * topics, size=(count, 2 * topics))
        self.means = np.exp(logs.mean(axis=1))
        # What each system adds to the logarithm of each resample, as the first or the second.
        self.shares = []
        for part in (drawn[:, :topics], drawn[:, topics:]):
            weights = tallied(part, 2 * topics).T / topics
            self.shares.append((logs @ weights[:topics], logs @ weights[topics:]))

    def resampled(self, first: Ints, second: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the observed difference of each pair, and twice that of each of its resamples."""
        one, other = (np.exp(own[first] + its[second]) for own, its in self.shares)
        size = np.abs(one - other)
        return np.abs(self.means[first] - self.means[second]), size, size


class _UnpairedArea:
    """Resamples for areas, which are not sums over topics: each resample is sorted."""

    def __init__(self, values: Floats, count: int, rng: np.random.Generator) -> None:
        self.values = values
        topics = values.shape[1]
        self.drawn = rng.integers(2 * topics, size=(count, 2 * topics))

    def resampled(self, first: Ints, second: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the observed difference of each pair, and twice that of each of its resamples."""
        both = np.concatenate([self.values[first], self.values[second]], axis=1)
        topics = self.values.shape[1]
        one, other = (
            worst_areas_of_draws(both, part)
            for part in (self.drawn[:, :topics], self.drawn[:, topics:])
        )
        areas = worst_area(self.values)
        size = np.abs(one - other)
        return np.abs(areas[first] - areas[second]), size, size


TESTS_OF: dict[Summary, Callable[[Floats, int, np.random.Generator], Resampling]] = {
    "mean": _Paired,
    "geometric mean": _Unpaired,
    "logarithms": _PairedLogs,
    "area": _UnpairedArea,
}
