"""Rankings of a topic with the same contents at every rank, which no judgment separates."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats, Ints
from rankwise.rankings import JudgedRankings, Retrieved

BLOCK = 1 << 16  # rows that are worked on at a time


def first_alike(judged: JudgedRankings, retrieved: Retrieved, cutoff: int | None) -> Ints:
    """Return, for each ranking, the number of the first identical one of its topic.

    Identical rankings have the same grades, unjudged documents and ties at the same ranks, down
    to the cutoff. Few rankings are identical: those with a unique fingerprint are excluded first.
    Rank by rank each of the others is compared with the first that was identical so far, and
    those that differ are regrouped.
    """
    length = judged.length if cutoff is None else np.minimum(judged.length, cutoff)
    first = np.zeros(judged.count, np.int64)
    prints = _fingerprints(judged, retrieved, length)
    _group(first, np.arange(judged.count), (judged.topic, length, prints))
    left = _of_several(first, np.arange(judged.count))
    contents = Contents.of(judged, retrieved, np.where(np.isin(first, first[left]), length, 0))
    for place in range(int(contents.length.max(initial=0))):
        left = left[length[left] > place]
        if not len(left):
            break
        own = contents.at(left, place)
        other = np.flatnonzero((own != contents.at(first[left], place)).any(axis=0))
        if len(other):
            _group(first, left[other], own[:, other])
            left = _of_several(first, left)
    return first


def _fingerprints(judged: JudgedRankings, retrieved: Retrieved, length: Ints) -> Floats:
    """A number for each ranking, the same for those that hold the same down to their `length`.

    It adds a random number for each document or grade times its rank and its tie. Sums are of
    whole numbers, and so small that they are exact: they do not depend on the order of rows.
    """
    same, bits = _as_cells(judged, retrieved), 52 - int(length.max(initial=0)).bit_length()
    at_random = np.random.default_rng(0).integers(1 << 20, size=same.max(initial=0) + 1)
    prints = np.zeros(judged.count)
    for start in range(0, len(retrieved.rank), BLOCK):
        rows = retrieved.only(slice(start, start + BLOCK))
        ranking = rows.ranking(len(judged.topics))
        place = rows.rank + 3 * rows.tie_first.astype(np.int64) + 5 * rows.tie_last
        worth = at_random[same[rows.code]] * place & ((1 << bits) - 1)
        worth[rows.rank > length[ranking]] = 0
        prints += np.bincount(ranking, worth, judged.count)
    return prints


def _group(first: Ints, some: Ints, columns: Iterable[npt.NDArray[Any]]) -> None:
    """Split groups of rankings that are identical so far by their columns; `some` is sorted."""
    keys = [*columns, first[some]]
    order = np.lexsort(keys)  # it keeps the order of what is the same
    new = np.ones(len(some), np.bool_)
    new[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    some = some[order]
    first[some] = some[new][np.cumsum(new) - 1]


def _of_several(first: Ints, some: Ints) -> Ints:
    """Return the rankings that share their group with another."""
    kind = first[some]
    return some[np.bincount(kind)[kind] > 1]


def _as_cells(judged: JudgedRankings, retrieved: Retrieved) -> Ints:
    """A number for each code, the same for judged documents of a grade: they are below all codes.

    The least is 0.
    """
    grades = judged.topic_grades
    found = np.arange(retrieved.codes)
    levels, found[: len(grades)] = np.unique(grades, return_inverse=True)
    found[len(grades) :] += len(levels)
    return found


@dataclass(frozen=True, eq=False)
class Contents:
    """Documents of each ranking down to a cutoff, all rankings concatenated.

    `cells` has a column for each rank of each ranking: the document if it is unjudged, else
    its grade; see `_as_cells`; and the first and last rank of its tie.
    """

    length: Ints
    start: Ints
    cells: npt.NDArray[np.int32]

    @classmethod
    def of(cls, judged: JudgedRankings, retrieved: Retrieved, length: Ints) -> "Contents":
        """Return the contents down to a rank of each ranking, its `length`."""
        start = np.cumsum(length) - length
        same = _as_cells(judged, retrieved)
        cells = np.zeros((3, int(length.sum())), np.int32)
        for block in range(0, len(retrieved.rank), BLOCK):
            rows = retrieved.only(slice(block, block + BLOCK))
            ranking = rows.ranking(len(judged.topics))
            here = np.flatnonzero(rows.rank <= length[ranking])
            place = start[ranking[here]] + rows.rank[here] - 1
            columns = (same[rows.code[here]], rows.tie_first[here], rows.tie_last[here])
            cells[:, place] = np.stack(columns)
        return cls(length, start, cells)

    def at(self, ranking: Ints, place: int) -> npt.NDArray[np.int32]:
        """Return the cells of some rankings at a rank, counted from 0."""
        return self.cells[:, self.start[ranking] + place]
