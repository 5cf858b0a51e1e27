"""Sum of fixed weights times gains: RBP, P, DCG and every other weighted precision."""

from typing import Protocol

import numpy as np

from rankwise.arrays import Floats
from rankwise.bounds.base import EXACT, Bounded, ScoreBounds
from rankwise.bounds.grid import Bounds
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


class Weighted(Bounded, Protocol):
    """A metric with a weight for each rank, and the greatest gain that a document can have."""

    def weights(self, depth: int) -> Floats: ...
    def greatest(self, judged: JudgedRankings) -> float: ...
    def open_weight(self, judged: JudgedRankings, unjudged: Assumption) -> Floats: ...


class WeightedSums(ScoreBounds[Weighted]):
    """Bounds of Σ weight(rank) × gain; exact.

    The lower bound is the score. The upper bound gives every unjudged document, and every rank
    below the end if that is open, the greatest gain. Documents elsewhere add nothing.
    """

    exact = EXACT
    sees_elsewhere = True

    def in_view(self, metric: Weighted, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        low = metric.compute(judged)
        return low, low + metric.greatest(judged) * metric.open_weight(judged, unjudged)

    def rises_when_condensed(self, metric: Weighted) -> bool:
        # The gain down to any rank rises with the best that enters and falls with nothing:
        # so does the score if no weight is greater than one above it.
        return bool((np.diff(metric.weights(1000)) <= 0).all())
