"""Metrics whose user reacts to what was found: what is read depends on what was read.

A user sees rank 1, and rank i + 1 with probability C(i) after rank i; V(i) = C(1) … C(i−1)
is the chance to see rank i, and the score is the gain per document seen, Σ V g / Σ V.
Only documents that gain anything change the course, so the sums go over these and what
lies between them has a closed form.
"""

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds import (
    GainPerDocumentSeen,
    NormalisedReciprocal,
    PatienceByRelevance,
    ReciprocalStops,
)
from rankwise.metrics.gains import in_best_order, unit_gain_of
from rankwise.metrics.identity import metric
from rankwise.metrics.inverse_squares import inverse_squares
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import (
    at_least,
    between,
    choice,
    cutoff,
    rel,
)
from rankwise.metrics.registry import register
from rankwise.metrics.unit_gains import Graded, Scaled
from rankwise.rankings import JudgedRankings


class Cascade(Scaled):
    """Metrics with V(i) = reach(i) × Π (1 − gain) over the documents above rank i."""

    bounds = GainPerDocumentSeen()

    def reach(self, rank: Ints) -> Floats:
        """Return the probability to see a rank if no document above it gains."""
        raise NotImplementedError

    def reach_after(self, rank: Ints) -> Floats:
        """Return Σ reach over all ranks below this one."""
        raise NotImplementedError

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, gain = self.rows_and_gains(judged)
        above = rows.running_product(1 - gain)
        earned = rows.total(self.reach(rows.rank) * above * gain)
        seen = self.reach_after(np.zeros(1, np.int64)) - rows.total(
            above * gain * self.reach_after(rows.rank)
        )
        return earned / seen

    def continuation(self, gain: Floats) -> Floats:
        reach = self.reach(np.arange(1, len(gain) + 2))
        step = np.zeros(len(gain))
        np.divide(reach[1:], reach[:-1], out=step, where=reach[:-1] > 0)
        return self.ending_at_cutoff(step * (1 - gain))

    def most_below(self, depth: int) -> float:
        """Return the share of documents seen that lie below, if nothing above gains; see INST."""
        below, all_seen = self.reach_after(np.array([min(depth, self.cutoff or depth), 0]))
        return float(below / all_seen)


@register()
class NERR8(Cascade):
    """Nearly ERR: users stop at a document with probability equal to its gain, or at rank k.

    Gain per document seen. Equation 8 of the paper.

    Use it for the user model of ERR with a score in the units of RBP and P. Avoid comparing it
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
class NERR9(Cascade):
    """Nearly ERR with a discount: as NERR8, and from rank i on with probability i / (i + 1).

    Equation 9 of the paper.

    Use it for the user model of ERR with growing fatigue. Avoid comparing it with ERR itself.
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
class NERR10(Cascade):
    """Nearly ERR with the patience of RBP: C(i) = p (1 − gain). Equation 10 of the paper.

    Use it for the user model of RBP with users who stop when satisfied.
    Azzopardi, Mackenzie and Moffat, ICTIR 2021.

    >>> round(score_gains("NERR10(p=0.5)", [0, 1, 1]), 4)
    0.3333
    """

    p: float = between(0, 1, default=0.9, always=True, from_low=True)
    cutoff: int | None = cutoff()

    def reach(self, rank: Ints) -> Floats:
        return np.power(float(self.p), rank - 1)

    def reach_after(self, rank: Ints) -> Floats:
        end = 0.0 if self.cutoff is None else self.p**self.cutoff
        return (np.power(float(self.p), rank) - end) / (1 - self.p)


