"""Prediction-powered means and totals, from few expert (gold) labels and many cheap labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise.arrays import Floats


class PoweredMean(NamedTuple):
    """Estimate, weight of the predicted labels, and standard error of each row."""

    value: Floats
    weight: Floats
    error: Floats


def powered_mean(
    expert: Floats, cheap: Floats, cheap_only: Floats, *, ddof: int = 1
) -> PoweredMean:
    """Return the PPI++ estimate of the mean of the gold labels y, for each row.

    The estimate is λ mean(f̃) + mean(y − λ f). `expert` (the gold labels y) and `cheap` (the
    predicted labels f) have the same n units. `cheap_only` (f̃) has the predicted labels of N other
    units. The weight λ = cov(y, f) / ((1 + n/N) var(f)), limited to 0 to 1, minimises the variance
    λ² var(f̃) / N + var(y − λ f) / n (Angelopoulos, Duchi and Zrnic, PPI++, 2023). In large samples
    the variance is therefore at most the variance of the mean of the gold labels.

    >>> y, f = np.array([[0.0, 1.0, 2.0]]), np.array([[0.0, 1.0, 2.0]])
    >>> powered_mean(y, f, np.array([[1.0, 3.0, 5.0]])).value.round(4).tolist()
    [1.2083]
    """
    n, others = expert.shape[1], cheap_only.shape[1]
    centred = [side - side.mean(axis=1, keepdims=True) for side in (expert, cheap)]
    covariance = (centred[0] * centred[1]).mean(axis=1)
    together = np.concatenate([cheap, cheap_only], axis=1)
    variance = together.var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = covariance / ((1 + n / others) * variance)
    weight = np.clip(np.where(variance > 0, weight, 0.0), 0.0, 1.0)
    left = expert - weight[:, None] * cheap
    value = weight * cheap_only.mean(axis=1) + left.mean(axis=1)
    error = np.sqrt(
        weight**2 * cheap_only.var(axis=1, ddof=ddof) / others + left.var(axis=1, ddof=ddof) / n
    )
    return PoweredMean(value, weight, error)


def sampled_total(
    expert: Floats, cheap: Floats, cheap_total: Floats, probability: Floats, size: int
) -> PoweredMean:
    """Return the difference estimator of totals, for each row: λ V + N (ū − λ v̄).

    `expert` (u) are the gold labels and `cheap` (v) the predicted labels of the sampled units.
    `probability` has their inclusion probabilities π, and `cheap_total` (V) is the total of the
    predicted labels of all `size` (N) units. ū and v̄ are Hájek's means over the sample: a unit has
    weight 1/π (Horvitz and Thompson), and the sum is divided by the sum of these weights.

    The variance assumes that units are sampled independently. For a sample of n units the variance
    is n / (n − 2) × N² Σ (1 − π) (e/π)² / (Σ 1/π)², where e is u − λ v minus its mean. The divisor
    is n − 2 because the mean and λ are estimated. λ, limited to 0 to 1, minimises this variance. In
    large samples the variance is therefore at most the variance from the gold labels alone (λ = 0).
    See Särndal, Swensson and Wretman, Model Assisted Survey Sampling, 1992, chapters 5 and 6.

    >>> u, v = np.array([[1.0, 0.0, 2.0]]), np.array([[1.0, 1.0, 2.0]])
    >>> sampled_total(u, v, np.array([8.0]), np.full(3, 0.5), 6).value.round(4).tolist()
    [6.0]
    """
    share = 1 / probability
    scale = size / share.sum()
    means = [scale * (side @ share) / size for side in (expert, cheap)]
    centred = [side - mean[:, None] for side, mean in zip((expert, cheap), means, strict=True)]
    spread = (1 - probability) * share**2
    both, own = ((one * centred[1]) @ spread for one in centred)
    weight = np.clip(np.divide(both, own, out=np.zeros(len(own)), where=own > 0), 0.0, 1.0)
    left = centred[0] - weight[:, None] * centred[1]
    units = len(probability)
    variance = scale**2 * ((left**2) @ spread) * units / max(units - 2, 1)
    value = weight * cheap_total + size * (means[0] - weight * means[1])
    return PoweredMean(value, weight, np.sqrt(variance))
