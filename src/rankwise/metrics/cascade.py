"""Metrics whose user reacts to what was found: what is read depends on what was read.

A user sees rank 1, and rank i + 1 with probability C(i) after rank i; V(i) = C(1) … C(i−1)
is the chance to see rank i, and the score is the gain per document seen, Σ V g / Σ V.
Only documents that gain anything change the course, so the sums go over these and what
lies between them has a closed form.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankwise.judged import Floats, Ints, JudgedRankings
from rankwise.metrics.base import Metric, check_unit, unit_gain_of
from rankwise.metrics.names import register
from rankwise.metrics.parameters import (
    Gains,
    at_least,
    between,
    choice,
    cutoff,
    gains,
    rel,
    whole,
)


@dataclass(frozen=True, kw_only=True)
class Graded(Metric):
    """A metric of gains between 0 and 1: given as `gains`, or grade / `max_rel`.

    Without `max_rel` the highest grade in the qrels counts as 1.
    """

    gains: Gains | None = gains()
    max_rel: int | None = whole(1, None)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, self.gains)

    def rows_and_gains(self, judged: JudgedRankings) -> tuple[JudgedRankings, Floats]:
        rows = judged.relevant(1 if self.gains is None else 0)
        return rows, unit_gain_of(self, rows, self.gains, self.max_rel)


@dataclass(frozen=True, kw_only=True)
class Cascade(Graded):
    """Metrics with V(i) = reach(i) × Π factor(gain) over the documents above rank i."""

    def reach(self, rank: Ints) -> Floats:
        """The chance to see a rank where nothing above it gains."""
        raise NotImplementedError

    def reach_after(self, rank: Ints) -> Floats:
        """Σ reach over all ranks below this one."""
        raise NotImplementedError

    def factor(self, gain: Floats) -> Floats:
        """What a document of this gain does to the chance of going on."""
        return 1 - gain

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, gain = self.rows_and_gains(judged)
        factor = self.factor(gain)
        above = rows.running_product(factor)
        earned = rows.total(self.reach(rows.rank) * above * gain)
        seen = self.reach_after(np.zeros(1, np.int64)) - rows.total(
            above * (1 - factor) * self.reach_after(rows.rank)
        )
        return earned / seen


@register()
@dataclass(frozen=True, kw_only=True)
class NERR8(Cascade):
    """Nearly ERR: the user stops at a document with probability equal to its gain, or at k.

    Gain per document seen. Equation 8 of the paper.

    Use it for the user of ERR with a score in the units of RBP and P. Do not compare it
    with ERR itself.
    Azzopardi, Mackenzie and Moffat, ICTIR 2021.

    >>> score_gains("NERR8@3", [0, 1, 1])
    0.5
    """

    cutoff: int = cutoff(required=True)

    def reach(self, rank: Ints) -> Floats:
        return np.ones(len(rank))

    def reach_after(self, rank: Ints) -> Floats:
        return (self.cutoff - rank).astype(np.float64)


@register()
@dataclass(frozen=True, kw_only=True)
class NERR9(Cascade):
    """Nearly ERR with a discount: as NERR8, and from rank i on with probability i / (i + 1).

    Equation 9 of the paper.

    Use it for a user of ERR who also tires. Do not compare it with ERR itself.
    Azzopardi, Mackenzie and Moffat, ICTIR 2021.

    >>> round(score_gains("NERR9@3", [0, 1, 1]), 4)
    0.3333
    """

    cutoff: int = cutoff(required=True)

    def reach(self, rank: Ints) -> Floats:
        return 1 / rank

    def reach_after(self, rank: Ints) -> Floats:
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1.0, self.cutoff + 1))])
        return harmonic[-1] - harmonic[np.minimum(rank, self.cutoff)]


@register()
@dataclass(frozen=True, kw_only=True)
class NERR10(Cascade):
    """Nearly ERR with the patience of RBP: C(i) = p (1 − gain). Equation 10 of the paper.

    Use it for a user of RBP who stops when satisfied.
    Azzopardi, Mackenzie and Moffat, ICTIR 2021.

    >>> round(score_gains("NERR10(p=0.5)", [0, 1, 1]), 4)
    0.3333
    """

    p: float = between(0, 1, default=0.9, always=True)
    cutoff: int | None = cutoff()

    def reach(self, rank: Ints) -> Floats:
        return np.power(float(self.p), rank - 1)

    def reach_after(self, rank: Ints) -> Floats:
        end = 0.0 if self.cutoff is None else self.p**self.cutoff
        return (np.power(float(self.p), rank) - end) / (1 - self.p)


@register()
@dataclass(frozen=True, kw_only=True)
class NERR11(Cascade):
    """Nearly ERR with the goal of INSQ: C(i) = ((i + 2T − 1) / (i + 2T))² (1 − gain).

    Equation 11 of the paper.

    Use it for a user of INSQ who stops when satisfied. Do not use it with shallow
    judgments: its tail is heavy.
    Azzopardi, Mackenzie and Moffat, ICTIR 2021.

    >>> round(score_gains("NERR11", [0, 1, 1]), 4)
    0.3077
    """

    T: float = at_least(0.5, 1)
    cutoff: int | None = cutoff()

    def reach(self, rank: Ints) -> Floats:
        return np.square(2 * self.T / (rank + 2.0 * self.T - 1))

    def reach_after(self, rank: Ints) -> Floats:
        from scipy.special import zeta

        tail = 0.0 if self.cutoff is None else zeta(2, self.cutoff + 2.0 * self.T)
        return np.asarray((zeta(2, rank + 2.0 * self.T) - tail) * (2 * self.T) ** 2)


@register()
@dataclass(frozen=True, kw_only=True)
class RBP2(Metric):
    """RBP with a patience of its own after relevant documents (p1) and after others (p2).

    Gain per document seen, where V(i) is the product of p1 or p2 over the ranks above.
    With p1 = p2 it is RBP exactly.

    Use it where finding something makes users stay, or leave. Do not use it where you
    cannot say which: it is RBP then.
    Moffat and Zobel, ACM TOIS 27(1), 2008, Section 4.3.

    >>> round(score_gains("RBP2(p1=0.5,p2=0.5)", [1, 1, 0, 0, 0, 1]), 6)
    0.765625
    """

    p1: float = between(0, 1, default=0.8, always=True)
    p2: float = between(0, 1, default=0.8, always=True)
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        # V at the n-th relevant document: n - 1 steps with p1, the others with p2.
        seen_at = np.power(self.p1, rows.place - 1.0) * np.power(
            self.p2, (rows.rank - rows.place).astype(np.float64)
        )
        # After a relevant document the user goes on with p1 in place of p2.
        more = rows.total(seen_at) * (self.p1 - self.p2) / (1 - self.p2)
        return rows.total(seen_at) / (1 / (1 - self.p2) + more)


@register()
@dataclass(frozen=True, kw_only=True)
class INST(Graded):
    """A user who wants T relevant documents, and wants fewer the more were found.

    C(i) = ((i + T + T_i − 1) / (i + T + T_i))², T_i = T − the gain down to rank i. Gain per
    document seen, over all ranks (cwl_eval's INST is INST@1000).

    Use it where users have a goal and stop nearer to it. Do not use it with shallow
    judgments: its tail is heavy.
    Moffat, Bailey, Scholer and Thomas, ADCS 2015.

    >>> round(score_gains("INST", [0, 1, 1]), 4)
    0.3285
    """

    T: float = at_least(0.5, 1)
    cutoff: int | None = cutoff()

    def compute(self, judged: JudgedRankings) -> Floats:
        from scipy.special import zeta

        rows, gain = self.rows_and_gains(judged)
        found = rows.running(gain)
        goal = 2 * self.T - found  # T + T_i from this row on
        begins = rows.place == 1
        goal_above = np.where(begins, 2 * self.T, np.roll(goal, 1))
        rank_above = np.where(begins, 1, np.roll(rows.rank, 1))
        # From the document above (or from the top) to this one the chances telescope.
        start = np.where(begins, 2 * self.T, rank_above + goal_above - 1)
        here = np.where(begins, rows.rank - 1 + 2 * self.T, rows.rank - 1 + goal_above)
        step = (start / here) ** 2
        seen_at = step * rows.running_product(step)
        end = np.inf if self.cutoff is None else float(self.cutoff)
        last = np.ones(len(rows.rank), np.bool_)
        last[:-1] = rows.ranking[1:] != rows.ranking[:-1]
        until = np.where(last, end, np.roll(rows.rank, -1))
        between = zeta(2, rows.rank + goal) - _zeta_or_zero(until + goal)
        below = seen_at * (rows.rank + goal - 1) ** 2 * between
        first = np.minimum(rows.first(np.ones(len(rows.rank), np.bool_)), end)
        top = (zeta(2, 2.0 * self.T) - _zeta_or_zero(first + 2 * self.T)) * (2 * self.T) ** 2
        return rows.total(seen_at * gain) / (top + rows.total(below))


def _zeta_or_zero(start: Floats) -> Floats:
    from scipy.special import zeta

    finite = np.isfinite(start)
    return np.where(finite, zeta(2, np.where(finite, start, 1.0)), 0.0)


@register()
@dataclass(frozen=True, kw_only=True)
class BPM(Graded):
    """The Bejeweled player model: the user stops when T is gained, or after k documents.

    The gain of the documents seen, divided by their number.

    Use it for a user with a goal and a budget. Do not use it where gains are small
    fractions and T was meant for whole documents.
    Zhang et al., SIGIR 2017 (the static form).

    >>> score_gains("BPM(T=2)@10", [1, 0, 1, 1])
    0.6666666666666666
    """

    T: float = at_least(0, 1)
    cutoff: int = cutoff(required=True)

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, gain = self.rows_and_gains(judged)
        stop = np.minimum(rows.first(rows.running(gain) >= self.T), self.cutoff)
        seen = rows.rank <= stop[rows.ranking]
        return rows.total(np.where(seen, gain, 0.0)) / stop


@dataclass(frozen=True, kw_only=True)
class ExpectedReciprocal(Graded):
    """What ERR and nERR share: the chance that a document of a grade satisfies."""

    stop: str = choice("exp", "linear", default="exp")
    cutoff: int | None = cutoff()

    def satisfies(self, rows: JudgedRankings) -> Floats:
        if self.gains is not None:
            return unit_gain_of(self, rows, self.gains)
        return self.chance(rows.grade, self.max_rel or max(1, rows.topic_grades.max(initial=1)))

    def chance(self, grade: Ints, best: int) -> Floats:
        grade = np.clip(grade, 0, best)
        if self.stop == "linear":
            return grade / (best + 1)
        return (np.exp2(grade) - 1) / np.exp2(best)

    def expected(self, rows: JudgedRankings) -> Floats:
        chance = self.satisfies(rows)
        return rows.total(chance * rows.running_product(1 - chance) / rows.rank)


@register()
@dataclass(frozen=True, kw_only=True)
class ERR(ExpectedReciprocal):
    """Expected reciprocal rank, for a user who stops at the first document that satisfies.

    ERR = Σ (1/r) R(r) Π (1 − R(i)) over i < r; R = (2^g − 1) / 2^max, or g / (max + 1) with
    `stop=linear` as NTCIREVAL has it, or what `gains` give. Without `max_rel` the highest
    grade in the qrels is the maximum; gdeval always takes 4.

    Use it where one good document is enough and grades say how good. Do not use it where
    users want several.
    Chapelle, Metzler, Zhang and Grinspan, CIKM 2009.

    >>> score_gains("ERR(max_rel=1)", [0, 1, 1])
    0.3333333333333333
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.expected(judged.relevant(1 if self.gains is None else 0))


@register()
@dataclass(frozen=True, kw_only=True)
class nERR(ExpectedReciprocal):
    """ERR divided by the ERR of the topic's judged documents in the best order.

    Use it to average over topics whose best documents differ in grade. Do not use it
    where few documents are judged.
    Sakai and Song, SIGIR 2011; NTCIREVAL's nERR is nERR(stop=linear).

    >>> score_gains("nERR", [0, 1])
    0.5
    """

    needs_relevant: ClassVar[bool] = True

    def compute(self, judged: JudgedRankings) -> Floats:
        ideal = judged.in_best_order()
        order = np.lexsort((-self.satisfies(ideal), ideal.ranking))  # gains may reorder grades
        best = self.expected(self.view(replace(ideal, _kept={}, grade=ideal.grade[order])))
        best = np.where(best > 0, best, np.nan)[judged.topic]
        return self.expected(judged.relevant(1 if self.gains is None else 0)) / best
