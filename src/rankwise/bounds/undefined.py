"""Bounds of topics whose score is undefined under the current judgments.

A topic without a relevant document has no AP. Judging its unjudged documents can define its AP, and
then the topic enters the mean. Its bounds are therefore those over all judgments that define the
score. At least one unjudged document must then be relevant. The bounds are computed for each
document that could be relevant and each relevant grade. The smallest lower bound and the largest
upper bound are returned.

Not every document has to be tried. Consider a topic without a relevant document, and judgments that
would define its score. If a metric has the trait `favours_the_top`, moving the first relevant
document up to the first unjudged rank never lowers the score. Moving the last relevant document
down to the last unjudged rank, or out of the ranking, never raises it. So the score is largest if
the first unjudged document is relevant. It is smallest if the last unjudged document is relevant.
If documents outside the ranking can be relevant, it is smallest if one of them is relevant.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Bounds
from rankwise.rankings import JudgedRankings, add_one_document

ELSEWHERE = 0  # used as a rank: a document that is not in the ranking
NOWHERE = -1  # used as a rank: no document


def bounds_once_defined(
    judged: JudgedRankings,
    bounds_of: Callable[[JudgedRankings], Bounds | None],
    grades: Iterable[int],
    *,
    goes_on: bool,
    every: bool,
) -> Bounds | None:
    """Return the score bounds of undefined topics, or NaN if no judgments can define the score.

    `bounds_of` returns the bounds of rankings with one more judged document. `grades` are the
    grades of this document that define the score. With `goes_on` rankings continue below their end,
    and any document outside them can be relevant. With `every` all unjudged documents are tried;
    otherwise only the first and the last unjudged document, and a document outside.
    """
    low, high = (np.full(judged.count, np.nan) for _ in range(2))
    grades = list(grades)
    for rank in _placements(judged, goes_on, every):
        for grade in grades:
            found = bounds_of(add_one_document(judged, grade, np.maximum(rank, ELSEWHERE)))
            if found is None:
                return None
            low = np.fmin(low, np.where(rank == NOWHERE, np.nan, found[0]))
            high = np.fmax(high, np.where(rank == NOWHERE, np.nan, found[1]))
    return low, high


def _placements(judged: JudgedRankings, goes_on: bool, every: bool) -> Iterator[Ints]:
    """Yield possible ranks of the document that defines the score, as one rank per ranking.

    A rank can also be ELSEWHERE or NOWHERE.
    """
    lacking = judged.elsewhere if judged.elsewhere is not None else np.zeros(judged.count)
    elsewhere = np.where(goes_on | (lacking > 0), ELSEWHERE, NOWHERE)
    yield elsewhere
    # If the rank of a judged document equals its place among the judged documents, no unjudged
    # document is above it.
    top = judged.total(judged.rank == judged.place).astype(np.int64)
    below = judged.length + 1 if goes_on else np.full(judged.count, NOWHERE)
    yield np.where(top < judged.length, top + 1, below)  # the first unjudged document
    if not every:  # the last one
        rows = np.diff(judged.row_start)[judged.ranking]
        from_below = (judged.length[judged.ranking] - judged.rank) == (rows - judged.place)
        last = judged.length - judged.total(from_below).astype(np.int64)
        yield np.where((elsewhere == ELSEWHERE) | (last == 0), NOWHERE, last)
        return
    is_judged = np.zeros((judged.count, int(judged.length.max(initial=0)) + 1), np.bool_)
    is_judged[judged.ranking, judged.rank] = True
    for rank in range(1, is_judged.shape[1]):
        yield np.where((rank <= judged.length) & ~is_judged[:, rank], rank, NOWHERE)


def least_mean(
    values: Floats, defined: Bools, *, weights: Floats | None = None, is_sum: Bools | bool = False
) -> Floats:
    """Return the smallest possible mean along the last axis, if not all topics must be in the mean.

    `values` are the lower bounds of the topics. Topics marked by `defined` are in the mean. Each
    other topic enters if judgments define its score; its value is NaN if no judgments can. Topics
    are judged independently. With S the sum of n defined topics, and l₁ ≤ l₂ ≤ … the values of the
    other topics, the result is the minimum over k of (S + l₁ + … + l_k) / (n + k). It is NaN if no
    topic can be in the mean, or if the value of a defined topic is NaN. With `weights` the mean is
    weighted, and a topic of weight 0 cannot enter. With `is_sum` the result is the smallest sum
    instead of the smallest mean.

    >>> least_mean(np.array([0.5, 0.1, 0.9]), np.array([True, False, False]))
    array(0.3)
    """
    known = np.where(defined, 1.0 if weights is None else weights, 0.0)
    total = (known * np.where(defined, values, 0.0)).sum(axis=-1)[..., None]
    size = known.sum(axis=-1)[..., None]
    values = np.where(defined if weights is None else defined | (weights == 0), np.nan, values)
    # Usually no column is left.
    left = ~np.isnan(values).all(axis=tuple(range(values.ndim - 1)))
    weights = None if weights is None else weights[..., left]
    return least_mean_of(total, size, values[..., left], weights=weights, is_sum=is_sum)


def least_mean_of(
    total: Floats,
    size: Floats | Ints,
    values: Floats,
    *,
    weights: Floats | None = None,
    is_sum: Bools | bool = False,
) -> Floats:
    """Return the result of `least_mean`, given the sums over the defined topics.

    `total` and `size` are the sum and the number (or the total weight) of the defined topics, with
    a last axis of length 1. `values` and `weights` have the lower bounds and the weights of the
    topics that may enter the mean.
    """
    if weights is None:
        steps = np.sort(values, axis=-1)  # NaN comes last
        sizes = size + np.arange(steps.shape[-1] + 1.0)
    else:
        order = np.argsort(values, axis=-1)
        entering = np.take_along_axis(weights, order, axis=-1)
        steps = np.take_along_axis(values, order, axis=-1) * entering
        sizes = np.concatenate([size, size + np.cumsum(entering, axis=-1)], axis=-1)
    now = np.where(size > 0, total, np.nan)
    sums = np.concatenate([now, total + np.cumsum(steps, axis=-1)], axis=-1)
    means = sums / np.where(np.asarray(is_sum)[..., None] | (sizes <= 0), 1, sizes)
    return np.asarray(np.fmin.reduce(means, axis=-1))


def greatest_mean(
    values: Floats, defined: Bools, *, weights: Floats | None = None, is_sum: Bools | bool = False
) -> Floats:
    """Return the largest possible mean, given upper bounds as `values`; see `least_mean`."""
    return -least_mean(-values, defined, weights=weights, is_sum=is_sum)
