"""What a published RBP score says at another p: the figures of Zhang, Park and Moffat (2008)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import altair, rows
from rankwise.inversion import Published, curve
from rankwise.inversion.answers import Method
from rankwise.inversion.published import nearest_attainable

if TYPE_CHECKING:
    import polars as pl

# Colours that people tell apart whatever their sight (Okabe and Ito).
RANGE, GREATEST, LEAST, POINT = "#56B4E9", "#D55E00", "#009E73", "#000000"


def published_curve(given: Published, method: Method = "sound") -> Any:
    """The range of a published RBP score at every p, and the scores of R_G and R_L.

    Figures 2 and 4 of Zhang, Park and Moffat (2008); a panel of Figure 3 without its axes.
    """
    alt = altair()
    frame = curve(given, method=method)
    p = alt.X("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    area = (
        alt.Chart(rows(frame, ["p", "low", "high"]))
        .mark_area(opacity=0.35, color=RANGE)
        .encode(p, alt.Y("low:Q", title="RBP", scale=alt.Scale(domain=[0, 1])), alt.Y2("high:Q"))
    )
    point = (
        alt.Chart(alt.Data(values=[{"p": given.p, "score": given.score}]))
        .mark_point(filled=True, size=70, color=POINT, opacity=1)
        .encode(alt.X("p:Q"), alt.Y("score:Q"))
    )
    shaded = "where it can be at other p" if method == "sound" else "the range by the paper"
    layers = [area, *_lines(frame), point]
    title = alt.Title(str(given), subtitle=f"shaded: {shaded}; lines: the two bounding vectors")
    return alt.layer(*layers).properties(width=480, height=320, title=title)


def published_panels(values: Sequence[float] = (0.2, 0.5, 0.8), method: Method = "paper") -> Any:
    """Figure 3 of Zhang, Park and Moffat (2008): a panel for each p (rows) and score (columns).

    The place of a score that no ranking has at its p says so.
    """
    alt = altair()

    def panel(p: float, score: float) -> Any:
        drawn = alt.Chart(alt.Data(values=[{}])).mark_text(text="no ranking has this score")
        if nearest_attainable(p, score) is None:
            drawn = published_curve(Published(p, score), method)
        return drawn.properties(width=180, height=140, title=f"p = {p:g}, score {score:g}")

    return alt.vconcat(*(alt.hconcat(*(panel(p, score) for score in values)) for p in values))


def published_pair(a: Published, b: Published, method: Method = "sound") -> Any:
    """The ranges of two published RBP scores at every p: one is better where they are apart."""
    alt = altair()
    ranges, points = [], []
    for name, given in {f"A: {a}": a, f"B: {b}": b}.items():
        frame = curve(given, method=method).select("p", "low", "high")
        ranges += [row | {"score": name} for row in frame.to_dicts()]
        points.append({"p": given.p, "value": given.score, "score": name})
    p = alt.X("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    low = alt.Y("low:Q", title="RBP", scale=alt.Scale(domain=[0, 1]))
    colours = alt.Scale(range=[GREATEST, RANGE])
    colour = alt.Color("score:N", title=None, scale=colours, legend=alt.Legend(orient="top"))
    areas = alt.Chart(alt.Data(values=ranges)).mark_area(opacity=0.45)
    marks = alt.Chart(alt.Data(values=points)).mark_point(filled=True, size=70, color=POINT)
    layers = (
        areas.encode(p, low, alt.Y2("high:Q"), colour),
        marks.encode(alt.X("p:Q"), alt.Y("value:Q")),
    )
    return alt.layer(*layers).properties(width=480, height=320)


def _lines(frame: "pl.DataFrame") -> list[Any]:
    """The curves of the vectors; dashed where the unjudged documents count as relevant."""
    alt = altair()
    names = [name for name in ("R_G", "R_L", "R'_G", "R'_L") if name in frame.columns]
    if not names:
        return []
    shown: dict[str, str] = {name: name.replace("'", "′") for name in names}
    long = frame.select("p", *names).rename(shown).unpivot(index="p", variable_name="vector")
    colours = [GREATEST if name.endswith("G") else LEAST for name in names]
    dashes = [[5, 4] if "'" in name else [1, 0] for name in names]
    domain = list(shown.values())
    lines = alt.Chart(rows(long, ["p", "vector", "value"])).mark_line(strokeWidth=1.5)
    colour = alt.Color("vector:N", title=None, scale=alt.Scale(domain=domain, range=colours))
    dash = alt.StrokeDash("vector:N", title=None, scale=alt.Scale(domain=domain, range=dashes))
    return [lines.encode(alt.X("p:Q"), alt.Y("value:Q"), colour, dash)]
