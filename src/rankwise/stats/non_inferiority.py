"""Power of the test of non-inferiority: a confidence interval that excludes a margin.

The test passes if the lower limit of the two-sided t-interval of the mean paired difference, at
level 1 − α, is above −margin. If the true difference is 0, the statistic follows the noncentral t
distribution with n − 1 degrees of freedom and noncentrality margin × √n / σ (Julious, Statistics
in Medicine 23(12), 2004).
"""

from math import inf, isnan, nan, sqrt

import numpy as np

MOST = 2.0**53  # topics: a float cannot count beyond it


def chance_if_equal(margin: float, topics: float, alpha: float) -> float:
    """Probability that a system with a true difference of 0 passes.

    `margin` is in standard deviations of the differences. NaN below two topics.

    >>> round(chance_if_equal(0.01 / 0.296, 50, 0.05), 3)
    0.042
    """
    if topics < 2 or isnan(margin):
        return nan
    from scipy.special import stdtrit
    from scipy.stats import nct, t

    critical = float(stdtrit(topics - 1, 1 - alpha / 2))
    if margin == 0:  # SciPy 1.13 and older have no noncentrality of 0
        return float(t.sf(critical, topics - 1))
    with np.errstate(divide="ignore", invalid="ignore"):  # SciPy 1.11 warns beside the right value
        return float(nct.sf(critical, topics - 1, margin * sqrt(topics)))


def topics_for_chance(margin: float, alpha: float, power: float = 0.8) -> float:
    """Smallest number of topics with which a system with a true difference of 0 passes this often.

    Infinity if the margin is 0. The search starts at the number that a known standard deviation
    would need, which is never too large, and goes up.

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
