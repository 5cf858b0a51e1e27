"""Metrics that look for the first relevant document, or the n-th."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.bounds import Bounds, Grid, rest, running
from rankwise.judged import Floats, Ints, JudgedRankings
from rankwise.metrics.base import EXACT, Assumption, Metric, possible_grades
from rankwise.metrics.names import register
from rankwise.metrics.parameters import Gains, at_least, cutoff, flag, penalties, rel, whole


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


@dataclass(frozen=True, kw_only=True)
class WeightedReciprocal(Metric):
    """What WRR and NWRR share: penalties β > 1 for each grade, smaller for better ones."""

    beta: Gains = penalties()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def penalty(self, grade: Ints) -> Floats:
        """1 / β of each grade; a grade above all of the table counts as its highest."""
        table = dict(self.beta)
        found = np.zeros(len(grade))
        for level, beta in sorted(table.items()):
            found[grade >= level] = 1 / beta
        return found

    def reciprocal(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(1)
        first = rows.place == 1
        return rows.total(np.where(first, 1 / (rows.rank - self.penalty(rows.grade)), 0.0))

    def open_more(self, judged: JudgedRankings) -> int:
        return 1  # the first document below the end is the best that can come

    def first_unjudged(self, grid: Grid) -> Floats:
        """Its rank where it is above every relevant document; else infinity."""
        found = np.cumsum(grid.relevant(1), axis=1)
        return np.where(grid.unjudged & (found == 0), grid.rank, np.inf).min(axis=1)

    @property
    def best_penalty(self) -> float:
        return max(1 / beta for _, beta in self.beta)


@register()
@dataclass(frozen=True, kw_only=True)
class WRR(WeightedReciprocal):
    """Weighted reciprocal rank: 1 / (r − 1/β(grade)) for the first relevant document, at r.

    `beta` gives the penalty of each grade, {1:4,2:3,3:2} if not given. 0 if there is none.

    Use it to see what NWRR divides. Do not average it: its greatest value depends on the
    best grade that a topic has.
    Eguchi et al., NTCIR-3, 2003; Sakai 2007.

    >>> score_gains("WRR", [0, 0, 3])
    0.4
    """

    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.reciprocal(judged)

    @property
    def rises_when_condensed(self) -> bool:
        return True

    def bounds_on(self, grid: Grid) -> Bounds:
        # An earlier document scores more whatever its grade: 1 / (r − 1) > 1 / (r + 1 − 1/β).
        high = 1 / (self.first_unjudged(grid) - self.best_penalty)
        return np.full(len(high), np.inf), high


@register()
@dataclass(frozen=True, kw_only=True)
class NWRR(WeightedReciprocal):
    """WRR divided by its greatest value for the topic: (1 − 1/β(best)) / (r − 1/β(grade)).

    Use it where the rank of the first relevant document matters more than its grade:
    for any penalties a partly relevant document at rank 1 beats the best at rank 2.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> score_gains("NWRR", [0, 0, 3])
    0.2
    """

    needs_relevant: ClassVar[bool] = True

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.reciprocal(judged) * (1 - self.penalty(self._best(judged)))

    def _best(self, judged: JudgedRankings) -> Ints:
        """The best grade of each ranking's topic."""
        best = np.zeros(len(judged.topics), np.int64)
        filled = np.diff(judged.topic_start) > 0
        best[filled] = judged.topic_grades[judged.topic_start[:-1][filled]]
        return best[judged.topic]

    def bounds_on(self, grid: Grid) -> Bounds:
        """Outer bounds: WRR's least value times that of 1 − 1/β(best), chosen apart.

        For the greatest, the first unjudged document is tried with each grade.
        """
        judged = grid.judgments
        now = grid.of(judged.keep(("reciprocal", self), lambda: self.reciprocal(judged)))
        early = grid.unjudged & (np.cumsum(grid.relevant(1), axis=1) == 0)
        last = np.where(early, grid.rank, 0).max(axis=1)  # the last that could be first
        least = np.where(last > 0, np.minimum(now, 1 / np.maximum(last, 1)), now)
        best = self._best(judged)[grid.rankings]
        high = now * (1 - self._gentlest(best))
        first = self.first_unjudged(grid)
        for grade in possible_grades(judged, self.beta)[1:]:
            worth = 1 / (first - self.penalty(np.array([grade])))
            high = np.maximum(high, worth * (1 - self._gentlest(np.maximum(best, grade))))
        changes = grid.hidden > 0
        low = np.where(changes, least * (1 - self.best_penalty), np.inf)
        return low, np.where(changes, high, 0.0)

    def _gentlest(self, best: Ints) -> Floats:
        """The least penalty of these grades and of the table's higher ones."""
        found = self.penalty(best)
        for grade, beta in self.beta:
            found = np.where(grade > best, np.minimum(found, 1 / beta), found)
        return found


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
