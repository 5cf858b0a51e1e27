"""Confidence intervals of means over topics: Student's t, on the logit scale, or bootstrap.

Each row has a value per topic: the scores of a run, or the differences of two runs. For differences
the interval is for the mean difference, paired by topic. NaN excludes a topic. A row of equal
values has no variance estimate and therefore no interval: its limits are NaN.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.arrays import CANCELLATION, Bools, Floats, Ints
from rankwise.threads import map_in_threads
from rankwise.vocabulary import MeanInterval

ROUNDS = 50  # of the search for the smallest bound of a t-interval
ROWS = 1 << 10  # rows processed together, so that their values stay in the cache
DRAWS = 1_000
CELLS_AT_ONCE = 4_000_000  # rows × resamples in memory at once


class Moments(NamedTuple):
    """Mean, standard deviation (divisor n − 1) and number of topics of each row of values."""

    mean: Floats
    sd: Floats
    topics: Ints

    @property
    def error(self) -> Floats:
        """Standard error of the mean."""
        return self.sd / np.sqrt(np.maximum(self.topics, 1))

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of the standard error: topics − 1, but at least 1."""
        return np.maximum(self.topics - 1.0, 1.0)


class Estimate(NamedTuple):
    """Estimated mean of each row, with its standard error and degrees of freedom."""

    mean: Floats
    error: Floats
    freedom: Floats

    @property
    def p(self) -> Floats:
        """Two-sided p-value of Student's t-test that the true mean is 0.

        If the standard error is 0, p is 1 for a mean of 0 and NaN for other means.
        """
        from scipy.special import stdtr

        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2 * stdtr(self.freedom, -np.abs(self.mean / self.error))
        constant = np.where(self.mean == 0, 1.0, np.nan)
        return np.where(self.error == 0, constant, p)


def moments(values: Floats) -> Moments:
    """Return mean, standard deviation and number of topics of each row; NaN excludes a topic.

    The mean is NaN without a topic. The standard deviation is NaN with fewer than two topics, and
    exactly 0 for a row of equal values.
    """
    kept = np.isfinite(values)
    count = kept.sum(axis=1)
    filled = np.where(kept, values, 0.0)
    mean = np.where(count > 0, filled.sum(axis=1) / np.maximum(count, 1), np.nan)
    apart = np.where(kept, values - mean[:, None], 0.0)
    apart[np.abs(apart) <= CANCELLATION * np.abs(filled).max(axis=1, initial=0)[:, None]] = 0.0
    sd = np.sqrt((apart**2).sum(axis=1) / np.maximum(count - 1, 1))
    return Moments(mean, np.where(count > 1, sd, np.nan), count)


