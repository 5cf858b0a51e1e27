"""--chart FILE, for the commands that can draw what they print."""

from pathlib import Path
from typing import Any

import click

from rankwise.cli.output import folder_is_there
from rankwise.formats.files import write_whole

KINDS = ("svg", "png", "html", "json")


def chart_kind(path: str | None) -> str | None:
    """svg, png, html or (Vega-Lite) json where the name of the file asks for a chart."""
    kind = Path(path or "").suffix[1:].lower()
    return kind if kind in KINDS else None


def _checked(ctx: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """What is wrong with the file's name is said before any work is done."""
    if path is None:
        return None
    if chart_kind(path) is None:
        allowed = ", ".join(f".{kind}" for kind in KINDS)
        raise click.BadParameter(f"{path}: a chart is written to a file that ends in {allowed}.")
    return folder_is_there(ctx, parameter, path)


chart_option = click.option(
    "--chart",
    metavar="FILE",
    callback=_checked,
    help="Also draw it: FILE.svg, .png, .html or .json (Vega-Lite); FILE.dark.svg and the like "
    "for dark pages.",
)


def write_chart(path: str, chart: Any) -> None:
    from rankwise.charts.drawing import rendered

    kind = chart_kind(path)
    assert kind is not None
    dark = Path(path).stem.endswith(".dark")
    write_whole(Path(path), rendered(chart, kind, dark=dark))
