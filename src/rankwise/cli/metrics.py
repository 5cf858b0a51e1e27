"""`rankwise metrics`: the catalogue."""

import click

from rankwise.cli.output import output_options, print_table


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", required=False)
@output_options
def command(name: str | None, style: str, output: str | None, digits: int) -> None:
    """List the metrics, or show one whole.

    \b
    Examples:
      rankwise metrics
      rankwise metrics RBP
    """
    from rankwise.catalogue import catalogue, entry

    if name is None:
        print_table(catalogue(), style, output, digits)
    else:
        click.echo(entry(name))
