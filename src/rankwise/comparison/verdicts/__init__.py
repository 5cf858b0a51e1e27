"""Bounds on the score difference of two runs over all possible judgments, and verdicts.

A verdict names the run that is guaranteed to be better, if there is one. A relevant document is
relevant for both runs. Bounds on the difference are therefore tighter than the lower bound of one
score minus the upper bound of the other. Exact bounds are computed for metrics whose formula is of
one of the types in forms.py. With very many pairs of runs, they are computed only for the pairs
whose bounds come closest to excluding 0. All other bounds are valid: no possible difference lies
outside, but they may be too wide. For metrics with another formula, a search tightens the bounds,
until it has visited a maximum number of documents. There is no search under the assumption `open`
(any document can be relevant).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.comparison.verdicts.any_pair import (
        EFFORT as EFFORT,
        difference_bounds as difference_bounds,
    )
    from rankwise.comparison.verdicts.differences import (
        Differences as Differences,
        Ends as Ends,
        mean_of_topics as mean_of_topics,
    )
    from rankwise.comparison.verdicts.weighted_sums import (
        between_runs as between_runs,
        deepest_weight as deepest_weight,
        meetings as meetings,
        row_weights as row_weights,
        weights_of as weights_of,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
