"""`rankwise overview`: a summary of a collection."""

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import require
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
    help="topic: the pool of each topic; run: judged and relevant documents of each run; rank: "
    "fraction of documents that is judged, at each rank; zone: relevant, non-relevant and unjudged "
    "documents that each run retrieved, and judged documents that it did not (csv and json: per "
    "topic).",
)
@click.option(
    *["--cutoff", "cutoffs"],
    multiple=True,
    type=click.IntRange(1, DEEPEST),
    help="Count within the first N documents. Repeatable.  [default: 10, 100, 1000]",
)
@click.option(
    "--pool-depth",
    type=click.IntRange(1, DEEPEST),
    help="Pool depth, to count the documents unique to a run (with --by run).  [default: 100]",
)
@rel_of_metrics_option
@reading_options("depth")
@columns_of_input
@parts_of_runs
@click.option("--sort", metavar="COLUMN", help="Sort rows by this column, worst first.")
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
    """Summarise a collection: pools, runs, and how many of their documents are judged and relevant.

    \b
    Examples:
      rankwise overview qrels.txt runs/*.run
      rankwise overview qrels.txt runs/*.run --by rank --chart judged.svg
      rankwise overview qrels.txt runs/*.run --by run --sort "unique rel."
      rankwise overview qrels.txt runs/*.run --complete-runs --order rank

    Counts are per topic: the pool's are averaged over topics, those of retrieved
    documents over runs and topics (Tables 1 to 3 of Ahlgren and Grönqvist 2007).
    The chart is their Figure 1: the fractions of relevant, non-relevant and unjudged
    documents at each rank.

    With --by run: the judged fraction of the first N documents, and the relevant
    documents per topic among them. unique: judged documents, over all topics, that
    no other run has in its first 100 (--pool-depth). Runs with the smallest judged
    fraction come first, unless --sort is given.
    """
    from rankwise.judging import CUTOFFS, POOL_DEPTH, overview

    if by != "run" and pool_depth is not None:
        require("--pool-depth", "--by run")
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
