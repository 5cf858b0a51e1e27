"""`rankwise published invert`: the range of a published RBP score at another p."""

from typing import get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import InversionMethod


@click.command(cls=Command)
@click.option("--p", "p", type=float, required=True, help="p of the published score, 0 ≤ p < 1.")
@click.option("--score", metavar="SCORE", required=True, help="Published RBP score.")
@click.option(
    *["--residual", "residual"],
    type=float,
    help="Published residual, which may be 0.  [default: none; unjudged documents are not "
    "relevant]",
)
@click.option(
    "--precision",
    type=float,
    default=1e-4,
    show_default=True,
    help="Rounding of the published score: 0.01 for a score printed as 0.41.",
)
@click.option(
    "--topics",
    type=int,
    help="Number of topics the score is a mean over.  [default: unknown; the range holds for any "
    "number]",
)
@click.option(
    "--at",
    type=float,
    multiple=True,
    help="Other value of p. Repeatable.  [default: 0.5, 0.7, 0.8, 0.9, 0.95, 0.99]",
)
@click.option(
    "--method",
    type=click.Choice(get_args(InversionMethod)),
    default="sound",
    show_default=True,
    help="sound: ranges that hold for every ranking; paper: those of Zhang, Park and Moffat "
    "(2008), which some rankings violate.",
)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Limit on the search for each attained bound, in ranking prefixes.",
)
@click.option("--graded", is_flag=True, help="Gains are graded: any value from 0 to 1.")
@click.option(
    "--all-vectors",
    is_flag=True,
    help="Instead of the ranges: all relevance vectors with this score, if there are few.",
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
    """Compute the range of a published RBP score at another p.

    \b
    Examples:
      rankwise published invert --p 0.8 --score 0.41 --precision 0.01 --at 0.5 --at 0.95
      rankwise published invert --p 0.8 --score 0.41 --residual 0.02 --topics 50
      rankwise published invert --p 0.8 --score 0.41 --graded
      rankwise published invert --p 0.7 --score 0.41 --precision 0.01 --all-vectors --at 0.5
      rankwise published invert --p 0.8 --score 0.41 --chart chart.svg

    Prints the lexicographically largest and smallest relevance vectors with this
    score (1 relevant, 0 not relevant, ? unjudged), and the range of the score at
    each other p. low and high are bounds for every ranking; inner_low and
    inner_high are attained by some ranking.
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
        raise click.UsageError(f"{name} {text}: not a number. Give it as 0.41.") from None


def rounding_note(score: str, precision: float, option: str = "--precision ") -> list[str]:
    """Return a note if the score has fewer decimals than the precision."""
    decimals = len(score.partition(".")[2])
    if "e" in score.lower() or 10**-decimals < precision * 1.01:
        return []
    return [
        f"{score} has fewer decimals than the precision of {precision:g}: if it was rounded, "
        f"give {option}{10**-decimals:g}"
    ]
