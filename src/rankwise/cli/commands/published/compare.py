"""`rankwise published compare`: which of two published RBP scores is better."""

import re
from textwrap import fill
from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.commands.published.invert import rounding_note
from rankwise.cli.help import Command
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import InversionMethod

if TYPE_CHECKING:
    from rankwise.published import PublishedComparison


@click.command(cls=Command)
@click.option("--a", "a", metavar="SCORE", required=True, help="As p=0.8,score=0.41,residual=0.02.")
@click.option(
    *["--b", "b"],
    metavar="SCORE",
    required=True,
    help="The other; also precision=0.01, topics=50, graded.",
)
@click.option("--at", type=float, multiple=True, help="Compare at this p, too.")
@click.option(
    "--method",
    type=click.Choice(get_args(InversionMethod)),
    default="sound",
    show_default=True,
    help="Ranges that hold for every ranking, or those of the paper, which some leave.",
)
@chart_options
@output_options
def command(
    a: str,
    b: str,
    at: tuple[float, ...],
    method: "InversionMethod",
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Say which of two published RBP scores is better, if they tell.

    \b
    Examples:
      rankwise published compare --a p=0.8,score=0.41 --b p=0.95,score=0.33

    The verdict is at the lower p of the two, and holds whatever the rankings were;
    the table has the range of either score at both p. A score may be one topic's or
    a mean over topics; where it is one topic's, topics=1 narrows its range.
    """
    from rankwise.published import compare_published

    found = compare_published(a, b, at=at, method=method)
    words = [
        *_words(found),
        *map(str, found.notes),
        *_rounding(a, found.a.precision),
        *_rounding(b, found.b.precision),
    ]
    if chart is not None:
        write_chart(chart, found.chart())
    if out.for_reading:
        click.echo("\n".join(fill(sentence, 80) for sentence in words) + "\n")
        out.print(found.frame, of=found)
    else:
        print_notes(words)
        out.print(found.frame, of=found)


def _rounding(text: str, precision: float) -> list[str]:
    """What `invert` says of a score with few decimals, of one in `p=0.8,score=0.41`."""
    score = re.search(r"score=([0-9.]+)", text.replace(" ", ""))
    return rounding_note(score[1], precision, "precision=") if score else []


def _words(found: "PublishedComparison") -> list[str]:
    """The verdict; that of the paper never without the sound one."""
    if found.method == "sound":
        return [found.sentence]
    from rankwise.published import compare_published

    sound = compare_published(found.a, found.b)
    return [
        f"By the paper, whose ranges some rankings leave: {found.sentence}",
        f"By ranges that hold for every ranking: {sound.sentence}",
    ]
