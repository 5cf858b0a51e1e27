"""Metrics over the subtopics of a topic: diversity and novelty.

Most of these metrics evaluate a ranking once for each subtopic (intent), and return the mean over
the subtopics that have a relevant document. alpha_nDCG, nERR_IA and nNRBP divide a sum over
subtopics by the same sum for an ideal ranking. D_nDCG first combines the gains of a document for
all subtopics, and Dsharp_nDCG adds subtopic recall to it. Subtopics have equal weights unless the
judgments give weights. If the judgments have no subtopics, the whole topic is treated as one
subtopic.
"""

from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds import (
    MeanOverSubtopics,
    NoveltyGain,
    RatioToGreedyIdeal,
    ScoreBounds,
    SumOfTwo,
)
from rankwise.errors import WrongParameter
from rankwise.metrics.average_precision import AP
from rankwise.metrics.dcg import nDCG
from rankwise.metrics.gains import greatest_gain
from rankwise.metrics.grammar import parse
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import Gains, another_metric, choice, cutoff, gains, rel, share
from rankwise.metrics.precision import P
from rankwise.metrics.reciprocal_rank import Success
from rankwise.metrics.registry import register
from rankwise.rankings import BySubtopic, JudgedRankings, by_global_gain, grades_of

SMALLEST = 1e-18  # smaller discounts and novelty factors change no digit of a score
DEEPEST = 10_000_000


class OverSubtopics(Metric):
    """Mean of a metric over the subtopics that have a relevant document."""

    needs_relevant = True
    uses_subtopics = True
    bounds: ClassVar[ScoreBounds[Any]] = MeanOverSubtopics()

    @property
    def inner(self) -> Metric:
        """The metric that is applied to each subtopic."""
        raise NotImplementedError

    @property
    def over_subtopics(self) -> "OverSubtopics | None":
        return self

    @property
    def tells_unjudged(self) -> bool:
        return self.inner.tells_unjudged

    def parts(self, judged: JudgedRankings) -> BySubtopic:
        """Return each ranking once per subtopic, with the judgments of this subtopic.

        `inner` scores these rankings.
        """
        return judged.by_subtopic()

    def counted(self, parts: BySubtopic) -> Bools:
        """Return a mask of the rankings in `parts` whose scores are included in the mean."""
        if self.inner.needs_relevant:
            return self.inner.is_defined(parts.rankings)
        return parts.rankings.judged_count(self.inner.rel or 1) > 0

    def view(self, judged: JudgedRankings) -> JudgedRankings:
        return judged  # the inner metric cuts the ranking itself

    def is_defined(self, judged: JudgedRankings) -> Bools:
        parts = self.parts(judged)
        counted = parts.table(self.counted(parts).astype(np.float64)) == 1
        return np.asarray((counted & (parts.weights > 0)).any(axis=1))

    def compute(self, judged: JudgedRankings) -> Floats:
        parts = self.parts(judged)
        scores = self.inner.scores(parts.rankings)
        return parts.mean(np.where(self.counted(parts), scores, np.nan))


@register()
class IA(OverSubtopics):
    """Intent-aware form of a metric: its mean over subtopics, written as `IA(nDCG@10)`.

    Each subtopic is evaluated as a separate topic. The metric must have scores between 0 and 1,
    with higher scores better, and must not use subtopics.

    Use it to average a known metric over the subtopics of a topic. Do not use it to measure
    novelty: a ranking that serves one subtopic well and a ranking that mixes all subtopics can have
    the same score. For novelty, use alpha_nDCG.
    Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009.

    >>> score_gains("IA(P@2)", [1, 0, 1])
    0.5
    """

    metric: Metric = another_metric(parse, "nDCG@10")

    def __post_init__(self) -> None:
        super().__post_init__()
        one = self.metric
        if one.uses_subtopics or one.less_is_better or one.aggregate == "sum" or one.score_range:
            needed = "Use a metric without subtopics, with scores from 0 to 1, higher is better."
            raise WrongParameter(f"{one} cannot be used in IA. {needed}")

    @property
    def inner(self) -> Metric:
        return self.metric

    @property
    def cutoff(self) -> int | None:  # type: ignore[override]
        return self.metric.cutoff

    @property
    def rel(self) -> int | None:  # type: ignore[override]
        return self.metric.rel

    @property
    def takes_gains(self) -> bool:
        return self.metric.takes_gains

    @property
    def ties(self) -> str:  # type: ignore[override]
        return self.metric.ties

    def at_levels_of(self, judged: JudgedRankings) -> Self:
        return self.altered(metric=self.metric.at_levels_of(judged))

    def with_rel(self, rel: float) -> Self:
        return self.altered(metric=self.metric.with_rel(rel))

    def written(self, *, without: str | None = None) -> str:
        return f"IA({self.metric})"

    __str__ = written


