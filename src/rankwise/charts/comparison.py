"""Charts of comparisons: differences by topic, pairs of runs, margins, ranges of parameters."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

from rankwise.charts.drawing import (
    GREATEST_CELL,
    HEIGHT,
    INK,
    WHISKER,
    WIDTH,
    alt,
    are_informative,
    below,
    one_below_the_other,
    pair_axes,
    rows,
)
from rankwise.colours import BASELINE, RUN
from rankwise.comparison import Comparison, Sweep
from rankwise.errors import CallError
from rankwise.lazy import pl
from rankwise.metrics import Metric, as_printed
from rankwise.results import p_of_sentence
from rankwise.scores import ALL

# From light to dark, so that a grey print shows the significance too. All have different lightness.
# Runs are sorted, so cells in which the run of the row is better are above the diagonal.
BETTER = ["#8fbfdc", "#2878b5", "#08306b"]
WORSE = ["#fdd0a2", "#e6732a", "#a63603"]
EVEN = "#f2f2f2"
BAND = "#7a7a7a"
FAINT = 0.6  # opacity of the bars where the baseline is better, to show it in a grey print
BAR = 15  # pixels per topic, with its name
MOST_NAMED = 60  # topics whose names have room
ABREAST = 3  # panels side by side
SMALL, LOW = 200, 110  # size of a panel beside others
TALL = 240
WHITES = ("white", "white")  # colours of the signs on the two darkest colours
HALF = 0.5  # fraction of the topics that must have informative bounds
FOREST, FOREST_ROW = 660, 18  # pixels: its width, and the height of a run
MOST_PANELS = 10  # panels by topic, for the runs that differ most from the baseline


def topic_differences(comparison: Comparison) -> Any:
    """Draw two runs' difference per topic, largest first: one bar per topic, one panel per pair.

    With a baseline and several runs, a forest plot comes first: the mean difference of each run,
    with its confidence interval. Panels of the `MOST_PANELS` largest differences follow.

    The dashed line is the mean, and the band its confidence interval. Thin lines are bounds of each
    difference for unjudged documents, if informative. Upward bars favour the first of the two runs:
    if lower scores are better, the axis is reversed.
    """
    _check_tested(comparison)
    return _by_group(comparison, _all_differences)


def _by_group(comparison: Comparison, drawn: Callable[[Comparison], Any]) -> Any:
    """Draw all topics, and below them each group of topics, if there are groups."""
    parts = {ALL: comparison, **comparison.by_group} if comparison.by_group else {}
    groups = {name: (len(part.scores.topics), drawn(part)) for name, part in parts.items()}
    return one_below_the_other(groups) if groups else drawn(comparison)


def _all_differences(comparison: Comparison) -> Any:
    frame = comparison.by_topic().drop_nulls("difference")
    return below(_of_metric(comparison, metric, frame) for metric in comparison.tested)


def _of_metric(comparison: Comparison, metric: Metric, frame: pl.DataFrame) -> Any:
    pairs = comparison.frame.filter(metric=str(metric)).to_dicts()
    mine = frame.filter(metric=str(metric))
    text, about = _words(comparison, metric, pairs, mine)
    title = alt.Title(text, subtitle=about)
    if len(pairs) == 1:
        return _differences(metric, mine, pairs[0]).properties(title=title)
    largest = sorted(pairs, key=lambda pair: -abs(pair["difference"] or 0))[:MOST_PANELS]
    columns = max(ABREAST, ceil(len(largest) / (1 if len(largest) <= ABREAST + 1 else 2)))
    small = SMALL * ABREAST // columns
    panels = [_differences(metric, mine, pair, small=small) for pair in largest]
    words = (
        "By topic"
        if len(largest) == len(pairs)
        else f"By topic: the {MOST_PANELS} largest differences"
    )
    heading = alt.Title(words, subtitle=f"Dashed: mean; band: {comparison.intervals.label}.")
    by_topic = alt.concat(*panels, columns=columns, title=heading).resolve_scale(y="shared")
    return alt.vconcat(_forest(metric, pairs, comparison.intervals.label), by_topic, title=title)


def _forest(metric: Metric, pairs: list[dict[str, Any]], interval_label: str) -> Any:
    """Draw the mean difference from the baseline of each run, with its confidence interval.

    Better runs are on top. Filled points are significant differences. Thin lines are bounds.
    """
    tested = sorted(pairs, key=lambda pair: -metric.sign * (pair["difference"] or 0))
    columns = ("a", "difference", "conf_low", "conf_high", "low", "high", "significant")
    values = [{name: pair.get(name) for name in columns} for pair in tested]
    order = [pair["a"] for pair in values]
    axis = alt.Axis(ticks=False, domain=False, labelOverlap=False)
    y = alt.Y("a:N", sort=order, title=None, scale=alt.Scale(domain=order), axis=axis)
    about = f"difference in {metric.as_printed}, {interval_label}"
    x = alt.X("difference:Q", title=about, scale=alt.Scale(nice=True))
    base = alt.Chart(alt.Data(values=values)).encode(y)
    layers = []
    if are_informative(metric, [(pair.get("low"), pair.get("high")) for pair in pairs]):
        ends = base.mark_rule(color=WHISKER, strokeWidth=0.8)
        layers.append(ends.encode(alt.X("low:Q", title=about), alt.X2("high:Q")))
    zero = alt.Chart(alt.Data(values=[{"at": 0}])).mark_rule(color=INK, strokeWidth=0.7)
    layers.append(zero.encode(alt.X("at:Q", title=about)))
    interval = base.mark_rule(strokeWidth=3.5, opacity=0.6, strokeCap="round")
    better = f"datum.difference {'<' if metric.less_is_better else '>'} 0"
    colour = alt.condition(better, alt.value(RUN), alt.value(BASELINE))
    ends = (alt.X("conf_low:Q", title=about), alt.X2("conf_high:Q"))
    layers.append(interval.encode(*ends, color=colour))
    fill = alt.condition("datum.significant", alt.value(INK), alt.value("white"))
    points = base.mark_point(shape="circle", size=45, filled=True, stroke=INK, strokeWidth=1)
    tooltip = ["a:N", "difference:Q", "conf_low:Q", "conf_high:Q"]
    layers.append(points.encode(x, fill=fill, opacity=alt.value(1), tooltip=tooltip))
    return alt.layer(*layers).properties(width=FOREST, height=alt.Step(FOREST_ROW))


def _has_drawn_bounds(metric: Metric, frame: pl.DataFrame) -> bool:
    """Return whether to draw the bounds of differences by topic, in columns `low` and `high`."""
    if "low" not in frame.columns:
        return False
    return are_informative(metric, frame.select("low", "high").rows(), share=HALF)


def _words(
    comparison: Comparison, metric: Metric, pairs: list[dict[str, Any]], frame: pl.DataFrame
) -> tuple[str, list[str]]:
    """Return the title of a metric's panels, and the lines of the subtitle."""
    less = ", lower is better" if metric.less_is_better else ""
    about = [f"Dashed: mean; band: {comparison.intervals.label}."] if len(pairs) == 1 else []
    if comparison.topic_bounds and _has_drawn_bounds(metric, frame):
        about.append("Thin lines: bounds for unjudged documents.")
    elif comparison.topic_bounds:
        about.append("Bounds for unjudged documents are too wide to draw.")
    if len(pairs) > 1:
        title = f"{metric.as_printed}: difference from {comparison.options.baseline}{less}"
        return title, ["Filled points: significant differences.", *about]
    [pair] = pairs
    counts = f"wins / ties / losses {pair['wins']} / {pair['ties']} / {pair['losses']}"
    title = f"{metric.as_printed}: {pair['a']} − {pair['b']}{less}"
    return title, [f"{pair['a']}: {counts}; mean {_number(pair)}.", " ".join(about)]


