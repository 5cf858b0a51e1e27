"""Discounted cumulative gain and its normalised form."""

from dataclasses import dataclass

import numpy as np

from rankwise.judged import Floats, Ints, JudgedRankings
from rankwise.metrics.base import Metric, WeightedPrecision, gain_of, greatest_gain
from rankwise.metrics.names import register
from rankwise.metrics.parameters import Gains, choice, cutoff, flag, gains


def discount(rank: Ints) -> Floats:
    return 1 / np.log2(rank + 1)


def dcg_gain(grade: Ints, judged: JudgedRankings, gains: Gains | None, form: str) -> Floats:
    worth = gain_of(grade, judged, gains)
    return worth if form == "log2" else np.exp2(worth) - 1


@register()
@dataclass(frozen=True, kw_only=True)
class DCG(WeightedPrecision):
    """Discounted cumulative gain: Σ gain(i) / log2(i + 1).

    `dcg=exp-log2` takes 2^gain − 1 for the gain.

    Use it to see what nDCG divides. Do not average it over topics: a topic with many
    relevant documents outweighs the others, and the sum has no upper bound.
    Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; the discount is Burges et al.'s, 2005.

    >>> round(score_gains("DCG@5", [1, 1, 0, 0, 0]), 2)
    1.63
    """

    dcg: str = choice("log2", "exp-log2", default="log2")
    gains: Gains | None = gains()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def weight(self, rank: Ints) -> Floats:
        return discount(rank)

    def gain(self, judged: JudgedRankings) -> Floats:
        return dcg_gain(judged.grade, judged, self.gains, self.dcg)

    def greatest(self, judged: JudgedRankings) -> float:
        best = greatest_gain(judged, self.gains)
        return best if self.dcg == "log2" else float(np.exp2(best) - 1)


@register({"NDCG": "nDCG", "ndcg": "nDCG", "ndcg_cut_*": "nDCG@*"})
@dataclass(frozen=True, kw_only=True)
class nDCG(Metric):
    """DCG divided by the DCG of the topic's judged documents in the best order.

    nDCG@k = DCG@k / ideal DCG@k. The same as trec_eval's ndcg and ndcg_cut.

    Use it with graded judgments. Do not use it where few documents are judged: what was
    not judged is missing from the ideal too, and the score says little.
    Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.

    >>> round(score_gains("nDCG@6", [1, 1, 1, 1, 1, 0], judged=[1] * 6), 2)
    0.89
    """

    dcg: str = choice("log2", "exp-log2", default="log2")
    gains: Gains | None = gains()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        def gain(grade: Ints) -> Floats:
            return dcg_gain(grade, judged, self.gains, self.dcg)

        gaining = judged.relevant(1) if self.gains is None and judged.gains is None else judged
        ideal = judged.ideal_total(gain, discount, self.cutoff)
        ideal[ideal == 0] = np.nan  # nothing to gain: undefined
        return gaining.total(gain(gaining.grade) * discount(gaining.rank)) / ideal