@register()
class NERR11(Cascade):
    """Nearly ERR with the goal of INSQ: C(i) = ((i + 2T − 1) / (i + 2T))² (1 − gain).

    Equation 11 of the paper.

    Use it for the user model of INSQ with users who stop when satisfied. Avoid it with shallow
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
        tail = 0.0 if self.cutoff is None else inverse_squares(self.cutoff + 2.0 * self.T)
        return np.asarray((inverse_squares(rank + 2.0 * self.T) - tail) * (2 * self.T) ** 2)


@register()
class RBP2(Metric):
    """RBP with separate persistence after relevant documents (p1) and after others (p2).

    Gain per document seen, where V(i) is the product of p1 or p2 over the ranks above.
    With p1 = p2 it is RBP exactly.

    Use it when a relevant document makes users stay, or leave. Avoid it when you cannot say
    which: use RBP.
    Moffat and Zobel, ACM TOIS 27(1), 2008, Section 4.3.

    >>> round(score_gains("RBP2(p1=0.5,p2=0.5)", [1, 1, 0, 0, 0, 1]), 6)
    0.765625
    """

    bounds = PatienceByRelevance()
    p1: float = between(0, 1, default=0.8, always=True, from_low=True)
    p2: float = between(0, 1, default=0.8, always=True, from_low=True)
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        # V at the n-th relevant document: n - 1 steps with p1, the others with p2.
        seen_at = np.power(self.p1, rows.place - 1.0) * np.power(
            self.p2, (rows.rank - rows.place).astype(np.float64)
        )
        return self.score_of(rows.total(seen_at))

    def score_of(self, relevant_seen: Floats) -> Floats:
        # After a relevant document the user goes on with p1 in place of p2.
        more = relevant_seen * (self.p1 - self.p2) / (1 - self.p2)
        return relevant_seen / (1 / (1 - self.p2) + more)

    def continuation(self, gain: Floats) -> Floats:
        return np.where(gain > 0, self.p1, self.p2)

    def most_below(self, depth: int) -> float:
        """Return the sum that all documents below add if they are relevant; exact.

        With n relevant ones above, rank d + 1 is seen with p1^n p2^(d−n). The score is concave
        in the relevant documents seen where p1 > p2, so that the most is added where they are
        the last ones above, and convex where p1 < p2: the first ones.
        """
        n = np.arange(depth + 1)
        none = np.power(self.p2, (depth - n).astype(np.float64))
        found = (1 - np.power(self.p1, n.astype(np.float64))) / (1 - self.p1)
        found = found * none if self.p1 > self.p2 else found
        below = np.power(self.p1, n.astype(np.float64)) * none / (1 - self.p1)
        return float((self.score_of(found + below) - self.score_of(found)).max())


@metric
class ExpectedReciprocal(Graded):
    """Metrics with a probability that a document of a grade satisfies: ERR and nERR."""

    stop: str = choice("exp", "linear", default="exp")
    cutoff: int | None = cutoff()

    def unit_gain(self, grade: Ints, judged: JudgedRankings) -> Floats:
        """Return the probability that a document of a grade satisfies."""
        if self.gains is not None or (judged.gains is not None and self.takes_gains):
            return unit_gain_of(self, grade, judged, self.gains)
        return self.chance(grade, self.max_rel or max(1, judged.topic_grades.max(initial=1)))

    def chance(self, grade: Ints, best: int) -> Floats:
        grade = np.clip(grade, 0, best)
        if self.stop == "linear":
            return grade / (best + 1)
        return (np.exp2(grade) - 1) / np.exp2(best)

    def expected(self, rows: JudgedRankings) -> Floats:
        chance = self.unit_gain(rows.grade, rows)
        return rows.total(chance * rows.running_product(1 - chance) / rows.rank)


@register()
class ERR(ExpectedReciprocal):
    """Expected reciprocal rank: users stop at the first document that satisfies them.

    ERR = Σ (1/r) R(r) Π (1 − R(i)) over i < r; R = (2^g − 1) / 2^max, or g / (max + 1) with
    `stop=linear` as NTCIREVAL has it, or what `gains` give. Without `max_rel` the highest
    grade in the qrels is the maximum; gdeval always takes 4.

    Use it when one good document is enough and documents are graded. Avoid it when users want
    several documents.
    Chapelle, Metzler, Zhang and Grinspan, CIKM 2009.

    >>> score_gains("ERR(max_rel=1)", [0, 1, 1])
    0.3333333333333333
    """

    bounds = ReciprocalStops()

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.expected(judged.relevant(self.lowest(judged)))

    def continuation(self, gain: Floats) -> Floats:
        """Return the probability to go on: the gain is the probability to be satisfied."""
        return self.ending_at_cutoff(1 - gain)

    def most_below(self, depth: int) -> float:
        """Return the largest score possible below rank d: all users left stop at rank d + 1."""
        return 1 / (depth + 1) if depth < (self.cutoff or np.inf) else 0.0


@register()
class nERR(ExpectedReciprocal):
    """ERR divided by the ERR of the topic's judged documents in the best order.

    Use it to average over topics whose best documents differ in grade. Avoid it with few
    judgments.
    Sakai and Song, SIGIR 2011; NTCIREVAL's nERR is nERR(stop=linear).

    >>> score_gains("nERR", [0, 1])
    0.5
    """

    needs_relevant = True
    favours_the_top = True
    divides_alike = True
    bounds = NormalisedReciprocal()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.lowest(judged))
        return self.expected(rows) / self.best(judged)

    def best(self, judged: JudgedRankings) -> Floats:
        """Return the ERR of the topic's documents in the best order."""

        def best_of_topics() -> Floats:
            return self.expected(self.view(in_best_order(judged, self.unit_gain)))

        return judged.keep(("best", self), lambda: best_of_topics()[judged.topic])
