"""Loads that are larger than anyone's, each in a process of its own: time and peak memory.

`python benchmarks/load.py` runs them all, with the memory that is promised for each;
`--scale 0.01` makes them smaller, and names run some of them. Exit code 1: one took more.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

GIGABYTE = 1 << 30
Made = tuple[str, ...]  # the arguments of rankwise


@dataclass(frozen=True)
class Load:
    """Something large: what it is, what makes its files, and the memory that it may take."""

    name: str
    what: str
    make: Callable[[Path, float], Made]
    memory: float  # gigabytes at full scale


def many_lines(folder: Path, scale: float) -> Made:
    """100 million lines: 100,000 topics of 1,000 documents."""
    topics = max(1, int(100_000 * scale))
    with (folder / "run").open("w") as run, (folder / "qrels").open("w") as qrels:
        for topic in range(topics):
            ranks = range(1, 1001)
            run.write(
                "".join(
                    f"{topic} Q0 d{(rank * 7919) % 9973} {rank} {2000 - rank} t\n" for rank in ranks
                )
            )
            qrels.write(
                "".join(f"{topic} 0 d{(rank * 7919) % 9973} {rank % 2}\n" for rank in range(1, 11))
            )
    return "score", "qrels", "run", "-m", "AP", "-m", "nDCG@10"


def many_files(folder: Path, scale: float) -> Made:
    """10,000 runs of 50 topics and 100 documents; their names come through a shell's glob."""
    files = max(2, int(10_000 * scale))
    (folder / "runs").mkdir()
    _qrels(folder, 50, 20)
    lines = [
        f"{topic} Q0 d{rank} {rank} {200 - rank} " for topic in range(50) for rank in range(100)
    ]
    names = [f"runs/{number}" for number in range(files)]
    for number, name in enumerate(names):
        (folder / name).write_text("".join(f"{line}t{number}\n" for line in lines))
    return "score", "qrels", *names, "-m", "AP"


def deep_topic(folder: Path, scale: float) -> Made:
    """One topic with 5 million documents."""
    documents = max(10, int(5_000_000 * scale))
    _qrels(folder, 1, 1000)
    with (folder / "run").open("w") as run:
        run.writelines(f"0 Q0 d{rank} {rank} {documents - rank} t\n" for rank in range(documents))
    return "score", "qrels", "run", "-m", "AP", "-m", "nDCG@10"


def many_topics(folder: Path, scale: float) -> Made:
    """A million topics of 10 documents."""
    topics = max(1, int(1_000_000 * scale))
    _qrels(folder, topics, 3)
    with (folder / "run").open("w") as run:
        for topic in range(topics):
            run.write("".join(f"{topic} Q0 d{rank} {rank} {20 - rank} t\n" for rank in range(10)))
    return "score", "qrels", "run", "-m", "AP", "-m", "nDCG@10"


def all_pairs(folder: Path, scale: float) -> Made:
    """2,000 runs of 50 topics, compared in all pairs, from a table of scores."""
    runs = max(3, int(2_000 * scale))
    header = ",".join(["topic", *(f"r{number}" for number in range(runs))])
    rows = [
        ",".join(
            [
                str(topic),
                *(f"{(topic * 37 + number * 101) % 997 / 997:.4f}" for number in range(runs)),
            ]
        )
        for topic in range(50)
    ]
    (folder / "scores.csv").write_text("\n".join([header, *rows]) + "\n")
    return "compare", "--scores", "AP=scores.csv", "-o", "pairs.csv"


def _qrels(folder: Path, topics: int, documents: int) -> None:
    with (folder / "qrels").open("w") as qrels:
        for topic in range(topics):
            qrels.write(
                "".join(f"{topic} 0 d{number} {number % 3}\n" for number in range(documents))
            )


LOADS = [
    Load("lines", "100 million lines in one run", many_lines, 2.0),
    Load("files", "10,000 runs", many_files, 2.0),
    Load("deep", "one topic of 5 million documents", deep_topic, 2.0),
    Load("topics", "a million topics", many_topics, 3.0),
    Load("pairs", "2,000 runs in all pairs", all_pairs, 4.0),
]


def measured(args: Made, folder: Path) -> tuple[float, float, int]:
    """Seconds, peak gigabytes and exit code of a call in the folder."""
    started = time.monotonic()
    command = [sys.executable, "-m", "rankwise", *args]
    with (folder / "out").open("wb") as out:
        call = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os_wait(call.pid)
    return time.monotonic() - started, used.ru_maxrss * 1024 / GIGABYTE, status


def os_wait(process: int) -> tuple[int, int, "resource.struct_rusage"]:
    """Wait for one process, and say what that one used."""
    import os

    return os.wait4(process, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(load.name for load in LOADS))
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    failed = False
    for load in LOADS:
        if given.names and load.name not in given.names:
            continue
        with TemporaryDirectory() as name:
            folder = Path(name)
            args = load.make(folder, given.scale)
            seconds, memory, code = measured(args, folder)
        verdict = "" if code == 0 and memory <= load.memory else "  MORE THAN PROMISED"
        failed |= bool(verdict)
        promised = f"promised {load.memory:g} GB"
        print(f"{load.what:35} {seconds:8.1f} s {memory:6.2f} GB  {promised}{verdict}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
