"""Bounds on the difference of two runs that share their judgments, and verdicts.

A relevant document is relevant for both runs, so the difference of the two scores varies less than
the two scores vary separately. For metrics with a form (a type of formula; see forms.py), exact
bounds are computed, unless there are too many pairs. All other metrics have valid bounds: no
possible difference lies outside. Except under the assumption `open`, a search of limited effort
tightens these valid bounds.
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
