"""`rankwise score`: scores, leaderboards, bounds."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import chart_option, write_chart
from rankwise.cli.options.reading import seed_option
from rankwise.cli.options.scoring import (
    Scoring,
    interval_option,
    scoring_options,
    standardise_options,
    undefined_option,
    unjudged_option,
)
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.report.tables import format_cell, format_count

if TYPE_CHECKING:
    import polars as pl

    from rankwise.metrics import Metric
    from rankwise.scores.table import Scores
    from rankwise.vocabulary import Assumption, Interval, Scale

# Columns of numbers, also where they are formatted already.
NUMBERS = ["topics", "value", "low", "high", "conf_low", "conf_high", "both_low", "both_high"]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@scoring_options()
@undefined_option
@click.option("--by-topic", is_flag=True, help="A row for each topic, before the means.")
@click.option(
    "--bounds", is_flag=True, help="Also the lower and upper bound that unjudged documents leave."
)
@unjudged_option
@click.option(
    "--confidence",
    metavar="LEVEL",
    type=float,
    help="Also the confidence interval of each mean over topics, as 0.95; with --bounds, also "
    "the combined uncertainty.",
)
@interval_option
@seed_option
@standardise_options
@chart_option
@output_options
def command(
    asked: Scoring,
    by_topic: bool,
    bounds: bool,
    unjudged: "Assumption | None",
    confidence: float | None,
    interval: "Interval",
    seed: int,
    standardise: "Scale | None",
    reference: tuple[str, ...],
    chart: str | None,
    out: Output,
) -> None:
    """Score runs against judgments.

    \b
    Examples:
      rankwise score qrels.txt bm25.run splade.run -m nDCG@10 -m AP
      rankwise score qrels.txt bm25.run -m "RBP(p=0.8)" --bounds --by-topic
      rankwise score qrels.txt bm25.run -m AP --confidence 0.95 --bounds
      zcat bm25.run.gz | rankwise score qrels.txt - --format csv -o scores.csv

    QRELS and RUN are TREC text, plain or compressed, or tables (parquet, csv,
    tsv, jsonl, arrow) with named columns; - is standard input.
    """
    bounds = bounds or unjudged is not None
    if bounds and standardise is not None:
        raise click.UsageError("standardised scores have no bounds: judgments move all runs.")
    scores = asked.scores(bounds=bounds, unjudged=unjudged or "retrieved")
    if standardise is not None:
        scores = asked.standardised(scores, standardise, reference)
    if chart is not None:
        from rankwise.charts.scores import system_scores

        write_chart(chart, system_scores(scores))
    means = None
    if confidence is not None:
        from rankwise.scores.confidence import confidence as with_intervals

        means = with_intervals(scores, confidence, interval=interval, seed=seed)
    about_intervals = _interval_notes(confidence, interval, seed, bounds)
    if means is not None and means.filter(_has_no_interval()).height:
        few = ", or where topics are too few to draw from" if interval == "bootstrap" else ""
        about_intervals.append(f"no interval where scores are the same on every topic{few}")
    print_notes([*scores.all_notes, *about_intervals])
    if out.for_people:
        table = for_people(scores, by_topic, out.digits, means)
        out.print(table, right=NUMBERS)
    else:
        out.print(for_machines(scores, by_topic, means))


def _has_no_interval() -> "pl.Expr":
    import polars as pl

    return pl.col("conf_low").is_null() & (pl.col("topics") > 1)


def _interval_notes(
    confidence: float | None, interval: "Interval", seed: int, bounds: bool
) -> list[str]:
    if confidence is None:
        return []
    drawn = f", seed {seed}" if interval == "bootstrap" else ""
    notes = [f"conf: {100 * confidence:g} % interval of the mean over topics ({interval}{drawn})"]
    if bounds:
        notes.append(
            "both: the uncertainty from other topics and from other judgments combined; "
            "wider: which of the two is more"
        )
    return notes


def for_machines(
    scores: "Scores", by_topic: bool, means: "pl.DataFrame | None" = None
) -> "pl.DataFrame":
    """Long form: run, topic, metric, value, low, high, topics; topic `all` is the mean.

    `topics` says over how many. `means` with confidence intervals stand in place of the
    plain ones.
    """
    import polars as pl

    averaged = scores.mean() if means is None else means
    averaged = averaged.drop("undefined", "missing").with_columns(topic=pl.lit("all"))
    columns = scores.frame.columns
    parts = [scores.frame] if by_topic else []
    return pl.concat([*parts, averaged.select(*columns, pl.exclude(columns))], how="diagonal")


def for_people(
    scores: "Scores", by_topic: bool, digits: int = 4, means: "pl.DataFrame | None" = None
) -> "pl.DataFrame":
    """A row a metric for one run, a leaderboard for several, long form for intervals."""
    import polars as pl

    ranked = scores.pivot()
    if scores.low is not None or means is not None:
        rows = for_machines(scores, by_topic, means)
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


def _topics_of_runs(scores: "Scores") -> "pl.DataFrame":
    """How many topics the means of each run are over; 48–50 where it depends on the metric."""
    import polars as pl

    counts = scores.mean().group_by("run", maintain_order=True)
    ends = counts.agg(least=pl.col("topics").min(), most=pl.col("topics").max())
    if (ends["least"] == ends["most"]).all():
        return ends.select("run", topics="most")
    both = pl.format("{}–{}", "least", "most")
    one = pl.col("most").cast(pl.String)
    return ends.select(
        "run", topics=pl.when(pl.col("least") < pl.col("most")).then(both).otherwise(one)
    )


def _label(metric: "Metric") -> str:
    return f"{metric} (sum)" if metric.aggregate == "sum" else str(metric)


def _with_whole_counts(rows: "pl.DataFrame", scores: "Scores", digits: int) -> "pl.DataFrame":
    """A row a score: where some are counts, as text, with these as whole numbers."""
    import polars as pl

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
