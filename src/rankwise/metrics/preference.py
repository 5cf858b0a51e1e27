"""Metrics of preferences: relevant documents ranked above ones that are not."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.bounds import Bounds, Grid, Mean, mean_bounds, rest, running
from rankwise.judged import Floats, JudgedRankings
from rankwise.metrics.base import EXACT_IF_RETRIEVED, Assumption, Metric
from rankwise.metrics.names import register
from rankwise.metrics.parameters import cutoff, rel, whole


@dataclass(frozen=True, kw_only=True)
class Preference(Metric):
    """What bpref and RankEff share: judged non-relevant documents above each relevant one."""

    needs_relevant: ClassVar[bool] = True
    rel: int = rel()

    def above(self, judged: JudgedRankings) -> Floats:
        """How many judged non-relevant documents are above each row of `relevant(rel)`."""
        relevant = judged.grade >= self.rel
        return judged.running((judged.grade >= 0) & ~relevant)[relevant]

    def lost(self, grid: Grid, above: Floats, unjudged: Floats) -> Bounds:
        """What a relevant document at each cell loses, at least and at most."""
        raise NotImplementedError

    def bounds_on(self, grid: Grid) -> Bounds:
        """Outer bounds: each relevant document loses its least, or each its most.

        Of the unjudged documents above it some or none turn out to be non-relevant, while
        those below may only add to N.
        """
        hit = grid.relevant(self.rel)
        above = np.cumsum(grid.nonrelevant(self.rel), axis=1, dtype=np.float64)
        unjudged = np.cumsum(grid.unjudged, axis=1, dtype=np.float64) - grid.unjudged
        fewest, most = self.lost(grid, above, unjudged)
        known = (((1 - most) * hit).sum(axis=1), ((1 - fewest) * hit).sum(axis=1))
        count = grid.relevant_count(self.rel)
        return mean_bounds(grid, Mean(known, count, 1 - most, 1 - fewest))

    def nonrelevant_count(self, grid: Grid) -> Floats:
        return grid.of(grid.judgments.judged_count(0, self.rel))[:, None]


@register({"BPref": "Bpref", "bpref": "Bpref", "bpref-10": "Bpref(k=10)"})
@dataclass(frozen=True, kw_only=True)
class Bpref(Preference):
    """How rarely judged non-relevant documents are ranked above relevant ones.

    bpref-k = (1/R) Σ 1 − min(n, R + k) / min(N, R + k) over the retrieved relevant
    documents, n being the judged non-relevant documents above, N all of the topic's.
    Assumption and unusable documents play no part. k = 0 is trec_eval's bpref, k = 10 the
    bpref-10 of the first paper.

    Use it with incomplete judgments. Do not use it where most judged documents are
    relevant, or to see the top of the ranking: it does not favour it much.
    Buckley and Voorhees, SIGIR 2004.

    >>> score_gains("Bpref", [1, 0, 1, 0])
    0.75
    """

    k: int = whole(0, 0)

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        count = judged.judged_count(self.rel)
        reach = count + self.k
        most = np.maximum(np.minimum(reach, judged.judged_count(0, self.rel)), 1)
        lost = np.minimum(self.above(judged), reach[rows.ranking]) / most[rows.ranking]
        return rows.total(1 - lost) / np.maximum(count, 1)

    def lost(self, grid: Grid, above: Floats, unjudged: Floats) -> Bounds:
        others = self.nonrelevant_count(grid)
        reach = grid.relevant_count(self.rel)[:, None] + self.k
        new = grid.unjudged.sum(axis=1)[:, None]
        fewest = np.minimum(above, reach) / np.maximum(np.minimum(others, reach) + new, 1)
        # n / min(N, R + k) is n / N or n / (R + k): the one is most with all of the
        # unjudged above in both n and N, the other with today's R.
        most = (above + unjudged) / np.maximum(np.minimum(others + unjudged, reach), 1)
        return fewest, np.minimum(most, 1)


@register()
@dataclass(frozen=True, kw_only=True)
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

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        count = judged.judged_count(self.rel)
        others = judged.judged_count(0, self.rel).astype(np.float64)
        others[others == 0] = np.nan
        below = others[rows.ranking] - self.above(judged)
        return rows.total(below) / np.maximum(count, 1) / others

    def lost(self, grid: Grid, above: Floats, unjudged: Floats) -> Bounds:
        others = self.nonrelevant_count(grid)
        fewest = above / np.maximum(others + grid.unjudged.sum(axis=1)[:, None], 1)
        return fewest, (above + unjudged) / np.maximum(others + unjudged, 1)


@register()
@dataclass(frozen=True, kw_only=True)
class Accuracy(Metric):
    """The probability that a relevant document is ranked above one that is not.

    Over the pairs in the first k documents, the unjudged counting as not relevant.
    Undefined where there is no such pair.

    Use it to watch a reranker train. Do not use it to compare systems: relevant documents
    that are not retrieved cost nothing. The accuracy of ir_measures.

    >>> score_gains("Accuracy", [1, 0, 1, 0])
    0.75
    """

    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT_IF_RETRIEVED
    cutoff: int | None = cutoff()
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        count = np.diff(found.row_start)
        pairs = (count * (judged.length - count)).astype(np.float64)
        pairs[pairs == 0] = np.nan
        return 1 - found.total(found.rank - found.place) / pairs

    def compute_bounds(self, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        if unjudged == "open":  # the length is unknown too; exact without a cutoff
            return np.zeros(judged.count), np.ones(judged.count)
        return super().compute_bounds(judged, unjudged)

    def bounds_on(self, grid: Grid) -> Bounds:
        hit = grid.relevant(self.rel)
        known, count = (hit * grid.rank).sum(axis=1)[:, None], hit.sum(axis=1)[:, None]
        ranks, unjudged = running(grid.unjudged * grid.rank), running(grid.unjudged)
        length = grid.of(grid.judgments.length)[:, None]

        def share_of_wrong_pairs(ranks: Floats, count: Floats) -> Floats:
            wrong, pairs = ranks - count * (count + 1) / 2, count * (length - count)
            return np.divide(wrong, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)

        most = share_of_wrong_pairs(known + rest(ranks), count + rest(unjudged))
        least = share_of_wrong_pairs(known + ranks, count + unjudged)
        # Judgments that leave no pair leave no score: fmin and fmax pass over them.
        return 1 - np.fmax.reduce(most, axis=1), 1 - np.fmin.reduce(least, axis=1)