@register({"P-IA": "P_IA"})
class P_IA(OverSubtopics):
    """Intent-aware precision: the mean over subtopics of the precision of the first k documents.

    Use it to see how well the top of a ranking serves each subtopic. Do not use it to measure
    novelty: a ranking with documents about one subtopic can score as high as a ranking that covers
    several.
    Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009; ndeval's P-IA.

    >>> score_gains("P_IA@4", [1, 0, 0, 1])
    0.5
    """

    rel: int = rel()
    cutoff: int = cutoff(required=True)

    @property
    def inner(self) -> Metric:
        return P(rel=self.rel, cutoff=self.cutoff)


@register(dict.fromkeys(["MAP_IA", "MAP-IA", "AP-IA"], "AP_IA"))
class AP_IA(OverSubtopics):
    """Intent-aware average precision: the mean of AP over subtopics.

    Use it when finding all relevant documents of every subtopic matters. Avoid it with few
    judgments: AP divides by the number of documents known to be relevant to the subtopic.
    Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009; ndeval's MAP-IA.

    >>> round(score_gains("AP_IA", [1, 0, 1]), 4)
    0.8333
    """

    rel: int = rel()

    @property
    def inner(self) -> Metric:
        return AP(rel=self.rel)


@register(dict.fromkeys(["strec", "I_rec", "I-rec"], "StRecall"))
class StRecall(OverSubtopics):
    """Subtopic recall: the share of the subtopics that the first k documents cover.

    A subtopic is covered if at least one of the first k documents is relevant to it. Subtopics
    without any relevant document do not count. StRecall is NTCIR's I-rec.

    Use it to measure coverage. Do not use it alone: the order within the first k does not count.
    Zhai, Cohen and Lafferty, SIGIR 2003; ndeval's strec.

    >>> score_gains("StRecall@2", [0, 1, 1])
    1.0
    """

    rel: int = rel()
    cutoff: int = cutoff(required=True)

    @property
    def inner(self) -> Metric:
        return Success(rel=self.rel, cutoff=self.cutoff)


class Novelty(Metric):
    """Novelty-discounted gain of one subtopic, divided by its largest possible value.

    It is Σ_j (1 − alpha)^(j−1) d(r_j) over the ranks r_1 < r_2 < … of the subtopic's relevant
    documents, where d is the rank discount. The divisor is the same sum for a ranking in which
    every document down to the cutoff is relevant.
    """

    alpha: float = share(0.5)
    by: str = choice("log2", "reciprocal", "geometric")
    beta: float = share(0.5)
    rel: int = rel()
    cutoff: int | None = cutoff()

    favours_the_top = True
    bounds = NoveltyGain()

    def novelty(self, place: Ints) -> Floats:
        """Return the factor (1 − alpha)^(j − 1) of the j-th relevant document, j being `place`."""
        return np.power(1.0 - self.alpha, place - 1)

    def discount(self, rank: Ints) -> Floats:
        if self.by == "log2":
            return 1 / np.log2(rank + 1.0)
        return 1.0 / rank if self.by == "reciprocal" else np.power(float(self.beta), rank - 1)

    @property
    def most(self) -> float:
        """The largest possible sum Σ_j (1 − alpha)^(j−1) d(r_j): all documents are relevant."""
        if self.by == "geometric" and self.cutoff is None:
            return 1 / (1 - (1 - self.alpha) * self.beta)
        return _greatest(self)

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        return rows.total(self.novelty(rows.place) * self.discount(rows.rank)) / self.most


@lru_cache(maxsize=256)
def _greatest(metric: Novelty) -> float:
    falls = 1 - metric.alpha
    needed = 1 if falls == 0 else DEEPEST if falls == 1 else np.log(SMALLEST) / np.log(falls)
    rank = np.arange(1, int(min(metric.cutoff or DEEPEST, needed + 1, DEEPEST)) + 1)
    return float((metric.novelty(rank) * metric.discount(rank)).sum())


class NoveltyMean(OverSubtopics):
    """Mean of the novelty-discounted gain over subtopics."""

    by = "log2"  # the rank discount
    beta = 0.5  # parameter of the geometric discount

    alpha: float = share(0.5)
    rel: int = rel()

    def __post_init__(self) -> None:
        super().__post_init__()
        if "cutoff" in self.parameters and self.alpha == 0 and self.cutoff is None:
            what = "alpha=0 needs a cutoff, because the sum over all ranks is infinite."
            raise WrongParameter(what, source=str(self))

    @property
    def inner(self) -> Novelty:
        return Novelty(
            alpha=self.alpha, by=self.by, beta=self.beta, rel=self.rel, cutoff=self.cutoff
        )


