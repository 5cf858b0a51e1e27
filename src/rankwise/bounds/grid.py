"""Rankings as grids (one row per ranking, one column per rank), and scans over these grids.

A block of rankings is laid out as a grid, and a cell is one rank of one ranking. Most bounds come
from a scan over cuts. A cut splits a ranking below some rank t, from 0 to the last rank. For the
upper bound, the unjudged documents above the cut are assumed relevant (the m highest); for the
lower bound, the unjudged documents below the cut (the m lowest). For each number m of new relevant
documents, the score of a metric that favours the top is largest with the m highest and smallest
with the m lowest. If cumulative sums cannot give the score of every cut at once, quick bounds on
these scores select the cuts to evaluate.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import ROUNDING, Bools, Floats, Ints
from rankwise.rankings import JudgedRankings

Bounds = tuple[Floats, Floats]
OnGrid = Callable[["Grid"], Bounds | None]
CELLS = 1 << 17  # cells in a block, so that its columns stay in the processor's cache


@dataclass(frozen=True, eq=False, repr=False)
class Grid:
    """A block of rankings with a row for each ranking and a column for each rank.

    `others` is, for each ranking, the number of documents outside the grid that may become
    relevant. It is infinity if any number is possible. `below` marks the cells below the end of the
    ranking, if the ranking is continued. Such a cell can hold an unjudged document, or a judged
    document that the ranking has not retrieved so far.
    """

    judgments: JudgedRankings
    rankings: Ints  # indices of the rankings
    grade: Ints
    judged: Bools
    unjudged: Bools
    others: Floats
    below: Bools

    @property
    def rank(self) -> Ints:
        return np.arange(1, self.grade.shape[1] + 1)

    @property
    def cells(self) -> tuple[Ints, Ints]:
        """The index of the ranking and the rank of each cell, as two arrays."""
        width = self.grade.shape[1]
        count = len(self.rankings)
        return np.repeat(self.rankings[:, None], width, axis=1), np.tile(self.rank, (count, 1))

    def of(self, column: npt.NDArray[Any]) -> Floats:
        """Return the values of this block's rankings, from an array with one value per ranking."""
        return column[self.rankings].astype(np.float64, copy=False)

    def relevant(self, rel: int) -> Bools:
        return self.judged & (self.grade >= rel)

    def nonrelevant(self, rel: int) -> Bools:
        """Return a mask of the documents that are judged, usable and not relevant."""
        return self.judged & (self.grade >= 0) & (self.grade < rel)

    def relevant_count(self, rel: int) -> Floats:
        """Return R, the number of relevant documents of each ranking's topic, or 1 if R is 0."""
        return np.maximum(self.of(self.judgments.judged_count(rel)), 1.0)

    def shown_later(self, missed: Floats) -> Floats:
        """Return the number of `missed` relevant documents that fit below each ranking's end."""
        return np.minimum(missed, (self.below & self.unjudged).sum(axis=1))

    @property
    def hidden(self) -> Floats:
        """The number of documents that may become relevant, in the grid or outside it."""
        return self.unjudged.sum(axis=1) + self.others


