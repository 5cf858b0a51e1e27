"""Ranked lines: one line per topic, `topic: document document …`, best document first."""

import re

import polars as pl

from rankwise.formats import Details, File, Format, Table, Writer

LINE = re.compile(r"(\S+):\s+(\S.*)")


def recognises(file: File) -> bool:
    return LINE.fullmatch(file.first_row.strip()) is not None


def read(file: File, kind: str) -> Table:
    """Return a row per document; in judgments every document listed is relevant."""
    rows: list[tuple[str, str, int]] = []
    for _, line in file.source.lines():
        match = LINE.fullmatch(line.strip())
        if match is not None:
            names = match[2].split()
            rows += [(match[1], name, place) for place, name in enumerate(names, start=1)]
    frame = pl.DataFrame(rows, schema=["topic", "document", "rank"], orient="row")
    if kind == "qrels":
        frame = frame.select("topic", "document", pl.lit(1).alias("grade"))
    return Table(frame)


def write_runs(frame: pl.DataFrame, _details: Details) -> bytes:
    topics = frame.group_by("topic", maintain_order=True).agg("document")
    return "".join(f"{topic}: {' '.join(names)}\n" for topic, names in topics.rows()).encode()


RANKED_LINES = Format("ranked lines", recognises, read, suffixes=(".ranked",))
WRITER = Writer(runs=write_runs, holds_scores=False)
