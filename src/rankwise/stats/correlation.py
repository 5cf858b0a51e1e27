"""Rank correlation coefficients: Kendall's tau, Spearman's rho, tau-ap.

Arguments: `x` has one value for each of n systems. `y` has values of the same systems for one
ranking, in shape (n,), or for many, in shape (…, n). In `kendall`, `x` may also have the shape of
`y`; each ranking of `x` is then compared with the same row of `y`. Higher is better. Only the order
of the values counts. Equal values are tied; `dense_ranks` removes differences due to rounding. The
result is NaN if a value is NaN or with fewer than two systems. Except for tau-a and tau-ap-a, it is
also NaN if all systems are tied in `x` or in `y`.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from rankwise.arrays import ROUNDING, Floats
from rankwise.errors import CallError

Ties = Literal["a", "b"]
ENDLESS = 1e300  # stands for infinity, but allows differences


def dense_ranks(values: npt.ArrayLike, noise: float = ROUNDING) -> Floats:
    """Return dense ranks: 0 for the smallest value of each row, 1 for the next; NaN stays NaN.

    Neighbouring values that differ by at most `noise` times the row's largest finite absolute value
    count as equal. For example, the means of two systems with the same scores in another order of
    topics differ by about 1e-16, which must not count as a difference.

    >>> dense_ranks([0.3, 0.1 + 0.2, 0.5, 0.1]).tolist()
    [1.0, 1.0, 2.0, 0.0]
    """
    numbers = np.asarray(values, dtype=np.float64)
    sizes = np.where(np.isfinite(numbers), np.abs(numbers), 0.0)
    scale = sizes.max(axis=-1, initial=0.0, keepdims=True)
    numbers = np.clip(numbers, -ENDLESS, ENDLESS)
    order = np.argsort(numbers, axis=-1)  # NaN last
    steps = np.diff(np.take_along_axis(numbers, order, -1), axis=-1) > noise * scale
    codes = np.concatenate([np.zeros_like(scale), np.cumsum(steps, axis=-1)], axis=-1)
    ranks = np.empty_like(numbers)
    np.put_along_axis(ranks, order, codes[..., : numbers.shape[-1]], -1)
    return np.where(np.isnan(numbers), np.nan, ranks)


def kendall(x: npt.ArrayLike, y: npt.ArrayLike, *, ties: Ties = "b") -> Floats:
    """Return Kendall's rank correlation of two rankings of systems: tau-b, or tau-a (`ties="a"`).

    Let C of the pairs of n systems be concordant, and D discordant (Kendall, Rank Correlation
    Methods, 1948). tau-a = (C − D) / (n (n − 1) / 2): a tied pair counts as half concordant and
    half discordant. tau-b = (C − D) / sqrt((C + D + ties in y only) (C + D + ties in x only)):
    tau-b can be 1 only if x and y have the same ties. SciPy's kendalltau and R compute tau-b.
    Without ties both coefficients are the same. The result is NaN with fewer than two systems or a
    NaN value; tau-b is also NaN if all values of x or y are tied.

    If the top matters more than the bottom, use `tau_ap`.

    >>> kendall([3, 2, 1], [[3, 2, 1], [2, 3, 1], [1, 2, 3]]).round(4).tolist()
    [1.0, 0.3333, -1.0]
    """
    reference, other = _aligned(x, y, by_row=np.ndim(x) > 1)
    n = reference.shape[-1]
    order = np.argsort(-reference, axis=-1, kind="stable")
    reference = np.take_along_axis(reference, order, -1)
    other = np.take_along_axis(other, np.broadcast_to(order, other.shape), -1)
    agreeing = np.zeros(other.shape[:-1])  # concordant minus discordant pairs
    apart = np.zeros(other.shape[:-1])  # pairs that are not tied in y
    apart_in_x = np.zeros(reference.shape[:-1])
    for lag in range(1, n):  # pairs (i, i + lag) of all rows
        upper, lower = other[..., :-lag], other[..., lag:]
        right, wrong = upper > lower, upper < lower
        apart += np.count_nonzero(right | wrong, axis=-1)
        untied = reference[..., :-lag] > reference[..., lag:]
        apart_in_x += np.count_nonzero(untied, axis=-1)
        agreeing += np.count_nonzero(right & untied, axis=-1)
        agreeing -= np.count_nonzero(wrong & untied, axis=-1)
    divisor = np.full_like(apart, n * (n - 1) / 2)
    if ties == "b":
        divisor = np.sqrt(apart_in_x * apart)
    return _defined(reference, other, agreeing, divisor)


def kendall_p(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Return the two-sided p-value of Kendall's test, the same for tau-a and tau-b, as in SciPy.

    Without ties the test is exact for up to 33 systems (and for more if tau is near 1 or −1). In
    all other cases the normal approximation is used, with the variance adjusted for ties. The null
    hypothesis is that the two rankings are independent. Rankings of the same runs by two metrics
    are not independent, so a small p-value does not show that the metrics agree.

    >>> kendall_p([1, 2], [1, 2]).tolist(), kendall_p([1, 2, 3, 4], [1, 2, 3, 4]).round(4).tolist()
    (1.0, 0.0833)
    """
    from scipy.stats import kendalltau

    reference, other = _aligned(x, y)
    flat = other.reshape(-1, reference.size)
    if reference.size < 2 or np.isnan(reference).any():
        return np.full(other.shape[:-1], np.nan)
    p_values = [
        np.nan if np.isnan(row).any() else kendalltau(reference, row).pvalue for row in flat
    ]
    return np.array(p_values, dtype=np.float64).reshape(other.shape[:-1])


