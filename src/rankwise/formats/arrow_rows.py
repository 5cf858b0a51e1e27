"""Tables in the memory layout of Arrow, for the kernel: frames, and files read slice by slice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any, NamedTuple

from rankwise.errors import InputError
from rankwise.formats.base import ARROW_START, PARQUET_START, File, Part, WithColumns
from rankwise.formats.python_objects import ArrowSource, is_of
from rankwise.lazy import pl

WHOLE = Part()


class RowColumns(NamedTuple):
    """Index of each column in a table; -1 if missing."""

    topic: int
    document: int
    value: int  # the score of a run, the grade of judgments
    rank: int = -1
    run: int = -1


@dataclass(frozen=True, eq=False, repr=False)
class ArrowRows:
    """Rows whose columns have been found.

    `part(start, count)` returns `count` rows as an object with `__arrow_c_stream__`.
    """

    columns: RowColumns
    height: int
    part: Callable[[int, int], Any]


def rows_of_run(given: Any, order: str) -> ArrowRows | None:
    """Return the rows of a frame or a file of a run; None for what the kernel does not read.

    The columns are those that `pick_columns` takes.
    """
    from rankwise.formats.trec import columns_of_run

    return _arrow_rows(given, "score", columns_of_run(order), ["run"])


def rows_of_qrels(given: Any) -> ArrowRows | None:
    """Return the rows of a frame or a file of judgments; None for what the kernel does not read."""
    return _arrow_rows(given, "grade", ["topic", "document", "grade"], [])


class _Table(NamedTuple):
    """Columns by name, number of rows, and access to parts of both."""

    names: Sequence[str]
    height: int
    part: Callable[[Sequence[str], int, int], Any]


def _arrow_rows(given: Any, value: str, wanted: list[str], optional: list[str]) -> ArrowRows | None:
    columns: Mapping[str, tuple[str, ...]] = {}
    if isinstance(given, File | WithColumns):
        columns = given.columns
        if given.part != WHOLE:
            return None
    plain = given.given if isinstance(given, WithColumns) else given
    try:
        table = _of_file(plain) if isinstance(plain, File) else _of_frame(plain)
        if table is None:
            return None
        return _picked(table, value, wanted, optional, columns)
    except InputError:  # the Python reader has the words
        return None


def _picked(
    table: _Table,
    value: str,
    wanted: list[str],
    optional: list[str],
    columns: Mapping[str, tuple[str, ...]],
) -> ArrowRows:
    from rankwise.formats.columns import SUBTOPICS, find_columns

    if value == "grade" and not set(SUBTOPICS).isdisjoint(map(str.lower, table.names)):
        raise InputError("", "may have subtopics, which the kernel does not read.")
    header = pl.DataFrame(schema=dict.fromkeys(table.names, pl.String))
    found = find_columns(header, "", wanted, optional, columns)
    names = list(dict.fromkeys(found.values()))
    places = {role: names.index(name) for role, name in found.items()}
    of_roles = [places.get(role, -1) for role in ("topic", "document", value, "rank", "run")]
    return ArrowRows(RowColumns(*of_roles), table.height, partial(table.part, names))


def _of_file(file: File) -> _Table | None:
    """Parquet, or a file of Arrow: its bytes are in memory, its rows are not.

    polars is not given the path: see `Source.for_polars`.
    """
    if file.suffix == ".parquet" or file.source.head.startswith(PARQUET_START):
        scan: Callable[[BytesIO], pl.LazyFrame] = partial(pl.scan_parquet, parallel="none")
    elif file.source.head.startswith(ARROW_START):
        scan = pl.scan_ipc
    else:
        return None
    try:
        lazy = scan(BytesIO(file.source.data))  # slices are read by threads of ours
        names = lazy.collect_schema().names()
        height = int(lazy.select(pl.len()).collect().item())
    except (Exception, pl.exceptions.PanicException):
        return None

    def part(columns: Sequence[str], start: int, count: int) -> Any:
        return lazy.select(columns).slice(start, count).collect()

    return _Table(names, height, part)


def _of_frame(given: Any) -> _Table | None:
    """A frame of polars, pandas or Arrow, without a copy of its texts."""
    if isinstance(given, ArrowSource):
        given = given.frame
    if is_of("polars", ("DataFrame", "LazyFrame"), given):
        frame = given.collect() if hasattr(given, "collect") else given
        return _Table(
            frame.columns,
            frame.height,
            lambda columns, start, count: frame.select(columns).slice(start, count),
        )
    if is_of("pandas", ("DataFrame",), given):
        return _of_pandas(given)
    return _of_pyarrow(given) if is_of("pyarrow", ("Table", "RecordBatch"), given) else None


def _of_pyarrow(table: Any) -> _Table | None:
    names = getattr(table, "column_names", None)
    if names is None or len(set(names)) < len(names):
        return None
    return _Table(
        names,
        table.num_rows,
        lambda columns, start, count: table.select(list(columns)).slice(start, count),
    )


def _of_pandas(frame: Any) -> _Table | None:
    """None without pyarrow, and where a column has no type of Arrow."""
    names = list(map(str, getattr(frame, "columns", ())))
    if len(set(names)) < len(names):
        return None
    try:
        import pyarrow

        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    except Exception:
        return None
    return _of_pyarrow(table)
