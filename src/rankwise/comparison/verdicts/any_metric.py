"""Valid bounds on the score difference of two runs, for any metric, from bounds of both scores."""

import numpy as np

from rankwise.arrays import Bools
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.comparison.verdicts.identical_rankings import first_alike
from rankwise.metrics import Metric
from rankwise.scores import bounds_with_other_runs, scores_of
from rankwise.vocabulary import Assumption


def bounds_of_any_metric(pairs: Pairs, metric: Metric, unjudged: Assumption) -> Ends:
    """Return valid bounds on differences, from the bounds on the scores of each run.

    The bounds are usually not tight. Unjudged documents that only other runs retrieved are taken
    into account, because a relevant one can change the divisor of a metric, such as R. Rankings
    that are identical down to the cutoff have a difference of 0.
    """
    judged = pairs.judged
    a, b = pairs.of(scores_of(metric, judged))
    low, high = bounds_with_other_runs(judged, metric, unjudged)
    (low_a, low_b), (high_a, high_b) = pairs.of(low), pairs.of(high)
    separate = (low_a - high_b, high_a - low_b)
    identical = _identical(pairs, metric, unjudged) & ~np.isnan(separate[0])
    low, high = (np.where(identical, 0.0, end) for end in separate)
    value = a - b
    if not metric.divides_alike or metric.judged_only:
        return Ends(value, low, high, reached_low=value, reached_high=value)
    # Where both rankings are completely judged, only the divisor can change, which is the same for
    # both runs. So the sign of the difference is fixed. The upper bounds of both scores are reached
    # at the smallest divisor, with the fewest other relevant documents, and the lower bounds at the
    # largest divisor.
    known = _both_judged(pairs, metric, unjudged) & np.isfinite(value)
    fewest, most = high_a - high_b, low_a - low_b
    low = np.where(known, np.minimum(fewest, most), low)
    high = np.where(known, np.maximum(fewest, most), high)
    exact = known & metric.bounds.is_exact(metric, judged, "retrieved")
    return Ends(value, low, high, np.where(exact, low, value), np.where(exact, high, value))


def _both_judged(pairs: Pairs, metric: Metric, unjudged: Assumption) -> Bools:
    """Return a mask (pairs × topics) that is true where both rankings are completely judged.

    All documents down to the cutoff of the metric must be judged. Under `open`, both rankings must
    also reach the cutoff.
    """
    judged, cutoff = pairs.judged, metric.cutoff
    known = judged.top(cutoff).unjudged_count == 0
    if unjudged == "open":  # documents below the end are unknown
        known &= judged.length >= (cutoff or np.inf)
    a, b = pairs.of(known)
    return np.asarray(a & b)


def _identical(pairs: Pairs, metric: Metric, unjudged: Assumption) -> Bools:
    """Return a mask (pairs × topics) that is true where both rankings are identical.

    Such rankings have equal scores under any judgments.
    """
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