def least_significant_tau(n: int, alpha: float) -> float:
    """Return the smallest Kendall's tau over n systems without ties that is significant at alpha.

    The test is two-sided. The result is infinite if no tau is significant because there are too few
    systems.

    >>> least_significant_tau(5, 0.05), least_significant_tau(4, 0.05)
    (1.0, inf)
    """
    chance = np.ones(1)  # probability of 0, 1, … discordant pairs, for the first systems
    for size in range(2, n + 1):
        sums = np.concatenate([chance.cumsum(), np.full(size - 1, chance.sum())])
        sums[size:] -= sums[:-size].copy()
        chance = sums / size
    discordant = np.flatnonzero(2 * chance.cumsum() <= alpha)
    return float(1 - 4 * discordant[-1] / (n * (n - 1))) if len(discordant) else float("inf")


def sakai_least_tau(n: int, alpha: float) -> float:
    """Return the tau over `n` systems whose two-sided p-value is `alpha` (as in Sakai 2007).

    Z = |tau| / sqrt((4n + 10) / (9n (n − 1))) is assumed to be standard normal. Use this function
    only to reproduce Sakai's study: unlike `kendall_p` it is not exact for few systems, and it
    ignores ties.

    >>> round(sakai_least_tau(30, 0.01), 4)
    0.3319
    """
    from scipy.special import ndtri

    return float(-ndtri(alpha / 2) * np.sqrt((4 * n + 10) / (9 * n * (n - 1))))


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Return Spearman's rho: Pearson's correlation of ranks, with tied systems at their mean rank.

    The result is NaN if all values of x or y are tied, if a value is NaN, or with fewer than two
    systems.

    >>> spearman([3, 2, 1], [[3, 2, 1], [2, 3, 1], [1, 2, 3]]).tolist()
    [1.0, 0.5, -1.0]
    """
    from scipy.stats import rankdata

    reference, other = _aligned(x, y)
    middle = (reference.size + 1) / 2
    ranks = rankdata(reference) - middle
    others = rankdata(other, axis=-1) - middle
    divisor = np.sqrt((ranks**2).sum() * (others**2).sum(axis=-1))
    return _defined(reference, other, others @ ranks, divisor)


def spearman_p(rho: npt.ArrayLike, n: int) -> Floats:
    """Return the two-sided p-value of a rho over n systems.

    The test uses Student's t with n − 2 degrees of freedom. p is NaN for fewer than three systems.
    """
    from scipy.special import stdtr

    coefficients = np.asarray(rho, dtype=np.float64)
    if n < 3:
        return np.full(coefficients.shape, np.nan)
    with np.errstate(divide="ignore"):
        t = np.abs(coefficients) * np.sqrt((n - 2) / np.maximum(1 - coefficients**2, 0))
    return np.asarray(2 * stdtr(n - 2, -t))


def tau_ap(x: npt.ArrayLike, y: npt.ArrayLike, *, ties: Ties = "a") -> Floats:
    """Return the AP correlation (tau-ap): like Kendall's tau, but errors at the top weigh more.

    tau-ap = 2 / (n − 1) · Σ C(i) / (i − 1) − 1, with i from 2 to the number n of systems. C(i)
    counts the systems above the i-th system of the ranking y that are also above it in the
    reference x. Yilmaz, Aslam and Robertson, SIGIR 2008, define tau-ap without ties. Urbano and
    Marrero, ICTIR 2017, allow ties, in two forms:

    - `ties="a"` (accuracy): the result is the mean over all orders of the tied systems of y. If x
      also has ties, which the paper does not allow, the mean is over all orders of the systems tied
      in x too. Without ties the result equals tau-ap. x and y are not interchangeable.
    - `ties="b"` (agreement): the i-th system is compared with the systems above its tie group, and
      C(i) is divided by their number. A pair tied in x does not count as correct. Systems in the
      top tie group of y are excluded, and the number of the remaining systems replaces n − 1. The
      result is the mean of this value and of the value with x and y interchanged.

    >>> tau_ap([4, 3, 2, 1], [[4, 3, 1, 2], [3, 4, 2, 1]]).round(4).tolist()
    [0.7778, 0.3333]
    """
    truth, other = _aligned(x, y)
    if ties == "a":
        return _defined(truth, other, *_accuracy(truth, other))
    down_other = _defined(truth, other, *_agreement(truth, other))
    down_truth = _defined(truth, other, *_agreement(other, truth))
    return (down_other + down_truth) / 2


def _accuracy(truth: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Return 2 Σ C(i) / (i − 1) − (n − 1), averaged over all orders of tied systems, and n − 1."""
    n = truth.size
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n + 1))])
    total = np.zeros(other.shape[:-1])
    for place in range(n):
        here = other[..., place, None]
        above = other > here
        rightly = (truth > truth[place]) + (truth == truth[place]) / 2
        before = np.count_nonzero(above, axis=-1)
        # At least 1, because NaN is not equal to itself.
        tied = np.maximum(np.count_nonzero(other == here, axis=-1), 1)
        # Below `before` others, the system has each rank of its tie group equally often.
        end = harmonic[before + tied - 1]
        total += np.where(before > 0, above @ rightly, 0) * (
            (end - harmonic[np.maximum(before - 1, 0)]) / tied
        )
        # On average over their orders, half of the tied systems above it are correctly above.
        total += (tied - 1 - before * (end - harmonic[before])) / (2 * tied)
    return 2 * total - (n - 1), np.full_like(total, n - 1)


