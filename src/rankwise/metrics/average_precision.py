"""Average precision and its relatives."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.judged import Floats, JudgedRankings
from rankwise.metrics.base import Metric
from rankwise.metrics.names import register
from rankwise.metrics.parameters import cutoff, flag, rel

INFERRED_EPSILON = 0.00001  # trec_eval's smoothing of infAP


@dataclass(frozen=True, kw_only=True)
class OfPrecisions(Metric):
    """A metric made of the sum of the precisions at the ranks of relevant documents."""

    rel: int = rel()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def precisions(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        return found.total(found.place / found.rank)


@register({"MAP": "AP", "map": "AP", "map_cut_#": "AP@#", "AveP": "AP"})
@dataclass(frozen=True, kw_only=True)
class AP(OfPrecisions):
    """The mean, over the topic's relevant documents, of the precision at the rank of each.

    AP = (1/R) Σ P@i over the ranks i of relevant documents; those not retrieved (or not
    in the first k) count 0. Its mean over topics is MAP.

    Use it with thorough judgments, where finding all relevant documents matters. Do not
    use it with few judgments: it divides by R, so finding one more relevant document
    elsewhere lowers the score of a ranking that did not change.

    >>> A = [1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    >>> round(score_gains("AP", A), 4)
    0.6316
    """

    needs_relevant: ClassVar[bool] = True

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.precisions(judged) / np.maximum(judged.judged_count(self.rel), 1)

    def contributions(self, judged: JudgedRankings) -> Floats:
        """A document at rank i adds 1/j to the precision at each relevant rank j ≥ i."""
        hit = judged.grade >= self.rel
        inverse = np.where(hit, 1 / judged.rank, 0.0)
        below = judged.total(inverse)[judged.ranking] - judged.running(inverse) + inverse
        return (
            np.where(hit, below, 0.0) / np.maximum(judged.judged_count(self.rel), 1)[judged.ranking]
        )


@register({"SumPrecision": "SP"})
@dataclass(frozen=True, kw_only=True)
class SP(OfPrecisions):
    """The sum of the precisions at the ranks of relevant documents: AP without the division.

    Use it within one topic, or standardised. Do not average it over topics: it grows with
    the number of relevant documents.
    Aslam, Yilmaz and Pavlu, SIGIR 2005; Moffat and Zobel 2008, Section 3.1.

    >>> round(score_gains("SP", [1, 1, 0, 0, 0, 1]), 4)
    2.5
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.precisions(judged)


@register({"AP*": "APStar", "SN-AP": "APStar", "SNAP": "APStar"})
@dataclass(frozen=True, kw_only=True)
class APStar(OfPrecisions):
    """AP divided by the relevant documents retrieved (in the first k), not by R.

    Also known as self-normalised AP. Undefined where nothing relevant is retrieved.

    Use it to see why one should not: a ranking with more relevant documents can score
    less. 10000 scores 1, 10001 scores 0.7.
    Moffat and Zobel 2008, Section 3.1; Moffat 2013 (SN-AP@k).

    >>> round(score_gains("SN-AP@5", [1, 0, 0, 0, 1]), 4)
    0.7
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        found = np.diff(judged.relevant(self.rel).row_start).astype(np.float64)
        found[found == 0] = np.nan
        return self.precisions(judged) / found


@register({"yaap": "YAAP"})
@dataclass(frozen=True, kw_only=True)
class YAAP(OfPrecisions):
    """Yet another average precision: the log-odds of AP, smoothed.

    log((1 + S) / (1 + R − S)), S being the sum of precisions; from −log(1 + R) to log(1 + R).

    Use it to average over topics of very different difficulty. Do not read it as a share.
    Robertson, ECIR 2012; trec_eval's yaap.

    >>> round(score_gains("YAAP", [1, 1, 0]), 4)
    1.0986
    """

    needs_relevant: ClassVar[bool] = True

    def compute(self, judged: JudgedRankings) -> Floats:
        total = self.precisions(judged)
        return np.log((1 + total) / (1 + judged.judged_count(self.rel) - total))


@register()
@dataclass(frozen=True, kw_only=True)
class infAP(Metric):
    """AP inferred from a judged sample of the pool.

    Documents of negative grade were pooled but not judged: they are taken to be relevant
    as often as the judged ones above them. Documents outside the pool are not relevant.

    Use it with sampled judgments, marked by negative grades. Without them it is AP, but
    for its smoothing.
    Yilmaz and Aslam, CIKM 2006; trec_eval's infAP.

    >>> round(score_gains("infAP", [1, -1, 0, 1]), 4)
    0.8125
    """

    needs_relevant: ClassVar[bool] = True
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        hit = judged.grade >= self.rel
        relevant = judged.running(hit)[hit] - 1
        nonrelevant = judged.running((judged.grade >= 0) & ~hit)[hit]
        pooled = judged.place[hit] - 1
        rank, ranking = judged.rank[hit], judged.ranking[hit]
        odds = (relevant + INFERRED_EPSILON) / (relevant + nonrelevant + 2 * INFERRED_EPSILON)
        expected = np.where(rank == 1, 1.0, (1 + pooled * odds) / rank)
        found = np.bincount(ranking, expected, judged.count).astype(np.float64, copy=False)
        return found / np.maximum(judged.judged_count(self.rel), 1)
