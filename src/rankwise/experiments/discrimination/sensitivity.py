"""Significance tests of every pair of systems, including Sakai's bootstrap.

Sakai, "On the properties of evaluation metrics for finding one highly relevant document", IPSJ
Digital Courier 3, 2007, Figures 5 to 7; first in SIGIR 2006. The fraction of pairs with an
achieved significance level (ASL) of at most α is the discriminative power of a metric.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from rankwise.arrays import CANCELLATION, Floats, Ints
from rankwise.comparison import REPEATS, TestOptions
from rankwise.errors import CallError
from rankwise.experiments.discrimination.swap import logarithms, tallied
from rankwise.progress import track
from rankwise.stats import bootstrap_statistics, differences_of, drawn_topics, share_as_large
from rankwise.vocabulary import Test
from rankwise.wording import Argument

Summary: TypeAlias = Literal["mean", "geometric mean", "logarithms", "area"]
RESAMPLES_AT_ONCE = 200_000  # pairs × resamples, few enough to stay in the cache
# The bootstrap here is Sakai's, which also gives the difference needed.
TESTS: dict[str, Test] = {name: name for name in get_args(Test) if name != "bootstrap"}


@dataclass(frozen=True, eq=False)
class Significance:
    """The p-value (or ASL) of each pair of systems: `first[i]` against `second[i]`.

    `needed`, of shape (levels of `alpha`, pairs), estimates the smallest significant difference of
    each pair. Only the bootstrap has it.
    """

    p: Floats
    first: Ints
    second: Ints
    alpha: tuple[float, ...]
    needed: Floats | None = None

    def significant(self, alpha: float) -> int:
        """Count the pairs with p ≤ α; an undefined p does not count."""
        return int((self.p <= alpha).sum())

    def estimated_difference(self, alpha: float) -> float:
        """Return the largest `needed` difference of any pair, to two significant figures.

        The result is NaN without the bootstrap.
        """
        if self.needed is None:
            return float("nan")
        greatest = np.fmax.reduce(self.needed[self.alpha.index(alpha)])  # NaN if all are NaN
        return float(f"{greatest:.2g}")

    def summary(self, alpha: float) -> list[dict[str, Any]]:
        """Return one row, as a list: the number and percentage of significant pairs at α.

        With the bootstrap the row also has `difference`, the estimated difference that a pair needs
        to be significant.
        """
        pairs, significant = len(self.p), self.significant(alpha)
        row = {"significant": significant, "pairs": pairs, "percent": 100 * significant / pairs}
        if self.needed is not None:
            row["difference"] = self.estimated_difference(alpha)
        return [row]

    def curve(self, runs: Sequence[str]) -> pl.DataFrame:
        """Return one row per pair of runs, by decreasing p-value (the ASL curve)."""
        order = np.argsort(-self.p, kind="stable")
        names = pl.Series(runs)
        columns = {
            "pair": np.arange(1, len(order) + 1),
            "a": names.gather(self.first[order]),
            "b": names.gather(self.second[order]),
            "p": self.p[order],
        }
        return pl.DataFrame(columns)


def pair_significance(
    values: Floats,
    method: str,
    *,
    alpha: Sequence[float] = (0.05,),
    count: int | None = None,
    seed: int = 0,
) -> Significance:
    """Test every pair of systems (two-sided); `values` is systems × topics without NaN.

    The tests are those of `compare` with its defaults. The two Tukey tests control the familywise
    error over all pairs; the other tests are applied to each pair without correction.
    """
    test = TESTS[method]
    repeats = count if test in REPEATS else None
    first, second = np.triu_indices(len(values), 1)
    p = TestOptions(test=test, resamples=repeats, seed=seed).p_values(values, first, second)
    return Significance(p, first, second, tuple(alpha))


def bootstrap_sensitivity(
    values: Floats,
    *,
    summary: Summary = "mean",
    alpha: Sequence[float] = (0.05,),
    count: int = 1_000,
    rng: np.random.Generator,
) -> Significance:
    """Return the ASL of every pair, and the difference that each needs for ASL ≤ α.

    `values` has shape (systems, topics), without NaN. Means and logarithms are compared by the
    paired test, geometric means and areas by the unpaired test. All pairs are tested on the same
    resamples. B is the number of resamples, `count`.

    The paired test is studentised. Let z be the differences by topic, w = z − mean(z), and w* a
    resample of w. ASL is the share of resamples with |t(w*)| ≥ |t(z)|. The difference needed is
    |mean(w*)| of the resample with the Bα-th largest |t(w*)|. ASL and the difference needed are NaN
    if z is constant and not 0, because t(z) then has no variance estimate.

    The unpaired test (Efron and Tibshirani 1993, Algorithm 16.1) draws the scores of both systems
    from the union of their scores. The statistic is the absolute difference of the geometric means,
    or of the areas. The difference needed is the Bα-th largest of the resampled differences. The
    test ignores that topics are paired. The paired test of logarithms tests the same hypothesis as
    the test of geometric means.
    """
    places = [place_of(level, count) for level in alpha]
    first, second = np.triu_indices(len(values), 1)
    resampled = TESTS_OF[summary](values, count, rng)
    p, needed = np.empty(len(first)), np.empty((len(places), len(first)))
    step = max(1, RESAMPLES_AT_ONCE // count)
    for start in track(range(0, len(first), step), "pairs"):
        rows = slice(start, start + step)
        observed, statistic, size = resampled(first[rows], second[rows])
        p[rows] = share_as_large(statistic, observed)
        for at, place in enumerate(places):  # faster than one partition for all
            here = np.argpartition(statistic, place, axis=1)[:, place, None]
            reached = np.take_along_axis(size, here, axis=1)[:, 0]
            needed[at, rows] = np.where(np.isnan(observed), np.nan, reached)
    return Significance(p, first, second, tuple(alpha), needed)


def place_of(alpha: float, count: int) -> int:
    """Return the index of the Bα-th largest of B = `count` values in ascending order."""
    largest = int(count * alpha + CANCELLATION)
    if largest < 1:
        least = int(np.ceil(1 / alpha - CANCELLATION))
        what = f" {alpha:g} needs at least {least:,} resamples; {count:,} are too few. Increase "
        raise CallError(Argument("alpha"), what, Argument("resamples"), ".")
    return count - largest


# A function from pairs of systems to three arrays: the observed statistic of each pair, and its
# statistic and its difference in each resample.
Resampled: TypeAlias = Callable[[Ints, Ints], tuple[Floats, Floats, Floats]]


def _paired(values: Floats, count: int, rng: np.random.Generator) -> Resampled:
    """Return a function that resamples the centred score differences by topic: |t| and |mean|."""
    draws = drawn_topics(values.shape[1], count, rng)
    return lambda first, second: bootstrap_statistics(differences_of(values, first, second), draws)


def _unpaired(values: Floats, count: int, rng: np.random.Generator) -> Resampled:
    """Return a function that resamples the pooled scores of two systems, for geometric means."""
    topics, logs = values.shape[1], logarithms(values)
    drawn = rng.integers(2 * topics, size=(count, 2 * topics))
    means = np.exp(logs.mean(axis=1))
    # What each system adds to the mean logarithm of each resample, as the first or the second.
    shares = []
    for part in (drawn[:, :topics], drawn[:, topics:]):
        weights = tallied(part, 2 * topics).T / topics
        shares.append((logs @ weights[:topics], logs @ weights[topics:]))

    def resampled(first: Ints, second: Ints) -> tuple[Floats, Floats, Floats]:
        one, other = (np.exp(own[first] + its[second]) for own, its in shares)
        size = np.abs(one - other)
        return np.abs(means[first] - means[second]), size, size

    return resampled


def _unpaired_area(values: Floats, count: int, rng: np.random.Generator) -> Resampled:
    """Return a function that resamples the pooled scores of two systems, and compares areas.

    See `worst_area` for the area of a system.
    """
    topics, areas = values.shape[1], worst_area(values)
    drawn = rng.integers(2 * topics, size=(count, 2 * topics))

    def resampled(first: Ints, second: Ints) -> tuple[Floats, Floats, Floats]:
        both = np.concatenate([values[first], values[second]], axis=1)
        one, other = (
            worst_areas_of_draws(both, part) for part in (drawn[:, :topics], drawn[:, topics:])
        )
        size = np.abs(one - other)
        return np.abs(areas[first] - areas[second]), size, size

    return resampled


TESTS_OF: dict[Summary, Callable[[Floats, int, np.random.Generator], Resampled]] = {
    "mean": _paired,
    "geometric mean": _unpaired,
    "logarithms": lambda values, count, rng: _paired(logarithms(values), count, rng),
    "area": _unpaired_area,
}


def worst_area(values: Floats) -> Floats:
    """Return the area measure of TREC's robust track: MAP(x) averaged over x.

    MAP(x) is the mean over the worst x topics (last axis); x goes from 1 to a quarter of them.
    Voorhees, Overview of the TREC 2004 Robust Retrieval Track.

    >>> worst_area(np.array([0.9, 0.2, 0.5, 0.1, 0.3, 0.8, 0.7, 0.6])).round(4).tolist()
    0.125
    """
    quarter = max(1, values.shape[-1] // 4)
    return _area(np.sort(np.partition(values, quarter - 1, axis=-1)[..., :quarter], axis=-1))


def worst_areas_of_draws(values: Floats, drawn: Ints) -> Floats:
    """Return `worst_area` of each row of values under each draw (rows × draws).

    `drawn` has indices into a row.
    """
    order = np.argsort(values, axis=1)  # then small integers are sorted instead of scores
    kind = np.uint16 if values.shape[1] < 1 << 16 else np.uint32
    place = np.empty(values.shape, kind)
    np.put_along_axis(place, order, np.arange(values.shape[1], dtype=kind)[None], axis=1)
    quarter = max(1, drawn.shape[1] // 4)
    worst = np.sort(place[:, drawn], axis=-1)[..., :quarter]
    here = order[np.arange(len(order))[:, None, None], worst]
    return _area(values[np.arange(len(values))[:, None, None], here])


def _area(worst: Floats) -> Floats:
    """Return the mean of MAP(x) over x, for the scores of the worst topics in ascending order."""
    means = np.cumsum(worst, axis=-1) / np.arange(1, worst.shape[-1] + 1)
    return np.asarray(means.mean(axis=-1))
