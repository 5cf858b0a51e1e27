"""Error rates of `rankwise gate` by simulation, for docs/gate.md.

Paired differences of n topics are drawn from three populations: normal; the differences of two
TREC-8 runs on 50 topics, with replacement; and skewed, 10 % of the topics losing 0.5 and the
others nothing. Each is shifted to a true mean difference of −margin or of 0. A rate is the share
of samples on which the confidence interval decides; predicted is the chance that the gate prints,
at the true standard deviation. Intervals are those of the gate: Student's t of differences, cut at
±1, and beside --min the logit interval of the candidate's mean, where scores of a run are drawn.

    RANKWISE_DATA=… python benchmarks/gate_error_rates.py
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import rankwise
from rankwise.arrays import Floats
from rankwise.stats import chance_if_equal, mean_interval

SAMPLES, SEED = 100_000, 32
TOPICS, MARGINS = (25, 50, 200), (0.02, 0.05)
RUNS = ("apl8n", "pir9Attd")


def populations() -> dict[str, Floats | None]:
    """Return the differences to draw from; None is the normal distribution with sd 0.2."""
    skewed = np.where(np.arange(1000) < 100, -0.5, 0.0)
    found: dict[str, Floats | None] = {"normal, sd 0.2": None}
    folder = Path(os.environ["RANKWISE_DATA"]) / "trec8"
    runs = {name: str(folder / "runs" / f"input.{name}.gz") for name in RUNS}
    scores = rankwise.score(str(folder / "trec8.qrels.gz"), runs, ["AP", "nDCG@10"])
    for metric, value in zip(scores.metrics, scores.value, strict=True):
        found[f"TREC-8, {metric}"] = value[1] - value[0]
    return found | {"10 % of topics lose 0.5": skewed}


def drawn(population: Floats | None, topics: int, rng: np.random.Generator) -> Floats:
    """Return samples × topics with a true mean of 0."""
    if population is None:
        return rng.normal(0, 0.2, (SAMPLES, topics))
    return rng.choice(population - population.mean(), (SAMPLES, topics))


def main() -> None:
    rng = np.random.default_rng(SEED)
    print(f"{SAMPLES:,} samples each, seed {SEED}; rates in %")
    print(
        "| differences | topics | margin | drop = margin: passes | drop = margin: fails "
        "| equal: passes | predicted | equal: fails | equal: --significant fails |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, population in populations().items():
        sd = 0.2 if population is None else float(population.std())
        for topics in TOPICS:
            sample = drawn(population, topics, rng)
            shift = 0.0 if population is None else float(population.mean())
            low, high = mean_interval(sample + shift, 0.95, "t", rng, -1.0, 1.0)
            low, high = low - shift, high - shift  # cut where real differences end
            known = np.isfinite(low)  # without variance the gate is inconclusive
            for margin in MARGINS:
                rates = [
                    known & (low - margin > -margin),
                    known & (high - margin < -margin),
                    known & (low > -margin),
                    np.full(1, chance_if_equal(margin / sd, topics, 0.05)),
                    known & (high < -margin),
                    known & (high < 0),
                ]
                shown = " | ".join(f"{100 * rate.mean():.1f}" for rate in rates)
                print(f"| {name} | {topics} | {margin:g} | {shown} |")
    floors(rng)


def floors(rng: np.random.Generator) -> None:
    """Print how often the interval beside --min is above, below and around the true mean."""
    folder = Path(os.environ["RANKWISE_DATA"])
    print("| scores | true mean | topics | above | below | around it | no variance |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, run in (("trec8", "input.apl8n.gz"), ("dl19", None)):
        runs = sorted((folder / name / "runs").iterdir())
        path = folder / name / "runs" / run if run else runs[0]
        qrels = str(folder / name / f"{name}.qrels.gz")
        scores = rankwise.score(qrels, str(path), ["AP", "nDCG@10", "RR"])
        for metric, value in zip(scores.metrics, scores.value, strict=True):
            known = value[0][np.isfinite(value[0])]
            for topics in TOPICS:
                sample = rng.choice(known, (SAMPLES, topics))
                low, high = mean_interval(sample, 0.95, "logit", rng, 0.0, 1.0)
                above, below = low > known.mean(), high < known.mean()
                rates = [above, below, ~above & ~below, np.isnan(low)]
                shown = " | ".join(f"{100 * rate.mean():.1f}" for rate in rates)
                what = f"{name} {scores.runs[0]}, {metric} | {known.mean():.3f} | {topics}"
                print(f"| {what} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
