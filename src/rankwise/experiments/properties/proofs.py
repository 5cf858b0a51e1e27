"""Proofs of properties of metrics that are a sum of fixed weights, such as RBP.

A score is Σ w(i) g(i) over the ranks i from 1 to k: w(i) is the weight of rank i, and g(i) ≥ 0 the
gain of its document. Properties are proved only for rankwise's own metrics, because the formula of
a user's metric is not known.
"""

import numpy as np

from rankwise.experiments.properties.rankings import at_depth
from rankwise.metrics import Metric

COMPLETE = "a sum has a value for any number of relevant documents"
BOUNDED = "the weights have a finite sum, and gains have a maximum"
MONOTONIC = "weights do not change with k: one more document adds its weight times its gain"
CONVERGENT = "every weight is above 0: a greater gain in the first k raises the sum"
FALLING = (
    "each rank has a larger weight than the ranks below: the larger gain moves to the larger weight"
)
LOCALIZED = "a gain depends on the grade only, and documents below rank k add nothing"
DEPTHS = (1, 2, 16, 64)


def proved(metric: Metric) -> dict[str, str]:
    """Return {property: argument} for the properties that follow from the metric's formula."""
    weights = metric.sum_of_weights
    if weights is None or weights.ties == "share" or not metric.is_builtin:
        return {}
    arguments = {"complete": COMPLETE}
    # Without `max_rel`, the highest grade of the collection scales the gains.
    if metric.max_rel is not None or "max_rel" not in metric.parameters:
        arguments["localized"] = LOCALIZED
    # Either all weights of a built-in metric depend on k, or none:
    # see `test_weights_said_not_to_change_with_k_never_read_the_cutoff`.
    ranks = np.arange(1, DEPTHS[-1] + 1)
    cut = [at_depth(weights, depth).weight(ranks[:depth]) for depth in DEPTHS]
    if all(np.array_equal(one, cut[-1][: len(one)]) for one in cut):
        arguments["monotonic"] = MONOTONIC
    if np.isfinite(weights.weight_after(np.array([0]))[0]):
        arguments["bounded"] = BOUNDED
    if weights.weights_fall:
        arguments |= {"convergent": CONVERGENT, "top-weighted": FALLING, "SWAP": FALLING}
    return arguments
