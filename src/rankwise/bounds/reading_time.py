"""Bounds of gains discounted by the time or cost that users spend on the documents above."""

from typing import Any

import numpy as np

from rankwise.bounds.base import ScoreBounds
from rankwise.bounds.grid import Bounds, Grid
from rankwise.bounds.stopping_users import FAR
from rankwise.rankings import JudgedRankings


class ReadingTime(ScoreBounds[Any]):
    """Bounds of gains discounted by the cost of reading the documents above: TBG, U.

    The gain of a document is worth less if the documents above it cost more. A relevant document
    therefore adds the most if all unjudged documents above it cost the least, and the least if they
    cost the most. The upper bound also counts all unjudged documents as relevant. The bounds may
    not be tight, because the cost of an unjudged document depends on whether it is relevant.

    This class reads `patience`, `worth`, `cost`, `discounted`, `known_lengths` and `length_of_all`
    of the metric.
    """

    open_range = (0.0, np.inf)

    def open_more(self, metric: Any, judged: JudgedRankings) -> int | None:
        length = np.full(1, 0.0 if judged.lengths is not None else metric.length_of_all())
        least = min(float(metric.cost(1, length, relevant=found)[0]) for found in (True, False))
        number = np.ceil(metric.patience / least) if least > 0 else np.inf
        return int(number) if number <= FAR else None

    def on(self, metric: Any, grid: Grid) -> Bounds:
        judged = grid.judgments
        gain = np.where(grid.judged, metric.worth(grid.grade, judged), 0.0)
        most_worth = metric.worth(metric.possible_grades(judged), judged).max()
        possible = np.where(grid.unjudged, most_worth, gain)
        if judged.lengths is None:
            length = np.full(grid.grade.shape, metric.length_of_all(), np.float64)
        else:  # a document below the end of a ranking can have any length, including 0
            length = metric.known_lengths(judged, judged.lengths).of(*grid.cells)
        read, passed = (metric.cost(1, length, relevant=found) for found in (True, False))
        known = np.where(gain > 0, read, passed)
        least, most = (
            np.where(grid.unjudged, end(read, passed), known) for end in (np.minimum, np.maximum)
        )
        fast, slow = (
            metric.discounted(np.cumsum(cost, axis=1) - cost, read) for cost in (least, most)
        )
        return (gain * slow).sum(axis=1), (possible * fast).sum(axis=1)
