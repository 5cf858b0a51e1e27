"""Power of the test of non-inferiority: against simulated tests, and its limits."""

from math import inf, isnan

import numpy as np
import pytest
from scipy import stats

from rankwise.stats.equivalence import chance_if_equal, topics_for_chance
from rankwise.stats.intervals import t_interval


@pytest.mark.parametrize(("margin", "topics"), [(0.0, 20), (0.3, 20), (0.5, 34), (1.0, 5)])
def test_the_chance_is_that_of_simulated_tests(margin: float, topics: int) -> None:
    """The lower limit of the t-interval of equal systems is above −margin this often."""
    rows = 40_000
    values = np.random.default_rng(5).normal(0.0, 1.0, (rows, topics))
    low, _ = t_interval(values, 0.95)
    share = float((low > -margin).mean())
    chance = chance_if_equal(margin, topics, 0.05)
    assert abs(share - chance) < 4 * np.sqrt(chance * (1 - chance) / rows)


def test_without_a_margin_the_chance_is_half_of_alpha() -> None:
    for topics in (2, 10, 200):
        assert chance_if_equal(0.0, topics, 0.05) == pytest.approx(0.025)


def test_the_number_of_topics_is_the_smallest_that_is_enough() -> None:
    for margin, power in ((0.5, 0.8), (0.25, 0.9), (1.5, 0.8)):
        topics = topics_for_chance(margin, 0.05, power)
        assert chance_if_equal(margin, topics, 0.05) >= power
        assert chance_if_equal(margin, topics - 1, 0.05) < power
        # A known standard deviation needs fewer, and not many fewer.
        known = ((stats.norm.ppf(power) + stats.norm.ppf(0.975)) / margin) ** 2
        assert known <= topics <= known + 4


def test_undefined_and_hopeless_margins() -> None:
    assert isnan(chance_if_equal(0.5, 1, 0.05)) and isnan(chance_if_equal(np.nan, 50, 0.05))
    assert isnan(topics_for_chance(np.nan, 0.05))
    assert topics_for_chance(0.0, 0.05) == topics_for_chance(1e-12, 0.05) == inf
    assert topics_for_chance(100.0, 0.05) == 2.0  # no fewer can be tested
