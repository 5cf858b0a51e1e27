"""Tables with a header: parquet, Arrow, CSV and TSV."""

from __future__ import annotations

from collections.abc import Callable

from rankwise.errors import InputError
from rankwise.formats.base import ARROW_START, PARQUET_START, File, Format, Table
from rankwise.formats.columns import holds_preferences, is_called
from rankwise.formats.csv import header_of, read_csv
from rankwise.formats.source import Kind
from rankwise.formats.trec import is_number
from rankwise.lazy import pl

CSV_SUFFIXES = (".csv", ".tsv")
ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")


def _is_parquet(file: File) -> bool:
    return file.suffix == ".parquet" or file.source.head.startswith(PARQUET_START)


def _read_parquet(file: File, kind: Kind) -> Table:
    return _read_binary(file, "parquet", pl.read_parquet)


def _is_arrow(file: File) -> bool:
    return file.suffix in ARROW_SUFFIXES or file.source.head.startswith(ARROW_START)


def _read_arrow(file: File, kind: Kind) -> Table:
    return _read_binary(file, "Arrow", pl.read_ipc)


def _read_binary(file: File, called: str, read: Callable[[bytes], pl.DataFrame]) -> Table:
    """Read a binary table; replace polars' errors, which describe its internals."""
    data = file.source.data
    try:
        return Table(read(data))
    except (Exception, pl.exceptions.PanicException):
        what = f"cannot be read as {called}: it is damaged, cut short, or something else."
        raise InputError(file.name, what) from None


def _is_csv(file: File) -> bool:
    """Whether the first line is a header: no column is a number, unlike lines of TREC text.

    A file with another suffix is a table if its first line names both topic and document, or a
    winner and a loser.
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


def _read_csv_table(file: File, kind: Kind) -> Table:
    return read_csv(file).table()


PARQUET = Format("parquet", _is_parquet, _read_parquet, (".parquet",))
ARROW = Format("Arrow", _is_arrow, _read_arrow, ARROW_SUFFIXES)
CSV = Format("CSV", _is_csv, _read_csv_table, CSV_SUFFIXES)
