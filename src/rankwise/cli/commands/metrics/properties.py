"""`rankwise metrics properties`: the seven numeric properties of metrics, and SWAP."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.help import Command
from rankwise.cli.options.reading import metrics_from_option
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    from rankwise.experiments.properties import Properties


@click.command(cls=Command)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    metavar="METRIC",
    help="A metric; any cutoff is taken for k. Give it again for more.  "
    "[default: the thirteen of the paper]",
)
@click.option("--all", "everything", is_flag=True, help="All metrics of the catalogue.")
@click.option(
    "--depth",
    default=10,
    show_default=True,
    type=click.IntRange(2, 12),
    help="Try every ranking of up to N documents.",
)
@click.option(
    "--grades",
    default="0,1,2,3",
    show_default=True,
    metavar="LIST",
    help="Try these on metrics that tell them apart; 0,1 is the paper's binary reading.",
)
@click.option(
    "--counterexamples/--no-counterexamples",
    default=None,
    help="Also the two rankings behind each N, and how many cases are behind each Y.  "
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
    """Say which numeric properties a metric has.

    \b
    Examples:
      rankwise metrics properties
      rankwise metrics properties -m nDCG -m Bpref
      rankwise metrics properties -m Q --grades 0,1
      rankwise metrics properties --metrics-from my_metrics.py -m Mine --depth 12
      rankwise metrics properties --all --counterexamples --format json -o all.json

    The seven of Moffat (AIRS 2013): bounded, monotonic, convergent,
    top-weighted, localized, complete, realizable; and SWAP of Ahlgren and
    Grönqvist (2008). Each is decided by trying every ranking of 1s and 0s up to
    a depth, and of grades if the metric tells them apart: N has a counterexample,
    Y is true as far as was searched.
    """
    if metrics and everything:
        raise click.UsageError("--all is every metric: give -m or --all.")
    found = _found(metrics, everything, metrics_from, depth, parsed(grades))
    table = found.table(digits=out.digits, counterexamples=counterexamples)
    print_notes([*found.notes, *table.notes], limit=40)
    if out.for_people:
        out.show(table)
    else:
        out.print(found.frame, of=found)


def parsed(grades: str) -> list[int]:
    try:
        return [int(grade) for grade in grades.split(",")]
    except ValueError:
        raise click.UsageError(f"--grades {grades!r}: whole numbers, as in 0,1,2,3.") from None


def _found(
    metrics: tuple[str, ...],
    everything: bool,
    metrics_from: tuple[str, ...],
    depth: int,
    grades: list[int],
) -> "Properties":
    """Without -m and --all the user's own metrics follow the paper's."""
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
