"""What unjudged documents leave possible, as charts: Moffat and Zobel (2008), Figures 5 and 6."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import HEIGHT, WIDTH, altair, rows, series

if TYPE_CHECKING:
    import polars as pl

BAND = 0.2


def bounds_by_depth(frame: "pl.DataFrame") -> Any:
    """The range of a score as more of the ranking is looked at; a panel a pool, a band a metric.

    Columns pool, metric, depth, low, high.
    """
    alt = altair()
    names = frame["metric"].unique(maintain_order=True).to_list()

    def panel(pool: str) -> Any:
        x = alt.X("depth:Q", title="depth of the ranking", scale=alt.Scale(type="log", nice=False))
        drawn = _bands(frame.filter(pool=pool).drop("pool"), x, names, "mean score")
        return drawn.properties(title=pool)

    pools = frame["pool"].unique(maintain_order=True)
    return alt.hconcat(*(panel(pool) for pool in pools)).resolve_scale(y="shared")


def bounds_by_persistence(frame: "pl.DataFrame") -> Any:
    """The range of RBP against p for some runs with a shallow pool, and its score with a deep one.

    Columns run, p, low, high (shallow), value (deep).
    """
    alt = altair()
    names = frame["run"].unique(maintain_order=True).to_list()
    x = alt.X("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    colour, dash = series(names, "run")
    ranges = _bands(frame.select("run", "p", "low", "high"), x, names, "mean RBP", "run")
    line = alt.Chart(rows(frame, ["run", "p", "value"])).mark_line(strokeWidth=2)
    return alt.layer(ranges, line.encode(x, alt.Y("value:Q"), colour, dash)).properties(
        width=WIDTH, height=HEIGHT
    )


def _bands(frame: "pl.DataFrame", x: Any, names: list[str], title: str, by: str = "metric") -> Any:
    """An area from low to high for each name, with thin lines at both ends."""
    alt = altair()
    colour, dash = series(names, by)
    base = alt.Chart(rows(frame))
    low, high = alt.Y("low:Q", title=title, scale=alt.Scale(domain=[0, 1])), alt.Y("high:Q")
    area = base.mark_area(opacity=BAND).encode(x, low, alt.Y2("high:Q"), colour)
    ends = (base.mark_line(strokeWidth=1).encode(x, end, colour, dash) for end in (low, high))
    return alt.layer(area, *ends).properties(width=WIDTH, height=HEIGHT)
