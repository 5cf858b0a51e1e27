"""Topic set size design: against other programs, plain integration and simulation."""

import numpy as np
import pytest
from scipy import integrate, stats

from rankwise.stats.power import (
    anova_power,
    anova_topics,
    equivalence_power,
    equivalence_topics,
    expected_width,
    residual_variance,
    smallest_count,
    t_test_topics,
    width_topics,
)

LEVELS = {"alpha": 0.05, "power": 0.8}


@pytest.mark.parametrize(("groups", "f", "topics"), [(4, 0.25, 45), (3, 0.25, 53), (2, 0.2, 100)])
def test_anova_topics_are_those_of_r_and_gpower(groups: int, f: float, topics: int) -> None:
    """R's pwr.anova.test and G*Power: f² = λ / (k n), here difference² / (2 k variance).

    pwr prints n = 44.59927 for k = 4 and 52.3966 for k = 3 at f = 0.25; its documentation has the
    power 0.8036475 for k = 2, n = 100, f = 0.2.
    """
    difference = f * np.sqrt(2 * groups)
    assert anova_topics(difference, 1.0, groups, paired=False, **LEVELS) == topics


def test_anova_power_to_the_last_digits() -> None:
    power = anova_power(0.2 * 2, 1.0, 2, 100, alpha=0.05, paired=False)
    assert power == pytest.approx(0.8036475048589252, abs=1e-9)


@pytest.mark.parametrize(
    ("variance", "printed"),
    [
        (0.0526, (166, 42, 27)),  # AP
        (0.0532, (168, 43, 28)),  # Q
        (0.0558, (176, 45, 29)),  # nDCG
        (0.1200, (377, 95, 61)),  # nERR
    ],
)
def test_topics_are_those_of_sakais_table(variance: float, printed: tuple[int, ...]) -> None:
    """Sakai, EVIA 2014: ten systems, differences of 0.10, 0.20 and 0.25, α 0.05, power 0.8.

    The table is known to us from a quotation without its variances: each was chosen to give the
    first number, and the others follow. He approximates the noncentral F: one of the twelve
    numbers, 27 for AP, is 28 by the exact distribution.
    """
    found = [
        anova_topics(difference, variance, 10, paired=False, **LEVELS)
        for difference in (0.1, 0.2, 0.25)
    ]
    assert np.abs(np.subtract(found, printed)).max() == (1 if printed[2] == 27 else 0)


@pytest.mark.parametrize("paired", [False, True])
def test_without_a_difference_the_power_is_alpha(paired: bool) -> None:
    near = anova_power(1e-6, 1, 3, 10, alpha=0.05, paired=paired)
    assert anova_power(0, 1, 3, 10, alpha=0.05, paired=paired) == pytest.approx(near)


def test_two_systems_paired_are_the_paired_t_test() -> None:
    for difference, variance in [(0.1, 0.02), (0.05, 0.03), (0.3, 0.01)]:
        paired = anova_topics(difference, variance, 2, paired=True, **LEVELS)
        assert paired == t_test_topics(difference, 2 * variance, **LEVELS)


def test_a_bioequivalence_study_has_the_power_that_powertost_prints() -> None:
    """power.TOST(CV = 0.3, n = 40): a 2×2 crossover, theta0 = 0.95, limits 0.8 to 1.25."""
    error = np.sqrt(np.log(0.3**2 + 1) * 2 / 40)
    power = equivalence_power(np.log(1.25), error, 38, alpha=0.05, difference=np.log(0.95))
    assert power == pytest.approx(0.8158453, abs=1e-7)


@pytest.mark.parametrize("freedom", [1, 9, 20_000])
@pytest.mark.parametrize("ratio", [0.5, 2.0, 6.0])
def test_equivalence_power_is_the_integral_over_the_deviation(freedom: int, ratio: float) -> None:
    critical = stats.t.isf(0.05, freedom)

    def inside(u: float) -> float:
        reach = max(ratio - critical * u, 0)
        chance = stats.norm.cdf(reach - 0.4) - stats.norm.cdf(-reach - 0.4)
        return float(chance * stats.chi.pdf(u * np.sqrt(freedom), freedom) * np.sqrt(freedom))

    ends = stats.chi.ppf([1e-13, 1 - 1e-13], freedom) / np.sqrt(freedom)
    inner = np.linspace(ends[0], ends[1], 20)[1:-1]
    points = [*inner, min(ratio / critical, ends[1])]
    expected = integrate.quad(inside, *ends, points=points, limit=500)[0]
    found = equivalence_power(ratio, 1.0, freedom, alpha=0.05, difference=0.4)
    assert found == pytest.approx(expected, abs=1e-6)


