"""`rankwise schema`: the JSON Schema of what commands print with --format json."""

import json

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.base import OptionSet, argument


class Options(OptionSet):
    command_name: tuple[str, ...] = argument("[COMMAND]", nargs=-1)


@with_options(Options)
def command(options: Options) -> None:
    """Print the JSON Schema of a command's JSON, or of all commands.

    \b
    Examples:
      rankwise schema score
      rankwise schema metrics list
      rankwise schema > rankwise.schema.json
    """
    from rankwise.cli.json_schema import schema_of, schema_of_all

    schema = schema_of(" ".join(options.command_name)) if options.command_name else schema_of_all()
    click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
