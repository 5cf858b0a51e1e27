"""Error rates and coverage with clusters of topics and with several runs of a system.

    RANKWISE_DATA=... python benchmarks/clusters_and_seeds.py [TRIALS] [PART...]

The parts, which docs/statistics.md shows:

- `clusters`: differences of two systems, either normal or drawn from two TREC-8 runs (AP, less
  their mean), are the effect of their cluster plus their own; a share ρ of the variance is the
  cluster's. The true mean difference is 0.
- `seeds`: two systems with R runs each. The topic effects of the difference are drawn from two
  TREC-8 runs (AP, less their mean, sd 0.13); each run adds a normal effect of its own on all
  topics (sd of the column) and on each topic (sd 0.1). Without a true difference. Also ten
  systems of which all differences must be held, by Bonferroni intervals.
- `sizes`: the cluster-robust t-test on normal differences, by the effective number of clusters.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rankwise
from rankwise.stats import (
    allow_for_runs,
    cluster_values,
    effective_clusters,
    mean_interval,
    moments,
    paired,
    run_variances,
    t_interval_of,
)

ALPHA, SEED = 0.05, 32
RUNS = ("apl8n", "pir9Attd")


def trec_differences() -> np.ndarray:
    folder = Path(os.environ["RANKWISE_DATA"]) / "trec8"
    runs = {name: str(folder / "runs" / f"input.{name}.gz") for name in RUNS}
    value = rankwise.score(str(folder / "trec8.qrels.gz"), runs, "AP").value[0]
    return (value[1] - value[0]) - (value[1] - value[0]).mean()


def clusters(trials: int) -> None:
    rng = np.random.default_rng(SEED)
    populations = {"normal": rng.normal(0, 1, 100_000), "TREC-8 AP": trec_differences()}
    print(
        f"Share of p ≤ {ALPHA} where no run is better, and coverage of 95 % intervals: {trials:,}"
    )
    print(
        "| differences | clusters | sizes | ρ | t by topics | t | permutation | bootstrap ", end=""
    )
    print("| t interval | bootstrap interval |")
    for name, population in populations.items():
        for count in (6, 10, 25, 50):
            for sizes in ("4", "1–7", "1–30"):
                for share in (0.0, 0.3, 0.8):
                    cells = _clustered(population, count, sizes, share, trials, rng)
                    print(f"| {name} | {count} | {sizes} | {share:g} | {cells} |", flush=True)


def _sizes(sizes: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of topics of the clusters; 1–30: one topic in most, up to 30 in a few."""
    if sizes == "4":
        return np.full(count, 4)
    if sizes == "1–7":
        return rng.integers(1, 8, count)
    return np.where(rng.random(count) < 0.8, 1, rng.integers(2, 31, count))


def _clustered(
    population: np.ndarray,
    count: int,
    sizes: str,
    share: float,
    trials: int,
    rng: np.random.Generator,
) -> str:
    found: dict[str, list[np.ndarray]] = {}
    draws = 20  # settings of sizes
    for _ in range(draws):
        number = np.repeat(np.arange(count), _sizes(sizes, count, rng))
        shape = (trials // draws, len(number))
        common = rng.choice(population, (shape[0], count))[:, number]
        rows = np.sqrt(share) * common + np.sqrt(1 - share) * rng.choice(population, shape)
        of = cluster_values(rows, number)
        p = {
            "t by topics": paired.student_t(rows),
            "t": paired.student_t(of.linearised),
            "permutation": paired.permutation(of.sums, count=2_000, rng=rng),
            "bootstrap": paired.bootstrap(of.linearised, count=1_000, rng=rng),
        }
        for test, values in p.items():
            found.setdefault(test, []).append(values <= ALPHA)
        for method in ("t", "bootstrap"):
            low, high = mean_interval(of.linearised, 1 - ALPHA, method, rng)
            found.setdefault(f"{method} interval", []).append((low <= 0) & (high >= 0))
    return " | ".join(f"{np.concatenate(rates).mean():.3f}" for rates in found.values())


def seeds(trials: int) -> None:
    rng = np.random.default_rng(SEED)
    population = trec_differences()
    print(f"Share of p ≤ {ALPHA} by topics alone and over topics and runs; coverage: {trials:,}")
    print("| runs | topics | sd of a run | by topics | over both | interval | ten systems |")
    for runs in (2, 3, 5, 10):
        for topics in (25, 50, 200):
            for spread in (0.0, 0.005, 0.01, 0.03):
                found = [_seeded(population, 2, runs, topics, spread, rng) for _ in range(trials)]
                alone, both, held = np.array(found).mean(axis=0)
                ten = [
                    _seeded(population, 10, runs, topics, spread, rng)[2]
                    for _ in range(trials // 10)
                ]
                cells = f"{alone:.3f} | {both:.3f} | {held:.3f} | {np.mean(ten):.3f}"
                print(f"| {runs} | {topics} | {spread:g} | {cells} |", flush=True)


def _seeded(
    population: np.ndarray,
    systems: int,
    runs: int,
    topics: int,
    spread: float,
    rng: np.random.Generator,
) -> tuple[bool, bool, bool]:
    """Whether the first pair is significant by topics, over both, and all intervals hold 0."""
    base = rng.choice(population, (systems, 1, topics)) / np.sqrt(2)
    values = base + rng.normal(0, spread, (systems, runs, 1))
    values = values + rng.normal(0, 0.1, (systems, runs, topics))
    first, second = np.triu_indices(systems, 1)
    rows = paired.differences_of(values.mean(axis=1), first, second)
    found = allow_for_runs(moments(rows), [first, second], run_variances(list(values)))
    low, high = t_interval_of(found, 1 - ALPHA / len(first))
    alone = paired.student_t(rows[:1])[0] <= ALPHA
    return bool(alone), bool(found.p[0] <= ALPHA), bool(((low <= 0) & (high >= 0)).all())


def sizes(trials: int) -> None:
    rng = np.random.default_rng(5)
    found = []
    for count in (6, 8, 10, 15, 25, 50):
        for _ in range(60):
            single, largest = rng.uniform(0, 1), rng.integers(2, 40)
            each = np.where(rng.random(count) < single, 1, rng.integers(1, largest + 1, count))
            number, share = np.repeat(np.arange(count), each), rng.choice([0.2, 0.5, 1.0])
            rows = np.sqrt(share) * rng.normal(size=(trials, count))[:, number]
            rows += np.sqrt(1 - share) * rng.normal(size=(trials, len(number)))
            p = paired.student_t(cluster_values(rows, number).linearised)
            effective = effective_clusters(each[None].astype(float))[0]
            found.append((effective, (p <= ALPHA).mean()))
    table = np.array(found)
    print(f"| effective number | settings | mean share of p ≤ {ALPHA} | highest |, {trials:,} each")
    edges = (1, 2, 3, 4, 5, 6, 8, 12, 20, 51)
    for low, high in itertools.pairwise(edges):
        rates = table[(table[:, 0] >= low) & (table[:, 0] < high), 1]
        print(f"| {low}–{high} | {len(rates)} | {rates.mean():.3f} | {rates.max():.3f} |")


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000
    parts: dict[str, Callable[[int], None]] = {"clusters": clusters, "sizes": sizes, "seeds": seeds}
    for part in sys.argv[2:] or parts:
        start = time.time()
        parts[part](trials)
        print(f"{part}: {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
