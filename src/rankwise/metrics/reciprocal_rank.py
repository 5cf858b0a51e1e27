"""Metrics that depend on a few documents: the first or the n-th relevant document, or the best.

RankPower is here too. It is the mean rank of the relevant documents retrieved, divided by their
number.
"""

import numpy as np

from rankwise.arrays import Floats
from rankwise.bounds import BestInTop, MeanRankOverFound, NthRelevantRank, SearchLengths
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import Gains, at_least, choice, cutoff, flag, gains, rel, whole
from rankwise.metrics.registry import register
from rankwise.metrics.traits import ByFirst, ByFirstAndCount, ExactForm
from rankwise.rankings import JudgedRankings


class NthRelevant(Metric):
    """Metrics that depend only on the rank of the n-th relevant document.

    The number of relevant documents of the topic does not change the score.
    """

    bounds = NthRelevantRank()
    rel: int = rel()
    judged_only: bool = flag()

    n = 1  # RR has it as a parameter

    def score_at(self, rank: Floats) -> Floats:
        """Return the score if the n-th relevant document is at `rank`; infinity: it is missing."""
        raise NotImplementedError

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        return self.score_at(found.first(found.place == self.n))

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        alone = self.n == 1 and not self.judged_only
        return ByFirst(self.rel, self.score_at) if alone else None


@register({"MRR": "RR", "mrr": "RR", "recip_rank": "RR", "recip_rank_cut_#": "RR@#"})
class RR(NthRelevant):
    """Reciprocal rank: 1 / (rank of the first relevant document), 0 if there is none.

    With `n` the rank is that of the n-th relevant document (n = 2 for users who want a second
    source). With `k` the score is damped: 1 / (k + rank). The mean of RR over topics is MRR.

    Use it for known-item and question answering tasks, where one answer is enough. Avoid it when
    further relevant documents matter, or with few topics, because RR varies a lot between topics.
    Kantor and Voorhees, Information Retrieval 2(2), 2000; Moffat and Zobel 2008.

    >>> score_gains("RR", [0, 0, 1, 0, 1])
    0.3333333333333333
    """

    n: int = whole(1, 1)
    k: float = at_least(0, 0)
    cutoff: int | None = cutoff()

    def score_at(self, rank: Floats) -> Floats:
        return 1 / (self.k + rank)

    def continuation(self, gain: Floats) -> Floats:
        """Return the continuation probabilities: 1 until the n-th relevant document, then 0."""
        return self.ending_at_cutoff((np.cumsum(gain > 0) < self.n).astype(np.float64))

    def most_below(self, depth: int) -> float:
        """Return the largest change of a score by documents below rank `depth`.

        It is the score if the n-th relevant document is at the first possible rank below `depth`.
        """
        best = max(depth + 1, self.n)
        return 1 / (self.k + best) if best <= (self.cutoff or np.inf) else 0.0


@register({"HIT": "Success", "Hit": "Success", "hit_rate": "Success", "success_#": "Success@#"})
class Success(NthRelevant):
    """Success: 1 if there is a relevant document in the first k, otherwise 0.

    It is also known as HIT@k and, in some RAG papers, as Recall@k.

    Use it to measure how often a page of results helps at all. Avoid it for comparing systems
    that nearly always succeed.
    trec_eval's success.

    >>> score_gains("Success@3", [0, 0, 1, 0, 1])
    1.0
    """

    cutoff: int = cutoff(required=True)

    def score_at(self, rank: Floats) -> Floats:
        return np.isfinite(rank).astype(np.float64)


@register()
class BestGain(Metric):
    """Gain of the best document in the first k: HIT@k on graded judgments.

    BestGain@k = max gain(i) over ranks i = 1 … k, or 0 if no document is retrieved. If all relevant
    documents have gain 1, it is Success@k.

    Use it when one document is enough and its grade matters. Avoid it for comparing systems that
    nearly always have one of the best documents in the first k.
    Moffat 2013.

    >>> score_gains("BestGain(gains={1:0.3,2:1})@3", [0, 1, 0, 2])
    0.3
    """

    score_range = (0.0, np.inf)
    bounds = BestInTop()
    gains: Gains | None = gains()
    cutoff: int = cutoff(required=True)

    def compute(self, judged: JudgedRankings) -> Floats:
        best = np.zeros(judged.count)
        np.maximum.at(best, judged.ranking, self.worth(judged.grade, judged))
        return best