def test_the_expected_width_is_that_of_simulated_intervals() -> None:
    rng = np.random.default_rng(3)
    for topics, variance in [(5, 0.3), (30, 0.02)]:
        drawn = rng.normal(0, np.sqrt(variance), (40_000, topics))
        width = 2 * stats.t.isf(0.025, topics - 1) * stats.sem(drawn, axis=1)
        error = width.std() / np.sqrt(len(width))
        found = expected_width(topics, variance, alpha=0.05)
        assert found == pytest.approx(width.mean(), abs=4 * error)


def test_powers_are_how_often_simulated_experiments_succeed() -> None:
    rng = np.random.default_rng(4)
    repeats, topics, systems = 4_000, 20, 4
    means = np.array([-0.4, 0, 0, 0.4])
    drawn = rng.normal(0, 1, (repeats, topics, systems)) + means
    p = stats.f_oneway(*np.moveaxis(drawn, 2, 0), axis=1).pvalue
    expected = anova_power(0.8, 1.0, systems, topics, alpha=0.05, paired=False)
    assert (p <= 0.05).mean() == pytest.approx(expected, abs=0.03)
    differences = rng.normal(0, 1, (repeats, 30))
    reach = stats.t.isf(0.05, 29) * stats.sem(differences, axis=1)
    shown = (np.abs(differences.mean(axis=1)) + reach < 0.6).mean()
    power = equivalence_power(0.6, 1 / np.sqrt(30), 29, alpha=0.05)
    assert shown == pytest.approx(power, abs=0.03)


def test_each_number_of_topics_is_the_smallest() -> None:
    needed = equivalence_topics(0.05, 0.02, **LEVELS)
    error = np.sqrt(0.02 / np.array([needed - 1, needed]))
    powers = [
        equivalence_power(0.05, one, topics - 1, alpha=0.05)
        for one, topics in zip(error, (needed - 1, needed), strict=True)
    ]
    assert powers[0] < 0.8 <= powers[1]
    wide = width_topics(0.1, 0.02, alpha=0.05)
    widths = [expected_width(topics, 0.02, alpha=0.05) for topics in (wide - 1, wide)]
    assert widths[0] > 0.1 >= widths[1]
    assert smallest_count(lambda count: count >= 77) == 77
    assert smallest_count(lambda _: False) == float("inf")


def test_residual_variances_are_those_of_the_analysis_of_variance() -> None:
    rng = np.random.default_rng(5)
    values = rng.random((4, 12)) + rng.random(12) + rng.random((4, 1))
    means, topics, grand = values.mean(axis=1), values.mean(axis=0), values.mean()
    one = two = 0.0
    for system in range(4):
        for topic in range(12):
            one += (values[system, topic] - means[system]) ** 2
            two += (values[system, topic] - means[system] - topics[topic] + grand) ** 2
    found = residual_variance(values)
    assert found.one_way == pytest.approx(one / (4 * 11))
    assert found.two_way == pytest.approx(two / (3 * 11))
    pair = residual_variance(values[:2])
    assert 2 * pair.two_way == pytest.approx((values[0] - values[1]).var(ddof=1))


def test_the_error_of_a_variance_is_how_much_it_varies() -> None:
    rng = np.random.default_rng(6)
    found = [residual_variance(rng.normal(0, 1, (3, 40))) for _ in range(300)]
    spread = np.std([one.two_way for one in found])
    expected = np.mean([one.two_way * one.two_way_error for one in found])
    assert expected == pytest.approx(spread, rel=0.15)


def test_a_constant_difference_has_no_residual_variance() -> None:
    """0.1 and 0.3 on nine topics: rounding errors are no variance."""
    found = residual_variance(np.array([[0.1] * 9, [0.3] * 9]))
    assert found.one_way == found.two_way == 0
