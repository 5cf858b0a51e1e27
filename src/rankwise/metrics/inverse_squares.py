"""Sums Σ 1 / x², for the total weight of all ranks below a depth in INSQ, INST and NERR11."""

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats

FAR = 10  # from here on the series is accurate to 64-bit precision
# Bernoulli numbers B(2), B(4), … The next one, 43867/798, would change the sum at FAR by a relative
# 5e-17.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def inverse_squares(start: npt.ArrayLike) -> Floats:
    """Return Σ 1 / (start + i)² over i ≥ 0, which is the Hurwitz zeta function ζ(2, start).

    `start` must be above 0; infinity gives 0. Terms with start + i < 10 are added one by one. Let x
    be the first start + i that is 10 or more. The sum of the remaining terms is 1/x + 1/(2x²) + Σ
    B(2k) / x^(2k + 1) with the Bernoulli numbers B (Euler–Maclaurin formula). SciPy has ζ, but
    importing SciPy takes longer than scoring a TREC-8 run.

    >>> round(float(inverse_squares(1.0)), 12) == round(np.pi**2 / 6, 12)
    True
    """
    place = np.array(start, np.float64)
    flat = place.reshape(-1)  # a view: it shares memory with `place`
    near = np.zeros(len(flat))
    rows = np.flatnonzero(flat < FAR)
    while len(rows):
        near[rows] += 1 / flat[rows] ** 2
        flat[rows] += 1
        rows = rows[flat[rows] < FAR]
    once = 1 / place
    square = once * once
    series = np.zeros_like(place)
    for number in reversed(BERNOULLI):
        series = (series + number) * square
    far = once * (1 + series) + square / 2
    return np.asarray(far + near.reshape(place.shape))
