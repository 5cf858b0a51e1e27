"""Exact extremes over cuts where no running sum gives the score of every cut at once.

A cut splits a ranking: the unjudged documents above it are relevant, or those below it.
Cheap bounds of the score at each cut tell which cuts are worth a look of their own.
"""

from collections.abc import Callable, Iterator

import numpy as np

from rankwise.judged import Bools, Floats, Ints

ROUNDING = 1e-12  # of scores: a cut that promises no more than this is not tried
ANCHORS = 7

ScoreAt = Callable[[Ints, Ints], Floats]
SumsAt = Callable[[Floats], Floats]


def greatest_of_cuts(promised: Floats, tried: Bools, score_at: ScoreAt) -> Floats:
    """The greatest score of each row of a grid of cuts, none above what its cut promised.

    The cut that promises most is scored, until no other of its row promises more than
    was found: then nothing better is left. `tried` are the cuts that count.
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
    """As `greatest_of_cuts`, where no score is below what its cut promised."""
    return -greatest_of_cuts(-promised, tried, lambda rows, cut: -score_at(rows, cut))


def different(unjudged: Bools) -> Bools:
    """The cuts that differ from the one above them: the first, and those below an unjudged."""
    return np.concatenate([np.ones((len(unjudged), 1), np.bool_), unjudged], axis=1)


def chords(at: Floats, sums_at: SumsAt) -> Floats:
    """Upper bounds of sums that are convex in a parameter, whose value at each cut is `at`.

    `sums_at` gives all cuts with one value of the parameter for each row. Between two
    values, a convex function lies below its chord.
    """
    bound = np.full(at.shape, np.inf)
    below, sums_below = None, None
    for above in _anchors(at):
        sums_above = sums_at(above)
        if below is not None and sums_below is not None:
            share = np.clip((at - below) / np.maximum(above - below, 1e-9), 0, 1)
            here = (at >= below - 1e-9) & (at <= above + 1e-9)
            chord = sums_below + share * (sums_above - sums_below)
            bound = np.where(here, np.minimum(bound, chord), bound)
        below, sums_below = above, sums_above
    return bound + ROUNDING * np.abs(bound)


def tangents(at: Floats, sums_at: SumsAt, slopes_at: SumsAt) -> Floats:
    """Lower bounds of the same sums: a convex function lies above its tangents."""
    bound = np.full(at.shape, -np.inf)
    for anchor in _anchors(at):
        bound = np.maximum(bound, sums_at(anchor) + (at - anchor) * slopes_at(anchor))
    return bound


def _anchors(at: Floats) -> Iterator[Floats]:
    """Whole numbers from the least to the greatest of each row, in about equal ratios."""
    least, greatest = at.min(axis=1, keepdims=True), at.max(axis=1, keepdims=True)
    for place in range(ANCHORS):
        yield np.rint(least * (greatest / least) ** (place / (ANCHORS - 1)))


def leading(falling: Floats, level: Floats, row: Ints | None = None) -> Ints:
    """How many cells of a row are at least `level`, for rows that fall and whole numbers.

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


def _greatest(values: Floats) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0))
