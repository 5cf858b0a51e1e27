"""The first relevant document by rank and grade, over the best grade of the topic: NWRR."""

from collections.abc import Callable
from itertools import product

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Bounds, Grid

Penalty = Callable[[Ints], Floats]


def first_and_best(grid: Grid, now: Floats, best: Ints, grades: Ints, penalty: Penalty) -> Bounds:
    """The extremes of (1 − penalty(best)) / (r − penalty(grade)), r being the first rank; exact.

    `now` is the current 1 / (r − penalty(grade)), `best` the topic's best grade, `grades` those
    that can turn up. Every pair of grades is tried: of the first relevant document, and the
    topic's best. The first one is the current one, or an unjudged one above it: the first of
    these at best, the last at worst. The best grade is the current one, or of the first
    document, or a higher one if a document is left that may have it, below the first or
    elsewhere.
    """

    def of(grade: int) -> float:
        return float(penalty(np.array([grade]))[0])

    early = grid.unjudged & (np.cumsum(grid.relevant(1), axis=1) == 0)
    spare = grid.hidden[:, None] > np.cumsum(grid.unjudged, axis=1)
    left = grid.hidden > early.sum(axis=1)
    # Where the first could be, at best and at worst, without and with one to spare.
    places = [_first_and_last(early), _first_and_last(early & spare)]
    found = [now * (1 - penalty(best))]
    found += [np.where(left & (top > best), now * (1 - of(top)), np.nan) for top in grades]
    for grade, top in product(grades, repeat=2):
        own = np.maximum(best, grade)
        for without, with_one in zip(*places, strict=True):
            rank = np.where(top > own, with_one, without)
            worth = 1 - penalty(np.maximum(own, top))
            found.append(worth / (rank - of(grade)))
    return np.fmin.reduce(found), np.fmax.reduce(found)


def _first_and_last(cells: Bools) -> tuple[Floats, Floats]:
    """The ranks of the first and the last of some cells of each row, NaN if there are none."""
    some = np.where(cells.any(axis=1), 0.0, np.nan)
    return some + cells.argmax(axis=1) + 1, some + cells.shape[1] - cells[:, ::-1].argmax(axis=1)