def _number(pair: dict[str, Any]) -> str:
    """Format a mean difference with its corrected p-value."""
    difference = f"{pair['difference']:+.4f}".replace("-", "−")
    return f"{difference}, {p_of_sentence(pair['corrected_p'], 4)}"


def _differences(
    metric: Metric, frame: pl.DataFrame, pair: dict[str, Any], *, small: int = 0
) -> Any:
    """Draw the differences of a pair by topic.

    `small` is the width in pixels of a panel beside others, and 0 for a single panel.
    """
    mine = frame.filter(a=pair["a"], b=pair["b"])
    mine = mine.sort(metric.sign * pl.col("difference"), descending=True, maintain_order=True)
    order = mine["topic"].to_list()
    named = not small and len(order) <= MOST_NAMED
    upright: dict[str, Any] = {"labelAngle": -90, "labelOverlap": True, "labelSeparation": 0}
    labels = upright if named else {"labels": False}
    over = f"{len(order)} topics, sorted by difference"
    axis = alt.Axis(title=None if small else over, ticks=False, domain=False, **labels)
    x = alt.X("topic:N", sort=order, scale=alt.Scale(domain=order), axis=axis)
    scale = alt.Scale(reverse=metric.less_is_better, nice=True)
    beside = alt.Axis(tickCount=4) if small else alt.Axis()
    of_metric = None if small else f"difference in {metric.as_printed}"
    y = alt.Y("difference:Q", title=of_metric, scale=scale, axis=beside)
    base = alt.Chart(rows(mine.drop("metric", "a", "b"))).encode(x)
    layers = _interval(pair, scale)
    up = f"datum.difference {'<' if metric.less_is_better else '>'} 0"
    colour = alt.condition(up, alt.value(RUN), alt.value(BASELINE))
    faint = alt.condition(up, alt.value(1), alt.value(FAINT))
    bars = base.mark_bar(width={"band": 0.6})
    tooltip = ["topic:N", "value_a:Q", "value_b:Q", "difference:Q"]
    layers.append(bars.encode(y, color=colour, opacity=faint, tooltip=tooltip))
    if _has_drawn_bounds(metric, frame):
        whiskers = base.mark_rule(color=WHISKER, strokeWidth=0.8)
        layers.append(whiskers.encode(alt.Y("low:Q", scale=scale), alt.Y2("high:Q")))
    layers += _mean(pair, scale)
    width = small or (BAR * len(order) if named else 2 * WIDTH)
    drawn = alt.layer(*layers).properties(width=width, height=LOW if small else TALL)
    heading = alt.Title(pair["a"], subtitle=_number(pair), fontWeight="normal")
    return drawn.properties(title=heading) if small else drawn


