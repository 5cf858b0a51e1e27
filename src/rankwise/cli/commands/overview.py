"""`rankwise overview`: a collection at a glance."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import chart_option, write_chart
from rankwise.cli.options.reading import (
    DEEPEST,
    complete_runs_option,
    gains_option,
    lenient_option,
    order_option,
    rel_option,
)
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    import polars as pl

    from rankwise.judging.collection import Overview
    from rankwise.vocabulary import Order

SHOWN_RANKS = (*range(1, 11), *range(20, 101, 10), *range(200, 1001, 100))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--by",
    type=click.Choice(["topic", "run", "rank"]),
    help="The pool of each topic, what each run retrieved, or the shares at each rank.",
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
@chart_option
@output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    by: str | None,
    cutoffs: tuple[int, ...],
    rel: int,
    order: "Order",
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
    size = f"topics: {len(seen.judged.topics):,}, runs: {len(seen.judged.runs):,}"
    means = "; counts of documents are means over topics" if by in (None, "run") else ""
    print_notes([*seen.notes, size + means])
    if chart is not None:
        from rankwise.charts.overview import judged_by_rank

        write_chart(chart, judged_by_rank(seen.by_rank))
    out.print(_table(seen, by, short=out.for_people))


def _table(seen: "Overview", by: str | None, *, short: bool) -> "pl.DataFrame":
    """For people, counts with one decimal, and of the ranks some that show how the shares fall."""
    import polars as pl

    if by == "rank":
        ranks = seen.by_rank
        last = ranks.height
        return ranks.filter(pl.col("rank").is_in([*SHOWN_RANKS, last])) if short else ranks
    if by == "topic":
        return seen.by_topic
    counts = seen.summary if by is None else seen.by_run
    return counts.with_columns(pl.col(pl.Float64).cast(pl.Decimal(20, 1))) if short else counts
