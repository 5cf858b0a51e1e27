"""Prediction-powered means: few careful values, many cheap ones (Angelopoulos et al. 2023)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankwise.arrays import Floats


class PoweredMean(NamedTuple):
    """Estimates, one for each row, the weight of the cheap values, and standard errors."""

    value: Floats
    weight: Floats
    error: Floats


def powered_mean(
    careful: Floats, cheap: Floats, cheap_only: Floats, *, ddof: int = 1
) -> PoweredMean:
    """PPI++ estimate of the mean of the careful values, in rows: λ f̃ + mean(y − λ f).

    `careful` (y) and `cheap` (f) are of the same n units, `cheap_only` of N others. The weight
    λ = cov(y, f) / ((1 + n/N) var(f)), within 0 to 1, minimises the variance
    λ² var(f̃) / N + var(y − λ f) / n (Angelopoulos, Duchi and Zrnic, PPI++, 2023), so that in
    large samples the estimate is never worse than the mean of the careful values alone.

    >>> y, f = np.array([[0.0, 1.0, 2.0]]), np.array([[0.0, 1.0, 2.0]])
    >>> powered_mean(y, f, np.array([[1.0, 3.0, 5.0]])).value.round(4).tolist()
    [1.2083]
    """
    n, others = careful.shape[1], cheap_only.shape[1]
    centred = [side - side.mean(axis=1, keepdims=True) for side in (careful, cheap)]
    covariance = (centred[0] * centred[1]).mean(axis=1)
    together = np.concatenate([cheap, cheap_only], axis=1)
    variance = together.var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = covariance / ((1 + n / others) * variance)
    weight = np.clip(np.where(variance > 0, weight, 0.0), 0.0, 1.0)
    left = careful - weight[:, None] * cheap
    value = weight * cheap_only.mean(axis=1) + left.mean(axis=1)
    error = np.sqrt(
        weight**2 * cheap_only.var(axis=1, ddof=ddof) / others + left.var(axis=1, ddof=ddof) / n
    )
    return PoweredMean(value, weight, error)