def _agreement(truth: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Return 2 Σ C(i) / (i − 1) − m and m, for m systems below the top tie group of `other`.

    Either `truth` or `other` may have several rows.
    """
    total = np.zeros(np.broadcast_shapes(truth.shape, other.shape)[:-1])
    below_top = np.zeros_like(total)
    for place in range(truth.shape[-1]):
        above = other > other[..., place, None]
        before = np.count_nonzero(above, axis=-1)
        rightly = np.count_nonzero(above & (truth > truth[..., place, None]), axis=-1)
        total += rightly / np.maximum(before, 1)
        below_top += before > 0
    return 2 * total - below_top, below_top


def _aligned(x: npt.ArrayLike, y: npt.ArrayLike, *, by_row: bool = False) -> tuple[Floats, Floats]:
    reference, other = (np.asarray(side, dtype=np.float64) for side in (x, y))
    shape = other.shape if by_row else other.shape[-1:]
    if not shape or reference.shape != shape:
        shapes = f"they are {reference.shape} and {other.shape}"
        raise CallError(f"x and y must have the shapes (n,) and (…, n) for n systems; {shapes}.")
    return reference, other


def _defined(reference: Floats, other: Floats, above: Floats, below: Floats) -> Floats:
    """Return `above` / `below`; NaN if this quotient or a value of the rankings is undefined."""
    undefined = np.isnan(reference).any(axis=-1) | np.isnan(other).any(axis=-1) | (below == 0)
    undefined |= reference.shape[-1] < 2
    return np.where(undefined, np.nan, above / np.where(below == 0, 1, below))


def tau_and_tau_ap(truth: Floats, other: Floats, noise: float = ROUNDING) -> tuple[Floats, Floats]:
    """Return Kendall's tau-b and tau-ap of each row of `truth` with the same row of `other`.

    Many pairs of rankings are compared at once, for example all resamples of a bootstrap. Values
    that differ by at most `noise` times the row's largest absolute value are tied. For tau-ap, a
    pair of systems tied in `other` counts as half above and half below. Without ties tau-ap equals
    the result of `tau_ap`.

    >>> x, y = np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 3.0, 2.0]])
    >>> [round(float(value[0]), 4) for value in tau_and_tau_ap(x, y)]
    [0.3333, 0.0]
    """

    def signs(values: Floats) -> Floats:
        apart = values[:, None, :] - values[:, :, None]
        size = noise * np.abs(values).max(axis=1, initial=0)[:, None, None]
        return np.asarray(np.sign(np.where(np.abs(apart) <= size, 0.0, apart)))

    x, y = signs(truth), signs(other)
    pairs = [(one**2).sum(axis=(1, 2)) for one in (x, y)]
    # Item j is above item i if y[i, j] > 0. An item is not above itself.
    above = (1 + y) / 2
    above[:, np.arange(y.shape[1]), np.arange(y.shape[1])] = 0
    count = above.sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = (x * y).sum(axis=(1, 2)) / np.sqrt(pairs[0] * pairs[1])
        agreed = np.where(count > 0, (above * x).sum(axis=2) / count, 0.0)
        tau_ap = agreed.sum(axis=1) / (count > 0).sum(axis=1)
    return tau, tau_ap


def fisher_interval(
    value: Floats, draws: Floats, topics: int, confidence: float
) -> tuple[Floats, Floats]:
    """Return the confidence limits of correlations from bootstrap resamples over topics.

    For each correlation r in `value`, the limits are tanh(atanh(r) ± t s), on Fisher's scale. s is
    the standard deviation of atanh(r) over the resamples (rows of `draws`), and t is Student's
    quantile with `topics` − 1 degrees of freedom. A percentile interval is not suitable: resampling
    topics lowers the correlation of two rankings, so r may lie above its values in all resamples.
    The limits are NaN if r is ±1 or undefined, if the resamples do not vary, or with fewer than two
    topics.
    """
    from scipy.special import stdtrit

    spread = np.full(len(value), np.nan)
    for place in range(len(value)):
        known = draws[np.isfinite(draws[:, place]) & (np.abs(draws[:, place]) < 1), place]
        if len(known) > 1:
            deviation = np.arctanh(known).std(ddof=1)
            spread[place] = deviation if deviation > ROUNDING else np.nan
    within = np.abs(value) < 1 - ROUNDING
    centre = np.arctanh(np.where(within, value, np.nan))
    if topics < 2:
        return np.full_like(centre, np.nan), np.full_like(centre, np.nan)
    reach = spread * stdtrit(topics - 1, (1 + confidence) / 2)
    return np.tanh(centre - reach), np.tanh(centre + reach)
