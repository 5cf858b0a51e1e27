"""`rankwise plan depth`: the judging depth that a metric needs."""

from typing import TYPE_CHECKING

from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, Positive, option
from rankwise.cli.options.reading import OwnMetrics, metrics_option
from rankwise.cli.output import Printed, print_notes
from rankwise.notes import Note

if TYPE_CHECKING:
    import polars as pl


class Options(OwnMetrics, Printed):
    """Options of `rankwise plan depth`."""

    metrics: tuple[str, ...] = metrics_option(
        "Metric, for example RBP(p=0.8), P@10 or nDCG@10. Repeatable.", required=True
    )
    accuracy: float = option(
        "Largest change of a score that documents below the depth can cause.",
        type=Positive,
        default=0.0001,
    )
    depth: int | None = option(
        "For this depth, compute the largest p for which RBP reaches the accuracy.",
        type=AtLeast1,
    )


@with_options(Options)
def command(options: Options) -> None:
    """Compute the depth to judge, for a given accuracy of the scores.

    \b
    Examples:
      rankwise plan depth -m "RBP(p=0.8)" --accuracy 0.0001
      rankwise plan depth -m RBP --depth 100
    """
    from dataclasses import replace

    table, reasons = _depths(options.metrics, options.accuracy, options.depth)
    replace(options.out, digits=max(options.out.digits, 6)).print(table, notes=reasons)
    print_notes(reasons)


def _depths(
    metrics: tuple[str, ...], accuracy: float, depth: int | None
) -> "tuple[pl.DataFrame, list[Note]]":
    import polars as pl

    from rankwise.errors import CallError
    from rankwise.judging import greatest_p, plan_depth
    from rankwise.metrics import parse

    if depth is None:
        return plan_depth(metrics, accuracy)
    if not all(parse(metric).persistence for metric in metrics):
        raise CallError("--depth applies only to RBP. Use -m RBP, or remove --depth.")
    columns = {"metric": ["RBP"], "accuracy": [accuracy], "depth": [depth]}
    return pl.DataFrame(columns | {"greatest p": [greatest_p(accuracy, depth)]}), []
