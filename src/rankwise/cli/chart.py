"""The options --chart FILE, --width and --no-title."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankwise.cli.options.base import OptionSet, after_output, flag, option
from rankwise.cli.options.files import OutputFile
from rankwise.cli.output import print_outcome
from rankwise.errors import CallError
from rankwise.formats import write_whole
from rankwise.vocabulary import ChartWidth

KINDS = ("svg", "png", "pdf", "html", "json")


class Charted(OptionSet):
    """Options of a command that draws a chart."""

    chart: str | None = option(
        "Also draw a chart: .svg, .png, .pdf, .html or .json (Vega-Lite). A name that ends in "
        ".dark.svg gives a chart for a dark background.",
        metavar="FILE",
        type=OutputFile([f".{kind}" for kind in KINDS]),
    )
    width: ChartWidth | None = option(
        "Chart width. `column`: one column of a two-column paper (240 pt). `page`: its full width "
        "(504 pt). `screen`: a web page.  [default: screen]",
        choices=ChartWidth,
        needs="chart",
    )
    no_title: bool = flag(
        "Draw the chart without title and explanation, for a figure with its own caption.",
        needs="chart",
    )

    def draw(self, chart: Callable[[], Any]) -> None:
        """Draw a chart after the command has printed its table, if --chart is given.

        A crash of the drawing engine then loses no numbers.
        """
        if self.chart is not None:
            drawn = chart()
            after_output(lambda: self._write_after_table(drawn))

    def _write_after_table(self, chart: Any) -> None:
        try:
            self._write(chart)
        except CallError as error:
            raise CallError(f"the table is complete, but {error}") from error

    def _write(self, chart: Any) -> None:
        from rankwise.charts import rendered, sized_specification, untitled

        path = Path(self.chart or "")
        specification = sized_specification(untitled(chart) if self.no_title else chart, self.width)
        dark = path.stem.endswith(".dark")
        write_whole(path, rendered(specification, path.suffix[1:].lower(), dark=dark))
        print_outcome(f"wrote {path}")
