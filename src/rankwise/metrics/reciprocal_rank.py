"""Metrics that look for the first relevant document, or the n-th."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.bounds import Bounds, Grid, rest, running
from rankwise.judged import Floats, JudgedRankings
from rankwise.metrics.base import EXACT, EXACT_IF_RETRIEVED, Assumption, Metric
from rankwise.metrics.names import register
from rankwise.metrics.parameters import at_least, cutoff, flag, rel, whole


@dataclass(frozen=True, kw_only=True)
class NthRelevant(Metric):
    """A metric that depends only on the rank of the n-th relevant document, and not on R."""

    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT
    rel: int = rel()
    judged_only: bool = flag()

    @property
    def rises_when_condensed(self) -> bool:
        return True

    def score_at(self, rank: Floats) -> Floats:
        """The score where that document is at this rank; infinity if there is none."""
        raise NotImplementedError

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.score_at(self._rank(judged))

    def _rank(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        return found.first(found.place == getattr(self, "n", 1))

    def compute_bounds(self, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        # At best every unjudged document is relevant: the n-th is then below n - 1 others
        # and those judged non-relevant ones that have fewer than n others above them.
        n = getattr(self, "n", 1)
        others = judged.rows_where(judged.grade < self.rel)
        best = n + others.total(others.rank - others.place < n)
        cutoff: int | None = getattr(self, "cutoff", None)
        last = judged.length if unjudged == "retrieved" else (cutoff or np.inf)
        best[best > last] = np.inf
        return self.compute(judged), self.score_at(best)


@register({"MRR": "RR", "mrr": "RR", "recip_rank": "RR", "recip_rank_cut_#": "RR@#"})
@dataclass(frozen=True, kw_only=True)
class RR(NthRelevant):
    """Reciprocal rank: 1 / (rank of the first relevant document), 0 if there is none.

    With `n`, of the n-th relevant document (n = 2 is the sceptical user); with `k`, damped:
    1 / (k + rank). Its mean over topics is MRR.

    Use it for known-item and question answering tasks, where one answer is enough. Do
    not use it where a second relevant document would please the user, or with few
    topics: it takes few values and varies a lot.
    Kantor and Voorhees, Information Retrieval 2(2), 2000; Moffat and Zobel 2008.

    >>> score_gains("RR", [0, 0, 1, 0, 1])
    0.3333333333333333
    """

    n: int = whole(1, 1)
    k: float = at_least(0, 0)
    cutoff: int | None = cutoff()

    def score_at(self, rank: Floats) -> Floats:
        return 1 / (self.k + rank)


@register({"HIT": "Success", "Hit": "Success", "hit_rate": "Success", "success_#": "Success@#"})
@dataclass(frozen=True, kw_only=True)
class Success(NthRelevant):
    """1 if there is a relevant document in the first k, else 0.

    Also known as HIT@k and, in some RAG papers, as Recall@k.

    Use it to ask how often a page of results helps at all. Do not use it to compare
    systems that nearly always succeed.

    >>> score_gains("Success@3", [0, 0, 1, 0, 1])
    1.0
    """

    cutoff: int = cutoff(required=True)

    def score_at(self, rank: Floats) -> Floats:
        return np.isfinite(rank).astype(np.float64)


@register({"ESL": "SearchLength"})
@dataclass(frozen=True, kw_only=True)
class SearchLength(Metric):
    """Expected search length: documents that are not relevant, seen before the n-th that is.

    Tied documents are seen in random order: with j such documents above the tie, i in it,
    r relevant ones in it of which s are still wanted, j + i s / (r + 1). Undefined where
    fewer than n are retrieved. Less is better.

    Use it for what a search costs. Do not average it over topics of which some find
    nothing: they are left out.
    Cooper, American Documentation 19(1), 1968.

    >>> score_gains("ESL", [0, 0, 1])
    2.0
    """

    less_is_better: ClassVar[bool] = True

    sometimes_exact: ClassVar[frozenset[Assumption]] = EXACT_IF_RETRIEVED
    exact_where: ClassVar[str] = "no documents tie"
    n: int = whole(1, 1)
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        new = np.ones(len(found.rank) + 1, np.bool_)
        new[1:-1] = (np.diff(found.ranking) != 0) | (np.diff(found.tie_first) != 0)
        starts = np.flatnonzero(new)
        group = np.cumsum(new[:-1]) - 1  # the tie that holds each relevant row
        in_tie = np.diff(starts)[group]
        before = found.place[starts[:-1]][group] - 1  # relevant documents above the tie
        others = found.tie_last - found.tie_first + 1 - in_tie
        above = found.tie_first - 1 - before
        lengths = above + others * (self.n - before) / (in_tie + 1)
        here = found.place == self.n
        scores = np.full(judged.count, np.nan)
        scores[found.ranking[here]] = lengths[here]
        return scores

    def is_exact(self, judged: JudgedRankings, unjudged: Assumption = "retrieved") -> bool:
        return unjudged == "retrieved" and bool((judged.tie_first == judged.tie_last).all())

    def compute_bounds(self, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        """Every relevant document shortens the search: at worst there are no more of them.

        At best every unjudged one is relevant, and each tie begins with its relevant ones:
        then a non-relevant document is seen if fewer than n others are down to the end of
        its tie. Exact where no documents tie.
        """
        others = judged.rows_where(judged.grade < self.rel)
        step = judged.length.max(initial=0) + 1
        down_to_end = np.searchsorted(
            others.ranking * step + others.rank, others.ranking * step + others.tie_last, "right"
        )
        nonrelevant = down_to_end - others.row_start[others.ranking]
        seen = others.tie_last - nonrelevant < self.n
        return others.total(seen), np.full(judged.count, -np.inf)


@register()
@dataclass(frozen=True, kw_only=True)
class RankPower(Metric):
    """The mean rank of the relevant documents retrieved, divided by their number.

    RankPower = Σ rank / n². Less is better, down to 1/2 + 1/(2n). Undefined where nothing
    relevant is retrieved.

    Do not use it: a better ranking scores less, one that finds nothing has no score, and
    one more relevant document far down can make it better or worse. It is here because
    the papers discuss it.
    Meng and Chen 2004; Moffat and Zobel 2008, Section 3.3.

    >>> score_gains("RankPower", [1, 1, 0, 1])
    0.7777777777777778
    """

    less_is_better: ClassVar[bool] = True

    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT
    open_range: ClassVar[tuple[float, float]] = (0.5, np.inf)
    rel: int = rel()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        count = np.diff(found.row_start).astype(np.float64)
        count[count == 0] = np.nan
        return found.total(found.rank) / count**2

    def bounds_on(self, grid: Grid) -> Bounds:
        hit = grid.relevant(self.rel)
        known, count = ((hit * grid.rank).sum(axis=1)[:, None], hit.sum(axis=1)[:, None])
        ranks, unjudged = running(grid.unjudged * grid.rank), running(grid.unjudged)
        least = (known + ranks) / np.maximum(count + unjudged, 1) ** 2
        most = (known + rest(ranks)) / np.maximum(count + rest(unjudged), 1) ** 2
        return least.min(axis=1), most.max(axis=1)
