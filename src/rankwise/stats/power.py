"""Power of the paired t-test: topics needed for a difference, and detectable differences.

Effect sizes are standardised: mean / standard deviation of the differences between two systems.
The power of n topics is the probability that |t| exceeds its critical value when t follows the
noncentral t distribution with n − 1 degrees of freedom and noncentrality effect × √n.

Use power for a difference expected before the experiment. Computed from the observed difference,
it only restates the p-value, and observed differences are too large on average where only large
ones are followed up: `lower_effect` allows for that.
"""

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats

MOST = 2.0**53  # topics: a float cannot count beyond it


def power_of(effect: npt.ArrayLike, topics: npt.ArrayLike, alpha: float) -> Floats:
    """Power of a two-sided paired t-test at level α for this effect size and number of topics.

    >>> round(float(power_of(0.5, 34, 0.05)), 4)
    0.8078
    """
    from scipy.special import stdtrit
    from scipy.stats import nct

    size, effects = np.broadcast_arrays(np.asarray(topics, float), np.abs(effect))
    freedom = size - 1
    critical = stdtrit(freedom, 1 - alpha / 2)
    moved = effects * np.sqrt(size)
    # The other tail is less than Φ(−noncentrality). It is taken as the upper one of −t:
    # scipy has NaN for some lower tails.
    # SciPy 1.13 and older also warn on the way to the right number.
    with np.errstate(divide="ignore", invalid="ignore"):
        other = np.where(moved > 8, 0.0, nct.sf(critical, freedom, -np.minimum(moved, 8)))
        return np.asarray(nct.sf(critical, freedom, moved) + other)


def lower_effect(effect: npt.ArrayLike, topics: npt.ArrayLike, confidence: float) -> Floats:
    """Lower confidence limit of |effect| (Cohen's d_z), from the noncentral t distribution.

    The effect for which an observed t as large as this has probability (1 − confidence) / 2; 0 if
    an effect of 0 has more (Steiger and Fouladi 1997). The lower limit of a 60 % interval is the
    effect of a safeguard power analysis (Perugini, Gallucci and Costantini, Perspectives on
    Psychological Science 9(3), 2014): the true effect is smaller with a chance of 20 %. NaN for
    an unknown effect or fewer than two topics.

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
    """Smallest number of topics, at least two, that detects each effect size with this power.

    Infinity for an effect of 0, NaN for an unknown one. The search starts at the number that the
    z-test (known standard deviation, two-sided) needs, which is never too large, and goes up.

    >>> topics_needed([0.2, 0.5, 0.8, 0.0], 0.05, 0.8).tolist()
    [199.0, 34.0, 15.0, inf]
    """
    effects = np.atleast_1d(np.abs(np.asarray(effect, float)))
    found = np.where(np.isnan(effects), np.nan, np.inf)
    found[np.isinf(effects)] = 2.0
    open_ = np.flatnonzero(np.isfinite(effects) & (effects > 0))
    least = (_moved_if_spread_is_known(alpha, power) / effects[open_]) ** 2
    found[open_] = np.maximum(np.floor(least), 2)
    while len(open_):
        short = power_of(effects[open_], found[open_], alpha) < power
        open_ = open_[short & (found[open_] < MOST)]
        found[open_] += 1
    return found


def _moved_if_spread_is_known(alpha: float, power: float) -> float:
    """Noncentrality at which a two-sided z-test at level α has the given power."""
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    critical = -ndtri(alpha / 2)

    def short(moved: float) -> float:
        return float(ndtr(moved - critical) + ndtr(-moved - critical)) - power

    return float(brentq(short, 0.0, critical + ndtri(power) + 1, xtol=1e-12))


def smallest_effect(topics: npt.ArrayLike, alpha: float, power: float) -> Floats:
    """Smallest effect size that each number of topics detects with this power; NaN below two.

    >>> smallest_effect([34, 50], 0.05, 0.8).round(4).tolist()
    [0.495, 0.4042]
    """
    from scipy.optimize import brentq

    sizes = np.atleast_1d(np.asarray(topics, float))
    distinct, place = np.unique(sizes, return_inverse=True)
    found = np.full(len(distinct), np.nan)
    for at, size in enumerate(distinct):
        if size < 2:
            continue

        def short(effect: float, size: float = size) -> float:
            return float(power_of(effect, size, alpha)) - power

        greatest = 1.0
        while short(greatest) < 0:
            greatest *= 2
        found[at] = brentq(short, 0.0, greatest, xtol=1e-10)
    return found[place]
