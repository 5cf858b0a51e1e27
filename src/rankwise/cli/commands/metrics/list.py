"""`rankwise metrics`: the catalogue."""

import click

from rankwise.cli.output import Output, output_options


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", required=False)
@click.option(
    "--metrics-from", multiple=True, metavar="FILE", help="A Python file with metrics of your own."
)
@output_options
def command(name: str | None, metrics_from: tuple[str, ...], out: Output) -> None:
    """List the metrics, or show one whole.

    \b
    Examples:
      rankwise metrics
      rankwise metrics RBP
      rankwise metrics --format csv -o metrics.csv
    """
    from rankwise.metrics import catalogue, entry, listing, load_metrics

    for file in metrics_from:
        load_metrics(file)
    if name is not None:
        click.echo(entry(name))
    elif out.for_reading:
        click.echo(listing())
    else:
        wide = catalogue().drop("metric", "also written") if out.for_people else catalogue()
        out.print(wide)
