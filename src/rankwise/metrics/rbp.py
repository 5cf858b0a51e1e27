"""Rank-biased precision, and related metrics with a fixed weight for each rank."""

from functools import lru_cache, partial
from typing import Self

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds import RatioOfAnother, ScaledSum, Unchanged, levels_of
from rankwise.errors import WrongParameter
from rankwise.metrics.dcg import DCG, nDCG
from rankwise.metrics.gains import (
    check_range,
    check_unit,
    greatest_gain,
    possible_grades,
    unit_gain_of,
)
from rankwise.metrics.inverse_squares import inverse_squares
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import (
    Gains,
    above,
    at_least,
    between,
    choice,
    cutoff,
    flag,
    gains,
    rel,
    ties,
    whole,
)
from rankwise.metrics.registry import register
from rankwise.metrics.traits import Normalised
from rankwise.metrics.weighted import WeightedPrecision
from rankwise.rankings import JudgedRankings

NEAR_RANKS = 1 << 16  # moments of a beta distribution are computed as products down to this rank


class UnitGain(WeightedPrecision):
    """Weighted precisions with gains between 0 and 1, and therefore scores between 0 and 1."""

    rel: int = rel()
    gains: Gains | None = gains()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()
    ties: str = ties()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, self.gains)

    @property
    def takes_gains(self) -> bool:
        return self.rel == 1  # a higher `rel` makes the gain binary

    def at_levels_of(self, judged: JudgedRankings) -> Self:
        found = super().at_levels_of(judged)
        if found.rel == self.rel or found.rel > 1 or self.gains is not None:
            return found
        ones = {int(grade): 1 for grade in possible_grades(judged, None) if grade > 0}
        return found.altered(gains=ones)  # otherwise the gains of the qrels would be used

    def _is_binary(self, judged: JudgedRankings) -> bool:
        return self.gains is None and (judged.gains is None or not self.takes_gains)

    def gain(self, judged: JudgedRankings) -> Floats:
        if self._is_binary(judged):
            return super().gain(judged)
        return unit_gain_of(self, judged.grade, judged, self.gains)

    def greatest(self, judged: JudgedRankings) -> float:
        return 1.0 if self._is_binary(judged) else greatest_gain(judged, self.gains)

    def lowest(self, judged: JudgedRankings) -> int:
        return self.rel if self._is_binary(judged) else 0


@register()
class RBP(UnitGain):
    """Rank-biased precision: users continue to the next document with probability p.

    RBP = (1 − p) Σ gain(i) p^(i−1), the gain per document viewed. The gain is 1 for grades from
    `rel` on, otherwise 0. A table of gains between 0 and 1 replaces this gain: `gains` of the
    metric or of `rankwise.read`. With a `rel` above 1 the table of `rankwise.read` is ignored. The
    weight of all ranks below depth d is p^d. A score therefore has a residual: the amount that
    unjudged documents and the rest of the ranking could add.

    Use it with incomplete judgments, and choose p for your users. With p = 0.5 they look at two
    documents on average, with 0.8 at five, and with 0.95 at twenty. With p = 0 they look only at
    the first document, and RBP is P@1. Avoid comparing scores at different p. A topic with few
    relevant documents cannot reach 1.
    Moffat and Zobel, ACM TOIS 27(1), 2008.

    >>> score_gains("RBP(p=0.5)", [1, 1, 0, 0, 0, 1])
    0.765625
    """

    persistence = "p"
    p: float = between(0, 1, default=0.8, always=True, from_low=True)

    def weight(self, rank: Ints) -> Floats:
        return (1 - self.p) * np.power(float(self.p), rank - 1)

    @property
    def weights_fall(self) -> bool:
        return self.p > 0

    def weight_after(self, depth: Ints) -> Floats:
        return np.power(float(self.p), depth)


@register({"rbp_resid": "RBPResidual(p=0.9,tail=if-unjudged)"})
class RBPResidual(Metric):
    """Residual of RBP: the weight of the unjudged ranks and of all ranks below the ranking's end.

    RBPResidual = p^d + (1 − p) Σ p^(i−1) over the unjudged ranks i, where d is the length of the
    ranking. Negative grades count as unjudged. With `tail=if-unjudged`, as in trec_eval's
    rbp_resid, the residual is 0 instead of p^d if every document is judged.

    Use it beside RBP. It does not measure quality.
    Moffat and Zobel, ACM TOIS 27(1), 2008, Section 4.4.

    >>> score_gains("RBPResidual(p=0.5)", [1, None, 0])
    0.375
    """

    is_diagnostic = True
    bounds = Unchanged()
    p: float = between(0, 1, default=0.8, always=True, from_low=True)
    tail: str = choice("always", "if-unjudged", default="always")

    def compute(self, judged: JudgedRankings) -> Floats:
        usable = judged.rows_where(judged.grade >= 0)
        length = usable.seen_length
        end = np.cumsum(length)
        start = end - length
        unjudged = np.ones(int(length.sum()), bool)  # of the ranks of all rankings
        rows = np.flatnonzero(usable.rank <= length[usable.ranking])
        unjudged[start[usable.ranking[rows]] + usable.rank[rows] - 1] = False
        place = np.flatnonzero(unjudged)
        ranking = np.searchsorted(end, place, side="right")
        # Powers by multiplication, and one sum per ranking in the order of ranks: the output of
        # trec_eval's rbp_resid depends on the last bit where the fifth decimal is a 5.
        steps = np.full(int(length.max(initial=0)), float(self.p))
        powers = np.multiply.accumulate(np.concatenate([[1.0], steps]))
        weight = np.bincount(ranking, powers[place - start[ranking]], usable.count)
        residual = powers[length] + (1 - self.p) * weight
        if self.tail == "if-unjudged":
            return np.where(usable.unjudged_count > 0, residual, 0.0)
        return residual


