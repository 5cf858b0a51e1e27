"""Totals of a finite population from a probability sample, with the help of cheap values."""

from __future__ import annotations

import numpy as np

from rankwise.arrays import Floats
from rankwise.stats.prediction_powered import PoweredMean


def sampled_total(
    careful: Floats, cheap: Floats, cheap_total: Floats, probability: Floats, size: int
) -> PoweredMean:
    """Difference estimator of totals, in rows: λ V + N (ū − λ v̄), Hájek's means over the sample.

    `careful` (u) and `cheap` (v) are of the sampled units, `probability` their inclusion
    probabilities π, `cheap_total` (V) of all `size` (N) units. The means weigh a unit by 1/π
    (Horvitz and Thompson) and divide by the sum of these weights (Hájek). The variance is that of
    units that are sampled independently, N² Σ (1 − π) (e/π)² / (Σ 1/π)², e = u − λ v less its
    mean, times n / (n − 2): one degree of freedom for the mean, one for λ. λ, within 0 to 1,
    minimises it, so that in large samples the estimate is never worse than that from the careful
    values alone (λ = 0).
    Särndal, Swensson and Wretman, Model Assisted Survey Sampling, 1992, chapters 5 and 6.

    >>> u, v = np.array([[1.0, 0.0, 2.0]]), np.array([[1.0, 1.0, 2.0]])
    >>> sampled_total(u, v, np.array([8.0]), np.full(3, 0.5), 6).value.round(4).tolist()
    [6.0]
    """
    share = 1 / probability
    scale = size / share.sum()
    means = [scale * (side @ share) / size for side in (careful, cheap)]
    centred = [side - mean[:, None] for side, mean in zip((careful, cheap), means, strict=True)]
    spread = (1 - probability) * share**2
    both, own = ((one * centred[1]) @ spread for one in centred)
    weight = np.clip(np.divide(both, own, out=np.zeros(len(own)), where=own > 0), 0.0, 1.0)
    left = centred[0] - weight[:, None] * centred[1]
    units = len(probability)
    variance = scale**2 * ((left**2) @ spread) * units / max(units - 2, 1)
    value = weight * cheap_total + size * (means[0] - weight * means[1])
    return PoweredMean(value, weight, np.sqrt(variance))
