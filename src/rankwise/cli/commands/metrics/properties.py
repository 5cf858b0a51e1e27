"""`rankwise metrics properties`: Moffat's seven numeric properties, and SWAP."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.completion import complete_metrics
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import refuse
from rankwise.cli.options.reading import metrics_from_option
from rankwise.cli.output import Output, output_options, print_below_table, print_notes

if TYPE_CHECKING:
    from rankwise.experiments.properties import Properties


@click.command(cls=Command)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    metavar="METRIC",
    shell_complete=complete_metrics,
    help="Metric, or several: AP,nDCG@10. A cutoff stands for any k.  [default: the thirteen "
    "metrics of the paper]",
)
@click.option("--all", "everything", is_flag=True, help="All metrics of `rankwise metrics list`.")
@click.option(
    "--depth",
    default=10,
    show_default=True,
    type=click.IntRange(2, 12),
    help="Search all rankings of up to N documents.",
)
@click.option(
    "--grades",
    default="0,1,2,3",
    show_default=True,
    metavar="LIST",
    help="Grades to search, for graded metrics; 0,1 for binary relevance as in the paper.",
)
@click.option(
    "--counterexamples/--no-counterexamples",
    default=None,
    help="Also show the counterexample of each N, and the number of cases searched for each Y.  "
    "[default: with -m]",
)
@metrics_from_option
@output_options
def command(
    metrics: tuple[str, ...],
    everything: bool,
    depth: int,
    grades: str,
    counterexamples: bool | None,
    metrics_from: tuple[str, ...],
    out: Output,
) -> None:
    """Test which numeric properties a metric has.

    \b
    Examples:
      rankwise metrics properties
      rankwise metrics properties -m nDCG -m Bpref
      rankwise metrics properties -m Q --grades 0,1
      rankwise metrics properties --metrics-from my_metrics.py -m Mine --depth 12
      rankwise metrics properties --all --counterexamples --format json -o all.json

    The seven properties of Moffat (AIRS 2013): bounded, monotonic, convergent,
    top-weighted, localized, complete, realizable; and SWAP of Ahlgren and Grönqvist
    (2008). All binary rankings up to a depth are searched, and graded rankings for
    graded metrics. N: there is a counterexample. Y: none was found.
    """
    if everything:
        refuse(["metrics"], "--all")
    found = _found(metrics, everything, metrics_from, depth, parsed(grades))
    table = found.table(digits=out.digits, counterexamples=counterexamples)
    for footnote in table.notes:
        print_below_table(f"note: {footnote}")
    print_notes(found.notes)
    if out.for_people:
        out.show(table)
    else:
        out.print(found.frame, of=found)


def parsed(grades: str) -> list[int]:
    try:
        return [int(grade) for grade in grades.split(",")]
    except ValueError:
        raise click.UsageError(
            f"--grades {grades}: not a list of integers. Give it as 0,1,2,3."
        ) from None


def _found(
    metrics: tuple[str, ...],
    everything: bool,
    metrics_from: tuple[str, ...],
    depth: int,
    grades: list[int],
) -> "Properties":
    """Search the metrics; by default those of the paper, then the user's own."""
    from rankwise.experiments.properties import properties
    from rankwise.metrics import REGISTRY, load_metrics

    def look(wanted: Any) -> "Properties":
        return properties(wanted, depth=depth, grades=grades)

    own = [REGISTRY[name] for file in metrics_from for name in load_metrics(file)]
    found = look("all" if everything else metrics or None)
    if not own or everything or metrics:
        return found
    more = look(own)
    return replace(found, rows=found.rows + more.rows, left_out=more.left_out)
