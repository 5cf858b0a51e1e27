"""Tests of many pairs of systems at once: two-way analysis of variance, Tukey and Dunnett.

`values` is systems × topics. Only topics for which every system has a score are used: the
analysis needs a complete table. With fewer than two such topics all results are NaN. The p-values
are familywise and need no correction. The intervals are simultaneous: together they contain the
true differences with probability 1 − α, and an interval excludes 0 if its p is at most α.
"""

from typing import NamedTuple

import numpy as np

from rankwise.arrays import CANCELLATION, Floats, Ints
from rankwise.progress import track
from rankwise.stats import many_to_one
from rankwise.stats.paired import AT_ONCE, LEAST_TOPICS, check_count
from rankwise.stats.studentised_range import critical_value, survival


class Simultaneous(NamedTuple):
    """Familywise p-value and interval ends of each pair, at confidence level 1 − α."""

    p: Floats
    low: Floats
    high: Floats


def tukey_hsd(values: Floats, first: Ints, second: Ints, *, alpha: float = 0.05) -> Simultaneous:
    """Tukey's honestly significant differences, after a two-way ANOVA without interaction.

    Score = system + topic + error. q = |difference of means| / √(error variance / topics)
    has the studentised range distribution of all the systems, with (systems − 1) ×
    (topics − 1) degrees of freedom. For two systems p is that of the paired t-test. The
    intervals are difference ± q(α) √(error variance / topics), with q(α) the quantile.

    If the error variance is 0, p is 1 for equal means and NaN otherwise, and there are no
    intervals.

    Assumes normal errors with equal variance in all systems, which scores near 0 or 1 violate.
    `randomised_tukey` does not assume this.
    """
    table = full_table(values)
    systems, topics = table.shape
    if topics < LEAST_TOPICS:
        return _undefined(len(first))
    gap, freedom, error = _two_way(table, first, second)
    if not error > 0:
        return _undefined(len(first))._replace(p=np.where(gap == 0, 1.0, np.nan))
    p = survival(np.abs(gap) / error, systems, freedom)
    reach = critical_value(alpha, systems, freedom) * error
    return Simultaneous(p, gap - reach, gap + reach)


def dunnett(values: Floats, first: Ints, second: Ints, *, alpha: float = 0.05) -> Simultaneous:
    """Dunnett's test of several systems against one, after a two-way ANOVA without interaction.

    t = |difference of means| / √(2 × error variance / topics); the largest of them has Dunnett's
    distribution with correlation 1/2 and (systems − 1) × (topics − 1) degrees of freedom. All
    pairs have the same `second` system, the baseline. For two systems p is that of the paired
    t-test. Assumptions and undefined cases are those of `tukey_hsd`.
    """
    table = full_table(values)
    topics = table.shape[1]
    if topics < LEAST_TOPICS:
        return _undefined(len(first))
    gap, freedom, error = _two_way(table, first, second)
    if not error > 0:
        return _undefined(len(first))._replace(p=np.where(gap == 0, 1.0, np.nan))
    error = np.sqrt(2) * error
    p = many_to_one.survival(np.abs(gap) / error, len(first), freedom)
    reach = many_to_one.critical_value(alpha, len(first), freedom) * error
    return Simultaneous(p, gap - reach, gap + reach)


def _two_way(table: Floats, first: Ints, second: Ints) -> tuple[Floats, int, float]:
    """Return the differences of means, the degrees of freedom, and the error of one mean."""
    systems, topics = table.shape
    means = table.mean(axis=1)
    freedom = (systems - 1) * (topics - 1)
    residual = table - means[:, None] - table.mean(axis=0) + table.mean()
    residual[np.abs(residual) <= CANCELLATION * np.abs(table).max(initial=0)] = 0.0
    error = float(np.sqrt((residual**2).sum() / max(freedom, 1) / topics))
    return _gaps(means, first, second), freedom, error


def randomised_tukey(
    values: Floats,
    first: Ints,
    second: Ints,
    *,
    alpha: float = 0.05,
    count: int = 10_000,
    rng: np.random.Generator,
) -> Simultaneous:
    """Randomised Tukey HSD: permutation distribution of the largest difference of means.

    Under the null hypothesis that all systems are equal, the scores of a topic are exchangeable.
    They are permuted within topics `count` times; p = (1 + number of permutations whose largest
    difference of means is at least the pair's) / (1 + count). For two systems this is the
    permutation test. Carterette, ACM TOIS 30(1), 2012; Sakai, SIGIR 2014.

    The intervals are difference ± the critical gap at α: the value that ⌊α (1 + count)⌋ − 1 of
    the largest differences exceed. They are infinite if there are too few permutations for any
    significance.
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
    """Return the topics for which every system has a score."""
    return values[:, ~np.isnan(values).any(axis=0)]


def _gaps(means: Floats, first: Ints, second: Ints) -> Floats:
    """Difference of the means of each pair; 0 if it is only rounding error."""
    gaps = means[first] - means[second]
    gaps[np.abs(gaps) <= CANCELLATION * np.abs(means).max(initial=0)] = 0.0
    return gaps


def _undefined(pairs: int) -> Simultaneous:
    return Simultaneous(*(np.full(pairs, np.nan) for _ in range(3)))
