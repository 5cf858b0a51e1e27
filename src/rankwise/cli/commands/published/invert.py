"""`rankwise published invert`: the range of a published RBP score at another p."""

from typing import ClassVar

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, option
from rankwise.cli.output import Printed, print_notes
from rankwise.vocabulary import InversionMethod

METHOD = option(
    "`sound`: ranges that hold for every ranking. `paper`: the ranges of Zhang, Park and Moffat "
    "(2008), which some rankings violate.",
    default="sound",
)


class Options(Charted, Printed):
    never_with: ClassVar = {"method=paper": "budget"}
    everyday = "p score residual precision topics at method graded all_vectors chart style output"
    p: float = option("p of the published score, 0 ≤ p < 1.", required=True)
    score: str = option("Published RBP score.", metavar="SCORE", required=True)
    residual: float | None = option(
        "Published residual, which may be 0.  [default: none; unjudged documents then count as not "
        "relevant]"
    )
    precision: float = option(
        "Rounding of the published score: 0.01 for a score printed as 0.41.", default=1e-4
    )
    topics: int | None = option(
        "Number of topics over which the score is a mean.  [default: unknown; the range then holds "
        "for any number]"
    )
    at: tuple[float, ...] = option(
        "Other value of p. Repeatable.  [default: 0.5, 0.7, 0.8, 0.9, 0.95, 0.99]"
    )
    method: InversionMethod = METHOD
    budget: int = option(
        "Limit on the search for each of `inner_low` and `inner_high`: the number of ranking "
        "prefixes examined.",
        type=AtLeast1,
        default=1000,
    )
    graded: bool = option("Gains are graded: any value from 0 to 1.")
    all_vectors: bool = option(
        "Instead of the ranges: all relevance vectors with this score, if there are few."
    )


@with_options(Options)
def command(options: Options) -> None:
    """From an RBP score published for one p, compute its possible range at another p.

    \b
    Examples:
      rankwise published invert --p 0.8 --score 0.41 --precision 0.01 \\
          --at 0.5 --at 0.95
      rankwise published invert --p 0.8 --score 0.41 --residual 0.02 --topics 50
      rankwise published invert --p 0.8 --score 0.41 --graded
      rankwise published invert --p 0.7 --score 0.41 --precision 0.01 \\
          --all-vectors --at 0.5
      rankwise published invert --p 0.8 --score 0.41 --chart chart.svg

    Prints the lexicographically largest and smallest relevance vectors with this
    score (1 relevant, 0 not relevant, ? unjudged), and the range of the score at
    each other p. The columns `low` and `high` are bounds that hold for every ranking;
    some ranking attains `inner_low`, and some ranking attains `inner_high`.
    """
    from rankwise.published import invert

    found = invert(
        options.p,
        number("--score", options.score),
        options.residual,
        precision=options.precision,
        topics=options.topics,
        at=options.at or None,
        method=options.method,
        budget=options.budget,
        graded=options.graded,
    )
    print_notes([*rounding_note(options.score, options.precision), *found.notes])
    options.draw(found.chart)
    if options.all_vectors:
        vectors = found.all_vectors()
        print_notes([f"{vectors.height:,} relevance vectors have this score"])
        options.out.print(vectors, of=found)
        return
    if options.out.for_reading:
        click.echo(found.caption + "\n")
    options.out.result(found, notes=[])


def number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{name} {text} is not a number. Write it as 0.41.") from None


def rounding_note(score: str, precision: float, option: str = "--precision ") -> list[str]:
    """Return a list with a note if the score has fewer decimals than the precision."""
    decimals = len(score.partition(".")[2])
    if "e" in score.lower() or 10**-decimals < precision * 1.01:
        return []
    return [
        f"{score} has fewer decimals than the precision of {precision:g}; if it was rounded, "
        f"use {option}{10**-decimals:g}"
    ]
