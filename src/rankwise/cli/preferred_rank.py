"""`rankwise preferred-rank`: how far down P and P⁺ look."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.output import Output, output_options, print_notes
from rankwise.cli.progress import each_with_progress

if TYPE_CHECKING:
    from rankwise.inputs import Order


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "file"]),
    default="score",
    show_default=True,
    help="What orders a ranking. Equal scores are ordered by document name, descending.",
)
@click.option("--depth", type=click.IntRange(min=1), help="Look at the first N documents only.")
@click.option(
    "--rel",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="The least grade that is relevant.",
)
@click.option("--lenient", is_flag=True, help="Drop bad lines and repeated documents; say so.")
@output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    order: "Order",
    depth: int | None,
    rel: int,
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
    from rankwise.experiments.preferred_rank import preferred_ranks
    from rankwise.join import read_judged

    files = each_with_progress(runs, "runs")
    judged = read_judged(qrels, files, order=order, depth=depth, lenient=lenient)
    print_notes(judged.notes)
    out.print(preferred_ranks(judged, rel))
