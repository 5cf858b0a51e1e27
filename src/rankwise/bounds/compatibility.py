"""Overlap of a ranking with the nearest ideal ranking: compatibility."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.base import EXACT_IF_RETRIEVED, UNIT, Bounded, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, rest, running, scan
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption

SumsTo = Callable[[int], Floats]  # of the weights of a rank, down to a depth
Greatest = Callable[[Ints, Ints, Floats], Floats]  # from R, the depth and these sums


def overlap_bounds(
    judged: JudgedRankings, ideal: Ints, sums_to: SumsTo, greatest: Greatest
) -> Bounds:
    """Outer bounds: the least overlap over the greatest ideal, and the reverse.

    `ideal` is the rank in the ideal of each relevant row. New relevant documents push the
    others down the ideal by at most their number; at best each is common to both from its
    own rank on.
    """
    found, count, new = judged.relevant(1), judged.judged_count(1), judged.unjudged_count
    depth, deepest = (np.maximum(judged.length, n) for n in (count, count + new))
    sums = sums_to(deepest.max(initial=0))
    pushed = np.maximum(found.rank, ideal + new[found.ranking])
    ends, end = depth[found.ranking], sums[deepest]
    least = found.total(np.maximum(sums[ends] - sums[np.minimum(pushed - 1, ends)], 0))
    met = np.maximum(found.rank, ideal)
    most = found.total(end[found.ranking] - sums[met - 1])
    # The unjudged ranks are all ranks but the judged.
    most += judged.length * end - summed(sums)[judged.length]
    most -= judged.total(end[judged.ranking] - sums[judged.rank - 1])
    high = most / greatest(count, depth, sums)
    return least / greatest(count + new, deepest, sums), np.minimum(high, 1)


def overlap_of_one_grade(grid: Grid, sums_to: SumsTo, greatest: Greatest) -> Bounds:
    """Bounds if all relevant documents have one grade; exact.

    The n-th relevant document of both lists is then the same.

    It is common from its rank in the ranking on. So for m new ones, which fix the
    depth, the overlap is greatest with the highest and least with the lowest m.
    """
    hit, unjudged = grid.relevant(1), running(grid.unjudged)
    known, length = grid.relevant_count(1)[:, None], grid.of(grid.judgments.length)[:, None]
    sums = sums_to(int((known + unjudged).max() + length.max()))
    lost = sums[:-1][: hit.shape[1]]  # before each rank
    alone, both = running(hit * lost), running((hit | grid.unjudged) * lost)

    def score(new: Floats, lost: Floats) -> Floats:
        count = (known + new).astype(np.int64)
        depth = np.maximum(count, length).astype(np.int64)
        overlap = (hit.sum(axis=1)[:, None] + new) * sums[depth] - lost
        return overlap / greatest(count, depth, sums)

    low = score(rest(unjudged), alone + rest(both)).min(axis=1)
    return low, score(unjudged, both + rest(alone)).max(axis=1)


def summed(sums: Floats) -> Floats:
    """Return the running totals of the sums before each of the first 0, 1, 2 … ranks."""
    return np.concatenate([[0.0], np.cumsum(sums[:-1])])


class Overlapping(Bounded, Protocol):
    """A metric of the overlap with the nearest ideal."""

    def sums_to(self, depth: int) -> Floats: ...
    def greatest(self, count: Ints, depth: Ints, sums: Floats) -> Floats: ...
    def ideal_rank(self, judged: JudgedRankings, found: JudgedRankings) -> Ints: ...


class OverlapWithIdeal(ScoreBounds[Overlapping]):
    """Bounds of the overlap with the nearest ideal: Compat; exact if there is one grade."""

    exact_if_alike = EXACT_IF_RETRIEVED
    exact_where = "all relevant documents have one grade"
    open_range = UNIT

    def one_gain(self, metric: Overlapping, judged: JudgedRankings) -> float | None:
        grades = metric.possible_grades(judged)[1:]
        return float(grades[0]) if len(grades) == 1 else None

    def in_view(
        self, metric: Overlapping, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        if unjudged == "open":
            return self.whole_range(metric, judged)
        if self.one_gain(metric, judged) is not None:
            return scan(
                judged, lambda grid: overlap_of_one_grade(grid, metric.sums_to, metric.greatest)
            )
        ideal = metric.ideal_rank(judged, judged.relevant(1))
        return overlap_bounds(judged, ideal, metric.sums_to, metric.greatest)
