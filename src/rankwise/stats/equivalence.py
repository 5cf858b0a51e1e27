"""Equivalence, non-inferiority and the region of practical equivalence of paired differences.

`differences` has shape (pairs, topics); NaN excludes a topic. A pair of systems whose differences
are all 0 is equivalent. If all differences of a pair have the same value other than 0, they have no
variance, and the results are NaN.

The test of non-inferiority passes if the lower limit of the two-sided t-interval of the mean
difference, at level 1 − α, is above −margin. If the true difference is 0, the statistic follows the
noncentral t distribution with n − 1 degrees of freedom and noncentrality margin × √n / σ, for n
topics and the standard deviation σ of the differences (Julious, Statistics in Medicine 23(12),
2004).
"""

from math import inf, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from rankwise.arrays import Floats
from rankwise.stats.intervals import Estimate, moments


class Equivalence(NamedTuple):
    """One-sided p-values of the mean difference of each pair of systems.

    `above` is for the null hypothesis of a mean difference of at most −margin; a small value shows
    that the first system is not inferior. `below` is for the null hypothesis of a mean difference
    of at least the margin.
    """

    above: Floats
    below: Floats

    @property
    def p(self) -> Floats:
        """The p-value of the two one-sided tests (TOST): the larger of the two."""
        return np.maximum(self.above, self.below)


class Posterior(NamedTuple):
    """Probabilities that the mean difference is below −margin, within ±margin, and above the
    margin.
    """

    worse: Floats
    equivalent: Floats
    better: Floats


def tost(differences: Floats, margin: float, estimate: Estimate | None = None) -> Equivalence:
    """Test whether each mean difference is within ±margin: two one-sided t-tests (Schuirmann 1987).

    Equivalence at level α is shown if p ≤ α, that is if the 1 − 2α confidence interval lies within
    ±margin. `estimate`, if passed, replaces the mean and the standard error of the differences.

    >>> found = tost(np.array([[0.01, -0.02, 0.0, 0.02, 0.01, -0.01]]), 0.02)
    >>> found.p.round(4)
    array([0.0142])
    """
    return Equivalence(*_tails(differences, margin, estimate))


def region_of_equivalence(
    differences: Floats, margin: float, estimate: Estimate | None = None
) -> Posterior:
    """Return the probabilities that the mean difference is below, within and above ±margin.

    ±margin is the region of practical equivalence (ROPE). The probabilities are the posterior of a
    Bayesian paired t-test. With the prior density 1 / σ² the mean difference has a Student's t
    distribution with n − 1 degrees of freedom, location m and scale s / √n, where m and s are the
    mean and the standard deviation of the n differences (Benavoli, Corani, Demšar and Zaffalon,
    JMLR 18(77), 2017). Topics are assumed independent: the correlation ρ of that paper is 0.

    >>> found = region_of_equivalence(np.array([[0.01, -0.02, 0.0, 0.02, 0.01, -0.01]]), 0.02)
    >>> [float(share.round(4)[0]) for share in found]
    [0.0077, 0.9781, 0.0142]
    """
    worse, better = _tails(differences, margin, estimate)
    return Posterior(worse, 1 - worse - better, better)


def _tails(differences: Floats, margin: float, estimate: Estimate | None) -> tuple[Floats, Floats]:
    """Return P(mean ≤ −margin) and P(mean ≥ margin) by Student's t."""
    from scipy.special import stdtr

    plain = moments(differences)
    used = plain if estimate is None else estimate
    error = np.where(used.error > 0, used.error, np.nan)
    tails = (
        stdtr(used.freedom, -(used.mean + margin) / error),
        stdtr(used.freedom, (used.mean - margin) / error),
    )
    # A pair with at least two topics and no difference is equivalent.
    same = (np.nan_to_num(differences) == 0).all(axis=1) & (plain.topics > 1)
    return np.where(same, 0.0, tails[0]), np.where(same, 0.0, tails[1])


MOST = 2.0**53  # floats represent whole numbers exactly up to here


def chance_if_equal(margin: float, topics: float, alpha: float) -> float:
    """Return the power of a non-inferiority t-test if the true difference is 0.

    The test is the one-sided paired t-test at level alpha / 2 of a difference above −margin.
    `margin` is in standard deviations of the differences. The power is NaN with fewer than two
    topics.

    >>> round(chance_if_equal(0.01 / 0.296, 50, 0.05), 3)
    0.042
    """
    if topics < 2 or isnan(margin):
        return nan
    from scipy.special import stdtrit
    from scipy.stats import nct, t

    critical = float(stdtrit(topics - 1, 1 - alpha / 2))
    if margin == 0:  # SciPy 1.13 and older do not support a noncentrality of 0
        return float(t.sf(critical, topics - 1))
    # SciPy 1.11 warns although the value is right
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(nct.sf(critical, topics - 1, margin * sqrt(topics)))


def topics_for_chance(margin: float, alpha: float, power: float = 0.8) -> float:
    """Return the number of topics that a non-inferiority t-test needs if the true difference is 0.

    The result is the smallest number of topics with which `chance_if_equal` is at least `power`. It
    is infinity if `margin` is 0 or too small to compute the number, and NaN if `margin` is NaN.

    >>> topics_for_chance(0.5, 0.05), topics_for_chance(0.01 / 0.296, 0.05)
    (34.0, 6879.0)
    """
    if isnan(margin):
        return nan
    from scipy.special import ndtri

    distance = float(ndtri(power) - ndtri(alpha / 2))
    if margin <= 0 or distance / margin > sqrt(MOST):
        return inf
    topics = max(float((distance / margin) ** 2 // 1), 2.0)
    while chance_if_equal(margin, topics, alpha) < power:
        topics += 1
    return topics
