"""The options --chart FILE, --width and --no-title."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast, get_args

import click

from rankwise.cli.options.conflicts import require
from rankwise.cli.output import folder_is_there
from rankwise.formats import write_whole
from rankwise.vocabulary import ChartWidth

LATER = "rankwise.charts"  # key of the charts to draw, in a click context
KINDS = ("svg", "png", "pdf", "html", "json")
F = TypeVar("F", bound=Callable[..., Any])


class ChartFile(NamedTuple):
    """File and width of a chart (None is the width for a screen), and whether it has a title."""

    path: str
    width: ChartWidth | None = None
    titled: bool = True


def chart_kind(path: str | None) -> str | None:
    """Return the format of a chart file by its suffix, or None."""
    kind = Path(path or "").suffix[1:].lower()
    return kind if kind in KINDS else None


def _checked(ctx: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """Check the file name before any work is done."""
    if path is None:
        return None
    if chart_kind(path) is None:
        allowed = ", ".join(f".{kind}" for kind in KINDS)
        raise click.BadParameter(f"{path}: unknown chart format. Use {allowed}.")
    return folder_is_there(ctx, parameter, path)


def chart_options(command: F) -> F:
    """Add --chart, --width and --no-title; the command gets them as one argument, `chart`."""

    @functools.wraps(command)
    def gathered(
        *args: Any, chart: str | None, width: ChartWidth | None, no_title: bool, **given: Any
    ) -> Any:
        for option, chosen in (("--width", width is not None), ("--no-title", no_title)):
            if chosen and chart is None:
                require(option, "--chart FILE")
        file = None if chart is None else ChartFile(chart, width, not no_title)
        done = command(*args, chart=file, **given)
        for waiting in click.get_current_context().meta.pop(LATER, []):
            _draw(*waiting)
        return done

    decorated: Any = gathered
    for option in (
        click.option(
            "--no-title",
            is_flag=True,
            help="Draw the chart without title and explanation: a figure of a paper has a caption.",
        ),
        click.option(
            "--width",
            type=click.Choice(get_args(ChartWidth)),
            help="Chart width: a column (240 pt) or the page (504 pt) of a two-column paper, or "
            "the text of a web page.  [default: screen]",
        ),
        click.option(
            "--chart",
            metavar="FILE",
            callback=_checked,
            help="Also draw a chart: .svg, .png, .pdf, .html or .json (Vega-Lite); "
            "FILE.dark.svg for a dark background.",
        ),
    ):
        decorated = option(decorated)
    return cast(F, decorated)


def write_chart(file: ChartFile, chart: Any) -> None:
    """Draw a chart after the command has printed its table, which a crash then cannot lose."""
    click.get_current_context().meta.setdefault(LATER, []).append((file, chart))


def _draw(file: ChartFile, chart: Any) -> None:
    from rankwise.charts import rendered, sized_specification, untitled

    kind = chart_kind(file.path)
    assert kind is not None
    dark = Path(file.path).stem.endswith(".dark")
    shown = chart if file.titled else untitled(chart)
    specification = sized_specification(shown, file.width)
    write_whole(Path(file.path), rendered(specification, kind, dark=dark))
