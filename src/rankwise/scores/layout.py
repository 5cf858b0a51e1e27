"""Scores as tables: the one that people read, and the long form of csv and json."""

from typing import TYPE_CHECKING

import polars as pl

from rankwise.metrics import Metric
from rankwise.results.base import Table
from rankwise.results.tables import format_cell, format_count

if TYPE_CHECKING:
    from rankwise.scores.table import Scores

# Columns of numbers, also where they are formatted already.
NUMBERS = ["topics", "value", "low", "high", "conf_low", "conf_high", "both_low", "both_high"]


def long_form(
    scores: "Scores", *, by_topic: bool = False, means: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Long form: run, topic, metric, value, low, high, topics; topic `all` is the mean.

    `topics` says over how many. `means` with confidence intervals stand in place of the
    plain ones.
    """
    averaged = scores.mean() if means is None else means
    averaged = averaged.drop("undefined", "missing").with_columns(topic=pl.lit("all"))
    columns = scores.frame.columns
    parts = [scores.frame] if by_topic else []
    return pl.concat([*parts, averaged.select(*columns, pl.exclude(columns))], how="diagonal")


def score_table(
    scores: "Scores",
    *,
    by_topic: bool = False,
    digits: int = 4,
    means: pl.DataFrame | None = None,
) -> Table:
    """One row per metric for one run, a leaderboard for several, long form for intervals."""
    return Table(_for_people(scores, by_topic, digits, means), NUMBERS, digits=digits)


def _for_people(
    scores: "Scores", by_topic: bool, digits: int, means: pl.DataFrame | None
) -> pl.DataFrame:
    ranked = scores.pivot()
    if scores.low is not None or means is not None:
        rows = long_form(scores, by_topic=by_topic, means=means)
        rows = rows.sort(pl.col("run").cast(pl.Enum(ranked["run"])), maintain_order=True)
        labels = {str(metric): _label(metric) for metric in scores.metrics}
        rows = _with_whole_counts(rows, scores, digits)
        return (
            rows if by_topic else rows.drop("topic").with_columns(pl.col("metric").replace(labels))
        )
    rows = ranked
    if by_topic:
        each = scores.pivot(by_topic=True)
        rows = pl.concat([each, ranked.with_columns(topic=pl.lit("all")).select(each.columns)])
    whole = [
        str(metric)
        for metric in scores.metrics
        if metric.aggregate == "sum" and (rows[str(metric)].drop_nulls() % 1 == 0).all()
    ]
    rows = rows.with_columns(pl.col(whole).cast(pl.Int64))
    if by_topic:  # a sum is the last row only
        return rows
    if len(scores.runs) > 1:
        rows = rows.join(_topics_of_runs(scores), on="run", how="left")
        rows = rows.sort(pl.col("run").cast(pl.Enum(ranked["run"])))
        return rows.rename({str(metric): _label(metric) for metric in scores.metrics})
    values = rows.row(0)[1:]
    return pl.DataFrame(
        {
            "run": [scores.runs[0]] * len(values),
            "metric": [_label(metric) for metric in scores.metrics],
            "value": [format_cell(value, digits) for value in values],
            "topics": scores.mean()["topics"],
        }
    )


def _topics_of_runs(scores: "Scores") -> pl.DataFrame:
    """How many topics the means of each run are over; 48–50 where it depends on the metric."""
    counts = scores.mean().group_by("run", maintain_order=True)
    ends = counts.agg(least=pl.col("topics").min(), most=pl.col("topics").max())
    if (ends["least"] == ends["most"]).all():
        return ends.select("run", topics="most")
    both = pl.format("{}–{}", "least", "most")
    one = pl.col("most").cast(pl.String)
    return ends.select(
        "run", topics=pl.when(pl.col("least") < pl.col("most")).then(both).otherwise(one)
    )


def _label(metric: Metric) -> str:
    return f"{metric} (sum)" if metric.aggregate == "sum" else str(metric)


def _with_whole_counts(rows: pl.DataFrame, scores: "Scores", digits: int) -> pl.DataFrame:
    """A row a score: where some are counts, as text, with these as whole numbers."""
    counts = {str(metric) for metric in scores.metrics if metric.aggregate == "sum"}
    if not counts:
        return rows
    numbers = [name for name, kind in rows.schema.items() if kind.is_float()]
    return rows.with_columns(
        pl.Series(
            name,
            [
                (format_count if metric in counts else format_cell)(value, digits)
                for metric, value in rows.select("metric", name).rows()
            ],
        )
        for name in numbers
    )
