"""Charts of a report, as Vega-Lite without data: the page supplies the rows.

Colours are of medium lightness, visible on light and dark pages; ink is the colour of the
surrounding text.
"""

from collections.abc import Sequence
from typing import Any

from rankwise.charts.drawing import altair

BLUE, ORANGE, GREY = "#2c7fc0", "#d55e00", "#808080"
INK = "currentColor"
FAINT = "rgba(128,128,128,0.3)"
SIZE = 12
HEIGHT = 260
RUN = ("this run", "baseline", "median of all runs")
STRIP = ("this run", "baseline", "other runs")
SHARES = ("judged", "relevant")
TENTHS = [tenth / 10 for tenth in range(11)]


def report_charts() -> dict[str, dict[str, Any]]:
    """Return the Vega-Lite of each chart by name; the page fills in `rows` (and `marks`)."""
    charts = {
        "profile": _profile(),
        "curve": _curve(),
        "shares": _shares(),
        "differences": _differences(),
        "strip": _strip(),
    }
    config = _config()
    return {
        name: chart.properties(width="container", height=height).to_dict(validate=False)
        | {"config": config}
        for name, (chart, height) in charts.items()
    }


def _config() -> dict[str, Any]:
    words = {"labelColor": INK, "titleColor": INK, "labelFontSize": SIZE, "titleFontSize": SIZE}
    lines = {"gridColor": FAINT, "domainColor": INK, "tickColor": INK}
    return {
        "background": "transparent",
        "aria": False,  # the whole chart is one image with a description
        "font": "system-ui, sans-serif",
        "axis": words | lines | {"titleFontWeight": "normal", "labelOverlap": True},
        "legend": words | {"orient": "top", "labelLimit": 300},
        "view": {"stroke": None},
    }


def _rows(name: str = "rows") -> Any:
    alt = altair()
    return alt.Chart(alt.NamedData(name))


def _scale(looks: Sequence[Any], names: Sequence[str] = ()) -> Any:
    """Scale that gives each name a fixed look; without names, in the order of the rows."""
    scale = {"domain": list(names)} if names else {}
    return altair().Scale(range=list(looks), **scale)


def _named(names: Sequence[str] = (), legend: Any = None) -> Any:
    """Colour by role: the run, its baseline, and others."""
    alt = altair()
    scale = _scale((BLUE, ORANGE, GREY)[: len(names) or None], names)
    return alt.Color("who:N", sort=None, scale=scale, legend=legend or _legend())


def _dashed(names: Sequence[str]) -> Any:
    alt = altair()
    scale = _scale(([1, 0], [6, 3], [2, 2])[: len(names)], names)
    return alt.StrokeDash("who:N", sort=None, scale=scale, legend=_line_legend())


def _legend() -> Any:
    """Return one legend for colour, shape and dash."""
    return altair().Legend(title=None, symbolOpacity=1)


def _line_legend() -> Any:
    return altair().Legend(title=None, symbolType="stroke", symbolStrokeWidth=2, symbolSize=300)


def _profile() -> tuple[Any, int]:
    """Draw a run's score on each topic, with the range of all runs, the median and the baseline."""
    alt = altair()
    x = alt.X("topic:N", sort=None, title="topic", axis=alt.Axis(labelAngle=-90, grid=False))
    spread = _rows("marks").mark_rule(color=FAINT, strokeWidth=6).encode(x, _score("low"))
    spread = spread.encode(y2="high:Q")
    shapes = _scale(("circle", "diamond", "square"), RUN)
    shape = alt.Shape("who:N", sort=None, scale=shapes, legend=_legend())
    points = _rows().mark_point(filled=True, size=50, opacity=0.95)
    return alt.layer(spread, points.encode(x, _score("value"), _named(RUN), shape, _tips())), HEIGHT


def _score(field: str) -> Any:
    return altair().Y(f"{field}:Q", title="score")


def _tips() -> Any:
    return altair().Tooltip("tip:N")


def _curve() -> tuple[Any, int]:
    """Draw interpolated precision at eleven levels of recall."""
    alt = altair()
    unit = alt.Scale(domain=[0, 1])
    x = alt.X(
        "recall:Q",
        scale=unit,
        title="recall",
        axis=alt.Axis(values=TENTHS, format=".1f", labelFlush=False),
    )
    y = alt.Y("precision:Q", scale=unit, title="interpolated precision")
    lines = _rows().mark_line(strokeWidth=2, point=True)
    return lines.encode(x, y, _named(RUN, _line_legend()), _dashed(RUN), _tips()), HEIGHT


def _shares() -> tuple[Any, int]:
    """Draw the fractions of judged and of relevant documents at each rank."""
    alt = altair()
    x = alt.X("rank:Q", title="rank", scale=alt.Scale(type="log", nice=False))
    y = alt.Y(
        *["share:Q"],
        title="fraction of documents",
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, 1]),
    )
    lines = _rows().mark_line(strokeWidth=2, point=True)
    return lines.encode(x, y, _named(SHARES, _line_legend()), _dashed(SHARES), _tips()), HEIGHT


def _differences() -> tuple[Any, int]:
    """Draw the difference of two runs on each topic, sorted; the mean and its interval."""
    alt = altair()
    x = alt.X("topic:N", sort=None, title="topic", axis=alt.Axis(labelAngle=-90, grid=False))
    y = alt.Y("difference:Q", title="difference")
    bars = _rows().mark_bar().encode(x, y, _named(), _tips())
    mean = _rows("marks").mark_rule(color=INK, strokeWidth=1.5).encode(alt.Y("mean:Q"))
    ends = _rows("marks").mark_rect(color=GREY, opacity=0.25)
    ends = ends.encode(alt.Y("low:Q", title="difference"), alt.Y2("high:Q"))
    return alt.layer(ends, bars, mean), HEIGHT


def _strip() -> tuple[Any, int]:
    """Draw the scores of all runs on one topic."""
    alt = altair()
    x = alt.X("value:Q", title="score", axis=alt.Axis(tickCount=8))
    ticks = _rows().mark_tick(height=34, thickness=2, opacity=0.8)
    return ticks.encode(x, _named(STRIP), _tips()), 60
