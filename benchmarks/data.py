"""The data of the benchmarks: made once into bench-data/, from a fixed seed, and reused.

Nothing heavy is imported until data is made, and a child process makes it: on Linux a
child's peak memory starts at that of its parent.
"""

import gzip
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

FOLDER = Path("bench-data")
SEED = 20240611
DOCUMENTS = 8_841_823  # as many as MS MARCO has passages; a prime, so strides never meet
DEPTH = 1_000
JUDGED, JUDGED_OF_FEW = 40, 4  # a topic, and one with fewer documents; a fourth is not retrieved
TOPICS_AT_A_TIME = 5_000  # when writing, so that a hundred million lines fit in memory
GRADES = [0.55, 0.25, 0.12, 0.08]  # how often a judged document has grade 0, 1, 2, 3


def paths(topics: int, depth: int = DEPTH) -> tuple[Path, Path]:
    """Where the qrels and the run of so many topics are, or will be."""
    size = f"{topics}x{depth}"
    return FOLDER / f"qrels-{size}.txt", FOLDER / f"run-{size}.txt"


def write(topics: int, depth: int = DEPTH) -> None:
    """Write the run (six fields, single spaces) and the qrels of so many topics."""
    finished = paths(topics, depth)
    unfinished = [path.with_suffix(".part") for path in finished]
    with unfinished[0].open("wb") as qrels, unfinished[1].open("wb") as run:
        for first in range(0, topics, TOPICS_AT_A_TIME):
            some = frames(min(TOPICS_AT_A_TIME, topics - first), depth, first)
            for frame, file in zip(some, (run, qrels), strict=True):
                frame.write_csv(file, include_header=False, separator=" ", float_precision=6)
    for part, path in zip(unfinished, finished, strict=True):
        part.rename(path)


def frames(
    topics: int, depth: int = DEPTH, first: int = 0
) -> tuple["pl.DataFrame", "pl.DataFrame"]:
    """A run of so many documents a topic, scores falling, and its graded judgments.

    Of the 40 judged documents of a topic 30 are retrieved, more of them near the top; of short
    rankings 3 of 4. The topics are numbered from `first` on.
    """
    import numpy as np
    import polars as pl

    judged = JUDGED if depth > JUDGED else JUDGED_OF_FEW
    retrieved = judged * 3 // 4
    rng = np.random.default_rng([SEED, first])
    names = 7 * (first + np.arange(topics)) + 1
    start, stride = rng.integers(1, DOCUMENTS, (2, topics, 1))
    scores = 40 - np.cumsum(rng.integers(1, 20, (topics, depth)), axis=1) / 1000
    run = pl.DataFrame(
        {
            "topic": np.repeat(names, depth),
            "q0": pl.repeat("Q0", topics * depth, eager=True),
            "document": ((start + stride * np.arange(depth)) % DOCUMENTS).ravel(),
            "rank": np.tile(np.arange(1, depth + 1), topics),
            "score": scores.ravel(),
            "tag": pl.repeat("made", topics * depth, eager=True),
        }
    )
    # The smallest of random keys that grow with the rank; the others lie below the run's end.
    keys = rng.random((topics, depth)) * np.arange(20, depth + 20)
    found = np.sort(np.argpartition(keys, retrieved)[:, :retrieved])
    missed = np.tile(np.arange(depth, depth + judged - retrieved), (topics, 1))
    ranks = np.concatenate([found, missed], axis=1)
    qrels = pl.DataFrame(
        {
            "topic": np.repeat(names, judged),
            "iteration": np.zeros(topics * judged, np.int64),
            "document": ((start + stride * ranks) % DOCUMENTS).ravel(),
            "grade": rng.choice(len(GRADES), topics * judged, p=GRADES),
        }
    )
    return run, qrels


def dicts(topics: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """The same run and qrels as dicts in memory."""
    run, qrels = frames(topics)
    return _nested(run, "score"), _nested(qrels, "grade")


def _nested(frame: "pl.DataFrame", value: str) -> dict[str, dict[str, Any]]:
    nested: dict[str, dict[str, Any]] = {}
    for topic, document, number in frame.select("topic", "document", value).iter_rows():
        nested.setdefault(str(topic), {})[str(document)] = number
    return nested


def trec8(source: Path, count: int) -> tuple[Path, list[Path]]:
    """The qrels and the first so many runs of TREC-8, decompressed."""
    folder = FOLDER / "trec8"
    folder.mkdir(parents=True, exist_ok=True)
    packed = [source / "trec8.qrels.gz", *sorted((source / "runs").glob("input.*.gz"))[:count]]
    files = [folder / path.name.removesuffix(".gz") for path in packed]
    for path, file in zip(packed, files, strict=True):
        if not file.exists():
            unfinished = file.with_suffix(".part")
            with gzip.open(path) as text, unfinished.open("wb") as out:
                shutil.copyfileobj(text, out)
            unfinished.rename(file)
    return files[0], files[1:]
