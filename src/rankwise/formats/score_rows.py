"""Imported scores, in long form or as a matrix of topics × systems.

The long form has one row for each run, topic and metric. `rankwise score` writes it as CSV, Parquet
and JSON. PyTerrier's results per query have this form too. In MTEB's results, tasks are the topics.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import Fault, Faults, InputError
from rankwise.formats import score_tools
from rankwise.formats.base import File
from rankwise.formats.columns import SPELLINGS, is_called
from rankwise.formats.json import JSON, JSON_LINES
from rankwise.formats.json_values import Value
from rankwise.formats.plain_lines import TRIPLES
from rankwise.formats.python_objects import from_records, to_polars
from rankwise.formats.query_records import QUERY_RECORDS
from rankwise.formats.rag_track import ANSWERS, has_nuggets, nugget_scores
from rankwise.formats.registry import recognise
from rankwise.formats.score_tools import LINES, MEAN, read_tool_scores
from rankwise.formats.source import Lines, open_source
from rankwise.formats.tables import CSV, line_fault, read_csv
from rankwise.lazy import pl
from rankwise.wording import Argument, Remedy

RAGAS = "user_input"  # ragas' column of questions
COLUMNS = {
    "run": ["name", "model", *SPELLINGS["run"]],
    "topic": [*SPELLINGS["topic"], "task", RAGAS],
    "metric": ["metric", "measure"],
    "value": ["value"],
}
UNDEFINED = ["", "nan", "na"]  # texts of an undefined score, in lower case
JUDGMENTS = "judgments"  # a column of saved scores: the fingerprint of the topic's judgments


def read_score_rows(given: Any, *, may_be_run: bool = False) -> pl.DataFrame | None:
    """Read scores as columns run, topic, metric (optional) and value.

    Return None if the source has no scores. The source is a file of a tool that score_tools.py
    knows, a table in long form, a table with one column per metric, a frame, or a folder of results
    of MTEB or lm-evaluation-harness. Nugget assignments (rag_track.py) also give columns `low` and
    `high`, the bounds of a score if some nuggets have no assignment. Tables saved by rankwise also
    have a column `judgments`, a hash of the topic's judgments. With `may_be_run`, lines of three or
    four fields without a header are not read as scores.
    """
    if not isinstance(given, str | Path):
        frame = to_polars(given)
        return None if frame is None else _picked(frame, "the scores", None)
    if Path(given).is_dir():
        return _folder(Path(given))
    file = File(open_source(given))
    if has_nuggets(file):
        return _checked(nugget_scores(file), file.name)
    if not score_tools.is_zip(file):
        recognise(file)  # raises an error for an empty file
    tool = next((each for each in score_tools.SCORE_FORMATS if each.recognises(file)), None)
    if tool is not None:
        return _checked(read_tool_scores(file, tool), file.name)
    run = score_tools.run_of_file(file)
    if isinstance(file.json, dict) and isinstance(file.json.get("rows"), list):
        return _picked(from_records(file.json["rows"], file.name, {}), file.name, run)
    form = recognise(file)
    if not may_be_run and form in (None, TRIPLES) and LINES.recognises(file):
        return _checked(read_tool_scores(file, LINES), file.name)
    if form is None:
        if RAGAS not in file.first_line.split(","):
            return None
        samples = replace(read_csv(file), line_is="A row is a sample with its scores.")
        return _picked(samples.sound(file.name), file.name, run)
    if form is ANSWERS:
        what = "has answers that cite documents. They are a run, and scores are expected here."
        how = "Use the file as a run, with judgments and the metrics SetP, SetR and SetF."
        raise InputError(file.name, f"{what} {how}")
    if form is QUERY_RECORDS:  # ragas: the scores are beside the lists of contexts
        form = JSON_LINES if file.has_json_lines else CSV if file.suffix == ".csv" else JSON
    return _picked(form.read(file, "qrels").sound(file.name), file.name, run)


def read_topic_column(given: str | Path, column: str) -> dict[str, str]:
    """Read a column with one value per topic from a table of scores, as {topic: value}."""
    file = File(open_source(given))
    form = recognise(file)
    if form is None:
        raise InputError(file.name, f"is not a table with a column {column!r}.")
    table = form.read(file, "qrels").sound(file.name)
    topic = next((name for name in table.columns if name.lower() in COLUMNS["topic"]), None)
    if topic is None or column not in table.columns:
        what = f"has no column {column if topic else 'topic'!r}. Columns:"
        raise InputError(file.name, f"{what} {', '.join(table.columns)}.")
    pairs = table.select(pl.col(topic, column).cast(pl.String)).drop_nulls()
    pairs = pairs.unique(maintain_order=True)
    twice = pairs.filter(pairs[topic].is_duplicated())
    if len(twice):
        values = twice.filter(twice[topic] == twice[topic][0])[column]
        what = f"topic {twice[topic][0]} has two values of {column}"
        raise InputError(file.name, f"{what}: {', '.join(values[:2])}.")
    return dict(pairs.iter_rows())


def _folder(folder: Path) -> pl.DataFrame:
    """Read all samples of lm-evaluation-harness in a folder or, without samples, MTEB's results."""
    samples = sorted(folder.rglob("samples_*.jsonl"))
    if samples:
        parts = [read_score_rows(path) for path in samples]
        return pl.concat([part for part in parts if part is not None])
    rows, is_mteb = list[score_tools.ScoreRow](), False
    for path in sorted(folder.rglob("*.json")):
        content = _json(path)
        if score_tools.is_task_result(content):
            rows += score_tools.task_scores(Value(content, str(path)), path)
            is_mteb = True
    if not is_mteb:
        what = "has no results of MTEB. They are expected in MODEL/REVISION/TASK.json."
        raise InputError(str(folder), what)
    return score_tools.rows_frame(rows)


