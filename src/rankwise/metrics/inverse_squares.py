"""Sums of inverse squares, which the tails of INSQ, INST and NERR11 are made of."""

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats

FAR = 10  # from where on the series is as good as 64-bit numbers are
# Bernoulli's numbers B(2), B(4), …: the next, 43867/798, would add 5e-17 of the sum at FAR.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def inverse_squares(start: npt.ArrayLike) -> Floats:
    """Σ 1 / (start + i)² over i ≥ 0, which is ζ(2, start), for starts above 0; 0 at infinity.

    The first terms one by one, the rest by the formula of Euler and Maclaurin:
    1/x + 1/(2x²) + Σ B(2k) / x^(2k + 1). SciPy has ζ, but takes longer to import than a run of
    TREC-8 to score.

    >>> round(float(inverse_squares(1.0)), 12) == round(np.pi**2 / 6, 12)
    True
    """
    place = np.array(start, np.float64)
    flat = place.reshape(-1)  # the same numbers
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
