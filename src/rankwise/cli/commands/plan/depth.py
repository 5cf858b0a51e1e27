"""`rankwise plan depth`: the judging depth that a metric needs."""

from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, Positive, option
from rankwise.cli.options.reading import OwnMetrics
from rankwise.cli.options.shared import METRIC
from rankwise.cli.output import Printed, print_notes


class Options(OwnMetrics, Printed):
    metrics: tuple[str, ...] = option(
        "Metric, for example RBP(p=0.8), P@10 or nDCG@10. Repeatable.", required=True, **METRIC
    )
    accuracy: float = option(
        "Largest change of a score that documents below the depth can cause.",
        type=Positive,
        default=0.0001,
    )
    depth: int | None = option(
        "For this depth, compute the largest p for which RBP reaches the accuracy.", type=AtLeast1
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

    import polars as pl

    from rankwise.errors import CallError
    from rankwise.judging import greatest_p, plan_depth
    from rankwise.metrics import parse
    from rankwise.notes import note

    accuracy, depth = options.accuracy, options.depth
    if depth is None:
        table, reasons = plan_depth(options.metrics, accuracy)
        left = "'left below' is the largest amount by which documents below the depth can change a "
        left += "score"
        reasons = [*reasons, note("left-below", left)]
    elif all(parse(metric).persistence for metric in options.metrics):
        largest = {"accuracy": accuracy, "depth": depth, "greatest p": greatest_p(accuracy, depth)}
        table, reasons = pl.DataFrame({"metric": "RBP", **largest}), []
    else:
        raise CallError("--depth applies only to RBP. Use -m RBP, or remove --depth.")
    replace(options.out, digits=max(options.out.digits, 6)).print(table, notes=reasons)
    print_notes(reasons)
