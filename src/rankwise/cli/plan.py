"""`rankwise plan`: how deep to judge."""

import click

from rankwise.cli.output import output_options, print_table


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-m", "--metric", "metrics", multiple=True, required=True, help="Repeat for more.")
@click.option(
    "--accuracy",
    default=0.0001,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="What the documents below the depth may add to a score.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    help="Ask the other way round: the greatest p that RBP may have at this depth.",
)
@click.option(
    "--metrics-from", multiple=True, metavar="FILE", help="A Python file with metrics of your own."
)
@output_options
def command(
    metrics: tuple[str, ...],
    accuracy: float,
    depth: int | None,
    metrics_from: tuple[str, ...],
    style: str,
    output: str | None,
    digits: int,
) -> None:
    """Say how deep to judge for a score of some accuracy.

    \b
    Examples:
      rankwise plan -m "RBP(p=0.8)" --accuracy 0.0001
      rankwise plan -m RBP --depth 100
    """
    import polars as pl

    from rankwise.errors import CallError
    from rankwise.metrics import load_metrics, parse
    from rankwise.planning import greatest_p, plan_depth

    for file in metrics_from:
        load_metrics(file)
    if depth is None:
        frame = plan_depth(metrics, accuracy)
    else:
        if any(type(parse(metric)).__name__ != "RBP" for metric in metrics):
            raise CallError("--depth asks for the p of RBP: give -m RBP, or no --depth.")
        columns = {"metric": ["RBP"], "accuracy": [accuracy], "depth": [depth]}
        frame = pl.DataFrame(columns | {"greatest p": [greatest_p(accuracy, depth)]})
    print_table(frame, style, output, max(digits, 6))
