"""`rankwise pool`: the pool of runs, or the judgments of its documents."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.help import Command
from rankwise.cli.lines import lines_option, write_lines
from rankwise.cli.options.reading import (
    columns_of_input,
    parts_of_runs,
    reading_options,
    runs_argument,
)
from rankwise.cli.options.writing import (
    check_index,
    index_option,
    tool_option,
    write_template,
)
from rankwise.cli.output import print_notes

if TYPE_CHECKING:
    from rankwise.rankings import Collection, NamedRun


@click.command(cls=Command)
@runs_argument("RUN...", required=True)
@click.option(
    "--depth",
    required=True,
    type=click.IntRange(min=1),
    help="Pool depth: each run contributes its first N documents per topic.",
)
@click.option(
    "--qrels",
    metavar="QRELS",
    help="Instead of the pool: the judgments of the pooled documents, from this file.",
)
@click.option(
    "--without",
    metavar="QRELS",
    help="Exclude the documents that are judged in this file.",
)
@tool_option
@index_option
@reading_options("depth", "gains", "complete_runs")
@columns_of_input
@parts_of_runs
@lines_option
def command(
    runs: "tuple[str | NamedRun, ...]",
    depth: int,
    qrels: str | None,
    without: str | None,
    tool: str | None,
    index: str | None,
    reading: "Collection",
    output: str | None,
) -> None:
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
    contributed it. `rankwise metrics stability` scores runs at each pool depth.
    """
    from rankwise.judging import pool
    from rankwise.rankings import read_qrels

    check_index(tool, index)
    judged = None if qrels is None else read_qrels(qrels, lenient=reading.lenient)
    found = pool(reading.with_runs(runs), depth, qrels=judged, without=without)
    topics = found["topic"].n_unique()
    unjudged = "" if without is None else "unjudged "
    what = f"{found.height:,} {unjudged}documents" if judged is None else "judgments"
    of = "" if judged is None else f", {found.height:,} of {judged.frame.height:,}"
    each = f"{found.height / max(topics, 1):,.1f} a topic over {topics:,} topics"
    print_notes([*(judged.notes if judged else ()), f"{what} to depth {depth:,}{of}: {each}"])
    if tool is not None:
        write_template(found, tool, index, output)
    else:
        write_lines(found, output)
