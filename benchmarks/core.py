"""Side by side with the peers, in one run: speed and memory of files and dicts to scores.

Every timing is of a fresh process, from after its imports to the scores; the sides take
turns, and the best of the repeats counts. Seconds differ from machine to machine, so
ratios come first. Data is made once, into bench-data/.

The table of all targets goes to standard output, what else is found to standard error.
`--json FILE` writes every repeat, by which `slower.py` compares two runs.
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

import data
import sides

BIN = Path(sys.executable).parent
TOLERANCE = 1e-6
Arguments = list[str | Path]
SCRIPT = Path(__file__).with_name("pytrec_eval_script.py")
WHOLE = "whole process"  # of a side: its arguments are a command


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
    processor: float = float("inf")
    megabytes: float = 0.0
    means: dict[str, float] = field(default_factory=dict)


class Disagreement(Exception):
    """Two sides have different scores."""


def run_child(side: str, *arguments: str | Path) -> Best:
    """Run one side once, in a fresh process."""
    command = [sys.executable, Path(__file__).with_name("sides.py"), side, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return Best(**json.loads(done.stdout))


def run_command(*command: str | Path) -> Best:
    """Run a command once."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(map(str, command)))
    per_megabyte = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Best(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / per_megabyte)


REPEATS: list[dict[str, Any]] = []  # every timing: `slower.py` reads them
part_name = ""


def race(sides: dict[str, Arguments], repeats: int, what: str = "") -> dict[str, Best]:
    """The best of each side, the sides taking turns; their scores must agree.

    A side has a name of `sides.py` and its arguments, or WHOLE and a command.
    """
    best = {label: Best() for label in sides}
    for turn in range(repeats):
        for label, (side, *arguments) in sides.items():
            once = run_command(*arguments) if side == WHOLE else run_child(str(side), *arguments)
            said = f"{shown(once.seconds)}, processor {shown(once.processor)}"
            progress(f"  {turn + 1}/{repeats} {label}: {said}, {once.megabytes:,.0f} MB")
            timing = {"seconds": once.seconds, "processor": once.processor}
            is_ours = any("rankwise" in str(word) for word in (side, *arguments[:1]))
            place = {"part": part_name, "race": what, "side": label, "turn": turn}
            place["ours"] = is_ours or str(side).startswith("compat")
            REPEATS.append({**place, **timing, "megabytes": once.megabytes})
            best[label].seconds = min(best[label].seconds, once.seconds)
            best[label].processor = min(best[label].processor, once.processor)
            best[label].megabytes = max(best[label].megabytes, once.megabytes)
            best[label].means = once.means
    means = {label: found.means for label, found in best.items() if found.means}
    if means:
        check_agreement(means)
    return best


def children(names: Sequence[str], *arguments: str | Path) -> dict[str, Arguments]:
    """Sides that have the same arguments."""
    return {name: [name, *arguments] for name in names}


def check_agreement(means: dict[str, dict[str, float]]) -> None:
    """Raise where two sides do not compute the same: one of them would be timed in vain."""
    (first, ours), *others = means.items()
    for other, theirs in others:
        for name, mean in ours.items():
            if not abs(mean - theirs[name]) <= TOLERANCE:
                raise Disagreement(f"mean {name}: {first} {mean!r}, {other} {theirs[name]!r}")
        name, mean = next(iter(ours.items()))
        count = f"all {len(ours)} means compared, such as {name}: {mean:.6f}"
        progress(f"  {first} and {other} agree to {TOLERANCE:g} in {count}")


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


def packed_parquet(path: Path) -> Path:
    """The same run as parquet."""
    found = path.with_suffix(".parquet")
    if not found.exists():
        progress(f"  making {found}")
        run_child("make parquet", path, found)
    return found


def shell_race(qrels: Path, run: Path, turns: int, what: str) -> list[Best]:
    """Whole processes: `rankwise score`, a script that does the same with pytrec_eval, and what
    rankwise cannot do without, the import of numpy."""
    sides: dict[str, Arguments] = {
        "rankwise": [WHOLE, BIN / "rankwise", "score", qrels, run, *SHELL_METRICS],
        "pytrec_eval": [WHOLE, sys.executable, SCRIPT, qrels, run],
        "import numpy": [WHOLE, sys.executable, "-c", "import numpy"],
    }
    return list(race(sides, turns, what).values())


