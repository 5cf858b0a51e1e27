"""Sakai's blended ratio, and what unjudged documents can do to it and to its mean."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.cuts import chords, different, greatest_of_cuts, least_of_cuts, tangents
from rankwise.bounds.grid import Bounds, Grid, Mean, Precisions, mean_bounds, rest, running
from rankwise.metrics.base import Metric
from rankwise.metrics.grades import gain_of, greatest_gain, possible_grades
from rankwise.metrics.parameters import Gains, at_least, cutoff, flag, gains, rel
from rankwise.metrics.traits import EXACT, UNIT
from rankwise.rankings.ideal import Ideal, undiscounted
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption


@dataclass(frozen=True, kw_only=True)
class Blended(Metric):
    """A metric made of blended ratios at relevant documents.

    BR(r) = (β cg(r) + count(r)) / (β cg_I(r) + r): cg is the gain down to rank r, cg_I that
    of the ideal ranking, count the relevant documents. β = 0 makes it precision.
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True
    sometimes_exact: ClassVar[frozenset[Assumption]] = EXACT
    beta: float = at_least(0, 1)
    gains: Gains | None = gains()
    rel: int = rel()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def ratios(self, judged: JudgedRankings) -> Floats:
        """BR at each row of `judged.relevant(rel)`."""
        rows = judged.relevant(self.rel)
        worth = gain_of(rows.grade, judged, self.gains)
        best = self.ideal(judged).down_to(rows.ranking, rows.rank, undiscounted)
        return (self.beta * rows.running(worth) + rows.place) / (self.beta * best + rows.rank)

    def ideal(self, judged: JudgedRankings) -> Ideal:
        def worth(grade: Ints) -> Floats:
            return np.where(grade >= self.rel, gain_of(grade, judged, self.gains), 0.0)

        return judged.keep(("ideal", self), lambda: Ideal.of(judged, worth))

    def preference(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return gain_of(grade, judged, self.gains)

    def ratios_on(self, grid: Grid) -> Bounds:
        """Outer bounds of BR at each cell, were its document relevant.

        The numerator with the unjudged documents above worth nothing over the denominator
        with all that could be relevant in the ideal; and the other way round.
        """
        hit, best = grid.relevant(self.rel), greatest_gain(grid.judgments, self.gains, self.rel)
        worth = np.where(hit, gain_of(grid.grade, grid.judgments, self.gains), 0.0)
        gain, count = np.cumsum(worth, axis=1), np.cumsum(hit, axis=1)
        unjudged = np.cumsum(grid.unjudged, axis=1)
        ranking, rank = grid.cells
        hidden = np.minimum(grid.hidden[:, None], rank).astype(np.int64)
        ideal = self.ideal(grid.judgments)
        today = ideal.down_to(ranking, rank, undiscounted)
        later = best * hidden + ideal.down_to(ranking, rank - hidden, undiscounted)
        least = (self.beta * gain + count + grid.unjudged) / (self.beta * later + rank)
        most = (self.beta * (gain + best * unjudged) + count + unjudged) / (
            self.beta * today + rank
        )
        return least, np.minimum(most, 1)

    def relevant_grades(self, judged: JudgedRankings) -> Ints:
        """The grades that a relevant document has or can get."""
        grades = possible_grades(judged, self.gains, self.rel)
        return grades[grades >= self.rel]

    def one_gain(self, judged: JudgedRankings) -> float | None:
        worth = np.unique(gain_of(self.relevant_grades(judged), judged, self.gains))
        return float(worth[0]) if len(worth) == 1 else None

    def first_on(self, grid: Grid) -> Bounds:
        """Bounds of BR at the first relevant document; exact.

        It is that of today or an unjudged one above it, of any gain: at best the first of
        these, and nothing else is relevant; at worst everything below it is, and gains
        most. A gain g that joins an ideal I makes it max(I(r), I(r − 1) + g).
        """
        judged, ideal = grid.judgments, self.ideal(grid.judgments)
        gains = np.unique(gain_of(self.relevant_grades(judged), judged, self.gains))
        hit, unjudged = grid.relevant(self.rel), np.cumsum(grid.unjudged, axis=1)
        row, place = np.nonzero((np.cumsum(hit, axis=1) <= hit) & (hit | grid.unjudged))
        now, so_far, rank = hit[row, place], unjudged[row, place], place + 1
        below = grid.hidden[row] - so_far
        first, ranking = ~now & (so_far == 1), row + grid.rankings.start

        def ideal_with(new: Floats, rank: Ints) -> Floats:
            many = np.minimum(new, rank).astype(np.int64)
            return gains[-1] * many + ideal.down_to(ranking, rank - many, undiscounted)

        def ratio(gain: float, new: Floats) -> Floats:
            best = np.maximum(ideal_with(new, rank), ideal_with(new, rank - 1) + gain)
            return (self.beta * gain + 1) / (self.beta * best + rank)

        worth = self.beta * gain_of(grid.grade[row, place], judged, self.gains) + 1
        known, none = worth / (self.beta * ideal_with(below, rank) + rank), np.zeros(len(row))
        alone = worth / (self.beta * ideal_with(none, rank) + rank)
        low, high = np.where(hit.any(axis=1), np.inf, 0.0), np.zeros(len(hit))
        np.minimum.at(low, row[now], known[now])
        np.maximum.at(high, row[now], alone[now])
        for gain in gains:
            np.minimum.at(low, row[~now], ratio(gain, below)[~now])
            np.maximum.at(high, row[first], ratio(gain, none)[first])
        return low, high

    def mean_on(self, grid: Grid, most_divided_by: float = np.inf) -> Bounds:
        """Bounds of the mean of BR over all relevant documents; outer if gains differ.

        Its sum is divided by R, or by `most_divided_by` where R is more.
        """
        gain = self.one_gain(grid.judgments)
        if gain is not None:
            return MeanOfRatios(grid, self.rel, self.beta * gain, most_divided_by).bounds()
        least, most = self.ratios_on(grid)
        hit = grid.relevant(self.rel)
        known = ((hit * least).sum(axis=1), (hit * most).sum(axis=1))
        if np.isfinite(most_divided_by):
            return _limited_mean(grid, known, (least, most), self.rel, most_divided_by)
        count = grid.relevant_count(self.rel)
        return mean_bounds(grid, Mean(known, count, least, most, count - hit.sum(axis=1)))


def _limited_mean(grid: Grid, known: Bounds, ratios: Bounds, rel: int, limit: float) -> Bounds:
    """Outer bounds of Σ BR / min(limit, R), for every number m of new relevant documents:

    at least the m worst of what their ratios can be, at most the m best. Some of these may
    be known to be relevant, and come below the end: they are in R already.
    """
    number = np.minimum(np.arange(grid.grade.shape[1] + 1), grid.unjudged.sum(axis=1)[:, None])
    worst = np.sort(np.where(grid.unjudged, ratios[0], np.inf), axis=1)
    best = -np.sort(np.where(grid.unjudged, -ratios[1], np.inf), axis=1)
    least, most = (
        now[:, None] + running(np.where(np.isfinite(values), values, 0.0))
        for now, values in zip(known, (worst, best), strict=True)
    )
    count = grid.relevant_count(rel)[:, None] + number
    low = least / np.minimum(count + grid.others[:, None], limit)
    known_count = grid.relevant_count(rel)
    free = grid.shown_later(known_count - grid.relevant(rel).sum(axis=1))[:, None]
    high = most / np.minimum(known_count[:, None] + np.maximum(number - free, 0), limit)
    return low.min(axis=1), np.minimum(high.max(axis=1), 1.0)


@dataclass(frozen=True, eq=False)
class MeanOfRatios:
    """The extremes of the mean of BR where all relevant documents gain the same; exact.

    BR(i) is then (1 + β) c(i) / (i + β min(i, R)), β times the gain being β here. For m new
    relevant documents R is known, and the mean is greatest with the m highest and least
    with the m lowest: the n-th one from the top then has its least (greatest) rank, and
    the denominator rises with the rank. That denominator changes with m, so no running
    sum serves all cuts. But 1 / (i + β min(i, R)) is convex in R: chords and tangents say
    how good each cut can be, and few are left to try.
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
        """Of the weight, as R grows."""
        steep = -self.beta / (1 + self.beta) * self._weight(count) ** 2
        return np.where(self.grid.rank > count, steep, 0.0)

    def _greatest(self) -> Floats:
        count = self._count + self._precisions.unjudged
        divisor = np.minimum(count, self.most_divided_by)
        if self.beta == 0:
            return (self._precisions.highest(1 / self.grid.rank) / divisor).max(axis=1)
        promised = chords(count, lambda at: self._precisions.highest(self._weight(at)), divisor)

        def score_at(rows: Ints, cut: Ints) -> Floats:
            new = self.grid.unjudged[rows] & (self.grid.rank <= cut[:, None])
            return self._score(self._hit[rows] | new, count[rows, cut])

        return greatest_of_cuts(promised, different(self.grid.unjudged), score_at)

    def _least(self) -> Floats:
        """Documents outside of the grid are the lowest of all.

        Where there is no end of them BR becomes precision, and none in the grid is relevant.
        """
        some = np.isfinite(self.grid.others)
        others = np.where(some, self.grid.others, 0.0)
        count = self._count + rest(self._precisions.unjudged) + others[:, None]
        divisor = np.minimum(count, self.most_divided_by)
        without_end = self._precisions.alone @ (1 / self.grid.rank) / self.most_divided_by
        if self.beta == 0:
            low = (self._precisions.lowest(1 / self.grid.rank) / divisor).min(axis=1)
            return np.where(some, low, without_end)
        promised = tangents(
            count,
            lambda at: self._precisions.lowest(self._weight(at)),
            lambda at: self._precisions.lowest(self._slope(at)),
            divisor,
        )

        def score_at(rows: Ints, cut: Ints) -> Floats:
            new = self.grid.unjudged[rows] & (self.grid.rank > cut[:, None])
            return self._score(self._hit[rows] | new, count[rows, cut])

        tried = different(self.grid.unjudged) & some[:, None]
        low = least_of_cuts(promised, tried, score_at)
        return np.where(some, low, without_end)

    def _score(self, relevant: Bools, count: Floats) -> Floats:
        weight = self._weight(count[:, None])
        total = (np.cumsum(relevant, axis=1) * relevant * weight).sum(axis=1)
        return total / np.minimum(count, self.most_divided_by)
