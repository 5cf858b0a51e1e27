"""Compatibility, which compares a ranking with an ideal ranking."""

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds import OverlapWithIdeal, summed
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import between, flag
from rankwise.metrics.registry import register
from rankwise.rankings import JudgedRankings


@register()
class Compat(Metric):
    """Compatibility: rank-biased overlap of the ranking with the nearest ideal ranking.

    The ideal ranking lists the relevant documents by grade and, within a grade, in the order of the
    evaluated ranking. With preference judgments it lists the documents that are preferred to at
    least one other document. These documents are sorted by the number of documents to which they
    are preferred, directly or through other documents (a over b, and b over c). RBO =
    Σ_d p^(d−1) |documents in the first d of both rankings| / d, divided by Σ_d p^(d−1). The sums
    run over depths d to the end of the longer ranking. With `normalize` the score is RBO divided by
    the RBO of the ideal ranking with itself, summed over the same depths.

    Use it with preference judgments, or if only the best documents matter. Avoid it if documents
    at deep ranks matter: depth d has the weight p^(d−1).
    Clarke, Vtyurina and Smucker, ACM TOIS 39(3), 2021.

    >>> round(score_gains("Compat", [0, 1]), 4)
    0.322
    """

    needs_relevant = True
    favours_the_top = True
    uses_preferences = True
    bounds = OverlapWithIdeal()
    p: float = between(0, 1, default=0.95, always=True)
    normalize: bool = flag(True)

    def compute(self, judged: JudgedRankings) -> Floats:
        found, count = judged.relevant(1), judged.judged_count(1)
        depth = np.maximum(judged.length, count)
        sums = self.overlap_sums(depth.max(initial=0))
        # A document is in both lists from the larger of its two ranks on.
        met = np.maximum(found.rank, self.ideal_rank(judged, found))
        overlap = found.total(sums[depth[found.ranking]] - sums[met - 1])
        return overlap / self.greatest(count, depth, sums)

    def overlap_sums(self, depth: int) -> Floats:
        ranks = np.arange(1.0, depth + 1)
        return np.concatenate([[0.0], np.cumsum(np.power(self.p, ranks - 1) / ranks)])

    def greatest(self, count: Ints, depth: Ints, sums: Floats) -> Floats:
        if not self.normalize:
            return (1 - np.power(self.p, np.maximum(depth, 1))) / (1 - self.p)
        # RBO of the ideal with itself: document j is in both lists from rank j on.
        return np.maximum(count * sums[depth] - summed(sums)[count], 1e-300)

    def ideal_rank(self, judged: JudgedRankings, found: JudgedRankings) -> Ints:
        ranks = np.zeros(len(found.rank), np.int64)
        for grade in np.unique(found.grade):
            here = found.grade == grade
            among = found.running(here)[here].astype(np.int64)
            ranks[here] = judged.judged_count(int(grade) + 1)[found.ranking[here]] + among
        return ranks
