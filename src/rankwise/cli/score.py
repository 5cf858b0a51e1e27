"""`rankwise score`: scores, leaderboards, bounds."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import chart_option, write_chart
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.cli.reading import seed_option
from rankwise.cli.scoring import (
    Scoring,
    interval_option,
    scoring_options,
    standardise_options,
    unjudged_option,
)
from rankwise.rendering import format_cell

if TYPE_CHECKING:
    import polars as pl

    from rankwise.metrics import Assumption
    from rankwise.scores import Scores
    from rankwise.stats.intervals import Interval
    from rankwise.stats.standardising import Scale


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@scoring_options()
@click.option("--by-topic", is_flag=True, help="A row for each topic, before the means.")
@click.option("--bounds", is_flag=True, help="Also the least and greatest possible score.")
@unjudged_option
@click.option(
    "--confidence",
    metavar="LEVEL",
    type=float,
    help="Also the confidence interval of each mean over topics, as 0.95; with --bounds, also "
    "the two doubts joined.",
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
        from rankwise.uncertainty import confidence as with_intervals

        means = with_intervals(scores, confidence, interval=interval, seed=seed)
    print_notes([*scores.all_notes, *_interval_notes(confidence, interval, seed, bounds)])
    if out.for_people:
        table = for_people(scores, by_topic, out.digits, means)
        out.print(table)
    else:
        out.print(for_machines(scores, by_topic, means))


def _interval_notes(
    confidence: float | None, interval: "Interval", seed: int, bounds: bool
) -> list[str]:
    if confidence is None:
        return []
    drawn = f", seed {seed}" if interval == "bootstrap" else ""
    notes = [f"conf: {100 * confidence:g} % interval of the mean over topics ({interval}{drawn})"]
    if bounds:
        notes.append(
            "low, high: what unjudged documents could change; both: the two joined; "
            "wider: which of the two is more"
        )
    return notes


def for_machines(
    scores: "Scores", by_topic: bool, means: "pl.DataFrame | None" = None
) -> "pl.DataFrame":
    """Long form: run, topic, metric, value, low, high; topic `all` is the mean.

    `means` with confidence intervals stand in place of the plain ones.
    """
    import polars as pl

    averaged = scores.mean() if means is None else means
    averaged = averaged.drop("topics", "undefined", "missing").with_columns(topic=pl.lit("all"))
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
        return rows if by_topic else rows.drop("topic")
    counts = [str(metric) for metric in scores.metrics if metric.aggregate == "sum"]
    whole = pl.col(counts).cast(pl.Int64)
    if by_topic:
        mean_rows = ranked.with_columns(topic=pl.lit("all"))
        rows = scores.pivot(by_topic=True)
        return pl.concat([rows, mean_rows.select(rows.columns)]).with_columns(whole)
    if len(scores.runs) == 1:
        values = ranked.with_columns(whole).row(0)[1:]
        return pl.DataFrame(
            {
                "run": [scores.runs[0]] * len(values),
                "metric": [str(metric) for metric in scores.metrics],
                "value": [format_cell(value, digits) for value in values],
            }
        )
    return ranked.with_columns(whole)
