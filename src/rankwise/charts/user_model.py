"""The chance to see each rank, for the users of some metrics."""

from typing import TYPE_CHECKING, Any

from rankwise.charts.drawing import HEIGHT, WIDTH, altair, rows, series

if TYPE_CHECKING:
    from rankwise.experiments.user_model import UserModel


def views_by_rank(found: "UserModel") -> Any:
    """A line for each metric: the chance that its user sees a rank."""
    alt = altair()
    names = [user.name for user in found.users]
    return (
        alt.Chart(rows(found.by_rank(), ["metric", "rank", "view"]))
        .mark_line(strokeWidth=1.8, point={"size": 12})
        .encode(
            alt.X("rank:Q", title="rank", scale=alt.Scale(nice=False)),
            alt.Y("view:Q", title="chance to see it", scale=alt.Scale(domain=[0, 1])),
            *series(names),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
