"""Valid bounds on differences for any metric, from the bounds of both scores."""

from dataclasses import replace

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.comparison.verdicts.identical_rankings import first_alike
from rankwise.metrics import Metric
from rankwise.rankings import JudgedRankings
from rankwise.scores import bounds_with_other_runs, scores_of
from rankwise.vocabulary import Assumption


def bounds_of_any_metric(pairs: Pairs, metric: Metric, unjudged: Assumption) -> Ends:
    """Return valid bounds on differences, from the bounds of each run alone.

    The bounds are usually not tight. Documents that only other runs retrieved count too: if they
    are relevant, they change the divisor of a metric. Rankings that are identical down to the
    cutoff differ by 0.
    """
    judged = pairs.judged
    a, b = pairs.of(scores_of(metric, judged))
    low, high = bounds_with_other_runs(judged, metric, unjudged)
    (low_a, low_b), (high_a, high_b) = pairs.of(low), pairs.of(high)
    separate = (low_a - high_b, high_a - low_b)
    identical = _identical(pairs, metric, unjudged) & ~np.isnan(separate[0])
    low, high = (np.where(identical, 0.0, end) for end in separate)
    ends = Ends.outer(a - b, low, high)
    if not metric.divides_alike or metric.judged_only:
        return ends
    known = _known(pairs, metric, unjudged) & np.isfinite(a - b)
    return _with_what_is_divided(ends, known, high_a - high_b, low_a - low_b, metric, judged)


def _with_what_is_divided(
    ends: Ends, known: Bools, fewest: Floats, most: Floats, metric: Metric, judged: JudgedRankings
) -> Ends:
    """Tighten the bounds where both rankings are completely judged (`known`).

    Only the divisor, which both runs share, can then change, so the sign of the difference is
    fixed. `fewest` is the upper bound of A minus the upper bound of B, where the fewest other
    documents are relevant and the divisor is smallest. `most` is the lower bound of A minus the
    lower bound of B, where the divisor is largest.
    """
    least, greatest = np.minimum(fewest, most), np.maximum(fewest, most)
    low, high = np.where(known, least, ends.low), np.where(known, greatest, ends.high)
    exact = known & metric.bounds.is_exact(metric, judged)
    reached = (np.where(exact, low, ends.value), np.where(exact, high, ends.value))
    return replace(ends, low=low, high=high, reached_low=reached[0], reached_high=reached[1])


def _known(pairs: Pairs, metric: Metric, unjudged: Assumption) -> Bools:
    """Return whether both rankings are completely judged to the depth that the metric uses."""
    judged, cutoff = pairs.judged, metric.cutoff
    known = judged.top(cutoff).unjudged_count == 0
    if unjudged == "open":  # documents below the end are unknown
        known &= judged.length >= (cutoff or np.inf)
    a, b = pairs.of(known)
    return np.asarray(a & b)


def _identical(pairs: Pairs, metric: Metric, unjudged: Assumption) -> Bools:
    """Return whether two rankings have the same score under any judgments, as (pairs, topics)."""
    judged, retrieved = pairs.judged, pairs.retrieved
    cutoff = None if metric.judged_only else metric.cutoff
    if unjudged == "open" and cutoff is None:  # documents below the end can differ
        return np.zeros((len(pairs.first), len(judged.topics)), np.bool_)
    first = judged.keep(("alike", cutoff), lambda: first_alike(judged, retrieved, cutoff))
    a, b = pairs.of(first)
    alike: Bools = a == b
    if unjudged == "open" and cutoff is not None:
        alike &= pairs.of(judged.length >= cutoff)[0]
    return alike
