"""Metrics that compare a ranking with an ideal one, document by document."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.judged import Floats, Ints, JudgedRankings
from rankwise.metrics.base import Metric
from rankwise.metrics.names import register
from rankwise.metrics.parameters import between, flag


@register()
@dataclass(frozen=True, kw_only=True)
class Compat(Metric):
    """Compatibility: the rank-biased overlap of the ranking with the nearest ideal one.

    The ideal lists the relevant documents by grade and, within a grade, as the ranking
    has them. RBO = Σ p^(d−1) |common in the first d| / d over Σ p^(d−1), down to the end
    of the longer list; divided, with `normalize`, by that of the ideal with itself.

    Use it with preference judgments turned into grades, and for top-heavy grades. Do not
    use it to look below the ideal list.
    Clarke, Vtyurina and Smucker, ACM TOIS 39(3), 2021.

    >>> round(score_gains("Compat", [0, 1]), 4)
    0.322
    """

    needs_relevant: ClassVar[bool] = True
    p: float = between(0, 1, default=0.95, always=True)
    normalize: bool = flag(True)

    def compute(self, judged: JudgedRankings) -> Floats:
        found, count = judged.relevant(1), judged.judged_count(1)
        depth = np.maximum(judged.length, count)
        ranks = np.arange(1.0, depth.max(initial=0) + 1)
        sums = np.concatenate([[0.0], np.cumsum(np.power(self.p, ranks - 1) / ranks)])
        # A document is common to both from the greater of its two ranks on.
        met = np.maximum(found.rank, self._ideal_rank(judged, found))
        overlap = found.total(sums[depth[found.ranking]] - sums[met - 1])
        if not self.normalize:
            return overlap * (1 - self.p) / (1 - np.power(self.p, np.maximum(depth, 1)))
        # The ideal with itself: document j is common from rank j on.
        before = np.concatenate([[0.0], np.cumsum(sums[:-1])])
        return overlap / np.maximum(count * sums[depth] - before[count], 1e-300)

    def _ideal_rank(self, judged: JudgedRankings, found: JudgedRankings) -> Ints:
        ranks = np.zeros(len(found.rank), np.int64)
        for grade in np.unique(found.grade):
            here = found.grade == grade
            among = found.running(here)[here].astype(np.int64)
            ranks[here] = judged.judged_count(int(grade) + 1)[found.ranking[here]] + among
        return ranks
