"""Scores as Parquet: written atomically, read from one file or from a folder.

The rows are those of `Scores.frame`, with a column `present`. The attributes of `Scores` in
`ATTRIBUTES` and the notes are stored as JSON in the first row of a column `about`. Scores with
topic weights, or averaged over several runs of a system, cannot be written, because the format
stores neither the weights nor the scores of the single runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.arrays import Ints
from rankwise.errors import CallError, InputError, RankwiseError
from rankwise.formats import JUDGMENTS, write_whole
from rankwise.lazy import pl
from rankwise.metrics import Metric, parse
from rankwise.notes import Note
from rankwise.rankings import QrelsLike, fingerprints, read_qrels, topic_order
from rankwise.scores.imported import named_metric
from rankwise.scores.scores import Scores

NAMES = ("run", "topic", "metric")
ATTRIBUTES = ("averaged", "outer", "unjudged", "gains_unused")


def write_parquet(scores: Scores, path: str | Path, qrels: QrelsLike | None = None) -> None:
    """Write scores to a Parquet file atomically.

    With `qrels`, a column has a hash of the judgments of each topic.
    """
    lost = {"weights of topics": scores.relative_weights, "runs of systems": scores.repetitions}
    for what, value in lost.items():
        if value is not None and len(value):
            when = "weight_topics" if value is scores.relative_weights else "of_systems"
            text = f"{what} cannot be stored as Parquet. Write the scores before {when}, and call "
            raise CallError(f"{text}{when} after read_parquet.")
    present = np.broadcast_to(scores.present, scores.value.shape).ravel()
    notes = [each.packed() for each in scores.input_notes]
    about = json.dumps(
        {name: getattr(scores, name) for name in ATTRIBUTES} | {"input_notes": notes}
    )
    rows = scores.frame.with_columns(pl.Series("present", present))
    if qrels is not None:
        of_topic = fingerprints(read_qrels(qrels))
        prints = [of_topic.get(topic) for topic in rows["topic"].to_list()]
        rows = rows.with_columns(pl.Series(JUDGMENTS, prints, dtype=pl.String))
    first = pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(about))
    buffer = BytesIO()
    rows.with_columns(about=first).write_parquet(buffer)
    write_whole(Path(path), buffer.getvalue())


def read_parquet(path: str | Path) -> Scores:
    """Read scores from a file of `write_parquet`, or from a folder partitioned by Spark.

    Runs and metrics have the order of the rows in a file. In a folder they are sorted by name.
    """
    rows = _rows(Path(path))
    axes: dict[str, list[str]] = {
        name: rows[name].unique(maintain_order=True).to_list() for name in ("metric", "run")
    }
    axes["topic"] = topic_order(rows["topic"].unique().to_list())
    cubes, place = cubes_of(rows, axes, {"value", "low", "high"} & set(rows.columns))
    present = np.ones(cubes["value"].shape[1:], np.bool_)
    if "present" in rows.columns:
        present[place[1:]] = rows["present"].to_numpy()
    names = tuple(map(_metric, axes["metric"])), tuple(axes["run"]), tuple(axes["topic"])
    found = Scores(*names, **cubes, present=present, groups=_groups(rows, axes["topic"]))
    return replace(found, **_about(rows))


def _groups(rows: pl.DataFrame, topics: Sequence[str]) -> tuple[str | None, ...]:
    if "group" not in rows.columns:
        return ()
    group = dict(rows.select("topic", "group").rows())
    return tuple(group[topic] for topic in topics)


def _rows(path: Path) -> pl.DataFrame:
    """Read and check all rows; in a folder, run and metric may be names of subfolders."""
    try:
        if path.is_dir():
            parted = {"run": pl.String(), "metric": pl.String()}
            files = path / "**" / "*.parquet"
            rows = pl.read_parquet(files, hive_partitioning=True, hive_schema=parted)
            rows = rows.sort("metric", "run", maintain_order=True)
        else:
            rows = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(str(path), f"cannot be read as parquet: {error}.") from None
    lacking = [name for name in (*NAMES, "value") if name not in rows.columns]
    if lacking:
        what = f"has no column {lacking[0]}; the columns are {', '.join(rows.columns)}."
        raise InputError(str(path), what)
    if rows.select(NAMES).is_duplicated().any():
        raise InputError(
            str(path), "two rows have the same run, topic and metric. Remove one of these rows."
        )
    ends = [name for name in ("low", "high") if name in rows.columns]
    no_bounds = all(rows[name].null_count() == rows.height for name in ends)
    return rows.drop(ends) if no_bounds else rows


def _metric(name: str) -> Metric:
    """Return a metric by its name; an unknown name becomes an imported metric."""
    try:
        return parse(name)
    except RankwiseError:
        return named_metric(name)


def cubes_of(
    rows: pl.DataFrame, axes: Mapping[str, Sequence[Any]], names: Iterable[str]
) -> tuple[dict[str, Any], tuple[Ints, ...]]:
    """Return the columns `names` as arrays with one axis per entry of `axes`.

    `axes` maps a column to its distinct values, in the order of the axis. An entry of an array
    without a row is NaN. Also return, per axis, the position of each row on this axis.
    """
    numbers = [{name: at for at, name in enumerate(of)} for of in axes.values()]
    place = tuple(
        rows[axis].replace_strict(number, return_dtype=pl.Int64).to_numpy()
        for axis, number in zip(axes, numbers, strict=True)
    )
    cubes: dict[str, Any] = {}
    for name in names:
        cubes[name] = np.full([len(of) for of in axes.values()], np.nan)
        cubes[name][place] = rows[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return cubes, place


def _about(rows: pl.DataFrame) -> dict[str, Any]:
    if "about" not in rows.columns:
        return {}
    parts = [json.loads(text) for text in rows["about"].drop_nulls()]
    about = dict(parts[0])
    notes = (Note.unpacked(each) for part in parts for each in part["input_notes"])
    about["input_notes"] = tuple(dict.fromkeys(notes))
    for name in ("outer", "gains_unused"):  # for a folder, the union over its files
        about[name] = tuple(dict.fromkeys(one for part in parts for one in part[name]))
    return about
