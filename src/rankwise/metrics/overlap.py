"""Metrics that compare a ranking with an ideal one, document by document."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.grid import Bounds, Grid, rest, running, scan
from rankwise.metrics.base import Metric
from rankwise.metrics.grades import possible_grades
from rankwise.metrics.parameters import between, flag
from rankwise.metrics.registry import register
from rankwise.metrics.traits import EXACT_IF_RETRIEVED, UNIT
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption


@register()
@dataclass(frozen=True, kw_only=True)
class Compat(Metric):
    """Compatibility: the rank-biased overlap of the ranking with the nearest ideal one.

    The ideal lists the relevant documents by grade and, within a grade, as the ranking
    has them. RBO = Σ p^(d−1) |common in the first d| / d over Σ p^(d−1), down to the end
    of the longer list; divided, with `normalize`, by that of the ideal with itself.

    Use it with preference judgments turned into grades, and for top-heavy grades. Do not
    use it to look below the ideal list.
    Clarke, Vtyurina and Smucker, ACM TOIS 39(3), 2021.

    >>> round(score_gains("Compat", [0, 1]), 4)
    0.322
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True
    sometimes_exact: ClassVar[frozenset[Assumption]] = EXACT_IF_RETRIEVED
    exact_where: ClassVar[str] = "all relevant documents have one grade"
    p: float = between(0, 1, default=0.95, always=True)
    normalize: bool = flag(True)

    def compute(self, judged: JudgedRankings) -> Floats:
        found, count = judged.relevant(1), judged.judged_count(1)
        depth = np.maximum(judged.length, count)
        sums = self._sums(depth.max(initial=0))
        # A document is common to both from the greater of its two ranks on.
        met = np.maximum(found.rank, self._ideal_rank(judged, found))
        overlap = found.total(sums[depth[found.ranking]] - sums[met - 1])
        return overlap / self._greatest(count, depth, sums)

    def _sums(self, depth: int) -> Floats:
        ranks = np.arange(1.0, depth + 1)
        return np.concatenate([[0.0], np.cumsum(np.power(self.p, ranks - 1) / ranks)])

    def _greatest(self, count: Ints, depth: Ints, sums: Floats) -> Floats:
        if not self.normalize:
            return (1 - np.power(self.p, np.maximum(depth, 1))) / (1 - self.p)
        # The ideal with itself: document j is common from rank j on.
        return np.maximum(count * sums[depth] - _summed(sums)[count], 1e-300)

    def compute_bounds(self, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        """Outer where grades differ: the least overlap over the greatest ideal, and the reverse.

        New relevant documents push the others down the ideal by at most their number;
        at best each is common to both from its own rank on.
        """
        if unjudged == "open":
            return np.zeros(judged.count), np.ones(judged.count)
        if self.one_gain(judged) is not None:
            return scan(judged, self._bounds_alike)
        found, count, new = judged.relevant(1), judged.judged_count(1), judged.unjudged_count
        depth, deepest = (np.maximum(judged.length, n) for n in (count, count + new))
        sums = self._sums(deepest.max(initial=0))
        ideal = self._ideal_rank(judged, found)
        pushed = np.maximum(found.rank, ideal + new[found.ranking])
        ends, end = depth[found.ranking], sums[deepest]
        least = found.total(np.maximum(sums[ends] - sums[np.minimum(pushed - 1, ends)], 0))
        met = np.maximum(found.rank, ideal)
        most = found.total(end[found.ranking] - sums[met - 1])
        # The unjudged ranks are all ranks but the judged.
        most += judged.length * end - _summed(sums)[judged.length]
        most -= judged.total(end[judged.ranking] - sums[judged.rank - 1])
        high = most / self._greatest(count, depth, sums)
        return least / self._greatest(count + new, deepest, sums), np.minimum(high, 1)

    def one_gain(self, judged: JudgedRankings) -> float | None:
        grades = possible_grades(judged, None)[1:]
        return float(grades[0]) if len(grades) == 1 else None

    def _bounds_alike(self, grid: Grid) -> Bounds:
        """All grades the same: the n-th relevant document of both lists is then the same.

        It is common from its rank in the ranking on. So for m new ones, which fix the
        depth, the overlap is greatest with the highest and least with the lowest m.
        """
        hit, unjudged = grid.relevant(1), running(grid.unjudged)
        known, length = grid.relevant_count(1)[:, None], grid.of(grid.judgments.length)[:, None]
        sums = self._sums(int((known + unjudged).max() + length.max()))
        lost = sums[:-1][: hit.shape[1]]  # before each rank
        alone, both = running(hit * lost), running((hit | grid.unjudged) * lost)

        def score(new: Floats, lost: Floats) -> Floats:
            count = (known + new).astype(np.int64)
            depth = np.maximum(count, length).astype(np.int64)
            overlap = (hit.sum(axis=1)[:, None] + new) * sums[depth] - lost
            return overlap / self._greatest(count, depth, sums)

        low = score(rest(unjudged), alone + rest(both)).min(axis=1)
        return low, score(unjudged, both + rest(alone)).max(axis=1)

    def _ideal_rank(self, judged: JudgedRankings, found: JudgedRankings) -> Ints:
        ranks = np.zeros(len(found.rank), np.int64)
        for grade in np.unique(found.grade):
            here = found.grade == grade
            among = found.running(here)[here].astype(np.int64)
            ranks[here] = judged.judged_count(int(grade) + 1)[found.ranking[here]] + among
        return ranks


def _summed(sums: Floats) -> Floats:
    """The sums before each of the first 0, 1, 2 … ranks, added up."""
    return np.concatenate([[0.0], np.cumsum(sums[:-1])])
