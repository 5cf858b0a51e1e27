"""Options of commands that write files for other tools."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.options.conflicts import require
from rankwise.cli.output import Output

if TYPE_CHECKING:
    import polars as pl

TOOLS = ["quepid", "quepid-json", "elasticsearch", "opensearch"]

index_option = click.option("--index", metavar="NAME", help="Elasticsearch index of the documents.")
tool_option = click.option(
    "--for",
    "tool",
    type=click.Choice(TOOLS),
    help="Write an empty ratings file that this tool can import.",
)


def write_template(pairs: "pl.DataFrame", tool: str, index: str | None, output: str | None) -> None:
    """Write a template of ratings for a tool, to the file or to standard output."""
    from pathlib import Path

    from rankwise.rankings import template

    Output(path=output).write(template(pairs, Path(output or tool), tool, index))


def check_index(tool: str | None, index: str | None) -> None:
    if index is not None and tool != "elasticsearch":
        require("--index", "--for elasticsearch")
