"""Tables with named columns: parquet, Arrow, CSV, JSON lines, data frames, dicts, matrices."""

import csv
import json
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl

from rankwise.errors import Fault, InputError, did_you_mean
from rankwise.formats.source import Lines, Source, open_source
from rankwise.formats.trec import MUST_BE, TYPES, about_fractions

# What people call the columns, BEIR, ir_datasets, ranx and trec_eval's papers among them.
SPELLINGS = {
    "topic": ["topic", "query-id", "query_id", "queryid", "qid", "q_id", "query", "topic_id"],
    "document": [
        *["document", "corpus-id", "corpus_id", "doc_id", "doc-id", "docid", "docno", "did"],
        *["document_id", "doc", "pid", "item_id"],
    ],
    "grade": ["grade", "relevance", "rel", "label", "score"],
    "score": ["score", "sim", "similarity"],
    "rank": ["rank"],
    "run": ["run", "tag", "run_id", "runid", "system"],
}
# Which of two candidates is not meant, beside which others.
GIVES_WAY = {
    "topic": ("query", SPELLINGS["topic"]),  # the words of the topic, where another names it
    "document": ("docid", ["docno"]),  # PyTerrier's number of a document, and its name
    "grade": ("score", SPELLINGS["grade"]),  # BEIR's grade, where no other is: a run's score
}
SUBTOPICS = ["subtopic", "subtopic_id", "subtopic-id", "intent", "intent_id", "iteration"]
TEXT_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson")
SUFFIXES = (".parquet", ".arrow", ".feather", ".ipc", *TEXT_SUFFIXES)


def is_table(given: str | Path) -> bool:
    """Whether a path names a table with a header rather than TREC text.

    A .csv or .tsv file without known column names in its first line is TREC text.
    """
    suffix = suffix_of(given)
    if suffix in {".csv", ".tsv"}:
        header = header_of(open_source(given), suffix)
        return any(name.strip().lower() in SPELLINGS["document"] for name in header)
    return suffix != ""


def suffix_of(given: str | Path) -> str:
    known = [s.lower() for s in Path(given).suffixes if s.lower() in SUFFIXES]
    return known[-1] if known else ""


def read_table(given: str | Path) -> tuple[pl.DataFrame, Lines | None]:
    """The table in a file, columns as they are, and the line of each row where it has lines."""
    source, suffix = open_source(given), suffix_of(given)
    if not (source.first_line if suffix in TEXT_SUFFIXES else source.data):
        raise InputError(source.name, "is empty.")
    if suffix in {".csv", ".tsv"}:
        return read_csv(source, suffix)
    try:
        if suffix == ".parquet":
            return pl.read_parquet(source.for_polars), None
        if suffix in {".jsonl", ".ndjson"}:
            return _read_json_lines(source), None
        return pl.read_ipc(source.for_polars), None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _unreadable(source, suffix, error) from None


def read_csv(source: Source, suffix: str) -> tuple[pl.DataFrame, Lines]:
    """All columns as text, because 007 must not become 7; blank lines are left out."""
    try:
        table = pl.read_csv(
            source.for_polars, separator=_separator(source, suffix), infer_schema_length=0
        )
    except pl.exceptions.PolarsError as error:
        raise _unreadable(source, suffix, error) from None
    header, _ = next(source.lines())
    blank = table.select(pl.all_horizontal(pl.all().is_null())).to_series()
    lines = np.arange(header + 1, header + 1 + table.height, dtype=np.int64)
    return table.filter(~blank), lines[~blank.to_numpy()]


def _read_json_lines(source: Source) -> pl.DataFrame:
    table = pl.read_ndjson(source.for_polars, infer_schema_length=None)
    if not sum(table.null_count().row(0)):
        return table
    # Before 1.30 polars makes null of a number in a column that turns out to be text.
    rows = [json.loads(line) for _, line in source.lines()]
    return pl.DataFrame(rows, strict=False, infer_schema_length=None)


def _separator(source: Source, suffix: str) -> str:
    return "\t" if suffix == ".tsv" or "\t" in source.first_line else ","


def header_of(source: Source, suffix: str) -> list[str]:
    return next(csv.reader([source.first_line], delimiter=_separator(source, suffix)), [])


def _unreadable(source: Source, suffix: str, error: Exception) -> InputError:
    """What polars did not like, with every line that can be blamed for it."""
    faults = []
    if suffix in TEXT_SUFFIXES:
        for number, line in source.lines():
            what = line_fault(line, source, suffix)
            if what:
                faults.append(Fault(number, what, line))
    reason = str(error).splitlines()[0]
    return InputError(source.name, f"cannot be read as {suffix}: {reason}", faults)


def line_fault(line: str, source: Source, suffix: str) -> str:
    if "\ufffd" in line:
        return "not UTF-8 text"
    if suffix in {".jsonl", ".ndjson"}:
        try:
            found = json.loads(line, parse_constant=_refuse)
        except ValueError:
            found = None
        return "" if isinstance(found, dict) else "not a JSON object"
    [fields] = csv.reader([line], delimiter=_separator(source, suffix))
    width = len(header_of(source, suffix))
    return "" if len(fields) == width else f"{len(fields)} fields where {width} are expected"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def to_polars(given: Any) -> pl.DataFrame | None:
    """A polars frame from a polars, pandas or Arrow one; None for anything else."""
    if isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, pl.LazyFrame):
        return given.collect()
    if not hasattr(given, "__arrow_c_stream__"):
        return None
    try:
        return pl.DataFrame(given)
    except (ImportError, TypeError, ValueError):  # pandas without pyarrow; a column of mixed types
        columns = {name: given[name].to_list() for name in given.columns}
        return pl.DataFrame(columns, strict=False)


