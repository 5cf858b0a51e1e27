"""Scores of systems, as charts."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import COLOURS, HEIGHT, WIDTH, altair, bands, rows, series
from rankwise.rankings.possible import assumed

if TYPE_CHECKING:
    import polars as pl

    from rankwise.scores.table import Scores

NAMED = 30  # systems up to which an axis has room for their names
WIDE = 2 * WIDTH


def system_scores(scores: "Scores") -> Any:
    """The mean of each system, best first by the first metric; a line a metric.

    Figures 2 to 4 of Ahlgren and Grönqvist (2007). Where another line rises, its metric
    disagrees with the first. With bounds, an area between those of the mean.
    """
    alt = altair()
    frame = placed(scores)
    names = [str(metric) for metric in scores.metrics]
    alone = len(names) == 1  # what needs no legend, but a name
    told_apart = () if alone else series(names)
    mean = f"Mean {names[0]}" if alone else "mean score"
    if len(scores.runs) <= NAMED:
        order = frame["run"].unique(maintain_order=True).to_list()
        x = alt.X("run:N", title=None, sort=order, axis=alt.Axis(labelAngle=-45))
    else:
        domain = alt.Scale(domain=[1, len(scores.runs)], nice=False)
        x = alt.X("place:Q", title=f"systems, in order of {names[0]}", scale=domain)
    base = alt.Chart(rows(frame))
    dots = alt.OverlayMarkDef(color=COLOURS[0]) if alone else True
    point = dots if len(scores.runs) <= NAMED else False
    line = base.mark_line(strokeWidth=1.6, point=point, color=COLOURS[0]).encode(
        x, alt.Y("value:Q", title=mean), *told_apart, tooltip=["run:N", "value:Q"]
    )
    if scores.unjudged is None:
        return alt.layer(line).properties(width=WIDE, height=HEIGHT)
    ranges = bands(frame.drop_nulls("low"), x, (alt.Y("low:Q"), "high"), names)
    about = f"areas: bounds if {assumed(scores.unjudged)}"
    title = alt.Title(about, anchor="start", fontSize=11, fontWeight="normal")
    return alt.layer(*ranges, line).properties(title=title, width=WIDE, height=HEIGHT)


def placed(scores: "Scores") -> "pl.DataFrame":
    """The means with the place that each run has by the first metric, from 1."""
    order = scores.pivot().select("run").with_row_index("place", offset=1)
    ends = [name for name in ("low", "high") if getattr(scores, name) is not None]
    means = scores.mean().select("run", "metric", "value", *ends)
    return means.join(order, on="run").sort("metric", "place", maintain_order=True)
