"""`rankwise schema`: the JSON Schema of what commands print with --format json."""

import json

import click

from rankwise.cli.help import Command


@click.command(cls=Command)
@click.argument("command_name", nargs=-1, metavar="[COMMAND]")
def command(command_name: tuple[str, ...]) -> None:
    """Print the JSON Schema of a command's JSON, or of all commands.

    \b
    Examples:
      rankwise schema score
      rankwise schema metrics list
      rankwise schema > rankwise.schema.json
    """
    from rankwise.cli.json_schema import schema_of, schema_of_all

    schema = schema_of(" ".join(command_name)) if command_name else schema_of_all()
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
