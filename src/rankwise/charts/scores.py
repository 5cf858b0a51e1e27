"""Charts of scores: means with intervals, topics by runs, recall and precision, bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.charts.drawing import (
    HEIGHT,
    INK,
    LINE,
    ROW,
    SHAPES,
    WHISKER,
    WIDTH,
    alt,
    are_informative,
    bands,
    in_turn,
    one_below_the_other,
    paragraph,
    rows,
    run_axis,
    score_title,
    series,
)
from rankwise.colours import COLOURS, RUN, run_colours
from rankwise.lazy import pl
from rankwise.metrics import Metric
from rankwise.scores import ALL, Confidence, Scores, confidence

WIDE = 2 * WIDTH
CELL = 15  # pixels per topic, with its name
PANEL = 220
TICKS = [0.0, 0.1, 0.3, 0.6, 1.0]
NAMED_LINES = 8  # curves that colours and dashes can distinguish


def scores_chart(scores: Scores, *, by_topic: bool = False) -> Any:
    """Draw the scores by topic, a curve for metrics at several recall levels, or else means."""
    curve = len(scores.metrics) > 1 and all(metric.at == "recall" for metric in scores.metrics)
    if not (by_topic or curve):
        return means_with_intervals(confidence(scores))
    drawn = topics_by_runs if by_topic else recall_precision
    if not scores.groups:
        return drawn(scores)
    parts = scores.by_group if by_topic else {ALL: scores, **scores.by_group}
    return one_below_the_other(
        {name: (len(part.topics), drawn(part)) for name, part in parts.items()}
    )


def means_with_intervals(intervals: Confidence) -> Any:
    """Draw the mean of each run, best first by the first metric: one panel per metric.

    Thick lines are confidence intervals over topics. Thin lines with ends are bounds for unjudged
    documents. The bounds of a metric are omitted if more than a tenth of them are wider than half
    of the metric's range. Better is further to the right. The confidence interval of each run's
    rank, if requested, is at the right edge. With topic groups, the panels of all topics are above
    those of the groups, with the runs in the same order.
    """
    scores = intervals.scores
    order = [scores.runs[place] for place in scores.best_first]
    totals = "Sums" if scores.added.all() else "Means"
    text = f"{totals} over {len(scores.topics)} topics"
    title = alt.Title(text, subtitle=_about_intervals(intervals))
    if not scores.groups:
        return _panels(intervals.frame, scores.metrics, order).properties(title=title)
    groups = {
        name: (len(part.topics), _panels(intervals.frame.filter(group=name), scores.metrics, order))
        for name, part in {ALL: scores, **scores.by_group}.items()
    }
    return one_below_the_other(groups).properties(title=title)


def _panels(frame: pl.DataFrame, metrics: Sequence[Metric], order: list[str]) -> Any:
    """Draw one panel per metric, side by side; the first names the runs."""
    panels = [
        _mean_panel(frame.filter(metric=str(metric)), metric, order, names=not place)
        for place, metric in enumerate(metrics)
    ]
    return alt.hconcat(*panels, spacing=12)


def _mean_panel(frame: pl.DataFrame, metric: Metric, order: list[str], *, names: bool) -> Any:
    y = run_axis(order, names=names)
    scale = alt.Scale(zero=False, nice=True, reverse=metric.less_is_better)
    x = alt.X("value:Q", title=score_title(metric), scale=scale, axis=alt.Axis(tickCount=4))
    base = alt.Chart(rows(frame)).encode(y)
    layers = []
    if _has_drawn_bounds(frame, metric):
        whiskers = base.mark_rule(strokeWidth=0.8, color=WHISKER)
        layers.append(whiskers.encode(alt.X("low:Q", scale=scale), alt.X2("high:Q")))
        for end in ("low", "high"):
            tick = base.mark_tick(color=WHISKER, thickness=0.8, height=ROW * 0.5)
            layers.append(tick.encode(alt.X(f"{end}:Q", scale=scale)))
    rules = base.mark_rule(strokeWidth=3, opacity=0.6, color=RUN)
    layers.append(rules.encode(alt.X("conf_low:Q", scale=scale), alt.X2("conf_high:Q")))
    dots = base.mark_point(filled=True, size=36, opacity=1, color=INK)
    layers.append(dots.encode(x, tooltip=["run:N", "value:Q"]))
    if _has_ranks(frame):
        layers.append(_rank_labels(frame, y))
    return alt.layer(*layers).properties(width=PANEL, height=alt.Step(ROW))


def _has_ranks(frame: pl.DataFrame) -> bool:
    return "lowest_rank" in frame.columns and bool(frame["lowest_rank"].count())


def _rank_labels(frame: pl.DataFrame, y: Any) -> Any:
    """Write the confidence interval of each run's rank at the right edge of its line."""
    spans = frame.drop_nulls("lowest_rank").select("run", "lowest_rank", "highest_rank").rows()
    labels = [
        {"run": run, "ranks": f"{low}" if low == high else f"{low}–{high}"}
        for run, low, high in spans
    ]
    text = alt.Chart(alt.Data(values=labels)).mark_text(align="left", dx=5, color=INK)
    return text.encode(y, x=alt.value(PANEL), text="ranks:N")


