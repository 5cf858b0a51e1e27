"""What all charts share: Altair when it is wanted, colours, sizes, and files."""

import io
from itertools import cycle
from typing import TYPE_CHECKING, Any

from rankwise.errors import CallError

if TYPE_CHECKING:
    import polars as pl

KINDS = ("svg", "png", "html", "json")
# Okabe and Ito's colours, which people tell apart whatever their sight, in an order in which
# neighbours differ in lightness too; with the dashes they survive a grey print.
COLOURS = ["#0072B2", "#D55E00", "#56B4E9", "#000000", "#E69F00", "#009E73", "#CC79A7", "#999999"]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 1], [1, 3], [10, 4], [3, 1, 1, 1]]
WIDTH, HEIGHT = 320, 220  # a column of a paper
BAND = 0.15  # opacity
DARK = {"background": "#16181d", "ink": "#e6e6e6", "grid": "#3a3f47"}
MISSING = "charts need altair and vl-convert-python: pip install 'rankwise[charts]'."


def altair() -> Any:
    try:
        import altair
    except ImportError:
        raise CallError(MISSING) from None
    return altair


def rows(frame: "pl.DataFrame", columns: list[str] | None = None) -> Any:
    """The data itself, in the chart: no limit on rows, no server."""
    return altair().Data(values=frame.select(columns or frame.columns).to_dicts())


def series(names: list[str], title: str | None = None) -> tuple[Any, Any]:
    """Colour and dash for named lines, the same two for the same name in one legend."""
    alt = altair()
    field = f"{title or 'metric'}:N"
    cycle = [place % len(COLOURS) for place in range(len(names))]
    colours = alt.Scale(domain=names, range=[COLOURS[place] for place in cycle])
    dashes = alt.Scale(domain=names, range=[DASHES[place] for place in cycle])
    legend = alt.Legend(title=None, symbolType="stroke", symbolStrokeWidth=2, symbolSize=300)
    return (
        alt.Color(field, scale=colours, sort=names, legend=legend),
        alt.StrokeDash(field, scale=dashes, sort=names, legend=legend),
    )


def bands(
    frame: "pl.DataFrame",
    x: Any,
    ends: tuple[Any, str],
    names: list[str],
    *,
    by: str = "metric",
    edges: bool = False,
) -> list[Any]:
    """An area from a low to a high column for each name, in the colours of `series`.

    `ends` are the encoding of the low end and the name of the high column. Bands have fixed
    colours, not a scale: so the legend is of lines only. `edges` tell bands apart that overlap.
    """
    alt = altair()
    low, high = ends
    layers = []
    for name, fixed in zip(names, cycle(COLOURS), strict=False):
        base = alt.Chart(rows(frame.filter(**{by: name}))).encode(x)
        layers.append(base.mark_area(opacity=BAND, color=fixed).encode(low, alt.Y2(f"{high}:Q")))
        if edges:
            line = base.mark_line(strokeWidth=0.6, color=fixed)
            layers += [line.encode(low), line.encode(alt.Y(f"{high}:Q"))]
    return layers


def darkened(chart: Any) -> Any:
    """The same chart for a dark page; black becomes the light ink."""
    specification = chart.to_json().replace("#000000", DARK["ink"])
    again = altair().Chart.from_json(specification)
    return again.configure(
        background=DARK["background"],
        axis={"labelColor": DARK["ink"], "titleColor": DARK["ink"], "gridColor": DARK["grid"]}
        | {"domainColor": DARK["ink"], "tickColor": DARK["ink"]},
        legend={"labelColor": DARK["ink"], "titleColor": DARK["ink"]},
        title={"color": DARK["ink"], "subtitleColor": DARK["ink"]},
        header={"labelColor": DARK["ink"], "titleColor": DARK["ink"]},
        view={"stroke": DARK["grid"]},
    )


def rendered(chart: Any, kind: str) -> bytes:
    """A chart as the bytes of an svg, png, html or Vega-Lite json file.

    html holds all that it needs and opens without a network.
    """
    if kind == "json":
        return str(chart.to_json()).encode()
    try:
        import vl_convert  # noqa: F401  # Altair's own message names no extra of ours
    except ImportError:
        raise CallError(MISSING) from None
    if kind == "html":
        return str(chart.to_html(inline=True)).encode()
    if kind == "png":
        picture = io.BytesIO()
        chart.save(picture, format="png", scale_factor=2)
        return picture.getvalue()
    text = io.StringIO()
    chart.save(text, format="svg")
    return text.getvalue().encode()