def blocks(judged: JudgedRankings, others: Floats, end: Ints) -> Iterator[Grid]:
    """Yield the rankings as grids of at most CELLS cells; `end` is the last rank of each ranking.

    The width of a ranking's grid depends only on the ranking itself, and so does the order in which
    numbers are summed. The bounds of a ranking are therefore the same for any selection of
    rankings. The width is the length of the ranking, rounded up to four binary digits, and at most
    the cutoff: there are thus few different widths, and few unused cells.
    """
    length = np.maximum(judged.length, 1)
    step = 1 << np.maximum(np.frexp(length.astype(np.float64))[1].astype(np.int64) - 4, 0)
    width = -(-length // step) * step
    if judged.cutoff is not None:
        width = np.minimum(width, np.maximum(length, judged.cutoff))
    for wide in np.unique(width).tolist():
        members, rows = np.flatnonzero(width == wide), max(1, CELLS // wide)
        for start in range(0, len(members), rows):
            rankings = members[start : start + rows]
            row, here = judged.rows_of(rankings)
            cells = row * wide + judged.rank[here] - 1
            grade = np.zeros((len(rankings), wide), np.int64)
            known = np.zeros(grade.shape, np.bool_)
            grade.ravel()[cells], known.ravel()[cells] = judged.grade[here], True
            place = np.arange(wide)
            unjudged = (place < judged.length[rankings][:, None]) & ~known
            below = place >= end[rankings][:, None]
            yield Grid(judged, rankings, grade, known, unjudged, others[rankings], below)


def scan(
    judged: JudgedRankings, bounds_on: OnGrid, *, open_to: int | None = None, more: int = 0
) -> Bounds | None:
    """Return the bounds of every ranking, computed block by block.

    With `open_to` every ranking is continued to at least that rank, and then by `more` documents.
    In this case any number of documents outside the continued ranking may be relevant.
    """
    others, end = judged.unjudged_below.astype(np.float64), judged.length
    if open_to is not None:
        judged = replace(judged, length=np.maximum(end, open_to) + more)
        others = np.full(judged.count, np.inf)
    low, high = np.empty(judged.count), np.empty(judged.count)
    for grid in blocks(judged, others, end):
        found = bounds_on(grid)
        if found is None:
            return None
        low[grid.rankings], high[grid.rankings] = found
    return low, high


def running(values: npt.NDArray[Any]) -> Floats:
    """Return, for each row, the sums of its first 0, 1, 2 … values: the values above each cut."""
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums


def above(cells: Bools) -> Ints:
    """Return, for each ranking and rank, the number of marked cells at better ranks."""
    return np.asarray(np.cumsum(cells, axis=1) - cells)


def rest(sums: Floats) -> Floats:
    """Return the sum of the values below each cut, given the sums above it."""
    return sums[:, -1:] - sums


def product_above(values: Floats) -> Floats:
    """Return, for each ranking and rank, the product of the values at better ranks; 1 at rank 1."""
    return np.cumprod(np.concatenate([np.ones((len(values), 1)), values[:, :-1]], axis=1), axis=1)


ScoreAt = Callable[[Ints, Ints], Floats]
SumsAt = Callable[[Floats], Floats]


def greatest_of_cuts(promised: Floats, tried: Bools, score_at: ScoreAt) -> Floats:
    """Return the largest score over the cuts of each row; `promised` has an upper bound per cut.

    The cut with the largest upper bound is evaluated next, until no upper bound in its row exceeds
    the best score so far. `tried` marks the cuts to consider.
    """
    promised = np.where(tried, promised, -np.inf)
    best, rows = np.full(len(promised), -np.inf), np.arange(len(promised))
    while len(rows):
        cut = promised[rows].argmax(axis=1)
        worth_it = promised[rows, cut] > best[rows] + ROUNDING
        rows, cut = rows[worth_it], cut[worth_it]
        if len(rows):
            best[rows] = np.maximum(best[rows], score_at(rows, cut))
            promised[rows, cut] = -np.inf
    return best


def least_of_cuts(promised: Floats, tried: Bools, score_at: ScoreAt) -> Floats:
    """Return the smallest score over the cuts of each row; `promised` has a lower bound per cut."""
    return -greatest_of_cuts(-promised, tried, lambda rows, cut: -score_at(rows, cut))


def different(unjudged: Bools) -> Bools:
    """Return a mask of the cuts to try: cut 0 and the cuts just below an unjudged cell."""
    return np.concatenate([np.ones((len(unjudged), 1), np.bool_), unjudged], axis=1)


def chords(at: Floats, sums_at: SumsAt, count: Floats) -> Floats:
    """Return an upper bound of the score of each cut (see the module): a sum divided by `count`.

    The sum at a cut is a convex function of a whole number, the parameter. `at` is the value of the
    parameter at each cut. `sums_at` takes one value of the parameter per row, and returns the sums
    of all cuts of the row. Between two values a convex function lies below its chord. The ends of
    the chords are first spread over the whole range, and then taken near the cut with the largest
    upper bound.
    """
    promised = _below_chords(at, sums_at, _spread(at)) / count
    near = _near(at, promised.argmax(axis=1))
    return np.minimum(promised, _below_chords(at, sums_at, near) / count)


def _below_chords(at: Floats, sums_at: SumsAt, values: list[Floats]) -> Floats:
    bound = np.full(at.shape, np.inf)
    all_sums = [sums_at(value) for value in values]
    for place, (first, last) in enumerate(pairwise(values)):
        share = (at - first) / np.maximum(last - first, 1)
        chord = all_sums[place] + share * (all_sums[place + 1] - all_sums[place])
        bound = np.where((at >= first) & (at <= last), np.minimum(bound, chord), bound)
    return bound + ROUNDING * np.abs(bound)


def tangents(at: Floats, sums_at: SumsAt, slopes_at: SumsAt, count: Floats) -> Floats:
    """Return a lower bound of the score of each cut; a convex function lies above its tangents.

    The arguments are those of `chords`; `slopes_at` returns the derivatives of the sums.
    """

    def bound(values: list[Floats]) -> Floats:
        found = [sums_at(value) + (at - value) * slopes_at(value) for value in values]
        return np.maximum.reduce(found) / count

    promised = bound(_spread(at))
    return np.maximum(promised, bound(_near(at, promised.argmin(axis=1))))


def _spread(at: Floats) -> list[Floats]:
    """Return roughly geometric values from the minimum to the maximum of each row."""
    least, greatest = at.min(axis=1, keepdims=True), at.max(axis=1, keepdims=True)
    return [np.rint(least * (greatest / least) ** share) for share in np.linspace(0, 1, 5)]


def _near(at: Floats, cut: Ints) -> list[Floats]:
    """Return parameter values around the value of one cut of each row."""
    least, greatest = at.min(axis=1, keepdims=True), at.max(axis=1, keepdims=True)
    middle, reach = np.take_along_axis(at, cut[:, None], axis=1), (greatest - least) / 10
    shares = (-1.0, -0.25, 0.0, 0.25, 1.0)
    return [np.clip(np.rint(middle + share * reach), least, greatest) for share in shares]


def leading(falling: npt.NDArray[Any], level: npt.NDArray[Any], row: Ints | None = None) -> Ints:
    """Return the number of cells in each row of `falling` that are at least `level`.

    Each row must be non-increasing, with whole numbers or infinities. `level` has either one row
    per row of `falling`, with any number of columns, or one value for each entry of `row`.
    """
    rows, width = falling.shape
    at = np.arange(rows)[:, None] if row is None else row
    limit = 2.0 + max(_greatest(falling), _greatest(level))
    step = 2 * limit + 2
    keys = np.arange(rows)[:, None] * step - np.clip(falling, -limit, limit)
    wanted = at * step - np.clip(level, -limit, limit)
    return np.searchsorted(keys.ravel(), wanted, "right") - at * width


def _greatest(values: npt.NDArray[Any]) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0))


