"""Options of the commands that write what other tools import."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.output import Output

if TYPE_CHECKING:
    import polars as pl

TOOLS = ["quepid", "quepid-json", "elasticsearch", "opensearch"]

index_option = click.option(
    "--index", metavar="NAME", help="The index of the documents, for Elasticsearch."
)
tool_option = click.option(
    "--for",
    "tool",
    type=click.Choice(TOOLS),
    help="Write ratings to be filled in that this tool imports: Quepid's csv or JSON, "
    "Elasticsearch's _rank_eval request (with --index) or OpenSearch's judgment list.",
)


def write_template(pairs: "pl.DataFrame", tool: str, index: str | None, output: str | None) -> None:
    """Ratings that the tool imports, to the file or to standard output."""
    from pathlib import Path

    from rankwise.rankings import template

    Output(path=output).write(template(pairs, Path(output or tool), tool, index))


def check_index(tool: str | None, index: str | None) -> None:
    if index is not None and tool != "elasticsearch":
        raise click.UsageError("--index goes with --for elasticsearch.")
