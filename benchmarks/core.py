"""Side by side with the peers, in one run: speed and memory of files and dicts to scores.

Every timing is of a fresh process, from after its imports to the scores; the sides take
turns, and the best of the repeats counts. Seconds differ from machine to machine, so
ratios come first. Data is made once, into bench-data/.
"""

import argparse
import compileall
import gzip
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import data
import sides

BIN = Path(sys.executable).parent
TOLERANCE = 1e-6
Arguments = list[str | Path]


@dataclass(frozen=True)
class Sizes:
    topics: int = 6_980
    trec8_runs: int = 129
    dict_topics: int = 1_000
    growth_topics: tuple[int, ...] = (10, 100, 1_000, 10_000, 100_000)
    deep: int = 10_000  # documents a topic, where lines grow and judgments do not
    repeats: int = 5


QUICK = Sizes(698, 13, 100, (1, 10, 100, 1_000), 2_000, 1)
SHELL_METRICS = [part for name in sides.METRICS for part in ("-m", name)]


@dataclass(frozen=True)
class Verdict:
    target: str
    figure: str
    met: bool | None  # None where it was left out


@dataclass
class Best:
    """The best of the repeats of one side: the least seconds, but the most memory."""

    seconds: float = float("inf")
    megabytes: float = 0.0
    means: dict[str, float] = field(default_factory=dict)


class Disagreement(Exception):
    """Two sides have different scores."""


