"""Python objects: data frames, dicts and iterables of records, recognised by structure.

`arrow_rows` prepares data frames, and Parquet and Arrow files, for the compiled (C) code that joins
runs with judgments.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, partial
from io import BytesIO
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from rankwise.errors import InputError, shorten
from rankwise.formats.base import ARROW_START, PARQUET_START, WHOLE, File, WithColumns
from rankwise.formats.columns import (
    SUBTOPICS,
    Columns,
    candidates_for,
    find_columns,
    holds_preferences,
    is_called,
)
from rankwise.formats.source import Kind
from rankwise.formats.trec import columns_of_run
from rankwise.lazy import pl

VALUE: dict[Kind, str] = {"run": "score", "qrels": "grade"}
NAMES = str | int | np.integer

# Classes with an Arrow stream, by library. Objects of other classes become an `ArrowSource`.
FRAMES = {
    "polars": ("DataFrame", "LazyFrame", "Series"),
    "pandas": ("DataFrame", "Series"),
    "pyarrow": ("Table", "RecordBatch", "RecordBatchReader", "ChunkedArray", "Array"),
}


@dataclass(frozen=True, eq=False, repr=False)
class ArrowSource:
    """An object with `__arrow_c_stream__`, such as a query's result; it is read at most once."""

    given: Any

    @cached_property
    def frame(self) -> pl.DataFrame | None:
        """All rows as a polars frame; the stream is read on first use."""
        return to_polars(self.given)


def is_arrow_source(given: Any) -> bool:
    """Return whether an object has an Arrow stream, and is not of polars, pandas or pyarrow."""
    if not hasattr(given, "__arrow_c_stream__"):
        return False
    return not any(is_of(library, kinds, given) for library, kinds in FRAMES.items())


def is_of(library: str, kinds: tuple[str, ...], given: Any) -> bool:
    """Return whether an object is of one of these classes; False if the library is not loaded."""
    module = sys.modules.get(library)
    return module is not None and isinstance(given, tuple(getattr(module, kind) for kind in kinds))


def to_polars(given: Any) -> pl.DataFrame | None:
    """Convert a frame of polars, pandas, Arrow or Hugging Face; return None for other objects."""
    if isinstance(given, ArrowSource):
        return given.frame
    is_lazy = hasattr(given, "collect_schema")  # a test that does not import polars
    if not is_lazy and not hasattr(given, "__arrow_c_stream__"):
        if hasattr(given, "__arrow_c_array__"):  # a batch of rows; an array is no frame
            try:
                return pl.DataFrame(given)
            except pl.exceptions.SchemaError:
                return None
        # Hugging Face's datasets have no Arrow stream of their own.
        found = given.to_polars() if hasattr(given, "to_polars") else None
        return found if found is not None and isinstance(found, pl.DataFrame) else None
    if isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, pl.LazyFrame):
        return given.collect()
    try:
        return pl.DataFrame(given)
    except (ImportError, TypeError, ValueError):  # pandas without pyarrow; a column of mixed types
        return _of_columns({name: given[name].to_list() for name in given.columns})


def _of_columns(columns: Mapping[Any, Sequence[Any]]) -> pl.DataFrame:
    """Build a frame from lists of values.

    A column that mixes lists, dicts or booleans with other types gets the type Object, because
    polars would convert these values to text or numbers.
    """
    series = []
    for name, values in columns.items():
        kinds = set(map(type, values)) - {type(None)}
        odd = len(kinds) > 1 and any(issubclass(k, list | tuple | dict | bool) for k in kinds)
        kind = pl.Object if odd else None
        series.append(pl.Series(str(name), values, dtype=kind, strict=False))
    return pl.DataFrame(series)


def is_record(given: Any, columns: Columns) -> bool:
    """Return whether an object is a named tuple, or a dict that names a topic or a document."""
    if isinstance(given, Mapping):
        plain = [str(name) for name, value in given.items() if isinstance(value, str | int)]
        return any(is_called(n, role, columns) for n in plain for role in ("topic", "document"))
    return isinstance(given, tuple) and hasattr(given, "_fields")


def from_records(given: Iterable[Any], source: str, columns: Columns) -> pl.DataFrame:
    """Build a frame from named tuples (such as those of ir_datasets) or dicts, one row each."""
    rows = [_as_dict(row, source) for row in given]
    for number, row in enumerate(rows, 1):
        if what := wrong_value(row, columns):
            raise InputError(source, f"record {number}: {what}.")
    try:
        return pl.DataFrame(rows, strict=False, infer_schema_length=None)
    except (TypeError, pl.exceptions.PolarsError):
        what = (
            "its records have values of different types under the same name, for example a list "
            "and a number."
        )
        raise InputError(source, what) from None


