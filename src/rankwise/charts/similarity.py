"""Charts of the changes between two runs: changed top-k lists by k, and the lists of one topic."""

from __future__ import annotations

from typing import Any

from rankwise.charts.drawing import HEIGHT, INK, PALE, WIDTH, alt, rows, series
from rankwise.colours import COLOURS
from rankwise.errors import CallError
from rankwise.lazy import pl
from rankwise.similarity import RunDiff

MOST_PAIRS = 8  # lines that colours and dashes can distinguish
DEPTH = 100
LISTED = 20  # documents of each list in a slope graph
STEP = 18  # pixels per rank


def churn_by_depth(diff: RunDiff) -> Any:
    """Draw the fraction of topics whose top k changed, by k; one line per pair of runs."""
    frame = diff.churn(DEPTH)
    pairs = [
        f"{diff.runs[a]} – {diff.runs[b]}"
        for a, b in zip(diff.first.tolist(), diff.second.tolist(), strict=True)
    ]
    if len(pairs) > MOST_PAIRS:
        what = f"a chart shows up to {MOST_PAIRS} pairs of runs, not {len(pairs):,}"
        raise CallError(f"{what}. Give fewer runs.")
    frame = frame.with_columns(pair=pl.col("a") + " – " + pl.col("b"))
    colour, dash = series(pairs, by="pair")
    percent = alt.Axis(format="%", tickCount=5)
    y = alt.Y("changed:Q", title="Topics with a changed top k", axis=percent)
    y = y.scale(domain=[0, 1])
    x = alt.X("depth:Q", title="k", scale=alt.Scale(type="log", nice=False))
    lines = alt.Chart(rows(frame)).mark_line(interpolate="step-after", strokeWidth=1.8)
    lines = lines.encode(x, y, colour, dash)
    topics = f"{len(diff.topics):,} topics; a new order counts as a change"
    title = alt.Title("Changed rankings by depth", subtitle=topics, anchor="start")
    return lines.properties(width=WIDTH, height=HEIGHT, title=title)


def slope_graph(diff: RunDiff, topic: str) -> Any:
    """Draw both rankings of a topic, the first run at the left; lines join equal documents.

    A document that is not among the ranks shown for the other run is grey and has no line.
    """
    a, b = diff.runs
    frame = diff.lists(topic, depth=LISTED)
    deepest = frame.height
    names, lines = _places(frame, a, b)
    colours = alt.Scale(domain=["same", "moved", "gone"], range=[INK, COLOURS[1], PALE])
    x = alt.Scale(domain=[-0.05, 1.05])
    y = alt.Scale(domain=[deepest + 0.5, 0.5], nice=False)
    slopes = alt.Chart(alt.Data(values=lines)).mark_rule(strokeWidth=1.5)
    left, top = alt.X("left:Q", scale=x, axis=None), alt.Y("from:Q", scale=y, axis=None)
    colour = alt.Color("kind:N", scale=colours, legend=None)
    layers = [slopes.encode(left, alt.X2("right:Q"), top, alt.Y2("to:Q"), colour)]
    grey = alt.condition("datum.kind == 'gone'", alt.value("#767676"), alt.value(INK))
    at = alt.X("side:Q", scale=x, axis=None), alt.Y("rank:Q", scale=y, axis=None)
    for place, align, shift in ((0, "right", -6), (1, "left", 6)):
        here = [row for row in names if row["side"] == place]
        text = alt.Chart(alt.Data(values=here)).mark_text(align=align, dx=shift)
        layers.append(text.encode(*at, alt.Text("label:N"), color=grey))
    about = [
        f"left: {a}, right: {b}",
        "sloping (orange): rank changed",
        f"grey, without a line: not in the other top {deepest}",
    ]
    title = alt.Title(f"Topic {topic}, first {deepest} documents", subtitle=about, anchor="start")
    chart = alt.layer(*layers).properties(width=WIDTH, height=STEP * max(deepest, 2), title=title)
    return chart.configure_view(stroke=None)


Rows = list[dict[str, Any]]


def _places(frame: pl.DataFrame, a: str, b: str) -> tuple[Rows, Rows]:
    """Return the documents of both rankings, and the lines between equal documents."""
    names, lines = list[dict[str, Any]](), list[dict[str, Any]]()
    for side, other, place in ((a, b, 0), (b, a, 1)):
        for rank, name, there in frame.select("rank", side, f"in_{other}").iter_rows():
            if name is None:
                continue
            kind = "gone"
            if there is not None and there <= frame.height:
                kind = "same" if there == rank else "moved"
                if place == 0:
                    lines.append({"from": rank, "to": there, "kind": kind, "left": 0, "right": 1})
            row = {"side": place, "rank": rank, "name": name, "kind": kind}
            names.append(row | {"label": f"{rank}  {name}"})
    return names, lines
