"""Charts of judgments: the judged fraction by rank, and the expected effect of a judging plan."""

from __future__ import annotations

from typing import Any

from rankwise.charts.drawing import HEIGHT, WIDTH, alt, rows, series
from rankwise.colours import COLOURS
from rankwise.errors import CallError
from rankwise.judging import JudgmentPlan
from rankwise.lazy import pl

SHARES = ["judged", "relevant"]
LABELLED = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


def judged_by_rank(by_rank: pl.DataFrame) -> Any:
    """Draw the fractions of judged and of relevant documents at each rank.

    The chart follows Figure 1 of Ahlgren and Grönqvist (2007), but has no line for the unjudged
    documents. The axis of ranks is logarithmic, because most metrics depend on the top ranks. Ranks
    that differ by less than 2 % are averaged.
    """
    # On a logarithmic axis, further points at high ranks would not be visible.
    near = pl.col("rank").log(1.02).floor()
    shown = by_rank.group_by(near.alias("near"), maintain_order=True).agg(
        pl.col("rank").mean(), pl.col(SHARES).mean()
    )
    long = shown.unpivot(SHARES, index="rank", variable_name="metric", value_name="share")
    colour, dash = series(SHARES)
    return (
        alt.Chart(rows(long))
        .mark_line(strokeWidth=1.6)
        .encode(
            alt.X(
                "rank:Q",
                title="rank",
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(values=LABELLED),
            ),
            alt.Y(
                "share:Q",
                title="fraction of documents",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            colour,
            dash,
        )
        .properties(width=WIDTH, height=HEIGHT, title="Judged documents by rank")
    )


# Columns of the progress, and their names in the chart.
BY_MODEL = {
    "unresolved": "unresolved pairs of runs",
    "misordered": "pairs expected in the wrong order",
}
BY_WEIGHT = {"residual": "possible increase of the score (mean over runs)"}


def effort_curve(plan: JudgmentPlan) -> Any:
    """Draw the expected effect of judging, by the number of judged documents.

    The curves are the numbers of unresolved and of misordered pairs of runs. For a plan by weight,
    the curve is the amount that unjudged documents could add to a score, averaged over runs.
    """
    progress = plan.progress
    if progress.height < 2:
        raise CallError("the plan has no documents, so there is no curve to draw.")
    shown = BY_MODEL if "unresolved" in progress.columns else BY_WEIGHT
    long = progress.unpivot(list(shown), index="judged", variable_name="what", value_name="value")
    long = long.with_columns(long["what"].replace(shown))
    names, alone = list(shown.values()), {"color": alt.value(COLOURS[0])}
    colour, dash = series(names, "what")
    unit = "pairs of runs" if shown is BY_MODEL else BY_WEIGHT["residual"]
    # If less than one pair is expected, the axis still ends at 1.
    highest = long.select(pl.col("value").max()).item() or 0
    top = {"domainMax": 1} if shown is BY_MODEL and highest < 1 else {}
    x = alt.X("judged:Q", title="documents judged")
    y = alt.Y("value:Q", title=unit, scale=alt.Scale(zero=True, **top))
    lines = alt.Chart(rows(long)).mark_line(strokeWidth=2, point={"size": 25})
    tooltip = ["judged:Q", "what:N", "value:Q"]
    look = {"color": colour, "strokeDash": dash}
    drawn = lines.encode(x, y, tooltip=tooltip, **(look if len(names) > 1 else alone))
    title = alt.Title(
        f"Expected effect of judging, by {plan.metric.as_printed}",
        subtitle="Documents in the order of the plan.",
    )
    return drawn.properties(width=1.6 * WIDTH, height=HEIGHT, title=title)
