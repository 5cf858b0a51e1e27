"""`rankwise overview`: a collection at a glance."""

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.reading import (
    DEEPEST,
    columns_of_input,
    parts_of_runs,
    reading_options,
    rel_of_metrics_option,
    runs_argument,
)
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import Grouping

if TYPE_CHECKING:
    from rankwise.rankings import Collection, NamedRun


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS")
@runs_argument("RUN...", required=True)
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
@click.option(
    "--pool-depth",
    type=click.IntRange(1, DEEPEST),
    help="How deep runs were pooled, for what is unique to a run.  [default: 100]",
)
@rel_of_metrics_option
@reading_options("depth")
@columns_of_input
@parts_of_runs
@click.option("--sort", metavar="COLUMN", help="Sort by a column, worst first.")
@chart_options
@output_options
def command(
    qrels: str,
    runs: "tuple[str | NamedRun, ...]",
    by: Grouping | None,
    cutoffs: tuple[int, ...],
    pool_depth: int | None,
    rel: float,
    reading: "Collection",
    sort: str | None,
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Look at a collection: pools, runs, and how much of the runs is judged.

    \b
    Examples:
      rankwise overview qrels.txt runs/*.run
      rankwise overview qrels.txt runs/*.run --by rank --chart judged.svg
      rankwise overview qrels.txt runs/*.run --by run --sort "unique rel."
      rankwise overview qrels.txt runs/*.run --complete-runs --order rank

    Documents are counted a topic: means over the topics for the pool, over runs
    and topics for what is retrieved (Tables 1 to 3 of Ahlgren and Grönqvist
    2007). The chart is their Figure 1: the shares of relevant, judged and
    unjudged documents at each rank.

    By run: the share of judged documents, and the relevant ones a topic, among
    the first N; unique are the judged documents, over all topics, that no other
    run has among its first 100 (--pool-depth). Runs of which least is judged
    come first; --sort has another column decide.
    """
    from rankwise.judging import CUTOFFS, POOL_DEPTH, overview

    if by != "run" and pool_depth is not None:
        raise click.UsageError("--pool-depth is about what is unique to a run: give --by run.")
    seen = overview(
        replace(reading, qrels=qrels, runs=runs),
        cutoffs=cutoffs or CUTOFFS,
        pool_depth=pool_depth or POOL_DEPTH,
        rel=rel,
    )
    table = seen.table(digits=out.digits, by=by, sort=sort)
    print_notes([*seen.notes, "; ".join([seen.caption, *map(str, table.notes)])])
    if chart is not None:
        write_chart(chart, seen.chart())
    if out.for_people:
        out.show(table)
    else:
        out.print(seen.by(by, sort=sort), of=seen)
