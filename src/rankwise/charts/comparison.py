"""The heat map of a comparison: every run against every other, the significant ones dark."""

from typing import TYPE_CHECKING, Any

import polars as pl

from rankwise.charts.drawing import altair
from rankwise.errors import CallError

if TYPE_CHECKING:
    from rankwise.comparison import Comparison
    from rankwise.metrics import Metric

# From light to dark, so that a grey print shows how significant; which of the two is better
# shows there too, by the side of the diagonal.
BETTER = ["#9ecae1", "#3182bd", "#08306b"]
WORSE = ["#fdc28c", "#e6732a", "#7f2704"]
EVEN = "#f2f2f2"
LEAST_CELL, GREATEST_CELL, ROOM = 9, 26, 480


def pair_heat_map(found: "Comparison") -> Any:
    """A panel for each metric that is tested; runs from the best mean down, on both sides.

    A cell says how the run of its row compares with that of its column: blue where it is
    better, orange where it is worse, darker for smaller corrected p (α, α/10, α/100), light
    grey where the difference is not significant, empty where there is none to test.
    """
    alt = altair()
    if not found.tested:
        raise CallError(f"no pair is tested, and so none can be drawn: {', '.join(found.metrics)}.")
    panels = [_panel(found, metric) for metric in found.tested]
    chart = alt.vconcat(*panels) if len(panels) > 1 else panels[0]
    return chart.configure_view(stroke=None)


def _panel(found: "Comparison", metric: "Metric") -> Any:
    alt = altair()
    means = found.scores.mean().filter(pl.col("metric") == str(metric))
    more = not metric.less_is_better
    order = means.sort("value", descending=more, nulls_last=True)["run"].to_list()
    classes = _classes(found.ways.alpha)
    cells = _cells(found, metric, list(classes))
    side = max(LEAST_CELL, min(GREATEST_CELL, ROOM // len(order)))
    font = max(7, min(11, side - 2))
    labels = {"labelFontSize": font, "labelOverlap": False, "ticks": False, "domain": False}
    columns = alt.Axis(title=None, orient="top", labelAngle=-90, labelLimit=200, **labels)
    rows_axis = alt.Axis(title=None, labelLimit=200, **labels)
    colour = alt.Scale(domain=list(classes), range=list(classes.values()))
    legend = alt.Legend(title="row against column", orient="right", symbolType="square")
    shown = ["row", "column", "difference", "corrected_p", "comparison"]
    return (
        alt.Chart(alt.Data(values=cells.to_dicts()))
        .mark_rect(stroke="white", strokeWidth=0.5)
        .encode(
            alt.X("column:N", sort=order, axis=columns, scale=alt.Scale(domain=order)),
            alt.Y("row:N", sort=order, axis=rows_axis, scale=alt.Scale(domain=order)),
            alt.Color("comparison:N", scale=colour, legend=legend),
            tooltip=[alt.Tooltip(f"{name}:{_kind(name)}") for name in shown],
        )
        .properties(
            width=alt.Step(side),
            height=alt.Step(side),
            title=alt.Title(str(metric), subtitle=_subtitle(found), anchor="start"),
        )
    )


def _kind(name: str) -> str:
    return "Q" if name in ("difference", "corrected_p") else "N"


def _subtitle(found: "Comparison") -> list[str]:
    """What the caption says, in short lines."""
    runs = found.caption.partition(". ")[0].partition(" of ")[2]
    test, _, variant = found.ways.test_name.partition(" (")
    lines = [runs, f"two-sided {test}", f"({variant}", found.family, f"α = {found.ways.alpha:g}"]
    return lines if variant else [line for line in lines if line != "("]


def _classes(alpha: float) -> dict[str, str]:
    """The words of the legend and their colours, from surely better to surely worse."""
    levels = [f"p ≤ {alpha / by:g}" for by in (1, 10, 100)]
    better = dict(zip([f"better, {level}" for level in levels], BETTER, strict=True))
    worse = dict(zip([f"worse, {level}" for level in levels], WORSE, strict=True))
    return {**dict(reversed(better.items())), "not significant": EVEN, **worse}


def _cells(found: "Comparison", metric: "Metric", classes: list[str]) -> pl.DataFrame:
    """A row for each run and other run, both ways round."""
    columns = ["a", "b", "difference", "corrected_p"]
    pairs = found.frame.filter(pl.col("metric") == str(metric)).select(columns)
    turned = pairs.select(a="b", b="a", difference=-pl.col("difference"), corrected_p="corrected_p")
    alpha = found.ways.alpha
    steps = pl.sum_horizontal(pl.col("corrected_p") <= alpha / by for by in (1, 10, 100))
    place = pl.when(metric.sign * pl.col("difference") < 0).then(3 + steps).otherwise(3 - steps)
    return (
        pl.concat([pairs, turned])
        .filter(pl.col("corrected_p").is_not_null())
        .with_columns(place=place.cast(pl.UInt32))
        .with_columns(
            comparison=pl.col("place").replace_strict(
                dict(enumerate(classes)), return_dtype=pl.String
            )
        )
        .rename({"a": "row", "b": "column"})
        .drop("place")
    )
