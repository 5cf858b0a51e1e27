"""`rankwise score`: scores, leaderboards, bounds."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.output import (
    FOR_PEOPLE,
    format_cell,
    output_options,
    print_notes,
    print_table,
)

if TYPE_CHECKING:
    import polars as pl

    from rankwise.scores import Scores


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    metavar="METRIC",
    help="A metric, as nDCG@10, AP(rel=2)@100, RBP(p=0.8) or trec_eval's map, ndcg_cut_10. "
    "Give it again for more.  [default: AP, nDCG@10, P@10, RR]",
)
@click.option("--by-topic", is_flag=True, help="A row for each topic, before the means.")
@click.option("--bounds", is_flag=True, help="Also the least and greatest possible score.")
@click.option(
    "--unjudged",
    type=click.Choice(["retrieved", "open"]),
    help="The bounds if only documents in the ranking can turn out relevant, or also those "
    "below its end.  [default: retrieved]",
)
@click.option(
    "--topics",
    type=click.Choice(["all", "common"]),
    default="all",
    show_default=True,
    help="Average over all judged topics (a run scores 0 where it lacks one), or over "
    "those that the judgments and all runs have.",
)
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "file"]),
    default="score",
    show_default=True,
    help="What orders a ranking. Equal scores are ordered by document name, descending.",
)
@click.option("--depth", type=click.IntRange(min=1), help="Look at the first N documents only.")
@click.option(
    "--gains",
    metavar="TABLE",
    help="What each grade of the qrels is worth, as 0=0,0.5=0.4,1=1 or 3:2:1.",
)
@click.option(
    "--mean",
    "kind",
    type=click.Choice(["arithmetic", "geometric"]),
    default="arithmetic",
    show_default=True,
    help="How to average over topics. AP with the geometric mean is GMAP.",
)
@click.option(
    "--metrics-from", multiple=True, metavar="FILE", help="A Python file with metrics of your own."
)
@click.option("--lenient", is_flag=True, help="Drop bad lines and repeated documents; say so.")
@output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    metrics: tuple[str, ...],
    by_topic: bool,
    bounds: bool,
    unjudged: str | None,
    topics: str,
    order: str,
    depth: int | None,
    gains: str | None,
    kind: str,
    metrics_from: tuple[str, ...],
    lenient: bool,
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
    from rankwise.cli.progress import each_with_progress
    from rankwise.metrics import load_metrics
    from rankwise.scores import DEFAULT_METRICS, score

    for file in metrics_from:
        load_metrics(file)
    scores = score(
        qrels,
        each_with_progress(runs, "runs"),
        metrics or DEFAULT_METRICS,
        topics=topics,  # type: ignore[arg-type]  # click has checked the words
        order=order,  # type: ignore[arg-type]
        depth=depth,
        bounds=bounds or unjudged is not None,
        unjudged=unjudged or "retrieved",  # type: ignore[arg-type]
        gains=gains,
        lenient=lenient,
        mean=kind,  # type: ignore[arg-type]
    )
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
