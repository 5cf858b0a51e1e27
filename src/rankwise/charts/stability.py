"""Charts of the stability of scores and system rankings with fewer judgments."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import HEIGHT, WIDTH, altair, bands, printed, rows, series
from rankwise.colours import COLOURS
from rankwise.wording import percent

if TYPE_CHECKING:
    import polars as pl

    from rankwise.experiments.stability import LeftOut, Stability

SIDE = 200
ABREAST = 3  # panels
NAMED = 3  # runs, at the most
OUTLYING = 5  # times as far from the median change as the run in the middle


def stability_curves(found: "Stability") -> Any:
    """Draw the mean score, and Kendall's tau with all judgments, by level; one line per metric.

    Figures 5 to 8 of Ahlgren and Grönqvist (2007). The shade is one standard deviation over
    samples on either side or, with bounds, from the lower to the upper bound.
    """
    title = f"Stability with fewer judgments: {len(found.runs)} runs"
    if found.repeats > 1:
        title += f", {found.repeats} samples per level; shaded: ± one standard deviation"
    if found.low is not None:
        title += "; shaded scores: bounds"
    both = altair().concat(score_curves(found), order_curves(found), columns=2)
    return both.properties(title=altair().Title(title, anchor="start"))


def score_curves(found: "Stability") -> Any:
    """Draw the mean score over runs at each level of judgments."""
    return _curves(found, "value", "mean score", edges=found.low is not None)


def order_curves(found: "Stability") -> Any:
    """Draw Kendall's tau between the system ranking at each level and that by all judgments."""
    return _curves(found, "tau", "Kendall's tau with all judgments")


def _with_bands(found: "Stability") -> "pl.DataFrame":
    import polars as pl

    frame = found.frame
    if found.level == "depth":  # all judgments have no depth to be drawn at
        frame = frame.filter(pl.col("depth").is_not_null())
    zero = pl.lit(0.0)
    sd, tau_sd = (pl.col("sd"), pl.col("tau sd")) if found.repeats > 1 else (zero, zero)
    bounded = found.low is not None
    return frame.with_columns(
        pl.col("low" if bounded else "value").sub(zero if bounded else sd).alias("value from"),
        pl.col("high" if bounded else "value").add(zero if bounded else sd).alias("value to"),
        (pl.col("tau") - tau_sd).alias("tau from"),
        pl.min_horizontal(pl.col("tau") + tau_sd, 1.0).alias("tau to"),
    )


def _level_axis(found: "Stability") -> Any:
    alt = altair()
    if found.level == "depth":
        return alt.X("depth:Q", title="pool depth", scale=alt.Scale(type="log", nice=False))
    axis = alt.Axis(format="%")
    # From all judgments on the left to few on the right, as the paper has it.
    scale = alt.Scale(domain=[0, 1], reverse=True)
    return alt.X("keep:Q", title="judgments kept", axis=axis, scale=scale)