def pick_columns(
    table: pl.DataFrame,
    lines: Lines | None,
    source: str,
    wanted: list[str],
    optional: list[str],
    *,
    lenient: bool,
    subtopics: bool = False,
) -> tuple[pl.DataFrame, Lines, int]:
    """The wanted columns under our names and types, checked, and the line of each row.

    The last is how many bad rows were dropped. With `subtopics` there is a column
    `iteration` too, as in TREC text; nothing in it is wrong.
    """
    picked = _find_columns(table, source, wanted, optional)
    if table.is_empty():
        raise InputError(source, "holds no rows.")
    typed = pl.DataFrame({n: _typed(table[c], n, source) for n, c in picked.items()})
    bad = typed.select(
        pl.any_horizontal(
            pl.col(name).is_null() | (~pl.col(name).is_finite() if dtype.is_float() else False)
            for name, dtype in typed.schema.items()
        )
    ).to_series()
    numbers = np.arange(1, table.height + 1, dtype=np.int64) if lines is None else lines
    if bad.any() and not lenient:
        faults = [
            Fault(int(numbers[row]), _what_is_wrong(typed, int(row)), str(table.row(int(row))))
            for row in np.flatnonzero(bad.to_numpy())
        ]
        counted = "The number after the name is the row, from 1." if lines is None else ""
        remedy = " ".join(["`lenient=True` drops what cannot be used.", *about_fractions(faults)])
        raise InputError(source, counted, faults, remedy=remedy)
    if bad.all():
        raise InputError(source, "holds no row that can be used.")
    if subtopics:
        typed = typed.with_columns(_subtopics(table).alias("iteration"))
    return typed.filter(~bad), numbers[~bad.to_numpy()], int(bad.sum())


def _find_columns(
    table: pl.DataFrame, source: str, wanted: list[str], optional: list[str]
) -> dict[str, str]:
    picked = {}
    for name in [*wanted, *optional]:
        called = "grade" if name == "label" else name
        columns = _candidates(table, called)
        if len(columns) > 1:
            what = f"{len(columns)} columns may be the {called}: {', '.join(columns)}."
            raise InputError(source, f"{what} Rename or drop all but one of them.")
        if columns:
            picked[name] = columns[0]
        elif name in wanted:
            allowed, found = ", ".join(SPELLINGS[called]), ", ".join(table.columns)
            near = did_you_mean(called, table.columns)
            what = f"no column for {called} (allowed: {allowed}); the columns are {found}.{near}"
            raise InputError(source, what)
    return picked


def _candidates(table: pl.DataFrame, called: str) -> list[str]:
    """The columns that may hold it, without those that others are known to win over."""
    folded = {column: column.strip().lower() for column in table.columns}
    columns = [column for column in table.columns if folded[column] in SPELLINGS[called]]
    loser, winners = GIVES_WAY.get(called, ("", []))
    others = [column for column in columns if folded[column] != loser]
    return others if any(folded[column] in winners for column in others) else columns


def _subtopics(table: pl.DataFrame) -> pl.Series:
    """What the judgments of a document differ by where it has several; nulls if nothing says."""
    by_folded = {column.strip().lower(): column for column in table.columns}
    found = next((by_folded[s] for s in SUBTOPICS if s in by_folded), None)
    if found is None or table[found].dtype.is_nested():
        return pl.repeat(None, table.height, dtype=pl.String, eager=True)
    return table[found].cast(pl.String, strict=False)


def _typed(column: pl.Series, name: str, source: str) -> pl.Series:
    if name not in TYPES and column.dtype.is_float():
        raise InputError(source, f"column {column.name} holds fractions; names are text.")
    try:
        if name not in TYPES:
            text = column.cast(pl.String)
            return text.set(text == "", None)
        if column.dtype.is_decimal():
            column = column.cast(pl.Float64)
        if column.dtype.is_float() and TYPES[name].is_integer():
            whole = column.round() == column
            column = column.set(~whole, None)
        return column.cast(TYPES[name], strict=False)
    except pl.exceptions.PolarsError:
        what = f"column {column.name} holds {column.dtype}, which cannot be a {name}."
        raise InputError(source, what) from None


def _what_is_wrong(typed: pl.DataFrame, row: int) -> str:
    for name, value in typed.row(row, named=True).items():
        if value is None or (isinstance(value, float) and not np.isfinite(value)):
            called = "grade" if name == "label" else name
            return f"{called} is not {MUST_BE.get(name, 'there')}"
    raise AssertionError(f"no fault found in row {row}")


def from_dict(given: Mapping[Any, Any], source: str, value: str) -> pl.DataFrame:
    """A frame from {topic: {document: value}}, as pytrec_eval and ranx take them."""
    for topic, documents in given.items():
        if not isinstance(documents, Mapping):
            found = type(documents).__name__
            raise InputError(source, f"topic {topic!r} holds a {found}, not a dict of documents.")
    topics = pl.Series([str(topic) for topic in given], dtype=pl.String)
    lengths = [len(documents) for documents in given.values()]
    names = list(chain.from_iterable(given.values()))
    values = chain.from_iterable(documents.values() for documents in given.values())
    try:
        documents = pl.Series(names, dtype=pl.String)
    except TypeError:
        raise InputError(source, "a document's name is not text.") from None
    topic = topics.gather(np.repeat(np.arange(len(lengths)), lengths))
    try:
        column = pl.Series(np.fromiter(values, np.float64, len(names)))
    except (TypeError, ValueError):  # not all are numbers: `pick_columns` says which
        texts = [str(value) for documents in given.values() for value in documents.values()]
        column = pl.Series(texts, dtype=pl.String)
    return pl.DataFrame({"topic": topic, "document": documents, value: column})
