"""Bounds of topics that have no score under the current judgments.

A topic without a relevant document has no AP; but its unjudged documents can give it one,
and then it enters the mean. So its bounds are those over all judgments that define it.
One document at least must then be relevant: bounds are taken with each that could be, of
each grade that counts, and the widest of these are the bounds.

Not every document has to be tried. Take judgments that define the topic, with no relevant
document under the current ones. Where a metric `favours_the_top`, moving the first of the
relevant documents up to the first unjudged place never lowers the score, and moving the last of
them down to the last such place, or out of the ranking, never raises it. So the greatest score
has the first unjudged document relevant, and the least the last one, or one that the ranking
lacks, if there can be one.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Bounds
from rankwise.rankings import JudgedRankings

ELSEWHERE = 0  # in place of a rank: a document that the ranking lacks
NOWHERE = -1  # there is no such document


def bounds_once_defined(
    judged: JudgedRankings,
    bounds_of: Callable[[JudgedRankings], Bounds | None],
    grades: Iterable[int],
    *,
    goes_on: bool,
    every: bool,
) -> Bounds | None:
    """Return the bounds of rankings of undefined topics; NaN if no judgments can define one.

    `grades` are those that define a topic. With `goes_on` rankings go on below their end,
    and any document elsewhere can be relevant. `every`: try every unjudged document.
    """
    low, high = (np.full(judged.count, np.nan) for _ in range(2))
    grades = list(grades)
    for rank in _placements(judged, goes_on, every):
        for grade in grades:
            found = bounds_of(judged.with_one_more(grade, np.maximum(rank, ELSEWHERE)))
            if found is None:
                return None
            low = np.fmin(low, np.where(rank == NOWHERE, np.nan, found[0]))
            high = np.fmax(high, np.where(rank == NOWHERE, np.nan, found[1]))
    return low, high


def _placements(judged: JudgedRankings, goes_on: bool, every: bool) -> Iterator[Ints]:
    """Yield possible ranks of the document that defines a topic: one for each ranking, or none."""
    lacking = judged.elsewhere if judged.elsewhere is not None else np.zeros(judged.count)
    elsewhere = np.where(goes_on | (lacking > 0), ELSEWHERE, NOWHERE)
    yield elsewhere
    # The judged documents at the top are those whose rank is their place among the judged.
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


def least_mean(values: Floats, defined: Bools, *, is_sum: Bools | bool = False) -> Floats:
    """Return the least mean along the last axis; some topics may or may not enter it.

    `values` are the least values of the topics. Those `defined` are in the mean; each of
    the others enters if judgments define it, and is NaN if none can. Topics are judged
    apart, so with n defined ones of sum S and the others l₁ ≤ l₂ ≤ … it is the least over k
    of (S + l₁ + … + l_k) / (n + k). NaN where no topic can be in it, or where a value of a
    defined one is not known. With `is_sum` it is not divided.

    >>> least_mean(np.array([0.5, 0.1, 0.9]), np.array([True, False, False]))
    array(0.3)
    """
    total = np.where(defined, values, 0.0).sum(axis=-1)[..., None]
    count = defined.sum(axis=-1)[..., None]
    values = np.where(defined, np.nan, values)
    values = values[..., ~np.isnan(values).all(axis=tuple(range(values.ndim - 1)))]  # mostly none
    return least_mean_of(total, count, values, is_sum=is_sum)


def least_mean_of(
    total: Floats, count: Ints, values: Floats, *, is_sum: Bools | bool = False
) -> Floats:
    """Like `least_mean`, from the sum and the number of the defined topics, in a last axis of
    length 1, and the values of the topics that may enter.
    """
    steps = np.cumsum(np.sort(values, axis=-1), axis=-1)  # NaN comes last
    sums = np.concatenate([np.where(count > 0, total, np.nan), total + steps], axis=-1)
    number = np.maximum(count + np.arange(sums.shape[-1]), 1)
    means = sums / np.where(np.asarray(is_sum)[..., None], 1, number)
    return np.asarray(np.fmin.reduce(means, axis=-1))


def greatest_mean(values: Floats, defined: Bools, *, is_sum: Bools | bool = False) -> Floats:
    """Return the greatest mean; see `least_mean`."""
    return -least_mean(-values, defined, is_sum=is_sum)
