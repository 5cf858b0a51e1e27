"""Three columns without a header: topic, document and a grade, a score or a rank.

MS MARCO's runs have this form, with ranks, separated by tabs. Commas, semicolons and blanks are
accepted too.
"""

from __future__ import annotations

import re
from itertools import islice

import numpy as np

from rankwise.errors import InputError
from rankwise.formats.base import File, Format, Table, split_lines
from rankwise.formats.columns import naming_columns
from rankwise.formats.source import BLANKS, COMMENT, Kind
from rankwise.formats.trec import is_number
from rankwise.lazy import pl
from rankwise.notes import note

LOOKED_AT = 20  # lines, before a file is called that
SEPARATORS = ("\t", ",", ";", " ")
PATTERNS = {
    sign: rf"^\s*([^{sign}]+?)\s*{sign}\s*([^{sign}]+?)\s*{sign}\s*([^{sign}]+?)\s*$"
    for sign in ("\t", ",", ";")
} | {" ": r"^(\S+)\s+(\S+)\s+(\S+)$"}
NUMBERED = ["1", "2", "3"]  # what its columns are called


def _is_triples(file: File) -> bool:
    if _separator(file.first_row) is None:
        return False
    lines = (line for _, line in file.source.lines() if not line.startswith(COMMENT))
    fields = [_fields(line, _separator(line) or " ") for line in islice(lines, LOOKED_AT)]
    return bool(fields) and all(len(each) == 3 and is_number(each[2]) for each in fields)


def _separator(line: str) -> str | None:
    """Return the separator that splits a line into three, the last a number; None if none does."""
    for separator in SEPARATORS:
        fields = _fields(line, separator)
        if len(fields) == 3 and is_number(fields[2]):
            return separator
    return None


def _fields(line: str, separator: str) -> list[str]:
    if separator == " ":
        return re.findall(f"[^{BLANKS}]+", line)
    return [field.strip(BLANKS) for field in line.split(separator)]


def _read(file: File, kind: Kind) -> Table:
    pattern = PATTERNS[_separator(file.first_row) or " "]
    rows, faults = split_lines(file, pattern, NUMBERED)
    said = {number: role for role, names in file.columns.items() for number in names}
    third = said.get("3") or ("grade" if kind == "qrels" else _third_of_run(rows, file.name))
    names = {"1": said.get("1", "topic"), "2": said.get("2", "document"), "3": third}
    guessed = kind == "run" and "3" not in said
    read_as = f"three columns, read as topic, document and {third}"
    return Table(
        rows.select(NUMBERED).rename(names),
        rows["number"].to_numpy().astype(np.int64),
        notes=(note("columns-guessed", read_as, source=file.name),) if guessed else (),
        faults=faults.because("no three fields"),
        line_is="Its first lines are: topic document and a number.",
    )


def _third_of_run(frame: pl.DataFrame, source: str) -> str:
    """Read the third column: ranks count 1, 2, 3 … in each topic; another order is ambiguous."""
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
        what = "the third column counts the documents of each topic, but not from 1 downwards"
        remedy = naming_columns("topic=1,document=2,rank=3", "say that these are ranks, or score=3")
        raise InputError(source, f"{what}.", remedy=remedy)
    return "score"


TRIPLES = Format("three columns", _is_triples, _read)
