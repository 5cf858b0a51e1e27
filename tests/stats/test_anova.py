"""Tukey's HSD: against scipy and plain loops; the randomised one by simulation too."""

import itertools
from collections.abc import Iterable

import numpy as np
import pytest
from scipy import stats

from rankwise.arrays import Floats
from rankwise.errors import CallError
from rankwise.progress import show_progress
from rankwise.stats import multiple_comparisons
from rankwise.stats.intervals import t_interval
from rankwise.stats.multiple_comparisons import (
    Simultaneous,
    critical_value,
    randomised_tukey,
    survival,
    tukey_hsd,
)
from rankwise.stats.paired import permutation, student_t


def generator() -> np.random.Generator:
    return np.random.default_rng(1)


def scores_at_random(systems: int = 5, topics: int = 12) -> Floats:
    rng = np.random.default_rng(9)
    better = rng.normal(0, 0.5, (systems, 1))
    return better + rng.normal(0, 1, (1, topics)) + rng.normal(0, 1, (systems, topics))


def by_hand(values: list[list[float]]) -> tuple[list[float], float, int]:
    """Return means of systems, their standard error and its degrees of freedom, cell by cell."""
    systems, topics = len(values), len(values[0])
    row = [sum(scores) / topics for scores in values]
    column = [sum(scores[j] for scores in values) / systems for j in range(topics)]
    grand = sum(row) / systems
    error = sum(
        (values[i][j] - row[i] - column[j] + grand) ** 2
        for i in range(systems)
        for j in range(topics)
    )
    freedom = (systems - 1) * (topics - 1)
    return row, (error / freedom / topics) ** 0.5, freedom


def hsd_by_hand(values: list[list[float]]) -> list[float]:
    """Two-way analysis of variance without interaction, cell by cell."""
    row, unit, freedom = by_hand(values)
    systems = len(values)
    return [
        float(stats.studentized_range.sf(abs(row[a] - row[b]) / unit, systems, freedom))
        for a, b in itertools.combinations(range(systems), 2)
    ]


def test_tukey_hsd_is_that_of_the_analysis_by_hand() -> None:
    values = scores_at_random()
    found = tukey_hsd(values, *np.triu_indices(5, 1)).p
    np.testing.assert_allclose(found, hsd_by_hand(values.tolist()), atol=1e-9)
    assert found.min() < 0.05 < found.max()


def test_tukey_hsd_of_two_systems_is_the_paired_t_test() -> None:
    values = scores_at_random(2)
    expected = student_t(values[:1] - values[1:])
    found = tukey_hsd(values, *np.triu_indices(2, 1))
    np.testing.assert_allclose(found.p, expected, atol=1e-9)
    ends = t_interval(values[:1] - values[1:], 0.95)
    np.testing.assert_allclose([found.low, found.high], ends, atol=1e-9)


@pytest.mark.slow
def test_the_quantile_of_the_studentised_range_is_scipys() -> None:
    for systems, freedom in ((2, 1), (3, 2), (4, 30), (129, 128 * 49)):
        for alpha in (0.001, 0.05, 0.5):
            expected = stats.studentized_range.ppf(1 - alpha, systems, freedom)
            assert critical_value(alpha, systems, freedom) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(("systems", "freedom"), [(2, 1), (3, 2), (4, 30), (129, 128 * 49)])
def test_the_studentised_range_is_scipys(systems: int, freedom: int) -> None:
    q = np.array([0.0, 0.3, 1.0, 2.5, 4.0, 6.0, 9.0])
    expected = stats.studentized_range.sf(q, systems, freedom)
    np.testing.assert_allclose(survival(q, systems, freedom), expected, atol=1e-9)


def test_the_studentised_range_falls_to_the_far_end() -> None:
    p = survival(np.array([0.0, 1e-6, 5, 20, 30, 36, 40, 1e9]), 20, 1000)
    assert p[0] == 1
    assert (np.diff(p) <= 1e-12).all()
    assert 0 <= p[-1] < 1e-100


