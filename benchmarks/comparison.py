"""Comparing systems: paired tests of all pairs of TREC-8 runs, and side by side with ranx.

Scores are computed before the timing of the tests. ranx's `compare` and ours go from runs
in memory to p-values; ranx, which compiles at its first call, has had one before.
"""

import argparse
import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import data
import numpy as np
from core import Verdict, print_table, print_verdicts, progress, shown

from rankwise import compare, read_qrels, read_runs, score
from rankwise.stats.multiple_comparisons import randomised_tukey
from rankwise.stats.paired import bootstrap, permutation, student_t, wilcoxon

# Ours and ranx's names of the same metrics.
METRICS = {"AP": "map", "P@10": "precision@10", "RR": "mrr"}
RANX_RUNS = 20
Files = tuple[Path, list[Path]]


def fastest(what: str, work: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """The least seconds of the repeats, and what came out."""
    times = []
    for turn in range(repeats):
        start = perf_counter()
        made = work()
        times.append(perf_counter() - start)
        progress(f"  {turn + 1}/{repeats} {what}: {shown(times[-1])}")
    return min(times), made


def within(what: str, seconds: float, target: float) -> Verdict:
    print(f"  {what}: {shown(seconds)}")
    return Verdict(f"{what}: < {target:g} s", shown(seconds), seconds < target)


def all_pairs(files: Files, repeats: int) -> list[Verdict]:
    """Tests of all pairs of runs"""
    values = score(*files, list(METRICS)).value
    first, second = np.triu_indices(values.shape[1], 1)

    def t_and_wilcoxon() -> None:
        for metric in values:
            differences = metric[first] - metric[second]
            student_t(differences)
            wilcoxon(differences)

    def tukey() -> None:
        randomised_tukey(values[0], first, second, rng=np.random.default_rng(0))

    def resampled(test: Callable[..., Any]) -> None:
        test(values[0][first] - values[0][second], rng=np.random.default_rng(0))

    pairs = f"{len(first):,} pairs"
    seconds, _ = fastest("t and Wilcoxon", t_and_wilcoxon, repeats)
    verdicts = [within(f"{pairs}, t and Wilcoxon, {len(values)} metrics", seconds, 3)]
    seconds, _ = fastest("randomised Tukey", tukey, repeats)
    verdicts.append(within(f"{pairs}, randomised Tukey, 10,000 permutations", seconds, 20))
    seconds, _ = fastest("permutation", lambda: resampled(permutation), repeats)
    print(f"  {pairs}, permutation test, 10,000 sets of signs: {shown(seconds)}")
    seconds, _ = fastest("bootstrap", lambda: resampled(bootstrap), repeats)
    verdicts.append(within(f"{pairs}, bootstrap, B = 1,000", seconds, 2))
    return verdicts


def beside_ranx(files: Files, repeats: int) -> list[Verdict]:
    """Beside ranx's compare: t-tests of all pairs of 20 runs, three metrics"""
    if find_spec("ranx") is None:
        print("  left out: ranx is not installed (pip install ranx)")
        return [Verdict("as fast as ranx or faster", "ranx not installed", None)]
    from ranx import Qrels, Run, compare as ranx_compare

    qrels, paths = files[0], files[1][:RANX_RUNS]
    judgments, runs = read_qrels(qrels), read_runs(paths)
    their_judgments = Qrels.from_file(str(qrels), kind="trec")
    their_runs = [
        Run.from_file(str(path), kind="trec", name=run.name)
        for path, run in zip(paths, runs, strict=True)
    ]

    def ours() -> Any:
        return compare(judgments, runs, list(METRICS), correction="none", bounds=False).frame

    def theirs(count: int = RANX_RUNS) -> Any:
        some = their_runs[:count]
        return ranx_compare(their_judgments, some, list(METRICS.values()), make_comparable=True)

    theirs(2)
    our_seconds, frame = fastest("rankwise", ours, repeats)
    their_seconds, report = fastest("ranx", theirs, repeats)
    show_agreement(frame, report)
    ratio = their_seconds / our_seconds
    print(f"  {ratio:.1f} × as fast (rankwise {shown(our_seconds)}, ranx {shown(their_seconds)})")
    return [Verdict("as fast as ranx or faster", f"{ratio:.1f} ×", ratio >= 1)]


def show_agreement(frame: Any, report: Any) -> None:
    """A table of how alike the p-values are.

    The sides order tied documents differently, and ranx has no p for runs that score alike.
    """
    rows = []
    for name, theirs in METRICS.items():
        pairs = frame.filter(metric=name).select("a", "b", "p").rows()
        gaps = [abs(p - report.comparisons[a, b][theirs]["p_value"]) for a, b, p in pairs]
        apart = [gap for gap in gaps if not np.isnan(gap)]
        same = sum(gap < 1e-6 for gap in apart)
        missing = str(len(gaps) - len(apart))
        rows.append([name, f"{same} of {len(apart)}", f"{max(apart):.1g}", missing])
    print_table(["metric", "p alike to 1e-6", "farthest apart", "no p in ranx"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many (3)")
    options = parser.parse_args()
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        print("Left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
        return
    files = data.trec8(Path(folder) / "trec8", 129)
    verdicts = []
    for number, part in enumerate((all_pairs, beside_ranx), 1):
        print(f"\n{number}. {part.__doc__}", flush=True)
        verdicts += part(files, options.repeats)
    print_verdicts(verdicts)


if __name__ == "__main__":
    main()
