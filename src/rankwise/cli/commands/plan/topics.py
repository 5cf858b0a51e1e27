"""`rankwise plan topics`: the number of topics that an experiment needs."""

from typing import Any

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, Positive, option
from rankwise.cli.options.scoring import ScoredOrRead
from rankwise.cli.output import Printed


def _number_above_0(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option} {text} is not a number. Use for example 0.05.") from None


def _variances(given: tuple[str, ...]) -> "float | dict[str, float] | None":
    """Return one variance, or {metric: variance}."""
    if not given:
        return None
    named = [one.rpartition("=") for one in given]
    if len(given) == 1 and not named[0][1]:
        return _number_above_0(given[0], "--variance")
    if not all(equals for _, equals, _ in named):
        raise click.UsageError(
            "--variance is given several times, and a value has no metric. Write AP=0.02."
        )
    return {name: _number_above_0(value, f"--variance {name}") for name, _, value in named}


class Options(ScoredOrRead, Printed):
    shared = "alpha power"
    everyday = (
        "metrics matrices difference interval_width margin systems variances budget power "
        "alpha style output"
    )
    difference: float | None = option(
        "Goal: detect a difference of N between two systems (paired t-test), and between the best "
        "and the worst of several systems (two-way and one-way ANOVA).",
        type=Positive,
    )
    interval_width: float | None = option(
        "Goal: an expected width of N for the confidence interval of a difference.",
        "--width",
        type=Positive,
    )
    margin: float | None = option(
        "Goal: show that two systems are equivalent within ±N (TOST).", type=Positive
    )
    systems: int | None = option(
        "Number of systems in the ANOVA.  [default: the number of runs]", type=click.IntRange(2)
    )
    variances: tuple[str, ...] = option(
        "Instead of a pilot: the residual variance of scores within systems. Repeatable.",
        "--variance",
        metavar="[METRIC=]X",
    )
    budget: int | None = option(
        "Instead of the table: compare pool depths for N judgments in total; deeper pools leave "
        "fewer topics.",
        type=AtLeast1,
        not_with=["interval_width", "margin", "systems", "matrices", "variances"],
    )
    pool_depths: str | None = option(
        "Pool depths for --budget.  [default: 1,2,5,10,20,30,50,100]",
        metavar="N,N,...",
        needs="budget",
    )

    def check_sources(self) -> None:
        if self.qrels or self.matrices:
            super().check_sources()


@with_options(Options)
def command(options: Options) -> None:
    """Compute how many topics an experiment needs.

    \b
    Examples:
      rankwise plan topics qrels.txt pilot/*.run -m nDCG@10 --difference 0.05
      rankwise plan topics --scores pilot.csv --width 0.1 --margin 0.02 --power 0.9
      rankwise plan topics --variance 0.04 --difference 0.1 --systems 10
      rankwise plan topics qrels.txt runs/*.run -m AP --budget 20000

    The method is topic set size design (Sakai 2016). The variances are estimated from a
    pilot: runs on some topics, or their scores (--scores). `variance` is the residual
    variance of scores in a two-way ANOVA of systems and topics; in the row of the
    one-way ANOVA, it is the variance within systems. `topics` is the number of topics
    needed. `cautious` is the number needed if the variance is at its upper 80 %
    confidence limit.

    With --budget, the table has one row per pool depth: the pool size per topic, the
    number of topics that the budget allows, the smallest detectable difference, and the
    width of the confidence interval. The judgments must be as deep as the deepest pool.
    """
    result: Any
    if options.budget is not None:
        result = _budget(options, options.budget)
    else:
        from rankwise.judging import plan_topics
        from rankwise.scores import DEFAULT_METRICS

        pilot = options.scores() if options.qrels or options.matrices else None
        result = plan_topics(
            pilot,
            metrics=DEFAULT_METRICS if pilot or not options.metrics else options.metrics,
            difference=options.difference,
            width=options.interval_width,
            margin=options.margin,
            systems=options.systems,
            variance=_variances(options.variances),
            alpha=options.alpha,
            power=options.power,
        )
    options.out.result(result)


def _budget(options: Options, budget: int) -> Any:
    from rankwise.judging import DEPTHS, plan_budget

    if options.qrels is None:
        raise click.UsageError("--budget needs rankings. Give QRELS and RUN....")
    words = [] if options.pool_depths is None else options.pool_depths.split(",")
    if not all(word.strip().isdigit() for word in words):
        raise click.UsageError(
            f"--pool-depths {options.pool_depths}: not a list of whole numbers. Write it as 10,50."
        )
    return plan_budget(
        options.collection(),
        metrics=options.parsed_metrics(),
        budget=budget,
        depths=[int(word) for word in words] or list(DEPTHS),
        difference=options.difference,
        alpha=options.alpha,
        power=options.power,
    )
