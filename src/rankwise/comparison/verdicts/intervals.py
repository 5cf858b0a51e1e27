"""Proven ends for any metric: what the intervals of two runs leave possible."""

from dataclasses import replace

import numpy as np

from rankwise.arrays import Bools
from rankwise.bounds.grid import Bounds
from rankwise.comparison.verdicts.contents import first_alike
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.metrics import Metric
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.retrieved import Retrieved
from rankwise.scores.evaluation import bounds_with_elsewhere, scores_of, unjudged_by_topic
from rankwise.vocabulary import Assumption


def ends_of_intervals(
    pairs: Pairs, metric: Metric, retrieved: Retrieved, unjudged: Assumption
) -> Ends:
    judged = pairs.judged
    a, b = pairs.of(scores_of(metric, judged))
    low, high = _bounds(judged, metric, unjudged)
    (low_a, low_b), (high_a, high_b) = pairs.of(low), pairs.of(high)
    separate = (low_a - high_b, high_a - low_b)
    alike = _alike(pairs, metric, retrieved, unjudged) & ~np.isnan(separate[0])
    low, high = (np.where(alike, 0.0, end) for end in separate)
    return Ends.outer(a - b, low, high, separate)


def _bounds(judged: JudgedRankings, metric: Metric, unjudged: Assumption) -> Bounds:
    """The interval of each ranking if what any run retrieved may be relevant; NaN if unknown."""
    elsewhere = unjudged_by_topic(judged)[judged.topic] - judged.unjudged_count
    return bounds_with_elsewhere(replace(judged, elsewhere=elsewhere), metric, unjudged)


def _alike(pairs: Pairs, metric: Metric, retrieved: Retrieved, unjudged: Assumption) -> Bools:
    """Whether the rankings are the same to the metric, whatever is judged: pairs × topics."""
    judged = pairs.judged
    cutoff = None if metric.judged_only else metric.cutoff
    if unjudged == "open" and cutoff is None:  # what follows below the end can differ
        return np.zeros((len(pairs.first), len(judged.topics)), np.bool_)
    first = judged.keep(("alike", cutoff), lambda: first_alike(judged, retrieved, cutoff))
    a, b = pairs.of(first)
    alike: Bools = a == b
    if unjudged == "open" and cutoff is not None:
        alike &= pairs.of(judged.length >= cutoff)[0]
    return alike
