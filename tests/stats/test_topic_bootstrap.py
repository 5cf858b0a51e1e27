"""Statistics under resampled topics: as if each resample were computed by itself."""

import numpy as np
import pytest
from scipy import stats

from rankwise.stats import drawn_topics, tukey_hsd
from rankwise.stats.intervals import moments
from rankwise.stats.multiple_comparisons import critical_value
from rankwise.stats.topic_bootstrap import (
    difference_p,
    resampled_means,
    tukey_pairs,
)


def test_pairs_are_those_of_tukey_on_each_resample() -> None:
    rng = np.random.default_rng(1)
    values = rng.random((6, 15)) + np.linspace(0, 0.9, 6)[:, None]
    draws = np.vstack([np.ones(15), drawn_topics(15, 20, rng), 2 * np.ones(15)])
    first, second = np.triu_indices(6, 1)
    expected = []
    for row in draws.astype(int):
        p = tukey_hsd(np.repeat(values, row, axis=1), first, second).p
        expected.append((p <= 0.05).sum())
    assert tukey_pairs(values, draws, 0.05).tolist() == expected
    assert 0 < expected[0] < 15 and len(set(expected)) > 2


def test_no_variance_and_one_topic_separate_no_pair() -> None:
    constant = np.arange(3.0)[:, None] + np.zeros(4)
    assert tukey_pairs(constant, np.ones((1, 4)), 0.05).tolist() == [0]
    draws = np.zeros((1, 4))
    draws[0, 0] = 1
    assert tukey_pairs(np.random.default_rng(2).random((3, 4)), draws, 0.05).tolist() == [0]


def test_means_leave_out_undefined_topics() -> None:
    values = np.array([[0.1, np.nan, 0.4], [0.2, 0.3, np.nan]])
    draws = np.array([[1.0, 1, 1], [2, 0, 1], [0, 3, 0]])
    found = resampled_means(values, draws)
    assert found[0] == pytest.approx([0.25, 0.2, np.nan], nan_ok=True)
    assert found[1] == pytest.approx([0.25, 0.2, 0.3])


def test_deviations_leave_out_nan() -> None:
    found = moments(np.array([[1.0, 2, np.nan, 4], [1, np.nan, np.nan, np.nan]])).sd
    assert found == pytest.approx([np.std([1, 2, 4], ddof=1), np.nan], nan_ok=True)


def test_p_of_a_difference_is_that_of_the_z_test() -> None:
    resampled = np.random.default_rng(4).normal(0, 2, 500)
    expected = 2 * stats.norm.sf(3 / resampled.std(ddof=1))
    assert difference_p(-3.0, resampled) == pytest.approx(expected)
    assert difference_p(0.0, np.zeros(9)) == 1.0
    assert np.isnan(difference_p(1.0, np.zeros(9)))


def test_a_difference_at_the_critical_value_counts_in_spite_of_rounding() -> None:
    errors = np.array([0.3, -0.1, 0.05, -0.35, 0.1])
    topics, draws = len(errors), np.ones((1, len(errors)))
    variance = (errors**2).sum() / (topics - 1) / 2
    at = critical_value(0.05, 2, topics - 1) * np.sqrt(variance / topics)
    for difference, pairs in ((at, 1), (at * (1 + 1e-9), 1), (at * (1 - 1e-9), 0)):
        values = np.stack([np.full(topics, 0.5), 0.5 + difference + errors - errors.mean()])
        assert tukey_pairs(values, draws, 0.05).tolist() == [pairs]
