"""Rankings laid out rank by rank, and the scans that the arguments share.

Some rankings at a time are laid out rank by rank, as a grid. Most bounds come from a scan over
cuts: for every depth t at once, the unjudged documents down to t are relevant (the m highest of
them, for any m), or those below t (the m lowest). A metric that favours the top is, for each m,
greatest with the highest and least with the lowest m.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints
from rankwise.rankings import JudgedRankings

Bounds = tuple[Floats, Floats]
OnGrid = Callable[["Grid"], Bounds | None]
CELLS = 1 << 17  # in a block: its columns stay in the cache


@dataclass(frozen=True, eq=False, repr=False)
class Grid:
    """A block of rankings: a row for each ranking, a column for each rank.

    `others` has, for each ranking, the number of possibly relevant documents that are not in the
    grid: those below the cutoff, or any number (infinity). `below` are the cells below the end of
    the ranking, if it goes on: an unjudged document may be there, or one that is judged and that
    the ranking has not shown yet.
    """

    judgments: JudgedRankings
    rankings: Ints  # their numbers
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
        """The number of the ranking and the rank of each cell."""
        width = self.grade.shape[1]
        count = len(self.rankings)
        return np.repeat(self.rankings[:, None], width, axis=1), np.tile(self.rank, (count, 1))

    def of(self, column: npt.NDArray[Any]) -> Floats:
        """Return this block's values of a column that has one value for each ranking."""
        return column[self.rankings].astype(np.float64, copy=False)

    def relevant(self, rel: int) -> Bools:
        return self.judged & (self.grade >= rel)

    def nonrelevant(self, rel: int) -> Bools:
        """Mask of documents that are judged, usable and not relevant."""
        return self.judged & (self.grade >= 0) & (self.grade < rel)

    def relevant_count(self, rel: int) -> Floats:
        """R of each ranking's topic, at least 1."""
        return np.maximum(self.of(self.judgments.judged_count(rel)), 1.0)

    def shown_later(self, missed: Floats) -> Floats:
        """Return how many of the documents that a ranking lacks can still come below its end."""
        return np.minimum(missed, (self.below & self.unjudged).sum(axis=1))

    @property
    def hidden(self) -> Floats:
        """The number of documents that may be relevant, in the grid or not."""
        return self.unjudged.sum(axis=1) + self.others


def blocks(judged: JudgedRankings, others: Floats, end: Ints) -> Iterator[Grid]:
    """Yield the rankings as grids, as many at a time as fit the cache; `end` is where each ends.

    How wide a ranking is laid out depends on itself alone, and so does the order in which
    its numbers are added up: a part of the rankings has the bounds of the whole.
    """
    width = _widths(judged)
    for wide in np.unique(width).tolist():
        members, rows = np.flatnonzero(width == wide), max(1, CELLS // wide)
        for start in range(0, len(members), rows):
            rankings = members[start : start + rows]
            yield _block(judged, rankings, wide, others[rankings], end[rankings])


def _widths(judged: JudgedRankings) -> Ints:
    """Return the length of each ranking, rounded up to four binary digits, at most the cutoff.

    So there are few widths, and few cells too many.
    """
    length = np.maximum(judged.length, 1)
    step = 1 << np.maximum(np.frexp(length.astype(np.float64))[1].astype(np.int64) - 4, 0)
    width = -(-length // step) * step
    cutoff = judged.cutoff
    return width if cutoff is None else np.minimum(width, np.maximum(length, cutoff))


def _block(judged: JudgedRankings, rankings: Ints, width: int, others: Floats, end: Ints) -> Grid:
    first, count = judged.row_start[rankings], np.diff(judged.row_start)[rankings]
    row = np.repeat(np.arange(len(rankings)), count)
    here = np.arange(len(row)) + np.repeat(first - np.cumsum(count) + count, count)
    shape, cells = (len(rankings), width), row * width + judged.rank[here] - 1
    grade, known = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
    grade.ravel()[cells] = judged.grade[here]
    known.ravel()[cells] = True
    place = np.arange(width)
    unjudged = (place < judged.length[rankings][:, None]) & ~known
    return Grid(judged, rankings, grade, known, unjudged, others, place >= end[:, None])


def scan(
    judged: JudgedRankings,
    bounds_on: OnGrid,
    *,
    open_to: int | None = None,
    more: int = 0,
) -> Bounds | None:
    """Return the bounds of every ranking, block by block.

    With `open_to` every ranking goes on to that rank, and `more` documents beyond its end,
    and any number of documents elsewhere may be relevant.
    """
    others, end = judged.unjudged_below.astype(np.float64), judged.length
    if open_to is not None:
        judged = judged.going_on(np.maximum(end, open_to) + more)
        others = np.full(judged.count, np.inf)
    low, high = np.empty(judged.count), np.empty(judged.count)
    for grid in blocks(judged, others, end):
        found = bounds_on(grid)
        if found is None:
            return None
        low[grid.rankings], high[grid.rankings] = found
    return low, high


def running(values: npt.NDArray[Any]) -> Floats:
    """Return the sum of the values above each cut, after 0, 1, 2 … documents."""
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums


def above(cells: Bools) -> Ints:
    """Return the number of the given cells above each cell."""
    return np.asarray(np.cumsum(cells, axis=1) - cells)


def rest(sums: Floats) -> Floats:
    """Return the sum of the values below each cut, from the sums above it."""
    return sums[:, -1:] - sums


def product_above(values: Floats) -> Floats:
    """Return the product of the values above each cell of a grid; 1 at the top."""
    return np.cumprod(np.concatenate([np.ones((len(values), 1)), values[:, :-1]], axis=1), axis=1)
