"""Imported scores in long form: one row for each run, topic and metric.

This is the output of `rankwise score` as CSV, Parquet and JSON, the per-query results of
PyTerrier, and the content of MTEB's results, where a topic is a task.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rankwise.errors import InputError
from rankwise.formats import mteb
from rankwise.formats.base import File
from rankwise.formats.columns import SPELLINGS
from rankwise.formats.json_values import Value
from rankwise.formats.nuggets import has_nuggets, nugget_scores
from rankwise.formats.python_objects import from_records, to_polars
from rankwise.formats.registry import recognise
from rankwise.formats.source import open_source
from rankwise.lazy import pl
from rankwise.wording import Argument, Remedy

COLUMNS = {
    "run": ["name", "model", *SPELLINGS["run"]],
    "topic": [*SPELLINGS["topic"], "task"],
    "metric": ["metric", "measure"],
    "value": ["value"],
}
JUDGMENTS = "judgments"  # a column of saved scores: the fingerprint of the topic's judgments
MEAN = "all"  # the topic that our own tables, and trec_eval's, call the mean


def read_score_rows(given: Any) -> pl.DataFrame | None:
    """Read columns run, topic, metric (if there is one) and value; None for another structure.

    The source is a file, with a header above its `rows` if it is JSON, a frame, a file of MTEB's
    results, or a folder of them. Nugget assignments (nuggets.py) also have `low` and `high`.
    """
    if not isinstance(given, str | Path):
        frame = to_polars(given)
        return None if frame is None else _picked(frame, "the scores")
    if Path(given).is_dir():
        return _mteb_results(Path(given))
    file = File(open_source(given))
    if has_nuggets(file):
        return _checked(nugget_scores(file), file.name)
    form = recognise(file)
    if mteb.is_task_result(file.json):
        return mteb.task_scores(Value(file.json, file.name), mteb.model_of(Path(given)))
    if isinstance(file.json, dict) and isinstance(file.json.get("rows"), list):
        return _picked(from_records(file.json["rows"], file.name, {}), file.name)
    return None if form is None else _picked(form.read(file, "qrels").sound(file.name), file.name)


def _mteb_results(folder: Path) -> pl.DataFrame:
    """Read all tasks of all models below results/."""
    found = []
    for path in sorted(folder.rglob("*.json")):
        content = _json(path)
        if mteb.is_task_result(content):
            found.append(mteb.task_scores(Value(content, str(path)), mteb.model_of(path)))
    if not found:
        what = "holds no results of MTEB, which lie in MODEL/REVISION/TASK.json."
        raise InputError(str(folder), what)
    return pl.concat(found)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(str(path), f"cannot be read as JSON: {error}.") from None


def _picked(table: pl.DataFrame, source: str) -> pl.DataFrame | None:
    folded = {column.strip().lower(): column for column in reversed(table.columns)}
    picked = {
        ours: next((folded[name] for name in names if name in folded), None)
        for ours, names in COLUMNS.items()
    }
    if None in (picked["run"], picked["topic"], picked["value"]):
        return None
    frame = table.select(
        pl.col(column).alias(ours) for ours, column in picked.items() if column is not None
    )
    if JUDGMENTS in table.columns and table[JUDGMENTS].dtype == pl.String:
        frame = frame.with_columns(table[JUDGMENTS])
    return _checked(frame, source)


def _check_columns(frame: pl.DataFrame, names: list[str], source: str) -> None:
    """Check that cells have single values, and that runs, topics and metrics have names."""
    nested = next((name for name in frame.columns if frame[name].dtype.is_nested()), None)
    if nested is not None:
        raise InputError(source, f"column {nested} holds lists or objects, not one value each.")
    for name in names:
        if frame[name].null_count():
            row = int(frame[name].is_null().arg_max() or 0)
            raise InputError(source, f"row {row + 1}: {name} is not there.")
    if "topic" in frame["run"].cast(pl.String).unique().to_list():
        what = "a run is called 'topic', as the column of topics is; give it another name."
        raise InputError(source, what)


def _checked(frame: pl.DataFrame, source: str) -> pl.DataFrame:
    """Convert names to text and values to numbers, drop means, and refuse duplicate scores."""
    names = [name for name in frame.columns if name in ("run", "topic", "metric")]
    _check_columns(frame, names, source)
    text = pl.col("value").cast(pl.String).str.strip_chars().str.to_lowercase()
    undefined = text.is_null() | text.is_in(["", "nan", "na"])
    typed = frame.with_columns(
        *(pl.col(name).cast(pl.String) for name in names),
        value=pl.when(undefined).then(None).otherwise(text).cast(pl.Float64, strict=False),
        wrong=~undefined & text.cast(pl.Float64, strict=False).is_null(),
    )
    if typed["wrong"].any():
        row = int(typed["wrong"].arg_max() or 0)
        what = f"row {row + 1}: value {frame['value'][row]!r} is not a number."
        raise InputError(source, what)
    kept = typed.drop("wrong").filter(pl.col("topic") != MEAN)
    if kept.is_empty():
        if typed.is_empty():
            raise InputError(source, "holds no rows.")
        by_topic = Argument("by_topic", True, command="score QRELS RUN...")
        remedy = Remedy(by_topic, "write the scores of each topic")
        raise InputError(source, "holds means only.", remedy=remedy)
    twice = kept.filter(kept.select(names).is_duplicated())
    if len(twice):
        given = ", ".join(f"{name} {twice[name][0]}" for name in names)
        raise InputError(source, f"has two scores for {given}.")
    return kept
