"""Chart of the judged fraction by rank."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import HEIGHT, WIDTH, altair, rows, series

if TYPE_CHECKING:
    import polars as pl

SHARES = ["judged", "relevant"]
LABELLED = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


def judged_by_rank(by_rank: "pl.DataFrame") -> Any:
    """Draw the fractions of judged and of relevant documents at each rank.

    Figure 1 of Ahlgren and Grönqvist (2007), without the unjudged documents, which are the rest,
    and with a logarithmic axis: most metrics depend on the top. Ranks that differ by less than
    2 % share a point, their mean.
    """
    import polars as pl

    alt = altair()
    # Far down the ranks stand closer than a line is wide: means of 2 % of the way together.
    near = pl.col("rank").log(1.02).floor()
    shown = by_rank.group_by(near.alias("near"), maintain_order=True).agg(
        pl.col("rank").mean(), pl.col(SHARES).mean()
    )
    long = shown.unpivot(SHARES, index="rank", variable_name="metric", value_name="share")
    colour, dash = series(SHARES)
    return (
        alt.Chart(rows(long))
        .mark_line(strokeWidth=1.6)
        .encode(
            alt.X(
                "rank:Q",
                title="rank",
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(values=LABELLED),
            ),
            alt.Y(
                "share:Q",
                title="fraction of documents",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            colour,
            dash,
        )
        .properties(width=WIDTH, height=HEIGHT, title="Judged documents by rank")
    )