def mean_bounds(
    grid: Grid,
    known: Bounds,
    values: Bounds,
    *,
    weight: Floats,
    missed: Floats,
    heaviest: float = 1.0,
    elsewhere: Floats | float = 0.0,
) -> Bounds:
    """Return bounds (not tight) of a weighted mean of values over the relevant documents.

    Unjudged documents have unknown weights. `known` has the lower and the upper limit of Σ weight ×
    value over the currently relevant documents in the ranking. `weight` is the total weight of all
    currently relevant documents, and `missed` the number of currently relevant documents that the
    ranking does not retrieve. `values` has two grids: the smallest and the largest values that
    unjudged documents would have, at most 1. Each document that is unjudged or outside the grid has
    a weight of at most `heaviest`. Outside the grid its value is at least `elsewhere`.

    If the values were fixed, the mean would be a ratio of linear functions of the unknown weights.
    Where it is smallest or largest, each unknown weight is therefore either 0 or at its maximum.
    For the largest mean, the documents with values above the mean have their maximum weight; for
    the smallest mean, the documents with values below it. It is thus enough to try the m largest
    values, and the m smallest, for every m. Some of the m documents may already be known to be
    relevant, and appear below the end of the ranking. These documents add no weight to the mean.
    """
    count, worst, best = _sums_of_extremes(grid, values)
    least, most = known[0][:, None] + heaviest * worst, known[1][:, None] + heaviest * best
    total = weight[:, None] + heaviest * count
    low = (least / total).min(axis=1)
    others = np.where(np.isfinite(grid.others), grid.others, 0.0) * heaviest
    with_others = (least + (others * elsewhere)[:, None]) / (total + others[:, None])
    low = np.minimum(low, with_others.min(axis=1))
    low = np.where(np.isfinite(grid.others), low, np.minimum(low, elsewhere))
    free = grid.shown_later(missed)[:, None]
    light = weight[:, None] + heaviest * np.maximum(count - free, 0)
    return low, np.minimum((most / light).max(axis=1), 1)


def _sums_of_extremes(grid: Grid, values: Bounds) -> tuple[Ints, Floats, Floats]:
    """Return m = 0, 1, 2, … and, for each m, the smallest and the largest sum of m values.

    The sums add the m smallest lower limits and the m largest upper limits of the values that
    unjudged documents would have.
    """
    number = np.minimum(np.arange(grid.grade.shape[1] + 1), grid.unjudged.sum(axis=1)[:, None])
    worst = np.sort(np.where(grid.unjudged, values[0], np.inf), axis=1)
    best = -np.sort(np.where(grid.unjudged, -values[1], np.inf), axis=1)
    low, high = (running(np.where(np.isfinite(new), new, 0.0)) for new in (worst, best))
    return number, low, high


def limited_mean(grid: Grid, known: Bounds, values: Bounds, rel: int, limit: float) -> Bounds:
    """Return bounds (not tight) of Σ value / min(limit, R) over the R relevant documents.

    If m unjudged cells have relevant documents, they add at least the m smallest and at most the m
    largest of the possible values. Some of the m documents may be known to be relevant already, and
    appear below the end of the ranking. R already includes them.
    """
    number, worst, best = _sums_of_extremes(grid, values)
    known_count = grid.relevant_count(rel)
    count = known_count[:, None] + number
    low = (known[0][:, None] + worst) / np.minimum(count + grid.others[:, None], limit)
    free = grid.shown_later(known_count - grid.relevant(rel).sum(axis=1))[:, None]
    light = np.minimum(known_count[:, None] + np.maximum(number - free, 0), limit)
    high = (known[1][:, None] + best) / light
    return low.min(axis=1), np.minimum(high.max(axis=1), 1.0)
