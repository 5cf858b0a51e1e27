"""Tests of all pairs of systems at once: two-way analysis of variance and Tukey's HSD.

`values` are systems × topics. Only topics at which every system has a score are used: the
analysis needs a full table. With fewer than two such topics, p is NaN. p-values are
familywise by themselves: no correction is due.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from rankwise.stats.paired import AT_ONCE, LEAST_TOPICS, ROUNDING, Floats, Ints, check_count
from rankwise.stats.studentised_range import survival

Progress = Callable[[Sequence[int]], Iterable[int]]


def tukey_hsd(values: Floats, first: Ints, second: Ints) -> Floats:
    """Tukey's honestly significant differences, after a two-way ANOVA without interaction.

    Score = system + topic + error. q = |difference of means| / √(error variance / topics)
    has the studentised range distribution of all the systems, with (systems − 1) ×
    (topics − 1) degrees of freedom. For two systems p is that of the paired t-test.

    It takes the error for normal and equally spread in all systems. Scores near 0 or 1 are
    not: `randomised_tukey` makes no such assumption.
    """
    table = full_table(values)
    systems, topics = table.shape
    if topics < LEAST_TOPICS:
        return np.full(len(first), np.nan)
    means = table.mean(axis=1)
    gap = _gaps(means, first, second)
    freedom = (systems - 1) * (topics - 1)
    residual = table - means[:, None] - table.mean(axis=0) + table.mean()
    residual[np.abs(residual) <= ROUNDING * np.abs(table).max(initial=0)] = 0.0
    error = np.sqrt((residual**2).sum() / max(freedom, 1) / topics)
    p = (gap == 0).astype(np.float64)  # without any error, any difference is significant
    return survival(gap / error, systems, freedom) if error > 0 else p


def randomised_tukey(
    values: Floats,
    first: Ints,
    second: Ints,
    *,
    count: int = 10_000,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Floats:
    """Randomised Tukey HSD: how often is the greatest gap of all as large by chance?

    If the systems were all the same, the scores of each topic could as well be another's.
    They are permuted within topics `count` times; p = (1 + times that the greatest
    difference of two means is at least the pair's) / (1 + count). For two systems this is
    the permutation test. Carterette, ACM TOIS 30(1), 2012; Sakai, SIGIR 2014.

    `progress` wraps the sequence of batches.
    """
    check_count(count)
    table = full_table(values)
    systems, topics = table.shape
    if topics < LEAST_TOPICS:
        return np.full(len(first), np.nan)
    batch = max(1, AT_ONCE // 4 // table.size)
    starts = range(0, count, batch)
    ranges = np.empty(count)
    for start in starts if progress is None else progress(starts):
        shape = (min(batch, count - start), topics, systems)
        shuffled = rng.permuted(np.broadcast_to(table.T, shape), axis=2)
        ranges[start : start + batch] = np.ptp(shuffled.mean(axis=1), axis=1)
    least = _gaps(table.mean(axis=1), first, second)
    least -= ROUNDING * np.abs(table).max()  # equal, but for rounding, is as large
    return (1 + count - np.searchsorted(np.sort(ranges), least)) / (1 + count)


def full_table(values: Floats) -> Floats:
    """The topics at which every system has a score."""
    return values[:, ~np.isnan(values).any(axis=0)]


def _gaps(means: Floats, first: Ints, second: Ints) -> Floats:
    """The size of the difference of the means of each pair; 0 if only rounding differs."""
    gaps = np.abs(means[first] - means[second])
    gaps[gaps <= ROUNDING * np.abs(means).max(initial=0)] = 0.0
    return gaps
