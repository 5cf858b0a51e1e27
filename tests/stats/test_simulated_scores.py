"""Scores of equal systems, and of systems that differ by a known amount."""

import numpy as np
import pytest
from scipy import stats

from rankwise.stats.simulated_scores import (
    copula_uniforms,
    normal_scores_correlation,
    permuted_scores,
    quantiles,
    tilted_weights,
)


def test_permuted_scores_stay_on_their_topic() -> None:
    rng = np.random.default_rng(1)
    values = rng.random((3, 40))
    found = permuted_scores(values, rng)
    assert (np.sort(found, axis=0) == np.sort(values, axis=0)).all()
    assert (found != values).any()
    many = np.array([permuted_scores(values, rng).mean(axis=1) for _ in range(4_000)])
    assert many.mean(axis=0) == pytest.approx([values.mean()] * 3, abs=0.004)


def test_the_correlation_is_that_of_normal_scores() -> None:
    rng = np.random.default_rng(2)
    values = rng.random((3, 50)).round(1)
    scores = [stats.norm.ppf(stats.rankdata(row) / 51) for row in values]
    assert normal_scores_correlation(values) == pytest.approx(np.corrcoef(scores))


def test_uniforms_have_the_dependence_of_the_copula() -> None:
    rng = np.random.default_rng(3)
    wanted = np.array([[1.0, 0.7, 0.2], [0.7, 1.0, -0.3], [0.2, -0.3, 1.0]])
    drawn = copula_uniforms(wanted, 50_000, rng)
    for row in drawn:
        assert stats.kstest(row, "uniform").statistic < 0.01
    assert np.corrcoef(stats.norm.ppf(drawn)) == pytest.approx(wanted, abs=0.02)
    singular = copula_uniforms(np.ones((2, 2)), 100, rng)
    assert singular[0] == pytest.approx(singular[1])


@pytest.mark.parametrize("shift", [-0.2, 0.01, 0.1, 0.35])
def test_tilted_scores_have_the_mean_that_was_asked_for(shift: float) -> None:
    scores = np.random.default_rng(4).beta(2, 3, 60)
    weights = tilted_weights(scores, shift)
    assert weights is not None
    assert weights @ scores == pytest.approx(scores.mean() + shift, abs=1e-9)
    log = np.log(weights)
    order = np.argsort(scores)
    slope = np.diff(log[order]) / np.diff(scores[order])
    assert slope == pytest.approx(np.full(59, slope[0]), rel=1e-4)  # exponential in the score
    assert tilted_weights(scores, 0.9) is None
    assert tilted_weights(np.full(5, 0.5), 0.1) is None
    assert tilted_weights(scores, 0) == pytest.approx(np.full(60, 1 / 60))


def test_quantiles_give_each_score_its_weight() -> None:
    scores, weights = np.array([0.5, 0.0, 1.0]), np.array([0.5, 0.2, 0.3])
    found = quantiles(scores, weights, (np.arange(10_000) + 0.5) / 10_000)
    assert [(found == score).mean() for score in scores] == pytest.approx(weights.tolist())
    assert quantiles(scores, weights, np.array([0.0, 1.0])).tolist() == [0.0, 1.0]
