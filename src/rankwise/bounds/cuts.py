"""Exact extremes over cuts where no running sum gives the score of every cut at once.

A cut splits a ranking: the unjudged documents above it are relevant, or those below it. Cheap
bounds of the score at each cut select the cuts to evaluate.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import ROUNDING, Bools, Floats, Ints

ScoreAt = Callable[[Ints, Ints], Floats]
SumsAt = Callable[[Floats], Floats]


def greatest_of_cuts(promised: Floats, tried: Bools, score_at: ScoreAt) -> Floats:
    """Return the greatest score of each row of a grid of cuts; `promised` bounds each from above.

    The cut with the largest bound is scored, until no bound of its row exceeds the best score
    found. `tried` marks the cuts to consider.
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
    """Return the least score of each row of a grid of cuts; `promised` bounds each from below."""
    return -greatest_of_cuts(-promised, tried, lambda rows, cut: -score_at(rows, cut))


def different(unjudged: Bools) -> Bools:
    """Return the cuts that differ from the one above: the first, and those below an unjudged."""
    return np.concatenate([np.ones((len(unjudged), 1), np.bool_), unjudged], axis=1)


def chords(at: Floats, sums_at: SumsAt, count: Floats) -> Floats:
    """Return upper bounds at cuts whose score is a sum / count, the sum convex in a parameter.

    `at` is the parameter's value at each cut, a whole number. `sums_at` gives the sums of
    all cuts for one value of it in each row. Between two values a convex function lies
    below its chord. Values are taken from the whole range, then near the best promise.
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
    """Return lower bounds at the same cuts: a convex function is above its tangents."""

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
    """Return values around that of one cut of each row."""
    least, greatest = at.min(axis=1, keepdims=True), at.max(axis=1, keepdims=True)
    middle, reach = np.take_along_axis(at, cut[:, None], axis=1), (greatest - least) / 10
    shares = (-1.0, -0.25, 0.0, 0.25, 1.0)
    return [np.clip(np.rint(middle + share * reach), least, greatest) for share in shares]


def leading(falling: npt.NDArray[Any], level: npt.NDArray[Any], row: Ints | None = None) -> Ints:
    """Return how many cells of a row are at least `level`, for falling rows of whole numbers.

    `level` has a row for each row and any number of columns, or one value for each `row`.
    Infinities are allowed.
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