def run_child(side: str, *arguments: str | Path) -> Best:
    """Run one side once, in a fresh process."""
    command = [sys.executable, Path(__file__).with_name("sides.py"), side, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return Best(**json.loads(done.stdout))


def race(sides: dict[str, Arguments], repeats: int) -> dict[str, Best]:
    """The best of each side, the sides taking turns; their scores must agree."""
    best = {side: Best() for side in sides}
    for turn in range(repeats):
        for side, arguments in sides.items():
            once = run_child(side, *arguments)
            progress(f"  {turn + 1}/{repeats} {side}: {shown(once.seconds)}")
            best[side].seconds = min(best[side].seconds, once.seconds)
            best[side].megabytes = max(best[side].megabytes, once.megabytes)
            best[side].means = once.means
    check_agreement({side: found.means for side, found in best.items() if found.means})
    return best


def check_agreement(means: dict[str, dict[str, float]]) -> None:
    """Raise where two sides do not compute the same: one of them would be timed in vain."""
    (first, ours), *others = means.items()
    for other, theirs in others:
        for name, mean in ours.items():
            if not abs(mean - theirs[name]) <= TOLERANCE:
                raise Disagreement(f"mean {name}: {first} {mean!r}, {other} {theirs[name]!r}")
        name, mean = next(iter(ours.items()))
        count = f"all {len(ours)} means compared, such as {name}: {mean:.6f}"
        print(f"  {first} and {other} agree to {TOLERANCE:g} in {count}")


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def shown(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def made(topics: int, depth: int = data.DEPTH) -> tuple[Path, Path]:
    """The paths of the qrels and the run of so many topics, which are made if need be."""
    paths = data.paths(topics, depth)
    if not all(path.exists() for path in paths):
        progress(f"  making {paths[1]} ({topics * depth:,} lines)")
        data.FOLDER.mkdir(exist_ok=True)
        run_child("make data", str(topics), str(depth))
    return paths


def packed(path: Path) -> Path:
    """The same file, gzipped."""
    found = path.with_suffix(".gz")
    if not found.exists():
        progress(f"  making {found}")
        with path.open("rb") as text, gzip.open(found, "wb", compresslevel=1) as out:
            shutil.copyfileobj(text, out)
    return found


def wall(*command: str | Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def shell_race(qrels: Path, run: Path, turns: int) -> tuple[Best, Best]:
    """Whole processes: `rankwise score`, and a script that does the same with pytrec_eval."""
    ours: Arguments = [BIN / "rankwise", "score", qrels, run, *SHELL_METRICS]
    theirs: Arguments = [sys.executable, Path(__file__).with_name("pytrec_eval_script.py")]
    times = [(wall(*ours), wall(*theirs, qrels, run)) for _ in range(turns)]
    first, second = (Best(min(side)) for side in zip(*times, strict=True))
    return first, second


def faster(what: str, ours: Best, theirs: Best, peer: str, target: float) -> Verdict:
    """The verdict on a target of speed, after a line that tells it."""
    ratio = theirs.seconds / ours.seconds
    times = f"rankwise {shown(ours.seconds)}, {peer} {shown(theirs.seconds)}"
    print(f"  {ratio:.2f} × as fast as {peer} ({times})")
    return Verdict(f"{what}: ≥ {target:g} × as fast as {peer}", f"{ratio:.2f} ×", ratio >= target)


def one_large_run(sizes: Sizes) -> list[Verdict]:
    """One large run, file to scores"""
    qrels, run = made(sizes.topics)
    names = ["rankwise", "rankwise without the kernel", "pytrec_eval"]
    best = race({side: [qrels, run] for side in names}, sizes.repeats)
    ours, twin, theirs = best.values()
    lines = f"{sizes.topics * data.DEPTH:,} lines"
    verdicts = [faster(lines, ours, theirs, "pytrec_eval", 18)]
    verdicts.append(faster(f"{lines}, without the kernel", twin, theirs, "pytrec_eval", 6))
    shell = shell_race(qrels, run, sizes.repeats)
    verdicts.append(faster(f"{lines}, whole process", *shell, "pytrec_eval", 9))
    each = ", ".join(f"{side} {found.megabytes:,.0f} MB" for side, found in best.items())
    print(f"  peak memory: {each}")
    return [*verdicts, within(f"{lines}: peak memory", ours.megabytes, 250, "MB")]


def within(what: str, figure: float, limit: float, unit: str) -> Verdict:
    return Verdict(f"{what} ≤ {limit:,.0f} {unit}", f"{figure:,.0f} {unit}", figure <= limit)


def memory(sizes: Sizes) -> list[Verdict]:
    """Memory that does not grow with the lines: the same judgments, deeper rankings, gzip"""
    qrels, run = made(sizes.topics)
    deep = made(sizes.topics, sizes.deep)
    files: dict[str, Arguments] = {
        f"{sizes.topics * data.DEPTH:,} lines": [qrels, run],
        f"{sizes.topics * data.DEPTH:,} lines, gzip": [qrels, packed(run)],
        f"{sizes.topics * sizes.deep:,} lines": [*deep],
        f"{sizes.topics * sizes.deep:,} lines, gzip": [deep[0], packed(deep[1])],
    }
    found = {name: run_child("rankwise", *given) for name, given in files.items()}
    side = "rankwise without the kernel"
    plain = [name for name in files if "gzip" not in name]
    found |= {f"{name}, without the kernel": run_child(side, *files[name]) for name in plain}
    rows = [[n, shown(f.seconds), f"{f.megabytes:,.0f} MB"] for n, f in found.items()]
    print_table(["file", "time", "peak memory"], rows)
    names = list(found)
    limits = [250, 250, 375, 375, 375, 375]
    return [
        within(f"{name}: peak memory", found[name].megabytes, limit, "MB")
        for name, limit in zip(names, limits, strict=True)
    ]


def trec8(sizes: Sizes) -> list[Verdict]:
    """The runs of TREC-8, uncompressed, files to scores"""
    what = f"{sizes.trec8_runs} TREC-8 runs"
    targets = [f"{what}: ≥ 10 × as fast as pytrec_eval", f"{what}: all metrics ≤ 3 × the eight"]
    targets.append(f"{what}: bounds of RBP, P@10, nDCG@10, AP < 3 × their scores")
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        print("  left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
        return [Verdict(target, "RANKWISE_DATA not set", None) for target in targets]
    qrels, runs = data.trec8(Path(folder) / "trec8", sizes.trec8_runs)
    sides = (
        *["rankwise", "rankwise catalogue", "pytrec_eval"],
        *["rankwise four", "rankwise bounds"],
    )
    best = race({side: [qrels, *runs] for side in sides}, sizes.repeats)
    ours, catalogue, theirs, four, bounds = best.values()
    verdicts = [faster(what, ours, theirs, "pytrec_eval", 10)]
    ratio = catalogue.seconds / ours.seconds
    print(f"  {ratio:.2f} × that for every metric of the catalogue ({shown(catalogue.seconds)})")
    verdicts.append(Verdict(targets[1], f"{ratio:.2f} ×", ratio <= 3))
    ratio = bounds.seconds / four.seconds
    print(f"  {ratio:.2f} × their scores for bounds of four metrics ({shown(bounds.seconds)})")
    return [*verdicts, Verdict(targets[2], f"{ratio:.2f} ×", ratio < 3)]


def in_memory(sizes: Sizes) -> list[Verdict]:
    """Dicts in memory to scores; pytrec_eval's evaluator is made before the timing"""
    topics = str(sizes.dict_topics)
    best = race({"rankwise dicts": [topics], "pytrec_eval dicts": [topics]}, sizes.repeats)
    ours, theirs = best.values()
    what = f"dicts, {sizes.dict_topics:,} × {data.DEPTH:,}"
    return [faster(what, ours, theirs, "pytrec_eval", 4)]


def one_run(sizes: Sizes) -> list[Verdict]:
    """One run of TREC-8: whole processes, and the peers in the process, cold and warm"""
    what = "one TREC-8 run, whole process"
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        print("  left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
        return [Verdict(f"{what}: ≥ 1 × as fast as pytrec_eval", "RANKWISE_DATA not set", None)]
    qrels, [run] = data.trec8(Path(folder) / "trec8", 1)
    verdicts = [faster(what, *shell_race(qrels, run, 4 * sizes.repeats), "pytrec_eval", 1)]
    names = ["rankwise", "rankwise, warm", "pytrec_eval", "ir_measures", "ir_measures, warm"]
    names += ["ranx", "ranx, warm"]
    best = race({side: [qrels, run] for side in names}, sizes.repeats)
    print_table(["side", "time"], [[side, shown(found.seconds)] for side, found in best.items()])
    return verdicts


def changed_import(sizes: Sizes) -> list[Verdict]:
    """pytrec_eval's interface: one wide run, then run after run with the evaluator's making"""
    topics = str(sizes.dict_topics)
    best = race({"compat dicts": [topics], "pytrec_eval dicts": [topics]}, sizes.repeats)
    ours, theirs = best.values()
    what = f"import rankwise.compat.pytrec_eval, {sizes.dict_topics:,} × {data.DEPTH:,}"
    verdicts = [faster(what, ours, theirs, "pytrec_eval", 1)]
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        print("  left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
        return verdicts
    qrels, runs = data.trec8(Path(folder) / "trec8", 15)
    for which in ("eight", "all"):
        given: Arguments = [which, qrels, *runs]
        best = race({"compat runs": given, "pytrec_eval runs": given}, sizes.repeats)
        ours, theirs = best.values()
        what = f"the same, 15 TREC-8 runs, {which} measures"
        verdicts.append(faster(what, ours, theirs, "pytrec_eval", 1))
    return verdicts


def growth(sizes: Sizes) -> list[Verdict]:
    """How the cost grows with topics, file to scores"""
    rows = []
    for topics in sizes.growth_topics:
        lines = topics * data.DEPTH
        repeats = sizes.repeats if lines <= 10**7 else 1
        best = race({"rankwise": [*made(topics)]}, repeats)["rankwise"]
        cost = f"{best.seconds / lines * 1e9:,.0f} ns"
        rows.append([f"{lines:,}", cost, shown(best.seconds), f"{best.megabytes:,.0f} MB"])
    print_table(["lines", "a line", "time", "peak memory"], rows)
    return []


def start_up(sizes: Sizes) -> list[Verdict]:
    """rankwise --help"""
    heavy = list(run_child("help").means)

    turns = range(4 * sizes.repeats)
    each = [(wall(BIN / "rankwise", "--help"), wall(sys.executable, "-c", "")) for _ in turns]
    ours, bare = (min(times) for times in zip(*each, strict=True))
    times = f"{shown(ours)}, Python alone {shown(bare)}; best of {len(turns)}"
    print(f"  {ours / bare:.2f} × the time of Python's own start ({times})")
    return [
        Verdict("--help imports no polars, numpy, scipy", ", ".join(heavy) or "none", not heavy),
        Verdict("--help ≤ 3 × a bare Python", f"{ours / bare:.2f} ×", ours <= 3 * bare),
    ]


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Columns aligned, the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in [header, *rows]:
        first, *others = (
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  " + "  ".join([first, *others]))


def print_verdicts(verdicts: list[Verdict]) -> None:
    words = {True: "met", False: "MISSED", None: "left out"}
    rows = [[verdict.target, verdict.figure, words[verdict.met]] for verdict in verdicts]
    print()
    print_table(["target", "figure", "verdict"], rows)


PARTS: list[Callable[[Sizes], list[Verdict]]] = [
    *(one_large_run, trec8, in_memory, one_run, memory, growth, start_up, changed_import),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes, one repeat")
    numbers = range(1, len(PARTS) + 1)
    parser.add_argument("--only", type=int, choices=numbers, metavar="N", help="only part N, 1–8")
    options = parser.parse_args()
    sizes = QUICK if options.quick else Sizes()
    print(f"Repeats: {sizes.repeats}, each in a fresh process, taking turns; the best counts.")
    # As pip does on install, for all packages but those that are developed in place.
    compileall.compile_dir(Path(__file__).parents[1] / "src", quiet=1)
    verdicts, wrong = [], []
    for number, part in enumerate(PARTS, 1):
        if options.only in (None, number):
            print(f"\n{number}. {part.__doc__}", flush=True)
            try:
                verdicts += part(sizes)
            except Disagreement as error:
                wrong.append(f"part {number} times what is wrong: {error}")
    if verdicts:
        print_verdicts(verdicts)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
