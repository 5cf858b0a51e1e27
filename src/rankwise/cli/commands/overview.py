"""`rankwise overview`: a collection at a glance."""

from typing import get_args

import click

from rankwise.cli.chart import chart_option, write_chart
from rankwise.cli.options.reading import (
    DEEPEST,
    columns_of_input,
    complete_runs_option,
    gains_option,
    lenient_option,
    order_option,
    parts_of_runs,
    rel_option,
)
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import Grouping, Order


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--by",
    type=click.Choice(get_args(Grouping)),
    help="The pool of each topic, what each run retrieved, the shares at each rank, or the "
    "zones of each run: relevant, others and unjudged ones retrieved, relevant ones missed and "
    "others spared (csv and json: of each topic).",
)
@click.option(
    *["--cutoff", "cutoffs"],
    multiple=True,
    type=click.IntRange(1, DEEPEST),
    help="Look at the first N documents. Give it again for more.  [default: 10, 100, 1000]",
)
@rel_option
@order_option
@complete_runs_option
@gains_option
@lenient_option
@columns_of_input
@parts_of_runs
@chart_option
@output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    by: Grouping | None,
    cutoffs: tuple[int, ...],
    rel: int,
    order: Order,
    complete_runs: bool,
    gains: str | None,
    lenient: bool,
    chart: str | None,
    out: Output,
) -> None:
    """Look at a collection: pools, runs, and how much of the runs is judged.

    \b
    Examples:
      rankwise overview qrels.txt runs/*.run
      rankwise overview qrels.txt runs/*.run --by rank --chart judged.svg
      rankwise overview qrels.txt runs/*.run --complete-runs --order rank

    Documents are counted a topic: means over the topics for the pool, over runs
    and topics for what is retrieved (Tables 1 to 3 of Ahlgren and Grönqvist
    2007). The chart is their Figure 1: the shares of relevant, judged and
    unjudged documents at each rank.
    """
    from rankwise.cli.progress import each_with_progress
    from rankwise.judging.collection import CUTOFFS, overview

    seen = overview(
        qrels,
        each_with_progress(runs, "runs"),
        cutoffs=cutoffs or CUTOFFS,
        rel=rel,
        order=order,
        complete_runs=complete_runs,
        gains=gains,
        lenient=lenient,
    )
    table = seen.table(digits=out.digits, by=by)
    print_notes([*seen.notes, "; ".join([seen.caption, *table.notes])])
    if chart is not None:
        write_chart(chart, seen.chart())
    if out.for_people:
        out.show(table)
    else:
        out.print(seen.by(by))
