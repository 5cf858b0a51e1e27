r"""Sizes of charts and their text: for a screen, or for a column or page of a paper.

A pixel of a chart is a point of a PDF file. So a chart for a paper is drawn as wide as the column,
with text of 8 points, and is included without scaling: `\includegraphics{chart.pdf}`.
"""

from collections.abc import Mapping
from copy import deepcopy
from re import search
from textwrap import wrap
from typing import Any, NamedTuple, get_args

from rankwise.charts.drawing import (
    SCREEN_TYPE,
    abreast,
    alt,
    as_svg,
    check_installed,
    drawn,
    merged,
    type_of,
)
from rankwise.errors import check_word
from rankwise.vocabulary import ChartWidth

CLOSE = 1.0  # accepted deviation from the requested width, in pixels
PAGE = 650  # points: higher charts for a paper show only their first rows
LEAST_ROWS = 20  # rows that are always shown
TALLEST = 640  # pixels: if rows would be higher together, each row is lower, down to LEAST_ROW
LEAST_ROW = 8.5  # pixels of a row with its name
AXIS = 40  # width of an axis in pixels, which the legend cannot use
LEAST = 0.05  # smallest factor for the width of a panel; a chart that does not fit stays too wide
PARTS = ("concat", "hconcat", "vconcat")
TRIES = 8  # trials to reach the width, because labels of an axis change with it


class Size(NamedTuple):
    """Total width in pixels, text size, and minimum width of a panel next to others."""

    width: int
    type: int
    panel: int


# A column of ACM, IEEE and Springer's two-column articles has 240 to 252 points, the text of a
# page 504 to 516. `screen` is the text of a web page.
SIZES = {"column": Size(240, 8, 100), "page": Size(504, 8, 120), "screen": Size(928, 12, 260)}


def sized(chart: Any, width: ChartWidth | None) -> Any:
    """Return the chart with a text size and total width for a column, a page or a screen.

    If `width` is None, the text size is that for a screen, and the width does not change.
    """
    if width is None:
        return chart.properties(config=merged(type_of(SCREEN_TYPE), _config(chart)))
    return type(chart).from_dict(sized_specification(chart, width), validate=False)


def sized_specification(chart: Any, width: ChartWidth | None) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart with this total width, for a file.

    If `width` is None and the chart has many rows, their height is reduced. `sized` does not reduce
    it, because the chart that it returns can still get another width.
    """
    if width is None:
        return _with_low_rows(drawn(chart))
    check_word("width", width, get_args(ChartWidth))
    check_installed()
    return fitted(drawn(chart), SIZES[width])


def untitled(chart: Any) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart without title; panels keep their names."""
    specification = drawn(chart)
    specification.pop("title", None)
    return {
        name: [_named(part) for part in value] if name in PARTS else value
        for name, value in specification.items()
    }


def _named(part: dict[str, Any]) -> dict[str, Any]:
    """Return a panel, and the panels in it, without subtitles."""
    found = {n: [_named(one) for one in v] if n in PARTS else v for n, v in part.items()}
    if isinstance(title := found.get("title"), dict):
        found["title"] = {name: value for name, value in title.items() if name != "subtitle"}
    return found


def _config(chart: Any) -> dict[str, Any]:
    """Return the Vega-Lite configuration of a chart as a dict; empty if it has none."""
    own = chart.config
    if isinstance(own, dict):
        return own
    found: dict[str, Any] = {} if own is alt.Undefined else own.to_dict()
    return found


def fitted(specification: Mapping[str, Any], size: Size) -> dict[str, Any]:
    """Scale the panels of a chart to reach the total width.

    Heights and line widths are scaled like the text. The room for axes and names is known only
    after drawing, so the chart is drawn repeatedly. If a chart for a paper is higher than a page,
    only its first rows are drawn, with a note in the subtitle.
    """
    found = _with_width(specification, size)
    count = _most_rows(found)
    if size is SIZES["screen"] or count <= LEAST_ROWS or (height := _measured(found)[1]) <= PAGE:
        return found
    least = _measured(_with_width(_shortened(specification, LEAST_ROWS, count), size))[1]
    room = max(0.0, (PAGE - least) / (height - least))
    most = int(LEAST_ROWS + room * (count - LEAST_ROWS))
    return _with_width(_shortened(specification, most, count), size)


