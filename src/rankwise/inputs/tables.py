"""Tables with named columns: parquet, Arrow, CSV, JSON lines, data frames, dicts, matrices."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankwise.errors import Fault, InputError, did_you_mean
from rankwise.inputs.source import Source, open_source

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
SUFFIXES = {".parquet", ".arrow", ".feather", ".ipc", ".csv", ".tsv", ".jsonl", ".ndjson"}


def is_table(given: str | Path) -> bool:
    """Whether a path names a table with a header rather than TREC text.

    A .csv or .tsv file without known column names in its first line is TREC text.
    """
    suffixes = [suffix for suffix in Path(given).suffixes if suffix in SUFFIXES]
    if not suffixes:
        return False
    if suffixes[-1] in {".csv", ".tsv"}:
        header = _header(open_source(given), suffixes[-1])
        return any(name in SPELLINGS["document"] for name in header)
    return True


def read_table(given: str | Path) -> pl.DataFrame:
    """The table in a file, columns as they are; text stays text."""
    source = open_source(given)
    suffix = next(s for s in reversed(Path(given).suffixes) if s in SUFFIXES)
    try:
        if suffix == ".parquet":
            return pl.read_parquet(source.for_polars)
        if suffix in {".arrow", ".feather", ".ipc"}:
            return pl.read_ipc(source.for_polars)
        if suffix in {".jsonl", ".ndjson"}:
            return pl.read_ndjson(source.for_polars)
        separator = _separator(source, suffix)
        # All columns as text: 007 must not become 7.
        return pl.read_csv(source.for_polars, separator=separator, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(source.name, f"cannot be read as {suffix}: {reason}") from None


def _separator(source: Source, suffix: str) -> str:
    return "\t" if suffix == ".tsv" or "\t" in source.first_line else ","


def _header(source: Source, suffix: str) -> list[str]:
    fields = source.first_line.split(_separator(source, suffix))
    return [field.strip().strip('"').lower() for field in fields]


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
    except ImportError:  # pandas without pyarrow
        return pl.DataFrame({name: given[name].to_list() for name in given.columns})


def pick_columns(
    table: pl.DataFrame, source: str, wanted: list[str], optional: list[str], *, lenient: bool
) -> tuple[pl.DataFrame, int]:
    """The wanted columns under our names and types, checked; how many bad rows were dropped."""
    picked = {}
    for name in [*wanted, *optional]:
        column = _find_column(table, name)
        if column is not None:
            picked[name] = column
        elif name in wanted:
            allowed = ", ".join(SPELLINGS["grade" if name == "label" else name])
            near = did_you_mean(name, table.columns)
            found = ", ".join(table.columns)
            what = f"no column for {name} (allowed: {allowed}); the columns are {found}.{near}"
            raise InputError(source, what)
    if table.is_empty():
        raise InputError(source, "holds no rows.")
    typed = pl.DataFrame({n: _typed(table[c], n, source) for n, c in picked.items()})
    bad = typed.select(
        pl.any_horizontal(
            pl.col(name).is_null() | (~pl.col(name).is_finite() if dtype.is_float() else False)
            for name, dtype in typed.schema.items()
        )
    ).to_series()
    if bad.any() and not lenient:
        faults = [
            Fault(int(row) + 1, _what_is_wrong(typed, int(row)), str(table.row(int(row))))
            for row in np.flatnonzero(bad.to_numpy())
        ]
        raise InputError(source, "The number after the name is the row, from 1.", faults)
    return typed.filter(~bad), int(bad.sum())


def _find_column(table: pl.DataFrame, name: str) -> str | None:
    by_folded = {column.strip().lower(): column for column in table.columns}
    spellings = SPELLINGS["grade" if name == "label" else name]
    return next((by_folded[s] for s in spellings if s in by_folded), None)


def _typed(column: pl.Series, name: str, source: str) -> pl.Series:
    if name in {"score", "label"}:
        return column.cast(pl.Float64, strict=False)
    if name in {"grade", "rank"}:
        if column.dtype.is_float():
            whole = column.round() == column
            column = column.set(~whole, None)
        return column.cast(pl.Int64, strict=False)
    if column.dtype.is_float():
        raise InputError(source, f"column {column.name} holds fractions; names are text.")
    text = column.cast(pl.String)
    return text.set(text == "", None)


def _what_is_wrong(typed: pl.DataFrame, row: int) -> str:
    must_be = {"score": "a finite number", "label": "a finite number", "grade": "an integer"}
    for name, value in typed.row(row, named=True).items():
        if value is None or (isinstance(value, float) and not np.isfinite(value)):
            return f"{name} is not {must_be.get(name, 'there')}"
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
    values = list(chain.from_iterable(documents.values() for documents in given.values()))
    try:
        documents = pl.Series(names, dtype=pl.String)
        column = pl.Series(values, dtype=pl.Float64 if value == "score" else None, strict=False)
    except TypeError:
        raise InputError(source, "a document's name is not text, or a value no number.") from None
    topic = topics.gather(np.repeat(np.arange(len(lengths)), lengths))
    return pl.DataFrame({"topic": topic, "document": documents, value: column})


def read_matrix(given: str | Path) -> pl.DataFrame:
    """A topics × systems table of scores: column `topic`, then a column for each system.

    Where the file has no column of topic names, topics are called 1, 2, 3 …
    """
    source = open_source(given)
    if not source.first_line:
        raise InputError(source.name, "is empty.")
    table = pl.read_csv(
        source.for_polars,
        separator=_separator(source, Path(given).suffix),
        infer_schema=False,
        truncate_ragged_lines=False,
    )
    first = table.columns[0]
    if first.strip().lower() in {"", *SPELLINGS["topic"]}:
        topics = table[first].alias("topic")
        table = table.drop(first)
    else:
        topics = pl.Series("topic", [str(row + 1) for row in range(table.height)])
    scores = table.select(pl.all().cast(pl.Float64, strict=False))
    faults = [
        Fault(int(row) + 2, f"score of {name} is not a finite number", str(table[name][int(row)]))
        for name in table.columns
        for row in np.flatnonzero(~np.isfinite(scores[name].fill_null(np.nan).to_numpy()))
    ]
    if faults:
        raise InputError(source.name, "Every cell after the topic must be a number.", faults)
    return scores.insert_column(0, topics)
