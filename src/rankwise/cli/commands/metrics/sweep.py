"""`rankwise metrics sweep`: a comparison at each value of a parameter of a metric."""

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import option
from rankwise.cli.options.shared import METRIC
from rankwise.cli.options.testing import Compared
from rankwise.cli.output import Printed


class Options(Compared, Charted, Printed):
    everyday = "metrics over baseline test correction unjudged no_bounds chart style output"
    metrics: tuple[str, ...] = option(
        "Metric that has the parameter, or several: RBP, nDCG,P.", required=True, **METRIC
    )
    over: str = option(
        "Parameter and its values: p=0.5:0.95 (about ten values), cutoff=10:100:10 (with a step) "
        "or p=0.5,0.8. Both ends are included.",
        metavar="RANGE",
        required=True,
    )


@with_options(Options)
def command(options: Options) -> None:
    """Compare runs at each value of a parameter of a metric.

    \b
    Examples:
      rankwise metrics sweep qrels.txt a.run b.run -m RBP --over p=0.5:0.95
      rankwise metrics sweep qrels.txt a.run b.run -m RBP --over p=0.5:0.95 \\
          --chart p.svg
      rankwise metrics sweep qrels.txt runs/*.run -m nDCG,P --over cutoff=5:20:5 \\
          --baseline bm25

    The table has one row per value of the parameter: the means, the difference with its
    confidence interval and p-value, and whether unjudged documents could reverse it.
    The p-values are not corrected over the values of the parameter, except with
    --family all. Therefore, do not report only the smallest p-value.
    """
    from rankwise.metrics import Range, vary

    options = options.with_baseline()
    metrics = vary(options.metrics, options.over)
    comparison = options.compared(metrics, options.test_options())
    sweep = comparison.over(Range.parse(options.over).parameter)
    options.draw(sweep.chart)
    table = sweep.table(digits=options.out.digits)
    about_table = table.notes if options.out.for_people else ()
    options.out.result(
        sweep, table=lambda: table, notes=[sweep.caption, *sweep.notes, *about_table]
    )
