"""`rankwise metrics show`: one metric in full."""

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.base import argument
from rankwise.cli.options.reading import OwnMetrics
from rankwise.cli.options.shared import complete_metrics


class Options(OwnMetrics):
    metric: str = argument("METRIC", shell_complete=complete_metrics)


@with_options(Options, prints_notes=False)
def command(options: Options) -> None:
    """Describe a metric: formula, parameters, citation, when to use it.

    \b
    Examples:
      rankwise metrics show RBP
    """
    from rankwise.metrics import entry

    click.echo(entry(options.metric))
