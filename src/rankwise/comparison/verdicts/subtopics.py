"""Bounds on score differences for means over subtopics: P_IA, ERR_IA, IA(nDCG@10).

A document may be relevant to any set of subtopics, so subtopics can be judged independently. The
largest difference is therefore the mean of the largest differences on each subtopic, and the
smallest difference the mean of the smallest. On a subtopic, the difference is that of the inner
metric: nDCG@10 for IA(nDCG@10).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rankwise.arrays import Floats
from rankwise.bounds import greatest_mean, least_mean
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.scores import unjudged_by_topic
from rankwise.vocabulary import Assumption

if TYPE_CHECKING:
    from rankwise.metrics import Metric, OverSubtopics


def ends_over_subtopics(
    pairs: Pairs,
    metric: OverSubtopics,
    unjudged: Assumption,
    ends_of: Callable[[Pairs, Metric], Ends],
) -> Ends:
    """Return the bounds on differences, which are exact if the bounds of each subtopic are exact.

    The function `ends_of` returns the bounds of each subtopic by the inner metric. A subtopic
    without a relevant document enters the mean only under judgments that give it one. The bounds of
    a mean with such a subtopic are valid, but perhaps not tight, if the inner metric is defined
    without relevant documents.
    """
    judged, parts = pairs.judged, metric.parts(pairs.judged)
    ends = ends_of(Pairs(parts.rankings, pairs.first, pairs.second), metric.inner)
    topics, columns = len(judged.topics), len(parts.rankings.topics)
    topic, place = parts.origin[:columns], parts.place[:columns]
    weights = parts.weights[:topics]
    in_mean = metric.counted(parts)[:columns]
    can_enter = unjudged_by_topic(parts.rankings) > 0 if unjudged == "retrieved" else True
    later = np.where(can_enter, 0.0, np.nan)
    known = np.where(in_mean | metric.inner.needs_relevant, 0.0, np.nan)
    counted = np.zeros(weights.shape, np.bool_)
    counted[topic, place] = in_mean

    def table(values: Floats) -> Floats:
        found = np.full((len(pairs.first), *weights.shape), np.nan)
        found[:, topic, place] = values
        return found

    each = np.broadcast_to(weights, (len(pairs.first), *weights.shape))
    is_in = np.broadcast_to(counted, each.shape)
    open_to = np.where(in_mean, 0.0, later)
    with np.errstate(invalid="ignore"):
        return Ends(
            least_mean(table(np.where(in_mean, ends.value, np.nan)), is_in, weights=each),
            least_mean(table(ends.low + open_to), is_in, weights=each),
            greatest_mean(table(ends.high + open_to), is_in, weights=each),
            least_mean(table(ends.reached_low + known), is_in, weights=each),
            greatest_mean(table(ends.reached_high + known), is_in, weights=each),
        )
