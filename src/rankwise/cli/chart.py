"""The options --chart FILE, --width and --no-title of commands that draw charts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankwise.cli.options.base import OptionSet, after_output, option
from rankwise.cli.output import OutputFile, print_outcome
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
        needs="chart",
    )
    no_title: bool = option(
        "Draw the chart without title and explanation, for a figure with its own caption.",
        needs="chart",
    )

    def draw(self, chart: Callable[[], Any]) -> None:
        """Draw a chart after the command has printed its table, if --chart is given.

        A crash of the drawing engine then loses no numbers.
        """
        if self.chart is not None:
            drawn = chart()
            after_output(lambda: self._write(drawn, Path(self.chart or "")))

    def _write(self, chart: Any, path: Path) -> None:
        from rankwise.charts import rendered, sized_specification, untitled

        chart = untitled(chart) if self.no_title else chart
        dark = path.stem.endswith(".dark")
        try:
            specification = sized_specification(chart, self.width)
            write_whole(path, rendered(specification, path.suffix[1:].lower(), dark=dark))
        except CallError as error:
            raise CallError(f"the table is complete, but {error}") from error
        print_outcome(f"wrote {path}")
