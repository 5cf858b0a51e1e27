"""Chart of a matrix of rank correlation coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.charts.drawing import alt
from rankwise.correlation import Correlation
from rankwise.metrics import as_printed

CELL = 44  # wide enough for -0.12
# Colour schemes from light to dark. With negative values, these are orange and others blue.
ALIKE, OPPOSITE = "blues", "blueorange"


def correlation_matrix(correlation: Correlation) -> Any:
    """Draw one cell per pair of system rankings, with its correlation as number and as colour.

    Colours range from about the smallest value to 1, so that small differences are visible, or from
    −1 to 1 if a value is negative. For tau-ap, the row is the reference.
    """
    names = [as_printed(name) for name in correlation.orders.names]
    least = _least(correlation)
    cells = [
        {"row": row, "column": column, **_cell(float(value))}
        for row, line in zip(names, correlation.values, strict=True)
        for column, value in zip(names, line, strict=True)
    ]
    axis = {"title": None, "domain": False, "ticks": False, "labelLimit": 240, "labelPadding": 6}
    x = alt.X("column:N", sort=names, axis=alt.Axis(orient="top", labelAngle=-45, **axis))
    y = alt.Y("row:N", sort=names, axis=alt.Axis(**axis))
    # With negative values, the neutral colour is at 0.
    domain, scheme = ([least, 1.0], ALIKE) if least >= 0 else ([1.0, -1.0], OPPOSITE)
    scale = alt.Scale(domain=domain, scheme=scheme)
    base = alt.Chart(alt.Data(values=cells)).encode(x, y)
    squares = base.mark_rect(stroke="#ffffff").encode(
        alt.Color("value:Q", scale=scale, title=None, legend=alt.Legend(format=".2f"))
    )
    dark = _dark(least)
    numbers = base.mark_text().encode(
        alt.Text("shown:N"),
        color=alt.condition(dark, alt.value("#ffffff"), alt.value("#222222")),
    )
    side = CELL * len(names)
    title = alt.Title(correlation.title, subtitle=_subtitle(correlation), anchor="start")
    return (squares + numbers).properties(width=side, height=side, title=title)


def _cell(value: float) -> dict[str, Any]:
    defined = not np.isnan(value)
    return {"value": value if defined else None, "shown": f"{value:.2f}" if defined else "–"}


def _least(correlation: Correlation) -> float:
    values = correlation.values[np.isfinite(correlation.values)]
    least = float(values.min()) if values.size else 0.0
    # A range without width would have no colours.
    return min(np.floor(least * 20) / 20, 0.95)


def _dark(least: float) -> str:
    """Return a Vega expression that is true for dark cells, whose numbers are white."""
    if least < 0:
        return "abs(datum.value) > 0.6"
    return f"datum.value > {least + 0.6 * (1 - least):.4f}"


def _subtitle(correlation: Correlation) -> str:
    systems = f"{len(correlation.orders.systems)} systems"
    return (
        f"{systems}; the row is the reference" if correlation.coefficient == "tau-ap" else systems
    )
