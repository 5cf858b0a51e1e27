"""Tables with a header: parquet, Arrow, CSV and TSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence

import numpy as np

from rankwise.errors import Fault, InputError
from rankwise.formats.columns import is_called
from rankwise.formats.format import File, Format, Table
from rankwise.formats.source import Kind, Lines
from rankwise.formats.trec import is_number
from rankwise.lazy import pl

CSV_SUFFIXES = (".csv", ".tsv")
ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")


def _is_parquet(file: File) -> bool:
    return file.suffix == ".parquet" or file.source.head[:4] == b"PAR1"


def _read_parquet(file: File, kind: Kind) -> Table:
    try:
        return Table(pl.read_parquet(file.source.for_polars))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(file, ".parquet", error) from None


def _is_arrow(file: File) -> bool:
    return file.suffix in ARROW_SUFFIXES or file.source.head[:6] == b"ARROW1"


def _read_arrow(file: File, kind: Kind) -> Table:
    try:
        return Table(pl.read_ipc(file.source.for_polars))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(file, file.suffix or "Arrow", error) from None


def _is_csv(file: File) -> bool:
    """A header names its columns: none of them is a number, as in every line of TREC text.

    A file of another name is a table where its first line names both topic and document.
    """
    header = header_of(file)
    if len(header) < 2 or any(is_number(name) for name in header):
        return False
    named = [
        any(is_called(name, role, file.columns) for name in header)
        for role in ("topic", "document")
    ]
    return any(named) if file.suffix in CSV_SUFFIXES else all(named)


def _read_csv_table(file: File, kind: Kind) -> Table:
    frame, lines = read_csv(file)
    return Table(frame, lines)


def read_csv(file: File) -> tuple[pl.DataFrame, Lines]:
    """All columns as text, because 007 must not become 7; blank lines are left out."""
    try:
        table = pl.read_csv(
            file.source.for_polars, separator=_separator(file), infer_schema_length=0
        )
    except pl.exceptions.PolarsError as error:
        faults = [
            Fault(number, what, line)
            for number, line in file.source.lines()
            if (what := line_fault(line, file))
        ]
        raise _unreadable(file, file.suffix or "CSV", error, faults) from None
    header, _ = next(file.source.lines())
    blank = table.select(pl.all_horizontal(pl.all().is_null())).to_series()
    lines = np.arange(header + 1, header + 1 + table.height, dtype=np.int64)
    return table.filter(~blank), lines[~blank.to_numpy()]


def _separator(file: File) -> str:
    if file.suffix == ".tsv" or "\t" in file.first_line:
        return "\t"
    return ";" if ";" in file.first_line and "," not in file.first_line else ","


def header_of(file: File) -> list[str]:
    try:
        return next(csv.reader([file.first_line], delimiter=_separator(file)), [])
    except csv.Error:  # a carriage return among blanks: no header of a table
        return []


def line_fault(line: str, file: File) -> str:
    """What is wrong with a line of CSV; nothing where all is right."""
    if "\ufffd" in line:
        return "not UTF-8 text"
    [fields] = csv.reader([line], delimiter=_separator(file))
    width = len(header_of(file))
    return "" if len(fields) == width else f"{len(fields)} fields where {width} are expected"


def _unreadable(
    file: File, called: str, error: Exception, faults: Sequence[Fault] = ()
) -> InputError:
    """What polars did not like, with every line that can be blamed for it."""
    reason = str(error).splitlines()[0]
    return InputError(file.name, f"cannot be read as {called}: {reason}", faults)


PARQUET = Format("parquet", _is_parquet, _read_parquet, (".parquet",))
ARROW = Format("Arrow", _is_arrow, _read_arrow, ARROW_SUFFIXES)
CSV = Format("CSV", _is_csv, _read_csv_table, CSV_SUFFIXES)
