"""Error rates and coverage of the tests and intervals of `compare` and `score --confidence`.

    RANKWISE_DATA=... python benchmarks/statistics_rates.py [TRIALS] [PART...]

Real matrices of systems × topics stand for the population: TREC-8 (129 runs, 50 topics), TREC-5
(61 runs, 50 topics) and DL19 (37 runs, 43 topics). The parts, which docs/statistics.md shows:

- `null`: the signs of the differences of a random pair are permuted, so that no system is better.
- `centred`: topics are drawn with replacement from the differences less their mean. The null
  hypothesis on the mean holds, but the differences are not symmetric.
- `power`: topics are drawn with replacement from the differences themselves.
- `equivalence`: how often TOST shows equivalence, if the true difference is the margin, or 0.
- `means`: how often an interval of a mean holds the mean of the population.
- `families`: how often simultaneous intervals of ten random systems hold all true differences.
- `ranks`: how often the sets of ranks hold the true rank of every system.
- `both`: the same with judgments of a shallow pool of ten TREC-8 systems; the true ranks are those
  of all judgments. By topics alone, and with the unjudged documents.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
from scipy import stats

import rankwise
import rankwise.metrics
import rankwise.rankings
from rankwise.comparison.verdicts import difference_bounds
from rankwise.rankings import Needs
from rankwise.stats import (
    differences_of,
    dunnett,
    max_t_interval,
    mean_interval,
    paired,
    rank_sets,
    t_interval,
    t_interval_of_any,
    tost,
    tukey_hsd,
)

ALPHA = 0.05
SYSTEMS = 10


def matrices() -> Iterator[tuple[str, np.ndarray]]:
    """Systems × topics of each collection and metric, without undefined topics."""
    data = Path(os.environ["RANKWISE_DATA"])
    for name in ("trec8", "dl19"):
        runs = sorted((data / name / "runs").iterdir())
        scores = rankwise.score(
            rankwise.read(data / name / f"{name}.qrels.gz", runs), metrics="AP,nDCG@10,P@10,RR"
        )
        for one, values in zip(scores.metrics, scores.value, strict=True):
            yield f"{name} {one}", values[:, np.isfinite(values).all(axis=0)]
    for metric in ("ap", "p10", "rr"):
        table = pl.read_csv(data / "trec5" / f"adhoc5_{metric}.csv")
        yield f"trec5 {metric}", table.to_numpy().T.astype(float)


def pairs(values: np.ndarray, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Differences of random pairs of systems that differ on at least a fifth of the topics."""
    found: list[np.ndarray] = []
    while len(found) < trials:
        first, second = rng.integers(0, len(values), (2, trials))
        rows = differences_of(values, first, second)
        found += list(rows[(rows != 0).sum(axis=1) * 5 >= rows.shape[1]])
    return np.array(found[:trials])