def faster(what: str, ours: Best, theirs: Best, peer: str, target: float) -> Verdict:
    """The verdict on a target of speed, after a line that tells it."""
    ratio = theirs.seconds / ours.seconds
    times = f"rankwise {shown(ours.seconds)}, {peer} {shown(theirs.seconds)}"
    progress(f"  {ratio:.2f} × as fast as {peer} ({times})")
    return Verdict(f"{what}: ≥ {target:g} × as fast as {peer}", f"{ratio:.2f} ×", ratio >= target)


def one_large_run(sizes: Sizes) -> list[Verdict]:
    """One large run, file to scores"""
    qrels, run = made(sizes.topics)
    names = ["rankwise", "rankwise without the kernel", "pytrec_eval"]
    best = race(children(names, qrels, run), sizes.repeats)
    ours, twin, theirs = best.values()
    lines = f"{sizes.topics * data.DEPTH:,} lines"
    verdicts = [faster(lines, ours, theirs, "pytrec_eval", 18)]
    verdicts.append(faster(f"{lines}, without the kernel", twin, theirs, "pytrec_eval", 6))
    shell = shell_race(qrels, run, sizes.repeats, "whole process")
    verdicts.append(faster(f"{lines}, whole process", shell[0], shell[1], "pytrec_eval", 9))
    each = ", ".join(f"{side} {found.megabytes:,.0f} MB" for side, found in best.items())
    progress(f"  peak memory: {each}")
    return [*verdicts, within(f"{lines}: peak memory", ours.megabytes, 250, "MB")]


def beside(what: str, ours: Best, limit: Best, called: str, most: float) -> Verdict:
    """The verdict on a ratio to what cannot be undercut, or to a simpler form of the same."""
    ratio = ours.seconds / limit.seconds
    figure = f"{ratio:.2f} × ({shown(ours.seconds)}, {shown(limit.seconds)})"
    return Verdict(f"{what} ≤ {most:g} × {called}", figure, ratio <= most)