@register()
class InvSq(UnitGain):
    """Weighted precision with weight 1 / (i (i + 1)) at rank i: RBP averaged over all p.

    p is uniformly distributed between 0 and 1. The weights sum to 1, and the total weight of all
    ranks below depth d is 1 / (d + 1).

    Use it in place of RBP when no single p fits. Avoid it with shallow judgments, because ranks far
    down have much weight.
    Moffat 2013, after Zhang, Park and Moffat.

    >>> score_gains("InvSq", [1, 0, 1])
    0.5833333333333334
    """

    weights_fall = True

    def weight(self, rank: Ints) -> Floats:
        return 1 / (rank * (rank + 1.0))

    def weight_after(self, depth: Ints) -> Floats:
        return 1 / (depth + 1.0)


@register()
class BetaRBP(UnitGain):
    """RBP averaged over users whose p has a beta distribution with parameters α and β.

    The weight of rank i is E[(1 − p) p^(i−1)] = B(α + i − 1, β + 1) / B(α, β), with the beta
    function B. The weight of all ranks below depth d is E[p^d] = B(α + d, β) / B(α, β). With α = β
    = 1, p is uniform and the metric is InvSq. `rankwise metrics user-model --fit` estimates α and β
    from a log.

    Use it when one p does not fit your users. Avoid it with shallow judgments if β is small: some
    users look far down, and ranks far down have much weight.
    Carterette, Kanoulas and Yilmaz, CIKM 2011.

    >>> round(score_gains("BetaRBP(alpha=4,beta=1)", [1, 0, 1]), 6)
    0.295238
    """

    weights_fall = True
    alpha: float = above(0, 1)
    beta: float = above(0, 1)

    def weight(self, rank: Ints) -> Floats:
        return self.beta / (self.alpha + self.beta + rank - 1) * self.weight_after(rank - 1)

    def weight_after(self, depth: Ints) -> Floats:
        near = _moments(self.alpha, self.beta)[np.minimum(depth, NEAR_RANKS)]
        if np.max(depth, initial=0) <= NEAR_RANKS:
            return near
        from scipy.special import betaln  # takes longer to import than a run to score

        far = np.exp(betaln(self.alpha + depth, self.beta) - betaln(self.alpha, self.beta))
        return np.where(np.asarray(depth) <= NEAR_RANKS, near, far)


@lru_cache(maxsize=8)
def _moments(alpha: float, beta: float) -> Floats:
    """Return the moments E[p^d] for d = 0, 1, … of a beta distribution.

    E[p^d] = B(α + d, β) / B(α, β) = Π (α + j) / (α + β + j) over j < d.
    """
    number = np.arange(NEAR_RANKS, dtype=np.longdouble)
    steps = (alpha + number) / (alpha + beta + number)
    return np.concatenate([[1], np.cumprod(steps)]).astype(np.float64)