def holds_mteb_results(folder: Path) -> bool:
    """Return whether a folder has MTEB's results, in MODEL/REVISION/TASK.json."""
    return any(score_tools.is_task_result(_json(path)) for path in folder.glob("*/*/*.json"))


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(str(path), f"cannot be read as JSON: {error}.") from None


def _picked(table: pl.DataFrame, source: str, file: str | None) -> pl.DataFrame | None:
    """Return the long form of a table, or None if the table has no scores.

    Without a column of runs, the run gets the name `file`.
    """
    folded = {column.strip().lower(): column for column in reversed(table.columns)}
    picked = {
        ours: next((folded[name] for name in names if name in folded), None)
        for ours, names in COLUMNS.items()
    }
    if picked["topic"] is not None and picked["value"] is None:
        return _melted(table, picked, source, file)
    named = picked["run"] is not None or (file is not None and picked["metric"] is not None)
    if not named or picked["topic"] is None or picked["value"] is None:
        return None
    frame = table.select(
        pl.col(column).alias(ours) for ours, column in picked.items() if column is not None
    )
    if picked["run"] is None:
        frame = frame.with_columns(run=pl.lit(file)).select("run", "topic", "metric", "value")
    if JUDGMENTS in table.columns and table[JUDGMENTS].dtype == pl.String:
        frame = frame.with_columns(table[JUDGMENTS])
    return _checked(frame, source)


def _melted(
    table: pl.DataFrame, picked: dict[str, str | None], source: str, file: str | None
) -> pl.DataFrame | None:
    """Return the long form of a table with one column of numbers per metric.

    Return None for a run, and for a table without numbers. Also return None without a column of
    runs, because the columns may then be systems, unless the table is by ragas (with `user_input`).
    """
    run, topic = picked["run"], str(picked["topic"])
    if run is None and (file is None or topic != RAGAS):
        return None
    if any(is_called(name, "document", {}) for name in table.columns):
        return None  # a run
    numbers = [
        name
        for name in table.columns
        if name not in (run, topic) and not _is_index(name) and _holds_numbers(table[name])
    ]
    if not numbers:
        return None
    names = table[topic].cast(pl.String).to_list()
    if run is None:  # questions may repeat; topics are then numbered
        names = score_tools.distinct_names(names)
    wide = table.select(
        (pl.lit(file) if run is None else pl.col(run)).alias("run"),
        pl.Series("topic", names, dtype=pl.String),
        *(pl.col(name).cast(pl.Float64, strict=False).alias(f"value {name}") for name in numbers),
    )
    parts = [
        wide.select("run", "topic", pl.lit(name).alias("metric"), value=f"value {name}")
        for name in numbers
    ]
    return _checked(pl.concat(parts), source)


def _is_index(name: str) -> bool:
    """Return whether a column has this name because pandas wrote row numbers into it."""
    return not name.strip() or name.startswith(("Unnamed: ", "__index_level_"))


def _holds_numbers(column: pl.Series) -> bool:
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        return True
    if column.dtype != pl.String or not len(column):
        return False
    text = column.str.strip_chars()
    given = text.filter(text.is_not_null() & (text != ""))
    return bool(len(given)) and not given.cast(pl.Float64, strict=False).null_count()


def _check_columns(frame: pl.DataFrame, names: list[str], source: str) -> None:
    """Raise an error for lists in a column, missing names, and a run named `topic`."""
    nested = next((name for name in frame.columns if frame[name].dtype.is_nested()), None)
    if nested is not None:
        what = f"column {nested} has lists or objects where single values are expected."
        raise InputError(source, what)
    for name in names:
        if frame[name].null_count():
            row = int(frame[name].is_null().arg_max() or 0)
            raise InputError(source, f"row {row + 1}: the {name} is missing.")
    if "topic" in frame["run"].cast(pl.String).unique().to_list():
        what = "a run is named 'topic', like the column of topics. Rename the run."
        raise InputError(source, what)


