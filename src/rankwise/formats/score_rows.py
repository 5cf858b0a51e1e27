"""Scores made elsewhere in the long form: one row for each run, topic and metric.

That is what `rankwise score` writes as csv and parquet, and what PyTerrier calls per-query
results.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rankwise.errors import InputError
from rankwise.formats.columns import SPELLINGS
from rankwise.formats.format import File
from rankwise.formats.known import recognise
from rankwise.formats.objects import to_polars
from rankwise.formats.source import open_source
from rankwise.lazy import pl

COLUMNS = {
    "run": ["name", *SPELLINGS["run"]],
    "topic": SPELLINGS["topic"],
    "metric": ["metric", "measure"],
    "value": ["value"],
}
MEAN = "all"  # the topic that our own tables, and trec_eval's, call the mean


def read_score_rows(given: Any) -> pl.DataFrame | None:
    """Columns run, topic, metric and value, without means; None for another shape."""
    if not isinstance(given, str | Path):
        frame = to_polars(given)
        return None if frame is None else _picked(frame, "the scores")
    file = File(open_source(given))
    form = recognise(file)
    return None if form is None else _picked(form.read(file, "qrels").frame, file.name)


def _picked(table: pl.DataFrame, source: str) -> pl.DataFrame | None:
    folded = {column.strip().lower(): column for column in reversed(table.columns)}
    picked = {
        ours: next((folded[name] for name in names if name in folded), None)
        for ours, names in COLUMNS.items()
    }
    if None in picked.values():
        return None
    return _checked(
        table.select(pl.col(str(of)).alias(ours) for ours, of in picked.items()), source
    )


def _checked(frame: pl.DataFrame, source: str) -> pl.DataFrame:
    """Names as text, values as numbers, without means; no score twice."""
    names = ["run", "topic", "metric"]
    given = frame["value"]
    if given.dtype.is_numeric():
        value = given.cast(pl.Float64).fill_nan(None)
    else:
        text = given.cast(pl.String).str.strip_chars().str.to_lowercase()
        undefined = text.is_null() | text.is_in(["", "nan", "na"])
        value = text.cast(pl.Float64, strict=False)
        wrong = (value.is_null() & ~undefined).arg_true().to_list()
        if wrong:
            what = f"row {wrong[0] + 1}: value {given[wrong[0]]!r} is not a number."
            raise InputError(source, what)
    typed = frame.select(*(pl.col(name).cast(pl.String) for name in names), value.alias("value"))
    kept = typed.filter(pl.col("topic") != MEAN)
    if kept.is_empty():
        what = "holds means only: write the scores of each topic too, `by_topic=True`."
        raise InputError(source, what if len(typed) else "holds no rows.")
    twice = kept.filter(kept.select(names).is_duplicated())
    if len(twice):
        which = ", ".join(f"{name} {twice[name][0]}" for name in names)
        raise InputError(source, f"has two scores for {which}.")
    return kept
