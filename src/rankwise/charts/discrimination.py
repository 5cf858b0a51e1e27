"""Charts of discriminative power: ASL curves, swap rates, extrapolation."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import HEIGHT, WIDTH, altair, printed, rows, series
from rankwise.colours import COLOURS
from rankwise.experiments.discrimination import COIN

if TYPE_CHECKING:
    import polars as pl

    from rankwise.experiments.discrimination import Discrimination

SHOWN_P = 0.15  # above it nothing is decided
POINTS = 500  # of a curve; more would only make the file larger
ABREAST = 3  # panels
EVERY_BIN = 3  # all of them would be too many lines


def discrimination_chart(found: "Discrimination") -> Any:
    """Draw the chart of a method: its swap rates, or the sorted p-values of all pairs."""
    asked, curve = found.experiment, printed(found.curve)
    if "p" in curve.columns:
        return asl_curves(curve, asked.alpha, asked.method)
    if "fitted" in curve.columns:
        return extrapolation(curve, asked.alpha)
    return swap_curves(curve, asked.alpha, asked.method)


def stacked(charts: Sequence[Any]) -> Any:
    """Stack the charts of several methods, each with its own legend."""
    resolved = {"color": "independent", "strokeDash": "independent"}
    return altair().vconcat(*charts).resolve_scale(**resolved)


def asl_curves(curve: "pl.DataFrame", alpha: Sequence[float], method: str) -> Any:
    """Draw the p-values of all pairs in decreasing order, for each metric (Sakai, SIGIR 2006).

    The further left a curve falls, the more pairs differ significantly by its metric.
    """
    import polars as pl

    alt = altair()
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


def swap_curves(curve: "pl.DataFrame", alpha: Sequence[float], method: str) -> Any:
    """Draw the swap rate in each bin of differences, for each metric."""
    import polars as pl

    alt = altair()
    sizes = curve["topics"].unique(maintain_order=True).to_list()
    if len(sizes) > 1:  # a line for each size of topic sets
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


def extrapolation(curve: "pl.DataFrame", alpha: Sequence[float]) -> Any:
    """Draw swap rates by number of topics: measured (points), fitted and extrapolated (lines).

    Voorhees and Buckley (SIGIR 2002), one panel per metric, one line for every third bin.
    """
    import polars as pl

    alt = altair()
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


def _fitted(curve: "pl.DataFrame") -> "pl.DataFrame":
    """Return the fitted rate of each bin of one metric at every number of topics."""
    import polars as pl

    sizes = pl.int_range(pl.col("topics").min(), pl.col("topics").max() + 1)
    fits = curve.drop_nulls("slope").group_by("difference", "intercept", "slope")
    spread = fits.agg(sizes.alias("topics")).explode("topics")
    rate = (pl.col("intercept") + pl.col("slope") * pl.col("topics")).exp()
    return spread.select("topics", "difference", rate=rate.clip(upper_bound=COIN))


def _levels(alpha: Sequence[float]) -> Any:
    alt = altair()
    given = alt.Data(values=[{"level": level} for level in alpha])
    return alt.Chart(given).mark_rule(color="#999999", strokeDash=[3, 3]).encode(alt.Y("level:Q"))


def _framed(chart: Any, title: str) -> Any:
    return chart.properties(width=WIDTH, height=HEIGHT, title=title)


def power_bars(frame: "pl.DataFrame", column: str, title: str) -> Any:
    """Draw one number for each metric, largest first: Figures 9 and 10 of Sakai (2007)."""
    alt = altair()
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
