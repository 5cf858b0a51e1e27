"""`rankwise calibrate`: error rates of significance tests on the user's own scores."""

from typing import get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.reading import Range, seed_option
from rankwise.cli.options.scoring import Scoring, alpha_option, scoring_options
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import Test


@click.command(cls=Command)
@scoring_options(matrices=True, mean=False)
@click.option(
    "--test",
    "tests",
    multiple=True,
    type=click.Choice([test for test in get_args(Test) if test != "dunnett"]),
    help="Test to try. Repeatable.  [default: all]",
)
@click.option(
    "--systems",
    default=2,
    show_default=True,
    type=click.IntRange(2),
    help="Systems in each experiment; with more than two, p-values are corrected.",
)
@click.option(
    "--at-topics",
    type=click.IntRange(5),
    help="Topics in each experiment.  [default: those of the scores]",
)
@click.option(
    "--difference",
    type=Range(0, min_open=True),
    help="True difference, for power.  [default: one that a t-test finds with power 0.8]",
)
@click.option(
    "--experiments",
    default=1_000,
    show_default=True,
    type=click.IntRange(2),
    help="Number of experiments of each kind.",
)
@alpha_option
@seed_option
@chart_options
@output_options
def command(
    asked: Scoring,
    tests: "tuple[Test, ...]",
    systems: int,
    at_topics: int | None,
    difference: float | None,
    experiments: int,
    alpha: float,
    seed: int,
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Measure type I error, power and coverage of tests on your own scores.

    \b
    Examples:
      rankwise calibrate qrels.txt runs/*.run -m nDCG@10
      rankwise calibrate --scores AP=ap.csv --systems 5 --chart rates.svg
      rankwise calibrate qrels.txt runs/*.run -m AP --at-topics 25 --difference 0.05

    permuted: the scores of each topic are permuted among runs drawn at random, so
    that no run is better. simulated: topics are drawn from a Gaussian copula fitted
    to the runs, and all systems have the same distribution of scores. type_1: the
    fraction of experiments with equal systems in which a difference is significant.
    power: the fraction of true differences found, when one system is better.
    coverage: the fraction of experiments whose confidence intervals contain the
    true differences. Resampling tests use 1,999 resamples.
    """
    from rankwise.experiments import calibrate

    found = calibrate(
        asked.scores(),
        tests=tests or None,
        systems=systems,
        topics=at_topics,
        difference=difference,
        alpha=alpha,
        experiments=experiments,
        seed=seed,
    )
    if out.for_people:
        out.show(found.table(digits=out.digits))
    else:
        out.print(found.frame, of=found)
    print_notes(found.notes)
    if chart:
        write_chart(chart, found.chart())
