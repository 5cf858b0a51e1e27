"""How long `discriminate` takes for one metric: 129 systems × 50 topics, 8,256 pairs, B = 1,000.

The scores are AP of TREC-8 where RANKWISE_DATA is set, else made up from a fixed seed. For
scale, beside each method stands a plain NumPy loop over pairs and resamples, timed on some of
the pairs and scaled up to all. It has the same draws, and must find the same for its pairs.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from comparison import fastest, within
from core import Disagreement, Verdict, print_verdicts, progress, shown

from rankwise import score
from rankwise.experiments.discrimination.sensitivity import bootstrap_sensitivity
from rankwise.experiments.discrimination.swap import (
    FINE,
    bootstrap_swaps,
    disjoint_pairs,
    disjoint_swaps,
    extrapolated_swaps,
    swap_rates,
    with_replacement,
)
from rankwise.stats.paired import drawn_topics

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
SYSTEMS, TOPICS, COUNT, TARGET = 129, 50, 1_000, 2.0
SAMPLE = 4  # systems whose pairs the loops go through


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def scores() -> tuple[str, Floats]:
    """What they are, and systems × topics."""
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        quality = rng().uniform(0.05, 0.45, (SYSTEMS, 1))
        return "made-up scores", rng().beta(4 * quality, 4 * (1 - quality), (SYSTEMS, TOPICS))
    trec8 = Path(folder) / "trec8"
    found = score(trec8 / "trec8.qrels.gz", sorted((trec8 / "runs").iterdir()), "AP")
    return "AP of TREC-8", found.value[0]


def listed(tallies: Ints) -> list[Ints]:
    """The topics of each set, as often as they are in it."""
    return [np.repeat(np.arange(len(tally)), tally) for tally in tallies]


def loop_bootstrap(values: Floats, drawn: list[Ints]) -> list[float]:
    """The ASL of each pair: Figures 5 and 6 of Sakai (2007)."""
    found = []
    for x, y in zip(*np.triu_indices(len(values), 1), strict=True):
        z = values[x] - values[y]
        w, root = z - z.mean(), np.sqrt(len(z))
        t = np.array([w[q].mean() / (w[q].std(ddof=1) / root) for q in drawn])
        observed = z.mean() / (z.std(ddof=1) / root)
        found.append(float((np.abs(t) >= abs(observed)).mean()))
    return found


def loop_swaps(values: Floats, one: list[Ints], other: list[Ints]) -> int:
    """Swaps in all pairs: Figure 4 of Sakai (2007)."""
    swaps = 0
    for x, y in zip(*np.triu_indices(len(values), 1), strict=True):
        for q, then in zip(one, other, strict=True):
            before = values[x][q].mean() - values[y][q].mean()
            after = values[x][then].mean() - values[y][then].mean()
            swaps += before * after < 0
    return swaps


def scaled(seconds: float, values: Floats) -> str:
    pairs, sample = (n * (n - 1) // 2 for n in (len(values), SAMPLE))
    whole = seconds * pairs / sample
    return f"a loop would take {whole:,.0f} s ({shown(seconds)} for {sample} of {pairs:,} pairs)"


def check(what: str, ours: Any, theirs: Any) -> None:
    if ours != theirs:
        raise Disagreement(f"{what}: {ours}, the loop {theirs}")


def bootstrap(values: Floats, repeats: int) -> list[Verdict]:
    """Bootstrap sensitivity"""
    seconds, _ = fastest(
        "bootstrap",
        lambda: bootstrap_sensitivity(values, alpha=(0.05, 0.01), count=COUNT, rng=rng()),
        repeats,
    )
    some = values[:SAMPLE]
    drawn = listed(drawn_topics(values.shape[1], COUNT, rng()).astype(np.int64))
    plain, asl = fastest("a loop", lambda: loop_bootstrap(some, drawn), 1)
    check("ASL", bootstrap_sensitivity(some, count=COUNT, rng=rng()).p.tolist(), asl)
    print(f"  {scaled(plain, values)}")
    return [within("bootstrap sensitivity", seconds, TARGET)]


def swaps(values: Floats, repeats: int) -> list[Verdict]:
    """Swap methods"""
    topics = values.shape[1]
    half = topics // 2
    methods = {
        "swap, with replacement": lambda: bootstrap_swaps(values, count=COUNT, rng=rng()),
        f"swap, disjoint sets of {half}": lambda: disjoint_swaps(
            values, half, count=COUNT, rng=rng()
        ),
        "error rate, 101 bins": lambda: disjoint_swaps(
            values, half, count=COUNT, bins=FINE, rng=rng()
        ),
        "disjoint sets of 5 sizes, extrapolated": lambda: extrapolated_swaps(
            values, count=COUNT, rng=rng()
        ),
    }
    verdicts = []
    for what, method in methods.items():
        seconds, _ = fastest(what, method, repeats)
        verdicts.append(within(what, seconds, TARGET))
    draws = rng()
    one, other = (with_replacement(topics, topics, COUNT, draws) for _ in range(2))
    swap_loop(values, one, other)
    swap_loop(values, *disjoint_pairs(topics, half, COUNT, rng()))
    return verdicts


def swap_loop(values: Floats, one: Ints, other: Ints) -> None:
    """Time the loop on these pairs of sets, and check that it finds as many swaps."""
    some, drawn = values[:SAMPLE], (listed(one), listed(other))
    seconds, found = fastest("a loop", lambda: loop_swaps(some, *drawn), 1)
    check("swaps", int(swap_rates(some, (one, other)).swaps.sum()), int(found))
    print(f"  sets of {one[0].sum()} topics: {scaled(seconds, values)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one repeat instead of five")
    repeats = 1 if parser.parse_args().quick else 5
    name, values = scores()
    progress(f"{name}: {values.shape[0]} systems × {values.shape[1]} topics")
    verdicts, wrong = [], []
    for part in (bootstrap, swaps):
        print(f"\n{part.__doc__}, of {name}, B = {COUNT:,}; best of {repeats}", flush=True)
        try:
            verdicts += part(values, repeats)
        except Disagreement as error:
            wrong.append(str(error))
    print_verdicts(verdicts)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
