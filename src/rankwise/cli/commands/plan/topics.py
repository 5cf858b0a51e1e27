"""`rankwise plan topics`: the number of topics that an experiment needs."""

from typing import Any

import click

from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import refuse, require
from rankwise.cli.options.reading import Range
from rankwise.cli.options.scoring import Scoring, alpha_option, scoring_options
from rankwise.cli.output import Output, output_options, print_notes

NOT_WITH_BUDGET = ("interval_width", "margin", "systems", "matrices", "variances")


def _number_above_0(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option} {text}: not a number.") from None


def _variances(given: tuple[str, ...]) -> "float | dict[str, float] | None":
    """Return one variance, or {metric: variance}."""
    if not given:
        return None
    named = [one.rpartition("=") for one in given]
    if len(given) == 1 and not named[0][1]:
        return _number_above_0(given[0], "--variance")
    if not all(equals for _, equals, _ in named):
        raise click.UsageError("--variance: several values need names, e.g. AP=0.02.")
    return {name: _number_above_0(value, f"--variance {name}") for name, _, value in named}


@click.command(cls=Command)
@scoring_options(matrices=True, mean=False, required=False)
@click.option(
    "--difference",
    type=Range(0, min_open=True),
    help="Difference to detect: between two systems by a paired t-test, and between the best and "
    "the worst of several systems by a one-way ANOVA.",
)
@click.option(
    "--width",
    "interval_width",
    type=Range(0, min_open=True),
    help="Goal: a confidence interval of a difference of this expected width.",
)
@click.option(
    "--margin",
    type=Range(0, min_open=True),
    help="Equivalence margin, if two systems are to be shown equivalent within ±N (TOST).",
)
@click.option(
    "--systems",
    type=click.IntRange(2),
    help="Number of systems of the ANOVA.  [default: the number of runs]",
)
@click.option(
    "--variance",
    "variances",
    multiple=True,
    metavar="[METRIC=]X",
    help="Instead of a pilot: the residual variance of scores within systems. Repeatable.",
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    help="Instead of the table: compare pool depths for N judgments in total; deeper pools leave "
    "fewer topics.",
)
@click.option(
    "--pool-depths",
    metavar="N,N,...",
    help="Pool depths for --budget.  [default: 1,2,5,10,20,30,50,100]",
)
@click.option(
    "--power",
    type=Range(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="Power of the test.",
)
@alpha_option
@output_options
def command(
    asked: Scoring,
    difference: float | None,
    interval_width: float | None,
    margin: float | None,
    systems: int | None,
    variances: tuple[str, ...],
    budget: int | None,
    pool_depths: str | None,
    power: float,
    alpha: float,
    out: Output,
) -> None:
    """Compute how many topics an experiment needs.

    \b
    Examples:
      rankwise plan topics qrels.txt pilot/*.run -m nDCG@10 --difference 0.05
      rankwise plan topics --scores pilot.csv --width 0.1 --margin 0.02 --power 0.9
      rankwise plan topics --variance 0.04 --difference 0.1 --systems 10
      rankwise plan topics qrels.txt runs/*.run -m AP --budget 20000

    Topic set size design (Sakai 2016) from the variances of a pilot: runs on some
    topics, as files or as --scores. variance: residual variance of scores within
    systems (two-way ANOVA; one-way for the one-way design). topics: the number
    needed. cautious: the number if the variance is at its upper 80 % confidence
    limit.

    With --budget, one row per pool depth: documents in the pool of a topic, topics
    that the budget pays for, and the difference and the width that they allow. The
    judgments must be as deep as the deepest pool.
    """
    if budget is None and pool_depths is not None:
        require("--pool-depths", "--budget N")
    found: Any
    if budget is not None:
        refuse(NOT_WITH_BUDGET, "--budget")
        found = _budget(asked, budget, pool_depths, difference, alpha, power)
    else:
        from rankwise.judging import plan_topics
        from rankwise.scores import DEFAULT_METRICS

        pilot = asked.scores() if asked.qrels or asked.matrices else None
        found = plan_topics(
            pilot,
            metrics=DEFAULT_METRICS if pilot or not asked.metrics else asked.metrics,
            difference=difference,
            width=interval_width,
            margin=margin,
            systems=systems,
            variance=_variances(variances),
            alpha=alpha,
            power=power,
        )
    print_notes(found.notes)
    if out.for_people:
        out.show(found.table(digits=out.digits))
    else:
        out.print(found.frame, of=found)


def _budget(
    asked: Scoring,
    budget: int,
    pool_depths: str | None,
    difference: float | None,
    alpha: float,
    power: float,
) -> Any:
    from rankwise.judging import DEPTHS, plan_budget

    if asked.qrels is None:
        raise click.UsageError("--budget needs rankings: give QRELS and RUN...")
    depths = list(DEPTHS)
    if pool_depths is not None:
        words = pool_depths.split(",")
        if not all(word.strip().isdigit() for word in words):
            raise click.UsageError(f"--pool-depths {pool_depths}: give whole numbers, e.g. 10,50.")
        depths = [int(word) for word in words]
    return plan_budget(
        asked.collection(),
        metrics=asked.parsed_metrics(),
        budget=budget,
        depths=depths,
        difference=difference,
        alpha=alpha,
        power=power,
    )
