"""Preferences as text: the documents of a pair, and the preferred one.

A line is `topic a b best`, where best is a or b, or `topic winner loser`: the files of Clarke,
Vtyurina and Smucker (ACM TOIS 39(3), 2021). A header that names a winner and a loser, in text
separated by blanks too, makes any order of columns and a column of counts possible.
"""

from __future__ import annotations

import re
from itertools import islice

import numpy as np

from rankwise.errors import STORED_FAULTS, Fault, Faults, InputError
from rankwise.formats.base import File, Format, Table, split_lines
from rankwise.formats.columns import holds_preferences
from rankwise.formats.source import BLANKS, COMMENT, Kind
from rankwise.formats.trec import is_number
from rankwise.lazy import pl

LOOKED_AT = 20  # lines, before a file is called that
GREATEST_LABEL = 100  # a number above it that repeats another field is a name, not a grade
NO_NAMES = ("Q0", "0")  # in the second field of runs and qrels
LINE_IS = "A line of preferences is: topic a b best, where best is a or b; or topic winner loser."


def is_preference_text(file: File) -> bool:
    """Whether the first lines are pairs of documents and the preferred one, or have a header.

    Qrels have a grade in the fourth field: it may equal another field by chance, so a number
    that does must be too large for a grade. Three fields are a preference if the third is no
    number; three numbers are topic, document and grade, unless the caller names the columns.
    """
    if _header(file):
        return True
    lines = (line for _, line in file.source.lines() if not line.startswith(COMMENT))
    rows = [_fields(line) for line in islice(lines, LOOKED_AT)]
    widths = {len(row) for row in rows}
    if widths == {3}:
        return not any(is_number(row[2]) or row[1].upper() in NO_NAMES for row in rows)
    if widths != {4} or any(row[3] not in row[1:3] or row[1] == row[2] for row in rows):
        return False
    names = [row[3] for row in rows]
    return not all(map(is_number, names)) or max(map(float, names)) > GREATEST_LABEL


def _fields(line: str) -> list[str]:
    return re.findall(f"[^{BLANKS}]+", line)


def _header(file: File) -> list[str]:
    """Return the fields of the first line if they name a winner and a loser."""
    fields = _fields(file.first_row)
    return fields if holds_preferences(fields, file.columns) else []


def _read(file: File, kind: Kind) -> Table:
    if kind == "run":
        what = "holds preferences (a winner and a loser per line), and a run must be here."
        raise InputError(file.name, what)
    header = _header(file)
    width = len(header) or len(_fields(file.first_row))
    names = header or ["topic", "winner", "loser", "best"][:width]
    pattern = "^" + r"\s+".join([r"(\S+)"] * width) + "$"
    rows, faults = split_lines(file, pattern, [str(at) for at in range(width)])
    rows = rows.slice(1) if header else rows
    faults = faults.because(f"not {width} fields")
    if not header and width == 4:
        best, first, second = (pl.col(name) for name in ("3", "1", "2"))
        strange = rows.filter((best != first) & (best != second))
        what = "the preferred document is not one of the two"
        some = strange.head(STORED_FAULTS).select("number", "line").iter_rows()
        faults += Faults.of((Fault(n, what, line) for n, line in some), strange.height)
        rows = rows.filter((best == first) | (best == second)).with_columns(
            pl.when(best == first).then(second).otherwise(first).alias("2"),
            best.alias("1"),
        )
    frame = rows.select(str(at) for at in range(width)).rename(
        {str(at): name for at, name in enumerate(names)}
    )
    lines = rows["number"].to_numpy().astype(np.int64)
    return Table(frame, lines, faults=faults, line_is=LINE_IS)


PREFERENCES = Format("preferences", is_preference_text, _read)
