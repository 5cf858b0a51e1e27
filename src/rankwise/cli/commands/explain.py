"""`rankwise explain`: one ranking, document by document."""

from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.options.reading import (
    columns_of_input,
    depth_option,
    gains_option,
    lenient_option,
    metrics_from_option,
    order_option,
    parts_of_runs,
    run_given,
    selection_options,
)
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    from rankwise.rankings.rows import NamedRun
    from rankwise.vocabulary import Order


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", metavar="QRELS")
@click.argument("run", metavar="RUN", callback=run_given)
@click.option("--topic", required=True, help="The topic to explain.")
@click.option(
    "-m", "--metric", required=True, metavar="METRIC", help="The metric, as for `rankwise score`."
)
@order_option
@depth_option
@click.option("--rows", type=click.IntRange(min=1), help="Show the first N rows only.")
@click.option("--relevant", is_flag=True, help="Only the documents that contribute.")
@gains_option
@lenient_option
@selection_options
@columns_of_input
@parts_of_runs
@metrics_from_option
@output_options
def command(
    qrels: str,
    run: "str | NamedRun",
    topic: str,
    metric: str,
    order: "Order",
    depth: int | None,
    rows: int | None,
    relevant: bool,
    gains: str | None,
    lenient: bool,
    metrics_from: tuple[str, ...],
    out: Output,
    **selection: Any,
) -> None:
    """Show what each document contributes to a score.

    \b
    Example:
      rankwise explain qrels.txt bm25.run --topic 401 -m AP --rows 20

    One row per document: rank, name, grade (– if unjudged), for metrics with
    fixed weights the weight of the rank relative to rank 1, contribution, share
    of the score, and how the score changes if an unjudged document is judged to
    be of the highest grade in the qrels. In AP a document contributes to the precision at
    every relevant document from its own rank on (Moffat and Zobel 2008, Table I).
    For metrics that are no sum over documents the contribution is what the score
    would lose if the document were not relevant.
    """
    from rankwise.metrics import load_metrics
    from rankwise.scores.explanation import explain

    for file in metrics_from:
        load_metrics(file)
    found = explain(
        qrels,
        run,
        topic,
        metric,
        order=order,
        depth=depth,
        gains=gains,
        lenient=lenient,
        **selection,
    )
    if out.for_people:
        out.show(found.table(digits=out.digits, relevant=relevant, rows=rows))
    else:
        out.print(found.documents(relevant=relevant, rows=rows), of=found)
    print_notes([found.scored(out.digits), *found.notes])
