"""Metrics of preferences: relevant documents ranked above ones that are not."""

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.bounds.preference import AllPreferencePairs, PreferencePairs, RetrievedPairs
from rankwise.metrics.identity import metric
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import choice, cutoff, rel, whole
from rankwise.metrics.registry import register
from rankwise.rankings.judged import JudgedRankings


@metric
class Preference(Metric):
    """What bpref and RankEff share: judged non-relevant documents above each relevant one."""

    needs_relevant = True
    favours_the_top = True
    rel: int = rel()

    @property
    def tells_unjudged(self) -> bool:
        return True

    def above(self, judged: JudgedRankings) -> Floats:
        """How many judged non-relevant documents are above each row of `relevant(rel)`."""
        relevant = judged.grade >= self.rel
        return judged.running((judged.grade >= 0) & ~relevant)[relevant]


@register({"BPref": "Bpref", "bpref": "Bpref", "bpref-10": "Bpref(k=10,norm=full)"})
@metric
class Bpref(Preference):
    """How rarely judged non-relevant documents are ranked above relevant ones.

    bpref-k = (1/R) Σ 1 − min(n, R + k) / min(N, R + k) over the retrieved relevant
    documents, n being the judged non-relevant documents above, N all of the topic's.
    Unjudged and unusable documents play no part. k = 0 is trec_eval's bpref. With `norm=full`
    it is divided by R + k also where N is smaller, as the papers on bpref-10 have it:
    `bpref-10` is Bpref(k=10,norm=full).

    Use it with incomplete judgments. Do not use it where most judged documents are
    relevant, or to see the top of the ranking: it does not favour it much.
    Buckley and Voorhees, SIGIR 2004; Ahlgren and Grönqvist, Information Processing and
    Management 44, 2008, equation 4.

    >>> score_gains("Bpref", [1, 0, 1, 0])
    0.75
    >>> round(score_gains("Bpref(k=10)", [0, 0, 1, 0]), 4)
    0.3333
    >>> round(score_gains("bpref-10", [0, 0, 1, 0]), 4)
    0.8182
    """

    bounds = PreferencePairs()
    k: int = whole(0, 0)
    norm: str = choice("min", "full", default="min")

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        count = judged.judged_count(self.rel)
        reach = count + self.k
        others = judged.judged_count(0, self.rel)
        most = np.maximum(reach if self.norm == "full" else np.minimum(reach, others), 1)
        lost = np.minimum(self.above(judged), reach[rows.ranking]) / most[rows.ranking]
        return rows.total(1 - lost) / np.maximum(count, 1)


@register()
@metric
class RankEff(Preference):
    """The share of judged non-relevant documents that an average relevant one is ranked above.

    RankEff = Σ (judged non-relevant documents below d) / (R N) over the retrieved relevant
    documents d. Those not retrieved count as below all that are. Undefined where R or N
    is 0.

    Use it with incomplete judgments: unlike bpref it looks at all of them, and always
    rises when a relevant document changes places with a non-relevant one above it. Do not
    use it to see the top of the ranking.
    Ahlgren and Grönqvist, Information Processing and Management 44, 2008 (online 2007).

    >>> score_gains("RankEff", [1, 1, 0, 0], judged=[1, 1, 0, 0, 0, 0])
    1.0
    """

    bounds = AllPreferencePairs()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        count = judged.judged_count(self.rel)
        others = judged.judged_count(0, self.rel)
        below = others[rows.ranking] - self.above(judged)
        return rows.total(below) / np.maximum(count, 1) / others

    def is_defined(self, judged: JudgedRankings) -> Bools:
        return super().is_defined(judged) & (judged.judged_count(0, self.rel) > 0)


@register()
@metric
class Accuracy(Metric):
    """The probability that a relevant document is ranked above one that is not.

    Over the pairs in the first k documents, the unjudged counting as not relevant. 0 where
    nothing relevant is there, 1 where nothing else is.

    Use it to watch a reranker train. Do not use it to compare systems: relevant documents
    that are not retrieved cost nothing. The accuracy of ir_measures.

    >>> score_gains("Accuracy", [1, 0, 1, 0])
    0.75
    """

    worst = 0.0
    needs_relevant = True
    favours_the_top = True
    bounds = RetrievedPairs()
    cutoff: int | None = cutoff()
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        count = np.diff(found.row_start)
        pairs = np.maximum(count * (judged.length - count), 1)
        return np.where(count > 0, 1 - found.total(found.rank - found.place) / pairs, np.nan)
