"""`rankwise metrics choose`: what several metrics are worth on a collection, side by side."""

from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.help import Command
from rankwise.cli.options.reading import Range, rel_option, seed_option
from rankwise.cli.options.scoring import Scoring, scoring_options
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import Discriminator, SwapMethod

if TYPE_CHECKING:
    pass

METHODS = [name for name in get_args(Discriminator) if name not in get_args(SwapMethod)]


@click.command(cls=Command)
@scoring_options()
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="tukey",
    show_default=True,
    help="What shows that two runs differ: Tukey's test, familywise over all pairs, Sakai's "
    "bootstrap, or another test.",
)
@click.option("--alpha", default=0.05, show_default=True, help="The level of significance.")
@click.option(
    "--keep",
    default=0.1,
    show_default=True,
    type=Range(0, 1, min_open=True),
    help="The share of the judgments in the samples by which stability is measured.",
)
@click.option(
    "--resamples",
    default=100,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many samples to draw.",
)
@seed_option
@rel_option
@output_options
def command(
    asked: Scoring,
    method: Discriminator,
    alpha: float,
    keep: float,
    resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Say which metric to use: power, stability and agreement side by side.

    \b
    Examples:
      rankwise metrics choose qrels.txt runs/*.run -m AP -m nDCG@10 -m P@10
      rankwise metrics choose qrels.txt runs/*.run -m AP -m RankEff --keep 0.05

    significant is the percentage of pairs of runs that a metric shows to be
    significantly different; stability is Kendall's tau between the system
    rankings by a share of the judgments and by all, error its standard error
    over samples; agreement is the mean of tau with the other metrics. None of them
    says that a metric measures what your users want. `discriminate`, `stability`
    and `correlate` say more about each.
    """
    from rankwise.experiments import which_metric

    if asked.mean != "arithmetic":
        raise click.UsageError("--mean geometric: these tests are of arithmetic means.")
    found = which_metric(
        asked.collection(),
        metrics=asked.parsed_metrics(),
        method=method,
        alpha=alpha,
        keep=keep,
        resamples=resamples,
        rel=asked.rel,
        seed=seed,
    )
    print_notes([found.caption, *found.notes])
    if out.for_people:
        out.show(found.table(digits=out.digits))
    else:
        out.print(found.frame, of=found)