def _curves(found: "Stability", column: str, title: str, *, edges: bool = False) -> Any:
    alt = altair()
    x, level = _level_axis(found), found.level
    names = [metric.as_printed for metric in found.metrics]
    columns = ["metric", level, column, f"{column} from", f"{column} to"]
    frame = printed(_with_bands(found)).drop_nulls(column)
    scale = alt.Scale(zero=column == "value", nice=True)
    if column == "tau" and frame["tau from"].min() == 1:  # one value would leave a single tick
        scale = alt.Scale(domain=[0.9, 1.0])
    ends = alt.Y(f"{column} from:Q", title=title, scale=scale), f"{column} to"
    layers = bands(frame.select(columns), x, ends, names, edges=edges)
    lines = alt.Chart(rows(frame, columns)).mark_line(strokeWidth=1.8)
    layers.append(lines.encode(x, alt.Y(f"{column}:Q"), *series(names)))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def scores_by_run(found: "Stability") -> Any:
    """Draw the mean score of each run with all judgments against that at each level.

    Figures 2 and 4 of Moffat and Zobel (2008): points below the line are runs whose score falls
    when more documents are judged. Titles have Kendall's tau of the two system rankings.
    """
    import polars as pl

    frame = printed(found.by_run())
    level = pl.col(found.level)
    last = level.is_null() if found.level == "depth" else level == 1.0
    full = frame.filter(last).select("metric", "run", pl.col("value").alias("all"))
    shown = frame.filter(~last).with_row_index("row").join(full, on=["metric", "run"])

    def label(value: float) -> str:
        of_sample = found.level == "keep"
        return f"{percent(value)} of judgments" if of_sample else f"pool depth {value:g}"

    tau = pl.col("tau").fill_nan(None).map_elements("{:.3f}".format, pl.String)
    taus = printed(found.frame).select("metric", found.level, "tau")
    shown = shown.join(taus, on=["metric", found.level]).sort("row").drop("row")
    shown = shown.with_columns(
        level.map_elements(label, pl.String).alias("level"),
        pl.coalesce(pl.format("{}, tau = {}", "metric", tau), "metric").alias("title"),
    )
    return _against(shown, "value", "all", "all judgments")


def scores_without_group(found: "LeftOut") -> Any:
    """Draw the mean score of each run without its own group's documents against that with them."""
    import polars as pl

    one = pl.lit("all judgments").alias("level"), pl.col("metric").alias("title")
    frame = printed(found.frame).with_columns(*one)
    return _against(frame, "value", "without", "without own group")


def _far_from_the_line(part: "pl.DataFrame", x: str, y: str) -> "pl.DataFrame":
    """Return the runs whose change differs most from that of the others, to be named."""
    import polars as pl

    change = pl.col(y) - pl.col(x)
    apart = (change - change.median()).abs()
    far = part.with_columns(apart=apart).filter(pl.col("apart") > OUTLYING * apart.median())
    return far.sort("apart", descending=True).head(NAMED).drop("apart")


def _against(frame: "pl.DataFrame", x: str, y: str, other: str) -> Any:
    """Draw one panel per metric and level with the line of no change, the title inside."""
    alt = altair()
    levels = frame["level"].unique(maintain_order=True).to_list()
    metrics = frame["metric"].unique(maintain_order=True).to_list()

    def panel(metric: str, level: str) -> Any:
        part = frame.filter(metric=metric, level=level).drop_nulls([x, y])
        title = part["title"][0] if part.height else metric
        greatest = max(part[x].max() or 0, part[y].max() or 0) or 1
        domain = alt.Scale(domain=[0, greatest], nice=False)
        points = (
            alt.Chart(rows(part, ["run", x, y]))
            .mark_point(filled=True, size=22, opacity=0.7, color=COLOURS[0])
            .encode(
                alt.X(f"{x}:Q", title=level, scale=domain),
                alt.Y(f"{y}:Q", title=other, scale=domain),
                tooltip=["run:N", f"{x}:Q", f"{y}:Q"],
            )
        )
        same = alt.Chart(alt.Data(values=[{x: 0, y: 0}, {x: greatest, y: greatest}]))
        line = same.mark_line(strokeDash=[2, 2], color="#999999").encode(
            alt.X(f"{x}:Q"), alt.Y(f"{y}:Q")
        )
        names = alt.Chart(rows(_far_from_the_line(part, x, y), ["run", x, y]))
        names = names.mark_text(align="left", dx=5, dy=-2).encode(
            alt.X(f"{x}:Q"), alt.Y(f"{y}:Q"), text="run:N"
        )
        return alt.layer(line, points, names).properties(width=SIDE, height=SIDE, title=title)

    if len(levels) == 1:  # metrics side by side, else levels
        return alt.concat(*(panel(metric, levels[0]) for metric in metrics), columns=ABREAST)
    panels = [panel(metric, level) for metric in metrics for level in levels]
    return alt.concat(*panels, columns=len(levels))
