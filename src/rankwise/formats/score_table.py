"""Rows of imported scores, and the names of their runs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, NamedTuple

from rankwise.formats.base import COMPRESSED, File
from rankwise.formats.json_values import Value
from rankwise.lazy import pl

MEAN = "all"  # the topic that our own tables, and trec_eval's, call the mean
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # of inspect_ai: correct, incorrect, partial
SUFFIXES = {".txt", ".eval", ".tsv", ".csv", ".json", ".jsonl", ".ndjson", ".parquet", *COMPRESSED}


class ScoreRow(NamedTuple):
    """One score; None is undefined."""

    run: str
    topic: str
    metric: str
    value: float | None


SCHEMA = {"run": "String", "topic": "String", "metric": "String", "value": "Float64"}


def rows_frame(rows: Iterable[ScoreRow]) -> pl.DataFrame:
    """Return the rows as columns run, topic, metric, value."""
    schema = {name: getattr(pl, kind) for name, kind in SCHEMA.items()}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def averaged(frame: pl.DataFrame) -> pl.DataFrame:
    """Average repetitions of a run on a topic (epochs, trials), in order of first occurrence."""
    keys = ["run", "topic", "metric"]
    if not frame.select(keys).is_duplicated().any():
        return frame
    return frame.group_by(keys, maintain_order=True).agg(pl.col("value").mean())


def run_of_file(file: File) -> str:
    """Return the name of a file without its folder and its suffixes."""
    name = PurePath(file.name).name
    while PurePath(name).suffix.lower() in SUFFIXES and PurePath(name).stem:
        name = PurePath(name).stem
    return name


def score_of(value: Value) -> float | None:
    """Return a score: a number, a truth, inspect_ai's C, I, P and N, or None."""
    given: Any = value.found
    if given is None:
        return None
    if isinstance(given, bool):
        return float(given)
    if isinstance(given, str) and given in LETTERS:
        return LETTERS[given]
    if isinstance(given, float) and given != given:
        return None
    return value.number()


def distinct_names(names: list[str | None]) -> list[str]:
    """Return the names if all are there and differ, otherwise the numbers 1, 2, 3 …"""
    if all(names) and len(set(names)) == len(names):
        return [str(name) for name in names]
    return [str(place + 1) for place in range(len(names))]
