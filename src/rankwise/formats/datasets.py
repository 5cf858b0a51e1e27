"""Judgments and runs of ir_datasets (`irds:DATASET/ID`), and objects with the same methods."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rankwise.errors import CallError, InputError, did_you_mean
from rankwise.formats.source import Kind
from rankwise.lazy import pl

PREFIX = "irds:"
METHODS: dict[Kind, str] = {"qrels": "qrels_iter", "run": "scoreddocs_iter"}


def is_dataset_id(given: str | Path) -> bool:
    return str(given).startswith(PREFIX)


def has_rows(given: Any, kind: Kind) -> bool:
    """Return whether an object has the method `qrels_iter` (or `scoreddocs_iter` for a run)."""
    return callable(getattr(given, METHODS[kind], None))


def read_dataset_id(given: str | Path, kind: Kind) -> pl.DataFrame:
    """Read the rows of a dataset by its ID; ir_datasets downloads a dataset the first time."""
    try:
        import ir_datasets
    except ImportError:
        what = "needs ir_datasets: pip install ir_datasets"
        raise CallError(f"{given}: {what}.") from None
    name = str(given).removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        near = did_you_mean(name, ir_datasets.registry)
        raise InputError(str(given), f"ir_datasets has no such dataset.{near}") from None
    return read_dataset(dataset, str(given), kind)


def read_dataset(dataset: Any, source: str, kind: Kind) -> pl.DataFrame:
    """Read the rows of a dataset of ir_datasets, or of any object with the same methods."""
    if not has_rows(dataset, kind):
        what = "no judgments" if kind == "qrels" else "no scored documents, and so no run"
        raise InputError(source, f"this dataset has {what}.")
    from rankwise.formats.python_objects import from_records

    return from_records(_rows(dataset, source, kind), source, {})


def _rows(dataset: Any, source: str, kind: Kind) -> Iterable[Any]:
    try:
        yield from getattr(dataset, METHODS[kind])()
    except (OSError, RuntimeError) as error:  # raised by ir_datasets if a download fails
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(source, f"ir_datasets could not load this dataset: {reason}") from None