@register({"alpha-DCG": "alpha_DCG", "α_DCG": "alpha_DCG"})
class alpha_DCG(NoveltyMean):
    """α-DCG: DCG in which each further document about a subtopic gains less, by the factor 1 − α.

    A document gains Σ (1 − α)^c / log2(rank + 1) over the subtopics to which it is relevant, where
    c is the number of documents above it that are relevant to the same subtopic. As in ndeval, the
    sum over all documents is divided by the same sum for a ranking whose documents are all relevant
    to all subtopics.

    Use it as the numerator of alpha_nDCG. Avoid comparing its scores on different topics: it
    divides by the score of documents that are all about all subtopics, and few topics have such
    documents.
    Clarke et al., SIGIR 2008; ndeval's alpha-DCG.

    >>> round(score_gains("alpha_DCG@3", [0, 1, 1]), 4)
    0.6116
    """

    cutoff: int | None = cutoff()


@register({"ERR-IA": "ERR_IA"})
class ERR_IA(NoveltyMean):
    """Intent-aware ERR: like alpha_DCG, with the discount 1 / rank.

    The users stop at a relevant document with probability α. ERR-IA is the mean of this binary ERR
    over the subtopics, divided by the ERR of a ranking whose documents are all relevant. At cutoff
    1 ndeval sums over the subtopics instead of averaging.

    Use it for users with one intent who stop when satisfied.
    Chapelle et al., Information Retrieval 14(6), 2011; ndeval's ERR-IA.

    >>> round(score_gains("ERR_IA@3", [0, 1, 1]), 4)
    0.5
    """

    by = "reciprocal"
    cutoff: int | None = cutoff()


