"""`rankwise plan calibrate`: error rates of significance tests on the user's own scores."""

from typing import get_args

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import Positive, option
from rankwise.cli.options.scoring import ScoredOrRead
from rankwise.cli.output import Printed
from rankwise.vocabulary import Test


class Options(ScoredOrRead, Charted, Printed):
    shared = "alpha seed"
    everyday = (
        "metrics matrices tests systems with_topics difference experiments alpha seed chart "
        "style output"
    )
    tests: "tuple[Test, ...]" = option(
        "Test to measure. Repeatable.  [default: all]",
        "--test",
        choices=[test for test in get_args(Test) if test != "dunnett"],
        multiple=True,
    )
    systems: int = option(
        "Number of systems in each experiment; with more than two, p-values are corrected.",
        default=2,
        type=click.IntRange(2),
    )
    with_topics: int | None = option(
        "Number of topics in each experiment.  [default: the number of topics in the scores]",
        type=click.IntRange(5),
    )
    difference: float | None = option(
        "True difference between the systems in the experiments that measure power.  [default: the "
        "difference that a t-test detects with power 0.8]",
        type=Positive,
    )
    experiments: int = option(
        "Number of experiments of each kind (permuted scores, simulated scores).",
        default=1_000,
        type=click.IntRange(2),
    )


@with_options(Options)
def command(options: Options) -> None:
    """Measure type I error and power of tests, and coverage of intervals, on your scores.

    \b
    Examples:
      rankwise plan calibrate qrels.txt runs/*.run -m nDCG@10
      rankwise plan calibrate --scores AP=ap.csv --systems 5 --chart rates.svg
      rankwise plan calibrate qrels.txt runs/*.run -m AP --with-topics 25 \\
          --difference 0.05

    The column `source` says how equal systems are produced. `permuted`: runs are drawn
    at random, and the scores of each topic are permuted among them. `simulated`: topics
    are drawn from a Gaussian copula fitted to the runs, and all systems have the same
    distribution of scores. To measure power, one system is then made better.

    `type_1` is the fraction of experiments with equal systems in which a difference is
    significant. `power` is the fraction of experiments in which the true difference is
    detected. `coverage` is the fraction of experiments whose confidence intervals
    contain the true differences. Resampling tests use 1,999 resamples.
    """
    from rankwise.experiments import calibrate

    found = calibrate(
        options.scores(),
        tests=options.tests or None,
        systems=options.systems,
        topics=options.with_topics,
        difference=options.difference,
        alpha=options.alpha,
        experiments=options.experiments,
        seed=options.seed,
    )
    options.out.result(found)
    options.draw(found.chart)