@register()
class INSQ(UnitGain):
    """Weighted precision for users who want T relevant documents.

    The weight of rank i is proportional to 1 / (i + 2T − 1)². The weights sum to 1 over all ranks
    or, with a cutoff k, over the first k ranks. cwl_eval's INSQ is INSQ@1000. With `max_rel` and
    without `gains` the gain is (grade − min_rel) / (max_rel − min_rel).

    Use it when users who have read far down are likely to read on. Avoid it with shallow judgments,
    because ranks far down have much weight.
    Moffat, Scholer and Thomas, ADCS 2012.

    >>> round(score_gains("INSQ(T=1)", [1, 0, 1]), 4)
    0.4845
    """

    weights_fall = True
    T: float = at_least(0.5, 1)
    max_rel: int | None = whole(1, None)
    min_rel: int = whole(0, 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, self.min_rel, self.max_rel)
        if self.min_rel and self.max_rel is None:
            raise WrongParameter(
                "min_rel has no effect without max_rel. Set max_rel, or remove min_rel.",
                source=str(self),
            )

    @property
    def takes_gains(self) -> bool:
        return super().takes_gains and self.max_rel is None

    def gain(self, judged: JudgedRankings) -> Floats:
        if self.max_rel is None:
            return super().gain(judged)
        return self._scaled(judged.grade, judged)

    def greatest(self, judged: JudgedRankings) -> float:
        if self.max_rel is None:
            return super().greatest(judged)
        return float(self._scaled(possible_grades(judged, self.gains), judged).max())

    def lowest(self, judged: JudgedRankings) -> int:
        return super().lowest(judged) if self.max_rel is None else 0

    def _scaled(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return unit_gain_of(self, grade, judged, self.gains, self.max_rel, self.min_rel)

    def weight(self, rank: Ints) -> Floats:
        tail = 0.0 if self.cutoff is None else inverse_squares(self.cutoff + 2.0 * self.T)
        return 1 / (rank + 2.0 * self.T - 1) ** 2 / (inverse_squares(2.0 * self.T) - tail)

    def weight_after(self, depth: Ints) -> Floats:
        return np.asarray(inverse_squares(depth + 2.0 * self.T) / inverse_squares(2.0 * self.T))


@register({"rbp": "ScaledRBP(p=0.9)"})
class ScaledRBP(Metric):
    """RBP of graded gains, divided by the largest gain of the topic.

    ScaledRBP = (1 − p) Σ gain(i) p^(i−1) / max(1, G), where G is the largest gain of the topic's
    judged documents and of the table of gains, if there is one. trec_eval's rbp is meant to compute
    this, but trec_eval 10.0 reads G from uninitialised memory.

    Use it to compare with trec_eval. Avoid it for new work: if another run finds a better document,
    the scores of unchanged rankings drop. RBP with `gains` between 0 and 1 does not have this
    fault.
    Moffat and Zobel, ACM TOIS 27(1), 2008; trec_eval's rbp.

    >>> score_gains("ScaledRBP(p=0.5)", [2, 0, 4])
    0.375
    """

    counts_missed = True  # a missed document may have the largest gain
    bounds = ScaledSum()
    p: float = between(0, 1, default=0.8, always=True, from_low=True)
    gains: Gains | None = gains()

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.unscaled(judged) / self.greatest(judged)

    def contributions(self, judged: JudgedRankings) -> Floats:
        gain = self.worth(judged.grade, judged)
        weight = self.weights.row_weights(judged)
        return gain * weight / self.greatest(judged)[judged.ranking]

    @property
    def weights(self) -> RBP:
        return RBP(p=self.p)

    def unscaled(self, judged: JudgedRankings) -> Floats:
        gain = self.worth(judged.grade, judged)
        return judged.total(gain * self.weights.row_weights(judged))

    def greatest(self, judged: JudgedRankings) -> Floats:
        """Return the divisor max(1, G) of each ranking, where G is its topic's largest gain."""
        sizes = np.diff(judged.topic_start)
        table = dict(self.gains) if self.gains is not None else (judged.gains or {})
        best = np.full(len(sizes), max([1.0, *table.values()]))
        gain = self.worth(judged.topic_grades, judged)
        np.maximum.at(best, np.repeat(np.arange(len(sizes)), sizes), gain)
        return best[judged.topic]


class Persistent(nDCG):
    """nDCG with the weights of RBP in place of the logarithmic discount, used to compute nRBP."""

    p: float = between(0, 1, default=0.8)

    def discount(self, rank: Ints) -> Floats:
        return np.power(float(self.p), rank - 1)


class PersistentSum(DCG):
    """DCG with the weights of RBP: the numerator of nRBP."""

    p: float = between(0, 1, default=0.8)

    def discount(self, rank: Ints) -> Floats:
        return np.power(float(self.p), rank - 1)

    def weight_after(self, depth: Ints) -> Floats:
        return np.power(float(self.p), depth) / (1 - self.p)


@register()
class nRBP(Metric):
    """RBP of graded gains, divided by the RBP of the topic's judged documents in the best order.

    nRBP@k = Σ gain(i) p^(i−1) / Σ ideal gain(i) p^(i−1) over the first k ranks. NTCIREVAL uses p =
    0.95.

    Use it when the user model of RBP fits and all topics should have the same weight, including
    those with few relevant documents. Avoid it with few judgments: the ideal ranking lacks the
    relevant documents that were not judged, and the residual of RBP no longer bounds the score.
    Moffat and Zobel, ACM TOIS 27(1), 2008, for RBP; NTCIREVAL's nRBP.

    >>> score_gains("nRBP(p=0.5)", [0, 1, 1], judged=[1, 1, 1])
    0.42857142857142855
    """

    needs_relevant = True
    favours_the_top = True
    bounds = RatioOfAnother()
    p: float = between(0, 1, default=0.8, always=True)
    gains: Gains | None = gains()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        return self.ratio.counts_as_relevant(grade, judged)

    @property
    def ratio(self) -> Persistent:
        """The metric in the form of an nDCG whose discount at rank i is p^(i−1)."""
        return Persistent(
            p=self.p, gains=self.gains, cutoff=self.cutoff, judged_only=self.judged_only
        )

    @property
    def normalised(self) -> Normalised | None:
        if self.judged_only:
            return None
        earned = PersistentSum(p=self.p, gains=self.gains, cutoff=self.cutoff)
        return Normalised(earned, self.ratio.ideal, partial(levels_of, self.ratio))

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.ratio.compute(judged)

    def contributions(self, judged: JudgedRankings) -> Floats:
        return self.ratio.contributions(judged)
