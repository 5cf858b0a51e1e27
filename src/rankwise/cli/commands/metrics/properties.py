"""`rankwise metrics properties`: Moffat's seven numeric properties, and SWAP."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.base import option
from rankwise.cli.options.reading import OwnMetrics
from rankwise.cli.options.shared import METRIC
from rankwise.cli.output import Printed, print_footnotes

if TYPE_CHECKING:
    from rankwise.experiments.properties import Properties


class Options(OwnMetrics, Printed):
    metrics: tuple[str, ...] = option(
        "Metric, or several: AP,nDCG@10. The results for one cutoff hold for any cutoff.  "
        "[default: the thirteen metrics of the paper]",
        **METRIC,
    )
    everything: bool = option("Test all metrics of `rankwise metrics list`.", "--all")
    depth: int = option(
        "Search all rankings of up to N documents.", default=10, type=click.IntRange(2, 12)
    )
    grades: str = option(
        "Grades to search, for graded metrics; 0,1 for binary relevance as in the paper.",
        default="0,1,2,3",
        metavar="LIST",
    )
    counterexamples: bool | None = option(
        "Also show the counterexample for each `N`, and the number of cases searched for each "
        "`Y`.  [default: shown if -m is given]",
        "--counterexamples/--no-counterexamples",
        default=None,
    )


@with_options(Options)
def command(options: Options) -> None:
    """Test which numeric properties a metric has.

    \b
    Examples:
      rankwise metrics properties
      rankwise metrics properties -m nDCG -m Bpref
      rankwise metrics properties -m Q --grades 0,1
      rankwise metrics properties --metrics-from my_metrics.py -m Mine --depth 12
      rankwise metrics properties --all --counterexamples --format json -o all.json

    The properties are the seven of Moffat (AIRS 2013): bounded, monotonic, convergent,
    top-weighted, localized, complete, realizable; and SWAP of Ahlgren and Grönqvist
    (2008). All binary rankings up to a depth are searched, and graded rankings for
    graded metrics. `N`: there is a counterexample. `Y`: no counterexample was found.
    """
    found = _found(options)
    table = found.table(digits=options.out.digits, counterexamples=options.counterexamples)
    print_footnotes(str(note) for note in table.notes)
    options.out.result(found, table=lambda: table)


def _found(options: Options) -> "Properties":
    """Search for counterexamples to the properties of the metrics in the options.

    By default, these are the metrics of the paper, and then the metrics of --metrics-from.
    """
    from rankwise.experiments.properties import properties
    from rankwise.metrics import REGISTRY

    try:
        grades = [int(grade) for grade in options.grades.split(",")]
    except ValueError:
        raise click.UsageError(
            f"--grades {options.grades}: not a list of whole numbers. Write it as 0,1,2,3."
        ) from None

    def look(wanted: Any) -> "Properties":
        return properties(wanted, depth=options.depth, grades=grades)

    own = [REGISTRY[name] for names in options.metrics_from for name in names]
    found = look("all" if options.everything else options.metrics or None)
    added = options.metrics if options.everything else () if options.metrics else own
    if not added:
        return found
    more = look(added)
    known = {row.metric for row in found.rows}
    rows = found.rows + tuple(row for row in more.rows if row.metric not in known)
    return replace(found, rows=rows, left_out=(*found.left_out, *more.left_out))
