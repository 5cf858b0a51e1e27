"""Multiple comparisons: corrections, Tukey's and Dunnett's tests, max-t intervals, ranks.

Tukey's and Dunnett's tests take `values` of shape (systems, topics). They use only topics for which
every system has a score, because the analysis of variance needs a complete table. With fewer than
two complete topics all results are NaN. The p-values are familywise and need no correction. The
intervals are simultaneous: together they contain the true differences with probability 1 − α, and
an interval excludes 0 if its p is at most α.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple, get_args

import numpy as np

from rankwise.arrays import CANCELLATION, Bools, Floats, Ints
from rankwise.errors import check_at_least, check_word
from rankwise.progress import track
from rankwise.stats.intervals import DRAWS, Moments, moments
from rankwise.stats.paired import AT_ONCE, IN_CACHE, LEAST_TOPICS, drawn_topics
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Correction


def corrected(p: Floats, method: Correction) -> Floats:
    """Return the corrected p-values of a family of tests, to be compared with α.

    Let p_i be the i-th smallest of m p-values. Corrected values above 1 become 1.

    - `none`: no correction.
    - `bonferroni`: m p_i. The probability of any false discovery is at most α.
    - `holm`: the largest of (m − j + 1) p_j over j ≤ i. The result has the guarantee of
      `bonferroni` and is never larger.
    - `bh`: the smallest of m p_j / j over j ≥ i (Benjamini and Hochberg, JRSS B 57(1), 1995). The
      expected proportion of false discoveries is at most α, which is a weaker guarantee. The tests
      must be independent or positively dependent.

    NaN stays NaN and is not counted in m.

    >>> corrected(np.array([0.01, 0.04, 0.03, np.nan]), "holm")
    array([0.03, 0.06, 0.06,  nan])
    """
    check_word("correction", method, get_args(Correction))
    there = ~np.isnan(p)
    order = np.flatnonzero(there)[np.argsort(p[there], kind="stable")]
    ascending, m = p[order], len(order)
    if method == "bonferroni":
        ascending = m * ascending
    elif method == "holm":
        ascending = np.maximum.accumulate(np.arange(m, 0, -1) * ascending)
    elif method == "bh":
        ascending = np.minimum.accumulate((m * ascending / np.arange(1, m + 1))[::-1])[::-1]
    out = np.array(p, float)
    out[order] = np.minimum(1, ascending)
    return out


class Simultaneous(NamedTuple):
    """Familywise p-value of the mean difference of each pair, and its confidence limits."""

    p: Floats
    low: Floats
    high: Floats


def tukey_hsd(values: Floats, first: Ints, second: Ints, *, alpha: float = 0.05) -> Simultaneous:
    """Return Tukey's honestly significant differences, after a two-way ANOVA without interaction.

    The model is score = system + topic + error. q = |difference of means| / √(error variance /
    topics) has the studentised range distribution for this number of systems, with (systems − 1) ×
    (topics − 1) degrees of freedom. For two systems p equals the p of the paired t-test. The
    intervals are difference ± q(α) √(error variance / topics), where q(α) is the critical value.

    If the error variance is 0, p is 1 for equal means and NaN otherwise, and the limits are NaN.

    The test assumes normal errors with equal variance in all systems. Scores near 0 or 1 violate
    this assumption; `randomised_tukey` does not need it.
    """
    return _two_way(values, first, second, alpha, survival, critical_value, len(values))


def dunnett(values: Floats, first: Ints, second: Ints, *, alpha: float = 0.05) -> Simultaneous:
    """Return Dunnett's test of several systems against a baseline, after a two-way ANOVA.

    All pairs have the same `second` system, the baseline. The ANOVA has no interaction. For each
    pair, t = |difference of means| / √(2 × error variance / topics). The largest t has Dunnett's
    distribution with correlation 1/2 and (systems − 1) × (topics − 1) degrees of freedom. For two
    systems p equals the p of the paired t-test. Assumptions and undefined cases are as in
    `tukey_hsd`.
    """
    law, quantile, others = dunnett_survival, dunnett_critical_value, len(first)
    return _two_way(values, first, second, alpha, law, quantile, others, scale=np.sqrt(2))


def _two_way(
    values: Floats,
    first: Ints,
    second: Ints,
    alpha: float,
    survival: Callable[[Floats, int, int], Floats],
    critical_value: Callable[[float, int, int], float],
    count: int,
    scale: float = 1.0,
) -> Simultaneous:
    """Test differences of means with the distribution of a simultaneous test.

    The statistic is |difference of means| / (`scale` × the standard error of a mean). `survival`
    and `critical_value` are functions of its distribution, whose parameters are `count` and the
    degrees of freedom.
    """
    table = full_table(values)
    systems, topics = table.shape
    if topics < LEAST_TOPICS:
        return _undefined(len(first))
    means = table.mean(axis=1)
    gap, freedom = _gaps(means, first, second), (systems - 1) * (topics - 1)
    residual = table - means[:, None] - table.mean(axis=0) + table.mean()
    residual[np.abs(residual) <= CANCELLATION * np.abs(table).max(initial=0)] = 0.0
    error = scale * float(np.sqrt((residual**2).sum() / max(freedom, 1) / topics))
    if not error > 0:
        return _undefined(len(first))._replace(p=np.where(gap == 0, 1.0, np.nan))
    reach = critical_value(alpha, count, freedom) * error
    return Simultaneous(survival(np.abs(gap) / error, count, freedom), gap - reach, gap + reach)


def randomised_tukey(
    values: Floats,
    first: Ints,
    second: Ints,
    *,
    alpha: float = 0.05,
    count: int = 10_000,
    rng: np.random.Generator,
) -> Simultaneous:
    """Return Tukey's HSD with the permutation distribution of the largest difference of means.

    Under the null hypothesis that all systems are equal, the scores of a topic are exchangeable.
    The scores are permuted within topics `count` times. p = (1 + number of permutations whose
    largest difference of means is at least the difference of the pair) / (1 + count) (Carterette,
    ACM TOIS 30(1), 2012; Sakai, SIGIR 2014). For two systems the test is the paired permutation
    test.

    The intervals are difference ± the critical difference at α. Of the `count` largest differences,
    one per permutation, ⌊α (1 + count)⌋ − 1 exceed the critical difference. The intervals are
    infinite if `count` is too small for any p-value to reach α.
    """
    check_at_least("resamples", count)
    table = full_table(values)
    systems, topics = table.shape
    if topics < LEAST_TOPICS:
        return _undefined(len(first))
    batch = max(1, AT_ONCE // 4 // table.size)
    # Sorted, so that the order of systems does not change the result.
    by_topic = np.sort(table, axis=0).T
    ranges = np.empty(count)
    for start in track(range(0, count, batch), "resamples"):
        shape = (min(batch, count - start), topics, systems)
        shuffled = rng.permuted(np.broadcast_to(by_topic, shape), axis=2)
        ranges[start : start + batch] = np.ptp(shuffled.mean(axis=1), axis=1)
    ranges.sort()
    ranges += CANCELLATION * np.abs(table).max()  # a gap equal up to rounding is as large
    gap = _gaps(table.mean(axis=1), first, second)
    p = (1 + count - np.searchsorted(ranges, np.abs(gap))) / (1 + count)
    # Number of permutations that may be as large.
    beyond = int(np.floor(alpha * (1 + count) * (1 + CANCELLATION))) - 1
    reach = ranges[count - 1 - beyond] if beyond >= 0 else np.inf
    return Simultaneous(p, gap - reach, gap + reach)


def full_table(values: Floats) -> Floats:
    """Return the scores on the topics for which every system has a score."""
    return values[:, ~np.isnan(values).any(axis=0)]


def _gaps(means: Floats, first: Ints, second: Ints) -> Floats:
    """Return the difference of the means of each pair; rounding errors become 0."""
    gaps = means[first] - means[second]
    gaps[np.abs(gaps) <= CANCELLATION * np.abs(means).max(initial=0)] = 0.0
    return gaps


def _undefined(pairs: int) -> Simultaneous:
    return Simultaneous(*(np.full(pairs, np.nan) for _ in range(3)))


NODES = 128
WIDEST = 36.0  # a wider range has a probability of less than 1e-160


def survival(q: Floats, systems: int, freedom: int) -> Floats:
    """Return P(Q > q) for the studentised range Q.

    Q is the range of `systems` independent normal values divided by s, which is independent of them
    and distributed as χ / √freedom. The probability is ∫ density(s) P(range > q s) ds. Results are
    within 1e-8 of SciPy's, and much faster: the inner integral is tabulated, and both integrals use
    Gauss-Legendre quadrature. For two systems Q is √2 |t|.

    >>> survival(np.array([0.0, 3.5, 5.0]), 3, 20).round(4)
    array([1.    , 0.0559, 0.0056])
    """
    from scipy.special import stdtr

    if systems == 2:
        return np.asarray(2 * stdtr(freedom, -q / np.sqrt(2)))
    s, weight = chi_nodes(freedom)
    chance = np.exp(_log_range_survival(systems)(np.minimum(q[:, None] * s, WIDEST)))
    return np.where(q == 0, 1.0, np.minimum(1, (chance * weight).sum(axis=1)))


def chi_nodes(freedom: int) -> tuple[Floats, Floats]:
    """Return nodes s and weights for an integral over the density of χ / √freedom."""
    from scipy.special import chdtri

    ends = np.sqrt(chdtri(freedom, np.array([1 - 1e-15, 1e-16])) / freedom)
    s, weight = nodes(*ends)
    return s, weight * chi_density(s, freedom)


def chi_density(s: Floats, freedom: float) -> Floats:
    """Return the density of χ / √freedom."""
    from scipy.special import gammaln

    half = freedom / 2
    log_density = half * np.log(half) - gammaln(half) + np.log(2 / s)
    return np.asarray(np.exp(log_density + half * (2 * np.log(s) - s**2)))


def critical_value(alpha: float, systems: int, freedom: int) -> float:
    """Return the quantile q with P(Q > q) = α; NaN for one system, which has no range.

    >>> round(critical_value(0.05, 3, 20), 3)
    3.578
    """
    return np.nan if systems < 2 else _quantile(survival, alpha, systems, freedom)


def _quantile(
    survival: Callable[[Floats, int, int], Floats], alpha: float, count: int, freedom: int
) -> float:
    from scipy.optimize import brentq

    def above(value: float) -> float:
        return float(survival(np.array([value]), count, freedom)[0]) - alpha

    most = 4.0
    while above(most) > 0:
        most *= 2
    return float(brentq(above, 0.0, most, xtol=1e-12, rtol=1e-14))


@lru_cache(maxsize=4)  # finding a critical value needs it repeatedly
def _log_range_survival(systems: int) -> Any:
    """Return the logarithm of `_range_survival` as an interpolated function."""
    from scipy.interpolate import CubicSpline

    width = np.linspace(0, WIDEST, 2_000)
    return CubicSpline(width, np.log(_range_survival(width, systems)))


def _range_survival(width: Floats, systems: int) -> Floats:
    """Return P(range of k normal values > width), where k = `systems`.

    The probability is k ∫ φ(z) (Φ(z)ᵏ⁻¹ − (Φ(z) − Φ(z − width))ᵏ⁻¹) dz, where z is the largest of
    the k values. The other values are below z, but not all within `width` of z.
    """
    from scipy.special import ndtr, ndtri

    z, weight = nodes(ndtri(np.exp(-40 / systems)), 10.0)
    below = ndtr(z)
    with np.errstate(divide="ignore"):  # at a width of 0
        beyond = -np.expm1((systems - 1) * np.log1p(-ndtr(z - width[:, None]) / below))
    greatest = systems * below ** (systems - 1) * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return (beyond * (weight * greatest)).sum(axis=1)


def nodes(low: float, high: float) -> tuple[Floats, Floats]:
    """Return Gauss-Legendre nodes and weights for the interval from `low` to `high`."""
    node, weight = unit_nodes(NODES)
    return low + (node + 1) * (high - low) / 2, weight * (high - low) / 2


@lru_cache(maxsize=2)
def unit_nodes(count: int) -> tuple[Floats, Floats]:
    """Return Gauss-Legendre nodes and weights between −1 and 1."""
    return np.polynomial.legendre.leggauss(count)


WIDEST_NORMAL = 10.0  # a normal value exceeds it with probability 1e-23


def dunnett_survival(t: Floats, others: int, freedom: int) -> Floats:
    """Return P(max |t_i| > t) for Dunnett's test of `others` systems against a baseline.

    t_i = (Z_i − Z_0) / (√2 s), where the Z are independent normal and s is distributed as χ /
    √freedom. The t_i have correlation 1/2 (Dunnett, JASA 50(272), 1955). With k = `others` the
    probability is

    ∫ density(s) ∫ φ(z) (1 − (Φ(z + √2 t s) − Φ(z − √2 t s))ᵏ) dz ds.

    SciPy computes it by quasi-random sampling, to three digits; here both integrals use
    Gauss-Legendre quadrature. For one system the distribution is Student's t.

    >>> dunnett_survival(np.array([0.0, 2.5, 4.0]), 3, 20).round(4)
    array([1.    , 0.0543, 0.002 ])
    """
    from scipy.special import ndtr, stdtr

    if others == 1:
        return np.asarray(2 * stdtr(freedom, -t))
    s, density = chi_nodes(freedom)
    z, weight = nodes(-WIDEST_NORMAL, WIDEST_NORMAL)
    weight = weight * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    tail = np.empty(len(t))
    for place, value in enumerate(np.abs(t)):
        reach = np.sqrt(2) * value * s[:, None]
        outside = np.minimum(ndtr(-z - reach) + ndtr(z - reach), 1.0)
        with np.errstate(divide="ignore"):  # at t = 0
            beyond = -np.expm1(others * np.log1p(-outside))
        tail[place] = density @ (beyond @ weight)
    return np.where(t == 0, 1.0, np.minimum(1, tail))


def dunnett_critical_value(alpha: float, others: int, freedom: int) -> float:
    """Return the critical value t of Dunnett's test, for which P(max |t_i| > t) = α.

    >>> round(dunnett_critical_value(0.05, 3, 20), 2)  # Dunnett's table of 1964 has 2.54
    2.54
    """
    return _quantile(dunnett_survival, alpha, others, freedom)


FLOOR = 0.25  # quantile of the standard errors of all pairs to which smaller errors are raised


def max_t_interval(
    differences: Floats | Callable[[], Iterable[Floats]],
    confidence: float,
    *,
    count: int = DRAWS,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Return simultaneous confidence intervals of all mean differences.

    `differences` has shape (pairs, topics), or is a function that yields blocks of pairs and is
    called twice. NaN excludes a topic from a pair. Topics are drawn with replacement. All pairs
    have the same resamples, so that the pairs are as correlated as in the data. In each resample,
    t* = |mean* − mean| / error* is computed for every pair, where error* is the standard error. The
    critical value c is the quantile at `confidence` of the largest t* of each resample. The
    intervals are mean ± c × error. See Efron and Tibshirani (1993), section 12.5, and Romano and
    Wolf, Econometrica 73(4), 2005.

    Two runs that differ on few topics have an error near 0 in many resamples. In these resamples t*
    can be arbitrarily large and would widen the intervals of all pairs. Errors are therefore raised
    to at least the lower quartile of the standard errors of all pairs that vary, in the resamples
    and in the intervals. docs/statistics.md has the measured coverage. The limits are NaN if no
    pair varies, and for pairs with fewer than two topics.
    """
    blocks = differences if callable(differences) else lambda: [differences]
    parts, occurring = [], []
    for block in blocks():
        parts.append(moments(block))
        occurring.append(~np.isnan(block).all(axis=0))
    pair_moments = Moments(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    errors = pair_moments.error[np.nan_to_num(pair_moments.sd) > 0]
    if not len(errors):
        nothing = np.full(len(pair_moments.mean), np.nan)
        return nothing, nothing.copy()
    floor = float(np.quantile(errors, FLOOR))
    topics = np.flatnonzero(np.any(occurring, axis=0))
    step = max(1, IN_CACHE // count)
    rows = (
        block[start : start + step, topics]
        for block in blocks()
        for start in range(0, len(block), step)
    )
    largest = _largest_statistics(rows, len(topics), floor, count, rng)
    place = int(np.ceil(np.round(confidence * count, 9))) - 1
    reach = largest[place] * np.maximum(pair_moments.error, floor)
    return pair_moments.mean - reach, pair_moments.mean + reach


def _largest_statistics(
    rows: Iterable[Floats], topics: int, floor: float, count: int, rng: np.random.Generator
) -> Floats:
    """Return the largest t* (see `max_t_interval`) of each resample, in ascending order.

    `rows` yields the differences of a few pairs at a time.
    """
    draws = drawn_topics(topics, count, rng).T
    least = (floor * (1 - CANCELLATION)) ** 2

    def largest_of(some: Floats) -> Floats:
        """Return the largest t*² of some pairs (without square roots, to save time)."""
        defined = (~np.isnan(some)).astype(np.float64)
        topics = np.maximum(defined[: 1 if defined.all() else None] @ draws, 2)
        centred = np.nan_to_num(some - moments(some).mean[:, None])
        square = centred @ draws
        square /= topics
        square *= square
        error = centred**2 @ draws
        error /= topics
        error -= square
        error /= topics - 1
        np.maximum(error, least, out=error)
        square /= error
        return np.asarray(square.max(axis=0))

    largest = np.zeros(count)
    for some in map_in_threads(largest_of, rows):
        np.maximum(largest, some, out=largest)
    return np.sort(np.sqrt(largest))


class Groups(NamedTuple):
    """Rank of each system by its mean, and its relation to the other systems.

    `worse` and `better` count the systems that are significantly worse, or better, than this
    system. The ranks `from_rank` to `to_rank` include this system and all systems that do not
    differ significantly from it. Significance does not follow the order of the means, so the range
    may also include systems that do differ; `inside` is their number.
    """

    rank: Ints
    worse: Ints
    better: Ints
    from_rank: Ints
    to_rank: Ints
    inside: Ints


def significance_groups(means: Floats, first: Ints, second: Ints, significant: Bools) -> Groups:
    """Return the rank of each system by its mean, and counts of its significant differences.

    Systems with a NaN mean come last. The means decide which system of a pair is better, even if
    the test uses ranks or signs. A pair that was not tested counts as not significantly different.
    """
    size = len(means)
    order = np.argsort(-means, kind="stable")  # NaN last
    rank = np.empty(size, np.int64)
    rank[order] = np.arange(1, size + 1)
    differ = np.zeros((size, size), np.bool_)
    ranks_a, ranks_b = rank[first] - 1, rank[second] - 1
    differ[ranks_a, ranks_b] = significant
    differ |= differ.T
    ranks = np.arange(size)
    below = ranks[None, :] > ranks[:, None]
    worse, better = (differ & below).sum(axis=1), (differ & ~below).sum(axis=1)
    from_rank = np.argmin(differ, axis=1)
    to_rank = size - 1 - np.argmin(differ[:, ::-1], axis=1)
    inside = (to_rank - from_rank + 1) - (size - worse - better)
    columns = (worse, better, from_rank + 1, to_rank + 1, inside)
    return Groups(rank, *(column[rank - 1] for column in columns))


def rank_sets(
    low: Floats, high: Floats, first: Ints, second: Ints, systems: int
) -> tuple[Ints, Ints]:
    """Return the best and the worst rank that each system may have; rank 1 is the best.

    `low` and `high` are simultaneous confidence intervals of all differences first − second, where
    higher is better. A system ranks below each system that an interval shows to be better, and
    above each system that an interval shows to be worse. If all intervals contain their true
    difference, all true ranks are in these ranges, so the ranges are simultaneous at the same
    confidence. Ties in the true order may be resolved either way. A NaN interval gives no
    information. See Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 91(1), 2024.

    >>> low, high = np.array([0.1, 0.2, -0.1]), np.array([0.3, 0.4, 0.2])
    >>> first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> [ends.tolist() for ends in rank_sets(low, high, first, second, 3)]
    [[1, 2, 2], [1, 3, 3]]
    """
    better, worse = low > 0, high < 0  # the first system of the pair is better, or worse
    above = np.bincount(first[worse], minlength=systems)
    above += np.bincount(second[better], minlength=systems)
    below = np.bincount(first[better], minlength=systems)
    below += np.bincount(second[worse], minlength=systems)
    return 1 + above, systems - below
