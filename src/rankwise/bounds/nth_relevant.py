"""Rank of the n-th relevant document: RR, Success; best gain: BestGain; mean rank: RankPower."""

from typing import Protocol

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.base import EXACT, Binary, Bounded, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, rest, running
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


class NthFound(Binary, Protocol):
    """A metric of the rank of the n-th relevant document."""

    nth: int

    def score_at(self, rank: Floats) -> Floats: ...


class NthRelevantRank(ScoreBounds[NthFound]):
    """Bounds of a score that falls with the rank of the n-th relevant document; exact.

    At best every unjudged document is relevant: the n-th is then below n − 1 others and those
    judged non-relevant ones that have fewer than n others above them. Documents elsewhere
    change nothing.
    """

    exact = EXACT
    sees_elsewhere = True

    def rises_when_condensed(self, metric: NthFound) -> bool:
        return True

    def in_view(self, metric: NthFound, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        others = judged.rows_where(judged.grade < metric.rel)
        best = metric.nth + others.total(others.rank - others.place < metric.nth)
        last = judged.length if unjudged == "retrieved" else (metric.cutoff or np.inf)
        best[best > last] = np.inf
        return metric.compute(judged), metric.score_at(best)


class OfBest(Bounded, Protocol):
    """A metric of the best gain down to a cutoff."""

    cutoff: int

    def worth(self, grade: Ints, judged: JudgedRankings) -> Floats: ...


class BestInTop(ScoreBounds[OfBest]):
    """Bounds of the best gain in the first k documents; exact. Documents elsewhere add nothing."""

    exact = EXACT
    sees_elsewhere = True

    def in_view(self, metric: OfBest, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        best = metric.compute(judged)
        may_have = judged.unjudged_count > 0
        if unjudged == "open":
            may_have |= judged.seen_length < metric.cutoff
        greatest = float(metric.worth(metric.possible_grades(judged), judged).max())
        return best, np.where(may_have, np.maximum(best, greatest), best)


class GivingUp(Binary, Protocol):
    """A metric with a worst value."""

    give_up: int


class MeanRankOverFound(ScoreBounds[GivingUp]):
    """Bounds of Σ rank / n² over the n relevant documents retrieved: RankPower; exact.

    For m new relevant documents the sum is least with the highest and greatest with the lowest m.
    """

    exact = EXACT

    def range_of(self, metric: GivingUp) -> tuple[float, float]:
        return 0.5, float(metric.give_up)

    def on(self, metric: GivingUp, grid: Grid) -> Bounds:
        hit = grid.relevant(metric.rel)
        known, count = ((hit * grid.rank).sum(axis=1)[:, None], hit.sum(axis=1)[:, None])
        ranks, unjudged = running(grid.unjudged * grid.rank), running(grid.unjudged)

        def power(ranks: Floats, count: Floats) -> Floats:
            """Return the score, the worst if nothing is relevant."""
            power = np.where(count > 0, ranks / np.maximum(count, 1) ** 2, np.inf)
            return np.minimum(power, metric.give_up)

        least = power(known + ranks, count + unjudged)
        most = power(known + rest(ranks), count + rest(unjudged))
        return least.min(axis=1), most.max(axis=1)