def t_interval(values: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return Student's t-interval of the mean of each row of n values.

    The interval is mean ± t × sd / √n, with n − 1 degrees of freedom. The limits are NaN with fewer
    than two topics, and if sd is 0. The interval is not suitable for a few topics whose scores are
    nearly all 0 or 1, because it can exceed the range of the score.

    >>> [float(end.round(3)[0]) for end in t_interval(np.array([[0.0, 0.5, 1.0]]), 0.95)]
    [-0.742, 1.742]
    """
    return t_interval_of(moments(values), confidence)


def t_interval_of(estimate: Moments | Estimate, confidence: float) -> tuple[Floats, Floats]:
    """Return Student's t-interval from means, standard errors and degrees of freedom.

    The limits are NaN if the standard error is 0 or NaN.
    """
    from scipy.special import stdtrit

    error = np.where(estimate.error > 0, estimate.error, np.nan)
    reach = stdtrit(estimate.freedom, (1 + confidence) / 2) * error
    return estimate.mean - reach, estimate.mean + reach


def logit_interval_of(
    estimate: Moments | Estimate, confidence: float, low: npt.ArrayLike, high: npt.ArrayLike
) -> tuple[Floats, Floats]:
    """Return Student's t-interval of the logit of the mean, transformed back to the score range.

    Let u = (mean − low) / (high − low). On the logit scale, the limits are logit(u) ± t × error /
    (u (1 − u)) by the delta method, where error is the standard error of u. If an end of the range
    is infinite, the t-interval of the mean is clipped to the range. Clipping does not change the
    coverage, because the true mean is within the range. The limits are NaN if the standard error is
    0 or NaN.

    >>> values = np.array([[1.0] * 29 + [0.5]])
    >>> ends = logit_interval_of(moments(values), 0.95, 0.0, 1.0)
    >>> [float(end.round(4)[0]) for end in ends]
    [0.8805, 0.9979]
    """
    from scipy.special import expit, logit, stdtrit

    lowest, highest = (
        np.broadcast_to(np.asarray(end, float), estimate.mean.shape) for end in (low, high)
    )
    finite = np.isfinite(lowest) & np.isfinite(highest)
    base, width = np.where(finite, lowest, 0.0), np.where(finite, highest - lowest, 1.0)
    error = np.where(estimate.error > 0, estimate.error, np.nan) / width
    t = stdtrit(estimate.freedom, (1 + confidence) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (estimate.mean - base) / width
        reach = t * error / (mean * (1 - mean))
        ends = [base + width * expit(logit(mean) + side * reach) for side in (-1, 1)]
    plain = cut_at_range(t_interval_of(estimate, confidence), lowest, highest)
    return np.where(finite, ends[0], plain[0]), np.where(finite, ends[1], plain[1])


def t_ratio(freedom: Floats, larger: Floats) -> Floats:
    """Return t (two-sided 95 % quantile) for `freedom`, divided by t for `larger`.

    Both are degrees of freedom; values below 1 count as 1.

    >>> t_ratio(np.array([4.0]), np.array([9.0])).round(4).tolist()
    [1.2273]
    """
    from scipy.special import stdtrit

    one, other = (stdtrit(np.maximum(each, 1), 0.975) for each in (freedom, larger))
    return np.asarray(one / other)


def cut_at_range(
    ends: tuple[Floats, Floats], low: npt.ArrayLike, high: npt.ArrayLike
) -> tuple[Floats, Floats]:
    """Return the limits `ends`, clipped to the range `low` to `high`; NaN stays NaN."""
    return np.maximum(ends[0], low), np.minimum(ends[1], high)


def t_interval_within(low: Floats, high: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return an interval that contains the t-interval of every row of values within the bounds.

    Each value lies between `low` and `high`. It is not enough to try the row of all lower bounds
    and the row of all upper bounds, because a mixture of both can have a larger variance. For the
    upper limit, with mean m, standard deviation s and k = t / √(n (n − 1)),

        m + t s / √n  =  min over μ, λ of  m + k (λ + Σ (x − μ)² / λ) / 2.

    For any μ and λ the right side is largest with each value x at one of its two bounds, which can
    be decided topic by topic. Any μ and λ therefore give a valid bound. The smallest of these
    bounds is returned. In each round μ and λ are set to the mean and spread of the worst rows of
    the previous rounds, averaged (fictitious play). If the row of all upper bounds is the worst
    row, the first bound is exact. The limits are NaN with fewer than two topics, and if all values
    are equal and cannot vary.

    >>> low, high = np.array([[0.1, 0.2, 0.3]]), np.array([[0.3, 0.4, 0.5]])
    >>> [float(end.round(4)[0]) for end in t_interval_within(low, high, 0.8)]
    [0.04, 0.56]
    """
    return -_greatest_end(-high, -low, confidence), _greatest_end(low, high, confidence)


def t_interval_of_any(
    low: Floats, high: Floats, defined: Bools, confidence: float
) -> tuple[Floats, Floats]:
    """Return the t-interval of means of scores that are known only within bounds.

    The interval contains the t-interval of every row of scores between `low` and `high`. Topics
    that are not `defined` now but have bounds may enter the mean after further judgments. The
    interval is computed for every possible number of these topics; the lowest lower and the highest
    upper limit are returned. All of these topics get the same bounds: the smallest lower and the
    largest upper bound that any of them has.
    """
    later = ~defined & ~np.isnan(low)
    least = np.where(later, low, np.inf).min(axis=1, initial=np.inf)
    greatest = np.where(later, high, -np.inf).max(axis=1, initial=-np.inf)
    lows, highs = (np.where(defined, end, np.nan) for end in (low, high))
    both = t_interval_within(lows, highs, confidence)
    for count in range(1, int(later.sum(axis=1).max(initial=0)) + 1):
        enters = later.sum(axis=1) >= count
        lows, highs = (
            np.concatenate([end, np.where(enters, edge, np.nan)[:, None]], axis=1)
            for end, edge in ((lows, least), (highs, greatest))
        )
        more = t_interval_within(lows, highs, confidence)
        low_end = np.where(enters, np.minimum(both[0], more[0]), both[0])
        both = low_end, np.where(enters, np.maximum(both[1], more[1]), both[1])
    return both


def _greatest_end(low: Floats, high: Floats, confidence: float) -> Floats:
    blocks = [slice(start, start + ROWS) for start in range(0, len(low), ROWS)]
    ends = map_in_threads(lambda rows: _greatest_end_of(low[rows], high[rows], confidence), blocks)
    return np.concatenate([np.empty(0), *ends])


def _greatest_end_of(low: Floats, high: Floats, confidence: float) -> Floats:
    from scipy.special import stdtrit

    kept = np.isfinite(low) & np.isfinite(high)
    low, high = np.where(kept, low, 0.0), np.where(kept, high, 0.0)
    middle = (low + high) / 2
    count = np.maximum(kept.sum(axis=1), 2)[:, None]
    k = stdtrit(count - 1, (1 + confidence) / 2) / np.sqrt(count * (count - 1))
    lowest = np.where(kept, low, np.inf).min(axis=1, initial=np.inf)
    highest = np.where(kept, high, -np.inf).max(axis=1, initial=-np.inf)
    some = (kept.sum(axis=1) > 1) & (highest - lowest > CANCELLATION * np.abs(highest))
    best, rows = np.full(len(low), np.inf), np.arange(len(low))
    worst, centre, scale = high, np.zeros_like(k), np.zeros_like(k)

    every = bool(kept.all())

    def squares(about: Floats) -> Floats:
        from_it = worst - about
        if not every:
            from_it *= kept
        return np.einsum("ij,ij->i", from_it, from_it)[:, None]

    total = worst.sum(axis=1, keepdims=True)
    for played in range(ROUNDS):
        mean = total / count
        spread = np.sqrt(squares(mean))
        centre += (mean - centre) / (played + 1)
        scale += (np.maximum(spread, 1e-12) - scale) / (played + 1)
        # The high value is worse if high / n + k (high − μ)² / 2λ ≥ low / n + k (low − μ)² / 2λ.
        worst = np.where(k * (middle - centre) >= -scale / count, high, low)
        total = worst.sum(axis=1, keepdims=True)
        bound = total / count
        bound += k * (squares(centre) / scale + scale) / 2
        best[rows] = np.minimum(best[rows], bound[:, 0])
        if played == 0:  # unchanged rows cannot get a better bound
            moved = np.flatnonzero((worst != high).any(axis=1))
            rows, count, kept = rows[moved], count[moved], kept[moved]
            low, high, middle, worst = low[moved], high[moved], middle[moved], worst[moved]
            k, centre, scale, total = k[moved], centre[moved], scale[moved], total[moved]
        if not len(rows):
            break
    return np.where(some, best, np.nan)


def bootstrap_interval(
    values: Floats, confidence: float, *, count: int = DRAWS, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the studentised bootstrap interval (Efron and Tibshirani 1993, section 12.5).

    Topics are drawn with replacement; all rows have the same draws. The distribution of t* = (mean*
    − mean) / error* over the resamples replaces Student's t distribution, so skewed scores give an
    asymmetric interval. The simpler percentile interval is too short for the few topics of test
    collections.

    A resample of equal values has standard error 0. Its t* is infinite, or 0 if the means of
    resample and row are equal. If these resamples make a limit infinite, both limits are NaN. At 95
    % confidence, this is always so for fewer than four topics. The limits are also NaN if the row
    itself has equal values.
    """
    low, high = (np.full(len(values), np.nan) for _ in range(2))
    for rows, columns in patterns(np.isfinite(values)):
        if len(columns) < 2:
            continue
        draws = rng.multinomial(len(columns), np.full(len(columns), 1 / len(columns)), count)
        step = max(1, CELLS_AT_ONCE // count)
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            table = values[np.ix_(some, columns)]
            low[some], high[some] = _studentised(table, draws, confidence)
    return low, high


def _studentised(values: Floats, draws: Ints, confidence: float) -> tuple[Floats, Floats]:
    size = values.shape[1]
    row_moments = moments(values)
    centred = values - row_moments.mean[:, None]
    weights = draws.T.astype(np.float64)
    shift = centred @ weights / size
    spread = np.maximum((centred**2) @ weights / size - shift**2, 0.0)
    error = np.sqrt(spread / (size - 1))
    # Smaller errors and shifts are rounding errors.
    flat = spread <= CANCELLATION * (row_moments.sd**2)[:, None]
    still = np.abs(shift) <= CANCELLATION * row_moments.sd[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(still, 0.0, shift / np.where(flat, 0.0, error))
    # Rounded, because (1 − 0.95) / 2 is slightly more than 0.025 and would select the 26th value
    # instead of the 25th.
    tails = np.round([(1 - confidence) / 2, (1 + confidence) / 2], 12)
    lower, upper = np.quantile(t, tails, axis=1, method="inverted_cdf")
    with np.errstate(invalid="ignore"):
        low, high = (
            row_moments.mean - upper * row_moments.error,
            row_moments.mean - lower * row_moments.error,
        )
    known = np.isfinite(low) & np.isfinite(high) & (row_moments.sd > 0)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def mean_interval(
    values: Floats,
    confidence: float,
    method: MeanInterval,
    rng: np.random.Generator,
    low: npt.ArrayLike = -np.inf,
    high: npt.ArrayLike = np.inf,
) -> tuple[Floats, Floats]:
    """Return the confidence limits of the mean of each row, within the range `low` to `high`."""
    if method == "logit":
        return logit_interval_of(moments(values), confidence, low, high)
    if method == "t":
        return cut_at_range(t_interval(values, confidence), low, high)
    return cut_at_range(bootstrap_interval(values, confidence, rng=rng), low, high)


def patterns(kept: npt.NDArray[np.bool_]) -> Iterator[tuple[Ints, Ints]]:
    """Yield (rows, topics), as indices, for each group of rows that have the same topics."""
    _, group = np.unique(np.packbits(kept, axis=1), axis=0, return_inverse=True)
    group = group.ravel()  # numpy 2.0.0 returns another axis
    order = np.argsort(group, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        if len(rows):
            yield rows, np.flatnonzero(kept[rows[0]])
