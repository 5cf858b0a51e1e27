"""Coverage of the intervals of `rankwise collections` by simulation, for docs/statistics.md.

K data sets are drawn: the true difference of two runs on a data set is normal around 0.02 with
standard deviation tau. Each data set has 50 to 300 topics. Differences by topic are normal with
standard deviation 0.2, or skewed: 90 % are 0, the others come from an exponential distribution.
Covered is the true mean over all data sets (both levels), and the mean of these data sets
(topics). `naive` pools all topics as one sample.

    python benchmarks/collections_coverage.py
"""

from __future__ import annotations

import numpy as np
from scipy import stats

REPETITIONS, SEED, TRUE, SPREAD = 20_000, 32, 0.02, 0.2


def differences(true: float, topics: int, skewed: bool, rng: np.random.Generator) -> np.ndarray:
    if not skewed:
        return rng.normal(true, SPREAD, topics)
    moved = rng.random(topics) < 0.1
    # A mixture with mean 0 and standard deviation 0.2.
    scale = SPREAD / np.sqrt(0.1 * 2 - 0.01)
    return true + np.where(moved, rng.exponential(scale, topics), 0.0) - 0.1 * scale


def covered(sets: int, tau: float, skewed: bool, rng: np.random.Generator) -> np.ndarray:
    truths = rng.normal(TRUE, tau, sets)
    sizes = rng.integers(50, 301, sets)
    samples = [differences(t, n, skewed, rng) for t, n in zip(truths, sizes, strict=True)]
    means = np.array([sample.mean() for sample in samples])
    both = stats.t.ppf(0.975, sets - 1) * means.std(ddof=1) / np.sqrt(sets)
    of_means = np.array([sample.var(ddof=1) for sample in samples]) / sizes
    degrees = of_means.sum() ** 2 / (of_means**2 / (sizes - 1)).sum()
    fixed = stats.t.ppf(0.975, degrees) * np.sqrt(of_means.sum()) / sets
    pooled = np.concatenate(samples)
    naive = 1.96 * pooled.std(ddof=1) / np.sqrt(len(pooled))
    return np.array(
        [
            abs(means.mean() - TRUE) <= both,
            abs(means.mean() - truths.mean()) <= fixed,
            abs(means.mean() - TRUE) <= fixed,
            abs(pooled.mean() - TRUE) <= naive,
        ]
    )


def main() -> None:
    print(f"{REPETITIONS:,} repetitions each, seed {SEED}; coverage of 95 % intervals in %")
    print(
        "| data sets | tau | topics | conf: true mean | topics: mean of these data sets |", end=""
    )
    print(" topics: true mean | all topics as one sample |")
    print("|--:|--:|---|--:|--:|--:|--:|")
    rng = np.random.default_rng(SEED)
    for sets in (3, 6, 14):
        for tau in (0.0, 0.02, 0.05):
            for skewed in (False, True):
                found = [covered(sets, tau, skewed, rng) for _ in range(REPETITIONS)]
                rates = " | ".join(f"{100 * rate:.1f}" for rate in np.mean(found, axis=0))
                print(f"| {sets} | {tau:g} | {'skewed' if skewed else 'normal'} | {rates} |")


if __name__ == "__main__":
    main()
