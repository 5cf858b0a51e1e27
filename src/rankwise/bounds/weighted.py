"""Bounds of a sum of fixed weights times gains: RBP, P, DCG and other weighted precisions."""

from typing import Any

import numpy as np

from rankwise.bounds.base import EXACT, ScoreBounds
from rankwise.bounds.grid import Bounds
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


class WeightedSums(ScoreBounds[Any]):
    """Bounds of Σ weight(rank) × gain. They are exact.

    The lower bound is the current score. For the upper bound, every unjudged document has the
    largest gain. Under the assumption `open`, every rank below the end of the ranking also has the
    largest gain. Documents outside the ranking have no effect.

    This class reads `weights`, `greatest` and `open_weight` of the metric.
    """

    exact = EXACT
    sees_elsewhere = True

    def in_view(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        low = metric.compute(judged)
        return low, low + metric.greatest(judged) * metric.open_weight(judged, unjudged)

    def rises_when_condensed(self, metric: Any) -> bool:
        # Inserting documents of the largest gain never lowers the cumulative gain at any rank, and
        # inserting documents without gain never raises it. The same holds for the score if the
        # weights do not increase with the rank.
        return bool((np.diff(metric.weights(1000)) <= 0).all())


class ScaledSum(ScoreBounds[Any]):
    """Bounds of a weighted sum S divided by the topic's largest gain G: ScaledRBP. They are exact.

    Let U be the total weight of the unjudged ranks, and w the weight of the lowest unjudged rank.
    As exceptions, w is 0 if a document outside the ranking may be judged, and infinite if no
    document can be judged. If G does not change, the score is between S / G and (S + gU) / G, where
    g is the largest possible gain up to G. If a larger gain h replaces G, at least one document has
    it, and the score is between S/h + w and S/h + U. The lower limit is smallest for the largest h,
    the upper limit largest for the smallest h.

    This class reads `weights`, `unscaled`, `greatest` and `worth` of the metric.
    """

    exact = EXACT
    sees_elsewhere = True

    def in_view(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        earned, now = metric.unscaled(judged), metric.greatest(judged)
        gains = np.unique(metric.worth(metric.possible_grades(judged), judged))
        open_weight = metric.weights.open_weight(judged, unjudged)
        number = judged.unjudged_count
        below_all = judged.total(judged.rank - judged.place == number[judged.ranking])
        last = np.maximum(judged.length - below_all, 1).astype(np.int64)
        elsewhere = (judged.unjudged_below > 0) | (unjudged == "open")
        lowest = np.where(number > 0, metric.weights.weight(last), np.inf)
        lowest = np.where(elsewhere, 0.0, lowest)
        place = np.searchsorted(gains, now, "right")  # index of the smallest gain above G
        most = (earned + gains[place - 1] * open_weight) / now
        least, greater = earned / now, place < len(gains)
        next_gain = np.append(gains, np.inf)[place]
        most = np.where(greater, np.maximum(most, earned / next_gain + open_weight), most)
        return np.where(greater, np.minimum(least, earned / gains[-1] + lowest), least), most
