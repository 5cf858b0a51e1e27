"""`rankwise demo`: the main job on a simulated collection, in one go."""

import sys
from typing import TYPE_CHECKING

import click

from rankwise.cli.help import Command
from rankwise.cli.output import folder_is_there

if TYPE_CHECKING:
    from rankwise.simulation import Simulated

METRICS = ("nDCG@10", "AP", "RBP(p=0.8)", "P@10")


@click.command(cls=Command)
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0))
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="rankwise-demo.html",
    show_default=True,
    type=click.Path(dir_okay=False),
    callback=folder_is_there,
    help="Where to write the report.",
)
def command(seed: int, output: str) -> None:
    """Score a simulated collection, with bounds, and write a report of it.

    \b
    Examples:
      rankwise demo
    """
    from rankwise.cli.output import Output
    from rankwise.scores import score
    from rankwise.simulation import simulate

    made = simulate(topics=50, systems=10, seed=seed)
    scores = score(made.qrels, made.runs, METRICS)
    click.echo(
        f"A simulated collection (seed {seed}): {len(made.runs)} systems, "
        f"{len(scores.topics)} topics,\n{made.qrels.frame.height:,} judged documents. "
        "Means over topics, best system first:\n"
    )
    sys.stdout.flush()
    Output().show(scores.table())
    click.echo(
        "\nNot every document is judged. The lower and upper bound of each score, if any\n"
        "document can turn out relevant, and rankings go on below their end:\n"
    )
    sys.stdout.flush()
    bounded = score(made.qrels, made.runs, ["RBP(p=0.8)"], bounds=True, unjudged="open")
    Output().show(bounded.table())
    click.echo(
        "\nThe same from files:\n"
        f"  rankwise simulate -o collection --topics 50 --systems 10 --seed {seed}\n"
        "  rankwise score collection/qrels.txt collection/runs/*.run -m nDCG@10 -m AP\n"
        "  rankwise report collection/qrels.txt collection/runs/*.run -o report.html"
    )
    sys.stdout.flush()
    _write_report(made, output)


def _write_report(made: "Simulated", output: str) -> None:
    """The same on one page; where what draws charts is not installed, a word on that."""
    from rankwise.errors import CallError
    from rankwise.reporting import report

    try:
        written = report(made.qrels, made.runs, METRICS, output=output, title="rankwise demo")
    except CallError as error:
        click.echo(f"\nNo report was written: {error}")
        return
    where = written.path.resolve()
    click.echo(f"\nA report of it, which opens in a browser without a network:\n  {where}")
