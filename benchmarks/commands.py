"""Whole commands on the 129 runs of TREC-8, and how scores and comparisons grow with the runs.

Each command runs once, in a fresh process: seconds on the clock and of the processor, and peak
memory. Goals are those of two cores without other work; `processor` says what other work cannot
change. `--runs 1000 --topics 250 --depth 1000` measures growth up to that size (10 GB of disk).
"""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import data
import numpy as np
from core import BIN, Best, Verdict, print_table, print_verdicts, progress, run_command, shown

TWO = ["-m", "AP", "-m", "nDCG@10"]
# All but log-bootstrap and area-bootstrap, which compare other means of the scores.
DISCRIMINATORS = (
    "bootstrap swap disjoint-swap error-rate t wilcoxon sign permutation tukey randomised-tukey"
)
ALL_METHODS = [word for method in DISCRIMINATORS.split() for word in ("--method", method)]
# Arguments before and after QRELS RUN …, and the most seconds and megabytes.
COMMANDS: dict[str, tuple[list[str], list[str], float, float]] = {
    "compare, AP and nDCG@10, all pairs": (["compare"], TWO, 2.5, 600),
    "report, default metrics": (["report"], ["-o", "DIR/report.html"], 6, 700),
    "plan predict": (["plan", "predict"], [], 15, 1_000),
    "plan predict --pairs": (["plan", "predict"], ["--pairs"], 15, 1_000),
    "report --probable": (["report"], ["--probable", "-o", "DIR/report.html"], 15, 1_000),
    "plan next, AP": (["plan", "next"], ["--budget", "500", "-m", "AP"], 15, 1_000),
    "plan next, nDCG@10": (["plan", "next"], ["--budget", "500", "-m", "nDCG@10"], 15, 1_000),
    "metrics choose": (["metrics", "choose"], [], 30, 1_000),
    "metrics correlate": (["metrics", "correlate"], [], 30, 1_000),
    "metrics stability": (["metrics", "stability"], [], 30, 1_000),
    "metrics stability --by sample": (["metrics", "stability"], ["--by", "sample"], 30, 1_000),
    "metrics stability --by shard": (["metrics", "stability"], ["--by", "shard"], 30, 1_000),
    "metrics stability --by group": (["metrics", "stability"], ["--by", "group"], 30, 1_000),
    "metrics discriminate, all methods": (["metrics", "discriminate"], ALL_METHODS, 30, 1_000),
}
PAPERS = "moffat-zobel-2008 zhang-park-moffat-2008 ahlgren-gronqvist-2007 moffat-2013 sakai-2007"
for paper in PAPERS.split():
    COMMANDS[f"study {paper}"] = (["study", paper], ["-o", "DIR/study"], 30, 1_000)


def trec8_commands(folder: Path, wanted: str) -> Iterator[Verdict]:
    """Run every command whose label contains `wanted` on all runs of TREC-8."""
    files = [folder / "trec8.qrels.gz", *sorted((folder / "runs").iterdir())]
    rows = []
    for label, (words, options, seconds, megabytes) in COMMANDS.items():
        if wanted not in label:
            continue
        with tempfile.TemporaryDirectory() as left:
            after = [option.replace("DIR", left) for option in options]
            try:
                used = run_command(BIN / "rankwise", *words, *files, *after)
            except subprocess.CalledProcessError as error:
                yield Verdict(label, f"exit code {error.returncode}", False)
                continue
        rows.append(row_of(label, used))
        goal = f"{label}: ≤ {seconds:g} s, ≤ {megabytes:,.0f} MB"
        met = used.seconds <= seconds and used.megabytes <= megabytes
        yield Verdict(goal, f"{shown(used.seconds)}, {used.megabytes:,.0f} MB", met)
    print_table(["129 TREC-8 runs", "clock", "processor", "memory"], rows)


def row_of(label: str, used: Best) -> list[str]:
    return [label, shown(used.seconds), shown(used.processor), f"{used.megabytes:,.0f} MB"]


def simulated(runs: int, topics: int, depth: int) -> tuple[Path, list[Path]]:
    """Write judgments and runs once: each run permutes the same documents, by its own noise."""
    folder = data.FOLDER / f"runs-{topics}x{depth}"
    folder.mkdir(parents=True, exist_ok=True)
    qrels, documents = folder / "qrels.txt", 2 * depth
    if not qrels.exists():
        grades = np.random.default_rng(data.SEED).random((topics, 100)) < 0.2
        lines = (
            f"{topic} 0 d{place * (documents // 100)} {int(grade)}\n"
            for topic, row in enumerate(grades)
            for place, grade in enumerate(row)
        )
        qrels.write_text("".join(lines), encoding="utf-8")
    files = [folder / f"{number}.run" for number in range(runs)]
    for number, file in enumerate(files):
        if not file.exists():
            rng = np.random.default_rng([data.SEED, number])
            noise = rng.random((topics, documents)) + np.arange(documents) / documents
            ranked = np.argsort(noise, axis=1)[:, :depth]
            text = "".join(
                f"{topic} Q0 d{document} {rank} {depth - rank} r{number}\n"
                for topic, row in enumerate(ranked)
                for rank, document in enumerate(row, 1)
            )
            partial = file.with_suffix(".partial")
            partial.write_text(text, encoding="utf-8")
            partial.rename(file)
    return qrels, files


def growth(runs: int, topics: int, depth: int) -> Iterator[Verdict]:
    """Measure score, compare and ranks with an eighth, a quarter, a half and all of the runs."""
    qrels, files = simulated(runs, topics, depth)
    commands = {
        "score": (["score"], TWO),
        "score --ranks": (["score"], ["-m", "nDCG@10", "--confidence", "0.95", "--ranks"]),
        "compare --no-bounds": (["compare"], ["-m", "nDCG@10", "--no-bounds"]),
        "compare, nDCG@10": (["compare"], ["-m", "nDCG@10"]),
        "compare, AP": (["compare"], ["-m", "AP"]),  # no cutoff: all rows are kept
    }
    rows = []
    for label, (words, options) in commands.items():
        used = []
        for part in (8, 4, 2, 1):
            some = files[: runs // part]
            used.append(run_command(BIN / "rankwise", *words, qrels, *some, *options))
            rows.append(row_of(f"{label}, {len(some):,} runs", used[-1]))
        limit = 2 if words == ["score"] and "--ranks" not in options else 4
        ratio = used[-1].processor / used[-2].processor
        goal = f"{label}: twice the runs take ≤ {limit * 1.25:g} × the processor, ≤ 4,000 MB"
        met = ratio <= limit * 1.25 and used[-1].megabytes <= 4_000
        yield Verdict(goal, f"{ratio:.2f} ×, {used[-1].megabytes:,.0f} MB", met)
    print_table([f"{topics} topics × {depth:,} documents", "clock", "processor", "memory"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="commands that contain TEXT")
    parser.add_argument("--runs", type=int, default=200, help="simulated runs; 0: none")
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--depth", type=int, default=1_000)
    options = parser.parse_args()
    verdicts: list[Verdict] = []
    if folder := os.environ.get("RANKWISE_DATA"):
        verdicts += trec8_commands(Path(folder) / "trec8", options.only)
    else:
        progress("left out: RANKWISE_DATA, the folder that holds trec8/, is not set")
    if options.runs:
        verdicts += growth(options.runs, options.topics, options.depth)
    print_verdicts(verdicts)


if __name__ == "__main__":
    main()