def randomised_by_hand(values: Floats) -> list[float]:
    """All the ways to permute the scores within topics."""
    ways = itertools.product(*(itertools.permutations(scores) for scores in values.T))
    ranges = [float(np.ptp(np.mean(way, axis=0))) for way in ways]
    means = values.mean(axis=1)
    return [
        sum(each >= abs(means[a] - means[b]) - 1e-9 for each in ranges) / len(ranges)
        for a, b in itertools.combinations(range(len(values)), 2)
    ]


def test_randomised_tukey_is_near_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiple_comparisons, "AT_ONCE", 4 * 12 * 700)  # batches of 700
    values = np.array([[0.9, 0.5, 0.8, 0.7], [0.1, 0.4, 0.2, 0.5], [0.3, 0.3, 0.4, 0.3]])
    exact = np.array(randomised_by_hand(values))
    count = 20_000
    found = randomised_tukey(values, *np.triu_indices(3, 1), count=count, rng=generator()).p
    assert (np.abs(found - exact) <= 4 * np.sqrt(exact * (1 - exact) / count) + 1 / count).all()
    assert exact.min() < 0.1 < exact.max()


def test_randomised_tukey_of_two_systems_is_the_permutation_test() -> None:
    values = scores_at_random(2, 10)
    exact = permutation(values[:1] - values[1:], rng=generator())
    found = randomised_tukey(values, *np.triu_indices(2, 1), count=20_000, rng=generator()).p
    assert np.abs(found - exact) <= 4 * np.sqrt(exact * (1 - exact) / 20_000)


def test_randomised_tukey_keeps_the_familywise_error() -> None:
    """Of 400 families of five systems that are the same, 10 % have a pair with p ≤ 0.1."""
    rng = np.random.default_rng(0)
    first, second = np.triu_indices(5, 1)
    families, alpha, wrong, pairs_wrong = 400, 0.1, 0, 0
    for _ in range(families):
        values = rng.random((1, 8)) + rng.exponential(1, (5, 8))
        p = randomised_tukey(values, first, second, count=199, rng=rng).p
        wrong += int((p <= alpha).any())
        pairs_wrong += int((student_t(values[first] - values[second]) <= alpha).any())
    error = (alpha * (1 - alpha) / families) ** 0.5
    assert abs(wrong / families - alpha) < 3 * error
    assert pairs_wrong / families > 2 * alpha  # what no correction would have done


def test_randomised_tukey_shows_its_progress() -> None:
    seen: list[tuple[str, int | None]] = []

    def show(steps: Iterable[int], name: str, total: int | None) -> Iterable[int]:
        seen.append((name, total))
        return steps

    values, pairs = scores_at_random(), np.triu_indices(5, 1)
    with show_progress(show):
        shown = randomised_tukey(values, *pairs, count=300, rng=generator()).p
    assert seen == [("resamples", 1)]
    alone = randomised_tukey(values, *pairs, count=300, rng=generator()).p
    assert shown.tolist() == alone.tolist()


def both(values: Floats) -> list[Floats]:
    first, second = np.triu_indices(len(values), 1)
    tests = [tukey_hsd(values, first, second).p]
    return [*tests, randomised_tukey(values, first, second, count=199, rng=generator()).p]


