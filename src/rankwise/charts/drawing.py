"""Functions that several charts use: import of Altair, axes, legends, bands, and files."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import cycle
from textwrap import wrap
from typing import Any

from rankwise.charts.renderer import render, script_with_vega
from rankwise.colours import COLOURS, ON_DARK as RUNS_ON_DARK
from rankwise.errors import CallError, visible
from rankwise.lazy import pl
from rankwise.metrics import Metric, as_printed

DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 1], [1, 3], [10, 4], [3, 1, 1, 1]]
WIDTH, HEIGHT = 290, 200  # with axes, a column of a paper
BAND = 0.15  # opacity
SHAPES = ["circle", "square", "triangle-up", "cross", "diamond", "triangle-down"]
LINE = 85  # characters of a line below a title
INK, PALE, BLANK = "#333333", "#d0d0d0", "#f2f2f2"
DARK = {"background": "#16181d", "ink": "#e6e6e6", "grid": "#3a3f47"}
# Replacements, on a dark page, of colours that are too dark or too light there.
ON_DARK = {"#000000": DARK["ink"], INK: "#c9ccd1", **RUNS_ON_DARK}
ON_DARK |= {PALE: "#555b66", BLANK: "#23262d"}
WHISKER = "#5a5a5a"
OPEN = 1 / 2  # fraction of the range of a metric; wider bounds are not informative
DRAWN = 0.9  # if a smaller fraction of the bounds in a chart is informative, no bounds are drawn
ROW = 16  # pixels per run, with its name
# Pixels of a grid of runs by runs: smallest and largest side of a cell, and width of the grid.
LEAST_CELL, GREATEST_CELL, ROOM = 13, 26, 480
SCREEN_TYPE = 12  # pixels
# Superscripts and subscripts that the fonts of png and pdf files lack.
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+−", strict=True))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
VECTOR = re.compile(r"R(′?)_([GL])")  # a bounding vector of a published score, with its subscript
EMBED = "window.vegaEmbed = vegaEmbed;"  # the function that the HTML page calls
CONTROLS = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"  # unsafe in XML
MISSING = "charts need altair and vl-convert-python: pip install 'rankwise[charts]'."


class _Altair:
    """Altair, imported on first use; a notebook then shows charts as SVG, without a network.

    Altair's default renderer loads scripts from the network. For interactive charts, restore it
    with `altair.renderers.enable("default")`. A renderer that the user has chosen before is kept.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            import altair
        except ImportError as error:
            raise _not_importable(error) from None
        if altair.renderers.active == "default" and find_spec("vl_convert") is not None:
            altair.renderers.enable("svg")
        return getattr(altair, name)


alt: Any = _Altair()


def check_installed() -> None:
    """Raise an error if a package that draws charts is not installed."""
    try:
        import_module("altair")
        import_module("vl_convert")  # Altair's error would not name the extra rankwise[charts]
    except ImportError as error:
        raise _not_importable(error) from None


def _not_importable(error: ImportError) -> CallError:
    """Return the error for a package that is missing, or that cannot be loaded."""
    if isinstance(error, ModuleNotFoundError):
        return CallError(MISSING)
    return CallError(f"charts cannot be drawn, because altair cannot be loaded ({error}).")


def one_below_the_other(groups: Mapping[str, tuple[int, Any]]) -> Any:
    """Stack the charts of groups of topics.

    `groups` maps the name of a group to its number of topics and its chart.
    """
    charts = [
        alt.vconcat(chart).properties(title=f"{name}: {count} topic{'s' * (count != 1)}")
        for name, (count, chart) in groups.items()
    ]
    return alt.vconcat(*charts, spacing=24)


def below(panels: Iterable[Any]) -> Any:
    """Stack panels; return a single panel unchanged."""
    listed = list(panels)
    return alt.vconcat(*listed) if len(listed) > 1 else listed[0]


