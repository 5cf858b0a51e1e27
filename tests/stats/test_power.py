"""Power of the paired t-test: against tables, and against simulation."""

import numpy as np
import pytest
from scipy import stats

from rankwise.stats.power import power_of, smallest_effect, topics_needed


@pytest.mark.parametrize(("effect", "alpha", "power", "topics"), [
    (0.2, 0.05, 0.8, 199), (0.5, 0.05, 0.8, 34), (0.8, 0.05, 0.8, 15), (0.5, 0.05, 0.95, 54),
])  # fmt: skip
def test_topics_are_those_that_gpower_prints(
    effect: float, alpha: float, power: float, topics: int
) -> None:
    """G*Power 3.1, t tests, difference between two dependent means, two tails."""
    assert topics_needed(effect, alpha, power).tolist() == [topics]
    assert power_of(effect, topics, alpha) >= power > power_of(effect, topics - 1, alpha)


def test_power_is_how_often_simulated_topics_show_the_effect() -> None:
    rng = np.random.default_rng(1)
    repeats = 20_000
    for effect, topics, alpha in [(0.4, 25, 0.05), (1.0, 8, 0.01), (0.0, 10, 0.05)]:
        p = stats.ttest_1samp(rng.normal(effect, 1, (repeats, topics)), 0, axis=1).pvalue
        expected = float(power_of(effect, topics, alpha))
        error = np.sqrt(expected * (1 - expected) / repeats)
        assert (p <= alpha).mean() == pytest.approx(expected, abs=4 * error)


def test_the_smallest_effect_is_shown_with_just_that_power() -> None:
    sizes = np.array([2, 3, 25, 50, 50, 1000])
    found = smallest_effect(sizes, 0.05, 0.8)
    assert power_of(found, sizes, 0.05) == pytest.approx(0.8)
    assert (np.diff(found) <= 0).all()
    assert np.isnan(smallest_effect([1], 0.05, 0.8)).all()


def test_small_large_and_missing_effects_have_an_answer() -> None:
    found = topics_needed([0.0, 1e-4, 1e6, np.inf, np.nan, -0.5], 0.05, 0.8)
    assert found[0] == np.inf
    assert found[1] == pytest.approx((1.959964 + 0.841621) ** 2 * 1e8, rel=1e-5)
    assert found[2:4].tolist() == [2.0, 2.0]
    assert np.isnan(found[4])
    assert found[5] == 34
