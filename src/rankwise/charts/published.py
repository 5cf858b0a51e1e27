"""Charts of a published RBP score at another p: figures of Zhang, Park and Moffat (2008)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.charts.drawing import HEIGHT, WIDTH, alt, line_legend, rows, series
from rankwise.lazy import pl
from rankwise.published import Published, curve, nearest_attainable
from rankwise.vocabulary import InversionMethod

# Colours that people with any colour vision can distinguish (Okabe and Ito).
RANGE, GREATEST, LEAST, POINT = "#56B4E9", "#D55E00", "#009E73", "#000000"
DASHES = {"R_G": [1, 0], "R_L": [7, 3], "R'_G": [2, 2], "R'_L": [7, 3, 1, 3]}  # for grey prints
PANEL = 150


def published_curve(
    published: Published, method: InversionMethod = "sound", *, of: str = ""
) -> Any:
    """Draw the range of scores at every p of a ranking with a published RBP score at one p.

    Two lines show the RBP of R_G and R_L, the lexicographically largest and smallest relevance
    vectors with the published score. They are not drawn for means over several topics and for
    graded gains. The range by the method `sound` is guaranteed; `paper` gives the range of the
    paper. The subtitle begins with `of`, for example the name of a run. See Figures 2 to 4 of
    Zhang, Park and Moffat (2008).
    """
    frame = curve(published, method=method)
    p = alt.X("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    area = (
        alt.Chart(rows(frame, ["p", "low", "high"]))
        .mark_area(opacity=0.35, color=RANGE)
        .encode(p, alt.Y("low:Q", title="RBP", scale=alt.Scale(domain=[0, 1])), alt.Y2("high:Q"))
    )
    point = (
        alt.Chart(alt.Data(values=[{"p": published.p, "score": published.score}]))
        .mark_point(filled=True, size=70, color=POINT, opacity=1)
        .encode(alt.X("p:Q"), alt.Y("score:Q"))
    )
    shaded = "range at other p" if method == "sound" else "range by the paper's method"
    lines = _lines(frame)
    subtitle = (
        [of] * bool(of)
        + [f"shaded: {shaded}"]
        + ["lines: bounding vectors R_G and R_L"] * len(lines)
    )
    title = alt.Title(str(published), subtitle=subtitle)
    return alt.layer(area, *lines, point).properties(width=WIDTH, height=HEIGHT, title=title)


def published_panels(
    values: Sequence[float] = (0.2, 0.5, 0.8), method: InversionMethod = "paper"
) -> Any:
    """Draw Figure 3 of Zhang, Park and Moffat (2008), with one panel per p and published score.

    The rows of panels are for p, the columns for the score, and both take the same `values`.
    """

    def panel(p: float, score: float) -> Any:
        if nearest_attainable(p, score) is None:
            drawn = published_curve(Published(p, score), method)
        else:
            drawn = _empty(["no such", "ranking"])
        return drawn.properties(width=PANEL, height=PANEL, title=f"p = {p:g}, S = {score:g}")

    upwards = sorted(values, reverse=True)
    return alt.vconcat(*(alt.hconcat(*(panel(p, score) for score in values)) for p in upwards))


def _empty(text: list[str]) -> Any:
    """Draw the axes of a panel without a curve, with a text in the middle."""
    middle = alt.Chart(alt.Data(values=[{"p": 0.5, "score": 0.5}])).mark_text(
        text=text, color=POINT
    )
    unit = alt.Scale(domain=[0, 1])
    axes = alt.X("p:Q", title="p", scale=unit), alt.Y("score:Q", title="RBP", scale=unit)
    return alt.layer(middle.encode(*axes))


def published_pair(a: Published, b: Published, method: InversionMethod = "sound") -> Any:
    """Draw the ranges of two published RBP scores at every p.

    Where the ranges are disjoint, the ranking with the higher range is better.
    """
    ranges, points = [], []
    names = {f"A: {a}": a, f"B: {b}": b}
    for name, given in names.items():
        frame = curve(given, method=method).select("p", "low", "high")
        ranges += [row | {"score": name} for row in frame.to_dicts()]
        points.append({"p": given.p, "value": given.score, "score": name})
    p = alt.X("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    low = alt.Y("low:Q", title="RBP", scale=alt.Scale(domain=[0, 1]))
    colours = alt.Scale(domain=list(names), range=[GREATEST, RANGE])
    legend = alt.Legend(orient="top", columns=len(names))
    colour = alt.Color("score:N", title=None, scale=colours, legend=legend)
    areas = alt.Chart(alt.Data(values=ranges)).mark_area(opacity=0.45)
    marks = alt.Chart(alt.Data(values=points)).mark_point(filled=True, size=70, color=POINT)
    layers = (
        areas.encode(p, low, alt.Y2("high:Q"), colour),
        marks.encode(alt.X("p:Q"), alt.Y("value:Q")),
    )
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def decided_shares(frame: pl.DataFrame) -> Any:
    """Draw the fraction of comparisons of RBP scores that are decided at p′, one line per p.

    In this experiment of Zhang, Park and Moffat (2008), rankings whose scores are known at p are
    compared at another persistence, p′. `frame` has the columns p, `at` (p′), `of` (topics or
    means), and the fractions by each method, `sound` and `paper`. Panels are for topics and means
    (rows), and for the methods (columns).
    """
    named = frame.with_columns(pl.format("p = {}", "p").alias("known"))
    names = named["known"].unique(maintain_order=True).to_list()
    x = alt.X("at:Q", title="p′", scale=alt.Scale(domain=[0.5, 1]))

    def panel(of: str, method: str) -> Any:
        here = named.filter(of=of).select("known", "at", pl.col(method).alias("share"))
        share = {"axis": alt.Axis(format="%"), "scale": alt.Scale(domain=[0, 1])}
        lines = alt.Chart(rows(here)).mark_line(strokeWidth=1.5, point={"size": 20})
        drawn = lines.encode(
            x, alt.Y("share:Q", title="comparisons decided", **share), *series(names, "known")
        )
        ranges = {"sound": "sound ranges", "paper": "the paper's"}[method]
        return drawn.properties(width=PANEL, height=PANEL, title=f"{of}, {ranges}")

    return alt.vconcat(
        *(
            alt.hconcat(*(panel(of, method) for method in ("sound", "paper")))
            for of in named["of"].unique(maintain_order=True)
        )
    )


def _lines(frame: pl.DataFrame) -> list[Any]:
    """Draw the curves of the bounding vectors R_G and R_L, and of R′_G and R′_L if there are any.

    R′_G and R′_L count unjudged documents as relevant.
    """
    names = [name for name in ("R_G", "R_L", "R'_G", "R'_L") if name in frame.columns]
    if not names:
        return []
    shown: dict[str, str] = {name: name.replace("'", "′") for name in names}
    long = frame.select("p", *names).rename(shown).unpivot(index="p", variable_name="vector")
    colours = [GREATEST if name.endswith("G") else LEAST for name in names]
    dashes = [DASHES[name] for name in names]
    legend = line_legend(names)
    domain = list(shown.values())
    lines = alt.Chart(rows(long, ["p", "vector", "value"])).mark_line(strokeWidth=1.5)
    colour = alt.Color("vector:N", legend=legend, scale=alt.Scale(domain=domain, range=colours))
    dash = alt.StrokeDash("vector:N", legend=legend, scale=alt.Scale(domain=domain, range=dashes))
    return [lines.encode(alt.X("p:Q"), alt.Y("value:Q"), colour, dash)]
