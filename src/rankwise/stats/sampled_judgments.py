"""Estimates of AP and nDCG, with variances, from a stratified sample of the judgments.

A topic's pool is divided into strata. In each stratum, n of its N documents are sampled at random
and judged, so each has the inclusion probability π = n / N. Variances are linearised (Särndal,
Swensson and Wretman, Model Assisted Survey Sampling, 1992, Section 5.5). Let e be the derivative of
an estimate with respect to the weight 1 / π of a document, and s² the variance of e over the n
sampled documents of a stratum. The variance of the estimate is the sum over strata of N² (1 − n /
N) s² / n. The variance accounts for the sampling of documents only; the topics are fixed.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwise.arrays import Bools, Floats, Ints

ABOVE, BELOW = 0.00001, 0.00003  # smoothing of precisions, as in sample_eval.pl
SHARED = 0.1  # weight of the relevance rate over all topics, chosen on TREC-8: docs/designing.md


@dataclass(frozen=True, eq=False)
class SampledTopic:
    """A sample of the documents of one topic, with one entry per document of the topic's pool.

    `rate` is the fraction of relevant documents in each stratum, over all topics. With `whole`
    False, only the sampled documents are known, as in the files of the TREC Million Query track.
    Documents are then assumed to be sampled independently.
    """

    stratum: Ints
    sampled: Bools
    grade: Ints  # grade of each sampled document
    probability: Floats
    whole: bool = True
    rate: Floats | None = None  # fraction of relevant documents per stratum, over all topics

    @cached_property
    def weight(self) -> Floats:
        return np.where(self.sampled, 1 / self.probability, 0.0)

    @cached_property
    def drawn(self) -> Ints:
        """Number of sampled documents in each stratum."""
        return np.bincount(self.stratum, self.sampled).astype(np.int64)

    @cached_property
    def size(self) -> Ints:
        """Number of documents in each stratum."""
        return np.bincount(self.stratum)

    def relevant(self, rel: int) -> float:
        """Return the estimated number of documents with grade `rel` or higher."""
        return float(self.weight[self.sampled & (self.grade >= rel)].sum())

    def variance(self, derivative: Floats, missed: float) -> float:
        """Return the variance of an estimate, given its derivative for each document of the pool.

        `missed` is the derivative for a relevant document that was not retrieved. A stratum whose
        sample has no relevant document may have a sample variance of 0. If the attribute `rate` is
        not None, a tenth of the sample variance of each stratum is therefore replaced by the
        variance of a stratum in which the fraction `rate` of the documents is relevant and not
        retrieved.
        """
        e = derivative[self.sampled]
        if not self.whole:
            chance = self.probability[self.sampled]
            return float(((1 - chance) / chance**2 * e**2).sum())
        stratum, strata = self.stratum[self.sampled], len(self.size)
        n, total = self.drawn, self.size
        sums, squares = np.bincount(stratum, e, strata), np.bincount(stratum, e**2, strata)
        spread = (squares - sums**2 / np.maximum(n, 1)) / np.maximum(n - 1, 1)
        if self.rate is not None:
            shared = self.rate * (1 - self.rate) * missed**2
            spread = (1 - SHARED) * spread + SHARED * shared
        return float((total * (total - n) * np.maximum(spread, 0) / np.maximum(n, 1)).sum())

    def joint(self, one: Ints, other: Ints) -> Floats:
        """Return the ratio of joint to independent inclusion probability of two documents.

        The joint probability is divided by the product of the inclusion probabilities of both
        documents. `one` and `other` are the indices of the documents.
        """
        if not self.whole:
            return np.ones(np.broadcast(one, other).shape)
        n, total = self.drawn[self.stratum[one]], self.size[self.stratum[one]]
        with np.errstate(divide="ignore", invalid="ignore"):
            same = (n - 1) * total / (n * (total - 1.0))
        same = np.where(n < total, same, 1.0)
        return np.asarray(np.where(self.stratum[one] == self.stratum[other], same, 1.0))


def stat_ap(
    topic: SampledTopic, document: Ints, rank: Ints, *, rel: int = 1
) -> tuple[float, float]:
    """Return statAP, an estimate of average precision, and its variance.

    `document` has the pool indices of the documents retrieved, and `rank` has their ranks.

    statAP is the sum over relevant documents of the estimated precision at their rank, divided by
    the estimated number of relevant documents (Aslam and Pavlu, A practical sampling strategy for
    efficient retrieval evaluation, 2007). The precision at a document is a sum over pairs of
    documents, each divided by the probability that both are sampled. The results are NaN if no
    relevant document was sampled.
    """
    total = topic.relevant(rel)
    if not total > 0:
        return float("nan"), float("nan")
    is_relevant = topic.sampled[document] & (topic.grade[document] >= rel)
    pool_index, k = document[is_relevant], rank[is_relevant].astype(np.float64)
    w = topic.weight[pool_index]
    above = np.tri(len(pool_index), k=-1)  # `above[i, j]`: document j is above document i
    ratio = np.where(above > 0, topic.joint(pool_index[:, None], pool_index[None, :]), 1.0)
    pairs = np.divide(above, ratio, out=np.zeros_like(above), where=ratio > 0)
    precision = (1 + pairs @ w) / k
    value = float((w * precision).sum() / total)
    derivative = np.where(topic.sampled & (topic.grade >= rel), -value, 0.0)
    derivative[pool_index] += precision + pairs.T @ (w / k)
    return value, topic.variance(derivative / total, -value / total)


def x_inf_ap(
    topic: SampledTopic, document: Ints, rank: Ints, *, rel: int = 1
) -> tuple[float, float]:
    """Return extended inferred AP (xinfAP, as in sample_eval.pl) and its variance.

    `document` has the pool indices of the documents retrieved, and `rank` has their ranks. The
    precision above a relevant document is estimated in each stratum from the sampled documents
    above this document (Yilmaz, Kanoulas and Aslam, SIGIR 2008). The results are NaN if no relevant
    document was sampled.
    """
    total = topic.relevant(rel)
    if not total > 0:
        return float("nan"), float("nan")
    strata = len(topic.size)
    in_stratum = np.eye(strata)[topic.stratum[document]]
    drawn = topic.sampled[document]
    relevant = drawn & (topic.grade[document] >= rel)
    pooled, sampled, good = (
        (np.cumsum(column, axis=0) - column)[relevant]
        for column in (in_stratum, in_stratum * drawn[:, None], in_stratum * relevant[:, None])
    )
    k, w = rank[relevant].astype(np.float64), topic.weight[document[relevant]]
    share = (good + ABOVE) / (sampled + BELOW) * (pooled > 0)
    precision = (1 + (pooled * share).sum(axis=1)) / k
    value = float((w * precision).sum() / total)
    derivative = np.where(topic.sampled & (topic.grade >= rel), -value, 0.0)
    derivative[document[relevant]] += precision
    # A sampled document above a relevant one changes the estimated precision of its stratum.
    place = np.flatnonzero(relevant)
    rows = np.flatnonzero(drawn)
    stratum = topic.stratum[document[rows]]
    below = place[:, None] > rows[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(sampled > 0, pooled / sampled, 0.0)[:, stratum]
    change = below * each * (relevant[rows] - np.minimum(share, 1)[:, stratum])
    derivative[document[rows]] += (w / k) @ change / topic.weight[document[rows]]
    return value, topic.variance(derivative / total, -value / total)


def inf_ndcg(
    topic: SampledTopic, document: Ints, rank: Ints, *, cutoff: int | None = None
) -> tuple[float, float]:
    """Return inferred nDCG and its variance; gains are grades, discounts 1 / log₂(rank + 1).

    `document` has the pool indices of the documents retrieved, and `rank` has their ranks. DCG is
    estimated in each stratum from the sampled documents that were retrieved. The ideal DCG is
    computed from the estimated number of documents of each grade. These numbers may be fractional:
    the discount of a rank that two grades share is split between them in proportion. The results
    are NaN if no sampled document has a positive grade.
    """
    if cutoff is not None:
        document, rank = document[rank <= cutoff], rank[rank <= cutoff]
    grades = topic.sampled * np.maximum(topic.grade, 0)
    levels = np.unique(grades[grades > 0])[::-1]
    counts = np.array([topic.weight[grades == level].sum() for level in levels])
    ends = np.concatenate([[0.0], np.cumsum(counts)])
    sums, slopes = _discounts(ends, cutoff)
    ideal = float((levels * np.diff(sums)).sum())
    if not ideal > 0:
        return float("nan"), float("nan")
    strata = len(topic.size)
    drawn = topic.sampled[document]
    stratum = topic.stratum[document]
    pooled, sampled = (np.bincount(of, minlength=strata) for of in (stratum, stratum[drawn]))
    gain = grades[document] / np.log2(rank + 1.0)
    mean = np.bincount(stratum[drawn], gain[drawn], strata) / np.maximum(sampled, 1)
    value = float((pooled * mean).sum() / ideal)
    derivative = np.zeros(len(topic.stratum))
    scale = (pooled / np.maximum(sampled, 1))[stratum[drawn]] / topic.weight[document[drawn]]
    derivative[document[drawn]] = scale * (gain[drawn] - mean[stratum[drawn]])
    # One more document of a grade shifts the last rank of this grade and of all lower grades.
    moved = levels * slopes[1:] - np.append(levels[1:], 0) * slopes[1:]
    by_level = np.cumsum(moved[::-1])[::-1]
    for level, slope in zip(levels, by_level, strict=True):
        derivative[grades == level] -= value * slope
    missed = -value * float(by_level[-1]) / ideal
    return value, topic.variance(derivative / ideal, missed)


def _discounts(ends: Floats, cutoff: int | None) -> tuple[Floats, Floats]:
    """Return the sum of discounts down to fractional ranks, and the discount at these ranks."""
    last = int(np.ceil(ends[-1])) + 1
    discount = 1 / np.log2(np.arange(1, last + 1) + 1.0)
    if cutoff is not None:
        discount[cutoff:] = 0.0
    total = np.concatenate([[0.0], np.cumsum(discount)])
    whole = np.minimum(ends.astype(np.int64), last - 1)
    return total[whole] + (ends - whole) * discount[whole], discount[whole]