def wrong_value(row: Mapping[str, Any], columns: Columns) -> str:
    """Describe the first wrong value that polars would convert without an error, or return "".

    Lists, objects and booleans are wrong as topics, documents, scores and ranks.
    """
    for name, value in row.items():
        if not isinstance(value, bool | list | tuple | Mapping):
            continue
        for role in ("topic", "document", "score", "rank"):
            if name in columns.get(role, candidates_for(role, [str(each) for each in row])):
                return f"column {name} has {_shown(value)}, which cannot be a {role}"
    return ""


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "an object" if isinstance(value, Mapping) else "a list"


def _as_dict(row: Any, source: str) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return row
    if not hasattr(row, "_fields"):
        what = f"has {_kind(row)} where a record with named values is expected"
        raise InputError(source, f"{what}: a dict, a named tuple or a JSON object.")
    return dict(zip(row._fields, row, strict=True))


def _kind(found: Any) -> str:
    kinds = {int: "a number", float: "a number", str: "text", list: "a list", bool: "a boolean"}
    kinds[type(None)] = "no value"
    return kinds.get(type(found), f"a value of type {type(found).__name__}")


def from_mapping(
    given: Mapping[Any, Any], source: str, kind: Kind, columns: Columns
) -> pl.DataFrame:
    """Build a frame from a dict of any of these forms:

    {topic: {document: value}}, as in pytrec_eval, ranx and BEIR;
    {topic: [documents]}: the ranking of a run, best first, or the relevant documents;
    {topic: {documents}}: a set of relevant documents, only for judgments;
    {topic: [(document, value), …]};
    {column: [values]}, as in Hugging Face's datasets.
    """
    if is_table_of_columns(given, columns):
        return _of_columns({name: list(v) for name, v in given.items()})
    if given and all(is_list(documents) for documents in given.values()):
        return _from_lists(given, source, kind)
    for topic, documents in given.items():
        if not isinstance(documents, Mapping):
            form = f"{{topic: {{document: {VALUE[kind]}}}}}"
            what = f"topic {topic!r} has {_kind(documents)} instead of documents. Give {form}."
            raise InputError(source, what)
    return _from_nested(given, source, kind)


def is_table_of_columns(given: Mapping[Any, Any], columns: Columns) -> bool:
    """Return whether a dict is {column: [values]}, and not {topic: [documents]}."""
    lengths = {len(v) if is_list(v) or isinstance(v, np.ndarray) else -1 for v in given.values()}
    topic, document = (
        any(is_called(str(n), role, columns) for n in given) for role in ("topic", "document")
    )
    named = topic and (document or holds_preferences(list(map(str, given)), columns))
    return len(lengths) == 1 and -1 not in lengths and named


def is_list(given: Any) -> bool:
    """Return whether an object is a sequence or a set, except text and bytes."""
    return isinstance(given, Sequence | AbstractSet) and not isinstance(given, str | bytes)


def _from_lists(given: Mapping[Any, Any], source: str, kind: Kind) -> pl.DataFrame:
    first = next((item for documents in given.values() for item in documents), None)
    if is_list(first):
        return _from_nested(_pairs(given, source), source, kind)
    sets = [topic for topic, documents in given.items() if isinstance(documents, AbstractSet)]
    if sets and kind == "run":
        what = f"topic {sets[0]!r} has a set of documents, which has no order."
        raise InputError(source, f"{what} Give a list, best document first.")
    lists = list(given.values())
    value = [1 if kind == "qrels" else -place for each in lists for place in range(len(each))]
    names, topics = list(chain.from_iterable(lists)), [str(topic) for topic in given]
    lengths = [len(each) for each in lists]
    return _frame(topics, lengths, names, pl.Series(value, dtype=pl.Float64), source, kind)


def _pairs(given: Mapping[Any, Any], source: str) -> Mapping[Any, Any]:
    """Convert {topic: [(document, value), …]} to {topic: {document: value}}."""
    for topic, documents in given.items():
        wrong = [item for item in documents if not is_list(item) or len(item) != 2]
        wrong += [x for x in documents if is_list(x) and x and not isinstance(x[0], NAMES)]
        if wrong or len({name for name, _ in documents}) < len(documents):
            held = f"has {shorten(repr(wrong[0]))}" if wrong else "has a document twice"
            what = f"topic {topic!r} {held}. Give one pair (document, value) for each document."
            raise InputError(source, what)
    return {topic: dict(documents) for topic, documents in given.items()}


def _from_nested(given: Mapping[Any, Any], source: str, kind: Kind) -> pl.DataFrame:
    lengths = [len(documents) for documents in given.values()]
    names = list(chain.from_iterable(given.values()))
    values = chain.from_iterable(documents.values() for documents in given.values())
    if kind == "run":
        _refuse_truth(given, source)
    try:
        column = pl.Series(np.fromiter(values, np.float64, len(names)))
    except (TypeError, ValueError, OverflowError):  # not all are numbers: `pick_columns` says which
        texts = [str(value) for documents in given.values() for value in documents.values()]
        column = pl.Series(texts, dtype=pl.String)
    return _frame([str(topic) for topic in given], lengths, names, column, source, kind)


