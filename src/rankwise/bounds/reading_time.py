"""Users who read: a relevant document adds less the more was read before it."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.base import Bounded, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid
from rankwise.bounds.unit_gains import FAR
from rankwise.rankings import JudgedRankings, Lengths

Discount = Callable[[Floats], Floats]


def bounds_of_readers(
    gain: Floats, possible: Floats, least: Floats, most: Floats, discounted: Discount
) -> Bounds:
    """Return outer bounds of gains that are discounted by the cost of the documents above.

    `gain` and `possible` are without and with the unjudged documents, `least` and `most` what
    each document can cost. Discounts fall with the cost. So a relevant document adds the most
    where all unjudged ones above it cost the least, and the least where they cost the most. A
    document cannot always cost the least and be relevant, too, so the ends are not tight.
    """
    fast, slow = (np.cumsum(cost, axis=1) - cost for cost in (least, most))
    return (gain * discounted(slow)).sum(axis=1), (possible * discounted(fast)).sum(axis=1)


class Reading(Bounded, Protocol):
    """A metric of users who spend something on each document."""

    patience: float

    def worth(self, grade: Ints, judged: JudgedRankings) -> Floats: ...
    def cost(self, documents: Ints | int, length: Floats, *, relevant: bool) -> Floats: ...
    def discounted(self, spent: Floats, own: Floats) -> Floats: ...
    def known_lengths(self, judged: JudgedRankings, lengths: Lengths) -> Lengths: ...
    def length_of_all(self) -> float: ...


class ReadingTime(ScoreBounds[Reading]):
    """Bounds of gains discounted by what was spent before them: TBG, U; outer."""

    open_range = (0.0, np.inf)

    def open_more(self, metric: Reading, judged: JudgedRankings) -> int | None:
        length = np.full(1, 0.0 if judged.lengths is not None else metric.length_of_all())
        least = min(float(metric.cost(1, length, relevant=found)[0]) for found in (True, False))
        number = np.ceil(metric.patience / least) if least > 0 else np.inf
        return int(number) if number <= FAR else None

    def on(self, metric: Reading, grid: Grid) -> Bounds:
        judged = grid.judgments
        gain = np.where(grid.judged, metric.worth(grid.grade, judged), 0.0)
        most_worth = metric.worth(metric.possible_grades(judged), judged).max()
        possible = np.where(grid.unjudged, most_worth, gain)
        length = self._lengths_on(metric, grid)
        read, passed = (metric.cost(1, length, relevant=found) for found in (True, False))
        known = np.where(gain > 0, read, passed)
        least, most = (
            np.where(grid.unjudged, end(read, passed), known) for end in (np.minimum, np.maximum)
        )
        return bounds_of_readers(gain, possible, least, most, lambda s: metric.discounted(s, read))

    def _lengths_on(self, metric: Reading, grid: Grid) -> Floats:
        """Return the lengths; a document below the end of a ranking can have any, also 0."""
        lengths = grid.judgments.lengths
        if lengths is None:
            return np.full(grid.grade.shape, metric.length_of_all(), np.float64)
        return metric.known_lengths(grid.judgments, lengths).of(*grid.cells)
