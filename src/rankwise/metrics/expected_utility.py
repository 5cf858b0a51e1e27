"""Expected utility at the rank where the users of ERR stop: EBR, iRBU, nEBR, niRBU.

The user stops at a document with probability g / (G + 1), where g is its gain and G the largest
possible gain, as in NTCIREVAL. With gains of 2^grade − 1 this is the probability of Chapelle et al.
(CIKM 2009). Users who never stop have utility 0.
"""

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds import (
    DiscountedStops,
    ExpectedRatio,
    NormalisedDiscountedStops,
    NormalisedExpectedRatio,
)
from rankwise.metrics.blended import Blended
from rankwise.metrics.gains import greatest_gain, in_best_order
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import Gains, between, cutoff, gains, whole
from rankwise.metrics.registry import register
from rankwise.rankings import Ideal, JudgedRankings, undiscounted


def chance_to_stop(metric: Metric, grade: Ints, judged: JudgedRankings) -> Floats:
    """Return the stopping probability g / (G + 1) of each grade, where g is its gain.

    G is the gain of grade `max_rel` or, if `max_rel` is None, the largest possible gain.
    """
    most = greatest_gain(judged, metric.gains)
    if metric.max_rel is not None:
        most = float(metric.worth(np.array([metric.max_rel]), judged)[0])
    return np.minimum(metric.worth(grade, judged), most) / (most + 1)


@register()
class EBR(Blended):
    """Expected blended ratio: Sakai's blended ratio where the users of ERR stop.

    EBR = Σ_r BR(r) R(r) Π_{i<r} (1 − R(i)) over the ranks r of relevant documents, where BR is the
    blended ratio (see Q). R(r) = g / (G + 1) is the probability to stop at the document of rank r,
    with gain g. G is the gain of `max_rel` or, by default, the largest gain of the grades in the
    qrels and in `gains`.

    Use it when users want one good document, and the documents above it matter too. It does not
    reach 1, since some users never stop; nEBR divides by the EBR of the best order.
    Sakai and Zeng, SIGIR 2019; NTCIREVAL's EBR.

    >>> score_gains("EBR(max_rel=1)", [0, 1, 1], judged=[1, 1])
    0.45
    """

    bounds = ExpectedRatio()
    max_rel: int | None = whole(1, None)

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        chance = self.chance(rows.grade, judged)
        return rows.total(chance * rows.running_product(1 - chance) * self.ratios(judged))

    def chance(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return np.where(grade >= self.rel, chance_to_stop(self, grade, judged), 0.0)


@register()
class nEBR(EBR):
    """EBR divided by the EBR of the topic's judged documents in the best order.

    In the best order every blended ratio (see Q) is 1. The EBR of the best order is therefore the
    probability that the user stops in its first k documents: 1 − Π (1 − R(i)) over i ≤ k, where
    R(i) is the probability to stop (see EBR) at the i-th document of the best order.

    Use it to average over topics whose best documents differ in grade. Avoid it with few judgments:
    the best order lacks the relevant documents that were not judged.
    Sakai and Zeng, SIGIR 2019, for EBR; NTCIREVAL's nEBR.

    >>> round(score_gains("nEBR(max_rel=1)", [0, 1, 1], judged=[1, 1]), 4)
    0.6
    """

    bounds = NormalisedExpectedRatio()

    def compute(self, judged: JudgedRankings) -> Floats:
        return super().compute(judged) / self.best(judged)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        return self.chance(grade, judged) > 0

    def best(self, judged: JudgedRankings) -> Floats:
        """Return, per ranking, the EBR of its topic's judged documents in the best order."""

        def loss(grade: Ints) -> Floats:
            return -np.log1p(-self.chance(grade, judged))

        total = Ideal.of(judged, loss).total(undiscounted, self.cutoff)
        return -np.expm1(-total)


class RankBiasedUtility(Metric):
    """Metrics whose users stop as in ERR, with utility p^r at rank r."""

    p: float = between(0, 1, default=0.99)
    gains: Gains | None = gains()
    max_rel: int | None = whole(1, None)
    cutoff: int | None = cutoff()

    def chance(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return chance_to_stop(self, grade, judged)

    def expected(self, judged: JudgedRankings) -> Floats:
        # No user stops at the other documents.
        rows = judged.relevant(self.lowest(judged))
        chance = self.chance(rows.grade, rows)
        utility = np.power(float(self.p), rows.rank)
        return rows.total(chance * rows.running_product(1 - chance) * utility)


@register()
class iRBU(RankBiasedUtility):
    """Intentwise rank-biased utility: ERR with p^r in place of 1/r.

    iRBU = Σ_r p^r R(r) Π_{i<r} (1 − R(i)), where R(r) = g / (G + 1) is the probability to stop at
    the document of rank r, with gain g. G is the gain of `max_rel` or, by default, the largest gain
    of the grades in the qrels and in `gains`. With p near 1 the rank where users stop hardly
    matters: the score is close to the probability that they are satisfied at all.

    Use it when satisfaction matters more than effort. iRBU and nDCG agreed best with users'
    preferences between result pages (Sakai and Zeng, ACM TOIS 39(2), 2021). Avoid it when the order
    of the documents matters: with p = 0.99, p^r differs by less than 0.1 between ranks 1 and 10.
    Sakai and Zeng, SIGIR 2019, after Amigó, Spina and Carrillo-de-Albornoz, SIGIR 2018; NTCIREVAL's
    iRBU.

    >>> round(score_gains("iRBU(max_rel=1)", [0, 1, 1]), 6)
    0.732625
    """

    bounds = DiscountedStops()

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.expected(judged)


@register()
class niRBU(RankBiasedUtility):
    """iRBU divided by the iRBU of the topic's judged documents in the best order.

    Use it to average over topics whose best documents differ in grade. Avoid it with few judgments:
    the best order lacks the relevant documents that were not judged.
    Sakai and Zeng, SIGIR 2019, for iRBU; NTCIREVAL's niRBU.

    >>> round(score_gains("niRBU(max_rel=1)", [0, 1, 1], judged=[1, 1]), 2)
    0.99
    """

    needs_relevant = True
    favours_the_top = True
    bounds = NormalisedDiscountedStops()

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.expected(judged) / self.best(judged)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        return self.chance(grade, judged) > 0

    def best(self, judged: JudgedRankings) -> Floats:
        """Return, per ranking, the iRBU of its topic's judged documents in the best order."""

        def best_of_topics() -> Floats:
            return self.expected(self.view(in_best_order(judged, self.chance)))

        return judged.keep(("best", self), lambda: best_of_topics()[judged.topic])