def _refuse_truth(given: Mapping[Any, Any], source: str) -> None:
    """Raise an error for booleans as scores; Python would convert them to numbers."""
    for topic, documents in given.items():
        if {bool, np.bool_} & set(map(type, documents.values())):
            name = next(n for n, score in documents.items() if isinstance(score, bool | np.bool_))
            what = f"document {name!r} of topic {topic!r} has {documents[name]!r} as its score"
            raise InputError(source, f"{what}; a score is a number.")


def _wrong_name(topics: list[str], lengths: list[int], names: list[Any]) -> str:
    place = next((at for at, name in enumerate(names) if not isinstance(name, str)), None)
    if place is None:
        return "the name of a document is not valid text."
    topic = topics[int(np.searchsorted(np.cumsum(lengths), place, side="right"))]
    kind = type(names[place]).__name__
    return f"topic {topic}: the document ID {names[place]!r} has the type {kind}. Use text."


def _frame(
    topics: list[str],
    lengths: list[int],
    names: list[Any],
    values: pl.Series,
    source: str,
    kind: Kind,
) -> pl.DataFrame:
    try:
        documents = pl.Series(names, dtype=pl.String)
    except (TypeError, UnicodeEncodeError):
        raise InputError(source, _wrong_name(topics, lengths, names)) from None
    topic = pl.Series(topics, dtype=pl.String).gather(np.repeat(np.arange(len(lengths)), lengths))
    return pl.DataFrame({"topic": topic, "document": documents, VALUE[kind]: values})


class RowColumns(NamedTuple):
    """Index of each column in a table; −1 if the column is missing.

    `value` is the score in a run, and the grade in judgments.
    """

    topic: int
    document: int
    value: int  # the score of a run, the grade of judgments
    rank: int = -1
    run: int = -1


@dataclass(frozen=True, eq=False, repr=False)
class ArrowRows:
    """An Arrow table of `height` rows, and the indices of its columns.

    `part(start, count)` returns `count` rows from row `start` on, as an object with
    `__arrow_c_stream__`.
    """

    columns: RowColumns
    height: int
    part: Callable[[int, int], Any]


class _Table(NamedTuple):
    """A table: names of columns, number of rows, and a function that reads a part.

    `part(columns, start, count)` returns these columns of `count` rows.
    """

    names: Sequence[str]
    height: int
    part: Callable[[Sequence[str], int, int], Any]


def arrow_rows(given: Any, kind: Kind, order: str = "score") -> ArrowRows | None:
    """Return the rows of a data frame, or of a Parquet or Arrow file, for rankwise's compiled code.

    Return None if this code cannot read them: they are then read by Python.
    """
    wanted = columns_of_run(order) if kind == "run" else ["topic", "document", "grade"]
    columns: Columns = {}
    if isinstance(given, File | WithColumns):
        columns = given.columns
        if given.part != WHOLE:
            return None
    plain = given.given if isinstance(given, WithColumns) else given
    try:
        table = _of_file(plain) if isinstance(plain, File) else _of_frame(plain)
        # The kernel does not read judgments of subtopics.
        if table is None or (kind == "qrels" and {*SUBTOPICS} & {*map(str.lower, table.names)}):
            return None
        header = pl.DataFrame(schema=dict.fromkeys(table.names, pl.String))
        found = find_columns(header, "", wanted, ["run"] if kind == "run" else [], columns)
    except InputError:  # the Python reader will report it
        return None
    names = list(dict.fromkeys(found.values()))
    places = {role: names.index(name) for role, name in found.items()}
    of_roles = [places.get(role, -1) for role in ("topic", "document", VALUE[kind], "rank", "run")]
    return ArrowRows(RowColumns(*of_roles), table.height, partial(table.part, names))


def _of_file(file: File) -> _Table | None:
    """Return the table of a Parquet or Arrow file; None for another file, or a damaged one.

    The bytes of the file are read now (see `Source.for_polars`), but rows are parsed later.
    """
    if file.suffix == ".parquet" or file.source.head.startswith(PARQUET_START):
        scan: Callable[[BytesIO], pl.LazyFrame] = partial(pl.scan_parquet, parallel="none")
    elif file.source.head.startswith(ARROW_START):
        scan = pl.scan_ipc
    else:
        return None
    try:
        lazy = scan(BytesIO(file.source.data))  # slices are read in threads of rankwise
        names = lazy.collect_schema().names()
        height = int(lazy.select(pl.len()).collect().item())
    except (Exception, pl.exceptions.PanicException):
        return None

    def part(columns: Sequence[str], start: int, count: int) -> Any:
        return lazy.select(columns).slice(start, count).collect()

    return _Table(names, height, part)


def _of_frame(given: Any) -> _Table | None:
    """Return the table of a frame of polars, pandas or Arrow; None for another object."""
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
    """Return the table of a pandas frame; None if pyarrow is missing or cannot convert it."""
    names = list(map(str, getattr(frame, "columns", ())))
    if len(set(names)) < len(names):
        return None
    try:
        import pyarrow

        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    except Exception:
        return None
    return _of_pyarrow(table)
