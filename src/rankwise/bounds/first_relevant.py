"""Rank and grade of the first relevant document, over the best grade of the topic: WRR, NWRR."""

from collections.abc import Callable
from itertools import product
from typing import Protocol

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import EXACT, UNIT, Bounded, ScoreBounds, only_upper
from rankwise.bounds.grid import Bounds, Grid
from rankwise.rankings import JudgedRankings

Penalty = Callable[[Ints], Floats]


def first_and_best(grid: Grid, now: Floats, best: Ints, grades: Ints, penalty: Penalty) -> Bounds:
    """Return the bounds of (1 − penalty(best)) / (r − penalty(grade)), r the first rank; exact.

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
    """Return the ranks of the first and the last of some cells of each row; NaN if none."""
    some = np.where(cells.any(axis=1), 0.0, np.nan)
    return some + cells.argmax(axis=1) + 1, some + cells.shape[1] - cells[:, ::-1].argmax(axis=1)


class Penalised(Bounded, Protocol):
    """A metric with a penalty 1 / β for each grade."""

    beta: tuple[tuple[float, float], ...]

    def penalty(self, grade: Ints) -> Floats: ...
    def reciprocal(self, judged: JudgedRankings) -> Floats: ...
    def best_grade(self, judged: JudgedRankings) -> Ints: ...


class FirstByGrade(ScoreBounds[Penalised]):
    """Bounds of 1 / (r − 1/β) for the first relevant document: WRR; exact.

    An earlier document scores more with any grade: 1 / (r − 1) > 1 / (r + 1 − 1/β).
    """

    exact = EXACT

    def open_more(self, metric: Penalised, judged: JudgedRankings) -> int:
        return 1  # the first document below the end is the best that can come

    def rises_when_condensed(self, metric: Penalised) -> bool:
        return True

    def on(self, metric: Penalised, grid: Grid) -> Bounds:
        above_all = grid.unjudged & (np.cumsum(grid.relevant(1), axis=1) == 0)
        first = np.where(above_all, grid.rank, np.inf).min(axis=1)
        return only_upper(1 / (first - max(1 / beta for _, beta in metric.beta)))


class FirstByGradeOverBest(ScoreBounds[Penalised]):
    """Bounds of the same over its greatest value for the topic: NWRR; exact."""

    exact = EXACT
    open_range = UNIT

    def open_more(self, metric: Penalised, judged: JudgedRankings) -> int:
        return 1

    def on(self, metric: Penalised, grid: Grid) -> Bounds:
        judged = grid.judgments
        now = grid.of(judged.keep(("reciprocal", metric), lambda: metric.reciprocal(judged)))
        best, grades = metric.best_grade(judged)[grid.rankings], metric.possible_grades(judged)[1:]
        return first_and_best(grid, now, best, grades, metric.penalty)
