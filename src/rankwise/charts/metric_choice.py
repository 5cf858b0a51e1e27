"""Chart of a choice of metrics: discriminative power against stability."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import HEIGHT, INK, WIDTH, altair, printed, rows
from rankwise.colours import COLOURS

if TYPE_CHECKING:
    from rankwise.experiments import MetricChoice


def power_and_stability(found: "MetricChoice") -> Any:
    """Draw one point per metric: stability against discriminative power; up and right is better.

    The lines are one standard error on either side.
    """
    alt = altair()
    frame = printed(found.frame)
    frame = frame.with_columns(
        low=frame["stability"] - frame["stability_se"],
        high=frame["stability"] + frame["stability_se"],
        left=frame["significant"] - frame["significant_se"],
        right=frame["significant"] + frame["significant_se"],
    )
    power = "significantly different pairs of runs (%)"
    x = alt.X("significant:Q", title=power, scale=alt.Scale(zero=False, padding=20, nice=True))
    scale = alt.Scale(zero=False, padding=12, nice=True)
    y = alt.Y("stability:Q", title="stability (Kendall's tau)", scale=scale)
    all_rows = alt.Chart(rows(frame))
    base = all_rows.encode(x)
    errors = all_rows.mark_rule(color=INK, strokeWidth=1)
    high = alt.Y("low:Q", title="stability (Kendall's tau)", scale=scale)
    ends = errors.encode(x, high, alt.Y2("high:Q"))
    across = errors.encode(y, alt.X("left:Q", title=power), alt.X2("right:Q"))
    tooltip = ["metric:N", "significant:Q", "stability:Q", "agreement:Q"]
    points = base.mark_circle(size=60, color=COLOURS[0], opacity=1).encode(y, tooltip=tooltip)
    names = base.mark_text(align="left", dx=7, dy=-9, color=INK).encode(y, text="metric:N")
    title = alt.Title("Power and stability of metrics", subtitle="Lines: one standard error.")
    return alt.layer(ends, across, points, names).properties(
        width=1.6 * WIDTH, height=1.4 * HEIGHT, title=title
    )
