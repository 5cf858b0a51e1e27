"""`rankwise score`: scores, leaderboards, bounds."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.output import FOR_PEOPLE, output_options, print_notes, print_table
from rankwise.cli.scoring import Scoring, scoring_options, unjudged_option
from rankwise.rendering import format_cell

if TYPE_CHECKING:
    import polars as pl

    from rankwise.metrics import Assumption
    from rankwise.scores import Scores


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@scoring_options()
@click.option("--by-topic", is_flag=True, help="A row for each topic, before the means.")
@click.option("--bounds", is_flag=True, help="Also the least and greatest possible score.")
@unjudged_option
@output_options
def command(
    asked: Scoring,
    by_topic: bool,
    bounds: bool,
    unjudged: "Assumption | None",
    style: str,
    output: str | None,
    digits: int,
) -> None:
    """Score runs against judgments.

    \b
    Examples:
      rankwise score qrels.txt bm25.run splade.run -m nDCG@10 -m AP
      rankwise score qrels.txt bm25.run -m "RBP(p=0.8)" --bounds --by-topic
      zcat bm25.run.gz | rankwise score qrels.txt - --format csv -o scores.csv

    QRELS and RUN are TREC text, plain or compressed, or tables (parquet, csv,
    tsv, jsonl, arrow) with named columns; - is standard input.
    """
    scores = asked.scores(bounds=bounds or unjudged is not None, unjudged=unjudged or "retrieved")
    print_notes(scores.all_notes)
    if style in FOR_PEOPLE:
        table = for_people(scores, by_topic, digits)
        print_table(table, style, output, digits)
    else:
        print_table(for_machines(scores, by_topic), style, output, digits)


def for_machines(scores: "Scores", by_topic: bool) -> "pl.DataFrame":
    """Long form: run, topic, metric, value, low, high; topic `all` is the mean."""
    import polars as pl

    means = scores.mean().with_columns(topic=pl.lit("all"))
    columns = scores.frame.columns
    parts = [scores.frame] if by_topic else []
    return pl.concat([*parts, means.select(columns)])


def for_people(scores: "Scores", by_topic: bool, digits: int = 4) -> "pl.DataFrame":
    """A row a metric for one run, a leaderboard for several, long form for bounds."""
    import polars as pl

    ranked = scores.pivot()
    if scores.low is not None:
        rows = for_machines(scores, by_topic)
        rows = ranked.select("run").join(rows, on="run", maintain_order="left")
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
