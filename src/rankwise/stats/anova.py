"""Tests of all pairs of systems at once: two-way analysis of variance and Tukey's HSD.

`values` are systems × topics. Only topics at which every system has a score are used: the
analysis needs a full table. With fewer than two such topics all is NaN. p-values are
familywise by themselves, no correction is due, and the intervals are simultaneous: all of
them together hold the true differences with the chance 1 − α, and one excludes 0 where its
p is at most α.
"""

from typing import NamedTuple

import numpy as np

from rankwise.arrays import CANCELLATION, Floats, Ints
from rankwise.progress import track
from rankwise.stats.paired import AT_ONCE, LEAST_TOPICS, check_count
from rankwise.stats.studentised_range import critical_value, survival


class Simultaneous(NamedTuple):
    """For each pair its familywise p, and the ends of its interval at the confidence 1 − α."""

    p: Floats
    low: Floats
    high: Floats


def tukey_hsd(values: Floats, first: Ints, second: Ints, *, alpha: float = 0.05) -> Simultaneous:
    """Tukey's honestly significant differences, after a two-way ANOVA without interaction.

    Score = system + topic + error. q = |difference of means| / √(error variance / topics)
    has the studentised range distribution of all the systems, with (systems − 1) ×
    (topics − 1) degrees of freedom. For two systems p is that of the paired t-test. The
    intervals are difference ± q(α) √(error variance / topics), with q(α) the quantile.

    Without any error there is no variance to divide by: p is 1 for means that are the same,
    else NaN, and there are no intervals.

    It takes the error for normal and equally spread in all systems. Scores near 0 or 1 are
    not: `randomised_tukey` makes no such assumption.
    """
    table = full_table(values)
    systems, topics = table.shape
    if topics < LEAST_TOPICS:
        return _undefined(len(first))
    means = table.mean(axis=1)
    gap = _gaps(means, first, second)
    freedom = (systems - 1) * (topics - 1)
    residual = table - means[:, None] - table.mean(axis=0) + table.mean()
    residual[np.abs(residual) <= CANCELLATION * np.abs(table).max(initial=0)] = 0.0
    error = np.sqrt((residual**2).sum() / max(freedom, 1) / topics)
    if not error > 0:
        return _undefined(len(first))._replace(p=np.where(gap == 0, 1.0, np.nan))
    p = survival(np.abs(gap) / error, systems, freedom)
    reach = critical_value(alpha, systems, freedom) * error
    return Simultaneous(p, gap - reach, gap + reach)


def randomised_tukey(
    values: Floats,
    first: Ints,
    second: Ints,
    *,
    alpha: float = 0.05,
    count: int = 10_000,
    rng: np.random.Generator,
) -> Simultaneous:
    """Randomised Tukey HSD: how often is the greatest gap of all as large by chance?

    If the systems were all the same, the scores of each topic could as well be another's.
    They are permuted within topics `count` times; p = (1 + times that the greatest
    difference of two means is at least the pair's) / (1 + count). For two systems this is
    the permutation test. Carterette, ACM TOIS 30(1), 2012; Sakai, SIGIR 2014.

    The intervals are difference ± the least gap that is not significant at α: of the
    greatest differences, the one that ⌊α (1 + count)⌋ − 1 others exceed. They are infinite
    where so few permutations can make nothing significant.
    """
    check_count(count)
    table = full_table(values)
    systems, topics = table.shape
    if topics < LEAST_TOPICS:
        return _undefined(len(first))
    batch = max(1, AT_ONCE // 4 // table.size)
    by_topic = np.sort(table, axis=0).T  # which system had a score is forgotten: no order matters
    starts = range(0, count, batch)
    ranges = np.empty(count)
    for start in track(starts, "resamples"):
        shape = (min(batch, count - start), topics, systems)
        shuffled = rng.permuted(np.broadcast_to(by_topic, shape), axis=2)
        ranges[start : start + batch] = np.ptp(shuffled.mean(axis=1), axis=1)
    ranges.sort()
    ranges += (
        CANCELLATION * np.abs(table).max()
    )  # a gap that is equal, but for rounding, is as large
    gap = _gaps(table.mean(axis=1), first, second)
    p = (1 + count - np.searchsorted(ranges, np.abs(gap))) / (1 + count)
    beyond = int(np.floor(alpha * (1 + count) * (1 + CANCELLATION))) - 1  # so many may be as large
    reach = ranges[count - 1 - beyond] if beyond >= 0 else np.inf
    return Simultaneous(p, gap - reach, gap + reach)


def full_table(values: Floats) -> Floats:
    """The topics at which every system has a score."""
    return values[:, ~np.isnan(values).any(axis=0)]


def _gaps(means: Floats, first: Ints, second: Ints) -> Floats:
    """The difference of the means of each pair; 0 if only rounding differs."""
    gaps = means[first] - means[second]
    gaps[np.abs(gaps) <= CANCELLATION * np.abs(means).max(initial=0)] = 0.0
    return gaps


def _undefined(pairs: int) -> Simultaneous:
    return Simultaneous(*(np.full(pairs, np.nan) for _ in range(3)))
