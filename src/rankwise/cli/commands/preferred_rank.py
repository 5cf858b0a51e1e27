"""`rankwise preferred-rank`: how far down P and P⁺ look."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.options.reading import (
    columns_of_input,
    complete_runs_option,
    depth_option,
    lenient_option,
    order_option,
    parts_of_runs,
    rel_option,
    runs_argument,
)
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.cli.progress import each_with_progress

if TYPE_CHECKING:
    from rankwise.rankings.rows import NamedRun
    from rankwise.vocabulary import Order


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", metavar="QRELS")
@runs_argument("RUN...", required=True)
@order_option
@depth_option
@rel_option
@complete_runs_option
@lenient_option
@columns_of_input
@parts_of_runs
@output_options
def command(
    qrels: str,
    runs: "tuple[str | NamedRun, ...]",
    order: "Order",
    depth: int | None,
    rel: int,
    complete_runs: bool,
    lenient: bool,
    out: Output,
) -> None:
    """Show for each topic how far down P and P+ look.

    \b
    Examples:
      rankwise preferred-rank qrels.txt runs/*.run
      rankwise preferred-rank qrels.txt runs/*.run --format csv -o ranks.csv

    The preferred rank of a ranking is that of the first document of the
    highest grade in it. Each topic shows the run in which it is deepest, and
    for each grade how many documents of it are down to that rank, and how
    many are judged so in all (Sakai 2007, Tables 7 to 9).
    """
    from rankwise.experiments.preferred_rank import preferred_rank

    found = preferred_rank(
        qrels,
        each_with_progress(runs, "runs"),
        rel=rel,
        order=order,
        depth=depth,
        lenient=lenient,
        complete_runs=complete_runs,
    )
    print_notes(found.notes)
    out.print(found.frame, of=found)
