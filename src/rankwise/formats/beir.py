"""BEIR: means of one data set, as beir.util.save_results writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rankwise.formats.base import File
from rankwise.formats.json_values import Value
from rankwise.formats.score_table import ScoreRow, rows_frame, run_of_file, score_of
from rankwise.lazy import pl

GROUPS = {"ndcg", "map", "recall", "precision"}


def is_results(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and found.keys() >= GROUPS
        and all(isinstance(found[name], dict) for name in GROUPS)
    )


def read_results(found: Value, file: File) -> pl.DataFrame:
    """Return the means; MODEL/DATASET.json names the run and the topic, which is a data set."""
    run, topic = Path(file.name).resolve().parent.name, run_of_file(file)
    rows = [
        ScoreRow(run or "run", topic, metric, score_of(value))
        for _, group in found.items()
        for metric, value in group.items()
    ]
    return rows_frame(rows)
