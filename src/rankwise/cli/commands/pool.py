"""`rankwise pool`: the pool of runs, or the judgments of its documents."""

from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, option
from rankwise.cli.options.reading import Reading
from rankwise.cli.options.writing import ForTool, Lines, write_lines
from rankwise.cli.output import print_notes


class Options(ForTool, Reading, Lines):
    shared = "runs subset split"
    depth: int = option(
        "Pool depth: each run contributes its first N documents per topic.",
        required=True,
        type=AtLeast1,
    )
    qrels: str | None = option(
        "Instead of the pool: write the judgments of the pooled documents, from this file.",
        metavar="QRELS",
    )
    without: str | None = option(
        "Exclude the documents that are judged in this file.", metavar="QRELS"
    )


@with_options(Options)
def command(options: Options) -> None:
    """Write the pool of runs: the union of their first N documents per topic.

    \b
    Examples:
      rankwise pool runs/*.run --depth 100 -o to-judge.txt
      rankwise pool runs/*.run --depth 10 --qrels qrels.txt -o shallow.txt
      rankwise pool runs/*.run --depth 20 --without qrels.txt -o to-judge.csv
      rankwise pool runs/*.run --depth 10 --for quepid -o ratings.csv

    Each line is `topic 0 document`. Lines are sorted by document name, so that
    their order tells assessors nothing about the rankings. With --qrels, each line
    ends with the grade: the output is a qrels file. A table (.csv, .parquet) also
    has the best rank of each document, and the number and names of the runs that
    contributed it. To score runs at several pool depths, use `rankwise metrics
    stability`.
    """
    from rankwise.judging import pool
    from rankwise.rankings import read_qrels

    judged = None
    if options.qrels is not None:
        judged = read_qrels(
            options.with_columns(options.qrels, is_run=False), lenient=options.lenient
        )
    found = pool(
        options.collection_of(None, options.runs, depth=None),
        options.depth,
        qrels=judged,
        without=options.with_columns(options.without, is_run=False),
    )
    topics = found["topic"].n_unique()
    unjudged = "" if options.without is None else "unjudged "
    what = f"{found.height:,} {unjudged}documents"
    if judged is not None:
        what = f"{found.height:,} of {judged.frame.height:,} judgments"
    each = f"{found.height / max(topics, 1):,.1f} per topic over {topics:,} topics"
    print_notes(
        [*(judged.notes if judged else ()), f"pool of depth {options.depth:,}: {what}, {each}"]
    )
    if options.tool is not None:
        options.write_template(found, options.output)
    else:
        write_lines(found, options.output)
