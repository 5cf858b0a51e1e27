"""Charts of predictions: expected scores with ranges, and probabilities that a run is better."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.charts.drawing import (
    INK,
    ROW,
    WHISKER,
    alt,
    are_informative,
    below,
    pair_axes,
    paragraph,
    rows,
    run_axis,
    score_title,
)
from rankwise.colours import RUN
from rankwise.lazy import pl
from rankwise.metrics import Metric
from rankwise.probable import HELD, PAIRS_HELD, Prediction

PANEL = 220
# An estimate is never 0 or 100 %.
PERCENT = (
    "datum.better < 0.005 ? '<1' : datum.better > 0.995 ? '>99' : format(100 * datum.better, '.0f')"
)
# Orange is lighter than blue, also in a grey print. A number on orange is dark, on blue white.
WORSE_TO_BETTER = ["#e08214", "#f2f2f2", "#08519c"]
MOST_NUMBERED = 12  # largest number of runs with numbers in the cells


def probable_means(prediction: Prediction) -> Any:
    """Draw the expected mean of each run with the range of probable means: one panel per metric.

    Runs are sorted by the first metric, best first. The tick is the mean under the current
    judgments. Thin lines are bounds, unless they are too wide. Better is further to the right.
    """
    metrics = prediction.scores.metrics
    sign = metrics[0].sign
    order = [prediction.scores.runs[place] for place in np.argsort(-sign * prediction.expected[0])]
    totals = prediction.scores.totals
    frame = prediction.frame.with_columns(
        pl.Series("low", totals["low"].ravel(), nan_to_null=True),
        pl.Series("high", totals["high"].ravel(), nan_to_null=True),
    )
    panels = [
        _mean_panel(frame.filter(metric=str(metric)), metric, order, names=not place)
        for place, metric in enumerate(metrics)
    ]
    about = [
        "Dots and lines: expected score and its range. Ticks: score by the current judgments.",
        "Thin lines: bounds, unless they are too wide to draw.",
        f"The prediction considers only the first {prediction.top} documents of these runs.",
        *paragraph(f"Such ranges {HELD}."),
    ]
    title = alt.Title(f"Prediction for a pool of depth {prediction.top}", subtitle=about)
    return alt.hconcat(*panels, spacing=12).properties(title=title)


def _mean_panel(frame: pl.DataFrame, metric: Metric, order: list[str], *, names: bool) -> Any:
    scale = alt.Scale(zero=False, nice=True, reverse=metric.less_is_better)
    base = alt.Chart(rows(frame.drop("metric"))).encode(run_axis(order, names=names))
    whiskers = base.mark_rule(strokeWidth=0.8, color=WHISKER)
    line = base.mark_rule(strokeWidth=3, opacity=0.6, color=RUN)
    tick = base.mark_tick(thickness=1.5, color=INK, height=ROW * 0.6)
    dot = base.mark_point(filled=True, size=36, opacity=1, color=INK)
    x = alt.X("expected:Q", title=score_title(metric), scale=scale, axis=alt.Axis(tickCount=4))
    told = ["run:N", "value:Q", "expected:Q", "probable_low:Q", "probable_high:Q"]
    ends = frame.select("low", "high").rows()
    bounds = whiskers.encode(alt.X("low:Q", scale=scale), alt.X2("high:Q"))
    return alt.layer(
        *([bounds] if are_informative(metric, ends) else []),
        line.encode(alt.X("probable_low:Q", scale=scale), alt.X2("probable_high:Q")),
        tick.encode(alt.X("value:Q", scale=scale)),
        dot.encode(x, tooltip=told),
    ).properties(width=PANEL, height=alt.Step(ROW))


def probable_pairs(prediction: Prediction) -> Any:
    """Draw the probability that a row's run is better than a column's run, on these topics.

    There is one panel per metric, with the runs sorted by expected mean. A cell is blue if the run
    of the row is probably better, orange if it is probably worse, and pale if neither is likely.
    With at most `MOST_NUMBERED` runs, cells also have the probability in percent.
    """
    pairs = prediction.pairs()
    places = range(len(prediction.scores.metrics))
    chart = below(_pair_panel(prediction, place, pairs) for place in places)
    return chart.configure_view(stroke=None)


def _pair_panel(prediction: Prediction, place: int, pairs: pl.DataFrame) -> Any:
    metric = prediction.scores.metrics[place]
    best = np.argsort(-metric.sign * prediction.expected[place])
    order = [prediction.scores.runs[run] for run in best]
    mine = pairs.filter(metric=str(metric)).select("a", "b", "better")
    turned = mine.select(a="b", b="a", better=1 - pl.col("better"))
    cells = pl.concat([mine, turned]).rename({"a": "row", "b": "column"})
    x, y, side = pair_axes(order)
    bottom = {"orient": "bottom", "gradientLength": 100, "gradientThickness": 8, "titleLimit": 0}
    words = ["probability that the row", "is better than the column"]
    legend = alt.Legend(title=words, format="%", tickCount=2, **bottom)
    colour = alt.Scale(domain=[0, 0.5, 1], range=WORSE_TO_BETTER)
    about = [
        f"Prediction for the first {prediction.top} documents of these runs, on these topics.",
        *paragraph(f"{PAIRS_HELD[0].upper()}{PAIRS_HELD[1:]}."),
    ]
    tooltip = ["row:N", "column:N", alt.Tooltip("better:Q", format=".3f")]
    squares = alt.Chart(rows(cells)).mark_rect(stroke="white", strokeWidth=0.5)
    drawn = squares.encode(
        x, y, alt.Color("better:Q", scale=colour, legend=legend), tooltip=tooltip
    )
    layers = [drawn]
    if len(order) <= MOST_NUMBERED:
        about.append("Numbers: percent.")
        pale = alt.condition("datum.better < 0.8", alt.value(INK), alt.value("white"))
        percent = squares.transform_calculate(percent=PERCENT)
        layers.append(percent.mark_text().encode(x, y, text="percent:N", color=pale))
    title = alt.Title(metric.as_printed, subtitle=about)
    return alt.layer(*layers).properties(width=alt.Step(side), height=alt.Step(side), title=title)
