"""Chart of a choice of metrics: discriminative power against stability."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import COLOURS, HEIGHT, INK, WIDTH, altair, printed, rows

if TYPE_CHECKING:
    from rankwise.experiments import MetricChoice


def power_and_stability(found: "MetricChoice") -> Any:
    """Draw one point per metric: stability against discriminative power; up and right is better.

    The vertical line is one standard error of the stability on either side.
    """
    alt = altair()
    frame = printed(found.frame)
    frame = frame.with_columns(low=frame["stability"] - frame["error"])
    frame = frame.with_columns(high=frame["stability"] + frame["error"])
    power = "significantly different pairs of runs (%)"
    x = alt.X("significant:Q", title=power, scale=alt.Scale(zero=False, padding=20, nice=True))
    scale = alt.Scale(zero=False, padding=12, nice=True)
    y = alt.Y("stability:Q", title="stability (Kendall's tau)", scale=scale)
    base = alt.Chart(rows(frame)).encode(x)
    errors = base.mark_rule(color=INK, strokeWidth=1)
    ends = errors.encode(alt.Y("low:Q", title="stability (Kendall's tau)"), alt.Y2("high:Q"))
    tooltip = ["metric:N", "significant:Q", "stability:Q", "error:Q", "agreement:Q"]
    points = base.mark_circle(size=60, color=COLOURS[0], opacity=1).encode(y, tooltip=tooltip)
    names = base.mark_text(align="left", dx=7, dy=-5, color=INK).encode(y, text="metric:N")
    title = alt.Title("Power and stability of metrics", subtitle="Lines: one standard error.")
    return alt.layer(ends, points, names).properties(
        width=1.6 * WIDTH, height=1.4 * HEIGHT, title=title
    )
