"""Charts of the agreement of judges: confusion matrix, differences of grades, scores of runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.agreement import Agreement
from rankwise.charts.drawing import HEIGHT, INK, PALE, SHAPES, WIDTH, alt, in_turn, rows
from rankwise.colours import COLOURS
from rankwise.lazy import pl
from rankwise.metrics import as_printed

CELL = 44


def confusion_matrix(agreement: Agreement) -> Any:
    """Draw the number of documents for each pair of grades; colour is the fraction of the row.

    With more than two judges, the chart is about the first two.
    """
    frame = agreement.view("confusion")
    first, second = frame.row(0)[:2]
    frame = frame.filter(first=first, second=second)
    share = pl.col("documents") / pl.col("documents").sum().over("first_grade")
    cells = frame.with_columns(
        share=share.fill_nan(0.0),
        row=_texts(frame["first_grade"]),
        column=_texts(frame["second_grade"]),
        shown=pl.Series([f"{count:,}" for count in frame["documents"]]),
    )
    names = list(dict.fromkeys(cells["row"]))
    axis = {"domain": False, "ticks": False, "labelPadding": 6}
    x_axis = alt.Axis(title=f"grade of {second}", labelAngle=0, **axis)
    x = alt.X("column:N", sort=names, axis=x_axis)
    y = alt.Y("row:N", sort=names, axis=alt.Axis(title=f"grade of {first}", **axis))
    base = alt.Chart(rows(cells)).encode(x, y)
    scale = alt.Scale(domain=[0, 1], scheme="blues")
    legend = alt.Legend(format="%", title="fraction of the row")
    squares = base.mark_rect(stroke="#ffffff").encode(
        alt.Color("share:Q", scale=scale, legend=legend)
    )
    numbers = base.mark_text().encode(
        alt.Text("shown:N"),
        color=alt.condition("datum.share > 0.6", alt.value("#ffffff"), alt.value("#222222")),
    )
    side = CELL * len(names)
    total = int(cells["documents"].sum())
    title = alt.Title(f"{total:,} documents judged by both")
    return (squares + numbers).properties(width=max(side, 132), height=max(side, 88), title=title)


def overrating_by_grade(agreement: Agreement) -> Any:
    """Draw the mean difference of grades (second − first judge) for each grade of the first judge.

    With more than two judges, the chart is about the first two.
    """
    frame = agreement.view("grades")
    first, second = frame.select("first", "second").row(0)
    frame = frame.filter(first=first, second=second)
    points = frame.with_columns(grade_text=_texts(frame["grade"]))
    names = points["grade_text"].to_list()
    x = alt.X("grade_text:N", sort=names, axis=alt.Axis(title=f"grade of {first}", labelAngle=0))
    difference = f"mean difference {second} − {first}"
    y = alt.Y("value:Q", title=difference)
    base = alt.Chart(rows(points)).encode(x)
    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=PALE)
    marks = base.mark_point(filled=True, size=60, color=COLOURS[0]).encode(y)
    ends = base.mark_rule(color=COLOURS[0]).encode(
        alt.Y("low:Q", title=difference), alt.Y2("high:Q")
    )
    level = f"{100 * agreement.resampling.confidence:g} %"
    about = f"Lines: {level} confidence intervals over topics."
    title = alt.Title("Difference of grades by grade of the first judge", subtitle=about)
    layers = zero.encode(alt.Y("zero:Q")) + ends + marks
    return layers.properties(width=WIDTH, height=HEIGHT, title=title)


def scores_under_two_judges(agreement: Agreement) -> Any:
    """Draw mean scores of the runs under two judges; colour is the tier under the first judge.

    Runs are sorted by score. A tier ends before the first run that is significantly worse than the
    best run of the tier. With more than two judges, the chart is about the first two.
    """
    charts = []
    pair = agreement.pairs[0]
    first, second = pair.names
    ranks = agreement.view("ranks").filter(first=first, second=second)
    differences = agreement.view("differences").filter(first=first, second=second)
    tau = agreement.view("systems").filter(first=first, second=second, statistic="tau")
    for metric in ranks["metric"].unique(maintain_order=True):
        points = ranks.filter(metric=metric).sort("first_rank", maintain_order=True)
        known = differences.filter(
            (pl.col("metric") == metric) & (pl.col("significant_under") != second)
        )
        points = points.with_columns(tier=pl.Series(_tiers(points["run"].to_list(), known)))
        tiers = list(dict.fromkeys(points["tier"]))
        both = np.concatenate([points["first_score"].to_numpy(), points["second_score"].to_numpy()])
        domain = [float(both.min()), float(both.max())]
        scale = alt.Scale(domain=domain, nice=True, zero=False)
        line = alt.Chart(alt.Data(values=[{"x": end, "y": end} for end in domain]))
        base = alt.Chart(rows(points)).encode(
            alt.X("first_score:Q", scale=scale, title=f"{as_printed(metric)} under {first}"),
            alt.Y("second_score:Q", scale=scale, title=f"under {second}"),
        )
        looks = {"sort": tiers, "title": f"tier under {first}"}
        colours = alt.Scale(domain=tiers, range=in_turn(COLOURS, tiers))
        shapes = alt.Scale(domain=tiers, range=in_turn(SHAPES, tiers))
        dots = base.mark_point(filled=True, size=45, opacity=0.85).encode(
            alt.Color("tier:N", scale=colours, **looks),
            alt.Shape("tier:N", scale=shapes, **looks),
            tooltip=["run:N", "first_score:Q", "second_score:Q", "first_rank:Q", "second_rank:Q"],
        )
        diagonal = line.mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1).encode(
            alt.X("x:Q"), alt.Y("y:Q")
        )
        [value] = tau.filter(metric=metric)["value"].to_list()
        text = f"{len(points)} runs" + ("" if value is None else f", Kendall's tau {value:.2f}")
        tiers_are = ["Runs of a tier are not significantly", "different from its best run."]
        about = [text, *tiers_are]
        title = alt.Title(as_printed(metric), subtitle=about)
        charts.append((diagonal + dots).properties(width=HEIGHT, height=HEIGHT, title=title))
    resolved = {"color": "independent", "shape": "independent"}
    return alt.hconcat(*charts).resolve_scale(**resolved) if charts[1:] else charts[0]


def _tiers(runs: list[str], known: pl.DataFrame) -> list[str]:
    """Return the number of the tier of each run, from "1" on.

    `runs` are sorted, best first. `known` has the pairs of significantly different runs.
    """
    pairs = {frozenset(pair) for pair in known.select("a", "b").rows()}
    tiers, leader, number = [], runs[0], 1
    for run in runs:
        if frozenset((leader, run)) in pairs:
            leader, number = run, number + 1
        tiers.append(str(number))
    return tiers


def _texts(grades: pl.Series) -> pl.Series:
    return pl.Series([f"{grade:g}" for grade in grades], dtype=pl.String)
