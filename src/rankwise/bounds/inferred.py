"""AP inferred from a sample: infAP."""

from collections.abc import Callable
from typing import Protocol

from rankwise.arrays import Floats, Ints
from rankwise.bounds.base import UNIT, Binary, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, above
from rankwise.bounds.means import Mean, mean_bounds

Expected = Callable[[Ints, Ints, Ints, Ints], Floats]


def inferred_bounds(grid: Grid, rel: int, expected: Expected) -> Bounds:
    """Return outer bounds of a mean of precisions expected at relevant documents.

    `expected` gives one from the rank and from how many documents above are relevant, are
    not, and are pooled: it rises with the first and the last of these and falls with the
    second.
    """
    hit = grid.relevant(rel)
    relevant, nonrelevant = above(hit), above(grid.nonrelevant(rel))
    pooled, unknown = above(grid.judged), above(grid.unjudged)
    least = expected(grid.rank, relevant, nonrelevant + unknown, pooled)
    most = expected(grid.rank, relevant + unknown, nonrelevant, pooled + unknown)
    known = ((least * hit).sum(axis=1), (most * hit).sum(axis=1))
    count = grid.relevant_count(rel)
    return mean_bounds(grid, Mean(known, count, least, most, count - hit.sum(axis=1)))


class Inferring(Binary, Protocol):
    """A metric that expects a precision from the documents above."""

    def expected_precision(
        self, rank: Ints, relevant: Ints, nonrelevant: Ints, pooled: Ints
    ) -> Floats: ...


class InferredPrecision(ScoreBounds[Inferring]):
    """Bounds of AP inferred from a sample: infAP; outer."""

    open_range = UNIT

    def on(self, metric: Inferring, grid: Grid) -> Bounds:
        return inferred_bounds(grid, metric.rel, metric.expected_precision)