def _has_drawn_bounds(frame: pl.DataFrame, metric: Metric) -> bool:
    return "low" in frame.columns and are_informative(metric, frame.select("low", "high").rows())


def _about_intervals(intervals: Confidence) -> list[str]:
    parts, level = [], f"{100 * intervals.level:g} %"
    if intervals.frame["conf_low"].count():
        parts.append(f"Lines: {level} confidence intervals ({intervals.interval}).")
    if _has_ranks(intervals.frame):
        parts.append(f"Right: {level} simultaneous confidence intervals of ranks.")
    if intervals.scores.unjudged is None:
        return parts
    metrics = intervals.scores.metrics
    wide = [m for m in metrics if not _has_drawn_bounds(intervals.frame.filter(metric=str(m)), m)]
    if len(wide) < len(metrics):
        room = LINE if len(metrics) > 1 else LINE // 2  # characters
        parts += paragraph(f"Thin lines: bounds if {intervals.scores.assumption}.", room)
    names = ", ".join(metric.as_printed for metric in wide)
    return [*parts, f"Bounds are too wide to draw: {names}."] if wide else parts


def topics_by_runs(scores: Scores) -> Any:
    """Draw the score of each run (rows, best first) on each topic (columns, easiest first).

    Dark is better, on a square-root scale, which shows the hard topics. A cell is empty if the
    metric is undefined.
    """
    order = [scores.runs[place] for place in scores.best_first]
    panels = [_topic_panel(scores[metric], order) for metric in scores.metrics]
    return alt.vconcat(*panels).resolve_scale(color="independent")


def _topic_panel(scores: Scores, order: list[str]) -> Any:
    metric = scores.metrics[0]
    with np.errstate(invalid="ignore"):
        counts = np.maximum(scores.defined[0].sum(axis=0), 1)
        ease = metric.sign * np.where(scores.defined[0], scores.value[0], 0).sum(axis=0) / counts
    topics = [scores.topics[place] for place in np.argsort(-ease, kind="stable")]
    cells = scores.frame.drop_nulls("value").select("run", "topic", "value")
    labels = {"ticks": False, "domain": False}
    upright = {"labelAngle": -90, "labelOverlap": True, "labelSeparation": 0}
    columns = alt.Axis(title="topic, easiest first", **upright, **labels)
    rows_axis = alt.Axis(title=None, labelOverlap=False, **labels)
    # By default, the legend of a square-root scale would have labels only at its ends.
    least, most = min(cells["value"], default=0.0), max(cells["value"], default=0.0)
    shown = [tick for tick in TICKS if least <= tick <= most]
    ticks = {"values": shown} if most <= TICKS[-1] else {}
    legend = alt.Legend(title=None, orient="top", gradientLength=160, gradientThickness=8, **ticks)
    colour = alt.Scale(type="sqrt", scheme="blues", reverse=metric.less_is_better)
    return (
        alt.Chart(rows(cells))
        .mark_rect()
        .encode(
            alt.X("topic:N", sort=topics, scale=alt.Scale(domain=topics), axis=columns),
            alt.Y("run:N", sort=order, scale=alt.Scale(domain=order), axis=rows_axis),
            alt.Color("value:Q", scale=colour, legend=legend),
            tooltip=["run:N", "topic:N", "value:Q"],
        )
        .properties(
            width=min(CELL * len(topics), 3 * WIDTH),
            height=alt.Step(ROW),
            title=score_title(metric),
        )
    )


def recall_precision(scores: Scores) -> Any:
    """Draw interpolated precision at levels of recall, averaged over topics: one line per run.

    See Moffat and Zobel (2008), Section 2. With more than `NAMED_LINES` runs, the run with the
    highest mean over levels is highlighted, and other runs are pale.
    """
    recall = {str(metric): float(metric.value_of("recall") or 0) for metric in scores.metrics}
    frame = scores.mean().select(
        "run", pl.col("metric").replace_strict(recall).alias("recall"), "value"
    )
    means = frame.group_by("run", maintain_order=True).agg(pl.col("value").mean())
    order = means.sort("value", descending=True, nulls_last=True)["run"].to_list()
    colours = run_colours(scores.runs)
    unit = alt.Scale(domain=[0, 1])
    x = alt.X("recall:Q", title="recall", scale=unit)
    y = alt.Y("value:Q", title="interpolated precision", scale=unit)
    layers = []
    if len(order) <= NAMED_LINES:
        lines = alt.Chart(rows(frame)).mark_line(strokeWidth=1.6, point={"size": 18})
        layers.append(
            lines.encode(x, y, *series(order, "run", colours), tooltip=["run:N", "value:Q"])
        )
    else:
        pale = alt.Chart(rows(frame.filter(pl.col("run") != order[0])))
        lines = pale.mark_line(strokeWidth=0.8, color="#999999", opacity=0.6)
        layers.append(lines.encode(x, y, detail="run:N", tooltip=["run:N", "value:Q"]))
        best = alt.Chart(rows(frame.filter(run=order[0])))
        best = best.mark_line(strokeWidth=2, point={"size": 24})
        layers.append(best.encode(x, y, *series(order[:1], "run", {order[0]: RUN})))
    many = f"; the best of {len(order)} runs is highlighted" if len(order) > NAMED_LINES else ""
    title = f"Means over {len(scores.topics)} topics{many}"
    return alt.layer(*layers).properties(title=title, width=WIDTH, height=WIDTH)


