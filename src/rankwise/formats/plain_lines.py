"""Text formats other than TREC's: three columns, preferences, LETOR.

Three columns without a header are topic, document and a grade, a score or a rank. MS MARCO's runs
have ranks and are separated by tabs; commas, semicolons and blanks are accepted too.

A line of preferences is `topic a b best`, where best is a or b, or `topic winner loser`. The data
of Clarke, Vtyurina and Smucker (ACM TOIS 39(3), 2021) have this form. With a header that names a
winner and a loser, columns may have any order, and there may be a column of counts.

A line of LETOR and svmlight is a document, such as `3 qid:1 1:0.5 2:0.1 # docid = GX001`. The first
field is the grade; in a run it is the score. Features are ignored. The name of the document follows
`docid =` in the comment; otherwise it is the first word of the comment.
"""

from __future__ import annotations

import re
from itertools import islice

import numpy as np

from rankwise.errors import InputError
from rankwise.formats.base import File, Format, Table, bad_lines, split_lines
from rankwise.formats.columns import holds_preferences, naming_columns
from rankwise.formats.source import BLANKS, COMMENT, Kind
from rankwise.formats.trec import is_number
from rankwise.lazy import pl
from rankwise.notes import note

LOOKED_AT = 20  # lines that are checked to recognise a file
SEPARATORS = ("\t", ",", ";", " ")
PATTERNS = {
    sign: rf"^\s*([^{sign}]+?)\s*{sign}\s*([^{sign}]+?)\s*{sign}\s*([^{sign}]+?)\s*$"
    for sign in ("\t", ",", ";")
} | {" ": r"^(\S+)\s+(\S+)\s+(\S+)$"}
NUMBERED = ["1", "2", "3"]  # names of the columns in `columns` of the caller
GREATEST_LABEL = 100  # a larger number in the last field is the name of a document, not a grade
NO_NAMES = ("Q0", "0")  # values of the second field of runs and qrels, which name no document
PREFERENCE_IS = (
    "A line of preferences is `topic a b best` (best is a or b), or `topic winner loser`."
)
LETOR_LINE = r"^\s*([-+.\deE]+)\s+qid:(\S+)(?:\s[^#]*)?(?:#\s*(?:docid\s*=\s*)?(\S+).*)?$"


def _is_triples(file: File) -> bool:
    if _separator(file.first_row) is None:
        return False
    fields = [_fields(line, _separator(line) or " ") for line in _first_rows(file)]
    return bool(fields) and all(len(each) == 3 and is_number(each[2]) for each in fields)


def _separator(line: str) -> str | None:
    """Return the separator that splits a line into three fields, or None.

    The third field must be a number.
    """
    for separator in SEPARATORS:
        fields = _fields(line, separator)
        if len(fields) == 3 and is_number(fields[2]):
            return separator
    return None


def _first_rows(file: File) -> list[str]:
    lines = (line for _, line in file.source.lines() if not line.startswith(COMMENT))
    return list(islice(lines, LOOKED_AT))


def _fields(line: str, separator: str = " ") -> list[str]:
    if separator == " ":
        return re.findall(f"[^{BLANKS}]+", line)
    return [field.strip(BLANKS) for field in line.split(separator)]


def _read_triples(file: File, kind: Kind) -> Table:
    pattern = PATTERNS[_separator(file.first_row) or " "]
    rows, faults = split_lines(file, pattern, NUMBERED)
    said = {number: role for role, names in file.columns.items() for number in names}
    third = said.get("3") or ("grade" if kind == "qrels" else _third_of_run(rows, file.name))
    names = {"1": said.get("1", "topic"), "2": said.get("2", "document"), "3": third}
    guessed = kind == "run" and "3" not in said
    read_as = f"the file has three columns, which are read as topic, document and {third}"
    return Table(
        rows.select(NUMBERED).rename(names),
        rows["number"].to_numpy().astype(np.int64),
        notes=(note("columns-guessed", read_as, source=file.name),) if guessed else (),
        faults=faults.because("not three fields"),
        line_is="A line is: topic document number.",
    )


