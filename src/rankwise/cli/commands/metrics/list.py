"""`rankwise metrics list`: the catalogue of metrics."""

import json

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.reading import OwnMetrics
from rankwise.cli.output import Printed


class Options(OwnMetrics, Printed):
    pass


@with_options(Options, prints_notes=False)
def command(options: Options) -> None:
    """List the metrics.

    \b
    Examples:
      rankwise metrics list
      rankwise metrics list --format csv -o metrics.csv
      rankwise metrics list --format json

    JSON describes each metric in full: parameters with their allowed values and defaults, other
    names, range, bounds under unjudged documents, citation.
    """
    from rankwise.metrics import catalogue, described_metrics, listing, load_plugin_metrics

    load_plugin_metrics()
    if options.out.for_reading:
        click.echo(listing())
    elif options.out.style == "json":
        options.out.print_json(json.dumps(described_metrics(), ensure_ascii=False))
    else:
        wide = (
            catalogue().drop("metric", "also written", "from")
            if options.out.for_people
            else catalogue()
        )
        options.out.print(wide)