@register()
class NRBP(NoveltyMean):
    """Novelty- and rank-biased precision: like alpha_DCG, with the discount β^(rank − 1).

    Use it for ambiguous queries; a larger β models more patient users. It is not nRBP, which is
    normalised RBP.
    Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval's NRBP.

    >>> score_gains("NRBP", [1, 1])
    0.9375
    """

    by = "geometric"
    beta: float = share(0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta == 1:
            raise WrongParameter(
                "beta=1 is not allowed, because it does not discount any rank. Use a smaller beta.",
                source="NRBP",
            )


class NoveltyRatio(NoveltyMean):
    """Novelty-discounted gain divided by the gain of the ideal ranking, which is built greedily."""

    over_subtopics = None  # the ideal ranking is shared by all subtopics
    bounds = RatioToGreedyIdeal()

    def coverage(self, judged: JudgedRankings) -> Floats:
        """Return the gain, before the rank discount, of each rank of the greedy ideal ranking.

        The array has the axes [topic, rank].
        """
        inner = self.inner
        every, _ = grades_of(judged)
        key = ("coverage", inner.alpha, inner.rel, inner.cutoff, inner.by, inner.beta)
        starts = judged.topic_start
        return judged.keep_of_topics(key, lambda: greedy_coverage(inner, every, starts))

    def compute(self, judged: JudgedRankings) -> Floats:
        parts, inner = self.parts(judged), self.inner
        scores = parts.table(inner.scores(parts.rankings))
        earned = (parts.weights * np.nan_to_num(scores)).sum(axis=1) * inner.most
        steps = self.coverage(judged)
        discounts = inner.discount(np.arange(1, steps.shape[1] + 1))
        # cumsum adds in rank order, so trailing zeros change no digit.
        ideal = np.cumsum(steps * discounts, axis=1)[:, -1]
        return np.asarray(earned / ideal[judged.topic])


def greedy_coverage(inner: Novelty, every: Any, starts: Ints) -> Floats:
    """Return the gain, before the rank discount, of each rank of the greedy ideal ranking.

    The array has the axes [topic, rank]. Each rank takes the document that adds the largest gain.
    If several documents add the same gain, the document whose name is last in byte order is taken,
    as in ndeval. The truly ideal ranking is NP-hard to find, and may have a larger sum.
    """
    relevant = every.grades >= inner.rel
    depth = inner.cutoff or max(int(np.diff(starts).max(initial=1)), 1)
    if inner.by == "geometric" and inner.beta < 1:
        depth = min(depth, int(np.log(SMALLEST) / np.log(max(inner.beta, SMALLEST))) + 2)
    steps = np.zeros((len(starts) - 1, depth))
    for topic, (first, last) in enumerate(pairwise(starts.tolist())):
        rows = np.arange(first, last)[relevant[first:last].any(axis=1)]
        rows = rows[np.argsort(-every.name_order[rows], kind="stable")]
        gain, some = every.weights[topic].copy(), relevant[rows]
        for rank in range(min(depth, len(rows))):
            added = np.zeros(len(rows))
            # Summed in ndeval's order, so that ties are the same.
            for place, one in enumerate(gain):
                added += np.where(some[:, place], one, 0.0)
            best = int(np.argmax(added))
            steps[topic, rank] = added[best]
            gain = np.where(some[best], gain * (1.0 - inner.alpha), gain)
            some = np.delete(some, best, axis=0)
            rows = np.delete(rows, best)
    return steps


@register({"alpha-nDCG": "alpha_nDCG", "α_nDCG": "alpha_nDCG"})
class alpha_nDCG(NoveltyRatio):
    """α-nDCG: α-DCG divided by the α-DCG of the ideal ranking of the topic's judged documents.

    The ideal ranking is built greedily, as in ndeval, because the best ranking is NP-hard to find.
    A score can therefore be slightly above 1.

    Use it to measure diversity and novelty together, as TREC's web track does. Avoid it with few
    judgments: the ideal ranking changes when more relevant documents are judged.
    Clarke et al., SIGIR 2008; ndeval's alpha-nDCG.

    >>> round(score_gains("alpha_nDCG@3", [0, 1, 1]), 4)
    0.6697
    """

    cutoff: int | None = cutoff()


@register({"nERR-IA": "nERR_IA"})
class nERR_IA(NoveltyRatio):
    """ERR_IA divided by the ERR_IA of the greedy ideal ranking; see alpha_nDCG.

    Use it instead of ERR_IA if the best possible scores of the topics differ.
    Clarke et al., WSDM 2011; ndeval's nERR-IA.

    >>> round(score_gains("nERR_IA@3", [0, 1, 1]), 4)
    0.5333
    """

    by = "reciprocal"
    cutoff: int | None = cutoff()


@register()
class nNRBP(NoveltyRatio):
    """NRBP divided by the NRBP of the greedy ideal ranking; see alpha_nDCG.

    Use it instead of NRBP if the best possible scores of the topics differ.
    Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval's nNRBP.

    >>> score_gains("nNRBP", [0, 1, 1])
    0.5
    """

    by = "geometric"
    beta: float = share(0.5)


@register({"D-nDCG": "D_nDCG"})
class D_nDCG(OverSubtopics):
    """nDCG of global gains: the global gain is the weighted mean of the gains for all subtopics.

    The weights are the probabilities of the subtopics. By default all are equal;
    `rankwise.Subtopics` sets others. The ideal ranking sorts the documents by global gain.

    Use it with graded judgments for each subtopic. Do not use it to measure novelty: the gain of
    further documents about the same subtopic is not reduced.
    Sakai and Song, SIGIR 2011; NTCIREVAL's D-nDCG.

    >>> round(score_gains("D_nDCG@3", [0, 2, 1]), 4)
    0.6697
    """

    gains: Gains | None = gains()
    cutoff: int | None = cutoff()

    @property
    def inner(self) -> Metric:
        return nDCG(cutoff=self.cutoff)

    def parts(self, judged: JudgedRankings) -> BySubtopic:
        best = greatest_gain(judged, self.gains)
        return judged.keep(
            ("global gain", self.gains),
            lambda: by_global_gain(judged, lambda grade: self.worth(grade, judged), best),
        )


@register({"Dsharp-nDCG": "Dsharp_nDCG"})
class Dsharp_nDCG(Metric):
    """D♯-nDCG: gamma × I-rec (StRecall) + (1 − gamma) × D-nDCG.

    Use it to combine coverage of the subtopics and graded relevance. NTCIR's INTENT task
    used it with gamma 0.5 at cutoff 10.
    Sakai and Song, SIGIR 2011; NTCIREVAL's D#-nDCG.

    >>> round(score_gains("Dsharp_nDCG@3", [0, 2, 1]), 4)
    0.8348
    """

    gamma: float = share(0.5)
    rel: int = rel()
    gains: Gains | None = gains()
    cutoff: int = cutoff(required=True)

    printed_name = "D♯-nDCG"
    needs_relevant = True
    uses_subtopics = True
    bounds = SumOfTwo()

    @property
    def terms(self) -> tuple[tuple[float, Metric], ...]:
        """The two metrics, each with its weight, as pairs (weight, metric)."""
        return (
            (self.gamma, StRecall(rel=self.rel, cutoff=self.cutoff)),
            (1 - self.gamma, D_nDCG(gains=self.gains, cutoff=self.cutoff)),
        )

    def view(self, judged: JudgedRankings) -> JudgedRankings:
        return judged

    def is_defined(self, judged: JudgedRankings) -> Bools:
        one, other = (term.is_defined(judged) for _, term in self.terms)
        return np.asarray(one & other)

    def compute(self, judged: JudgedRankings) -> Floats:
        return np.asarray(sum(share * term.scores(judged) for share, term in self.terms))
