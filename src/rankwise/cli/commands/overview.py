"""`rankwise overview`: a summary of a collection."""

from typing import ClassVar

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import option
from rankwise.cli.options.reading import Reading
from rankwise.cli.options.shared import DEEPEST, OF_THRESHOLD, THRESHOLD
from rankwise.cli.output import Printed
from rankwise.vocabulary import Grouping


class Options(Reading, Charted, Printed):
    shared = "qrels runs gains complete_runs subset split"
    only_with: ClassVar = {"by=run": "pool_depth"}
    never_with: ClassVar = {"by=topic|rank|zone": "cutoffs"}
    everyday = "by cutoffs pool_depth rel sort chart style output"
    by: Grouping | None = option(
        "Instead of the summary, print a table. `topic`: judged and relevant documents of each "
        "topic. `run`: judged and relevant documents of each run. `rank`: fraction of documents "
        "judged, at each rank. `zone`: documents of each run by judgment: retrieved (relevant, "
        "non-relevant, unjudged) and not retrieved (relevant, non-relevant). In csv and json, "
        "`zone` has one row per run and topic."
    )
    cutoffs: tuple[int, ...] = option(
        "Count documents within the first N ranks. Repeatable.  [default: 10, 100, 1000]",
        "--cutoff",
        type=click.IntRange(1, DEEPEST),
    )
    pool_depth: int | None = option(
        "With --by run: a judged document is unique to a run if only this run has it in its first "
        "N documents.  [default: 100]",
        type=click.IntRange(1, DEEPEST),
    )
    rel: float = option(f"{THRESHOLD}.  [default: 1]", **OF_THRESHOLD)
    sort: str | None = option("Sort rows by this column, lowest value first.", metavar="COLUMN")


@with_options(Options)
def command(options: Options) -> None:
    """Summarise a collection: pools, runs, and how many of their documents are judged and relevant.

    \b
    Examples:
      rankwise overview qrels.txt runs/*.run
      rankwise overview qrels.txt runs/*.run --by rank --chart judged.svg
      rankwise overview qrels.txt runs/*.run --by run --sort "unique rel."
      rankwise overview qrels.txt runs/*.run --complete-runs --order rank

    Counts are per topic. Counts of the pool are averaged over topics, counts of
    retrieved documents over runs and topics (Tables 1 to 3 of Ahlgren and Grönqvist
    2007).
    The chart is their Figure 1: the fractions of relevant, non-relevant and unjudged
    documents at each rank.

    With --by run, the table shows the judged fraction of the first N documents of each
    run, and the number of relevant documents per topic among them. The column `unique`
    counts judged documents, over all topics, that no other run has in its first 100
    (--pool-depth). Runs with the smallest judged fraction come first, unless --sort is
    given.
    """
    from rankwise.judging import CUTOFFS, POOL_DEPTH, overview

    seen = overview(
        options.collection_of(options.qrels, options.runs),
        cutoffs=options.cutoffs or CUTOFFS,
        pool_depth=options.pool_depth or POOL_DEPTH,
        rel=options.rel,
    )
    table = seen.table(digits=options.out.digits, by=options.by, sort=options.sort)
    options.draw(seen.chart)
    options.out.result(
        seen,
        table=lambda: table,
        frame=lambda: seen.by(options.by, sort=options.sort),
        notes=[*seen.notes, "; ".join([seen.caption, *map(str, table.notes)])],
    )
