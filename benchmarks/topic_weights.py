"""Level and coverage of Student's t on weighted topics by simulation, for docs/statistics.md.

Differences by topic are normal with standard deviation 0.2 around the true difference; weights
are 1 / rank (Zipf) or lognormal. The interval is that of `compare --weights`.

    python benchmarks/topic_weights.py
"""

from __future__ import annotations

import numpy as np

from rankwise import Scores
from rankwise.arrays import Floats
from rankwise.stats import t_interval

REPETITIONS, SEED, SPREAD = 100_000, 32, 0.2


def covered(sample: Floats, share: Floats, true: float) -> float:
    """Return the percentage of intervals that contain the true weighted mean."""
    weighted = Scores(
        metrics=(),
        runs=(),
        topics=(),
        value=(sample * share)[None],
        relative_weights=np.broadcast_to(share, sample.shape)[None],
    )
    low, high = t_interval(weighted.pseudo_values[0], 0.95)
    return float(100 * ((low <= true) & (high >= true)).mean())


def main() -> None:
    rng = np.random.default_rng(SEED)
    print(f"{REPETITIONS:,} repetitions each, seed {SEED}; 95 % intervals, in %")
    print("| weights | topics | effective topics | equal: significant |", end="")
    print(" equal and skewed: significant | difference 0.05: covered |", end="")
    print(" weights drawn, difference falls with weight: covered |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name in ("equal", "lognormal", "1 / rank"):
        for topics in (25, 50, 200):
            rank = np.arange(1.0, topics + 1)
            drawn = np.exp(rng.normal(size=topics))
            weights = {"equal": np.ones(topics), "lognormal": drawn, "1 / rank": 1 / rank}[name]
            share = weights / weights.mean()
            sample = rng.normal(0, SPREAD, (REPETITIONS, topics))
            equal = covered(sample, share, 0.0)
            skewed = covered(rng.exponential(SPREAD, sample.shape) - SPREAD, share, 0.0)
            moved = covered(sample + 0.05, share, 0.05)
            # A new sample of topics each time, each with its weight; differences of 0.1 / weight
            # make products that hardly vary.
            if name == "1 / rank":
                each = 1 / rng.integers(1, topics + 1, (REPETITIONS, topics))
                true = 0.1 / (1 / rank).mean()
            else:
                spread = 0.0 if name == "equal" else 1.0
                each = np.exp(spread * rng.normal(size=(REPETITIONS, topics)))
                true = 0.1 / np.exp(spread / 2)
            shares = each / each.mean(axis=1, keepdims=True)
            falling = covered(sample / 4 + 0.1 / each, shares, true)
            effective = weights.sum() ** 2 / (weights**2).sum()
            rates = f"{100 - equal:.1f} | {100 - skewed:.1f} | {moved:.1f} | {falling:.1f}"
            print(f"| {name} | {topics} | {effective:.0f} | {rates} |")


if __name__ == "__main__":
    main()