def system_scores(scores: Scores) -> Any:
    """Draw the mean score of each system by each metric; the first metric sorts the systems.

    Each metric has its own symbol. Where the points of a metric rise from left to right, it ranks
    systems differently from the first metric. See Figures 2 to 4 of Ahlgren and Grönqvist (2007).
    """
    names = [str(metric) for metric in scores.metrics]
    legend = alt.Legend(title=None, orient="top", columns=4, symbolSize=50)
    colour = alt.Scale(domain=names, range=in_turn(COLOURS, names))
    x = alt.X(
        "place:Q",
        title=f"systems, sorted by {names[0]}",
        scale=alt.Scale(domain=[0, len(scores.runs) + 1], nice=False),
        axis=alt.Axis(tickMinStep=1),
    )
    told_apart = (
        alt.Color("metric:N", scale=colour, sort=names, legend=legend),
        alt.Shape(
            "metric:N", scale=alt.Scale(domain=names, range=in_turn(SHAPES, names)), legend=legend
        ),
    )
    alone = len(names) == 1  # one metric needs no legend; the axis names it
    y = alt.Y("value:Q", title=f"Mean {names[0]}" if alone else "mean score")
    points = alt.Chart(rows(placed(scores))).mark_point(size=18, opacity=0.9, color=COLOURS[0])
    drawn = points.encode(
        x, y, *(() if alone else told_apart), tooltip=["run:N", "metric:N", "value:Q"]
    )
    return drawn.properties(width=WIDE, height=HEIGHT)


def placed(scores: Scores) -> pl.DataFrame:
    """Return the mean of each run by each metric, and the rank (`place`) by the first metric."""
    order = scores.pivot().select("run").with_row_index("place", offset=1)
    ends = [name for name in ("low", "high") if getattr(scores, name) is not None]
    means = scores.mean().select("run", "metric", "value", *ends)
    return means.join(order, on="run").sort("metric", "place", maintain_order=True)


def bounds_by_depth(frame: pl.DataFrame) -> Any:
    """Draw the bounds of a run's score against evaluation depth, as one band per metric.

    There is one panel per pool. `frame` has the columns run, pool, metric, depth, low and high, for
    one run.
    """
    names = frame["metric"].unique(maintain_order=True).to_list()

    def panel(pool: str) -> Any:
        x = alt.X("depth:Q", title="depth of the ranking", scale=alt.Scale(type="log", nice=False))
        here = frame.filter(pool=pool).drop("run", "pool")
        low = alt.Y("low:Q", title="mean RBP", scale=alt.Scale(domain=[0, 1]))
        line = alt.Chart(rows(here)).mark_line(strokeWidth=1.2)
        lines = (line.encode(x, end, *series(names)) for end in (low, alt.Y("high:Q")))
        drawn = alt.layer(*bands(here, x, (low, "high"), names), *lines)
        return drawn.properties(title=f"{frame['run'][0]}, {pool}", width=WIDTH, height=HEIGHT)

    pools = frame["pool"].unique(maintain_order=True)
    return alt.vconcat(*(panel(pool) for pool in pools))


def bounds_by_persistence(frame: pl.DataFrame) -> Any:
    """Draw, against p, the bounds of RBP with a shallow pool and the score with a deep pool.

    `frame` has the columns run, p, low and high (shallow pool), and value (deep pool).
    """
    names = frame["run"].unique(maintain_order=True).to_list()
    x = alt.X("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    low = alt.Y("low:Q", title="mean RBP", scale=alt.Scale(domain=[0, 1]))
    ranges = bands(frame, x, (low, "high"), names, by="run", edges=True, fixed=run_colours(names))
    line = alt.Chart(rows(frame, ["run", "p", "value"])).mark_line(strokeWidth=2)
    line = line.encode(x, alt.Y("value:Q"), *series(names, "run", run_colours(names)))
    return alt.layer(*ranges, line).properties(width=WIDTH, height=HEIGHT)
