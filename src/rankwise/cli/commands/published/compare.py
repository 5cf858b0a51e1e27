"""`rankwise published compare`: compare two published RBP scores."""

import re
from textwrap import fill
from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import Charted
from rankwise.cli.commands.published.invert import METHOD, rounding_note
from rankwise.cli.help import with_options
from rankwise.cli.options.base import option
from rankwise.cli.output import Printed, print_notes
from rankwise.vocabulary import InversionMethod

if TYPE_CHECKING:
    from rankwise.published import PublishedComparison


class Options(Charted, Printed):
    a: str = option(
        "First score, e.g. p=0.8,score=0.41,residual=0.02.", metavar="SCORE", required=True
    )
    b: str = option(
        "Second score. Both scores may also have precision=0.01, topics=50 and graded.",
        metavar="SCORE",
        required=True,
    )
    at: tuple[float, ...] = option("Also compare at this p. Repeatable.")
    method: InversionMethod = METHOD


@with_options(Options)
def command(options: Options) -> None:
    """Compare two published RBP scores, even if they were computed with different p.

    \b
    Examples:
      rankwise published compare --a p=0.8,score=0.41 --b p=0.95,score=0.33

    The verdict is for the lower of the two values of p and holds for any rankings with
    these scores. The table has the range of each score at both values of p. A score is
    a mean over topics; with topics=1 it is the score of one topic, and its range is
    narrower.
    """
    from rankwise.published import compare_published

    found = compare_published(options.a, options.b, at=options.at, method=options.method)
    words = [
        *_words(found),
        *map(str, found.notes),
        *_rounding(options.a, found.a.precision),
        *_rounding(options.b, found.b.precision),
    ]
    options.draw(found.chart)
    if options.out.for_reading:
        click.echo("\n".join(fill(sentence, 80) for sentence in words) + "\n")
    else:
        print_notes(words)
    options.out.print(found.frame, of=found)


def _rounding(text: str, precision: float) -> list[str]:
    """Return the note on too few decimals, if it applies to a text such as `p=0.8,score=0.41`."""
    score = re.search(r"score=([0-9.]+)", text.replace(" ", ""))
    return rounding_note(score[1], precision, "precision=") if score else []


def _words(found: "PublishedComparison") -> list[str]:
    """Return the verdict and, for the paper's method, the verdict by the sound method too."""
    if found.method == "sound":
        return [found.sentence]
    from rankwise.published import compare_published

    sound = compare_published(found.a, found.b)
    return [
        f"With the ranges of the paper, which some rankings violate: {found.sentence}",
        f"With ranges that hold for every ranking: {sound.sentence}",
    ]
