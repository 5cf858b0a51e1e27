"""Ends for nDCG, which divides a sum of weights by an ideal that both runs share."""

import numpy as np

from rankwise.arrays import Floats
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.comparison.verdicts.intervals import ends_of_intervals, unjudged_by_topic
from rankwise.comparison.verdicts.weights import ends_of_weights
from rankwise.metrics import Metric
from rankwise.metrics.base import Normalised
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.retrieved import Retrieved
from rankwise.vocabulary import Assumption


def ends_of_ratio(
    pairs: Pairs, metric: Metric, ratio: Normalised, retrieved: Retrieved, unjudged: Assumption
) -> Ends:
    """D / I, with D the difference in DCG and I the ideal, from what each can be.

    Judgments only raise the ideal: from I0 of today to at most I1, with all unjudged
    documents of the topic at the greatest gain. So D / I is least at the least D, over I0
    if that is negative and over I1 if not; and greatest likewise. Where the intervals of
    the runs say more, they are taken.
    """
    judged, earned = pairs.judged, ratio.earned
    sums = ends_of_weights(pairs, earned, retrieved, unjudged)
    apart = ends_of_intervals(pairs, metric, retrieved, unjudged)
    least = ratio.ideal(judged).total(earned.weight, earned.cutoff)
    most = _greatest_ideal(judged, ratio, retrieved, unjudged)
    ideal, greatest = pairs.of(np.where(least > 0, least, np.nan))[0], pairs.of(most)[0]
    low = sums.low / np.where(sums.low < 0, ideal, greatest)
    high = sums.high / np.where(sums.high > 0, ideal, greatest)
    return Ends(
        apart.value,
        np.fmin(np.fmax(low, apart.low), apart.value),  # today's is possible: undoes rounding
        np.fmax(np.fmin(high, apart.high), apart.value),
        apart.separate_low,
        apart.separate_high,
    )


def _greatest_ideal(
    judged: JudgedRankings, ratio: Normalised, retrieved: Retrieved, unjudged: Assumption
) -> Floats:
    """The ideal of each ranking's topic with its unjudged documents on top of the judged."""
    new, earned = unjudged_by_topic(judged, retrieved), ratio.earned
    cutoff = earned.cutoff or np.iinfo(np.int64).max
    if unjudged == "open":
        if earned.cutoff is None:
            return np.full(judged.count, np.inf)
        new = np.full(len(new), cutoff)
    ideal, gain = ratio.ideal(judged), earned.greatest(judged)
    rank = ideal.rank + new[ideal.topic]
    pushed = np.where(rank <= cutoff, ideal.gain * earned.weight(rank), 0.0)
    deepest = int(np.minimum(new, cutoff).max(initial=0))
    on_top = np.concatenate([[0.0], np.cumsum(earned.weight(np.arange(1, deepest + 1)))])
    totals = np.bincount(ideal.topic, pushed, len(new)) + gain * on_top[np.minimum(new, cutoff)]
    return np.asarray(totals[judged.topic])
