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


def test_a_large_effect_has_a_power_where_scipy_has_none_for_the_lower_tail() -> None:
    """nct.cdf is NaN for effect 3 over 6 topics at 0.01, and the search stopped there."""
    sizes = np.arange(2, 3000)
    for effect in (0.3, 1.0, 3.0):
        assert np.isfinite(power_of(effect, sizes, 0.01)).all()
    assert topics_needed(3.0, 0.01, 0.999).tolist() == [8]


@pytest.mark.parametrize("power", [0.055, 0.1, 0.3])
def test_a_low_power_takes_as_few_topics_as_trying_them_all_says(power: float) -> None:
    """Both tails count: a start from one of them is too many."""
    sizes = np.arange(2, 3000)
    first = sizes[np.argmax(power_of(0.1, sizes, 0.05) >= power)]
    assert topics_needed(0.1, 0.05, power).tolist() == [first]


def test_the_search_ends_where_one_topic_more_is_not_told_apart() -> None:
    tiny = 1e-10 * np.linspace(1, 2, 50)
    assert (topics_needed(tiny, 0.05, 0.8) > 2.0**53).all()