def p_values(rows: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """p of each row by each test; the permutation test exactly, or by 100,000 permutations."""
    return {
        "permutation": paired.permutation(rows, count=100_000, rng=rng),
        "t": paired.student_t(rows),
        "bootstrap": paired.bootstrap(rows, count=1_000, rng=rng),
        "wilcoxon": paired.wilcoxon(rows),
        "sign": paired.sign(rows),
    }


def drawn(rows: np.ndarray, topics: int, rng: np.random.Generator) -> np.ndarray:
    """Each row with topics of its own drawn with replacement."""
    return np.take_along_axis(rows, rng.integers(0, rows.shape[1], (len(rows), topics)), axis=1)


def with_signs(rows: np.ndarray, topics: int, rng: np.random.Generator) -> np.ndarray:
    """Some topics of each row, their signs permuted."""
    some = rng.permuted(rows, axis=1)[:, :topics]
    return some * rng.choice([-1.0, 1.0], some.shape)


def centred(rows: np.ndarray, topics: int, rng: np.random.Generator) -> np.ndarray:
    return drawn(rows - rows.mean(axis=1, keepdims=True), topics, rng)


def tests(
    sample: Callable[[np.ndarray, int, np.random.Generator], np.ndarray], title: str, trials: int
) -> None:
    rng = np.random.default_rng(1)
    table: dict[int, dict[str, list[float]]] = {}
    apart: dict[int, list[np.ndarray]] = {}
    for _, values in matrices():
        for topics in (6, 10, 25, 43):
            rows = sample(pairs(values, trials, rng), topics, rng)
            found = {
                test: np.nan_to_num(p, nan=1.0) <= ALPHA for test, p in p_values(rows, rng).items()
            }
            for test, rejected in found.items():
                rate = float(rejected.mean())
                table.setdefault(topics, {}).setdefault(test, []).append(rate)
            difference = found["permutation"].astype(float) - found["t"]
            apart.setdefault(topics, []).append(difference)
    print(f"\n{title}: share of p ≤ {ALPHA}, mean (lowest to highest) of 11 matrices × {trials:,}")
    for topics, rates in table.items():
        cells = (
            f"{test} {np.mean(r):.3f} ({min(r):.3f}–{max(r):.3f})" for test, r in rates.items()
        )
        print(f"| {topics} | {' | '.join(cells)} |")
        both = np.concatenate(apart[topics])
        error = both.std(ddof=1) / np.sqrt(len(both))
        print(f"  permutation − t: {100 * both.mean():+.2f} ± {100 * error:.2f} points")


def equivalence(trials: int) -> None:
    rng = np.random.default_rng(5)
    print(f"\nTOST: share shown equivalent, mean (lowest to highest) of 11 matrices × {trials:,}")
    for margin in (0.02, 0.05):
        for topics in (10, 25, 43):
            rates: dict[str, list[float]] = {"at the margin": [], "equal": []}
            for _, values in matrices():
                rows = centred(pairs(values, trials, rng), topics, rng)
                for name, shift in (("at the margin", margin), ("equal", 0.0)):
                    p = np.nan_to_num(tost(rows + shift, margin).p, nan=1.0)
                    rates[name].append(float((p <= ALPHA).mean()))
            cells = (f"{np.mean(r):.3f} ({min(r):.3f}–{max(r):.3f})" for r in rates.values())
            print(f"| {margin} | {topics} | {' | '.join(cells)} |")


def means(trials: int) -> None:
    rng = np.random.default_rng(2)
    print(f"\nIntervals of means, 95 %: coverage of {trials:,} samples; below/above the interval")
    for name, values in matrices():
        for topics in (10, 25, 50):
            runs = rng.integers(0, len(values), trials)
            rows = drawn(values[runs], topics, rng)
            varies = rows.std(axis=1) > 0
            true = values[runs].mean(axis=1)
            cells = []
            for method in ("logit", "t", "bootstrap"):
                low, high = mean_interval(rows, 0.95, method, rng, 0.0, 1.0)
                plain = t_interval(rows, 0.95)[1] if method == "t" else high
                held = varies & (low <= true) & (true <= high)
                beyond = f", beyond 1: {(plain > 1).mean():.3f}" if method == "t" else ""
                cells.append(f"{method} {held[varies].mean():.3f}{beyond}")
            print(
                f"| {name} | {topics} | {' | '.join(cells)} | no variance {1 - varies.mean():.3f} |"
            )


def families(trials: int) -> None:
    rng = np.random.default_rng(3)
    print(f"\nSimultaneous intervals of {SYSTEMS} systems, 95 %: all held; excluding 0, {trials:,}")
    for name, values in matrices():
        for topics in (25, 50):
            held: dict[str, list[bool]] = {}
            shown: dict[str, list[float]] = {}
            for _ in range(trials):
                for family, ends, true in _intervals_of_sample(values, topics, rng):
                    low, high = ends
                    inside = (low - 1e-12 <= true) & (true <= high + 1e-12)
                    held.setdefault(family, []).append(bool(inside.all()))
                    shown.setdefault(family, []).append(float(((low > 0) | (high < 0)).mean()))
            cells = (f"{f} {np.mean(held[f]):.3f} ({np.mean(shown[f]):.3f})" for f in held)
            print(f"| {name} | {topics} | {' | '.join(cells)} |", flush=True)


def _intervals_of_sample(
    values: np.ndarray, topics: int, rng: np.random.Generator
) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray], np.ndarray]]:
    whole = values[rng.choice(len(values), SYSTEMS, replace=False)]
    sample = whole[:, rng.integers(0, whole.shape[1], topics)]
    true = whole.mean(axis=1)
    first, second = np.triu_indices(SYSTEMS, 1)
    rows = differences_of(sample, first, second)
    gaps = true[first] - true[second]
    yield "all: max-t", max_t_interval(rows, 0.95, rng=rng), gaps
    yield "tukey", tukey_hsd(sample, first, second)[1:], gaps
    yield "bonferroni t", t_interval(rows, 1 - 0.05 / len(first)), gaps
    yield "unadjusted t", t_interval(rows, 0.95), gaps
    others, base = np.arange(1, SYSTEMS), np.zeros(SYSTEMS - 1, int)
    rows, gaps = differences_of(sample, others, base), true[others] - true[0]
    yield "baseline: max-t", max_t_interval(rows, 0.95, rng=rng), gaps
    yield "dunnett", dunnett(sample, others, base)[1:], gaps


