"""What verdicts cost: of all pairs of the runs of TREC-8, and of two runs on 50,000 topics.

Each timing is of a fresh process, from files to numbers; the best of the repeats counts.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import data
from core import Verdict, print_verdicts, progress, shown

METRICS = ("RBP(p=0.8)", "AP", "nDCG@10")  # a sum of weights, and two that divide by R
TARGET = 10  # seconds
# Two runs of many topics, hardly judged, as of MS MARCO: by default, and by six metrics.
TOPICS, DEPTH, POOL, MOST_JUDGED = 50_000, 20, 30, 3
SETS = {
    "default metrics": (),
    "six metrics": ("AP", "nDCG@10", "RR@10", "P@10", "Recall@100", "RBP(p=0.8)"),
}
MANY_TARGET = 3  # seconds


def all_verdicts(metric: str, qrels: str, *runs: str) -> None:
    """In the fresh process: prints the seconds and how many pairs there are."""
    import numpy as np

    from rankwise import parse
    from rankwise.comparison.verdicts import difference_bounds
    from rankwise.rankings.collection import Collection, Needs

    start = time.perf_counter()
    judged = Collection(qrels, list(runs)).judged(Needs(documents=True))
    first, second = np.triu_indices(len(runs), 1)
    verdict = difference_bounds(judged, parse(metric), first, second).mean.verdict
    decided = np.isin(verdict, ["A", "B"]).sum()
    print(time.perf_counter() - start, len(verdict), decided)


def comparison(metrics: str, qrels: str, *runs: str) -> None:
    """In the fresh process: prints the seconds, peak memory in MB, and how many verdicts."""
    import resource

    from rankwise import compare
    from rankwise.scores.scoring import DEFAULT_METRICS

    start = time.perf_counter()
    found = compare(qrels, list(runs), SETS[metrics] or DEFAULT_METRICS)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(seconds, int(peak), found.frame["verdict"].count())


def make_many_topics(topics: str, *paths: str) -> None:
    """Write qrels and two runs of 20 documents a topic, most of them in both, 1 to 3 judged.

    Both runs put the same 30 documents of a topic in a noisy order, so that they share many,
    and what is judged is more often near the top. One judged document in ten is not relevant,
    so that some topics have no relevant one: these are undefined for AP and nDCG.
    """
    import numpy as np
    import polars as pl

    count, rng = int(topics), np.random.default_rng(data.SEED)
    names = np.sort(rng.choice(1_200_000, count, replace=False)) + 1
    start, stride = rng.integers(1, data.DOCUMENTS, (2, count, 1))
    pool = (start + stride * np.arange(POOL)) % data.DOCUMENTS
    number = rng.integers(1, MOST_JUDGED + 1, count)
    keys = rng.random((count, POOL)) * np.arange(4, POOL + 4)
    judged = np.take_along_axis(pool, np.argsort(keys, axis=1)[:, :MOST_JUDGED], axis=1)
    documents = judged[np.arange(MOST_JUDGED) < number[:, None]]
    columns = {"topic": np.repeat(names, number), "iteration": np.zeros(len(documents), np.int64)}
    columns |= {"document": documents, "grade": (rng.random(len(documents)) < 0.9).astype(int)}
    frames = [pl.DataFrame(columns)]
    for tag in ("a", "b"):
        order = np.argsort(np.arange(POOL) + rng.normal(0, 6, (count, POOL)), axis=1)[:, :DEPTH]
        run = {
            "topic": np.repeat(names, DEPTH),
            "q0": pl.repeat("Q0", count * DEPTH, eager=True),
            "document": np.take_along_axis(pool, order, axis=1).ravel(),
            "rank": np.tile(np.arange(1, DEPTH + 1), count),
            "score": (40 - rng.integers(0, 20, (count, DEPTH)).cumsum(axis=1) / 100).ravel(),
            "tag": pl.repeat(tag, count * DEPTH, eager=True),
        }
        frames.append(pl.DataFrame(run))
    for frame, path in zip(frames, map(Path, paths), strict=True):
        unfinished = path.with_suffix(".part")
        frame.write_csv(unfinished, include_header=False, separator=" ", float_precision=4)
        unfinished.rename(path)


PARTS = {part.__name__: part for part in (all_verdicts, comparison, make_many_topics)}


def child(part: str, *arguments: str | Path) -> list[str]:
    """What a part prints in a fresh process."""
    command = [sys.executable, __file__, "--child", part, *map(str, arguments)]
    return subprocess.check_output(command, text=True).split()


def time_verdicts(metric: str, paths: Sequence[Path], repeats: int) -> Verdict:
    done = [child("all_verdicts", metric, *paths) for _ in range(repeats)]
    seconds = min(float(one[0]) for one in done)
    pairs, decided = map(int, done[0][1:])
    print(f"  {metric}: {pairs:,} pairs, {decided:,} decided, in {shown(seconds)}")
    target = f"all {pairs:,} verdicts of {metric} at depth 1,000: < {TARGET} s"
    return Verdict(target, shown(seconds), seconds < TARGET)


def time_comparison(metrics: str, topics: int, repeats: int) -> Verdict:
    paths = [data.FOLDER / f"{name}-{topics}x{DEPTH}.txt" for name in ("qrels", "a", "b")]
    if not all(path.exists() for path in paths):
        progress(f"  making {paths[0]} and two runs ({topics * DEPTH:,} lines each)")
        data.FOLDER.mkdir(exist_ok=True)
        child("make_many_topics", str(topics), *paths)
    done = [child("comparison", metrics, *paths) for _ in range(repeats)]
    seconds, peak = min(float(one[0]) for one in done), max(int(one[1]) for one in done)
    print(f"  {metrics}: {done[0][2]} verdicts in {shown(seconds)}, {peak:,} MB")
    work = f"compare with bounds, {topics:,} topics × 2 runs × {DEPTH}, {metrics}"
    return Verdict(f"{work}: ≤ {MANY_TARGET} s", shown(seconds), seconds <= MANY_TARGET)


def trec8(runs: int, repeats: int) -> list[Verdict]:
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        print("left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
        return []
    qrels, files = data.trec8(Path(folder) / "trec8", runs)
    print(f"{len(files)} runs of TREC-8, uncompressed; repeats: {repeats}")
    return [time_verdicts(metric, [qrels, *files], repeats) for metric in METRICS]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="13 runs, 5,000 topics, one repeat")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        part, *arguments = options.child
        PARTS[part](*arguments)
        return
    repeats = 1 if options.quick else 3
    verdicts = trec8(13 if options.quick else 129, repeats)
    topics = TOPICS // 10 if options.quick else TOPICS
    print(f"Two runs of {topics:,} topics, {DEPTH} documents each; repeats: {repeats}")
    print_verdicts(verdicts + [time_comparison(name, topics, repeats) for name in SETS])


if __name__ == "__main__":
    main()
