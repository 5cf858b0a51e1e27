"""Sums of inverse squares, against SciPy's zeta function and against sums of fractions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import zeta

from rankwise.arrays import LAST_BIT
from rankwise.metrics.inverse_squares import FAR, inverse_squares


def test_the_series_leaves_out_less_than_the_last_bit() -> None:
    """At its first place, in fractions: what is beyond is less than the first term left out."""
    terms = sum(Fraction(1, place**2) for place in range(FAR, 400))
    rest = Fraction(1, 400) + Fraction(1, 2 * 400**2) + Fraction(1, 6 * 400**3)
    exact = float(terms + rest - Fraction(1, 30 * 400**5))
    assert float(inverse_squares(float(FAR))) == pytest.approx(exact, rel=2**-52, abs=0)


def test_they_are_the_zeta_function() -> None:
    starts = np.concatenate([np.geomspace(0.5, 1e9, 20_000), np.arange(1, 2_000), [np.inf]])
    found, known = inverse_squares(starts), np.append(zeta(2, starts[:-1]), 0.0)
    assert found == pytest.approx(known, rel=2 * LAST_BIT, abs=0)
    assert found.shape == starts.shape and starts[0] == 0.5  # what was given is not changed


@pytest.mark.parametrize("start", [1, 3, 9, 10, 11, 50])
def test_differences_are_sums_of_fractions(start: int) -> None:
    terms = sum(Fraction(1, place**2) for place in range(start, start + 40))
    difference = inverse_squares(float(start)) - inverse_squares(start + 40.0)
    assert float(difference) == pytest.approx(float(terms), rel=4 * LAST_BIT)


def test_tables_and_single_numbers_keep_their_shape() -> None:
    table = np.array([[1.0, 2.0], [30.0, np.inf]])
    assert inverse_squares(table).shape == (2, 2)
    assert inverse_squares(table)[0, 1] == inverse_squares(2.0)
