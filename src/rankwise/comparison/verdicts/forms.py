"""`Form`: base class of exact bounds on score differences, one subclass per type of formula."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds import Bounds
from rankwise.comparison.verdicts.any_metric import bounds_of_any_metric
from rankwise.comparison.verdicts.differences import Ends, Pairs, mean_of_topics
from rankwise.comparison.verdicts.pair_documents import Cells, RowsByRanking, cells_of
from rankwise.metrics import Metric
from rankwise.rankings import Retrieved
from rankwise.scores import scores_of, unjudged_by_topic
from rankwise.vocabulary import Assumption

# Maximum number of formula steps per metric, for all pairs; this takes some minutes. All 8,256
# pairs of TREC-8 by nDCG to depth 1,000 take 700 million. Above the maximum, only some pairs have
# exact bounds, within the second limit; the bounds of all other pairs are valid.
MOST_STEPS = 1_000_000_000
STEPS_FOR_SOME = 100_000_000


@dataclass(frozen=True, eq=False)
class Form(ABC):
    """Exact bounds of differences, for metrics with the same form (type of formula).

    `form` is the form that the metric declares, with its parameters. A subclass implements the
    formula (`extremes`) and its `cost`.
    """

    pairs: Pairs
    metric: Metric
    form: Any
    unjudged: Assumption

    @abstractmethod
    def extremes(self, cells: Cells) -> Bounds:
        """Return the smallest and the largest A − B of each cell (a pair of runs on a topic).

        The extremes are NaN where no judgments define the score of the topic.
        """

    def cost(self, documents: Floats, elsewhere: Floats) -> Floats:
        """Return the number of steps of the formula for each pair and topic.

        `documents` is the number of unjudged documents of both rankings together, of shape (pairs,
        topics). `elsewhere` is the number of all unjudged documents of each topic.
        """
        return documents

    @property
    def is_covered(self) -> Bools:
        """Mask of the rankings to which the formula applies.

        By default these are all rankings, but none under the assumption `open`, because rankings
        can then continue below their ends.
        """
        return np.full(self.pairs.judged.count, self.unjudged == "retrieved")

    @property
    def rows(self) -> Retrieved:
        """Unjudged documents whose ranks matter: those down to the cutoff."""
        return self.pairs.unjudged_to(self.metric.cutoff)

    @property
    def elsewhere(self) -> Floats:
        """Number of unjudged documents of each topic that may be relevant."""
        return unjudged_by_topic(self.pairs.judged).astype(np.float64)

    def outer(self) -> Ends:
        """Return valid bounds of the differences, used where the formula does not apply."""
        return bounds_of_any_metric(self.pairs, self.metric, self.unjudged)

    def ends(self) -> Ends:
        """Return the bounds of the differences, by the formula where possible.

        If the formula takes too many steps for all pairs, it is used only for the pairs closest to
        a verdict. Bounds without the formula are those of `outer`, which are valid.
        """
        pairs, is_covered, rows, elsewhere = self.pairs, self.is_covered, self.rows, self.elsewhere
        if not is_covered.any():
            return self.outer()
        chosen = np.arange(len(pairs.first))
        count = np.bincount(rows.ranking(len(pairs.judged.topics)), minlength=pairs.judged.count)
        documents = np.add(*pairs.of(count)).astype(np.float64)
        cost = self.cost(documents, elsewhere).sum(axis=1)  # of each pair
        if is_covered.all() and cost.sum() <= MOST_STEPS:
            value = np.subtract(*pairs.of(scores_of(self.metric, pairs.judged)))
            ends = Ends(value, *np.full((4, *value.shape), np.nan))
        else:
            ends = Ends(*map(np.copy, self.outer()))
            order = undecided_first(ends, is_sum=self.metric.aggregate == "sum")
            limit = MOST_STEPS if cost.sum() <= MOST_STEPS else STEPS_FOR_SOME
            chosen = order[np.cumsum(cost[order]) <= limit]
        for cells in cells_of(pairs, chosen, RowsByRanking.of(pairs, chosen, rows), elsewhere):
            exact = is_covered[cells.a] & is_covered[cells.b]
            at = (cells.pair[exact], cells.topic[exact])
            low, high = (end[exact] for end in self.extremes(cells))
            # The current difference is always possible: bounds that exclude it are rounding errors.
            ends.low[at] = ends.reached_low[at] = np.fmin(low, ends.value[at])
            ends.high[at] = ends.reached_high[at] = np.fmax(high, ends.value[at])
        return ends


def undecided_first(ends: Ends, *, is_sum: bool) -> Ints:
    """Return the indices of all pairs in the order in which their bounds are to be tightened.

    Undecided pairs come first, starting with those that are closest to a verdict.
    """
    mean = mean_of_topics(ends, is_sum=is_sum)
    need = np.where(np.isnan(mean.to_resolve), 1.0, mean.to_resolve)
    return np.argsort(np.where(mean.verdict == "undecided", need, 2.0), kind="stable")
