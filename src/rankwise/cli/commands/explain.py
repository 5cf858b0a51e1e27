"""`rankwise explain`: contribution of each document to a score."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankwise.cli.completion import complete_metrics
from rankwise.cli.help import Command
from rankwise.cli.options.reading import (
    columns_of_input,
    metrics_from_option,
    parts_of_runs,
    reading_options,
    run_given,
)
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    from rankwise.rankings import Collection, NamedRun


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS")
@click.argument("run", metavar="RUN", callback=run_given)
@click.option("--topic", metavar="TOPIC", required=True, help="Topic to explain.")
@click.option(
    *["-m", "--metric"],
    required=True,
    metavar="METRIC",
    shell_complete=complete_metrics,
    help="Metric, e.g. AP or nDCG@10.",
)
@click.option("--rows", type=click.IntRange(min=1), help="Show the first N rows only.")
@click.option("--relevant", is_flag=True, help="Show only documents that contribute.")
@reading_options("complete_runs")
@columns_of_input
@parts_of_runs
@metrics_from_option
@output_options
def command(
    qrels: str,
    run: "str | NamedRun",
    topic: str,
    metric: str,
    reading: "Collection",
    rows: int | None,
    relevant: bool,
    metrics_from: tuple[str, ...],
    out: Output,
) -> None:
    """Show what each document contributes to a score.

    \b
    Examples:
      rankwise explain qrels.txt bm25.run --topic 401 -m AP --rows 20

    One row per document: rank, name, grade (– if unjudged), weight of the rank
    relative to rank 1 (metrics with fixed weights), contribution, share of the
    score, and the change of the score if an unjudged document is given the highest
    grade of the qrels. In AP, a document contributes to the precision at each
    relevant document from its own rank on (Moffat and Zobel 2008, Table I). For
    metrics that are not a sum over documents, the contribution is the loss of score
    if the document were not relevant.
    """
    from rankwise.metrics import load_metrics
    from rankwise.scores import explain

    for file in metrics_from:
        load_metrics(file)
    found = explain(replace(reading, qrels=qrels, runs=run), metric=metric, topic=topic)
    if out.for_people:
        out.show(found.table(digits=out.digits, relevant=relevant, rows=rows))
    else:
        out.print(found.documents(relevant=relevant, rows=rows), of=found)
    print_notes([found.scored(out.digits), *found.notes])
