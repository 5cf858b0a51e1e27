"""A matrix of scores: one row per topic, one column per system."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankwise.errors import Fault, Faults, InputError
from rankwise.formats.base import File
from rankwise.formats.columns import SPELLINGS
from rankwise.formats.source import Lines, open_source
from rankwise.formats.tables import line_fault, read_csv
from rankwise.lazy import pl

UNDEFINED = ["", "nan", "na"]  # cells


def read_matrix(given: str | Path) -> pl.DataFrame:
    """Read a topics × systems table of scores: column `topic`, then one column per system.

    Without a column of topic names, topics are named 1, 2, 3 … An empty cell, nan or NA is an
    undefined score.
    """
    file = File(open_source(given))
    if not file.first_line:
        raise InputError(file.name, "is empty.")
    found = read_csv(file)
    table, lines = found.frame, found.lines
    first = table.columns[0]
    if first.strip().lower() in {"", *SPELLINGS["topic"]}:
        topics = table[first].alias("topic")
        table = table.drop(first)
    else:
        topics = pl.Series("topic", [str(row + 1) for row in range(table.height)])
    named = [name for name in table.columns if name.strip().lower() in SPELLINGS["topic"]]
    if named:
        what = f"column {named[0]!r} names topics: it must be the first one."
        raise InputError(file.name, what)
    if not table.width or not (table.height or found.faults):
        raise InputError(file.name, "has no scores. A row is a topic, with one column per system.")
    scores = table.select(pl.all().cast(pl.Float64, strict=False))
    faults = found.faults + _matrix_faults(topics, table, scores, lines)
    if any(table.null_count().row(0)):  # a line that is too short is no line of empty cells
        seen = ((n, line, line_fault(line, file)) for n, line in file.source.lines())
        faults += Faults.of(Fault(number, what, line) for number, line, what in seen if what)
    if faults:
        what = "A row is a topic, named once; every other cell is its score, a number or empty."
        raise InputError(file.name, what, faults)
    return scores.fill_null(np.nan).insert_column(0, topics)


def _matrix_faults(
    topics: pl.Series, table: pl.DataFrame, scores: pl.DataFrame, lines: Lines
) -> Faults:
    bad = {
        name: ~np.isfinite(scores[name].fill_null(np.nan).to_numpy())
        & ~table[name]
        .cast(pl.String)
        .fill_null("")
        .str.strip_chars()
        .str.to_lowercase()
        .is_in(UNDEFINED)
        .to_numpy()
        for name in table.columns
    }
    faults = [
        Fault(
            int(lines[row]), f"score of {name} is not a finite number", str(table[name][int(row)])
        )
        for name, cells in bad.items()
        for row in np.flatnonzero(cells)
    ]
    for row in np.flatnonzero((topics.is_null() | ~topics.is_first_distinct()).to_numpy()):
        topic = topics[int(row)]
        what = "topic is missing" if topic is None else "topic is a duplicate"
        faults.append(Fault(int(lines[row]), what, str(topic or "")))
    return Faults.of(faults)
