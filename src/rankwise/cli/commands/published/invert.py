"""`rankwise published invert`: what a published RBP score says at another p."""

from typing import get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import InversionMethod


@click.command(cls=Command)
@click.option("--p", "p", type=float, required=True, help="The p of the score; 0 to 1.")
@click.option("--score", metavar="FLOAT", required=True, help="The RBP score, as printed.")
@click.option(
    *["--residual", "residual"],
    type=float,
    help="What the unjudged documents could add to it, as printed, 0 included.  "
    "[default: not printed; unjudged documents are not relevant]",
)
@click.option(
    "--precision",
    type=float,
    default=1e-4,
    show_default=True,
    help="What the score was rounded to: 0.01 for a score printed as 0.41.",
)
@click.option(
    "--topics",
    type=int,
    help="Over how many topics it is a mean. Not said: what holds for one and for a mean.",
)
@click.option(
    "--at",
    type=float,
    multiple=True,
    help="Another p. Give it again for more.  [default: 0.5, 0.7, 0.8, 0.9, 0.95, 0.99]",
)
@click.option(
    "--method",
    type=click.Choice(get_args(InversionMethod)),
    default="sound",
    show_default=True,
    help="A range that holds for every ranking, or that of the paper, which some leave.",
)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Prefixes to look at in the search for each end that is attained.",
)
@click.option("--graded", is_flag=True, help="A document may have gained anything from 0 to 1.")
@click.option(
    "--all-vectors",
    is_flag=True,
    help="Instead of ranges: every relevance vector with this score, where they are few.",
)
@chart_options
@output_options
def command(
    p: float,
    score: str,
    residual: float | None,
    precision: float,
    topics: int | None,
    at: tuple[float, ...],
    method: "InversionMethod",
    budget: int,
    graded: bool,
    all_vectors: bool,
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Show what a published RBP score says at another p.

    \b
    Examples:
      rankwise published invert --p 0.8 --score 0.41 --precision 0.01 --at 0.5 --at 0.95
      rankwise published invert --p 0.8 --score 0.41 --residual 0.02 --topics 50
      rankwise published invert --p 0.8 --score 0.41 --graded
      rankwise published invert --p 0.7 --score 0.41 --precision 0.01 --all-vectors --at 0.5
      rankwise published invert --p 0.8 --score 0.41 --chart chart.svg

    Prints the lexicographically greatest and least relevance vectors that score so
    (1 relevant, 0 not, ? unjudged) and the range of the score at each other p. low
    and high hold for every ranking; inner_low and inner_high are attained by some.
    """
    from rankwise.published import invert

    found = invert(
        p,
        number("--score", score),
        residual,
        precision=precision,
        topics=topics,
        at=at or None,
        method=method,
        budget=budget,
        graded=graded,
    )
    print_notes([*rounding_note(score, precision), *found.notes])
    if chart is not None:
        write_chart(chart, found.chart())
    if all_vectors:
        vectors = found.all_vectors()
        print_notes([f"relevance vectors with this score: {vectors.height:,}"])
        out.print(vectors, of=found)
        return
    if out.for_reading:
        click.echo(found.caption + "\n")
    if out.for_people:
        out.show(found.table(digits=out.digits))
    else:
        out.print(found.frame, of=found)


def number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{name} {text!r} is no number.") from None


def rounding_note(score: str, precision: float, option: str = "--precision ") -> list[str]:
    """Two decimals do not tell four."""
    decimals = len(score.partition(".")[2])
    if "e" in score.lower() or 10**-decimals < precision * 1.01:
        return []
    return [
        f"{score} has fewer decimals than the precision of {precision:g}: if it was rounded, "
        f"give {option}{10**-decimals:g}"
    ]