def at_most(what: str, ours: Best, seconds: float) -> Verdict:
    """The verdict on a time."""
    figure = f"{shown(ours.seconds)}, processor {shown(ours.processor)}"
    return Verdict(f"{what} ≤ {shown(seconds)}", figure, ours.seconds <= seconds)


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
        progress("  left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
        return [Verdict(target, "RANKWISE_DATA not set", None) for target in targets]
    qrels, runs = data.trec8(Path(folder) / "trec8", sizes.trec8_runs)
    sides = (
        *["rankwise", "rankwise catalogue", "pytrec_eval"],
        *["rankwise four", "rankwise bounds"],
    )
    best = race(children(sides, qrels, *runs), sizes.repeats)
    ours, catalogue, theirs, four, bounds = best.values()
    verdicts = [faster(what, ours, theirs, "pytrec_eval", 10)]
    ratio = catalogue.seconds / ours.seconds
    progress(f"  {ratio:.2f} × that for every metric of the catalogue ({shown(catalogue.seconds)})")
    verdicts.append(Verdict(targets[1], f"{ratio:.2f} ×", ratio <= 3))
    ratio = bounds.seconds / four.seconds
    progress(f"  {ratio:.2f} × their scores for bounds of four metrics ({shown(bounds.seconds)})")
    return [*verdicts, Verdict(targets[2], f"{ratio:.2f} ×", ratio < 3)]


def in_memory(sizes: Sizes) -> list[Verdict]:
    """Dicts in memory to scores; pytrec_eval's evaluator is made before the timing"""
    topics = str(sizes.dict_topics)
    best = race(children(["rankwise dicts", "pytrec_eval dicts"], topics), sizes.repeats)
    ours, theirs = best.values()
    what = f"dicts, {sizes.dict_topics:,} × {data.DEPTH:,}"
    return [faster(what, ours, theirs, "pytrec_eval", 4)]


def one_run(sizes: Sizes) -> list[Verdict]:
    """One run of TREC-8: whole processes, and the peers in the process, cold and warm"""
    what = "one TREC-8 run, whole process"
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        progress("  left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
        return [Verdict(f"{what}: ≥ 1 × as fast as pytrec_eval", "RANKWISE_DATA not set", None)]
    qrels, [run] = data.trec8(Path(folder) / "trec8", 1)
    ours, theirs, numpy = shell_race(qrels, run, 4 * sizes.repeats, "whole process")
    verdicts = [faster(what, ours, theirs, "pytrec_eval", 1)]
    verdicts.append(beside(what, ours, numpy, "import numpy", 1.5))
    names = ["rankwise", "rankwise, warm", "pytrec_eval", "ir_measures", "ir_measures, warm"]
    names += ["ranx", "ranx, warm"]
    best = race(children(names, qrels, run), sizes.repeats)
    print_table(["side", "time"], [[side, shown(found.seconds)] for side, found in best.items()])
    return verdicts


def changed_import(sizes: Sizes) -> list[Verdict]:
    """pytrec_eval's interface: one wide run, then run after run with the evaluator's making"""
    topics = str(sizes.dict_topics)
    best = race(children(["compat dicts", "pytrec_eval dicts"], topics), sizes.repeats, "dicts")
    ours, theirs = best.values()
    what = f"import rankwise.compat.pytrec_eval, {sizes.dict_topics:,} × {data.DEPTH:,}"
    verdicts = [faster(what, ours, theirs, "pytrec_eval", 1)]
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        progress("  left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
        return verdicts
    qrels, runs = data.trec8(Path(folder) / "trec8", 15)
    for which in ("eight", "all"):
        sides = children(["compat runs", "pytrec_eval runs"], which, qrels, *runs)
        best = race(sides, sizes.repeats, which)
        ours, theirs = best.values()
        what = f"the same, 15 TREC-8 runs, {which} measures"
        verdicts.append(faster(what, ours, theirs, "pytrec_eval", 1))
    return verdicts


def tables(sizes: Sizes) -> list[Verdict]:
    """The same run as parquet and as frames in memory"""
    qrels, run = made(sizes.topics)
    parquet = packed_parquet(run)
    best = race(
        {
            "rankwise": ["rankwise", qrels, parquet],
            "polars frame": ["rankwise frame", "polars", qrels, parquet],
            "pandas frame": ["rankwise frame", "pandas", qrels, parquet],
            "rankwise, text": ["rankwise", qrels, run],
            "polars reads": ["polars read", parquet],
            "polars reads and joins": ["polars join", qrels, parquet],
        },
        sizes.repeats,
    )
    ours, polars, pandas, text, _, join = best.values()
    rows, share = f"{sizes.topics * data.DEPTH:,} rows", sizes.topics / 6_980
    return [
        at_most(f"{rows} of parquet", ours, 0.35 * share),
        within(f"{rows} of parquet: peak memory", ours.megabytes, 300, "MB"),
        beside(f"{rows} of parquet", ours, join, "read and join", 1),
        at_most(f"polars frame of {rows}", polars, 0.35 * share),
        at_most(f"pandas frame of {rows}", pandas, 0.35 * share),
        beside(f"polars frame of {rows}", polars, text, "text", 1),
    ]


def compressed(sizes: Sizes) -> list[Verdict]:
    """gzip: one large run as a whole process, and the runs of TREC-8"""
    qrels, run = made(sizes.topics)
    lines, share = f"{sizes.topics * data.DEPTH:,} lines of gzip", sizes.topics / 6_980
    command: Arguments = [qrels, packed(run), *SHELL_METRICS]
    by_zlib = "import sys; sys.modules['isal'] = None; from rankwise.cli import script; script()"
    best = race(
        {
            "rankwise, isal": [WHOLE, BIN / "rankwise", "score", *command],
            "rankwise, zlib": [WHOLE, sys.executable, "-c", by_zlib, "score", *command],
            "isal alone": ["unpack", "isal.isal_zlib", packed(run)],
            "zlib alone": ["unpack", "zlib", packed(run)],
        },
        sizes.repeats,
        "one run",
    )
    ours, other, isal, zlib = best.values()
    verdicts = [
        at_most(f"{lines}, isal, whole process", ours, 0.7 * share),
        at_most(f"{lines}, zlib, whole process", other, 0.95 * share),
        beside(f"{lines}, isal, whole process", ours, isal, "isal alone", 2.5),
        beside(f"{lines}, zlib, whole process", other, zlib, "zlib alone", 1.5),
    ]
    folder = os.environ.get("RANKWISE_DATA")
    what = f"{sizes.trec8_runs} TREC-8 runs, gzip"
    if not folder:
        return [*verdicts, Verdict(f"{what} ≤ 0.80 s", "RANKWISE_DATA not set", None)]
    judgments, plain = data.trec8(Path(folder) / "trec8", sizes.trec8_runs)
    originals = [Path(folder) / "trec8" / "runs" / f"{path.name}.gz" for path in plain]
    best = race(
        {
            "rankwise, isal": ["rankwise", judgments, *originals],
            "rankwise, zlib": ["rankwise by zlib", judgments, *originals],
            "rankwise, plain": ["rankwise", judgments, *plain],
            "isal alone": ["unpack", "isal.isal_zlib", *originals],
            "zlib alone": ["unpack", "zlib", *originals],
        },
        sizes.repeats,
        "TREC-8",
    )
    ours, other = list(best.values())[:2]
    share = sizes.trec8_runs / 129
    verdicts.append(at_most(f"{what}, isal", ours, 0.8 * share))
    return [*verdicts, at_most(f"{what}, zlib", other, 0.8 * share)]


def growth(sizes: Sizes) -> list[Verdict]:
    """How the cost grows with topics, file to scores"""
    rows = []
    for topics in sizes.growth_topics:
        lines = topics * data.DEPTH
        repeats = sizes.repeats if lines <= 10**7 else 1
        best = race(children(["rankwise"], *made(topics)), repeats, f"{lines}")["rankwise"]
        cost = f"{best.seconds / lines * 1e9:,.0f} ns"
        rows.append([f"{lines:,}", cost, shown(best.seconds), f"{best.megabytes:,.0f} MB"])
    print_table(["lines", "a line", "time", "peak memory"], rows)
    return []


def start_up(sizes: Sizes) -> list[Verdict]:
    """rankwise --help"""
    heavy = list(run_child("help").means)

    sides: dict[str, Arguments] = {
        "rankwise --help": [WHOLE, BIN / "rankwise", "--help"],
        "python": [WHOLE, sys.executable, "-c", ""],
    }
    ours, bare = race(sides, 4 * sizes.repeats).values()
    return [
        Verdict("--help imports no polars, numpy, scipy", ", ".join(heavy) or "none", not heavy),
        beside("rankwise --help", ours, bare, "a bare Python", 3),
    ]


def print_table(header: list[str], rows: list[list[str]], to: TextIO = sys.stderr) -> None:
    """Columns aligned, the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in [header, *rows]:
        first, *others = (
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *others]), file=to)


def print_verdicts(verdicts: list[Verdict]) -> None:
    words = {True: "met", False: "MISSED", None: "left out"}
    rows = [[verdict.target, verdict.figure, words[verdict.met]] for verdict in verdicts]
    print_table(["target", "figure", "verdict"], rows, sys.stdout)


PARTS: list[Callable[[Sizes], list[Verdict]]] = [
    *(one_large_run, trec8, in_memory, one_run, memory, growth, start_up, changed_import),
    *(tables, compressed),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes, one repeat")
    numbers = range(1, len(PARTS) + 1)
    parser.add_argument(
        *("--only", "-n"), type=int, choices=numbers, action="append", metavar="N",
        help=f"only part N, 1–{len(PARTS)}; several times for several",
    )  # fmt: skip
    parser.add_argument("--repeats", type=int, help="of each side; 5 unless given")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every repeat to FILE")
    options = parser.parse_args()
    sizes = QUICK if options.quick else Sizes()
    if options.repeats:
        sizes = replace(sizes, repeats=options.repeats)
    progress(f"Repeats: {sizes.repeats}, each in a fresh process, taking turns; the best counts.")
    # As pip does on install, for all packages but those that are developed in place.
    compileall.compile_dir(Path(__file__).parents[1] / "src", quiet=1)
    verdicts, wrong = [], []
    for number, part in enumerate(PARTS, 1):
        if not options.only or number in options.only:
            global part_name
            part_name = (part.__doc__ or "").split("\n")[0]
            progress(f"\n{number}. {part_name}")
            try:
                verdicts += part(sizes)
            except Disagreement as error:
                wrong.append(f"part {number} times what is wrong: {error}")
    progress("")
    if verdicts:
        print_verdicts(verdicts)
    if options.json:
        about = {"python": sys.version.split()[0], "cores": os.cpu_count(), "load": os.getloadavg()}
        found = [vars(verdict) for verdict in verdicts]
        text = json.dumps({"about": about, "verdicts": found, "repeats": REPEATS}, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
