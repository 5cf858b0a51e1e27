"""Experimental metrics of trec_eval: G and binG, and nDCG averaged over several ranks."""

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds import GainBehindIdeal, MeanRatioAtRelevant, MeanRatioAtSteps, NonrelevantAbove
from rankwise.metrics.dcg import Discounted
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import rel
from rankwise.metrics.registry import register
from rankwise.rankings import JudgedRankings, undiscounted


@register()
class G(Discounted):
    """Normalised gain, with a discount that grows as the ranking falls behind the ideal ranking.

    G = (1 / I) Σ gain(i) / log2(2 + cost(i) − cg(i)), where I is the total gain of the ideal
    ranking, and cg(i) the cumulative gain of the ranking down to rank i. cost(i) is the cumulative
    gain of the ideal ranking down to rank i, where a gain below 1 counts as 1.

    It is experimental. Use nDCG to report results.
    Buckley, trec_eval's G, 2008.

    >>> round(score_gains("G", [1, 0, 1]), 4)
    0.8155
    """

    needs_relevant = True
    favours_the_top = True
    bounds = GainBehindIdeal()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, ideal = judged.relevant(self.lowest(judged)), self.ideal(judged)
        worth = self.worth(rows.grade, judged)
        cost = self.cost(judged, rows.ranking, rows.rank)
        total = ideal.total(undiscounted)
        return rows.total(worth / np.log2(2 + cost - rows.running(worth))) / total

    def cost(self, judged: JudgedRankings, ranking: Ints, rank: Ints) -> Floats:
        ideal = self.ideal(judged)
        beyond = np.maximum(rank - ideal.size[ranking], 0)
        return ideal.at_least_one.down_to(ranking, rank, undiscounted) + beyond


@register()
class binG(Metric):
    """G with binary gains: each relevant document is discounted by the non-relevant ones above it.

    binG = (1/R) Σ 1 / log2(2 + number of non-relevant documents above the document). The sum is
    over the relevant documents retrieved. R is the number of all documents relevant to the topic.

    It is experimental. Use AP or nDCG to report results.
    Buckley, trec_eval's binG, 2008.

    >>> round(score_gains("binG", [1, 0, 1]), 4)
    0.8155
    """

    needs_relevant = True
    favours_the_top = True
    bounds = NonrelevantAbove()
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        total = found.total(1 / np.log2(2 + found.rank - found.place))
        return total / np.maximum(judged.judged_count(self.rel), 1)


class AlongTheRanking(Discounted):
    """Metrics that average nDCG over several ranks."""

    needs_relevant = True
    favours_the_top = True


@register({"ndcg_rel": "nDCGRel"})
class nDCGRel(AlongTheRanking):
    """nDCG at the rank of each relevant document, averaged over the relevant documents.

    For a relevant document that is not retrieved, the nDCG of the whole ranking is used.

    It is experimental. nDCG@k changes abruptly at ranks k where the ideal ranking moves to a lower
    grade, and this average smooths these changes. Use nDCG to report results.
    Buckley, trec_eval's ndcg_rel, 2008.

    >>> round(score_gains("nDCGRel", [0, 1, 1]), 4)
    0.5401
    """

    bounds = MeanRatioAtRelevant()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, ideal = judged.relevant(self.lowest(judged)), self.ideal(judged)
        gain = self.worth(rows.grade, judged)
        so_far = rows.running(gain * self.discount(rows.rank))
        best = ideal.down_to(rows.ranking, rows.rank, self.discount)
        gains = gain > 0
        at_documents = rows.total(np.where(gains, so_far / np.where(best > 0, best, 1), 0))
        whole = ideal.total(self.discount, self.cutoff)
        count = ideal.count_positive()
        missed = (count - rows.total(gains)) * self.discounted(judged) / whole
        return (at_documents + missed) / count


@register()
class Rndcg(AlongTheRanking):
    """nDCG averaged over several ranks: the last rank of each grade in the ideal ranking.

    For example, with 5 documents of grade 3, 3 of grade 2 and 10 of grade 1, it is the mean of
    nDCG@5, nDCG@8 and nDCG@18. If the ranking has at least two documents below the last of these
    ranks, the mean includes the nDCG of the whole ranking.

    It is experimental. Use nDCG to report results.
    Buckley, trec_eval's Rndcg, 2008.

    >>> round(score_gains("Rndcg", [1, 2, 0, 0]), 4)
    0.7398
    """

    bounds = MeanRatioAtSteps()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, ideal = judged.relevant(self.lowest(judged)), self.ideal(judged)
        earned = self.worth(rows.grade, judged) * self.discount(rows.rank)
        everyone = np.arange(judged.count)
        total, points, last = (np.zeros(judged.count) for _ in range(3))
        for level in np.unique(ideal.gain[ideal.gain > 0])[::-1]:
            here, reach = ideal.count_at(level), ideal.count_from(level)
            seen = rows.total(np.where(rows.rank <= reach[rows.ranking], earned, 0))
            best = ideal.down_to(everyone, reach.astype(np.int64), self.discount)
            total += np.where(here > 0, seen / np.where(best > 0, best, 1), 0)
            points += here > 0
            last = np.maximum(last, reach)
        goes_on = judged.length > last + 1  # as in trec_eval: one more document is not enough
        whole = ideal.total(self.discount)
        total += np.where(goes_on, rows.total(earned) / np.where(whole > 0, whole, 1), 0)
        return total / (points + goes_on)