def _third_of_run(frame: pl.DataFrame, source: str) -> str:
    """Return `rank` if the third column is 1, 2, 3 … in each topic, otherwise `score`.

    It is an error if the numbers of each topic are consecutive, but in another order or from 0 on,
    because they may then be ranks or scores. If all topics have a single row, they are scores.
    """
    number = frame["3"].cast(pl.Int64, strict=False)
    if number.null_count():
        return "score"
    table = frame.select("1", number.alias("number"))
    place = pl.int_range(1, pl.len() + 1).over("1")
    if table.select((pl.col("number") == place).all()).item():
        return "rank"
    low, size = pl.col("number").min(), pl.len()
    counted = (pl.col("number").n_unique() == size) & (pl.col("number").max() - low + 1 == size)
    whole = table.group_by("1").agg(
        (counted & low.is_in([0, 1])).alias("counts"), size.alias("size")
    )
    if whole["counts"].all() and whole["size"].max() != 1:
        what = "the third column may have ranks or scores: its numbers are consecutive in each "
        what += "topic, but do not count from 1 in the order of the lines."
        purpose = "read it as ranks, or score=3 to read it as scores"
        remedy = naming_columns("topic=1,document=2,rank=3", purpose)
        raise InputError(source, what, remedy=remedy)
    return "score"


def is_preference_text(file: File) -> bool:
    """Return whether the first lines are preferences, or a header that names winner and loser.

    Lines of four fields are preferences if the last field repeats the second or the third. Last
    fields that are all numbers may be grades: they count as names of documents only if one of them
    is above 100. Lines of three fields are preferences if the third is not a number and the second
    is not Q0 or 0.
    """
    if _header(file):
        return True
    rows = [_fields(line) for line in _first_rows(file)]
    widths = {len(row) for row in rows}
    if widths == {3}:
        return not any(is_number(row[2]) or row[1].upper() in NO_NAMES for row in rows)
    if widths != {4} or any(row[3] not in row[1:3] or row[1] == row[2] for row in rows):
        return False
    names = [row[3] for row in rows]
    return not all(map(is_number, names)) or max(map(float, names)) > GREATEST_LABEL


def _header(file: File) -> list[str]:
    """Return the fields of the first line if they name a winner and a loser; otherwise, []."""
    fields = _fields(file.first_row)
    return fields if holds_preferences(fields, file.columns) else []


def _read_preferences(file: File, kind: Kind) -> Table:
    if kind == "run":
        what = "has preferences (a winner and a loser per line). A run is expected here."
        raise InputError(file.name, what, expected="run")
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
        what = "the preferred document is neither of the two documents"
        faults += bad_lines(strange, what)
        rows = rows.filter((best == first) | (best == second)).with_columns(
            pl.when(best == first).then(second).otherwise(first).alias("2"),
            best.alias("1"),
        )
    frame = rows.select(str(at) for at in range(width)).rename(
        {str(at): name for at, name in enumerate(names)}
    )
    lines = rows["number"].to_numpy().astype(np.int64)
    return Table(frame, lines, faults=faults, line_is=PREFERENCE_IS)


def _read_letor(file: File, kind: Kind) -> Table:
    value = "grade" if kind == "qrels" else "score"
    rows, faults = split_lines(file, LETOR_LINE, [value, "topic", "document"])
    nameless = bad_lines(rows.filter(pl.col("document").is_null()), "no document after #")
    named = rows.filter(pl.col("document").is_not_null())
    return Table(
        named.select("topic", "document", value),
        named["number"].to_numpy().astype(np.int64),
        faults=faults.because("no number and qid") + nameless,
        line_is=f"A line is: {value} qid:TOPIC features # DOCUMENT.",
    )


TRIPLES = Format("three columns", _is_triples, _read_triples)
PREFERENCES = Format("preferences", is_preference_text, _read_preferences)
LETOR = Format(
    "LETOR",
    lambda file: any(field.startswith("qid:") for field in file.first_row.split()[1:2]),
    _read_letor,
    (".letor", ".svmlight"),
)