def _with_low_rows(part: dict[str, Any], step: float = 0, scale: float = 1) -> dict[str, Any]:
    """Return a part of a chart with lower rows if there are many, and smaller names and marks.

    `step` is the height of a row of the enclosing chart in pixels, and `scale` is this height
    divided by the usual height.
    """
    height = part.get("height")
    found = dict(part)
    if isinstance(height, dict) and (count := _most_rows(part)):
        step = max(LEAST_ROW, min(height["step"], TALLEST / count))
        scale = step / height["step"]
        found["height"] = {"step": step}
    for name in (*PARTS, "layer"):
        if name in found:
            found[name] = [_with_low_rows(one, step, scale) for one in found[name]]
    if scale == 1 or "encoding" not in found:
        return found
    if (y := found["encoding"].get("y", {})).get("type") == "nominal":
        axis = {**(y.get("axis") or {}), "labelFontSize": min(SCREEN_TYPE, step - 1)}
        axis["gridOpacity"] = scale
        found["encoding"] = {**found["encoding"], "y": {**y, "axis": axis}}
    if isinstance(mark := found.get("mark"), dict):
        text = {"fontSize": step - 1} if mark["type"] == "text" else {}
        low = {"height": mark["height"] * scale} if "height" in mark else {}
        found["mark"] = _finer(mark, scale**0.5) | low | text
    return found


def _with_width(specification: Mapping[str, Any], size: Size) -> dict[str, Any]:
    """Scale the panels of a chart to reach the total width."""
    if size is SIZES["screen"]:
        specification = _with_low_rows(dict(specification))
    small = _with_lines(deepcopy(dict(specification)), size)
    small["config"] = merged(small.get("config", {}), type_of(size.type))
    small["config"] = merged(small["config"], _thin(size.type / SCREEN_TYPE))
    found = _changed(small, 1.0, size.type / SCREEN_TYPE, size)
    tried: list[tuple[float, float]] = []
    scale = 1.0
    for _ in range(TRIES):
        tried.append((scale, _measured(_changed(found, scale))[0]))
        if abs(tried[-1][1] - size.width) <= CLOSE:
            break
        scale = max(LEAST, _next_scale(tried, size.width))
    best, _ = min(tried, key=lambda one: abs(one[1] - size.width))
    return _changed(found, best)


def _named_rows(part: Mapping[str, Any]) -> list[str]:
    """Return the names of the rows of a panel; none without rows, or for a grid of runs by runs."""
    encoding = part.get("encoding", {})
    x, y = (encoding.get(name, {}).get("scale", {}).get("domain", []) for name in "xy")
    return y if encoding.get("y", {}).get("type") == "nominal" and x != y else []


def _parts(part: Mapping[str, Any]) -> list[Any]:
    return [one for name in (*PARTS, "layer") for one in part.get(name, [])]


def _most_rows(part: Mapping[str, Any]) -> int:
    return max([len(_named_rows(part)), *map(_most_rows, _parts(part))])


def _shortened(specification: Mapping[str, Any], most: int, count: int) -> dict[str, Any]:
    """Return a chart with the first `most` of `count` rows in each panel, and a note about it."""
    found = _with_first_rows(specification, most)
    title = found.get("title", {})
    title = {"text": title} if isinstance(title, str) else dict(title)
    lines = title.get("subtitle", [])
    shown = f"Rows 1–{most} of {count}, to fit on a page."
    title["subtitle"] = [*([lines] if isinstance(lines, str) else lines), shown]
    return found | {"title": {"text": "", **title}}


def _with_first_rows(part: Mapping[str, Any], most: int) -> dict[str, Any]:
    """Return a part of a chart with the first rows only."""
    found = dict(part)
    for name in (*PARTS, "layer"):
        if name in found:
            found[name] = [_with_first_rows(one, most) for one in found[name]]
    if names := _named_rows(part)[:most]:
        y = part["encoding"]["y"]
        rows = {**y, "sort": names, "scale": {**y["scale"], "domain": names}}
        shown = {"filter": {"field": y["field"], "oneOf": names}}
        found["encoding"] = {**part["encoding"], "y": rows}
        found["transform"] = [shown, *part.get("transform", [])]
    return found


def _next_scale(tried: list[tuple[float, float]], width: float) -> float:
    """Return the next scale, interpolated from the (scale, width) of the last two trials."""
    scale, measured = tried[-1]
    before, measured_before = tried[-2] if len(tried) > 1 else (scale, measured)
    if abs(measured - measured_before) <= CLOSE:
        return scale * width / measured * (1.5 if measured < width else 0.7)
    return scale + (width - measured) * (scale - before) / (measured - measured_before)


