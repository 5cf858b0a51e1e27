"""`rankwise metrics list`: the catalogue of metrics."""

import json

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
      rankwise metrics list --format json

    JSON describes each metric in full: parameters with their allowed values and defaults, other
    names, range, bounds under unjudged documents, citation.
    """
    from rankwise.metrics import (
        catalogue,
        described_metrics,
        listing,
        load_metrics,
        load_plugin_metrics,
    )

    for file in metrics_from:
        load_metrics(file)
    load_plugin_metrics()
    if out.for_reading:
        click.echo(listing())
    elif out.style == "json":
        out.print_json(json.dumps(described_metrics(), ensure_ascii=False))
    else:
        wide = catalogue().drop("metric", "also written", "from") if out.for_people else catalogue()
        out.print(wide)
