"""Statistics of system rankings under resampled topics, for many resamples at once.

`draws`, of shape (resamples, topics), has the number of times each topic is in each resample.
"""

import numpy as np

from rankwise.arrays import CANCELLATION, Floats, Ints
from rankwise.stats.intervals import moments
from rankwise.stats.multiple_comparisons import critical_value

SAME = 12  # decimals of rounded means, so that equal means tie


def resampled_means(values: Floats, draws: Floats) -> Floats:
    """Return the mean over the topics of each resample, of shape (…, systems, resamples).

    `values` has shape (…, systems, topics), and NaN excludes a topic. The mean is NaN if a resample
    has no topic with a score. Means are rounded to 12 decimals, so that means that differ only by
    rounding errors are equal.
    """
    defined = np.isfinite(values)
    count = defined.astype(np.float64) @ draws.T
    total = np.nan_to_num(values) @ draws.T
    means = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return np.asarray(np.round(means, SAME))


def tukey_pairs(values: Floats, draws: Floats, alpha: float) -> Ints:
    """Return the number of pairs of systems that differ by Tukey's HSD, in each resample.

    `values` has shape (systems, topics), without NaN. Two systems differ if their means differ by
    at least q(α) √(error variance / n), where n is the number of topics and q(α) the critical value
    of the studentised range. The error sum of squares is Σ w c² − n Σ (mean c of a system)², where
    c is a score minus the mean of its topic, and w the frequency of the topic in the resample. The
    number is 0 if the error variance is 0, or with fewer than two topics.
    """
    systems = len(values)
    count = draws.sum(axis=1)
    topics = np.maximum(count, 2)
    centred = values - values.mean(axis=0)
    means = centred @ draws.T / topics
    total = (centred**2).sum(axis=0) @ draws.T
    squares = total - topics * (means**2).sum(axis=0)
    freedom = (systems - 1) * (topics - 1)
    sizes, place = np.unique(freedom, return_inverse=True)
    critical = np.array([critical_value(alpha, systems, int(size)) for size in sizes])[place]
    known = (count >= 2) & (squares > CANCELLATION * total)
    reach = critical * np.sqrt(np.maximum(squares, 0) / freedom / topics) * (1 - CANCELLATION)
    counts = [
        (systems - np.searchsorted(column, column + gap)).sum() if enough else 0
        for column, gap, enough in zip(np.sort(means, axis=0).T, reach, known, strict=True)
    ]
    return np.array(counts, np.int64)


def difference_p(difference: float, resampled: Floats) -> float:
    """Return the two-sided p-value of a difference by a z-test.

    `resampled` has the difference in each resample. The standard deviation of these differences is
    the standard error. If the standard error is 0, p is 1 for a difference of 0 and NaN for any
    other.
    """
    from scipy.special import ndtr

    error = float(moments(resampled[None]).sd[0])
    if error > 0:
        return float(2 * ndtr(-abs(difference) / error))
    return 1.0 if difference == 0 else float("nan")
