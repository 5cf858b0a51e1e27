"""Metrics whose users are more, or less, likely to continue after relevant documents.

A user views rank 1, and after rank i views rank i + 1 with the continuation probability C(i). V(i)
= C(1) … C(i−1) is the probability that rank i is viewed. The score of NERR8 to NERR11 and RBP2 is
the gain g per document viewed, Σ V g / Σ V. The score of ERR and nERR is the expected 1 / (rank
where the user stops); nERR divides it by its value for the best order. Only documents with positive
gain make C depend on the ranking. The sums therefore run over these documents, and the ranks
between them have a closed form.
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
from rankwise.metrics.inverse_squares import inverse_squares
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import at_least, between, choice, cutoff, rel
from rankwise.metrics.registry import register
from rankwise.metrics.unit_gains import Graded, Scaled
from rankwise.rankings import JudgedRankings


class Cascade(Scaled):
    """Metrics in which rank i is viewed with probability V(i) = reach(i) × Π (1 − gain).

    `reach` is this probability if no document above has gain. The product is over the documents
    above rank i.
    """

    bounds = GainPerDocumentSeen()

    def reach(self, rank: Ints) -> Floats:
        """Return the probability that a rank is viewed if no document above it has gain."""
        raise NotImplementedError

    def reach_after(self, rank: Ints) -> Floats:
        """Return, for each rank in `rank`, the sum of `reach` below it, down to the cutoff."""
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
        """Return an upper bound of the change of the score by documents below rank `depth`.

        The bound is computed for a ranking in which no document has gain. It is the fraction of the
        viewed documents that are below `depth`. The proof is in `INST.most_below`.
        """
        below, all_seen = self.reach_after(np.array([min(depth, self.cutoff or depth), 0]))
        return float(below / all_seen)


@register()
class NERR8(Cascade):
    """Nearly ERR: users stop at a document with probability equal to its gain, or at rank k.

    The score is the expected gain divided by the expected number of documents viewed.

    Use it when users stop as in ERR and the score should be gain per document viewed, as in RBP.
    Avoid comparing its scores with those of ERR.
    Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 8.

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
    """Nearly ERR with a discount: the continuation probability of NERR8 times i / (i + 1).

    The probability to continue after rank i is C(i) = (1 − gain) i / (i + 1).

    Use it for the user model of ERR with users who may also stop at a document without gain. Avoid
    comparing its scores with those of ERR.
    Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 9.

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
    """Nearly ERR with the persistence p of RBP: users continue with probability p (1 − gain).

    Use it for the user model of RBP with users who stop when satisfied.
    Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 10.

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
    """Nearly ERR with the goal T of INSQ: C(i) = ((i + 2T − 1) / (i + 2T))² (1 − gain).

    C(i) is the probability to continue after rank i.

    Use it for the user model of INSQ with users who stop when satisfied. Avoid it with shallow
    judgments, because ranks far down have much weight.
    Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 11.

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
    """RBP with persistence p1 after relevant documents, and p2 after all other documents.

    The score is Σ V(i) gain(i) / Σ V(i), the gain per document viewed. The probability V(i) that
    rank i is viewed is the product, over the ranks above i, of p1 for a relevant document and p2
    for any other document. With p1 = p2 it is exactly RBP.

    Use it when relevant documents make users more (p1 > p2) or less (p1 < p2) likely to read on. If
    you do not know which, use RBP.
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
        # V at the n-th relevant document: n - 1 steps with p1 and rank - n steps with p2.
        seen_at = np.power(self.p1, rows.place - 1.0) * np.power(
            self.p2, (rows.rank - rows.place).astype(np.float64)
        )
        return self.score_of(rows.total(seen_at))

    def score_of(self, relevant_seen: Floats) -> Floats:
        # After a relevant document the continuation probability is p1 instead of p2.
        more = relevant_seen * (self.p1 - self.p2) / (1 - self.p2)
        return relevant_seen / (1 / (1 - self.p2) + more)

    def continuation(self, gain: Floats) -> Floats:
        return np.where(gain > 0, self.p1, self.p2)

    def most_below(self, depth: int) -> float:
        """Return the largest increase of the score by relevant documents below rank d = `depth`.

        The increase is largest if all documents below d are relevant. With n relevant documents in
        the first d ranks, rank d + 1 is viewed with probability p1^n p2^(d−n). If p1 > p2 the score
        is concave in the expected number of relevant documents viewed, and the increase is largest
        with the n relevant documents at ranks d − n + 1 to d. If p1 < p2 the score is convex, and
        the increase is largest with these documents at the first n ranks.
        """
        n = np.arange(depth + 1)
        none = np.power(self.p2, (depth - n).astype(np.float64))
        found = (1 - np.power(self.p1, n.astype(np.float64))) / (1 - self.p1)
        found = found * none if self.p1 > self.p2 else found
        below = np.power(self.p1, n.astype(np.float64)) * none / (1 - self.p1)
        return float((self.score_of(found + below) - self.score_of(found)).max())


class ExpectedReciprocal(Graded):
    """Metrics in which a document satisfies users with a probability that depends on its grade."""

    stop: str = choice("exp", "linear", default="exp")
    cutoff: int | None = cutoff()

    def unit_gain(self, grade: Ints, judged: JudgedRankings) -> Floats:
        """Return the probability that a document of each grade satisfies a user."""
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

    ERR = Σ_r (1/r) R(r) Π_{i<r} (1 − R(i)), where R(r) is the probability that the document at rank
    r satisfies the user: (2^g − 1) / 2^max for grade g. `stop=linear` uses g / (max + 1), as
    NTCIREVAL does, and `gains` sets the probabilities directly. max is `max_rel` or, by default,
    the highest grade in the qrels; gdeval always uses 4.

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
        """Return the probability to continue after each rank: 1 − the probability to stop there."""
        return self.ending_at_cutoff(1 - gain)

    def most_below(self, depth: int) -> float:
        """Return an upper bound of the ERR that documents below rank `depth` can add.

        It is reached if no user stops down to `depth`, and all users stop at the next rank.
        """
        return 1 / (depth + 1) if depth < (self.cutoff or np.inf) else 0.0


@register()
class nERR(ExpectedReciprocal):
    """ERR divided by the ERR of the topic's judged documents in the best order.

    Use it to average over topics whose best documents differ in grade. Avoid it with few judgments:
    the best order lacks the relevant documents that were not judged.
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
        """Return, per ranking, the ERR of its topic's judged documents in the best order."""

        def best_of_topics() -> Floats:
            return self.expected(self.view(in_best_order(judged, self.unit_gain)))

        return judged.keep(("best", self), lambda: best_of_topics()[judged.topic])