def run_axis(order: list[str], *, names: bool) -> Any:
    """Return a vertical axis with one row per run, with or without its name."""
    labels = {"labelOverlap": False, "labelPadding": 6} if names else {"labels": False}
    axis = alt.Axis(title=None, ticks=False, domain=False, grid=True, **labels)
    return alt.Y("run:N", sort=order, scale=alt.Scale(domain=order), axis=axis)


def score_title(metric: Metric) -> str:
    return f"{metric.as_printed}{' (lower is better)' if metric.less_is_better else ''}"


def pair_axes(order: list[str]) -> tuple[Any, Any, int]:
    """Return the x and y axes of a grid of runs by runs, and the side of a cell in pixels.

    The fields of the axes are `column` and `row`.
    """
    scale = alt.Scale(domain=order)
    labels = {"labelOverlap": True, "labelSeparation": 0, "ticks": False, "domain": False}
    columns = alt.Axis(title=None, orient="top", labelAngle=-90, **labels)
    x = alt.X("column:N", sort=order, axis=columns, scale=scale)
    y = alt.Y("row:N", sort=order, axis=alt.Axis(title=None, **labels), scale=scale)
    return x, y, max(LEAST_CELL, min(GREATEST_CELL, ROOM // len(order)))


def rows(frame: pl.DataFrame, columns: list[str] | None = None) -> Any:
    """Return the rows of a frame as Altair data that are embedded in the chart, without a limit."""
    return alt.Data(values=frame.select(columns or frame.columns).to_dicts())


def printed(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with metrics named as in papers."""
    names = {name: as_printed(name) for name in frame["metric"].unique()}
    return frame.with_columns(frame["metric"].replace(names))


def series(
    names: list[str], by: str = "metric", fixed: Mapping[str, str] | None = None
) -> tuple[Any, Any]:
    """Return the colour and dash encodings of lines with these names, in the field `by`.

    `fixed` maps all runs to their colours. Their order in `fixed` decides the dashes.
    """
    field = f"{by}:N"
    # From the ninth name on, colours are repeated with other dashes.
    shown = in_turn(COLOURS, names) if fixed is None else [fixed[name] for name in names]
    order = list(names if fixed is None else fixed)
    places = [divmod(order.index(name), len(COLOURS)) for name in names]
    strokes = [DASHES[(place + turn) % len(DASHES)] for turn, place in places]
    colour = alt.Scale(domain=names, range=shown)
    dashes = alt.Scale(domain=names, range=strokes)
    legend = line_legend(names)
    return (
        alt.Color(field, scale=colour, sort=names, legend=legend),
        alt.StrokeDash(field, scale=dashes, sort=names, legend=legend),
    )


def in_turn(looks: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return a colour or shape for each name, in the order of `looks`, repeated if necessary."""
    return [look for look, _ in zip(cycle(looks), names, strict=False)]


def paragraph(text: str, room: int = LINE) -> list[str]:
    """Split a long subtitle into lines of at most `room` characters.

    All lines but the last end with a space, which marks them as lines of one sentence.
    """
    *lines, last = wrap(text, room)
    return [*(f"{line} " for line in lines), last]


def are_informative(
    metric: Metric, ends: Sequence[tuple[float | None, float | None]], share: float = DRAWN
) -> bool:
    """Return whether to draw these bounds (low, high) of scores or differences.

    Bounds are drawn if at least a fraction `share` of them is at most half as wide as the metric's
    range. Bounds with None are ignored.
    """
    widths = [high - low for low, high in ends if low is not None and high is not None]
    low, high = metric.score_range or (0.0, 1.0)
    narrow = sum(width <= (high - low) * OPEN + 1e-9 for width in widths)
    return bool(widths) and narrow >= share * len(widths)


def line_legend(names: Sequence[str]) -> Any:
    """Return a legend above the chart, with as many entries side by side as fit."""
    symbols = {"symbolType": "stroke", "symbolStrokeWidth": 2, "symbolSize": 300}
    columns = abreast(names, WIDTH + 10, SCREEN_TYPE)
    return alt.Legend(title=None, orient="top", columns=columns, **symbols)


def abreast(names: Sequence[str], room: float, size: int) -> int:
    """Return the number of legend entries that fit side by side into `room` pixels.

    `size` is the size of the text in pixels.
    """
    widths = [33 + 0.55 * size * len(name) for name in names]  # estimates for a symbol and a name
    return len(names) if sum(widths) <= room else max(1, int(room // max(widths)))


def bands(
    frame: pl.DataFrame,
    x: Any,
    ends: tuple[Any, str],
    names: list[str],
    *,
    by: str = "metric",
    edges: bool = False,
    fixed: Mapping[str, str] | None = None,
) -> list[Any]:
    """Draw a band from a low to a high column for each name, in the colours of `series`.

    `ends` has the encoding of the low column and the name of the high column. Bands have no colour
    scale, so that the legend shows only lines. With `edges`, bands have outlines.
    """
    low, high = ends
    layers = []
    for name, colour in (fixed or dict(zip(names, cycle(COLOURS), strict=False))).items():
        base = alt.Chart(rows(frame.filter(**{by: name}))).encode(x)
        layers.append(base.mark_area(opacity=BAND, color=colour).encode(low, alt.Y2(f"{high}:Q")))
        if edges:
            line = base.mark_line(strokeWidth=0.6, color=colour)
            layers += [line.encode(low), line.encode(alt.Y(f"{high}:Q"))]
    return layers


def rendered(
    chart: Any, kind: str, *, dark: bool = False, names: Mapping[str, str] | None = None
) -> bytes:
    """Render a chart, or a Vega-Lite specification, as the bytes of a file.

    `kind` is svg, png, pdf, html or json. `dark` selects colours for a dark page. `names` maps
    metrics to the names to show instead. An html file is self-contained. One pixel of the chart is
    one point of a pdf file.
    """
    specification = drawn(chart, dark=dark, names=names)
    if kind == "json":
        return json.dumps(specification, indent=2, ensure_ascii=False).encode()
    check_installed()
    if kind == "html":
        return page(specification, script_with_vega(EMBED, _version())).encode()
    picture = as_svg(specification)
    if kind == "png":
        return render("svg_to_png", picture, scale=2)
    return render("svg_to_pdf", picture) if kind == "pdf" else picture.encode()


def _version() -> str:
    """Return the version of Vega-Lite that Altair writes."""
    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def as_svg(specification: Mapping[str, Any]) -> str:
    """Render as SVG, with superscripts and subscripts drawn as small digits.

    Few fonts have superscript and subscript characters; they would be missing or in another font.
    """
    picture = render("vegalite_to_svg", dict(specification), vl_version=_version()).decode()
    return re.sub(r"(?<=>)[^<>\n]+(?=<)", lambda text: _with_small_letters(text[0]), picture)


def _with_small_letters(text: str) -> str:
    text = VECTOR.sub(lambda found: f"R{found[1]}{_small(found[2], 0.25)}", text)
    for letters, shift in ((RAISED, -0.35), (LOWERED, 0.25)):
        parts = re.split(f"([{''.join(letters)}]+)", text)
        parts[1::2] = [_small("".join(letters[one] for one in part), shift) for part in parts[1::2]]
        text = "".join(parts)
    return text


def _small(letters: str, shift: float) -> str:
    """Return SVG that sets letters in smaller type, `shift` ems below the line."""
    shifted = f'<tspan dy="{shift / 0.7:.2f}em" font-size="70%">{letters}</tspan>'
    return f'{shifted}<tspan dy="{-shift:.2f}em">\u200b</tspan>'  # a space without width


def page(specification: Mapping[str, Any], library: str) -> str:
    """Return an HTML page that shows a chart with the included library, without a network.

    A `<` in a name is escaped, so that it cannot end the script. Vega interprets its expressions
    (option `ast`), so the security policy can forbid code generation.
    """
    given = json.dumps(specification).replace("<", "\\u003c")
    options = json.dumps({"renderer": "svg", "ast": True})
    library = library.replace("</script", "<\\/script")
    draw = f"vegaEmbed('#chart', {given}, {options}).catch(console.error);"
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in (library, draw))
    policy = f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<title>Chart</title>\n</head>\n<body>\n<div id="chart"></div>\n'
        f"<script>{library}</script>\n<script>{draw}</script>\n</body>\n</html>\n"
    )


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _printable(part: Any) -> Any:
    """Escape control characters in all texts, because they would crash the renderer."""
    if isinstance(part, dict):
        return {_without_controls(name): _printable(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_printable(value) for value in part]
    return _without_controls(part) if isinstance(part, str) else part


def _without_controls(text: str) -> str:
    return re.sub(CONTROLS, lambda found: visible(found[0]), text)


def drawn(
    chart: Any, *, dark: bool = False, names: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the Vega-Lite of a chart with replaced `names` and, if `dark`, on a dark background.

    The specification is not validated, which would take most of the time; tests validate it.
    """
    given = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
    specification = _printable(given)
    config = merged(type_of(SCREEN_TYPE), specification.get("config", {}))
    specification["config"] = config
    if names:
        specification = _renamed(specification, names)
    if dark:
        text = json.dumps(specification)
        for colour, lighter in ON_DARK.items():
            text = text.replace(colour, lighter)
        specification = json.loads(text)
        specification["config"] = merged(specification["config"], _dark_config())
    found: dict[str, Any] = specification
    return found


def type_of(size: int) -> dict[str, Any]:
    """Return a configuration with text of this size in pixels, and slightly larger titles."""
    names = {"labelFontSize": size, "titleFontSize": size, "titleFontWeight": "normal"}
    # Labels are at their ticks, and apart: otherwise 200 and 300 touch on logarithmic axes.
    apart = {"labelSeparation": 6, "labelFlush": False}
    return {
        "axis": names | apart | {"labelLimit": 24 * size, "titlePadding": size // 2},
        "legend": names | {"labelLimit": 24 * size},
        "header": names,
        "title": {"fontSize": size + 1, "subtitleFontSize": size, "anchor": "start"},
        "text": {"fontSize": size},
    }


def _renamed(part: Any, names: Mapping[str, str], key: str = "") -> Any:
    """Replace names in a specification: whole texts and words of titles, but not field names."""
    if isinstance(part, dict):
        return {name: _renamed(value, names, name) for name, value in part.items()}
    if isinstance(part, list):
        return [_renamed(value, names, key) for value in part]
    if not isinstance(part, str) or key == "field":
        return part
    if key not in ("title", "text"):
        return names.get(part, part)
    longest_first = sorted(names, key=len, reverse=True)
    word = "|".join(map(re.escape, longest_first))
    return re.sub(rf"(?<!\w)({word})(?![\w(@-])", lambda found: names[found[1]], part)


def _dark_config() -> dict[str, Any]:
    ink = {"labelColor": DARK["ink"], "titleColor": DARK["ink"]}
    lines = {"gridColor": DARK["grid"], "domainColor": DARK["ink"], "tickColor": DARK["ink"]}
    return {
        "background": DARK["background"],
        "axis": ink | lines,
        "legend": ink,
        "header": ink,
        "title": {"color": DARK["ink"], "subtitleColor": DARK["ink"]},
        "view": {"stroke": DARK["grid"]},
    }


def merged(config: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Merge the settings `more` into a configuration; they take precedence."""
    both = config | more
    for name in config.keys() & more.keys():
        if isinstance(config[name], dict) and isinstance(more[name], dict):
            both[name] = config[name] | more[name]
    return both
