"""Statistics of system rankings under resampled topics, for many resamples at once.

`draws` (resamples × topics) has the frequency of each topic in each resample.
"""

import numpy as np

from rankwise.arrays import CANCELLATION, Floats, Ints
from rankwise.stats.studentised_range import critical_value

SAME = 12  # digits of means that are taken to be tied


def resampled_means(values: Floats, draws: Floats) -> Floats:
    """Mean over the topics of each resample: … × systems × resamples.

    `values` is … × systems × topics; NaN excludes a topic. NaN where a resample has no topic.
    """
    defined = np.isfinite(values)
    count = defined.astype(np.float64) @ draws.T
    total = np.nan_to_num(values) @ draws.T
    found = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return np.asarray(np.round(found, SAME))


def tukey_pairs(values: Floats, draws: Floats, alpha: float) -> Ints:
    """Count the pairs of systems that differ by Tukey's HSD, in each resample.

    `values` is systems × topics without NaN. With c the scores less the mean of their topic, the
    error sum of squares of a resample of n topics is Σ w c² − n Σ (mean of c)², so that no
    resample of the table is made. Two systems differ if their means do by q(α) √(error variance /
    n). Without any error variance, and with fewer than two topics, no pair is counted.
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
    found = [
        (systems - np.searchsorted(column, column + gap)).sum() if enough else 0
        for column, gap, enough in zip(np.sort(means, axis=0).T, reach, known, strict=True)
    ]
    return np.array(found, np.int64)


def kendall_by_row(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b between each row of x and the same row of y; NaN if one is NaN or all tied.

    >>> kendall_by_row(np.array([[1.0, 2, 3], [1, 1, 2]]), np.array([[1.0, 3, 2], [1, 2, 3]]))
    array([0.33333333, 0.81649658])
    """
    rows = zip(x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1]), strict=True)
    return np.array([_tau(*row) for row in rows]).reshape(x.shape[:-1])


def _tau(x: Floats, y: Floats) -> float:
    if np.isnan(x).any() or np.isnan(y).any():
        return float("nan")
    above_x, above_y = x[:, None] > x, y[:, None] > y
    apart_x, apart_y = np.count_nonzero(above_x), np.count_nonzero(above_y)
    concordant, pairs = np.count_nonzero(above_x & above_y), len(x) * (len(x) - 1) // 2
    if apart_y == pairs:  # no ties: what is not concordant is discordant
        discordant = apart_x - concordant
    else:
        discordant = np.count_nonzero(above_x & (y[:, None] < y))
    if not apart_x * apart_y:
        return float("nan")
    return (concordant - discordant) / float(np.sqrt(apart_x * apart_y))


def deviation(resampled: Floats) -> Floats:
    """Standard deviation along the last axis, without NaN; NaN where fewer than two are left."""
    known = np.isfinite(resampled)
    count = known.sum(axis=-1)
    mean = np.where(known, resampled, 0).sum(axis=-1) / np.maximum(count, 1)
    squares = (np.where(known, resampled - mean[..., None], 0) ** 2).sum(axis=-1)
    return np.asarray(np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan))


def difference_p(difference: float, resampled: Floats) -> float:
    """Two-sided p-value of a difference by its standard error over resamples (normal).

    1 if there is neither a difference nor any variance; NaN if only the variance is missing.
    """
    from scipy.special import ndtr

    error = float(deviation(resampled))
    if error > 0:
        return float(2 * ndtr(-abs(difference) / error))
    return 1.0 if difference == 0 else float("nan")
