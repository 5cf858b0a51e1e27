"""What people call columns, and the columns that we want under our own names, checked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankwise.errors import Fault, InputError, did_you_mean
from rankwise.formats.source import Lines
from rankwise.formats.trec import MUST_BE, TYPES, about_fractions, type_of
from rankwise.lazy import pl

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
# What the caller says that columns are called: topic → the names it may have.
Columns = Mapping[str, tuple[str, ...]]
SUBTOPICS = ["subtopic", "subtopic_id", "subtopic-id", "intent", "intent_id", "iteration"]


def is_called(name: str, role: str, columns: Columns) -> bool:
    """Whether a column of this name holds topics, documents or whatever the role is."""
    return name in columns.get(role, ()) or name.strip().lower() in SPELLINGS[role]


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
        if column.dtype.is_float() and type_of(name).is_integer():
            whole = column.round() == column
            column = column.set(~whole, None)
        return column.cast(type_of(name), strict=False)
    except pl.exceptions.PolarsError:
        what = f"column {column.name} holds {column.dtype}, which cannot be a {name}."
        raise InputError(source, what) from None


def _what_is_wrong(typed: pl.DataFrame, row: int) -> str:
    for name, value in typed.row(row, named=True).items():
        if value is None or (isinstance(value, float) and not np.isfinite(value)):
            called = "grade" if name == "label" else name
            return f"{called} is not {MUST_BE.get(name, 'there')}"
    raise AssertionError(f"no fault found in row {row}")
