"""`rankwise metrics show`: one metric in full."""

import click

from rankwise.cli.completion import complete_metrics
from rankwise.cli.help import QuietCommand
from rankwise.cli.options.reading import metrics_from_option


@click.command(cls=QuietCommand)
@click.argument("metric", shell_complete=complete_metrics)
@metrics_from_option
def command(metric: str, metrics_from: tuple[str, ...]) -> None:
    """Describe a metric: formula, parameters, citation, when to use it.

    \b
    Examples:
      rankwise metrics show RBP
    """
    from rankwise.metrics import entry, load_metrics

    for file in metrics_from:
        load_metrics(file)
    click.echo(entry(metric))
