"""Power of tests, and the number of topics for a power, a margin or an interval width.

Effect sizes are standardised: mean / standard deviation of the differences between two systems. The
power with n topics is the probability that |t| exceeds its critical value, where t follows the
noncentral t distribution with n − 1 degrees of freedom and noncentrality effect × √n.

Use power for a difference that was expected before the experiment. The power for the observed
difference only restates the p-value. If only large observed differences are followed up, they
overestimate the true differences on average; `lower_effect` allows for this bias.

Functions named `…_topics` return the smallest number of topics, at least two, that meets a
requirement. They return infinity if more than 2²⁹ topics (about 500 million) would be needed. The
method is topic set size design (Sakai, Information Retrieval Journal 19, 2016). Sakai's
spreadsheets approximate the noncentral t and F distributions. Here these distributions are exact,
so results may differ by one topic.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.arrays import CANCELLATION, Floats
from rankwise.stats.multiple_comparisons import chi_density, unit_nodes

MOST = 2.0**53  # floats represent whole numbers exactly up to here


def power_of(effect: npt.ArrayLike, topics: npt.ArrayLike, alpha: float) -> Floats:
    """Return the power of a two-sided paired t-test at level α, given effect size and topics.

    >>> round(float(power_of(0.5, 34, 0.05)), 4)
    0.8078
    """
    from scipy.special import stdtrit
    from scipy.stats import nct

    size, effects = np.broadcast_arrays(np.asarray(topics, float), np.abs(effect))
    freedom = size - 1
    critical = stdtrit(freedom, 1 - alpha / 2)
    noncentrality = effects * np.sqrt(size)
    # The other tail is less than Φ(−noncentrality). It is computed as the upper tail of −t, because
    # SciPy returns NaN for some lower tails. SciPy 1.13 and older also emit warnings although the
    # value is right.
    with np.errstate(divide="ignore", invalid="ignore"):
        other = np.where(
            noncentrality > 8, 0.0, nct.sf(critical, freedom, -np.minimum(noncentrality, 8))
        )
        return np.asarray(nct.sf(critical, freedom, noncentrality) + other)


def lower_effect(effect: npt.ArrayLike, topics: npt.ArrayLike, confidence: float) -> Floats:
    """Return the lower confidence limit of |effect| (Cohen's d_z).

    The limit is the effect size at which a t as large as the observed one, or larger, has
    probability (1 − confidence) / 2 (Steiger and Fouladi 1997). The limit is 0 if this probability
    is larger for an effect of 0. The lower limit of a 60 % interval is the effect of a safeguard
    power analysis (Perugini, Gallucci and Costantini, Perspectives on Psychological Science 9(3),
    2014): the true effect is smaller with probability 20 %. The limit is NaN if the effect is NaN,
    and with fewer than two topics.

    >>> lower_effect([0.5, 0.1], 34, 0.6).round(4).tolist()
    [0.3429, 0.0]
    """
    from scipy.special import nctdtrinc, stdtr

    size, effects = np.broadcast_arrays(np.asarray(topics, float), np.abs(effect))
    size = np.where(size < 2, np.nan, size)
    t, tail = effects * np.sqrt(size), (1 - confidence) / 2
    positive = stdtr(size - 1, t) > 1 - tail
    limit = np.where(np.isnan(t), np.nan, 0.0)
    limit[positive] = nctdtrinc(size[positive] - 1, 1 - tail, t[positive])
    return limit / np.sqrt(size)


def topics_needed(effect: npt.ArrayLike, alpha: float, power: float) -> Floats:
    """Return the smallest number of topics with which a paired t-test detects each effect size.

    `alpha` is the two-sided level of the test, and `power` the required probability of detection.
    The number is at least 2, infinity for an effect of 0, and NaN if the effect is NaN.

    >>> topics_needed([0.2, 0.5, 0.8, 0.0], 0.05, 0.8).tolist()
    [199.0, 34.0, 15.0, inf]
    """
    effects = np.atleast_1d(np.abs(np.asarray(effect, float)))
    topics = np.where(np.isnan(effects), np.nan, np.inf)
    topics[np.isinf(effects)] = 2.0
    open_ = np.flatnonzero(np.isfinite(effects) & (effects > 0))
    least = (_noncentrality(alpha, power) / effects[open_]) ** 2
    topics[open_] = np.maximum(np.floor(least), 2)
    while len(open_):
        short = power_of(effects[open_], topics[open_], alpha) < power
        open_ = open_[short & (topics[open_] < MOST)]
        topics[open_] += 1
    return topics


def _noncentrality(alpha: float, power: float) -> float:
    """Return the noncentrality at which a two-sided z-test at level α has the given power."""
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    critical = -ndtri(alpha / 2)

    def power_deficit(ncp: float) -> float:
        return float(ndtr(ncp - critical) + ndtr(-ncp - critical)) - power

    return float(brentq(power_deficit, 0.0, critical + ndtri(power) + 1, xtol=1e-12))


def smallest_effect(topics: npt.ArrayLike, alpha: float, power: float) -> Floats:
    """Return the smallest effect size that a paired t-test on each number of topics detects.

    `alpha` is the two-sided level of the test, and `power` the required probability of detection.
    The effect size is NaN for fewer than two topics.

    >>> smallest_effect([34, 50], 0.05, 0.8).round(4).tolist()
    [0.495, 0.4042]
    """
    from scipy.optimize import brentq

    sizes = np.atleast_1d(np.asarray(topics, float))
    distinct, place = np.unique(sizes, return_inverse=True)
    effects = np.full(len(distinct), np.nan)
    for at, size in enumerate(distinct):
        if size < 2:
            continue

        def short(effect: float, size: float = size) -> float:
            return float(power_of(effect, size, alpha)) - power

        greatest = 1.0
        while short(greatest) < 0:
            greatest *= 2
        effects[at] = brentq(short, 0.0, greatest, xtol=1e-10)
    return effects[place]


MOST_TOPICS = 1 << 29
NODES = 256


class ResidualVariance(NamedTuple):
    """Residual variances of scores in two kinds of ANOVA, with their relative standard errors.

    `one_way` is the residual variance of a one-way ANOVA (systems), which includes the variance
    between topics. `two_way` is the residual variance of a two-way ANOVA without replication
    (systems and topics). A difference between two systems on a topic has the variance 2 ×
    `two_way`. `one_way_error` and `two_way_error` are the relative standard errors over topics.
    """

    one_way: float
    two_way: float
    one_way_error: float
    two_way_error: float


def residual_variance(values: Floats) -> ResidualVariance:
    """Return residual variances of scores; `values` has shape (systems, topics), without NaN.

    The relative standard errors come from the jackknife over topics. The jackknife assumes neither
    normal scores nor independent systems.

    >>> found = residual_variance(np.array([[0.1, 0.4, 0.3], [0.3, 0.5, 0.7]]))
    >>> round(found.one_way, 4), round(found.two_way, 4)
    (0.0317, 0.0117)
    """
    systems, topics = values.shape
    without_systems = values - values.mean(axis=1, keepdims=True)
    without_both = without_systems - without_systems.mean(axis=0)
    for apart in (without_systems, without_both):
        apart[np.abs(apart) <= CANCELLATION * np.abs(values).max()] = 0.0
    one = (without_systems**2).sum(axis=0) / systems
    two = (without_both**2).sum(axis=0) / max(systems - 1, 1)
    one_way, two_way = (float(parts.sum() / (topics - 1)) for parts in (one, two))
    return ResidualVariance(one_way, two_way, _relative_error(one), _relative_error(two))


def _relative_error(parts: Floats) -> float:
    """Return the relative standard error of the mean of `parts`; 0 if the mean is 0."""
    mean = parts.mean()
    return float(parts.std(ddof=1) / np.sqrt(len(parts)) / mean) if mean > 0 else 0.0


def t_test_topics(difference: float, variance: float, *, alpha: float, power: float) -> float:
    """Return the number of topics with which a two-sided paired t-test detects a mean difference.

    `power` is the required probability of detection. `variance` is the variance of the difference
    between two systems on a topic (Sakai's σ²_t).

    >>> t_test_topics(0.1, 0.2**2, alpha=0.05, power=0.8)
    34.0
    """
    effect = difference / np.sqrt(variance)
    return smallest_count(lambda topics: float(power_of(effect, topics, alpha)) >= power)


def anova_power(
    difference: float, variance: float, systems: int, topics: float, *, alpha: float, paired: bool
) -> float:
    """Return the power of an ANOVA's F-test if best and worst system differ by `difference`.

    The other systems are in the middle, which is the least favourable case. The noncentrality is
    topics × difference² / (2 × variance). The error has systems × (topics − 1) degrees of freedom
    in a one-way ANOVA, and (systems − 1) × (topics − 1) with `paired` (two-way without
    replication).
    """
    from scipy.special import fdtri
    from scipy.stats import ncf

    freedom = (systems - 1, (systems - paired) * (topics - 1))
    critical = fdtri(*freedom, 1 - alpha)
    noncentrality = topics * difference**2 / (2 * variance)
    if noncentrality == 0:  # SciPy returns −0.95 for α = 0.05
        return alpha
    # SciPy 1.11 raises floating-point flags although the value is right.
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(ncf.sf(critical, *freedom, noncentrality))


def anova_topics(
    difference: float, variance: float, systems: int, *, alpha: float, power: float, paired: bool
) -> float:
    """Return the number of topics with which an ANOVA detects `difference`.

    `difference` is the difference between the best and the worst system, and `power` the required
    probability of detection. `variance` is the residual variance of the ANOVA (one-way, or two-way
    if `paired`).

    >>> anova_topics(0.1, 0.05, 10, alpha=0.05, power=0.8, paired=False)
    158.0
    """

    def enough(topics: float) -> bool:
        reached = anova_power(difference, variance, systems, topics, alpha=alpha, paired=paired)
        return reached >= power

    return smallest_count(enough)


def expected_width(topics: float, variance: float, *, alpha: float) -> float:
    """Return the expected width of the t-interval of a mean difference over topics.

    For n topics and φ = n − 1 degrees of freedom, the width is 2 t E[s] / √n. t is the 1 − α/2
    quantile of Student's t. E[s] = σ √(2 / φ) Γ((φ + 1) / 2) / Γ(φ / 2) is the expected standard
    deviation. `variance` is σ², the variance of the difference between two systems on a topic.
    """
    from scipy.special import gammaln, stdtrit

    freedom = topics - 1
    bias = np.exp(gammaln((freedom + 1) / 2) - gammaln(freedom / 2)) * np.sqrt(2 / freedom)
    return float(2 * stdtrit(freedom, 1 - alpha / 2) * bias * np.sqrt(variance / topics))


def width_topics(width: float, variance: float, *, alpha: float) -> float:
    """Return the number of topics with which a t-interval has at most the expected width `width`.

    The interval is that of a mean difference between two systems, at level 1 − alpha. `variance` is
    the variance of the difference between two systems on a topic.

    >>> width_topics(0.1, 0.1, alpha=0.05)
    156.0
    """
    return smallest_count(lambda topics: expected_width(topics, variance, alpha=alpha) <= width)


def equivalence_power(
    margin: float, error: float, freedom: float, *, alpha: float, difference: float = 0.0
) -> float:
    """Return the power of two one-sided t-tests (TOST) to show |difference| < margin.

    `error` is the true standard error of the estimated difference, whose estimate has `freedom`
    degrees of freedom. With u the ratio of the estimated to the true standard error, the power is
    the integral of P(|estimate| < margin − t(α) u error) over the distribution of u (Owen,
    Biometrika 52, 1965).

    >>> round(equivalence_power(np.log(1.25), np.sqrt(np.log(1.09) * 2 / 40), 38,
    ...                         alpha=0.05, difference=np.log(0.95)), 6)
    0.815845
    """
    from scipy.special import chdtri, ndtr, stdtrit

    critical = float(stdtrit(freedom, 1 - alpha))
    low, high = np.sqrt(chdtri(freedom, np.array([1 - 1e-15, 1e-16])) / freedom)
    high = min(high, margin / error / critical)
    if high <= low:
        return 0.0
    node, weight = unit_nodes(NODES)
    u = low + (node + 1) * (high - low) / 2
    density = chi_density(u, freedom)
    reach, shift = margin / error - critical * u, difference / error
    inside = ndtr(reach - shift) - ndtr(-reach - shift)
    return float((inside * density * weight).sum() * (high - low) / 2)


def equivalence_topics(margin: float, variance: float, *, alpha: float, power: float) -> float:
    """Return the number of topics needed to show two equal systems equivalent within the margin.

    The test is two one-sided t-tests (see `tost`), and `power` is the required probability to show
    equivalence. `variance` is the variance of the difference between two systems on a topic.

    >>> equivalence_topics(0.02, 0.01, alpha=0.05, power=0.8)
    216.0
    """

    def enough(topics: float) -> bool:
        error = float(np.sqrt(variance / topics))
        return equivalence_power(margin, error, topics - 1, alpha=alpha) >= power

    return smallest_count(enough)


def smallest_count(enough: Callable[[float], bool]) -> float:
    """Return the smallest n ≥ 2 with `enough(n)`, or infinity if n would exceed `MOST_TOPICS`."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_TOPICS:
            return float("inf")
    return float(bisect_left(range(high), True, low + 1, key=enough))
