"""`rankwise plan depth`: the judging depth that a metric needs."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.completion import complete_metrics
from rankwise.cli.help import Command
from rankwise.cli.options.reading import Range, metrics_from_option
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.notes import Note

if TYPE_CHECKING:
    import polars as pl


@click.command(cls=Command)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    required=True,
    metavar="METRIC",
    shell_complete=complete_metrics,
    help="Metric, for example RBP(p=0.8), P@10 or nDCG@10. Repeatable.",
)
@click.option(
    "--accuracy",
    type=Range(0, min_open=True),
    default=0.0001,
    show_default=True,
    help="Largest change of a score by documents below the depth.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    help="Instead of the depth: the largest p for which RBP is accurate at this depth.",
)
@metrics_from_option
@output_options
def command(
    metrics: tuple[str, ...],
    accuracy: float,
    depth: int | None,
    metrics_from: tuple[str, ...],
    out: Output,
) -> None:
    """Compute the judging depth at which a score is accurate.

    \b
    Examples:
      rankwise plan depth -m "RBP(p=0.8)" --accuracy 0.0001
      rankwise plan depth -m RBP --depth 100
    """
    from dataclasses import replace

    from rankwise.metrics import load_metrics

    for file in metrics_from:
        load_metrics(file)
    table, reasons = _depths(metrics, accuracy, depth)
    replace(out, digits=max(out.digits, 6)).print(table, notes=reasons)
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
        raise CallError("--depth asks for the p of RBP: give -m RBP, or no --depth.")
    columns = {"metric": ["RBP"], "accuracy": [accuracy], "depth": [depth]}
    return pl.DataFrame(columns | {"greatest p": [greatest_p(accuracy, depth)]}), []
