"""Totals from a probability sample, against a plain loop and many samples."""

import numpy as np
import pytest

from rankwise.stats import sampled_total


def test_the_estimate_is_that_of_a_plain_loop() -> None:
    rng = np.random.default_rng(1)
    u, v, chance = rng.random(9), rng.random(9), rng.uniform(0.1, 0.9, 9)
    total, size = 20.0, 40
    shares = [1 / p for p in chance]
    mean_u = sum(x * s for x, s in zip(u, shares, strict=True)) / sum(shares)
    mean_v = sum(x * s for x, s in zip(v, shares, strict=True)) / sum(shares)
    spread = [(1 - p) / p**2 for p in chance]
    both = sum(q * (a - mean_u) * (b - mean_v) for q, a, b in zip(spread, u, v, strict=True))
    own = sum(q * (b - mean_v) ** 2 for q, b in zip(spread, v, strict=True))
    weight = min(max(both / own, 0), 1)
    left = [a - mean_u - weight * (b - mean_v) for a, b in zip(u, v, strict=True)]
    variance = (size / sum(shares)) ** 2 * 9 / 7
    variance *= sum(q * e**2 for q, e in zip(spread, left, strict=True))
    found = sampled_total(u[None], v[None], np.array([total]), chance, size)
    assert found.weight[0] == pytest.approx(weight)
    assert found.value[0] == pytest.approx(weight * total + size * (mean_u - weight * mean_v))
    assert found.error[0] == pytest.approx(np.sqrt(variance))


def test_over_many_samples_the_estimate_is_unbiased_and_the_error_is_right() -> None:
    """Eighty units, each sampled or not."""
    rng = np.random.default_rng(2)
    u = rng.random(80)
    v = u + 0.2 * rng.standard_normal(80) + 0.3  # cheap values: biased, and close
    chance = rng.uniform(0.2, 0.8, 80)
    values, variances, alone = [], [], []
    for _ in range(4000):
        some = rng.random(80) < chance
        arguments = (np.array([v.sum()]), chance[some], 80)
        found = sampled_total(u[None, some], v[None, some], *arguments)
        own = sampled_total(u[None, some], 0 * v[None, some], *arguments)
        values.append(found.value[0])
        variances.append(found.error[0] ** 2)
        alone.append(own.value[0])
    variance = np.var(values)
    assert np.mean(values) == pytest.approx(u.sum(), abs=0.1 * np.sqrt(variance))
    assert np.mean(variances) == pytest.approx(variance, rel=0.15)
    assert variance < 0.8 * np.var(alone)


def test_everything_sampled_is_exact() -> None:
    u, v = np.array([[1.0, 2.0, 4.0]]), np.array([[0.0, 2.0, 2.0]])
    found = sampled_total(u, v, np.array([4.0]), np.ones(3), 3)
    assert found.value[0] == pytest.approx(7.0) and found.error[0] == 0
