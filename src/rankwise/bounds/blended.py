"""Bounds of Sakai's blended ratio at each rank, at the first relevant document, and on average."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, ScoreBounds
from rankwise.bounds.grid import (
    Bounds,
    Grid,
    chords,
    different,
    greatest_of_cuts,
    least_of_cuts,
    limited_mean,
    mean_bounds,
    rest,
    tangents,
)
from rankwise.bounds.precisions import Precisions
from rankwise.rankings import Ideal, JudgedRankings, undiscounted
from rankwise.vocabulary import Assumption


@dataclass(frozen=True, eq=False)
class BlendedRatio:
    """The blended ratio BR(r) = (β cg(r) + count(r)) / (β cg_I(r) + r), and its bounds.

    cg(r) is the cumulative gain down to rank r, cg_I(r) that of the ideal ranking, and count(r) the
    number of relevant documents down to r.
    """

    metric: Any
    grid: Grid

    @cached_property
    def hit(self) -> Bools:
        return self.grid.relevant(self.metric.rel)

    @cached_property
    def gains(self) -> Floats:
        """The gains that relevant documents have or can get, in increasing order."""
        grades = self.metric.relevant_grades(self.grid.judgments)
        return np.unique(self.gain_of(grades))

    @cached_property
    def greatest(self) -> float:
        """The largest gain that any document can get."""
        return float(self.gain_of(self.metric.possible_grades(self.grid.judgments)).max())

    @property
    def beta(self) -> float:
        return self.metric.beta

    @property
    def ideal(self) -> Ideal:
        """The ideal ranking under the current judgments."""
        return self.metric.ideal(self.grid.judgments)

    def gain_of(self, grade: Ints) -> Floats:
        return self.metric.worth(grade, self.grid.judgments)

    def at_each_rank(self) -> Bounds:
        """Return bounds of BR at each rank (not tight) if the document at that rank is relevant.

        For the lower bound, the unjudged documents above have no gain, but all documents that may
        be relevant are in the ideal ranking. For the upper bound, the unjudged documents above have
        the largest gain, but the ideal ranking has only the documents judged relevant so far.
        """
        grid, hit = self.grid, self.hit
        worth = np.where(hit, self.gain_of(grid.grade), 0.0)
        gain, count = np.cumsum(worth, axis=1), np.cumsum(hit, axis=1)
        unjudged = np.cumsum(grid.unjudged, axis=1)
        ranking, rank = grid.cells
        hidden = np.minimum(grid.hidden[:, None], rank).astype(np.int64)
        today = self.ideal.down_to(ranking, rank, undiscounted)
        later = self.greatest * hidden + self.ideal.down_to(ranking, rank - hidden, undiscounted)
        least = (self.beta * gain + count + grid.unjudged) / (self.beta * later + rank)
        most = (self.beta * (gain + self.greatest * unjudged) + count + unjudged) / (
            self.beta * today + rank
        )
        return least, np.minimum(most, 1)

    def at_the_first(self) -> Bounds:
        """Return exact bounds of BR at the first relevant document.

        The first relevant document is the current first relevant document, or an unjudged document
        above it, with any gain. For the upper bound, the current document and the highest unjudged
        document are tried, with no other unjudged document relevant. For the lower bound, all these
        documents are tried, with all unjudged documents below relevant and of the largest gain. If
        a document of gain g joins an ideal ranking with cumulative gains I, its cumulative gain at
        rank r becomes max(I(r), I(r − 1) + g).
        """
        grid, hit, gains = self.grid, self.hit, self.gains
        unjudged = np.cumsum(grid.unjudged, axis=1)
        row, place = np.nonzero((np.cumsum(hit, axis=1) <= hit) & (hit | grid.unjudged))
        now, so_far, rank = hit[row, place], unjudged[row, place], place + 1
        below = grid.hidden[row] - so_far
        first, ranking = ~now & (so_far == 1), grid.rankings[row]

        def ideal_with(new: Floats, rank: Ints) -> Floats:
            many = np.minimum(new, rank).astype(np.int64)
            return gains[-1] * many + self.ideal.down_to(ranking, rank - many, undiscounted)

        def ratio(gain: float, new: Floats) -> Floats:
            best = np.maximum(ideal_with(new, rank), ideal_with(new, rank - 1) + gain)
            return (self.beta * gain + 1) / (self.beta * best + rank)

        worth = self.beta * self.gain_of(grid.grade[row, place]) + 1
        known, none = worth / (self.beta * ideal_with(below, rank) + rank), np.zeros(len(row))
        alone = worth / (self.beta * ideal_with(none, rank) + rank)
        low, high = np.where(hit.any(axis=1), np.inf, 0.0), np.zeros(len(hit))
        np.minimum.at(low, row[now], known[now])
        np.maximum.at(high, row[now], alone[now])
        for gain in gains:
            np.minimum.at(low, row[~now], ratio(gain, below)[~now])
            np.maximum.at(high, row[first], ratio(gain, none)[first])
        return low, high

    def at_rank_of_relevant_count(self, cutoff: float) -> Bounds:
        """Return the bounds of BR at rank r = min(R + m, cutoff), for m new relevant documents.

        The bounds are exact if all relevant documents have the same gain. R is the current number
        of relevant documents, m the number of unjudged documents assumed relevant, and H the
        largest possible m. If r < cutoff, then m = r − R. If r = cutoff, m may be any number up to
        H with R + m ≥ cutoff.

        For a given r the score is highest if the m highest unjudged documents are relevant, and
        lowest if the m lowest unjudged documents are relevant. At most H − u(r) of the m lowest are
        below rank r, where u(r) counts the unjudged documents down to r. In the ideal ranking, the
        m new documents have the smallest gain for the upper bound, and the largest for the lower
        bound. With a single gain, the ideal ranking is the same for every choice of documents. Both
        bounds are then attained.

        Only some ranks r below the end of the grid need to be tried. For the lower bound, BR falls
        with m while the new relevant documents are outside the grid. Once all documents outside are
        relevant, the next new relevant documents are in the ranking, and BR rises. For the upper
        bound, BR rises while the new relevant documents are in the ranking, and falls once they are
        outside. BR is therefore smallest and largest at these turning points.
        """
        grid, ranking = self.grid, self.grid.cells[0][:, :1]
        count, hidden = grid.relevant_count(self.metric.rel)[:, None], grid.hidden[:, None]
        first, last = np.minimum(count, cutoff), np.minimum(count + hidden, cutoff)
        some = grid.others, grid.unjudged.sum(axis=1)
        turns = [np.minimum(count + many[:, None], cutoff) for many in some]
        rank = np.concatenate([grid.cells[1], first, *turns, last], axis=1).astype(np.int64)
        here = np.minimum(rank, grid.grade.shape[1]) - 1

        def down_to_rank(cells: Floats) -> Floats:
            return np.take_along_axis(np.cumsum(cells, axis=1), here, axis=1)

        found = down_to_rank(self.hit.astype(np.float64))
        gain = down_to_rank(np.where(self.hit, self.gain_of(grid.grade), 0.0))
        unjudged = down_to_rank(grid.unjudged.astype(np.float64))
        fewest = np.maximum(rank - count, 0.0)
        most = np.where(rank < cutoff, fewest, hidden)
        none_below = np.maximum(fewest - (hidden - unjudged), 0.0)
        more = np.minimum(unjudged, most)
        today = self.ideal.down_to(np.broadcast_to(ranking, rank.shape), rank, undiscounted)
        new = np.minimum(most, rank).astype(np.int64)
        old = self.ideal.down_to(np.broadcast_to(ranking, rank.shape), rank - new, undiscounted)
        low = self.beta * (gain + self.gains[0] * none_below) + found + none_below
        low = low / (self.beta * (self.greatest * new + old) + rank)
        high = self.beta * (gain + self.greatest * more) + found + more
        high = high / (self.beta * (today + self.gains[0] * fewest) + rank)
        possible = (rank >= first) & (rank <= last)
        least = np.where(possible, low, np.inf).min(axis=1)
        return least, np.minimum(np.where(possible, high, 0.0).max(axis=1), 1.0)

    def mean(self, most_divided_by: float = np.inf) -> Bounds:
        """Return the bounds of the mean of BR over the R relevant documents.

        The sum of BR is divided by min(R, `most_divided_by`). The bounds are exact if all relevant
        documents have the same gain. If gains differ, they may not be tight.
        """
        grid, hit = self.grid, self.hit
        if len(self.gains) == 1:
            steepness = self.beta * float(self.gains[0])
            return MeanOfRatios(grid, self.metric.rel, steepness, most_divided_by).bounds()
        least, most = self.at_each_rank()
        known = ((hit * least).sum(axis=1), (hit * most).sum(axis=1))
        if np.isfinite(most_divided_by):
            return limited_mean(grid, known, (least, most), self.metric.rel, most_divided_by)
        count = grid.relevant_count(self.metric.rel)
        missed = count - hit.sum(axis=1)
        return mean_bounds(grid, known, (least, most), weight=count, missed=missed)


@dataclass(frozen=True, eq=False)
class MeanOfRatios:
    """Exact bounds of the mean of BR over the R relevant documents if all have the same gain.

    Let b = `beta` be β times that gain. Then BR(i) = (1 + b) c(i) / (i + b min(i, R)), where c(i)
    is the number of relevant documents down to rank i. The number m of unjudged documents that are
    relevant determines R. The denominator increases with the rank. For each m, the mean is
    therefore largest with the m highest unjudged documents, which give the n-th relevant document
    its smallest possible rank, and smallest with the m lowest. The denominator changes with m, so
    cumulative sums cannot give the scores of all cuts (see grid.py). But 1 / (i + b min(i, R)) is
    convex in R. Chords and tangents therefore bound the score of each cut, and few cuts need to be
    evaluated.
    """

    grid: Grid
    rel: int
    beta: float
    most_divided_by: float = np.inf

    def bounds(self) -> Bounds:
        return self._least(), self._greatest()

    @cached_property
    def _hit(self) -> Bools:
        return self.grid.relevant(self.rel)

    @cached_property
    def _precisions(self) -> Precisions:
        return Precisions.of(self.grid, self._hit)

    @property
    def _count(self) -> Floats:
        return self.grid.relevant_count(self.rel)[:, None]

    def _weight(self, count: Floats) -> Floats:
        rank = self.grid.rank
        return (1 + self.beta) / (rank + self.beta * np.minimum(rank, count))

    def _slope(self, count: Floats) -> Floats:
        """Return the derivative of the weight with respect to R."""
        steep = -self.beta / (1 + self.beta) * self._weight(count) ** 2
        return np.where(self.grid.rank > count, steep, 0.0)

    def _greatest(self) -> Floats:
        count = self._count + self._precisions.unjudged
        divisor = np.minimum(count, self.most_divided_by)
        if self.beta == 0:
            return (self._precisions.highest(1 / self.grid.rank) / divisor).max(axis=1)
        promised = chords(count, lambda at: self._precisions.highest(self._weight(at)), divisor)
        return greatest_of_cuts(
            promised,
            different(self.grid.unjudged),
            lambda rows, cut: self._score(rows, self.grid.rank <= cut[:, None], count[rows, cut]),
        )

    def _least(self) -> Floats:
        """Return the lower bound, with documents outside the grid ranked below all others.

        All these documents are relevant. If their number is unlimited, R is infinite and BR equals
        the precision. In this case no unjudged document of the grid is relevant.
        """
        some = np.isfinite(self.grid.others)
        others = np.where(some, self.grid.others, 0.0)
        count = self._count + rest(self._precisions.unjudged) + others[:, None]
        divisor = np.minimum(count, self.most_divided_by)
        # Not a matrix product: its last bit could depend on the other rankings.
        without_end = (self._precisions.alone / self.grid.rank).sum(axis=1) / self.most_divided_by
        if self.beta == 0:
            low = (self._precisions.lowest(1 / self.grid.rank) / divisor).min(axis=1)
            return np.where(some, low, without_end)
        promised = tangents(
            count,
            lambda at: self._precisions.lowest(self._weight(at)),
            lambda at: self._precisions.lowest(self._slope(at)),
            divisor,
        )
        low = least_of_cuts(
            promised,
            different(self.grid.unjudged) & some[:, None],
            lambda rows, cut: self._score(rows, self.grid.rank > cut[:, None], count[rows, cut]),
        )
        return np.where(some, low, without_end)

    def _score(self, rows: Ints, new: Bools, count: Floats) -> Floats:
        relevant = self._hit[rows] | (self.grid.unjudged[rows] & new)
        weight = self._weight(count[:, None])
        total = (np.cumsum(relevant, axis=1) * relevant * weight).sum(axis=1)
        return total / np.minimum(count, self.most_divided_by)


class BlendedBounds(ScoreBounds[Any]):
    """Bounds of a metric that uses blended ratios.

    This class reads `rel`, `beta`, `worth`, `relevant_grades`, `one_gain` and `ideal` of the
    metric.
    """

    exact_if_alike = EXACT
    open_range = UNIT

    def one_gain(self, metric: Any, judged: JudgedRankings) -> float | None:
        return metric.one_gain(judged)

    def preference(self, metric: Any, grade: Ints, judged: JudgedRankings) -> Floats:
        return metric.worth(grade, judged)


class MeanRatio(BlendedBounds):
    """Bounds of the mean blended ratio over the relevant documents: Q.

    They are exact if all relevant documents have the same gain.

    This class reads `most_divided_by` of the metric, and the attributes that `BlendedBounds` lists.
    """

    def on(self, metric: Any, grid: Grid) -> Bounds:
        return BlendedRatio(metric, grid).mean(metric.most_divided_by)


class RatioAtR(BlendedBounds):
    """Bounds of the blended ratio at rank R, the number of relevant documents: R-measure.

    Under the assumption `retrieved` (see `ScoreBounds.of`), they are exact if all relevant
    documents have the same gain.
    """

    exact_if_alike = EXACT_IF_RETRIEVED

    def on(self, metric: Any, grid: Grid) -> Bounds:
        return BlendedRatio(metric, grid).at_rank_of_relevant_count(metric.cutoff or np.inf)


class RatioAtFirst(BlendedBounds):
    """Bounds of the blended ratio at the first relevant document: O-measure. They are exact."""

    exact = EXACT

    def open_more(self, metric: Any, judged: JudgedRankings) -> int:
        return 1  # only the first document below the end can improve the score

    def on(self, metric: Any, grid: Grid) -> Bounds:
        return BlendedRatio(metric, grid).at_the_first()


class RatioAtPreferred(BlendedBounds):
    """Bounds of the blended ratio at the preferred document: P-measure.

    The preferred document is the first retrieved document of the highest grade retrieved. With only
    one relevant grade it is the first relevant document, and the bounds are exact. With several
    grades they may not be tight: they are the smallest lower and the largest upper bound of the
    ratio at the current preferred document and at all unjudged documents.

    This class reads `preferred_rank` of the metric, and the attributes that `BlendedBounds` lists.
    """

    exact_where = "all relevant documents have the same grade"

    def open_more(self, metric: Any, judged: JudgedRankings) -> int | None:
        return 1 if self.one_gain(metric, judged) is not None else None

    def on(self, metric: Any, grid: Grid) -> Bounds:
        ratio = BlendedRatio(metric, grid)
        if self.one_gain(metric, grid.judgments) is not None:
            return ratio.at_the_first()
        cells = grid.unjudged | self.known_cells(metric, grid)
        least, most = ratio.at_each_rank()
        low = np.where(cells, least, np.inf).min(axis=1)
        high = np.where(cells, most, 0.0).max(axis=1)
        return np.where(ratio.hit.any(axis=1), low, 0.0), high

    def known_cells(self, metric: Any, grid: Grid) -> Bools:
        """Return a mask of the cells of the grid whose judged documents contribute to the score."""
        preferred = grid.of(metric.preferred_rank(grid.judgments))
        return grid.rank == preferred[:, None]


class MeanRatioToPreferred(RatioAtPreferred):
    """Bounds of the mean blended ratio over relevant documents down to the preferred one: P⁺.

    A mean lies between its smallest and its largest term. With several relevant grades the bounds
    are therefore the smallest lower bound and the largest upper bound of the ratio at any relevant
    or unjudged document, and may not be tight. With only one relevant grade they are exact.
    """

    def known_cells(self, metric: Any, grid: Grid) -> Bools:
        return grid.relevant(metric.rel)


class RatioWhereUsersStop(BlendedBounds):
    """Bounds of the blended ratio, or of p^r, at the rank r where users stop: NCU.

    If users stop at each relevant document with the same probability, and the utility is the
    blended ratio, the score is the mean blended ratio over the relevant documents. The bounds are
    then those of Q: exact if all relevant documents have the same gain. In all other cases they may
    not be tight.

    This class reads `stop`, `gamma`, `utility` and `p` of the metric, and the attributes that
    `BlendedBounds` lists.
    """

    exact_where = (
        "all relevant documents have the same gain, without stop=rank-biased or utility=effort"
    )

    def is_exact(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> bool:
        return self._is_mean(metric, judged) and super().is_exact(metric, judged, unjudged)

    def _is_mean(self, metric: Any, judged: JudgedRankings) -> bool:
        same_gain = metric.stop == "graded" and (metric.one_gain(judged) or 0) > 0
        return metric.utility == "blended" and (metric.stop == "uniform" or same_gain)

    def on(self, metric: Any, grid: Grid) -> Bounds:
        ratio = BlendedRatio(metric, grid)
        if self._is_mean(metric, grid.judgments):
            return ratio.mean()
        # Bounds of the utility at each cell, assuming that its document is relevant.
        least = most = np.broadcast_to(np.power(metric.p, grid.rank), grid.grade.shape)
        if metric.utility == "blended":
            least, most = ratio.at_each_rank()
        hit, count = grid.relevant(metric.rel), grid.relevant_count(metric.rel)
        missed = count - hit.sum(axis=1)
        if metric.stop != "rank-biased":
            worth, weight, heaviest = hit.astype(np.float64), count, 1.0
            if metric.stop == "graded":
                worth, heaviest = np.where(hit, ratio.gain_of(grid.grade), 0.0), ratio.greatest
                weight = np.maximum(grid.of(ratio.ideal.total(undiscounted)), 1e-300)
            known = ((worth * least).sum(axis=1), (worth * most).sum(axis=1))
            return mean_bounds(
                grid, known, (least, most), weight=weight, missed=missed, heaviest=heaviest
            )
        # Rank-biased: the lower bound takes all unjudged documents above as relevant with utility
        # 0.
        before = np.cumsum(hit, axis=1) + np.cumsum(grid.unjudged, axis=1) - 1
        everybody = 1 - np.power(metric.gamma, count + grid.hidden)
        low = (hit * np.power(metric.gamma, before) * least).sum(axis=1) * (1 - metric.gamma)
        return low / everybody, np.where(hit | grid.unjudged, most, 0.0).max(axis=1)