def _thin(scale: float) -> dict[str, Any]:
    """Return a configuration whose axes and legend symbols are scaled like the text."""
    lines = dict.fromkeys(("gridWidth", "domainWidth", "tickWidth"), scale)
    legend = {"symbolSize": 100 * scale**2, "symbolStrokeWidth": 1.5 * scale}
    return {
        "axis": lines | {"tickSize": 5 * scale},
        "legend": legend,
        "view": {"strokeWidth": scale},
    }


def _with_lines(part: Any, size: Size) -> Any:
    """Wrap titles to the total width, and scale lines and points like the text."""
    if isinstance(part, list):
        return [_with_lines(one, size) for one in part]
    if not isinstance(part, dict):
        return part
    scale = size.type / SCREEN_TYPE
    found = {
        name: value if name in ("data", "datasets") else _with_lines(value, size)
        for name, value in part.items()
    }
    if isinstance(mark := found.get("mark"), dict):
        found["mark"] = _finer(mark, scale)
    if isinstance(legend := found.get("legend"), dict) and "encoding" not in found:
        found["legend"] = _finer(legend, scale)
        if legend.get("columns", 1) > 1 and "domain" in found.get("scale", {}):
            columns = abreast(found["scale"]["domain"], size.width - AXIS, size.type)
            found["legend"]["columns"] = columns
    is_chart = found.keys() & {"mark", "layer", "concat", "hconcat", "vconcat"}
    if is_chart and isinstance(title := found.get("title"), str | dict):
        found["title"] = _wrapped(title, size)
    return found


def _wrapped(title: str | dict[str, Any], size: Size) -> dict[str, Any]:
    """Wrap a title and its subtitle to the total width."""
    room = int((size.width - 10) / (0.52 * (size.type + 1)))  # of characters
    parts: dict[str, Any] = {"text": title} if isinstance(title, str) else dict(title)
    for name in {"text", "subtitle"} & parts.keys():
        given = parts[name] if isinstance(parts[name], list) else [parts[name]]
        texts = "\n".join(given).replace(" \n", " ").split("\n")  # see `paragraph`
        parts[name] = [line for text in texts for line in wrap(text, room)]
    return parts


def _finer(mark: dict[str, Any], scale: float) -> dict[str, Any]:
    by = {"strokeWidth": scale, "size": scale**2}
    by |= {"symbolStrokeWidth": scale, "symbolSize": scale**2}  # properties of a legend
    if mark.get("symbolType") == "stroke":  # a line shows its dashes, which are not scaled
        del by["symbolSize"]
    finer = {name: value * by[name] if name in by else value for name, value in mark.items()}
    if isinstance(point := mark.get("point"), dict):
        finer["point"] = _finer(point, scale)
    return finer


def _measured(specification: Mapping[str, Any]) -> tuple[float, float]:
    """Return the width and height of the rendered chart in pixels."""
    found = search(r'width="([\d.]+)" height="([\d.]+)', as_svg(specification))
    assert found is not None
    return float(found[1]), float(found[2])


def _changed(part: Any, width: float, height: float = 1.0, size: Size | None = None) -> Any:
    """Multiply the widths and heights of the panels of a chart by these factors.

    If a panel or a cell is square, both are scaled by `width` × `height`. With `size`, as many
    panels of a `concat` are side by side as fit.
    """
    if not isinstance(part, dict):
        return part
    part = dict(part)
    square = part.get("width") == part.get("height")
    for name, scale in (
        ("width", width * height),
        ("height", width * height if square else height),
    ):
        if name in part:
            part[name] = _scaled(part[name], scale)
    if size is not None and "concat" in part:
        part["columns"] = max(1, min(part.get("columns", 1), size.width // size.panel))
    for name in ("concat", "hconcat", "vconcat"):
        if name in part:
            part[name] = [_changed(one, width, height, size) for one in part[name]]
    if "spec" in part:
        part["spec"] = _changed(part["spec"], width, height, size)
    return part


def _scaled(length: Any, scale: float) -> Any:
    """Scale a length, given in pixels or as pixels per step of a discrete axis."""
    if isinstance(length, dict):
        return {**length, "step": length["step"] * scale}
    return length * scale
