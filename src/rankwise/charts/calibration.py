"""Chart of the error rates of significance tests."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import altair, printed, rows
from rankwise.colours import COLOURS

if TYPE_CHECKING:
    from rankwise.experiments import Calibration

PANEL = 150
SOURCES = ["permuted", "simulated"]
NAMES = {"type_1": "type I error", "power": "power", "coverage": "coverage"}


def error_rates(found: "Calibration") -> Any:
    """Draw type I error, power and coverage of each test, with two standard errors on each side.

    A dashed line marks the nominal level: alpha, or the confidence level.
    """
    import polars as pl

    alt = altair()
    frame = printed(found.frame)
    alpha = found.settings[0].alpha
    nominal = {"type_1": alpha, "power": None, "coverage": 1 - alpha}
    tests = list(found.settings[0].tests)
    legend = alt.Legend(orient="top")
    colours = alt.Scale(domain=SOURCES, range=COLOURS[:2])
    colour = alt.Color("source:N", title=None, scale=colours, legend=legend)
    shapes = alt.Scale(domain=SOURCES, range=["circle", "square"])  # for print in grey
    shape = alt.Shape("source:N", title=None, scale=shapes, legend=legend)
    bands = []
    for metric in frame["metric"].unique(maintain_order=True):
        panels = []
        for name, title in NAMES.items():
            error = pl.col(f"{name}_se")
            part = frame.filter(pl.col("metric") == metric).drop_nulls(name)
            part = part.select(
                "source",
                "test",
                rate=pl.col(name),
                low=(pl.col(name) - 2 * error).clip(0, 1),
                high=(pl.col(name) + 2 * error).clip(0, 1),
            )
            if part.is_empty():
                continue
            axis = alt.Y("test:N", title=None, sort=tests)
            shift = alt.YOffset("source:N", sort=SOURCES)
            base = alt.Chart(rows(part))
            ranges = base.mark_rule().encode(
                alt.X("low:Q", title=title, scale=alt.Scale(zero=False)),
                alt.X2("high:Q"),
                axis,
                shift,
                colour,
            )
            points = base.mark_point(filled=True, size=45, opacity=1).encode(
                alt.X("rate:Q"), axis, shift, colour, shape
            )
            layers = [ranges, points]
            if nominal[name] is not None:
                level = alt.Chart(alt.Data(values=[{"level": nominal[name]}]))
                rule = level.mark_rule(color="#999999", strokeDash=[3, 3])
                layers.insert(0, rule.encode(alt.X("level:Q")))
            panels.append(alt.layer(*layers).properties(width=PANEL, height={"step": 13}))
        bands.append(alt.hconcat(*panels).properties(title=metric))
    return alt.vconcat(*bands).properties(title=alt.Title(found.caption, anchor="start"))
