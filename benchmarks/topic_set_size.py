"""Topic set size design, tried: power and interval width of simulated experiments.

python benchmarks/topic_set_size.py [REPETITIONS]

Scores are system + topic + normal error. For each design the number of topics is computed for
power 0.8 (or a width), then experiments of that size are drawn. Prints a table in Markdown.
"""

import sys

import numpy as np
from scipy import stats

from rankwise.stats.power import (
    anova_topics,
    equivalence_topics,
    t_test_topics,
    width_topics,
)

ALPHA, POWER, SEED, SYSTEMS = 0.05, 0.8, 0, 5
CASES = ((0.02, 0.1), (0.04, 0.1), (0.04, 0.05))  # residual variance, and the goal


def main(repeats: int) -> None:
    rng = np.random.default_rng(SEED)
    print("| design | variance | goal | topics | reached |")
    print("|---|---:|---:|---:|---:|")
    levels = {"alpha": ALPHA, "power": POWER}
    for variance, goal in CASES:
        n = int(t_test_topics(goal, 2 * variance, **levels))
        d = rng.normal(goal, np.sqrt(2 * variance), (repeats, n))
        _row("t-test", variance, goal, n, (stats.ttest_1samp(d, 0, axis=1).pvalue <= ALPHA).mean())
        n = int(anova_topics(goal, variance, SYSTEMS, paired=True, **levels))
        found = [_two_way(rng, goal, variance, n) <= ALPHA for _ in range(repeats)]
        reached = sum(found) / repeats
        _row("two-way ANOVA, 5 systems", variance, goal, n, reached)
        n = int(width_topics(goal, 2 * variance, alpha=ALPHA))
        d = rng.normal(0, np.sqrt(2 * variance), (repeats, n))
        width = 2 * stats.t.isf(ALPHA / 2, n - 1) * stats.sem(d, axis=1)
        _row("interval", variance, goal, n, width.mean())
        n = int(equivalence_topics(goal, 2 * variance, **levels))
        d = rng.normal(0, np.sqrt(2 * variance), (repeats, n))
        reach = stats.t.isf(ALPHA, n - 1) * stats.sem(d, axis=1)
        _row("equivalence", variance, goal, n, (np.abs(d.mean(axis=1)) + reach < goal).mean())
    print(f"\n{repeats:,} repetitions of each, seed {SEED}.")


def _two_way(rng: np.random.Generator, difference: float, variance: float, topics: int) -> float:
    """p-value of the F-test of systems, paired by topic, in one simulated experiment."""
    systems = np.zeros((SYSTEMS, 1))
    systems[0], systems[-1] = -difference / 2, difference / 2
    values = systems + rng.normal(0, 0.2, topics)
    values = values + rng.normal(0, np.sqrt(variance), values.shape)
    between = topics * values.mean(axis=1).var(ddof=1)
    off = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    error = (off**2).sum() / ((SYSTEMS - 1) * (topics - 1))
    return float(stats.f.sf(between / error, SYSTEMS - 1, (SYSTEMS - 1) * (topics - 1)))


def _row(design: str, variance: float, goal: float, topics: int, reached: float) -> None:
    print(f"| {design} | {variance} | {goal} | {topics} | {reached:.4f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
