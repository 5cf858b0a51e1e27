"""Kendall's tau of the union of two rankings."""

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats, Ints
from rankwise.stats.rbo import SharedItems

AT_A_TIME = 1 << 20  # places, of several pairs of rankings: these stay in the cache
STRETCH = 16


def tau_of_union(length_a: Ints, length_b: Ints, shared: SharedItems) -> Floats:
    """Return Kendall's tau of the union (KTU) for pairs of rankings.

    NaN below two items, and where the rankings share none: the lists of places are then in the
    same order for any rankings, and tau would be 1.

    Breuer et al., SIGIR 2020: the union of both rankings has the items of A in order, then
    those that only B has. Each ranking becomes the list of the places of its items in the
    union, and KTU is the tau of these two lists, down to the end of the shorter one. That of A
    is 1, 2, 3 …, so that tau follows from the inversions in that of B.
    """
    size = np.minimum(length_a, length_b)
    width = 1 << max(int(size.max(initial=1)) - 1, 1).bit_length()
    step = max(1, AT_A_TIME // width)
    counts = np.zeros(len(size), np.int64)
    starts = np.searchsorted(shared.pair, np.arange(0, len(size) + step, step))
    for block, begin in enumerate(range(0, len(size), step)):
        some = slice(begin, begin + step)
        here = slice(int(starts[block]), int(starts[block + 1]))
        rows = SharedItems(shared.pair[here], shared.rank_a[here], shared.rank_b[here])
        places = _places(length_a[some], size[some], width, rows, begin)
        counts[some] = inversions(places)
    with np.errstate(divide="ignore", invalid="ignore"):
        related = (size > 1) & (np.bincount(shared.pair, minlength=len(size)) > 0)
        return np.where(related, 1 - 4 * counts / (size * (size - 1.0)), np.nan)


def _places(
    length_a: Ints, size: Ints, width: int, shared: SharedItems, begin: int
) -> npt.NDArray[np.int32]:
    """Return the places of B's items in the union: pairs × ranks, growing below the end."""
    rank = np.arange(width)
    is_alone = np.broadcast_to(rank < size[:, None], (len(size), width)).copy()
    pair = shared.pair - begin
    inside = shared.rank_b <= size[pair]
    pair, rank_a, rank_b = pair[inside], shared.rank_a[inside], shared.rank_b[inside]
    is_alone[pair, rank_b - 1] = False
    places = length_a[:, None] + np.cumsum(is_alone, axis=1)
    places[pair, rank_b - 1] = rank_a
    places = np.where(rank < size[:, None], places, length_a[:, None] + 2 * width + rank)
    return places.astype(np.int32)


def inversions(rows: npt.NDArray[np.int32]) -> Ints:
    """Return the number of inversions in each row, whose length is a power of 2.

    Within short stretches every two numbers are compared. Then a merge sort, all rows at once:
    where two sorted halves are merged, each number of the first half has an inversion with
    each smaller one of the second.

    >>> inversions(np.array([[3, 1, 2, 4], [1, 2, 3, 4]], np.int32)).tolist()
    [2, 0]
    """
    count, width = rows.shape
    size = min(STRETCH, width)
    stretches = rows.reshape(-1, size)
    found = np.zeros(count, np.int64)
    for apart in range(1, size):
        greater = stretches[:, :-apart] > stretches[:, apart:]
        found += np.count_nonzero(greater.reshape(count, -1), axis=1)
    rows = np.sort(stretches, axis=1)
    while size < width:
        halves = rows.reshape(-1, 2 * size) * 2
        halves[:, size:] += 1
        halves.sort(axis=1)
        second = halves & 1
        smaller = np.cumsum(second, axis=1, dtype=np.int32)
        smaller *= 1 - second
        found += smaller.reshape(count, -1).sum(axis=1, dtype=np.int64)
        rows = halves >> 1
        size *= 2
    return found
