"""Options of commands that write judgments or pools: as TREC lines, or for other tools."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankwise.cli.options.base import OptionSet, option, require
from rankwise.cli.output import OUTPUT, STYLE_OF_SUFFIX, Output

if TYPE_CHECKING:
    import polars as pl

TABLES = (".csv", ".parquet")
INDEX = option("For Elasticsearch: the index that has the documents.", metavar="NAME")


class ForTool(OptionSet):
    """Options for a file of documents without ratings, for import into another tool."""

    tool: str | None = option(
        "Write a ratings file without grades, for import into the tool NAME.",
        "--for",
        choices=["quepid", "quepid-json", "elasticsearch", "opensearch"],
    )
    index: str | None = INDEX

    def check(self) -> None:
        if self.index is not None and self.tool != "elasticsearch":
            require("--index", "--for elasticsearch")
        if self.index is None and self.tool == "elasticsearch":
            raise click.UsageError(
                "Elasticsearch rates documents of an index. Use --index NAME to name it."
            )

    def write_template(self, pairs: "pl.DataFrame", output: str | None) -> None:
        """Write topic-document pairs as a file for the rating tool, or to standard output."""
        from rankwise.rankings import template

        assert self.tool is not None
        content = template(pairs, Path(output or self.tool), self.tool, self.index)
        Output(path=output).write(content)


class Lines(OptionSet):
    """The option -o of a command that writes TREC lines or a table."""

    output: str | None = option(
        "Write to FILE (atomically): TREC lines, or a table (.csv, .parquet).", **OUTPUT
    )


def write_lines(frame: "pl.DataFrame", output: str | None) -> None:
    """Write lines `topic 0 document [grade]`, or a table if the file is called .csv or .parquet."""
    suffix = Path(output or "").suffix
    if suffix in TABLES:
        Output(STYLE_OF_SUFFIX[suffix], output).print(frame)
        return
    Output(path=output).write(_text(frame))


def _text(frame: "pl.DataFrame") -> bytes:
    import polars as pl

    from rankwise.errors import CallError
    from rankwise.formats import trec_lines

    grade = ["grade"] if "grade" in frame.columns else []
    lines = frame.select("topic", pl.lit("0").alias("0"), "document", *grade)
    try:
        return trec_lines(lines)
    except CallError as error:
        raise click.UsageError(f"{error} Write a table instead: -o FILE.csv.") from None
