"""Rankings of a topic that are identical, and therefore have equal scores under any judgments."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats, Ints
from rankwise.rankings import JudgedRankings, Retrieved, ranking_of


def first_alike(judged: JudgedRankings, retrieved: Retrieved, cutoff: int | None) -> Ints:
    """Return, for each ranking, the index of the first identical ranking of its topic.

    Identical rankings have the same grades, unjudged documents and ties at the same ranks, down to
    the cutoff. Few rankings are identical, so rankings with a unique hash are excluded first. The
    remaining rankings are grouped by their hash. Each is compared, rank by rank, with the first
    ranking of its group, and rankings that differ are regrouped.
    """
    length = judged.length if cutoff is None else np.minimum(judged.length, cutoff)
    retrieved = retrieved if cutoff is None else retrieved.above(cutoff)
    # `cell` has a number for each document code. Judged documents with the same grade have the same
    # number. Each unjudged document has a number of its own, above those of judged documents.
    grades, cell = judged.topic_grades, np.arange(retrieved.codes)
    levels, cell[: len(grades)] = np.unique(grades, return_inverse=True)
    cell[len(grades) :] += len(levels)
    first = np.zeros(judged.count, np.int64)
    prints = _fingerprints(judged, retrieved, length, cell)
    _group(first, np.arange(judged.count), (judged.topic, length, prints))
    left = _of_several(first, np.arange(judged.count))
    several = np.isin(first, first[left])
    runs = np.bincount(np.flatnonzero(several) // len(judged.topics), minlength=len(judged.runs))
    retrieved = retrieved.of_runs(runs > 0)
    start, cells = _contents(judged, retrieved, np.where(several, length, 0), cell)
    for place in range(int(length[several].max(initial=0))):
        left = left[length[left] > place]
        if not len(left):
            break
        own = cells[:, start[left] + place]
        other = np.flatnonzero((own != cells[:, start[first[left]] + place]).any(axis=0))
        if len(other):
            _group(first, left[other], own[:, other])
            left = _of_several(first, left)
    return first


def _fingerprints(judged: JudgedRankings, retrieved: Retrieved, length: Ints, cell: Ints) -> Floats:
    """Return a number per ranking that is equal for rankings with the same contents.

    Only the first `length` documents of each ranking count. `cell` has a number for each document
    code, which is the same for all judged documents with the same grade. The result is a sum over
    documents: a random number for the value of `cell`, times a number for rank and tie group,
    reduced to its last bits. The terms are whole numbers, small enough that the sum is exact and
    does not depend on the order of rows.
    """
    bits = 52 - int(length.max(initial=0)).bit_length()
    at_random = np.random.default_rng(0).integers(1 << 20, size=cell.max(initial=0) + 1)[cell]
    prints = np.zeros(judged.count)
    for rows in retrieved.pieces():
        ranking = ranking_of(rows, len(judged.topics))
        rank, tie_first, tie_last = (column.astype(np.int64) for column in rows[3:])
        place = rank + 3 * tie_first + 5 * tie_last
        worth = at_random[rows.code] * place & ((1 << bits) - 1)
        worth[rank > length[ranking]] = 0
        prints += np.bincount(ranking, worth, judged.count)
    return prints


def _group(first: Ints, some: Ints, columns: Iterable[npt.NDArray[Any]]) -> None:
    """Split groups of rankings, in place, so that rankings of a group have the same `columns`.

    `first` has, for each ranking, the index of the first ranking of its group. `some` has indices
    of rankings in increasing order, and each column has a value for each of them.
    """
    keys = [*columns, first[some]]
    order = np.lexsort(keys)  # stable: equal keys keep their order
    new = np.ones(len(some), np.bool_)
    new[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    some = some[order]
    first[some] = some[new][np.cumsum(new) - 1]


def _of_several(first: Ints, some: Ints) -> Ints:
    """Return the rankings in `some` whose group has another ranking in `some`.

    `first` has, for each ranking, the index of the first ranking of its group.
    """
    kind = first[some]
    return some[np.bincount(kind)[kind] > 1]


def _contents(
    judged: JudgedRankings, retrieved: Retrieved, length: Ints, cell: Ints
) -> tuple[Ints, npt.NDArray[np.int32]]:
    """Return the start of each ranking, and the documents of all rankings, one after the other.

    Each ranking is cut at rank `length`. The array of documents has three rows: the number from
    `cell` (one per grade of judged documents, one per unjudged document), and the first and the
    last rank of the tie group.
    """
    start = np.cumsum(length) - length
    cells = np.zeros((3, int(length.sum())), np.int32)
    for rows in retrieved.pieces():
        ranking = ranking_of(rows, len(judged.topics))
        here = np.flatnonzero(rows.rank <= length[ranking])
        place = start[ranking[here]] + rows.rank[here] - 1
        columns = (cell[rows.code[here]], rows.tie_first[here], rows.tie_last[here])
        cells[:, place] = np.stack(columns)
    return start, cells
