"""Probability of viewing each rank, by the user models of metrics."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import HEIGHT, WIDTH, altair, rows, series

if TYPE_CHECKING:
    import polars as pl

    from rankwise.experiments import UserModel


def views_by_rank(found: "UserModel") -> Any:
    """Draw the probability that a user views each rank, one line per metric."""
    whole = altair().Scale(domain=[0, 1])
    return _lines(found.by_rank(), "view", "probability of viewing the rank", whole)


def weights_by_rank(frame: "pl.DataFrame") -> Any:
    """Draw the weight of each rank, one line per metric."""
    return _lines(frame, "weight", "weight", altair().Scale(zero=True))


def _lines(frame: "pl.DataFrame", column: str, title: str, scale: Any) -> Any:
    alt = altair()
    names = frame["metric"].unique(maintain_order=True).to_list()
    return (
        alt.Chart(rows(frame, ["metric", "rank", column]))
        .mark_line(strokeWidth=1.8, point={"size": 12})
        .encode(
            alt.X("rank:Q", title="rank", scale=alt.Scale(nice=False)),
            alt.Y(f"{column}:Q", title=title, scale=scale),
            *series(names),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
