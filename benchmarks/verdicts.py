"""All verdicts on pairs of the runs of TREC-8: what they cost.

Each timing is of a fresh process, from files to numbers; the best of the repeats counts.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import data
from core import Verdict, print_verdicts, shown

METRICS = ("RBP(p=0.8)", "AP", "nDCG@10")  # a sum of weights, and two that divide by R
TARGET = 10  # seconds


def all_verdicts(metric: str, qrels: str, *runs: str) -> None:
    """In the fresh process: prints the seconds and how many pairs there are."""
    import numpy as np

    from rankwise import parse
    from rankwise.comparison.verdicts import difference_bounds
    from rankwise.rankings.join import read_judged

    start = time.perf_counter()
    judged = read_judged(qrels, list(runs), retrieved=True)
    first, second = np.triu_indices(len(runs), 1)
    verdict = difference_bounds(judged, parse(metric), first, second).mean.verdict
    decided = np.isin(verdict, ["A", "B"]).sum()
    print(time.perf_counter() - start, len(verdict), decided)


def time_verdicts(metric: str, paths: list[Path], repeats: int) -> Verdict:
    command = [sys.executable, __file__, "--child", metric, *map(str, paths)]
    done = [subprocess.check_output(command, text=True).split() for _ in range(repeats)]
    seconds = min(float(one[0]) for one in done)
    pairs, decided = map(int, done[0][1:])
    print(f"  {metric}: {pairs:,} pairs, {decided:,} decided, in {shown(seconds)}")
    target = f"all {pairs:,} verdicts of {metric} at depth 1,000: < {TARGET} s"
    return Verdict(target, shown(seconds), seconds < TARGET)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="13 runs, one repeat")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        all_verdicts(*options.child)
        return
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        print("left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
        return
    qrels, runs = data.trec8(Path(folder) / "trec8", 13 if options.quick else 129)
    repeats = 1 if options.quick else 3
    print(f"{len(runs)} runs of TREC-8, uncompressed; repeats: {repeats}")
    paths = [Path(qrels), *map(Path, runs)]
    print_verdicts([time_verdicts(metric, paths, repeats) for metric in METRICS])


if __name__ == "__main__":
    main()
