"""Relevant documents discounted by how many others are above them: binG, G."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import EXACT_IF_RETRIEVED, UNIT, Binary, ScoreBounds
from rankwise.bounds.cuts import chords, different, greatest_of_cuts, least_of_cuts, tangents
from rankwise.bounds.grid import Bounds, Grid, rest, running
from rankwise.bounds.means import Mean, mean_bounds
from rankwise.bounds.ratio import Discounted, gains_on, levels_of
from rankwise.rankings import JudgedRankings, undiscounted


@dataclass(frozen=True, eq=False)
class ByNonrelevant:
    """Bounds of (1/R) Σ 1 / log2(2 + non-relevant documents above); exact.

    For m new relevant documents it is greatest with the m highest and least with the m
    lowest: the n-th one from the top then has the fewest (most) others above. These
    number i − n, in which m is a term, so no running sum serves all cuts. But the discount is
    convex in it: chords and tangents say how good each cut can be, and few are left to try.
    """

    grid: Grid
    hit: Bools
    count: Floats

    def bounds(self) -> Bounds:
        return self._least(), self._greatest()

    @property
    def _others(self) -> Ints:
        """Number of documents above each cell that are not relevant under the current judgments."""
        return np.asarray(self.grid.rank - np.cumsum(self.hit, axis=1))

    def _greatest(self) -> Floats:
        unjudged, either = running(self.grid.unjudged), self.hit | self.grid.unjudged
        count, others = self.count + unjudged, self._others
        top = running(either * _discount(others - unjudged[:, 1:]))

        def sums_at(new: Floats) -> Floats:
            return top + rest(running(self.hit * _discount(others - new + 1)))

        def score_at(rows: Ints, cut: Ints) -> Floats:
            return self._score(rows, self.grid.rank <= cut[:, None]) / count[rows, cut]

        promised = chords(unjudged + 1, sums_at, count)
        return greatest_of_cuts(promised, different(self.grid.unjudged), score_at)

    def _least(self) -> Floats:
        """Documents outside of the grid are the lowest of all."""
        unjudged, either = running(self.grid.unjudged), self.hit | self.grid.unjudged
        some = np.isfinite(self.grid.others)
        count = self.count + rest(unjudged) + np.where(some, self.grid.others, 0.0)[:, None]
        top, fewest = running(self.hit * _discount(self._others)), self._others - unjudged[:, 1:]

        def sums_at(above: Floats) -> Floats:
            return top + rest(running(either * _discount(fewest + above - 1)))

        def slopes_at(above: Floats) -> Floats:
            return rest(running(either * _slope(fewest + above - 1)))

        def score_at(rows: Ints, cut: Ints) -> Floats:
            return self._score(rows, self.grid.rank > cut[:, None]) / count[rows, cut]

        promised = tangents(unjudged + 1, sums_at, slopes_at, count)
        low = least_of_cuts(promised, different(self.grid.unjudged) & some[:, None], score_at)
        return np.where(some, low, 0.0)

    def _score(self, rows: Ints, new: Bools) -> Floats:
        relevant = self.hit[rows] | (self.grid.unjudged[rows] & new)
        others = self.grid.rank - np.cumsum(relevant, axis=1)
        return (relevant * _discount(others)).sum(axis=1)


def _discount(others: npt.NDArray[Any]) -> Floats:
    """1 / log2(2 + others) for whole numbers, and along its tangent at 0 for what is less."""
    known = 1 / np.log2(2 + np.arange(max(int(others.max(initial=0)), 0) + 1))
    discount = known[np.maximum(others, 0).astype(np.int64)]
    return np.where(others < 0, known[0] - others / (2 * np.log(2)), discount)


def _slope(others: npt.NDArray[Any]) -> Floats:
    """Return the derivative of the discount."""
    more = 2 + np.arange(int(others.max(initial=0)) + 1)
    slope = -np.log(2) / (more * np.log(more) ** 2)
    return slope[np.maximum(others, 0).astype(np.int64)]


class NonrelevantAbove(ScoreBounds[Binary]):
    """Bounds of relevant documents discounted by the others above them: binG; exact."""

    exact = EXACT_IF_RETRIEVED
    open_range = UNIT

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        count = grid.relevant_count(metric.rel)[:, None]
        return ByNonrelevant(grid, grid.relevant(metric.rel), count).bounds()


class Costed(Discounted, Protocol):
    """A metric whose discount depends on how far the ranking is behind the ideal."""

    def cost(self, judged: JudgedRankings, ranking: Ints, rank: Ints) -> Floats: ...


class GainBehindIdeal(ScoreBounds[Costed]):
    """Bounds of gains discounted by how far the ranking is behind the ideal: G.

    With gains of 0 and 1 it is binG. Otherwise outer: each document's discount follows from the
    least or the greatest cost and gain.
    """

    exact_if_alike = EXACT_IF_RETRIEVED
    exact_where = "all gains are 0 or 1"
    open_range = UNIT

    def one_gain(self, metric: Costed, judged: JudgedRankings) -> float | None:
        worth = np.unique(metric.worth(metric.possible_grades(judged), judged))
        return 1.0 if worth[worth > 0].tolist() == [1.0] else None

    def on(self, metric: Costed, grid: Grid) -> Bounds:
        judged, gain = grid.judgments, gains_on(metric, grid)
        relevant = grid.of(metric.ideal(judged).count_positive())
        if self.one_gain(metric, judged) is not None:
            return ByNonrelevant(grid, gain > 0, np.maximum(relevant, 1)[:, None]).bounds()
        best = levels_of(metric, judged).of_block(grid).greatest
        ranking, rank = grid.cells
        hidden = np.minimum(grid.hidden[:, None], rank).astype(np.int64)
        now = metric.cost(judged, ranking, rank)
        cost = max(best, 1.0) * hidden + metric.cost(judged, ranking, rank - hidden)
        so_far = np.cumsum(gain, axis=1)
        possible = so_far + best * np.cumsum(grid.unjudged, axis=1)
        least, most = (
            1 / np.log2(2 + np.maximum(behind, 0)) for behind in (cost - so_far, now - possible)
        )
        known = ((gain * least).sum(axis=1), (gain * most).sum(axis=1))
        total = np.maximum(grid.of(metric.ideal(judged).total(undiscounted)), 1e-300)
        missed = relevant - (gain > 0).sum(axis=1)
        return mean_bounds(grid, Mean(known, total, least, most, missed, heaviest=best))
