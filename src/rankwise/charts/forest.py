"""Forest plot of differences against a margin of equivalence."""

from typing import TYPE_CHECKING, Any

import polars as pl

from rankwise.charts.drawing import INK, WIDTH, altair, rows
from rankwise.colours import BASELINE, RUN

if TYPE_CHECKING:
    from rankwise.comparison import Comparison
    from rankwise.metrics import Metric

MOST_ROWS = 200  # pairs in a forest plot
MARGIN = "#d9e6d3"
# Outcomes, with a colour and, for print in grey, a shape.
OUTCOMES = {
    "better": (RUN, "triangle-right"),
    "equivalent": ("#3a7d34", "circle"),
    "worse": (BASELINE, "triangle-left"),
    "inconclusive": ("#7a7a7a", "diamond"),
}


def forest_plot(found: "Comparison") -> Any:
    """Draw each difference with its intervals, largest first; one panel per metric.

    The band is ±margin. The thin line is the confidence interval of the table, the thick one the
    1 − 2α interval of the equivalence test, which lies within the band if the runs are equivalent
    (before correction). The colour is the outcome. Right is better for the first run of a pair,
    even if lower scores are better.
    """
    panels = [_panel(found, metric) for metric in found.tested]
    return altair().vconcat(*panels) if len(panels) > 1 else panels[0]


def _panel(found: "Comparison", metric: "Metric") -> Any:
    alt = altair()
    margin = found.options.margin
    frame = found.equivalence().filter(metric=str(metric))
    ends = found.frame.select("metric", "a", "b", "conf_low", "conf_high")
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
    thick = f"{100 * (1 - 2 * found.options.alpha):g} % interval of the equivalence test"
    about = [f"Band: ±{margin:g}. Thin: {found.interval_label}; thick: {thick}."]
    return (
        alt.layer(*layers)
        .properties(width=2 * WIDTH, height=alt.Step(16))
        .properties(title=alt.Title(metric.as_printed, subtitle=about))
    )
