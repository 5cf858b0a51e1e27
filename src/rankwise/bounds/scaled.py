"""Sum of gains divided by the greatest gain of the topic, which a new judgment can raise."""

from typing import Protocol

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.base import EXACT, Bounded, ScoreBounds
from rankwise.bounds.grid import Bounds
from rankwise.bounds.weighted import Weighted
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


def scaled_bounds(
    earned: Floats, now: Floats, gains: Floats, open_weight: Floats, lowest: Floats
) -> Bounds:
    """Return the bounds of S / G, for each ranking; exact.

    S is what is `earned` now, unscaled, G what it is divided by `now`, `gains` are those that
    a document can get, in order, U is the weight of all unjudged ranks (`open_weight`), w that
    of the `lowest` (0 where another document may be judged instead, infinite where none can).

    If G stays, the score lies between S / G and (S + gU) / G, g ≤ G the best gain.
    If it becomes a greater gain h, one document at least has it: S/h + w to S/h + U,
    whose least is that of the greatest h and whose greatest that of the least.
    """
    place = np.searchsorted(gains, now, "right")  # of the least gain above G
    most = (earned + gains[place - 1] * open_weight) / now
    least, greater = earned / now, place < len(gains)
    next_gain = np.append(gains, np.inf)[place]
    most = np.where(greater, np.maximum(most, earned / next_gain + open_weight), most)
    return np.where(greater, np.minimum(least, earned / gains[-1] + lowest), least), most


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
    """Bounds of a weighted sum over the greatest gain of the topic: ScaledRBP; exact."""

    exact = EXACT
    sees_elsewhere = True

    def in_view(
        self, metric: ScaledByTopic, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds:
        return scaled_bounds(
            metric.unscaled(judged),
            metric.greatest(judged),
            np.unique(metric.worth(metric.possible_grades(judged), judged)),
            metric.weights.open_weight(judged, unjudged),
            self._lowest_weight(metric, judged, unjudged),
        )

    def _lowest_weight(
        self, metric: ScaledByTopic, judged: JudgedRankings, unjudged: Assumption
    ) -> Floats:
        """Return what a document of the greatest gain must add; infinity if none can be judged."""
        number = judged.unjudged_count
        below_all = judged.total(judged.rank - judged.place == number[judged.ranking])
        last = np.maximum(judged.length - below_all, 1).astype(np.int64)
        elsewhere = (judged.unjudged_below > 0) | (unjudged == "open")
        lowest = np.where(number > 0, metric.weights.weight(last), np.inf)
        return np.where(elsewhere, 0.0, lowest)
