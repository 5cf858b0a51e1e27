"""Distribution of Dunnett's statistic: the largest |t| of several systems against one baseline.

t_i = (Z_i − Z_0) / (√2 s), with independent normal Z and s a χ over √freedom: the t_i have
correlation 1/2. SciPy integrates it by quasi-random sampling, to three digits; here both
integrals use Gauss-Legendre quadrature. Dunnett, JASA 50(272), 1955.
"""

import numpy as np

from rankwise.arrays import Floats
from rankwise.stats.studentised_range import chi_nodes, nodes

WIDEST = 10.0  # a normal value is outside with a chance of 1e-23


def survival(t: Floats, others: int, freedom: int) -> Floats:
    """P(max |t_i| > t) of `others` systems against a baseline; for one it is Student's.

    ∫ density(s) ∫ φ(z) (1 − (Φ(z + √2 t s) − Φ(z − √2 t s))ᵏ) dz ds.

    >>> survival(np.array([0.0, 2.5, 4.0]), 3, 20).round(4)
    array([1.    , 0.0543, 0.002 ])
    """
    from scipy.special import ndtr, stdtr

    if others == 1:
        return np.asarray(2 * stdtr(freedom, -t))
    s, density = chi_nodes(freedom)
    z, weight = nodes(-WIDEST, WIDEST)
    weight = weight * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    found = np.empty(len(t))
    for place, value in enumerate(np.abs(t)):
        reach = np.sqrt(2) * value * s[:, None]
        outside = np.minimum(ndtr(-z - reach) + ndtr(z - reach), 1.0)
        with np.errstate(divide="ignore"):  # at t = 0
            beyond = -np.expm1(others * np.log1p(-outside))
        found[place] = density @ (beyond @ weight)
    return np.where(t == 0, 1.0, np.minimum(1, found))


def critical_value(alpha: float, others: int, freedom: int) -> float:
    """Quantile t with P(max |t_i| > t) = α.

    >>> round(critical_value(0.05, 3, 20), 2)  # Dunnett's table of 1964 has 2.54
    2.54
    """
    from scipy.optimize import brentq

    def above(t: float) -> float:
        return float(survival(np.array([t]), others, freedom)[0]) - alpha

    most = 4.0
    while above(most) > 0:
        most *= 2
    return float(brentq(above, 0.0, most, xtol=1e-12, rtol=1e-14))
