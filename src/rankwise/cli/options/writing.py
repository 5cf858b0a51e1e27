"""Options of commands that write files for other tools."""

from typing import TYPE_CHECKING

from rankwise.cli.options.base import OptionSet, option, require
from rankwise.cli.output import Output

if TYPE_CHECKING:
    import polars as pl

INDEX = option("For Elasticsearch: the index that has the documents.", metavar="NAME")


class ForTool(OptionSet):
    """Options for a file of empty ratings that another tool can import."""

    tool: str | None = option(
        "Write a ratings file without grades, for import into the tool NAME.",
        "--for",
        choices=["quepid", "quepid-json", "elasticsearch", "opensearch"],
    )
    index: str | None = INDEX

    def check(self) -> None:
        if self.index is not None and self.tool != "elasticsearch":
            require("--index", "--for elasticsearch")

    def write_template(self, pairs: "pl.DataFrame", output: str | None) -> None:
        """Write a template of ratings for the tool, to the file or to standard output."""
        from pathlib import Path

        from rankwise.rankings import template

        assert self.tool is not None
        content = template(pairs, Path(output or self.tool), self.tool, self.index)
        Output(path=output).write(content)