def _interval(pair: dict[str, Any], scale: Any) -> list[Any]:
    """Draw the confidence interval of the mean as a band across all topics."""
    if pair["conf_low"] is None:
        return []
    ends = alt.Chart(alt.Data(values=[{"from": pair["conf_low"], "to": pair["conf_high"]}]))
    band = ends.mark_rect(color=BAND, opacity=0.35)
    return [band.encode(alt.Y("from:Q", scale=scale), alt.Y2("to:Q"))]


def _mean(pair: dict[str, Any], scale: Any) -> list[Any]:
    """Draw horizontal lines at the mean difference and at 0."""
    lines = []
    for value, stroke, dash in ((pair["difference"], 1.8, [5, 3]), (0.0, 0.7, [1, 0])):
        at = alt.Chart(alt.Data(values=[{"at": value}]))
        rule = at.mark_rule(color=INK, strokeWidth=stroke, strokeDash=dash)
        lines.append(rule.encode(alt.Y("at:Q", scale=scale)))
    return lines


def _check_tested(comparison: Comparison) -> None:
    if not comparison.tested:
        metrics = ", ".join(comparison.metrics)
        raise CallError(f"no comparison can be drawn. These metrics are not tested: {metrics}.")


def pair_heat_map(comparison: Comparison) -> Any:
    """Draw a heat map per tested metric, with the runs by decreasing mean on both axes.

    A cell compares the run of its row with the run of its column: blue if better, orange if worse,
    darker for smaller corrected p (α, α/10, α/100). A cell is light grey if the runs are not
    significantly different, and empty without a test.
    """
    _check_tested(comparison)
    drawn = _by_group(comparison, lambda part: below(_pair_panel(part, m) for m in part.tested))
    return drawn.configure_view(stroke=None)


def _pair_panel(comparison: Comparison, metric: Metric) -> Any:
    means = comparison.scores.mean().filter(pl.col("metric") == str(metric))
    more = not metric.less_is_better
    order = means.sort("value", descending=more, nulls_last=True)["run"].to_list()
    classes = _classes(comparison.options.alpha)
    cells = _cells(comparison, metric, list(classes))
    x, y, side = pair_axes(order)
    colour = alt.Scale(domain=list(classes), range=list(classes.values()))
    below = {"orient": "bottom", "columns": 1, "symbolType": "square"}
    signed = side == GREATEST_CELL  # the cells have room for a sign
    legend = alt.Legend(title=_legend_title(signed=signed), **below)
    shown = ["row:N", "column:N", "difference:Q", "corrected_p:Q", "comparison:N"]
    base = alt.Chart(rows(cells)).encode(x, y)
    drawn = base.mark_rect(stroke="white", strokeWidth=min(0.5, 7 / len(order))).encode(
        alt.Color("comparison:N", scale=colour, legend=legend),
        tooltip=[alt.Tooltip(name) for name in shown],
    )
    if signed:
        signs = base.mark_text(fontWeight="bold").encode(
            alt.Text("sign:N"), alt.Color("ink:N", scale=None)
        )
        drawn = alt.layer(drawn, signs)
    title = alt.Title(metric.as_printed, subtitle=_subtitle(comparison))
    return drawn.properties(width=alt.Step(side), height=alt.Step(side), title=title)