def test_topics_without_all_systems_are_left_out() -> None:
    values = scores_at_random()
    wide = np.insert(values, 4, [0.5, np.nan, 3, 9, -2], axis=1)
    for found, expected in zip(both(wide), both(values), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_identical_systems_have_p_1() -> None:
    for found in both(np.tile(scores_at_random(1), (3, 1))):
        np.testing.assert_array_equal(found, 1.0)
    values = scores_at_random(4)
    values[1] = values[0]
    for found in both(values):
        assert found[0] == 1
        assert found[1] < 1
    for found in both(np.zeros((3, 5))):
        np.testing.assert_array_equal(found, 1.0)


def test_systems_that_are_apart_by_a_constant() -> None:
    values = scores_at_random(1) + np.array([[0.0], [0.1], [0.1], [0.4]])
    hsd, randomised = both(values)
    np.testing.assert_array_equal(hsd, [np.nan, np.nan, np.nan, 1, np.nan, np.nan])
    assert randomised[2] == 1 / 200
    found = tukey_hsd(values, *np.triu_indices(4, 1))
    assert np.isnan([found.low, found.high]).all()  # without error there is no variance


def intervals_by_hand(values: list[list[float]], alpha: float) -> list[tuple[float, float]]:
    """Simultaneous intervals of the two-way analysis, with scipy's quantile."""
    row, unit, freedom = by_hand(values)
    systems = len(values)
    reach = unit * float(stats.studentized_range.ppf(1 - alpha, systems, freedom))
    return [
        (row[a] - row[b] - reach, row[a] - row[b] + reach)
        for a, b in itertools.combinations(range(systems), 2)
    ]


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_tukeys_intervals_are_those_of_the_analysis_by_hand(alpha: float) -> None:
    values = scores_at_random()
    found = tukey_hsd(values, *np.triu_indices(5, 1), alpha=alpha)
    ends = np.stack([found.low, found.high], axis=1)
    np.testing.assert_allclose(ends, intervals_by_hand(values.tolist(), alpha), atol=1e-8)


def test_without_topics_effects_tukeys_intervals_are_nearly_scipys() -> None:
    """scipy's is of a one-way analysis: the same error, but for the degrees of freedom."""
    rng = np.random.default_rng(2)
    values = rng.normal(0, 1, (3, 400)) + np.array([[0.0], [0.1], [0.5]])
    found = tukey_hsd(values, *np.triu_indices(3, 1))
    one_way = stats.tukey_hsd(*values).confidence_interval(0.95)
    first, second = np.triu_indices(3, 1)
    np.testing.assert_allclose(found.low, one_way.low[first, second], atol=0.01)
    np.testing.assert_allclose(found.high, one_way.high[first, second], atol=0.01)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1, 0.3])
def test_an_interval_excludes_0_where_p_is_at_most_alpha(alpha: float) -> None:
    """On scores of few values too, of which many gaps are as large as many others."""
    rng = np.random.default_rng(6)
    excluded = 0
    for systems in (2, 3, 6):
        first, second = np.triu_indices(systems, 1)
        for _ in range(15):
            better = rng.integers(0, 4, (systems, 1))
            values = (better + rng.integers(0, 5, (systems, 9))) / 10
            tests: list[Simultaneous] = [
                tukey_hsd(values, first, second, alpha=alpha),
                randomised_tukey(values, first, second, alpha=alpha, count=199, rng=rng),
            ]
            for found in tests:
                outside = (found.low > 0) | (found.high < 0)
                np.testing.assert_array_equal(outside, found.p <= alpha)
                excluded += outside.sum()
    assert 20 < excluded < 1100


def test_too_few_permutations_leave_everything_possible() -> None:
    values = scores_at_random()
    found = randomised_tukey(values, *np.triu_indices(5, 1), count=9, rng=generator())
    assert (found.p > 0.05).all()
    assert np.isinf(found.low).all() and np.isinf(found.high).all()


def test_too_few_topics_or_systems() -> None:
    for values in (np.ones((3, 1)), np.full((3, 4), np.nan), np.ones((3, 0))):
        for found in both(values):
            assert np.isnan(found).tolist() == [True] * 3
    for found in both(scores_at_random(1)):
        assert found.shape == (0,)


def test_wrong_calls_are_told() -> None:
    with pytest.raises(CallError, match="`resamples` must be a whole number, 1 or more, not 0"):
        randomised_tukey(np.ones((2, 3)), *np.triu_indices(2, 1), count=0, rng=generator())


def test_one_system_has_no_studentised_range() -> None:
    assert np.isnan(critical_value(0.05, systems=1, freedom=20))