def _checked(frame: pl.DataFrame, source: str) -> pl.DataFrame:
    """Convert names to text and values to numbers, and drop means over topics.

    Duplicate scores are an error.
    """
    names = [name for name in frame.columns if name in ("run", "topic", "metric")]
    _check_columns(frame, names, source)
    text = pl.col("value").cast(pl.String).str.strip_chars().str.to_lowercase()
    undefined = text.is_null() | text.is_in(UNDEFINED)
    typed = frame.with_columns(
        *(pl.col(name).cast(pl.String) for name in names),
        value=pl.when(undefined).then(None).otherwise(text).cast(pl.Float64, strict=False),
        wrong=~undefined & text.cast(pl.Float64, strict=False).is_null(),
    )
    if typed["wrong"].any():
        row = int(typed["wrong"].arg_max() or 0)
        what = f"row {row + 1}: value {frame['value'][row]!r} is not a number."
        raise InputError(source, what)
    scores = typed.drop("wrong").with_row_index("row", 1).filter(pl.col("topic") != MEAN)
    if scores.is_empty():
        if typed.is_empty():
            raise InputError(source, "there are no rows.")
        by_topic = Argument("by_topic", True, command="score QRELS RUN...")
        remedy = Remedy(by_topic, "write the scores of each topic")
        raise InputError(source, "has only means over topics.", remedy=remedy)
    twice = scores.filter(scores.select(names).is_duplicated())
    if len(twice):
        given = ", ".join(f"{name} {twice[name][0]}" for name in names)
        first = scores.join(twice.head(1).select(names), on=names, maintain_order="left")["row"]
        what = f"rows {first[0]:,} and {first[1]:,} are scores of the same {given}. Remove one."
        raise InputError(source, what)
    return scores.drop("row")


def read_matrix(given: str | Path) -> pl.DataFrame:
    """Read a topics × systems table of scores: column `topic`, then one column per system.

    Without a first column of topic names, topics are named 1, 2, 3 … An empty cell, nan or NA is an
    undefined score, which is returned as NaN.
    """
    file = File(open_source(given))
    if not file.first_line:
        raise InputError(file.name, "the file is empty.")
    parsed = read_csv(file)
    table, lines = parsed.frame, parsed.numbers
    first = table.columns[0]
    if first.strip().lower() in {"", *SPELLINGS["topic"]}:
        topics = table[first].alias("topic")
        table = table.drop(first)
    else:
        topics = pl.Series("topic", [str(row + 1) for row in range(table.height)])
    named = [name for name in table.columns if name.strip().lower() in SPELLINGS["topic"]]
    if named:
        what = f"column {named[0]!r} has the topics. Make it the first column."
        raise InputError(file.name, what)
    if not table.width or not (table.height or parsed.faults):
        raise InputError(file.name, "has no scores. A row is a topic, with one column per system.")
    scores = table.select(pl.all().cast(pl.Float64, strict=False))
    faults = parsed.faults + _matrix_faults(topics, table, scores, lines)
    if any(table.null_count().row(0)):  # too few fields are an error, not empty cells
        seen = ((n, line, line_fault(line, file)) for n, line in file.source.lines())
        faults += Faults.of(Fault(number, what, line) for number, line, what in seen if what)
    if faults:
        what = "A row has a topic, which occurs only once, and scores: numbers or empty cells."
        raise InputError(file.name, what, faults)
    return scores.fill_null(np.nan).insert_column(0, topics)


def _matrix_faults(
    topics: pl.Series, table: pl.DataFrame, scores: pl.DataFrame, lines: Lines
) -> Faults:
    faults = []
    for name, column in zip(table.columns, table, strict=True):
        text = column.cast(pl.String).fill_null("").str.strip_chars().str.to_lowercase()
        is_number = np.isfinite(scores[name].fill_null(np.nan).to_numpy())
        for row in np.flatnonzero(~is_number & ~text.is_in(UNDEFINED).to_numpy()):
            what = f"score of {name} is not a finite number"
            faults.append(Fault(int(lines[row]), what, str(column[int(row)])))
    for row in np.flatnonzero((topics.is_null() | ~topics.is_first_distinct()).to_numpy()):
        topic = topics[int(row)]
        what = "topic is missing" if topic is None else "this topic occurs twice"
        faults.append(Fault(int(lines[row]), what, str(topic or "")))
    return Faults.of(faults)
