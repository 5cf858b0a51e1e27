"""Charts of bounds for unjudged documents: Moffat and Zobel (2008), Figures 5 and 6."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import HEIGHT, WIDTH, altair, bands, rows, series
from rankwise.colours import run_colours

if TYPE_CHECKING:
    import polars as pl


def bounds_by_depth(frame: "pl.DataFrame") -> Any:
    """Range of a score by evaluation depth; one panel per pool, one band per metric.

    Columns run (one), pool, metric, depth, low, high.
    """
    alt = altair()
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


def bounds_by_persistence(frame: "pl.DataFrame") -> Any:
    """Range of RBP against p for some runs with a shallow pool, and its score with a deep one.

    Columns run, p, low, high (shallow), value (deep).
    """
    alt = altair()
    names = frame["run"].unique(maintain_order=True).to_list()
    x = alt.X("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    low = alt.Y("low:Q", title="mean RBP", scale=alt.Scale(domain=[0, 1]))
    ranges = bands(frame, x, (low, "high"), names, by="run", edges=True, fixed=run_colours(names))
    line = alt.Chart(rows(frame, ["run", "p", "value"])).mark_line(strokeWidth=2)
    line = line.encode(x, alt.Y("value:Q"), *series(names, "run", run_colours(names)))
    return alt.layer(*ranges, line).properties(width=WIDTH, height=HEIGHT)
