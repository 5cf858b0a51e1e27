"""Logistic regression with effects of groups, against what the rows were made from."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.stats.mixed_logistic import RIDGE, MixedLogistic

GROUPS, ROWS = 60, 80


def rows(rng: np.random.Generator, spread: float) -> tuple[np.ndarray, ...]:
    """Columns, successes, groups, and the effects they were drawn with."""
    group = np.repeat(np.arange(GROUPS), ROWS)
    columns = np.stack([np.ones(len(group)), *rng.standard_normal((2, len(group)))], axis=1)
    effects = spread * rng.standard_normal((GROUPS, 2))
    odds = columns @ [-1.0, 0.8, -0.5] + (columns[:, :2] * effects[group]).sum(axis=1)
    return columns, rng.random(len(group)) < 1 / (1 + np.exp(-odds)), group, effects


def test_effects_are_found_again() -> None:
    columns, success, group, effects = rows(np.random.default_rng(1), 1.0)
    found = MixedLogistic.fit(columns, success, group, GROUPS, 2)
    assert found.shared == pytest.approx([-1.0, 0.8, -0.5], abs=0.3)
    for at in range(2):
        assert np.corrcoef(found.effects[:, at], effects[:, at])[0, 1] > 0.8


def test_without_differences_between_groups_it_is_logistic_regression() -> None:
    columns, success, group, _ = rows(np.random.default_rng(2), 0.0)

    def loss(shared: np.ndarray) -> float:
        odds = columns @ shared
        fit = np.logaddexp(0, odds) - success * odds
        return float(fit.sum() + RIDGE * (shared**2).sum() / 2)

    plain = minimize(loss, np.zeros(3)).x
    found = MixedLogistic.fit(columns, success, group, GROUPS, 2)
    assert found.shared == pytest.approx(plain, abs=0.1)
    assert np.abs(found.effects).max() < 0.5


def test_draws_hold_the_truth_as_often_as_they_should() -> None:
    held = []
    for seed in range(4):
        columns, success, group, effects = rows(np.random.default_rng(seed), 0.7)
        found = MixedLogistic.fit(columns, success, group, GROUPS, 2)
        new = np.tile([1.0, 1.0, 0.0], (GROUPS, 1))
        rng, every = np.random.default_rng(9), np.arange(GROUPS)
        drawn = np.array([found.draw(new, every, rng) for _ in range(200)])
        odds = new @ [-1.0, 0.8, -0.5] + effects.sum(axis=1)
        low, high = np.quantile(drawn, [0.05, 0.95], axis=0)
        truth = 1 / (1 + np.exp(-odds))
        held.append(((truth >= low) & (truth <= high)).mean())
    assert 0.82 <= np.mean(held) <= 0.97


def test_a_column_that_does_not_vary_does_no_harm() -> None:
    columns, success, group, _ = rows(np.random.default_rng(3), 0.5)
    columns = np.concatenate([columns, np.zeros((len(columns), 1))], axis=1)
    found = MixedLogistic.fit(columns, success, group, GROUPS, 2)
    assert found.shared[-1] == pytest.approx(0) and np.isfinite(found.effects).all()
