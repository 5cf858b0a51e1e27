"""`rankwise plan power`: the number of topics that a test needs to detect observed differences."""

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.base import Positive, option
from rankwise.cli.options.baseline import WithBaseline
from rankwise.cli.options.scoring import ScoredOrRead
from rankwise.cli.output import Printed


class Options(WithBaseline, ScoredOrRead, Printed):
    shared = "rel lengths undefined power alpha"
    everyday = "metrics matrices baseline power difference with_topics alpha style output"
    difference: float | None = option(
        "Detect a true difference of N, e.g. 0.02, instead of the observed differences.",
        type=Positive,
    )
    with_topics: int | None = option(
        "Compute the smallest detectable difference for N topics, instead of the number of topics "
        "in the data.",
        type=click.IntRange(2),
    )


@with_options(Options)
def command(options: Options) -> None:
    """Compute how many topics a paired t-test needs to detect the differences between runs.

    \b
    Examples:
      rankwise plan power qrels.txt a.run b.run -m nDCG@10
      rankwise plan power qrels.txt runs/*.run -m AP --baseline bm25 --power 0.9
      rankwise plan power qrels.txt runs/*.run -m AP --difference 0.02
      rankwise plan power --scores AP=ap.csv --with-topics 200

    `sd` is the standard deviation of the difference over topics. `planned_effect` is
    the effect size that is assumed to be true. `needed` is the number of topics with
    which a two-sided paired t-test detects this effect. `smallest` is the smallest
    difference that the same test detects with the present topics. The planned effect is
    the lower limit of the 60 % confidence interval of the observed effect size
    (safeguard power), because a difference that was chosen for its size overestimates
    the true difference. `rankwise plan topics` plans an experiment with other systems,
    from the variances of a pilot.
    """
    from rankwise.comparison import TestOptions, compare

    options = options if options.matrices else options.with_baseline()
    test = TestOptions(correction="none", alpha=options.alpha, baseline=options.baseline)
    comparison = compare(options.scores(), test=test)
    goal = (options.power, options.with_topics, options.difference)
    table = comparison.power_table(*goal, digits=options.out.digits)
    options.out.result(
        comparison,
        table=lambda: table,
        frame=lambda: comparison.power(*goal),
        notes=[comparison.caption, *table.notes, *comparison.notes],
    )
