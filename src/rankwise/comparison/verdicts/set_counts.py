"""Exact bounds on score differences for SetAP and Shaw.

These metrics depend on counts of documents (retrieved, relevant, and both), not on ranks.
"""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.bounds import Bounds
from rankwise.comparison.verdicts.forms import Form
from rankwise.comparison.verdicts.pair_documents import Cells
from rankwise.metrics import ByFound
from rankwise.rankings import JudgedRankings


@dataclass(frozen=True, eq=False)
class SetCounts(Form):
    """A score of three counts: documents retrieved, relevant, and both retrieved and relevant."""

    form: ByFound

    def extremes(self, cells: Cells) -> Bounds:
        judged, least_count = self.metric.view(self.pairs.judged), int(self.metric.needs_relevant)
        greatest, least = (
            _greatest(sides, judged, self.form, least_count) for sides in (cells, cells.swapped())
        )
        return -least, greatest

    def cost(self, documents: Floats, elsewhere: Floats) -> Floats:
        """Return an estimate of the number of steps of the formula for each pair and topic.

        There is one step for each number of new relevant documents and each number of those that
        both runs retrieved.
        """
        return documents * (1.0 + elsewhere)


def _greatest(cells: Cells, judged: JudgedRankings, metric: ByFound, least_count: int) -> Floats:
    """Return the largest A − B of each cell (pair of runs on a topic), NaN if undefined.

    New relevant documents are unjudged documents assumed to be relevant; shared documents are
    retrieved by both runs. All numbers of new relevant documents, shared or not, are tried. The
    score rises with the number of relevant documents retrieved. For given numbers of new relevant
    documents and of shared documents among these, the difference is therefore largest if the
    remaining ones are chosen first from the documents of A alone, then from those of neither run,
    and last from those of B alone. With fewer than `least_count` relevant documents the score is
    undefined. `judged` has the rankings as the metric uses them.
    """
    seen = judged.relevant(metric.rel)
    found, length = (x.astype(np.float64) for x in (np.diff(seen.row_start), judged.length))
    known, most = judged.judged_count(metric.rel)[cells.a], cells.count + cells.elsewhere
    of_a, of_b = (cells.there & (rank > 0) for rank in (cells.rank_a, cells.rank_b))
    only_a, only_b, shared = (_count(which) for which in (of_a & ~of_b, of_b & ~of_a, of_a & of_b))
    both = np.arange(int(shared.max(initial=0)) + 1)
    best = np.full(len(known), -np.inf)
    for number in range(int(most.max(initial=0)) + 1):
        left = number - both
        in_a = np.minimum(left, only_a)
        in_b = left - in_a - np.minimum(left - in_a, cells.elsewhere[:, None])
        relevant = (known + number)[:, None].astype(np.float64)
        possible = (both <= shared) & (left >= 0) & (in_b <= only_b) & (relevant >= least_count)
        a, b = (
            metric.of_counts(found[run][:, None] + both + new, length[run][:, None], relevant)
            for run, new in ((cells.a, in_a), (cells.b, in_b))
        )
        best = np.maximum(best, np.where(possible, a - b, -np.inf).max(axis=1))
    return np.where(np.isneginf(best), np.nan, best)


def _count(which: Bools) -> Floats:
    return which.sum(axis=1, keepdims=True).astype(np.float64)
