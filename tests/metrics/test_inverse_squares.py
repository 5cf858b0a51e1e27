"""Sums of inverse squares, against SciPy's zeta function and against sums of fractions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import zeta

from rankwise.arrays import LAST_BIT
from rankwise.metrics.inverse_squares import inverse_squares


def test_they_are_the_zeta_function() -> None:
    starts = np.concatenate([np.geomspace(0.5, 1e9, 20_000), np.arange(1, 2_000), [np.inf]])
    found, known = inverse_squares(starts), np.append(zeta(2, starts[:-1]), 0.0)
    assert found == pytest.approx(known, rel=4 * LAST_BIT, abs=0)
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
