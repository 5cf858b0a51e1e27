"""Charts of experiments on metrics and tests: discriminative power, stability, error rates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rankwise.charts.drawing import HEIGHT, INK, WIDTH, alt, bands, printed, rows, series
from rankwise.colours import COLOURS
from rankwise.experiments import Calibration, MetricChoice, UserModel
from rankwise.experiments.discrimination import COIN, Discrimination
from rankwise.experiments.stability import LeftOut, Stability
from rankwise.lazy import pl
from rankwise.wording import percent

SHOWN_P = 0.15  # largest p-value shown
POINTS = 500  # of a curve; more would only make the file larger
ABREAST = 3  # panels side by side
EVERY_BIN = 3  # every third bin is drawn, because all bins would be too many lines


def discrimination_chart(discrimination: Discrimination) -> Any:
    """Draw the sorted p-values of all pairs of runs or, for swap methods, the swap rates."""
    asked, curve = discrimination.experiment, printed(discrimination.curve)
    if "p" in curve.columns:
        return asl_curves(curve, asked.alpha, asked.method)
    if "fitted" in curve.columns:
        return extrapolation(curve, asked.alpha)
    return swap_curves(curve, asked.alpha, asked.method)


def stacked(charts: Sequence[Any]) -> Any:
    """Stack charts vertically, each with its own legend."""
    resolved = {"color": "independent", "strokeDash": "independent"}
    return alt.vconcat(*charts).resolve_scale(**resolved)


def asl_curves(curve: pl.DataFrame, alpha: Sequence[float], method: str) -> Any:
    """Draw the p-values of all pairs in decreasing order, for each metric (Sakai, SIGIR 2006).

    The further left a curve falls, the more pairs differ significantly by this metric.
    """
    names = curve["metric"].unique(maintain_order=True).to_list()
    step = max(1, curve.height // len(names) // POINTS)
    low = curve.filter(pl.col("p") <= 2 * SHOWN_P).filter(pl.col("pair") % step == 0)
    colour, dash = series(names)
    lines = (
        alt.Chart(rows(low, ["metric", "pair", "p"]))
        .mark_line(clip=True, strokeWidth=1.8)
        .encode(
            alt.X(
                "pair:Q", title="pairs of systems, sorted by p-value", scale=alt.Scale(zero=True)
            ),
            alt.Y("p:Q", title="p-value", scale=alt.Scale(domain=[0, SHOWN_P], nice=False)),
            colour,
            dash,
        )
    )
    return _framed(alt.layer(lines, _levels(alpha)), f"p-values of all pairs ({method})")


def swap_curves(curve: pl.DataFrame, alpha: Sequence[float], method: str) -> Any:
    """Draw the swap rate in each bin of differences, for each metric."""
    sizes = curve["topics"].unique(maintain_order=True).to_list()
    if len(sizes) > 1:  # one line per metric and number of topics
        named = pl.format("{}, {} topics", "metric", "topics")
        curve = curve.with_columns(named.alias("metric"))
    names = curve["metric"].unique(maintain_order=True).to_list()
    colour, dash = series(names)
    lines = (
        alt.Chart(rows(curve.drop_nulls("rate"), ["metric", "difference", "rate"]))
        .mark_line(strokeWidth=1.8)
        .encode(
            alt.X("difference:Q", title="difference on the first topic set (start of bin)"),
            alt.Y("rate:Q", title="swap rate"),
            colour,
            dash,
        )
    )
    topics = " and ".join(map(str, sizes))
    return _framed(
        alt.layer(lines, _levels(alpha)), f"{method}: swap rates, {topics} topics per set"
    )


def extrapolation(curve: pl.DataFrame, alpha: Sequence[float]) -> Any:
    """Draw swap rates by number of topics: measured (points), fitted and extrapolated (lines).

    There is one panel per metric, and one line for every third bin of differences, as in Voorhees
    and Buckley (SIGIR 2002).
    """
    bins = curve["difference"].unique().sort().gather_every(EVERY_BIN)
    shown = curve.filter(pl.col("difference").is_in(bins.to_list()))
    colour = alt.Color(
        "difference:O", title="difference", scale=alt.Scale(scheme="viridis"), sort="ascending"
    )
    topics = alt.X("topics:Q", title="topics per set", scale=alt.Scale(zero=True))
    rate = alt.Y("rate:Q", title="swap rate", scale=alt.Scale(domain=[0, COIN]))

    def panel(metric: str) -> Any:
        part = shown.filter(pl.col("metric") == metric)
        measured = part.drop_nulls("rate").select("topics", "rate", "difference")
        lines = alt.Chart(rows(_fitted(part))).mark_line(clip=True)
        points = alt.Chart(rows(measured)).mark_point(filled=True, size=25, clip=True)
        layers = [drawn.encode(topics, rate, colour) for drawn in (lines, points)]
        return _framed(alt.layer(*layers, _levels(alpha)), metric)

    names = shown["metric"].unique(maintain_order=True).to_list()
    return alt.concat(*(panel(name) for name in names), columns=ABREAST)


def _fitted(curve: pl.DataFrame) -> pl.DataFrame:
    """Return the fitted rate of each bin of one metric at every number of topics."""
    sizes = pl.int_range(pl.col("topics").min(), pl.col("topics").max() + 1)
    fits = curve.drop_nulls("slope").group_by("difference", "intercept", "slope")
    spread = fits.agg(sizes.alias("topics")).explode("topics")
    rate = (pl.col("intercept") + pl.col("slope") * pl.col("topics")).exp()
    return spread.select("topics", "difference", rate=rate.clip(upper_bound=COIN))


def _levels(alpha: Sequence[float]) -> Any:
    given = alt.Data(values=[{"level": level} for level in alpha])
    return alt.Chart(given).mark_rule(color="#999999", strokeDash=[3, 3]).encode(alt.Y("level:Q"))


def _framed(chart: Any, title: str) -> Any:
    return chart.properties(width=WIDTH, height=HEIGHT, title=title)


def power_bars(frame: pl.DataFrame, column: str, title: str) -> Any:
    """Draw a column of `frame` with one bar per metric, largest first (Sakai 2007, Figure 9)."""
    order = frame.sort(column, descending=True, nulls_last=True)["metric"].to_list()
    base = alt.Chart(rows(frame, ["metric", column])).encode(
        alt.X(f"{column}:Q", title=title), alt.Y("metric:N", title=None, sort=order)
    )
    bars = base.mark_bar(color=COLOURS[0], height={"band": 0.7})
    numbers = base.mark_text(align="left", dx=4, color="#000000").encode(
        text=alt.Text(f"{column}:Q", format=".1f")
    )
    room = 50  # for the names
    return alt.layer(bars, numbers).properties(width=WIDTH - room, height={"step": 22})


SIDE = 200
NAMED = 3  # largest number of runs named in a panel
OUTLYING = 5  # a named run is this many times as far from the median change as the median run is


def stability_curves(stability: Stability) -> Any:
    """Draw mean scores, and Kendall's tau with the system ranking under all judgments.

    The horizontal axis is the pool depth or the fraction of the judgments. There is one line per
    metric. See Figures 5 to 8 of Ahlgren and Grönqvist (2007). The shaded area is one standard
    deviation over samples on either side or, for scores with bounds, the range between the bounds.
    """
    title = f"Stability with fewer judgments: {len(stability.runs)} runs"
    if stability.repeats > 1:
        title += f", {stability.repeats} samples per level; shaded: ± one standard deviation"
    if stability.low is not None:
        title += "; shaded around scores: bounds"
    both = alt.concat(score_curves(stability), order_curves(stability), columns=2)
    return both.properties(title=alt.Title(title, anchor="start"))


def score_curves(stability: Stability) -> Any:
    """Draw the mean score over runs against the pool depth or the fraction of judgments kept."""
    return _curves(stability, "value", "mean score", edges=stability.low is not None)


def order_curves(stability: Stability) -> Any:
    """Draw Kendall's tau between the system rankings under fewer and under all judgments.

    The horizontal axis is the pool depth or the fraction of the judgments.
    """
    return _curves(stability, "tau", "Kendall's tau with all judgments")


def _with_bands(stability: Stability) -> pl.DataFrame:
    frame = stability.frame
    if stability.level == "depth":  # all judgments together have no depth
        frame = frame.filter(pl.col("depth").is_not_null())
    zero = pl.lit(0.0)
    sd, tau_sd = (pl.col("sd"), pl.col("tau sd")) if stability.repeats > 1 else (zero, zero)
    bounded = stability.low is not None
    return frame.with_columns(
        pl.col("low" if bounded else "value").sub(zero if bounded else sd).alias("value from"),
        pl.col("high" if bounded else "value").add(zero if bounded else sd).alias("value to"),
        (pl.col("tau") - tau_sd).alias("tau from"),
        pl.min_horizontal(pl.col("tau") + tau_sd, 1.0).alias("tau to"),
    )


def _level_axis(stability: Stability) -> Any:
    if stability.level == "depth":
        return alt.X("depth:Q", title="pool depth", scale=alt.Scale(type="log", nice=False))
    axis = alt.Axis(format="%")
    # All judgments are on the left and few on the right, as in the paper.
    scale = alt.Scale(domain=[0, 1], reverse=True)
    return alt.X("keep:Q", title="judgments kept", axis=axis, scale=scale)


def _curves(stability: Stability, column: str, title: str, *, edges: bool = False) -> Any:
    x, level = _level_axis(stability), stability.level
    names = [metric.as_printed for metric in stability.metrics]
    columns = ["metric", level, column, f"{column} from", f"{column} to"]
    frame = printed(_with_bands(stability)).drop_nulls(column)
    scale = alt.Scale(zero=column == "value", nice=True)
    if column == "tau" and frame["tau from"].min() == 1:  # a constant would have a single tick
        scale = alt.Scale(domain=[0.9, 1.0])
    ends = alt.Y(f"{column} from:Q", title=title, scale=scale), f"{column} to"
    layers = bands(frame.select(columns), x, ends, names, edges=edges)
    lines = alt.Chart(rows(frame, columns)).mark_line(strokeWidth=1.8)
    layers.append(lines.encode(x, alt.Y(f"{column}:Q"), *series(names)))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def scores_by_run(stability: Stability) -> Any:
    """Draw each run's mean score under all judgments against its score under fewer judgments.

    Points below the diagonal are runs whose score falls when more documents are judged, as in
    Figures 2 and 4 of Moffat and Zobel (2008). The title of a panel has Kendall's tau between the
    two system rankings.
    """
    frame = printed(stability.by_run())
    level = pl.col(stability.level)
    last = level.is_null() if stability.level == "depth" else level == 1.0
    full = frame.filter(last).select("metric", "run", pl.col("value").alias("all"))
    shown = frame.filter(~last).with_row_index("row").join(full, on=["metric", "run"])

    def label(value: float) -> str:
        of_sample = stability.level == "keep"
        return f"{percent(value)} of judgments" if of_sample else f"pool depth {value:g}"

    tau = pl.col("tau").fill_nan(None).map_elements("{:.3f}".format, pl.String)
    taus = printed(stability.frame).select("metric", stability.level, "tau")
    shown = shown.join(taus, on=["metric", stability.level]).sort("row").drop("row")
    shown = shown.with_columns(
        level.map_elements(label, pl.String).alias("level"),
        pl.coalesce(pl.format("{}, tau = {}", "metric", tau), "metric").alias("title"),
    )
    return _against(shown, "value", "all", "score with all judgments")


def scores_without_group(left_out: LeftOut) -> Any:
    """Draw each run's mean score without the judgments of its group against that with all."""
    columns = pl.lit("all judgments").alias("level"), pl.col("metric").alias("title")
    frame = printed(left_out.frame).with_columns(*columns)
    return _against(frame, "value", "without", "score without its group's judgments")