def _legend_title(*, signed: bool) -> list[str]:
    """Return the title of the legend, by which the chart can be read in grey too."""
    title = ["row compared with column"]
    return [*title, "(+: better; −: worse)" if signed else "(better above the diagonal)"]


def _subtitle(comparison: Comparison) -> list[str]:
    """Return the lines of the subtitle: runs, test, family of the correction, and alpha."""
    runs = comparison.caption.partition(". ")[0].partition(" of ")[2]
    test, _, variant = comparison.test_name.partition(" (")
    tests = [f"two-sided {test}", *([f"({variant}"] if variant else [])]
    return [runs, *tests, comparison.family, f"α = {comparison.options.alpha:g}"]


def _classes(alpha: float) -> dict[str, str]:
    """Return legend entries and their colours, from better to worse."""
    levels = [f"p ≤ {alpha / by:g}" for by in (1, 10, 100)]
    better = dict(zip([f"better, {level}" for level in levels], BETTER, strict=True))
    worse = dict(zip([f"worse, {level}" for level in levels], WORSE, strict=True))
    return {**dict(reversed(better.items())), "not significant": EVEN, **worse}


def _cells(comparison: Comparison, metric: Metric, classes: list[str]) -> pl.DataFrame:
    """Return the cells: two rows per tested pair, one for each order of the runs."""
    columns = ["a", "b", "difference", "corrected_p", "significant"]
    pairs = comparison.frame.filter(pl.col("metric") == str(metric)).select(columns)
    turned = pairs.with_columns(a="b", b="a", difference=-pl.col("difference"))
    alpha = comparison.options.alpha
    steps = pl.sum_horizontal(
        pl.col("significant") & (pl.col("corrected_p") <= alpha / by) for by in (1, 10, 100)
    )
    place = pl.when(metric.sign * pl.col("difference") < 0).then(3 + steps).otherwise(3 - steps)
    return (
        pl.concat([pairs, turned])
        .filter(pl.col("corrected_p").is_not_null())
        .with_columns(place=place.cast(pl.UInt32))
        .with_columns(
            sign=pl.col("place").replace_strict([*range(7)], [*"+++", "", *"−−−"]),
            ink=pl.col("place").replace_strict([*range(7)], [*WHITES, INK, INK, INK, *WHITES]),
            comparison=pl.col("place").replace_strict(
                dict(enumerate(classes)), return_dtype=pl.String
            ),
        )
        .rename({"a": "row", "b": "column"})
        .drop("place", "significant")
    )


MOST_ROWS = 200  # pairs in a forest plot
MARGIN = "#d9e6d3"
# Outcomes, with a colour and, for print in grey, a shape.
OUTCOMES = {
    "better": (RUN, "triangle-right"),
    "equivalent": ("#3a7d34", "circle"),
    "worse": (BASELINE, "triangle-left"),
    "inconclusive": ("#7a7a7a", "diamond"),
}


def forest_plot(comparison: Comparison) -> Any:
    """Draw each difference of an equivalence test with its intervals, largest first.

    There is one panel per metric. The band is ±margin. The thin line is the confidence interval of
    the table, the thick line the 1 − 2α interval of the equivalence test. Runs are equivalent
    (before correction) if the thick line is within the band. The colour shows the outcome.
    Differences right of 0 favour the first run of a pair: if lower scores are better, the axis is
    reversed.
    """
    return below(_forest_panel(comparison, metric) for metric in comparison.tested)


