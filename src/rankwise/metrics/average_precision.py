"""Average precision and related metrics."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds import (
    InferredPrecision,
    MeanOfLevels,
    MeanPrecisionOfFound,
    PrecisionOdds,
    PrecisionSums,
    UndividedPrecisions,
)
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import Gains, check_norm, choice, cutoff, flag, gains, rel
from rankwise.metrics.registry import register
from rankwise.rankings import JudgedRankings

Counts = npt.NDArray[Any]
INFERRED_EPSILON = 0.00001  # trec_eval's smoothing of infAP


class PrecisionSumMetric(Metric):
    """Metrics computed from the sum of the precisions at the ranks of the relevant documents."""

    favours_the_top = True
    rel: int = rel()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def precisions(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        return found.total(found.place / found.rank)


@register({"MAP": "AP", "map": "AP", "map_cut_#": "AP@#", "AveP": "AP"})
class AP(PrecisionSumMetric):
    """Average precision: the mean of the precisions at the ranks of the relevant documents.

    AP = (1/R) Σ P@i over the ranks i of relevant documents, where R is the number of all documents
    relevant to the topic. A relevant document that is not retrieved (or not in the first k)
    contributes 0. The mean over topics is MAP. `AP(norm=min)@k` divides by min(k, R), as
    NTCIREVAL's AP@k does, so that k relevant documents in the first k ranks score 1.

    Use it when finding all relevant documents matters and judgments are thorough. Avoid it with few
    judgments: it divides by R, so a relevant document found by another run lowers the score of an
    unchanged ranking.
    Buckley and Voorhees, in TREC: Experiment and Evaluation, 2005.

    >>> A = [1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    >>> round(score_gains("AP", A), 4)
    0.6316
    """

    needs_relevant = True
    divides_alike = True
    bounds = PrecisionSums()
    norm: str = choice("R", "min", default="R")  # divide by R, or by min(k, R)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_norm(self, self.norm, self.cutoff)

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.precisions(judged) / self.divisor(judged.judged_count(self.rel))

    def divisor(self, relevant: npt.NDArray[Any]) -> Floats:
        most = (self.cutoff or np.inf) if self.norm == "min" else np.inf
        return np.clip(relevant, 1.0, most)

    @property
    def mean_precision(self) -> "AP | None":
        return None if self.judged_only else self

    def continuation(self, gain: Floats) -> Floats:
        """Return the continuation probabilities of AP's user model (Robertson, SIGIR 2008).

        Each retrieved relevant document is equally likely to be the last document that the user
        reads.
        """
        within = np.arange(1, len(gain) + 1) <= (self.cutoff or np.inf)
        relevant = (gain > 0) & within
        left = np.cumsum(relevant[::-1])[::-1].astype(np.float64)
        return 1 - np.divide(relevant, left, out=np.ones(len(gain)), where=left > 0)

    def contributions(self, judged: JudgedRankings) -> Floats:
        """Return each document's contribution to AP.

        A relevant document at rank i adds 1/j to the precision at each rank j ≥ i. Its contribution
        is the sum of 1/j over the ranks j ≥ i of relevant documents, divided by R (or by min(k, R)
        with `norm=min`). All other documents contribute 0.
        """
        hit = judged.grade >= self.rel
        inverse = np.where(hit, 1 / judged.rank, 0.0)
        below = judged.total(inverse)[judged.ranking] - judged.running(inverse) + inverse
        divisor = self.divisor(judged.judged_count(self.rel))
        return np.where(hit, below, 0.0) / divisor[judged.ranking]


@register({"GradedAP": "GAP"})
class GAP(Metric):
    """Graded average precision: AP averaged over users with different relevance thresholds.

    GAP = Σ_j g_j R_j AP_j / Σ_j g_j R_j. AP_j is AP with relevance threshold j, R_j the number of
    documents relevant at this threshold, and g_j the share of users with this threshold. `shares`
    sets the shares as {grade: share}; they need not sum to 1. By default all thresholds from 1 on
    have the same share. GAP then equals AP on topics whose relevant documents all have the same
    grade.

    Use it where AP fits and grades matter. Avoid it with few judgments: like AP it divides by
    the number of documents known to be relevant.
    Robertson, Kanoulas and Yilmaz, SIGIR 2010.

    >>> round(score_gains("GAP", [1, 2, 0, 2]), 4)
    0.75
    """

    favours_the_top = True
    needs_relevant = True
    bounds = MeanOfLevels()
    shares: Gains | None = gains()
    cutoff: int | None = cutoff()

    def compute(self, judged: JudgedRankings) -> Floats:
        earned, divisor = np.zeros(judged.count), np.zeros(judged.count)
        for grade, share in self._user_shares(judged).items():
            found = judged.relevant(grade)
            earned += share * found.total(found.place / found.rank)
            divisor += share * judged.judged_count(grade)
        return earned / divisor

    def _user_shares(self, judged: JudgedRankings) -> dict[int, float]:
        """Return {relevance threshold: share of users with this threshold}."""
        if self.shares is not None:
            return {int(grade): share for grade, share in self.shares if share > 0}
        # R_j is 0 at thresholds above the best grade of a topic, so these thresholds do not change
        # the score of the topic.
        return dict.fromkeys(range(1, max(1, int(judged.topic_grades.max(initial=1))) + 1), 1.0)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        return grade >= min(self._user_shares(judged))

    def levels(self, judged: JudgedRankings) -> list[AP]:
        """Return the metrics AP_j, one for each relevance threshold j of the users."""
        return [AP(rel=grade, cutoff=self.cutoff) for grade in self._user_shares(judged)]

    def possible_grades(self, judged: JudgedRankings) -> Ints:
        return np.union1d(super().possible_grades(judged), list(self._user_shares(judged)))


@register({"SumPrecision": "SP"})
class SP(PrecisionSumMetric):
    """Sum of the precisions at the ranks of the relevant documents: AP without the division.

    Use it to compare runs on a single topic, or if scores are standardised per topic. Avoid
    averaging it over topics: it grows with the number of relevant documents.
    Aslam, Yilmaz and Pavlu, SIGIR 2005; Moffat and Zobel 2008, Section 3.1.

    >>> round(score_gains("SP", [1, 1, 0, 0, 0, 1]), 4)
    2.5
    """

    score_range = (0.0, np.inf)
    bounds = UndividedPrecisions()

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.precisions(judged)


@register({"AP*": "APStar", "SN-AP": "APStar", "SNAP": "APStar"})
class APStar(PrecisionSumMetric):
    """AP with the number of relevant documents retrieved (in the first k) as its divisor.

    It is also known as self-normalised AP. The score is 0 if no relevant document is retrieved.

    Included for comparison only; not recommended, because a ranking with more relevant documents
    can have a lower score. With 1 for relevant documents, [1, 0, 0, 0, 0] scores 1, and
    [1, 0, 0, 0, 1] scores 0.7.
    Moffat and Zobel 2008, Section 3.1; Moffat 2013 (SN-AP@k).

    >>> round(score_gains("SN-AP@5", [1, 0, 0, 0, 1]), 4)
    0.7
    """

    printed_name = "AP*"
    worst = 0.0
    needs_relevant = True
    bounds = MeanPrecisionOfFound()

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.precisions(judged) / np.diff(judged.relevant(self.rel).row_start)


@register({"yaap": "YAAP"})
class YAAP(PrecisionSumMetric):
    """Yet another average precision: the log-odds of AP, smoothed.

    YAAP = log((1 + S) / (1 + R − S)), where S is the sum of the precisions at the ranks of the
    relevant documents, and R the number of all relevant documents. YAAP ranges from −log(1 + R) to
    log(1 + R).

    Use it to average over topics of very different difficulty. Scores can be negative.
    Robertson, ECIR 2012; trec_eval's yaap.

    >>> round(score_gains("YAAP", [1, 1, 0]), 4)
    1.0986
    """

    score_range = (-np.inf, np.inf)
    needs_relevant = True
    bounds = PrecisionOdds()

    def compute(self, judged: JudgedRankings) -> Floats:
        total = self.precisions(judged)
        return np.log((1 + total) / (1 + judged.judged_count(self.rel) - total))


@register()
class infAP(Metric):
    """AP inferred from a judged sample of the pool.

    Documents of negative grade were pooled but not judged. If such a document is above a relevant
    document, its probability of relevance is estimated as the proportion of relevant documents
    among the judged documents above that relevant document. Documents outside the pool are assumed
    to be non-relevant.

    Use it with sampled judgments, in which negative grades mark the rest of the pool. Without
    negative grades infAP equals AP, apart from smoothing.
    Yilmaz and Aslam, CIKM 2006; trec_eval's infAP.

    >>> round(score_gains("infAP", [1, -1, 0, 1]), 4)
    0.8125
    """

    tells_unjudged = True
    tells_unusable = True
    needs_relevant = True
    bounds = InferredPrecision()
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        hit = judged.grade >= self.rel
        rows, at = judged.relevant(self.rel), np.flatnonzero(hit)
        nonrelevant = judged.running((judged.grade >= 0) & ~hit)[at]
        pooled = judged.place[at] - 1
        expected = self.expected_precision(rows.rank, rows.place - 1, nonrelevant, pooled)
        return rows.total(expected) / np.maximum(judged.judged_count(self.rel), 1)

    def expected_precision(
        self, rank: Ints, relevant: Counts, nonrelevant: Counts, pooled: Counts
    ) -> Floats:
        """Return the expected precision at `rank`, where a relevant document is.

        `relevant`, `nonrelevant` and `pooled` are the numbers of documents above `rank` that are
        judged relevant, that are judged non-relevant, and that are in the pool, judged or not.
        """
        odds = (relevant + INFERRED_EPSILON) / (relevant + nonrelevant + 2 * INFERRED_EPSILON)
        return np.where(rank == 1, 1.0, (1 + pooled * odds) / rank)
