"""Topic set size design: topics for a power, an equivalence margin or an interval width.

Sakai, Topic set size design, Information Retrieval Journal 19, 2016. Each function returns the
smallest number of topics, at least two, that meets a requirement, and infinity where more than
`MOST` would be needed. His spreadsheets approximate the noncentral t and F distributions; here
they are exact, so that results may differ from his by a topic.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rankwise.arrays import CANCELLATION, Floats
from rankwise.stats.power import power_of

MOST = 1_000_000_000
NODES = 256


class ResidualVariance(NamedTuple):
    """Variance of scores within systems, and its relative standard error over topics.

    `one_way` is that of a one-way ANOVA (systems), which contains the variance between topics;
    `two_way` is that of a two-way ANOVA without replication (systems and topics). A difference
    between two systems on a topic has the variance 2 × `two_way`.
    """

    one_way: float
    two_way: float
    one_way_error: float
    two_way_error: float


def residual_variance(values: Floats) -> ResidualVariance:
    """Estimate the residual variances from a pilot; `values` is systems × topics without NaN.

    The relative standard errors are those of the jackknife over topics: they assume neither
    normal scores nor systems that are independent on a topic.

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
    return ResidualVariance(
        float(one.sum() / (topics - 1)),
        float(two.sum() / (topics - 1)),
        _relative_error(one),
        _relative_error(two),
    )


def _relative_error(parts: Floats) -> float:
    """Relative standard error of a mean of parts."""
    mean = parts.mean()
    return float(parts.std(ddof=1) / np.sqrt(len(parts)) / mean) if mean > 0 else 0.0


def t_test_topics(difference: float, variance: float, *, alpha: float, power: float) -> float:
    """Topics for a two-sided paired t-test that detects this difference with this power.

    `variance` is that of a difference between two systems on a topic (Sakai's σ²_t).

    >>> t_test_topics(0.1, 0.2**2, alpha=0.05, power=0.8)
    34.0
    """
    effect = difference / np.sqrt(variance)
    return smallest_count(lambda topics: float(power_of(effect, topics, alpha)) >= power)


def anova_power(
    difference: float, variance: float, systems: int, topics: float, *, alpha: float, paired: bool
) -> float:
    """Power of the F-test of an ANOVA where the best and the worst system differ this much.

    The other systems are in the middle, which is the least favourable case: the noncentrality is
    topics × difference² / (2 × variance). One-way there are systems × (topics − 1) degrees of
    freedom of the error, `paired` (two-way without replication) (systems − 1) × (topics − 1).
    """
    from scipy.special import fdtri
    from scipy.stats import ncf

    freedom = (systems - 1, (systems - paired) * (topics - 1))
    critical = fdtri(*freedom, 1 - alpha)
    noncentrality = topics * difference**2 / (2 * variance)
    if noncentrality == 0:  # SciPy has −0.95 for α = 0.05
        return alpha
    # SciPy 1.11 raises flags beside the right value.
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(ncf.sf(critical, *freedom, noncentrality))


def anova_topics(
    difference: float, variance: float, systems: int, *, alpha: float, power: float, paired: bool
) -> float:
    """Topics for an ANOVA that detects this difference between the best and the worst system.

    >>> anova_topics(0.1, 0.05, 10, alpha=0.05, power=0.8, paired=False)
    158.0
    """
    return smallest_count(
        lambda topics: (
            anova_power(difference, variance, systems, topics, alpha=alpha, paired=paired) >= power
        )
    )


def expected_width(topics: float, variance: float, *, alpha: float) -> float:
    """Expected width of the t interval of a mean difference with this variance.

    2 t(α) E[s] / √n, where E[s] = σ √(2 / φ) Γ((φ + 1) / 2) / Γ(φ / 2) and φ = n − 1.
    """
    from scipy.special import gammaln, stdtrit

    freedom = topics - 1
    bias = np.exp(gammaln((freedom + 1) / 2) - gammaln(freedom / 2)) * np.sqrt(2 / freedom)
    return float(2 * stdtrit(freedom, 1 - alpha / 2) * bias * np.sqrt(variance / topics))


def width_topics(width: float, variance: float, *, alpha: float) -> float:
    """Topics for a confidence interval of a difference with at most this expected width.

    >>> width_topics(0.1, 0.1, alpha=0.05)
    156.0
    """
    return smallest_count(lambda topics: expected_width(topics, variance, alpha=alpha) <= width)


def equivalence_power(
    margin: float, error: float, freedom: float, *, alpha: float, difference: float = 0.0
) -> float:
    """Power of two one-sided t-tests (TOST) to show |difference| < margin.

    `error` is the true standard error of the estimated difference, whose estimate has `freedom`
    degrees of freedom. With u the ratio of the estimated to the true standard error, the power
    is the integral of P(|estimate| < margin − t(α) u error) over the distribution of u
    (Owen, Biometrika 52, 1965).

    >>> round(equivalence_power(np.log(1.25), np.sqrt(np.log(1.09) * 2 / 40), 38,
    ...                         alpha=0.05, difference=np.log(0.95)), 6)
    0.815845
    """
    from scipy.special import chdtri, gammaln, ndtr, stdtrit

    critical = float(stdtrit(freedom, 1 - alpha))
    low, high = np.sqrt(chdtri(freedom, np.array([1 - 1e-15, 1e-16])) / freedom)
    high = min(high, margin / error / critical)
    if high <= low:
        return 0.0
    node, weight = _nodes()
    u = low + (node + 1) * (high - low) / 2
    half = freedom / 2
    log_density = half * np.log(half) - gammaln(half) + np.log(2 / u)
    density = np.exp(log_density + half * (2 * np.log(u) - u**2))
    reach, moved = margin / error - critical * u, difference / error
    inside = ndtr(reach - moved) - ndtr(-reach - moved)
    return float((inside * density * weight).sum() * (high - low) / 2)


@lru_cache(maxsize=1)
def _nodes() -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights between −1 and 1."""
    return np.polynomial.legendre.leggauss(NODES)


def equivalence_topics(margin: float, variance: float, *, alpha: float, power: float) -> float:
    """Topics for two equal systems to be shown equivalent within the margin, with this power.

    >>> equivalence_topics(0.02, 0.01, alpha=0.05, power=0.8)
    216.0
    """

    def enough(topics: float) -> bool:
        error = float(np.sqrt(variance / topics))
        return equivalence_power(margin, error, topics - 1, alpha=alpha) >= power

    return smallest_count(enough)


def smallest_count(enough: Callable[[float], bool]) -> float:
    """Return the smallest whole number from 2 on that is enough; infinity beyond `MOST`."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            return float("inf")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(high)
