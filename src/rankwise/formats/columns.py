"""Known names of columns, and selection of the needed columns of a table, with checks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from rankwise.errors import (
    STORED_FAULTS,
    CallError,
    Fault,
    Faults,
    InputError,
    did_you_mean,
    some_of,
)
from rankwise.formats.base import Table
from rankwise.formats.trec import MUST_BE, TYPES, type_of
from rankwise.lazy import pl
from rankwise.wording import Argument, Remedy

# Names of the columns in BEIR, ir_datasets, PyTerrier, ranx, recommenders, search engines and
# other tools. Case, blanks, hyphens and underscores do not matter.
SPELLINGS = {
    "topic": [
        *["topic", "query-id", "query_id", "queryid", "qid", "q_id", "query", "topic_id"],
        *["user", "user_id", "search_id"],
    ],
    "document": [
        *["document", "corpus-id", "corpus_id", "doc_id", "doc-id", "docid", "docno", "did"],
        *["document_id", "doc", "pid", "passage_id", "item", "item_id", "product_id", "sku"],
    ],
    "grade": [
        *["grade", "relevance", "rel", "label", "rating", "gain", "judgment", "judgement"],
        *["stars", "score"],
    ],
    "score": ["score", "sim", "similarity", "relevance_score"],
    "rank": ["rank", "position"],
    "run": ["run", "tag", "run_id", "runid", "run_name", "system", "model"],
    "judge": [
        *["judge", "judge_id", "assessor", "annotator", "annotator_id", "rater", "rater_id"],
        *["worker_id"],
    ],
    "winner": ["winner", "preferred", "better", "chosen"],
    "loser": ["loser", "other", "worse", "rejected"],
    "count": ["count", "votes", "times"],
}
# Role → (a name, other names): a column with the first name is ignored if a table also has a column
# with one of the other names.
GIVES_WAY = {
    "topic": ("query", SPELLINGS["topic"]),  # the query text, if another column has the topic ID
    "document": ("docid", ["docno"]),  # PyTerrier's number of a document, and its name
    "grade": ("score", SPELLINGS["grade"]),  # BEIR's grade; a run's score if there is a grade
}
PAIR = ("winner", "loser")  # the columns of a preference
SUBTOPICS = ["subtopic", "subtopic_id", "subtopic-id", "intent", "intent_id", "iteration"]

# Column names given by the caller, by role (topic, document, …): the names that it may have.
Columns = Mapping[str, tuple[str, ...]]
ColumnsGiven = str | Mapping[str, str | Sequence[str]]


def parse_columns(given: ColumnsGiven) -> Columns:
    """Parse column names from a mapping or from text, as {role: names}.

    A role is a standard name: topic, document, grade and so on. A role may have several names,
    but a table must not have more than one of them.

    >>> parse_columns("topic=search_term,document=sku,document=product")
    {'topic': ('search_term',), 'document': ('sku', 'product')}
    """
    if isinstance(given, str):
        pairs = [part.partition("=") for part in given.split(",")]
        wrong = next((left + sign for left, sign, name in pairs if not name), None)
        if wrong is not None:
            how = "Write it as topic=search_term,document=sku."
            raise CallError(Argument("columns"), f" {given!r}: {wrong!r} has no column name. {how}")
        named = [(role.strip(), name.strip()) for role, _, name in pairs]
    elif not isinstance(given, Mapping):
        raise CallError(Argument("columns"), f" {given!r} is not a text or a dict of names.")
    else:
        every = {role: [n] if isinstance(n, str) else n for role, n in given.items()}
        named = [(role, name) for role, names in every.items() for name in names]
    for role, _ in named:
        if role not in SPELLINGS:
            what = f" {given!r}: {role!r} is not a known column. Known columns: "
            known = f"{', '.join(SPELLINGS)}. Write for example topic=NAME if NAME is your column."
            raise CallError(Argument("columns"), what + known + did_you_mean(role, SPELLINGS))
    roles = dict.fromkeys(role for role, _ in named)
    return {role: tuple(name for other, name in named if other == role) for role in roles}


def holds_preferences(names: Sequence[str], columns: Columns) -> bool:
    """Return whether `names` include columns for a winner and a loser: preference judgments."""
    return all(any(is_called(name, role, columns) for name in names) for role in PAIR)


def fold(name: str) -> str:
    """Normalise a column name: ignore case, blanks, hyphens and underscores."""
    return re.sub(r"[-_\s]", "", name).lower()


FOLDED = {role: frozenset(map(fold, names)) for role, names in SPELLINGS.items()}


def is_called(name: str, role: str, columns: Columns) -> bool:
    """Return whether `name` is a name for the column of `role` (topic, document, …)."""
    return name in columns[role] or name == role if role in columns else fold(name) in FOLDED[role]


def pick_columns(
    given: Table,
    source: str,
    wanted: list[str],
    optional: list[str],
    columns: Columns,
    *,
    lenient: bool,
    subtopics: bool = False,
) -> Table:
    """Return the `wanted` columns and, if present, the `optional` columns, with checked values.

    Columns get standard names and types. A row with a wrong value is an error, or is skipped with
    `lenient`. With `subtopics` the result also has a column `iteration`, the second field of TREC's
    judgments, with unchecked values. If a run has ranks and no scores, the score is the negative
    rank.
    """
    table = given.frame
    picked = find_columns(table, source, wanted, optional, columns)
    if table.is_empty():
        raise InputError(source, "there are no rows.")
    typed = pl.DataFrame({n: _typed(table[c], n, source) for n, c in picked.items()})
    bad = typed.select(
        pl.any_horizontal(
            pl.col(name).is_null() | (~pl.col(name).is_finite() if dtype.is_float() else False)
            for name, dtype in typed.schema.items()
        )
    ).to_series()
    if bad.any() and not lenient:
        raise _malformed(given, typed, bad, source, picked)
    if bad.all():
        raise InputError(source, f"has no valid row ({table.height:,} skipped).")
    if "score" in wanted and "score" not in picked:
        typed = typed.with_columns(score=-pl.col("rank").cast(pl.Float64))
    typed = typed.select(*wanted, *(name for name in optional if name in picked))
    if subtopics:
        typed = typed.with_columns(_subtopics(table).alias("iteration"))
    if not bad.any():  # no copy of a large table
        return replace(given, frame=typed)
    good, dropped = ~bad, int(bad.sum())
    return replace(
        given, frame=typed.filter(good), lines=given.numbers[good.to_numpy()], dropped=dropped
    )


def find_columns(
    table: pl.DataFrame, source: str, wanted: list[str], optional: list[str], columns: Columns
) -> dict[str, str]:
    found = {role: find_column(table, source, role, columns) for role in (*wanted, *optional)}
    if "score" in wanted and found["score"] is None:
        rank = find_column(table, source, "rank", columns)
        if rank is not None:
            del found["score"]
            found["rank"] = rank
    missing = [role for role in wanted if role in found and found[role] is None]
    if missing:
        raise missing_column(table, source, *missing)
    return {role: column for role, column in found.items() if column is not None}


def find_column(table: pl.DataFrame, source: str, role: str, columns: Columns) -> str | None:
    """Return the column of a role such as topic, by the caller's name or by a known name.

    If `columns` has no name for the role, return the column with a known name, or None if there is
    none. If `columns` has a name, and neither this name nor the role is the name of a column, raise
    an error. It is also an error if several columns may have the role.
    """
    if role not in columns:
        candidates = candidates_for(role, table.columns)
        if len(candidates) > 1:
            what = f"{len(candidates)} columns may be the {role}: {', '.join(candidates)}."
            remedy = naming_columns(f"{role}={candidates[0]}", "name the right one")
            raise InputError(source, what, remedy=remedy)
        return candidates[0] if candidates else None
    names = columns[role]
    here = [name for name in names if name in table.columns]
    if not here and role in table.columns:
        return role  # our own name is accepted: the caller's names may be for another file
    if len(here) == 1:
        return here[0]
    given = " or ".join(f"{role}={name}" for name in names)
    if here:
        what = f"more than one column matches {given}. Name only one for {role}."
        raise InputError(source, what)
    found = ", ".join(table.columns)
    near = did_you_mean(names[0], table.columns)
    what = f"no column {' or '.join(map(repr, names))} for the {role}. Columns: {found}.{near}"
    raise InputError(source, what)


def missing_column(table: pl.DataFrame, source: str, *roles: str) -> InputError:
    """Return an error that lists the `roles` without a column, and the columns of the table."""
    wanted = [f"the {role} (for example {some_of(SPELLINGS[role], 4)})" for role in roles]
    near = "".join(did_you_mean(role, table.columns) for role in roles)
    what = f"no column for {' or '.join(wanted)}. Columns: {', '.join(table.columns) or 'none'}."
    said = ",".join(f"{role}=NAME" for role in roles)
    remedy = naming_columns(said, "name it" if len(roles) == 1 else "name them")
    return InputError(source, f"{what}{near}", remedy=remedy)


def naming_columns(columns: str, purpose: str) -> Remedy:
    """Return the advice to name columns; in Python, by `columns` of `read_qrels` or `read_runs`."""
    python = f"columns={columns!r}"
    if "grade=" in columns:
        python = f"read_qrels(…, {python})"
    elif "score=" in columns or "rank=" in columns:
        python = f"read_runs(…, {python})"
    return Remedy(Argument("columns", columns, python), purpose)


def candidates_for(role: str, names: Sequence[str]) -> list[str]:
    """Return the columns that may have this role, except those that GIVES_WAY ignores."""
    columns = [column for column in names if fold(column) in FOLDED[role]]
    loser, winners = GIVES_WAY.get(role, ("", []))
    others = [column for column in columns if column.strip().lower() != loser]
    won = set(map(fold, winners))
    return others if any(fold(column) in won for column in others) else columns


def _subtopics(table: pl.DataFrame) -> pl.Series:
    """Return the column of subtopics or iterations as text; all null if there is none."""
    by_folded = {column.strip().lower(): column for column in table.columns}
    found = next((by_folded[s] for s in SUBTOPICS if s in by_folded), None)
    if found is None or table[found].dtype.is_nested():
        return pl.repeat(None, table.height, dtype=pl.Null, eager=True)  # which takes no memory
    return table[found].cast(pl.String, strict=False)


def _typed(column: pl.Series, name: str, source: str) -> pl.Series:
    if name not in TYPES and column.dtype.is_float():
        what = f"column {column.name} has decimal numbers, but a {name} is text or a whole number."
        raise InputError(source, f"{what} Convert the column to text.")
    if column.dtype.is_nested() or column.dtype == pl.Object:
        what = f"column {column.name} has lists or objects, which cannot be a {name}."
        raise InputError(source, what + _first_odd(column))
    if column.dtype == pl.Boolean and name != "grade":
        what = f"column {column.name} has true or false, which cannot be a {name}."
        raise InputError(source, what)
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
        what = f"column {column.name} has the type {column.dtype}, which cannot be a {name}."
        raise InputError(source, what) from None


def _first_odd(column: pl.Series) -> str:
    """Return a sentence that names the row of the first value that is neither text nor number."""
    if column.dtype != pl.Object:
        return ""
    plain = (str, int, float, type(None))
    odd = [isinstance(v, bool) or not isinstance(v, plain) for v in column.to_list()]
    return f" The first is in row {odd.index(True) + 1}." if any(odd) else ""


def _malformed(
    given: Table, typed: pl.DataFrame, bad: pl.Series, source: str, picked: Mapping[str, str]
) -> InputError:
    """Return an error for the rows where `bad` is True, which shows their first wrong values."""
    faults, numbers = [], given.numbers
    for row in np.flatnonzero(bad.to_numpy())[:STORED_FAULTS].tolist():
        values = typed.row(row, named=True).items()
        name = next(n for n, v in values if v is None or (isinstance(v, float) and not isfinite(v)))
        cell = given.frame[picked[name]][row]
        column = "" if picked[name] == name else f" (column {picked[name]})"
        what = f"{name} is missing"
        if name in MUST_BE and cell is not None and str(cell).strip():
            what = f"{name} {cell!r}{column} is not {MUST_BE[name]}"
        cells = ("(empty)" if value is None else str(value) for value in given.frame.row(row))
        faults.append(Fault(int(numbers[row]), what, ", ".join(cells)))
    remedy = None if bad.all() else Remedy(Argument("lenient", True), "skip malformed rows")
    unit, hint = "row" if given.lines is None else "line", ""
    if {"stratum", "probability", "sampled"} <= set(given.frame.columns):  # by `plan sample`
        by = Argument("", python="rankwise.judging.score_sampled", command="judges sampled")
        remedy = Remedy(by, "estimate scores from it")
        hint = "is a sample of judgments, with the grades of the sampled documents only."
    all_faults = Faults.of(faults, int(bad.sum()))
    return InputError(source, "", all_faults, remedy=remedy, unit=unit, hint=hint)
