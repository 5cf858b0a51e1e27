"""Metrics of pairs of documents; the relevant or preferred document should rank higher."""

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.bounds import AllPreferencePairs, DecidedPairs, PreferencePairs, RetrievedPairs
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import choice, cutoff, rel, whole
from rankwise.metrics.registry import register
from rankwise.rankings import JudgedRankings, PairCounts, pair_counts


class Preference(Metric):
    """Metrics of the number of judged non-relevant documents above each relevant document."""

    tells_unjudged = True
    needs_relevant = True
    favours_the_top = True
    rel: int = rel()

    def above(self, judged: JudgedRankings) -> Floats:
        """Return the number of judged non-relevant documents above each relevant document."""
        relevant = judged.relevant(self.rel)
        rows = np.flatnonzero(judged.grade >= self.rel)
        judged_above = rows - judged.row_start[relevant.ranking]
        above = (judged_above - (relevant.place - 1)).astype(np.float64)
        unusable = judged.grade < 0
        return above - judged.running(unusable)[rows] if unusable.any() else above


@register({"BPref": "Bpref", "bpref": "Bpref", "bpref-10": "Bpref(k=10,norm=full)"})
class Bpref(Preference):
    """Binary preference: relevant documents should be above judged non-relevant documents.

    bpref-k = (1/R) Σ [1 − min(n, R + k) / min(N, R + k)] over the retrieved relevant documents. n
    is the number of judged non-relevant documents above the relevant document. N is the number of
    judged non-relevant documents of the topic, and R the number of its relevant documents. Unjudged
    documents and negative grades are ignored. k = 0 is trec_eval's bpref. With `norm=full`, R + k
    replaces min(N, R + k), as in the papers on bpref-10: `bpref-10` is Bpref(k=10,norm=full).

    Use it with incomplete judgments. Avoid it when most judged documents are relevant, or when
    the top of the ranking matters most: it is not top-heavy.
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
class RankEff(Preference):
    """Rank effectiveness: mean share of judged non-relevant documents below a relevant document.

    RankEff = Σ (judged non-relevant documents below d) / (R N) over the retrieved relevant
    documents d, where R and N are the numbers of the topic's relevant and judged non-relevant
    documents. Non-relevant documents that are not retrieved count as below d. RankEff is undefined
    if R or N is 0.

    Use it with incomplete judgments: unlike bpref it uses all judgments, and it always rises when a
    relevant document changes places with a judged non-relevant document above it. Avoid it when the
    top of the ranking matters most.
    Ahlgren and Grönqvist, Information Processing and Management 44, 2008 (online 2007).

    >>> score_gains("RankEff", [1, 1, 0, 0], judged=[1, 1, 0, 0, 0, 0])
    1.0
    """

    undefined_without = "relevant document, or no judged non-relevant document"
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
class AgreedPairs(Metric):
    """Share of pairs of documents that the ranking orders as the judgments do.

    AgreedPairs = agreed / decided. A pair of judged documents of a topic is decided if the first is
    preferred to the second or has a higher grade. The pair is agreed if the first document is
    ranked above the second, or if only the first is retrieved. The score is undefined if no pair is
    decided.

    Use it with preference judgments, where each pair counts once. Avoid it when the top of the
    ranking matters most. Avoid comparing collections with different shares of undecided pairs. It
    is the prefs_simp of trec_eval.
    Carterette and Bennett, SIGIR 2008.

    >>> round(score_gains("AgreedPairs", [2, 0, 1]), 4)
    0.6667
    """

    tells_unjudged = True
    needs_relevant = True
    undefined_without = "pair of judged documents with different grades, or with a preference"
    uses_preferences = True
    bounds = DecidedPairs()

    def compute(self, judged: JudgedRankings) -> Floats:
        counts = self.pair_counts(judged)
        return counts.agreed / np.maximum(counts.decided, 1)

    def pair_counts(self, judged: JudgedRankings) -> PairCounts:
        """Return the numbers of pairs of documents of each ranking.

        They are the numbers of agreed and decided pairs (see `AgreedPairs`), of decided pairs with
        neither document retrieved (`missing`), and of pairs that further judgments may decide.
        """
        return pair_counts(judged)

    def is_defined(self, judged: JudgedRankings) -> Bools:
        return self.pair_counts(judged).decided > 0


@register()
class Accuracy(Metric):
    """Probability that a relevant document is ranked above a non-relevant document.

    The pairs are formed within the first k documents. Unjudged documents count as non-relevant.
    The score is 0 if none of the first k documents is relevant, and 1 if all are.

    Use it to monitor the training of a reranker. Avoid it for comparing systems: relevant documents
    that are not retrieved cost nothing. It is the Accuracy of ir_measures.

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