def _far_from_the_line(part: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """Return up to `NAMED` runs whose change from x to y is far from the median change."""
    change = pl.col(y) - pl.col(x)
    apart = (change - change.median()).abs()
    far = part.with_columns(apart=apart).filter(pl.col("apart") > OUTLYING * apart.median())
    return far.sort("apart", descending=True).head(NAMED).drop("apart")


def _against(frame: pl.DataFrame, x: str, y: str, other: str) -> Any:
    """Draw the scores `y` against the scores `x` of each run, in one panel per metric and level.

    `frame` has the columns metric, level, title (of the panel), run, and those named `x` and `y`.
    `other` is the title of the y axis. The dashed line is x = y.
    """
    levels = frame["level"].unique(maintain_order=True).to_list()
    metrics = frame["metric"].unique(maintain_order=True).to_list()

    def panel(metric: str, level: str) -> Any:
        part = frame.filter(metric=metric, level=level).drop_nulls([x, y])
        title = part["title"][0] if part.height else metric
        greatest: Any = max(part[x].max() or 0, part[y].max() or 0) or 1
        domain = alt.Scale(domain=[0, greatest], nice=False)
        points = (
            alt.Chart(rows(part, ["run", x, y]))
            .mark_point(filled=True, size=22, opacity=0.7, color=COLOURS[0])
            .encode(
                alt.X(f"{x}:Q", title=f"score with {level}", scale=domain),
                alt.Y(f"{y}:Q", title=other, scale=domain),
                tooltip=["run:N", f"{x}:Q", f"{y}:Q"],
            )
        )
        same = alt.Chart(alt.Data(values=[{x: 0, y: 0}, {x: greatest, y: greatest}]))
        line = same.mark_line(strokeDash=[2, 2], strokeWidth=1, color="#999999").encode(
            alt.X(f"{x}:Q"), alt.Y(f"{y}:Q")
        )
        far = _far_from_the_line(part, x, y)
        right = pl.col(x) > greatest / 2  # names of these points have room at the left
        names = [
            alt.Chart(rows(some, ["run", x, y]))
            .mark_text(align=align, dx=shift, dy=-4)
            .encode(alt.X(f"{x}:Q"), alt.Y(f"{y}:Q"), text="run:N")
            for some, align, shift in (
                (far.filter(~right), "left", 5),
                (far.filter(right), "right", -5),
            )
        ]
        return alt.layer(line, points, *names).properties(width=SIDE, height=SIDE, title=title)

    if len(levels) == 1:  # with one level, metrics are side by side, otherwise levels
        return alt.concat(*(panel(metric, levels[0]) for metric in metrics), columns=ABREAST)
    panels = [panel(metric, level) for metric in metrics for level in levels]
    return alt.concat(*panels, columns=len(levels))


def power_and_stability(choice: MetricChoice) -> Any:
    """Draw one point per metric: stability by discriminative power; the upper right is best.

    Lines extend one standard error to either side.
    """
    frame = printed(choice.frame)
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
    below = _crowded(frame)
    names = [
        base.transform_filter(alt.FieldOneOfPredicate("metric", some))
        .mark_text(align="left", dx=7, dy=shift, color=INK)
        .encode(y, text="metric:N")
        for some, shift in ((below, 11), (list(set(frame["metric"]) - set(below)), -9))
        if some
    ]
    title = alt.Title("Power and stability of metrics", subtitle="Lines: one standard error.")
    return alt.layer(ends, across, points, *names).properties(
        width=1.6 * WIDTH, height=1.4 * HEIGHT, title=title
    )


AXES = "stability", "significant"
NEAR = 0.12, 0.5  # fractions of height and width of the chart; names that are closer may overlap


def _crowded(frame: pl.DataFrame) -> list[str]:
    """Return the metrics with a point just above their own; their names are below the points."""
    spans = [frame.select(pl.col(c).max() - pl.col(c).min()).item() or 1 for c in AXES]
    points = sorted(frame.select("metric", *AXES).rows(), key=lambda row: -row[1])
    below: list[str] = []
    for (above, *one), (name, *other) in pairwise(points):
        near = (
            abs(a - b) < NEAR[n] * spans[n] for n, (a, b) in enumerate(zip(one, other, strict=True))
        )
        if above not in below and all(near):
            below.append(name)
    return below


PANEL = 150
SOURCES = ["permuted", "simulated"]
NAMES = {"type_1": "type I error", "power": "power", "coverage": "coverage"}


def error_rates(calibration: Calibration) -> Any:
    """Draw type I error, power and coverage of each test, with two standard errors on each side.

    A dashed line marks the nominal level: alpha, or the confidence level.
    """
    frame, [settings, *_] = printed(calibration.frame), calibration.settings
    nominal = {"type_1": settings.alpha, "power": None, "coverage": 1 - settings.alpha}
    bands = []
    for metric in frame["metric"].unique(maintain_order=True):
        panels: list[Any] = []
        for name in NAMES:
            part = frame.filter(metric=metric).drop_nulls(name)
            if not part.is_empty():
                tests, names = settings.tests, not panels
                panels.append(_rate_panel(part, name, nominal[name], tests, names=names))
        bands.append(alt.hconcat(*panels).properties(title=metric))
    about = "Lines: two standard errors; dashed: nominal level."
    return alt.vconcat(*bands).properties(title=alt.Title(calibration.caption, subtitle=about))


def _rate_panel(
    frame: pl.DataFrame,
    name: str,
    nominal: float | None,
    tests: Sequence[str],
    *,
    names: bool,
) -> Any:
    rate, error = pl.col(name), pl.col(f"{name}_se")
    low, high = (rate - 2 * error).clip(0, 1), (rate + 2 * error).clip(0, 1)
    base = alt.Chart(rows(frame.select("source", "test", rate=rate, low=low, high=high)))
    legend = alt.Legend(orient="top")
    colours = alt.Scale(domain=SOURCES, range=COLOURS[:2])
    colour = alt.Color("source:N", title=None, scale=colours, legend=legend)
    shapes = alt.Scale(domain=SOURCES, range=["circle", "square"])  # for print in grey
    shape = alt.Shape("source:N", title=None, scale=shapes, legend=legend)
    # The same rows in all panels, named in the first one.
    axis = alt.Axis(grid=True, **({} if names else {"labels": False, "ticks": False}))
    order = list(tests)
    y = alt.Y("test:N", title=None, sort=order, scale=alt.Scale(domain=order), axis=axis)
    shift = alt.YOffset("source:N", sort=SOURCES)
    ticks = alt.Axis(tickCount=2)
    x = alt.X("low:Q", title=NAMES[name], scale=alt.Scale(zero=False), axis=ticks)
    ranges = base.mark_rule().encode(x, alt.X2("high:Q"), y, shift, colour)
    points = base.mark_point(filled=True, size=45, opacity=1)
    layers = [ranges, points.encode(alt.X("rate:Q"), y, shift, colour, shape)]
    if nominal is not None:
        level = alt.Chart(alt.Data(values=[{"level": nominal}]))
        rule = level.mark_rule(color="#999999", strokeDash=[3, 3])
        layers.insert(0, rule.encode(alt.X("level:Q")))
    return alt.layer(*layers).properties(width=PANEL, height={"step": 13})


def views_by_rank(model: UserModel) -> Any:
    """Draw the probability that a user views each rank, one line per metric."""
    whole = alt.Scale(domain=[0, 1])
    lines = _lines(model.by_rank(), "view", "probability of viewing the rank", whole)
    return lines.properties(title="Reading depth of users")


def weights_by_rank(frame: pl.DataFrame) -> Any:
    """Draw the weight of each rank, one line per metric; `frame` has metric, rank and weight."""
    return _lines(frame, "weight", "weight", alt.Scale(zero=True))


def _lines(frame: pl.DataFrame, column: str, title: str, scale: Any) -> Any:
    names = frame["metric"].unique(maintain_order=True).to_list()
    return (
        alt.Chart(rows(frame, ["metric", "rank", column]))
        .mark_line(strokeWidth=1.8, point={"size": 12})
        .encode(
            alt.X("rank:Q", title="rank", scale=alt.Scale(nice=False)),
            alt.Y(f"{column}:Q", title=title, scale=scale),
            *series(names),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
