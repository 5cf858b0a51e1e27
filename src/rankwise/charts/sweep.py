"""Charts of differences of two runs as a function of a metric's parameter."""

from typing import TYPE_CHECKING, Any

import polars as pl

from rankwise.charts.drawing import HEIGHT, INK, WHISKER, WIDTH, altair, rows
from rankwise.colours import RUN
from rankwise.errors import CallError
from rankwise.metrics import as_printed

if TYPE_CHECKING:
    from rankwise.comparison import Sweep

LINE, BAND = RUN, "#56B4E9"
ABREAST = 3  # panels
SMALL, LOW = 200, 130  # a panel beside others
MOST = 30  # panels that can be looked at


def differences_over_range(found: "Sweep") -> Any:
    """Draw the difference as a line, its interval as a blue band, its bounds as thin lines.

    Points are full if the difference is significant. One panel per pair of runs and metric; up is
    better for the first of the two runs, even if lower scores are better.
    """
    alt = altair()
    pairs = found.pairs
    if len(pairs) > MOST:
        what = f"{len(pairs)} pairs of runs are too many to draw over a range"
        raise CallError(f"{what}; at most {MOST} are possible. Give a baseline, or fewer runs.")
    small = len(pairs) > 1
    panels = [_panel(found, pair, small=small) for pair in pairs]
    subtitle = _how_to_read(found)
    if not small:
        return panels[0].properties(title=alt.Title(_title(pairs[0]), subtitle=subtitle))
    title = alt.Title(f"Differences by {found.parameter}", subtitle=subtitle)
    return alt.concat(*panels, columns=ABREAST, title=title)


def _title(pair: pl.DataFrame) -> str:
    metric, a, b = pair.select("metric", "a", "b").row(0)
    return f"{as_printed(metric)}: {a} − {b}"


def _how_to_read(found: "Sweep") -> list[str]:
    lines = [f"Blue: {found.comparison.interval_label}; filled points: significant."]
    ends = "Thin lines: bounds for unjudged documents."
    return [*lines, ends] if found.comparison.has_verdicts else lines


def _panel(found: "Sweep", pair: pl.DataFrame, *, small: bool) -> Any:
    alt = altair()
    scale = alt.Scale(reverse=found.sign_of(pair) < 0, nice=True)
    axis = alt.Scale(nice=False, zero=False)
    x = alt.X("value:Q", title=found.parameter, scale=axis)
    base = alt.Chart(rows(pair)).encode(x)
    band = base.mark_area(color=BAND, opacity=0.45)
    layers = [band.encode(alt.Y("conf_low:Q", scale=scale), alt.Y2("conf_high:Q"))]
    if found.comparison.has_verdicts:
        line = base.mark_line(color=WHISKER, strokeWidth=0.8)
        layers += [line.encode(alt.Y(f"{end}:Q", scale=scale)) for end in ("low", "high")]
    nothing = alt.Chart(alt.Data(values=[{"at": 0.0}])).mark_rule(color=INK, strokeWidth=0.7)
    layers.append(nothing.encode(alt.Y("at:Q", scale=scale)))
    y = alt.Y("difference:Q", title=None if small else "difference", scale=scale)
    layers.append(base.mark_line(color=LINE, strokeWidth=1.8).encode(y))
    full = alt.condition("datum.significant", alt.value(LINE), alt.value("white"))
    points = base.mark_point(size=28, color=LINE, filled=False, opacity=1)
    tooltip = ["value:Q", "difference:Q", "conf_low:Q", "conf_high:Q", "corrected_p:Q"]
    layers.append(points.encode(y, fill=full, tooltip=tooltip))
    size = (SMALL, LOW) if small else (WIDTH, HEIGHT)
    drawn = alt.layer(*layers).properties(width=size[0], height=size[1])
    return drawn.properties(title=alt.Title(_title(pair))) if small else drawn