@register({"ESL": "SearchLength"})
class SearchLength(Metric):
    """Expected search length: non-relevant documents viewed before the n-th relevant document.

    Tied documents are viewed in random order. The tie group of the n-th relevant document has i
    non-relevant and r relevant documents, and j non-relevant documents are above this group. If s
    of the r relevant documents are needed to reach n, the expected length is j + i s / (r + 1).
    Users give up after `give_up` non-relevant documents; `give_up` is also the score if fewer than
    n relevant documents are retrieved. Lower is better. With `per=document` the score is divided by
    n: Cooper's expected search length per desired relevant document.

    Use it for the cost of a search. Avoid it when many searches fail, because `give_up` dominates
    the mean.
    Cooper, American Documentation 19(1), 1968.

    >>> score_gains("ESL", [0, 0, 1])
    2.0
    >>> score_gains("ESL(n=2,per=document)", [0, 0, 1, 0, 1])
    1.5
    """

    score_range = (0.0, np.inf)
    less_is_better = True
    needs_relevant = True
    favours_the_top = True
    bounds = SearchLengths()
    n: int = whole(1, 1)
    per: str = choice("search", "document", default="search")
    rel: int = rel()
    give_up: int = whole(1, 1000)

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        new = np.ones(len(found.rank) + 1, np.bool_)
        new[1:-1] = (np.diff(found.ranking) != 0) | (np.diff(found.tie_first) != 0)
        starts = np.flatnonzero(new)
        group = np.cumsum(new[:-1]) - 1  # the tie group of each relevant row
        in_tie = np.diff(starts)[group]
        before = found.place[starts[:-1]][group] - 1  # relevant documents above the tie group
        others = found.tie_last - found.tie_first + 1 - in_tie
        above = found.tie_first - 1 - before
        lengths = above + others * (self.n - before) / (in_tie + 1)
        here = found.place == self.n
        scores = np.full(judged.count, np.nan)
        scores[found.ranking[here]] = lengths[here]
        return np.minimum(scores, self.give_up) / self.divided_by

    @property
    def divided_by(self) -> int:
        """Divisor of the search length: n with `per=document`, otherwise 1."""
        return self.n if self.per == "document" else 1

    @property
    def worst(self) -> float:  # type: ignore[override]
        return self.give_up / self.divided_by

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        """Return the score as a function of the rank of the first relevant document.

        Return None if n > 1 or if any documents are tied.
        """
        assert judged.retrieved is not None
        if self.n > 1 or judged.retrieved.has_ties:
            return None

        def score_at(rank: Floats, _: Floats) -> Floats:
            return np.minimum(rank - 1, self.give_up)

        return ByFirstAndCount(self.rel, score_at)


@register()
class RankPower(Metric):
    """Mean rank of the relevant documents retrieved, divided by their number.

    RankPower = Σ rank / n², where n is the number of relevant documents retrieved. Lower is better;
    the lowest value for a given n is 1/2 + 1/(2n). `give_up` is the highest possible score, and the
    score if no relevant document is retrieved.

    Included for comparison only; not recommended: one more relevant document far down can lower or
    raise the score.
    Meng and Chen 2004; Moffat and Zobel 2008, Section 3.3.

    >>> score_gains("RankPower", [1, 1, 0, 1])
    0.7777777777777778
    """

    score_range = (0.0, np.inf)
    less_is_better = True
    needs_relevant = True
    favours_the_top = True
    bounds = MeanRankOverFound()
    rel: int = rel()
    give_up: int = whole(1, 1000)
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    @property
    def worst(self) -> float:  # type: ignore[override]
        return self.give_up

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        count = np.diff(found.row_start)
        return np.minimum(found.total(found.rank) / count**2, self.give_up)
