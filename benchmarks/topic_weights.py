"""Level and coverage of Student's t on weighted topics by simulation, for docs/statistics.md.

Differences by topic are normal with standard deviation 0.2 around the true difference; weights
are 1 / rank (Zipf) or lognormal. The interval is that of `compare --weights`.

    python benchmarks/topic_weights.py
"""

from __future__ import annotations

import numpy as np

from rankwise.stats import t_interval

REPETITIONS, SEED, SPREAD = 100_000, 32, 0.2


def main() -> None:
    rng = np.random.default_rng(SEED)
    print(f"{REPETITIONS:,} repetitions each, seed {SEED}; 95 % intervals, in %")
    print("| weights | topics | effective topics | equal: significant | covered |", end="")
    print(" difference 0.05: covered | mean width / linearised |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name in ("equal", "lognormal", "1 / rank"):
        for topics in (25, 50, 200):
            rank = np.arange(1.0, topics + 1)
            drawn = np.exp(rng.normal(size=topics))
            weights = {"equal": np.ones(topics), "lognormal": drawn, "1 / rank": 1 / rank}[name]
            share = weights / weights.mean()
            sample = rng.normal(0, SPREAD, (REPETITIONS, topics))
            low, high = t_interval(sample * share, 0.95)
            equal = 100 * ((low <= 0) & (high >= 0)).mean()
            sample += 0.05
            low, high = t_interval(sample * share, 0.95)
            moved = 100 * ((low <= 0.05) & (high >= 0.05)).mean()
            mean = (sample * share).mean(axis=1, keepdims=True)
            narrow, wide = t_interval(mean + share * (sample - mean), 0.95)
            ratio = (high - low).mean() / (wide - narrow).mean()
            effective = weights.sum() ** 2 / (weights**2).sum()
            rates = f"{100 - equal:.1f} | {equal:.1f} | {moved:.1f} | {ratio:.3f}"
            print(f"| {name} | {topics} | {effective:.0f} | {rates} |")


if __name__ == "__main__":
    main()
