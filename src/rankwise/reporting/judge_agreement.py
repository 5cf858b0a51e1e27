"""Agreement of several judges on documents and on systems, for a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from rankwise.errors import CallError
from rankwise.metrics import Metric
from rankwise.rankings import Collection, holds_several

STATISTICS = ("statistic", "grade", "value", "low", "high")


def judge_agreement(
    collection: Collection, metrics: Sequence[Metric], rel: float, seed: int
) -> dict[str, Any] | None:
    """Return the agreement of the judges of a collection, or None if there is only one judge.

    The confusion matrix and the scores of systems are those of the first two judges. If agreement
    cannot be computed, the dict has only the reason (`why`).
    """
    if not holds_several(collection.qrels):
        return None
    from rankwise.agreement import agree  # not needed for a single judge

    quality = [metric for metric in metrics if not metric.is_diagnostic]
    try:
        found = agree(collection, metrics=quality, rel=rel, seed=seed)
    except CallError as error:
        return {"why": error.reason}
    first, second = found.judges[:2]

    def of_two(view: pl.DataFrame) -> pl.DataFrame:
        return view.filter(first=first, second=second)

    labels = found.view("labels")
    together = labels.filter(pl.col("first").is_null() | (pl.col("first") == first))
    return {
        "judges": list(found.judges),
        "sentence": found.sentence(),
        "labels": _rows(together.select(STATISTICS)),
        "confusion": _rows(of_two(found.view("confusion"))),
        "systems": _rows(of_two(found.view("systems"))),
        "ranks": _rows(of_two(found.view("ranks"))),
        # Methods has the notes on files and runs.
        "notes": [each for each in found.notes if not (each.source or each.runs)],
    }


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None)).to_dicts()
