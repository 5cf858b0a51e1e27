"""Tables with a header: Parquet, Arrow, CSV and TSV.

Values in CSV and TSV are read as text, so that 007 does not become 7. A file without irregularities
is parsed by polars in one pass. Any other file is parsed by Python's csv module, record by record,
to find every malformed line. For a valid file, both return the same rows.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from rankwise.errors import Fault, Faults, InputError
from rankwise.formats.base import ARROW_START, PARQUET_START, File, Format, Table
from rankwise.formats.columns import holds_preferences, is_called
from rankwise.formats.source import MARK
from rankwise.formats.trec import is_number
from rankwise.lazy import pl
from rankwise.wording import Count

CSV_SUFFIXES = (".csv", ".tsv")
ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")
LINE_IS = "A line has a field for each column of the header."
Record = tuple[int, str, list[str] | None]  # number of its first line, its text, its fields


def read_csv(file: File) -> Table:
    """Read all columns as text; blank lines are skipped, malformed lines are faults."""
    header = header_of(file)
    if not header:
        raise InputError(file.name, "has no header with column names.")
    twice = next((name for name in header if name and header.count(name) > 1), None)
    if twice is not None:
        raise InputError(file.name, f"has two columns called {twice!r}. Rename or remove one.")
    clean = _parse_clean(file)
    return _parse_records(file, header) if clean is None else clean


def _parse_clean(file: File) -> Table | None:
    """Parse a file in which every line is a record; return None if a line may be irregular."""
    data = file.source.for_polars
    if data.count(b"\r") != data.count(b"\r\n") or b"\0" in data:
        return None
    try:
        table = pl.read_csv(data, separator=separator_of(file), infer_schema_length=0)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    header, _ = next(file.source.lines())
    ends = data.count(b"\n") + (not data.endswith(b"\n"))
    if b'"' in data and ends != header + table.height:  # a quoted field goes over several lines
        return None
    is_quoted_tsv = separator_of(file) == "\t" and b'"' in data
    if is_quoted_tsv and any(column.str.contains("\t", literal=True).any() for column in table):
        return None
    blank = table.select(pl.all_horizontal(pl.all().is_null())).to_series()
    lines = np.arange(header + 1, header + 1 + table.height, dtype=np.int64)
    return Table(table.filter(~blank), lines[~blank.to_numpy()], line_is=LINE_IS)


def _parse_records(file: File, header: Sequence[str]) -> Table:
    columns: list[list[str | None]] = [[] for _ in header]
    lines: list[int] = []
    faults: list[Fault] = []
    records = _records(file)
    next(records, None)  # the header
    for number, text, fields in records:
        what = _fault_of(text, fields, len(header), separator_of(file))
        if what or fields is None:
            faults.append(Fault(number, what, text[:200]))
            continue
        lines.append(number)
        for place, column in enumerate(columns):
            column.append(fields[place] or None if place < len(fields) else None)
    names = [name or f"unnamed {place}" for place, name in enumerate(header)]
    frame = pl.DataFrame(
        dict(zip(names, columns, strict=True)), schema=dict.fromkeys(names, pl.String)
    )
    return Table(frame, np.array(lines, np.int64), faults=Faults.of(faults), line_is=LINE_IS)


def _records(file: File) -> Iterator[Record]:
    """Yield the records that are not blank; the fields of a malformed record are None."""
    data = file.source.data.removeprefix(MARK)
    texts = [line.decode("utf-8", "replace") for line in data.split(b"\n")]
    reader = csv.reader((f"{text}\n" for text in texts), delimiter=separator_of(file), strict=True)
    while True:
        start = reader.line_num
        fields: list[str] | None = None
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error:
            pass
        text = "\n".join(texts[start : max(start + 1, reader.line_num)])
        if text.strip():
            yield start + 1, text.strip("\r"), fields


def _fault_of(text: str, fields: list[str] | None, width: int, separator: str) -> str:
    """Describe the error in a record; return an empty text for a valid record."""
    if "\ufffd" in text:
        return "not UTF-8 text"
    if fields is None:
        return "unbalanced quotes" if '"' in text else "a carriage return inside the line"
    if len(fields) > width:
        return f"{Count(len(fields), 'field')} instead of {width}"
    if separator == "\t" and any("\t" in field or "\n" in field for field in fields):
        return "a quoted field that contains a tab or the end of the line"
    return ""


def separator_of(file: File) -> str:
    if file.suffix == ".tsv" or "\t" in file.first_line:
        return "\t"
    return ";" if ";" in file.first_line and "," not in file.first_line else ","


def header_of(file: File) -> list[str]:
    try:
        return next(csv.reader([file.first_line], delimiter=separator_of(file)), [])
    except csv.Error:  # a carriage return among blanks: no header of a table
        return []


def line_fault(line: str, file: File) -> str:
    """Describe the error in a line that is a whole record; return an empty text if it is valid."""
    if "\ufffd" in line:
        return "not UTF-8 text"
    try:
        [fields] = csv.reader([line], delimiter=separator_of(file))
    except csv.Error:
        return "a carriage return inside the line"
    width = len(header_of(file))
    return "" if len(fields) == width else f"{Count(len(fields), 'field')} instead of {width}"


def _read_binary(file: File, called: str, read: Callable[[bytes], pl.DataFrame]) -> Table:
    """Read a binary table; replace the errors of polars by one that users understand."""
    data = file.source.data
    try:
        return Table(read(data))
    except (Exception, pl.exceptions.PanicException):
        what = f"cannot be read as {called}: it is damaged, truncated, or in another format."
        raise InputError(file.name, what) from None


def _is_csv(file: File) -> bool:
    """Return whether the first line is a header, in which no name is a number.

    In a .csv or .tsv file the header must name the topic or the document. In other files it must
    name the topic, and the document or a winner and a loser.
    """
    header = header_of(file)
    if len(header) < 2 or any(is_number(name) for name in header):
        return False
    named = [
        any(is_called(name, role, file.columns) for name in header)
        for role in ("topic", "document")
    ]
    if file.suffix in CSV_SUFFIXES:
        return any(named)
    return all(named) or (named[0] and holds_preferences(header, file.columns))


PARQUET = Format(
    "parquet",
    lambda file: file.suffix == ".parquet" or file.source.head.startswith(PARQUET_START),
    lambda file, _: _read_binary(file, "parquet", pl.read_parquet),
    (".parquet",),
)
ARROW = Format(
    "Arrow",
    lambda file: file.suffix in ARROW_SUFFIXES or file.source.head.startswith(ARROW_START),
    lambda file, _: _read_binary(file, "Arrow", pl.read_ipc),
    ARROW_SUFFIXES,
)
CSV = Format("CSV", _is_csv, lambda file, _: read_csv(file), CSV_SUFFIXES)
