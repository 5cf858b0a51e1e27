"""`rankwise compare-published`: which of two published RBP scores is better."""

import re
from textwrap import fill
from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.commands.invert import rounding_note
from rankwise.cli.options.reading import runs_argument
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import InversionMethod

if TYPE_CHECKING:
    from rankwise.published import PublishedComparison
    from rankwise.rankings.rows import NamedRun


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@runs_argument("[RUN...]", required=False)
@click.option("--a", "a", metavar="SCORE", help="As p=0.8,score=0.41,residual=0.02.")
@click.option(
    "--b", "b", metavar="SCORE", help="The other; also precision=0.01, topics=50, graded."
)
@click.option("--at", type=float, multiple=True, help="Compare at this p, too.")
@click.option(
    "--method",
    type=click.Choice(get_args(InversionMethod)),
    default="sound",
    show_default=True,
    help="Ranges that hold for every ranking, or those of the paper, which some leave.",
)
@click.option(
    "--trial",
    metavar="QRELS",
    help="Instead: how often such comparisons of RUN... are decided, and how often wrongly.",
)
@click.option(
    "--residuals", is_flag=True, help="With --trial: what is unjudged is known, too, as a residual."
)
@click.option(
    "--heuristics",
    is_flag=True,
    help="Instead of ranges: how far they overlap, and by how many of the possible relevance "
    "vectors A is better. Neither is a verdict.",
)
@chart_options
@output_options
def command(
    runs: "tuple[str | NamedRun, ...]",
    a: str | None,
    b: str | None,
    at: tuple[float, ...],
    method: "InversionMethod",
    trial: str | None,
    residuals: bool,
    heuristics: bool,
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Say which of two published RBP scores is better, if they tell.

    \b
    Examples:
      rankwise compare-published --a p=0.8,score=0.41 --b p=0.95,score=0.33
      rankwise compare-published --a p=0.5,score=0.6 --b p=0.7,score=0.5 --heuristics
      rankwise compare-published --trial qrels.txt runs/*.run --residuals

    The verdict is at the lower p of the two, and holds whatever the rankings were;
    the table has the range of either score at both p. A score may be one topic's or
    a mean over topics; where it is one topic's, topics=1 narrows its range.
    """
    if trial is not None:
        from rankwise.cli.progress import each_with_progress
        from rankwise.published.trial import trial_on_runs

        if a or b or heuristics or not runs:
            raise click.UsageError("--trial QRELS takes RUN..., no --a, --b or --heuristics.")
        given = each_with_progress(runs, "runs")
        out.print(trial_on_runs(trial, given, residuals=residuals))
        return
    if residuals:
        raise click.UsageError("--residuals goes with --trial; a score has its own, residual=0.02.")
    if a is None or b is None or runs:
        raise click.UsageError("give both --a and --b, as p=0.8,score=0.41, or --trial QRELS.")
    from rankwise.published import compare_published
    from rankwise.published.heuristics import LABEL

    found = compare_published(a, b, at=at, method=method)
    words = [
        *_words(found),
        *found.notes,
        *_rounding(a, found.a.precision),
        *_rounding(b, found.b.precision),
    ]
    if chart is not None:
        write_chart(chart, found.chart())
    if heuristics:
        print_notes([*words, LABEL])
        out.print(found.heuristics(), of=found)
    elif out.for_reading:
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
