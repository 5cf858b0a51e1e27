"""Rank-biased precision and its kin: fixed weights that add up to 1 over all ranks."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.bounds import Bounds
from rankwise.errors import WrongParameter
from rankwise.judged import Floats, Ints, JudgedRankings
from rankwise.metrics.base import EXACT, Assumption, Metric, WeightedPrecision
from rankwise.metrics.grades import (
    check_range,
    check_unit,
    greatest_gain,
    possible_grades,
    unit_gain_of,
)
from rankwise.metrics.names import register
from rankwise.metrics.parameters import (
    Gains,
    at_least,
    between,
    cutoff,
    flag,
    gains,
    rel,
    ties,
    whole,
)


@dataclass(frozen=True, kw_only=True)
class UnitGain(WeightedPrecision):
    """A weighted precision whose gains lie between 0 and 1, so that its score does too."""

    rel: int = rel()
    gains: Gains | None = gains()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()
    ties: str = ties()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, self.gains)

    def gain(self, judged: JudgedRankings) -> Floats:
        if self.gains is None:
            return super().gain(judged)
        return unit_gain_of(self, judged.grade, judged, self.gains)

    def greatest(self, judged: JudgedRankings) -> float:
        return 1.0 if self.gains is None else greatest_gain(judged, self.gains)

    def gaining(self, judged: JudgedRankings) -> JudgedRankings:
        return judged.relevant(self.rel if self.gains is None else 0)


@register({"rbp": "RBP(p=0.9)"})
@dataclass(frozen=True, kw_only=True)
class RBP(UnitGain):
    """Gain per document seen by a user who moves on to the next with probability p.

    RBP = (1 − p) Σ gain(i) p^(i−1). The gain is 1 from grade `rel` on, or what `gains`
    gives, between 0 and 1. The weight below depth d is p^d, so a score comes with a
    residual: what the unjudged documents and the rest of the ranking could still add.

    Use it with partly judged data, and choose p for the user you have in mind: 0.5 looks
    at two documents on average, 0.8 at five, 0.95 at twenty, and p = 0 at the first only,
    which is P@1. Do not compare scores at different p, and do not expect 1: a topic with few
    relevant documents cannot reach it.
    Moffat and Zobel, ACM TOIS 27(1), 2008.

    >>> score_gains("RBP(p=0.5)", [1, 1, 0, 0, 0, 1])
    0.765625
    """

    p: float = between(0, 1, default=0.8, always=True, from_low=True)

    def weight(self, rank: Ints) -> Floats:
        return (1 - self.p) * np.power(float(self.p), rank - 1)

    def weight_after(self, depth: Ints) -> Floats:
        return np.power(float(self.p), depth)


@register({"rbp_resid": "RBPResidual(p=0.9)"})
@dataclass(frozen=True, kw_only=True)
class RBPResidual(Metric):
    """How much RBP could still rise: the weight of unjudged documents and of the tail.

    p^d + (1 − p) Σ p^(i−1) over the unjudged ranks i, d being the length of the ranking.

    Use it beside RBP. It is not a measure of quality. trec_eval's rbp_resid leaves the
    tail out where every document is judged; here it is always in.
    Moffat and Zobel, ACM TOIS 27(1), 2008, Section 4.4.

    >>> score_gains("RBPResidual(p=0.5)", [1, None, 0])
    0.375
    """

    is_diagnostic: ClassVar[bool] = True
    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT
    p: float = between(0, 1, default=0.8, always=True, from_low=True)

    def compute(self, judged: JudgedRankings) -> Floats:
        low, high = RBP(p=self.p).compute_bounds(judged.rows_where(judged.grade >= 0), "open")
        return high - low

    def compute_bounds(self, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        known = self.compute(judged)  # it tells what is judged now
        return known, known


@register()
@dataclass(frozen=True, kw_only=True)
class InvSq(UnitGain):
    """Weights 1 / (i (i + 1)): they add up to 1, and a user of any patience is in them.

    The weight below depth d is 1 / (d + 1).

    Use it in place of RBP where no single p is right. Do not use it with shallow
    judgments: its tail is heavy.
    Moffat 2013, after Zhang, Park and Moffat.

    >>> score_gains("InvSq", [1, 0, 1])
    0.5833333333333334
    """

    def weight(self, rank: Ints) -> Floats:
        return 1 / (rank * (rank + 1.0))

    def weight_after(self, depth: Ints) -> Floats:
        return 1 / (depth + 1.0)


@register()
@dataclass(frozen=True, kw_only=True)
class INSQ(UnitGain):
    """Weights proportional to 1 / (i + 2T − 1)², for a user who wants T relevant documents.

    With a cutoff the weights of the first k add up to 1 (cwl_eval's INSQ is INSQ@1000);
    without, all of them. With `max_rel` the gain is (grade − min_rel) / (max_rel − min_rel).

    Use it where some users want one document and others many. Do not use it with shallow
    judgments: its tail is heavy.
    Moffat, Scholer and Thomas, ADCS 2012.

    >>> round(score_gains("INSQ(T=1)", [1, 0, 1]), 4)
    0.4845
    """

    T: float = at_least(0.5, 1)
    max_rel: int | None = whole(1, None)
    min_rel: int = whole(0, 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, self.min_rel, self.max_rel)
        if self.min_rel and self.max_rel is None:
            raise WrongParameter(f"{self}: min_rel goes with max_rel.")

    def gain(self, judged: JudgedRankings) -> Floats:
        if self.max_rel is None:
            return super().gain(judged)
        return self._scaled(judged.grade, judged)

    def greatest(self, judged: JudgedRankings) -> float:
        if self.max_rel is None:
            return super().greatest(judged)
        return float(self._scaled(possible_grades(judged, self.gains), judged).max())

    def gaining(self, judged: JudgedRankings) -> JudgedRankings:
        return super().gaining(judged) if self.max_rel is None else judged.relevant(0)

    def _scaled(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return unit_gain_of(self, grade, judged, self.gains, self.max_rel, self.min_rel)

    def weight(self, rank: Ints) -> Floats:
        from scipy.special import zeta

        tail = 0.0 if self.cutoff is None else zeta(2, self.cutoff + 2.0 * self.T)
        return 1 / (rank + 2.0 * self.T - 1) ** 2 / (zeta(2, 2.0 * self.T) - tail)

    def weight_after(self, depth: Ints) -> Floats:
        from scipy.special import zeta

        return np.asarray(zeta(2, depth + 2.0 * self.T) / zeta(2, 2.0 * self.T))
