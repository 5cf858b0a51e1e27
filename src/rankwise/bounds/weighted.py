"""Sum of fixed weights times gains: RBP, P, DCG and every other weighted precision; ScaledRBP."""

from typing import Protocol

import numpy as np

from rankwise.arrays import Floats, Ints
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


class RowWeighted(Weighted, Protocol):
    """A weighted sum whose weights can be asked for any rank."""

    def weight(self, rank: Ints) -> Floats: ...


class ScaledByTopic(Bounded, Protocol):
    """A weighted sum of gains that are divided by the greatest gain of the topic."""

    weights: RowWeighted

    def unscaled(self, judged: JudgedRankings) -> Floats: ...
    def greatest(self, judged: JudgedRankings) -> Floats: ...
    def worth(self, grade: Ints, judged: JudgedRankings) -> Floats: ...


class ScaledSum(ScoreBounds[ScaledByTopic]):
    """Bounds of a weighted sum S over the greatest gain G of the topic: ScaledRBP; exact.

    U is the weight of all unjudged ranks, w that of the lowest (0 where another document may be
    judged instead, infinite where none can). If G stays, the score lies between S / G and
    (S + gU) / G, g ≤ G the best gain. If it becomes a greater gain h, one document at least has
    it: S/h + w to S/h + U, whose least is that of the greatest h and whose greatest that of the
    least.
    """

    exact = EXACT
    sees_elsewhere = True

    def in_view(
        self, metric: ScaledByTopic, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds:
        earned, now = metric.unscaled(judged), metric.greatest(judged)
        gains = np.unique(metric.worth(metric.possible_grades(judged), judged))
        open_weight = metric.weights.open_weight(judged, unjudged)
        number = judged.unjudged_count
        below_all = judged.total(judged.rank - judged.place == number[judged.ranking])
        last = np.maximum(judged.length - below_all, 1).astype(np.int64)
        elsewhere = (judged.unjudged_below > 0) | (unjudged == "open")
        lowest = np.where(number > 0, metric.weights.weight(last), np.inf)
        lowest = np.where(elsewhere, 0.0, lowest)
        place = np.searchsorted(gains, now, "right")  # of the least gain above G
        most = (earned + gains[place - 1] * open_weight) / now
        least, greater = earned / now, place < len(gains)
        next_gain = np.append(gains, np.inf)[place]
        most = np.where(greater, np.maximum(most, earned / next_gain + open_weight), most)
        return np.where(greater, np.minimum(least, earned / gains[-1] + lowest), least), most
