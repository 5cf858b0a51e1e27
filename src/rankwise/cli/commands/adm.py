"""`rankwise adm`: how far scores are from the judgments."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.options.reading import (
    columns_of_input,
    lenient_option,
    parts_of_runs,
    runs_argument,
)
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.cli.progress import each_with_progress

if TYPE_CHECKING:
    from rankwise.rankings.rows import NamedRun


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", metavar="QRELS")
@runs_argument("RUN...", required=True)
@click.option("--by-topic", is_flag=True, help="Also every topic.")
@click.option(
    "--scaled", is_flag=True, help="Stretch the scores of each topic of a run to go from 0 to 1."
)
@lenient_option
@columns_of_input
@parts_of_runs
@output_options
def command(
    qrels: str,
    runs: "tuple[str | NamedRun, ...]",
    by_topic: bool,
    scaled: bool,
    lenient: bool,
    out: Output,
) -> None:
    """Say how far scores are from the judgments: the average distance measure.

    \b
    Examples:
      rankwise adm qrels.txt labels-by-a-model.run
      rankwise adm qrels.txt runs/*.run --scaled --by-topic -o adm.csv
      rankwise compare --scores adm.csv

    For systems whose scores estimate relevance, from 0 to 1. It is 1 minus
    the mean distance of score and judgment over the judged documents of a
    topic; documents that a run lacks have the score 0 (Della Mea and
    Mizzaro 2004). Rankings are compared by the metrics of `score`.
    """
    from rankwise.scores.distance import average_distance
    from rankwise.scores.layout import long_form

    found = average_distance(
        qrels, each_with_progress(runs, "runs"), scaled=scaled, lenient=lenient
    )
    print_notes(found.notes)
    if out.for_people:
        out.show(found.table(digits=out.digits, by_topic=by_topic))
    else:
        out.print(long_form(found, by_topic=by_topic), of=found)