def _forest_panel(comparison: Comparison, metric: Metric) -> Any:
    margin = comparison.options.margin
    frame = comparison.equivalence().filter(metric=str(metric))
    ends = comparison.frame.select("metric", "a", "b", "conf_low", "conf_high")
    frame = frame.join(ends, on=["metric", "a", "b"], how="left")
    frame = frame.with_columns(pair=pl.format("{} − {}", "a", "b"))
    frame = frame.sort(metric.sign * pl.col("difference"), descending=True, nulls_last=True)
    order = frame["pair"].to_list()
    scale = alt.Scale(reverse=metric.less_is_better, nice=True)
    y = alt.Y("pair:N", sort=order, title=None, scale=alt.Scale(domain=order))
    band = alt.Chart(alt.Data(values=[{"from": -(margin or 0.0), "to": margin}]))
    layers = [
        band.mark_rect(color=MARGIN).encode(alt.X("from:Q", scale=scale, title=None), x2="to:Q"),
        alt.Chart(alt.Data(values=[{"at": 0.0}]))
        .mark_rule(color=INK, strokeWidth=0.7)
        .encode(alt.X("at:Q", scale=scale)),
    ]
    domain = list(OUTCOMES)
    colours, shapes = (list(looks) for looks in zip(*OUTCOMES.values(), strict=True))
    legend = alt.Legend(title=f"margin ±{margin:g}", orient="bottom", columns=len(domain))
    colour = alt.Color("outcome:N", scale=alt.Scale(domain=domain, range=colours), legend=legend)
    shape = alt.Shape("outcome:N", scale=alt.Scale(domain=domain, range=shapes), legend=legend)
    base = alt.Chart(rows(frame.drop("metric"))).encode(y)
    for low, high, width in (("conf_low", "conf_high", 1), ("tost_low", "tost_high", 4)):
        line = base.mark_rule(strokeWidth=width)
        layers.append(line.encode(alt.X(f"{low}:Q", scale=scale), x2=f"{high}:Q", color=colour))
    tooltip = ["pair:N", "difference:Q", "outcome:N", "corrected_p_equivalent:Q"]
    points = base.mark_point(filled=True, size=110, opacity=1)
    x = alt.X("difference:Q", scale=scale, title="difference")
    layers.append(points.encode(x, color=colour, shape=shape, tooltip=tooltip))
    thick = f"{100 * (1 - 2 * comparison.options.alpha):g} % interval of the equivalence test"
    about = [f"Band: ±{margin:g}. Thin: {comparison.intervals.label}; thick: {thick}."]
    return (
        alt.layer(*layers)
        .properties(width=2 * WIDTH, height=alt.Step(16))
        .properties(title=alt.Title(metric.as_printed, subtitle=about))
    )


LINE, SWEEP_BAND = RUN, "#56B4E9"
SWEEP_LOW = 130  # height of a panel beside others
MOST = 30  # panels in one chart


def differences_over_range(sweep: Sweep) -> Any:
    """Draw the difference of two runs by a parameter of the metric, one panel per pair and metric.

    The band is the confidence interval, and thin lines are bounds. Filled points are significant
    differences. Higher points favour the first run: if lower scores are better, the axis is
    reversed.
    """
    pairs = sweep.pairs
    if len(pairs) > MOST:
        what = f"{len(pairs)} pairs of runs are too many to draw over a range"
        raise CallError(f"{what}; at most {MOST} are possible. Give a baseline, or fewer runs.")
    small = len(pairs) > 1
    panels = [_sweep_panel(sweep, pair, small=small) for pair in pairs]
    subtitle = _how_to_read(sweep)
    if not small:
        return panels[0].properties(title=alt.Title(_sweep_title(pairs[0]), subtitle=subtitle))
    title = alt.Title(f"Differences by {sweep.parameter}", subtitle=subtitle)
    return alt.concat(*panels, columns=ABREAST, title=title)


def _sweep_title(pair: pl.DataFrame) -> str:
    metric, a, b = pair.select("metric", "a", "b").row(0)
    return f"{as_printed(metric)}: {a} − {b}"


def _how_to_read(sweep: Sweep) -> list[str]:
    lines = [f"Band: {sweep.comparison.intervals.label}; filled points: significant."]
    ends = "Thin lines: bounds for unjudged documents."
    return [*lines, ends] if sweep.comparison.has_verdicts else lines


def _sweep_panel(sweep: Sweep, pair: pl.DataFrame, *, small: bool) -> Any:
    scale = alt.Scale(reverse=sweep.sign_of(pair) < 0, nice=True)
    axis = alt.Scale(nice=False, zero=False)
    x = alt.X("value:Q", title=sweep.parameter, scale=axis)
    base = alt.Chart(rows(pair)).encode(x)
    band = base.mark_area(color=SWEEP_BAND, opacity=0.45)
    layers = [band.encode(alt.Y("conf_low:Q", scale=scale), alt.Y2("conf_high:Q"))]
    if sweep.comparison.has_verdicts:
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
    size = (SMALL, SWEEP_LOW) if small else (WIDTH, HEIGHT)
    drawn = alt.layer(*layers).properties(width=size[0], height=size[1])
    return drawn.properties(title=alt.Title(_sweep_title(pair))) if small else drawn
