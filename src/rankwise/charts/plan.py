"""Chart of a judging plan: the expected effect of each further judgment."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import HEIGHT, WIDTH, altair, rows, series
from rankwise.errors import CallError

if TYPE_CHECKING:
    from rankwise.judging import JudgmentPlan

# Columns of the progress, and their names in the picture.
BY_MODEL = {
    "unresolved": "unresolved pairs of runs",
    "misordered": "pairs expected in the wrong order",
}
BY_WEIGHT = {"residual": "residual: unresolved part of a score, averaged over runs"}


def effort_curve(plan: "JudgmentPlan") -> Any:
    """Draw what is expected to be unresolved after each number of judged documents."""
    alt = altair()
    progress = plan.progress
    if progress.height < 2:
        raise CallError("the plan has no documents, and so no curve to draw.")
    shown = BY_MODEL if "unresolved" in progress.columns else BY_WEIGHT
    long = progress.unpivot(list(shown), index="judged", variable_name="what", value_name="value")
    long = long.with_columns(long["what"].replace(shown))
    names = list(shown.values())
    colour, dash = series(names, "what")
    unit = "pairs of runs" if shown is BY_MODEL else "residual"
    x = alt.X("judged:Q", title="documents judged")
    y = alt.Y("value:Q", title=unit, scale=alt.Scale(zero=True))
    lines = alt.Chart(rows(long)).mark_line(strokeWidth=2, point={"size": 25})
    tooltip = ["judged:Q", "what:N", "value:Q"]
    drawn = lines.encode(x, y, colour, dash, tooltip=tooltip)
    title = alt.Title(
        f"Expected effect of judging, by {plan.metric.as_printed}",
        subtitle="Documents in the order of the plan.",
    )
    return drawn.properties(width=1.6 * WIDTH, height=HEIGHT, title=title)