def ranks(trials: int) -> None:
    rng = np.random.default_rng(4)
    print(f"\nSets of ranks, 95 %: all {SYSTEMS} (or all) systems held; mean size; {trials:,}")
    for name, values in matrices():
        for systems in (SYSTEMS, len(values)):
            for topics in (25, 50):
                held, size = [], []
                for _ in range(trials if systems == SYSTEMS else max(trials // 10, 10)):
                    whole = values[rng.choice(len(values), systems, replace=False)]
                    sample = whole[:, rng.integers(0, whole.shape[1], topics)]
                    true = whole.mean(axis=1)
                    first, second = np.triu_indices(systems, 1)
                    ends = max_t_interval(differences_of(sample, first, second), 0.95, rng=rng)
                    low, high = rank_sets(*ends, first, second, systems)
                    best = stats.rankdata(-true, method="min")
                    worst = stats.rankdata(-true, method="max")
                    held.append(bool(((low <= best) & (worst <= high)).all()))
                    size.append(float((high - low + 1).mean()))
                cells = f"{np.mean(held):.3f} | {np.mean(size):.1f}"
                print(f"| {name} | {systems} | {topics} | {cells} |", flush=True)


def both(trials: int) -> None:
    rng = np.random.default_rng(6)
    folder = Path(os.environ["RANKWISE_DATA"]) / "trec8"
    files = sorted((folder / "runs").iterdir())
    full = rankwise.rankings.read_qrels(folder / "trec8.qrels.gz").frame
    settings = [(depth, metric) for depth in (5, 8, 20) for metric in ("P@10", "nDCG@10")]
    found: dict[tuple[int, str], list[tuple[float, ...]]] = {key: [] for key in settings}
    for _ in range(10):
        some = [files[place] for place in rng.choice(len(files), SYSTEMS, replace=False)]
        runs = [run.frame for path in some for run in rankwise.rankings.read_runs(path)]
        for depth in (5, 8, 20):
            ordered = (run.sort("score", "document", descending=True) for run in runs)
            tops = [run.group_by("topic").head(depth) for run in ordered]
            pool = pl.concat([top.select("topic", "document") for top in tops]).unique()
            shallow = full.join(pool, on=["topic", "document"], how="semi")
            for metric in ("P@10", "nDCG@10"):
                found[depth, metric] += _both_of(full, shallow, some, metric, trials, rng)
    print(
        f"\nSets of ranks of {SYSTEMS} TREC-8 systems, 95 %, {10 * trials:,} samples of 50 topics"
    )
    print("| judged to | metric | by topics: held | mean size | with unjudged: held | mean size |")
    for (depth, metric), rows in found.items():
        held, size, held_both, size_both = np.array(rows).mean(axis=0)
        cells = f"{held:.3f} | {size:.1f} | {held_both:.3f} | {size_both:.1f}"
        print(f"| {depth} | {metric} | {cells} |", flush=True)


def _both_of(
    full: pl.DataFrame,
    shallow: pl.DataFrame,
    files: list[Path],
    metric: str,
    trials: int,
    rng: np.random.Generator,
) -> list[tuple[float, ...]]:
    """For each sample of topics whether the sets held the true ranks, and their mean sizes."""
    true = rankwise.score(full, files, metric)
    judged = rankwise.read(shallow, files).judged(Needs(documents=True))
    first, second = np.triu_indices(SYSTEMS, 1)
    one = rankwise.metrics.parse(metric)
    ends = difference_bounds(judged, one, first, second, "retrieved", 0).by_topic
    kept = np.isin(judged.topics, true.topics)
    assert kept.all(), "a topic without judgments"
    at = np.isin(true.topics, judged.topics)
    means = np.nanmean(true.value[0][:, at], axis=1)
    best, worst = (stats.rankdata(-means, method=way) for way in ("min", "max"))
    rows = []
    for _ in range(trials):
        drawn = rng.integers(0, len(judged.topics), 50)
        own = max_t_interval(ends.value[:, drawn], 0.95, rng=rng)
        low, high, value = (cube[:, drawn] for cube in (ends.low, ends.high, ends.value))
        wide = t_interval_of_any(low, high, np.isfinite(value), 1 - 0.05 / len(first))
        row: list[float] = []
        over_both = (np.minimum(own[0], wide[0]), np.maximum(own[1], wide[1]))
        for least, most in (own, over_both):
            lowest, highest = rank_sets(least, most, first, second, SYSTEMS)
            row += [float(((lowest <= best) & (worst <= highest)).all())]
            row += [float((highest - lowest + 1).mean())]
        rows.append(tuple(row))
    return rows


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    parts: dict[str, Callable[[], None]] = {
        "null": lambda: tests(with_signs, "Signs permuted", trials),
        "centred": lambda: tests(centred, "Topics drawn, centred", trials),
        "power": lambda: tests(drawn, "Topics drawn", trials),
        "equivalence": lambda: equivalence(trials),
        "means": lambda: means(trials),
        "families": lambda: families(max(trials // 10, 10)),
        "ranks": lambda: ranks(max(trials // 10, 10)),
        "both": lambda: both(max(trials // 40, 10)),
    }
    for part in sys.argv[2:] or parts:
        start = time.time()
        parts[part]()
        print(f"{part}: {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
