"""`rankwise metrics list`: the catalogue of metrics."""

import click

from rankwise.cli.help import QuietCommand
from rankwise.cli.options.reading import metrics_from_option
from rankwise.cli.output import Output, output_options


@click.command(cls=QuietCommand)
@metrics_from_option
@output_options
def command(metrics_from: tuple[str, ...], out: Output) -> None:
    """List the metrics.

    \b
    Examples:
      rankwise metrics list
      rankwise metrics list --format csv -o metrics.csv
    """
    from rankwise.metrics import catalogue, listing, load_metrics

    for file in metrics_from:
        load_metrics(file)
    if out.for_reading:
        click.echo(listing())
    else:
        wide = catalogue().drop("metric", "also written") if out.for_people else catalogue()
        out.print(wide)
