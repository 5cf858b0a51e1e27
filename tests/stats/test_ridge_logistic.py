"""Logistic regression with effects of groups, against what the rows were made from."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.stats.ridge_logistic import RIDGE, VARIANCE, RidgeLogistic

GROUPS, ROWS = 60, 80
SHARED = np.array([-1.0, 0.8, -0.5])


def rows(rng: np.random.Generator, spread: float, groups: int = GROUPS) -> tuple[np.ndarray, ...]:
    """Columns, successes, groups, and the effects they were drawn with."""
    group = np.repeat(np.arange(groups), ROWS)
    columns = np.stack([np.ones(len(group)), *rng.standard_normal((2, len(group)))], axis=1)
    effects = spread * rng.standard_normal((groups, 2))
    odds = columns @ SHARED + (columns[:, :2] * effects[group]).sum(axis=1)
    return columns, rng.random(len(group)) < 1 / (1 + np.exp(-odds)), group, effects


def test_effects_are_found_again() -> None:
    columns, success, group, effects = rows(np.random.default_rng(1), 2.0)
    found = RidgeLogistic.fit(columns, success, group, GROUPS, 2)
    assert found.shared == pytest.approx(SHARED, abs=0.6)
    for at in range(2):
        assert np.corrcoef(found.effects[:, at], effects[:, at])[0, 1] > 0.9


def test_the_fit_is_the_mode_of_the_posterior_and_draws_have_its_curvature() -> None:
    """Against a general minimiser over all coefficients at once, of few groups."""
    groups = 3
    columns, success, group, _ = rows(np.random.default_rng(2), 1.0, groups)

    def loss(values: np.ndarray) -> float:
        shared, effects = values[:3], values[3:].reshape(groups, 2)
        odds = columns @ shared + (columns[:, :2] * effects[group]).sum(axis=1)
        fit = (np.logaddexp(0, odds) - success * odds).sum()
        return float(fit + RIDGE * (shared**2).sum() / 2 + (effects**2).sum() / VARIANCE / 2)

    mode = minimize(loss, np.zeros(3 + 2 * groups), options={"gtol": 1e-8}).x
    found = RidgeLogistic.fit(columns, success, group, groups, 2)
    assert found.shared == pytest.approx(mode[:3], abs=1e-3)
    assert found.effects.ravel() == pytest.approx(mode[3:], abs=1e-3)
    # The log-odds of a row are normal under the draws, with the variance that the curvature of
    # the whole posterior gives them.
    own = columns[:, :2]
    design = np.zeros((len(group), 3 + 2 * groups))
    design[:, :3] = columns
    for at in range(groups):
        design[:, 3 + 2 * at : 5 + 2 * at] = own * (group == at)[:, None]
    p = 1 / (1 + np.exp(-design @ mode))
    prior = np.array([RIDGE] * 3 + [1 / VARIANCE] * 2 * groups)
    covariance = np.linalg.inv((design * (p * (1 - p))[:, None]).T @ design + np.diag(prior))
    rng, some = np.random.default_rng(3), np.array([0, 90, 170])
    drawn = np.array([found.draw(columns[some], group[some], rng) for _ in range(4000)])
    variance = np.log(drawn / (1 - drawn)).var(axis=0)
    assert variance == pytest.approx(
        [design[row] @ covariance @ design[row] for row in some], rel=0.1
    )


def test_draws_hold_the_truth_as_often_as_they_should() -> None:
    held = []
    for seed in range(4):
        columns, success, group, effects = rows(np.random.default_rng(seed), VARIANCE**0.5)
        found = RidgeLogistic.fit(columns, success, group, GROUPS, 2)
        new = np.tile([1.0, 1.0, 0.0], (GROUPS, 1))
        rng, every = np.random.default_rng(9), np.arange(GROUPS)
        drawn = np.array([found.draw(new, every, rng) for _ in range(200)])
        odds = new @ SHARED + effects.sum(axis=1)
        low, high = np.quantile(drawn, [0.05, 0.95], axis=0)
        truth = 1 / (1 + np.exp(-odds))
        held.append(((truth >= low) & (truth <= high)).mean())
    assert 0.82 <= np.mean(held) <= 0.97


def test_a_column_that_does_not_vary_does_no_harm() -> None:
    columns, success, group, _ = rows(np.random.default_rng(3), 0.5)
    columns = np.concatenate([columns, np.zeros((len(columns), 1))], axis=1)
    found = RidgeLogistic.fit(columns, success, group, GROUPS, 2)
    assert found.shared[-1] == pytest.approx(0) and np.isfinite(found.effects).all()


@pytest.mark.parametrize("successes", ["none", "all", "separable"])
def test_rows_that_are_separable_have_finite_coefficients(successes: str) -> None:
    columns, success, group, _ = rows(np.random.default_rng(4), 0.5)
    success = {"none": success & False, "all": success | True, "separable": columns[:, 1] > 0}[
        successes
    ]
    found = RidgeLogistic.fit(columns, success, group, GROUPS, 2)
    drawn = found.draw(columns, group, np.random.default_rng(1))
    assert np.isfinite(drawn).all() and np.abs(drawn - success).mean() < 0.1
