"""Rankings of a topic with the same contents at every rank, which no judgment separates."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Ints
from rankwise.rankings import JudgedRankings, Retrieved


def first_alike(judged: JudgedRankings, retrieved: Retrieved, cutoff: int | None) -> Ints:
    """Return, for each ranking, the number of the first identical one of its topic.

    Identical rankings have the same grades, unjudged documents and ties at the same ranks, down
    to the cutoff. Rank by rank each is compared with the first that was identical so far, and
    those that differ are regrouped; few rankings remain identical after some ranks.
    """
    contents = Contents.of(judged, retrieved, cutoff)
    length, first = contents.length, np.zeros(judged.count, np.int64)
    _group(first, np.arange(judged.count), (judged.topic, length))
    left = _of_several(first, np.arange(judged.count))
    for place in range(int(length.max(initial=0))):
        left = left[length[left] > place]
        if not len(left):
            break
        own = contents.at(left, place)
        other = np.flatnonzero((own != contents.at(first[left], place)).any(axis=0))
        if len(other):
            _group(first, left[other], own[:, other])
            left = _of_several(first, left)
    return first


def _group(first: Ints, some: Ints, columns: Iterable[npt.NDArray[np.integer]]) -> None:
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


@dataclass(frozen=True, eq=False)
class Contents:
    """Documents of each ranking down to a cutoff, all rankings concatenated.

    `cells` has a column for each rank of each ranking: the document if it is unjudged, otherwise
    its grade as a negative number; and the first and last rank of its tie group.
    """

    length: Ints
    start: Ints
    cells: npt.NDArray[np.int32]

    @classmethod
    def of(cls, judged: JudgedRankings, retrieved: Retrieved, cutoff: int | None) -> "Contents":
        length = judged.length if cutoff is None else np.minimum(judged.length, cutoff)
        start = np.cumsum(length) - length
        ranking, grades = retrieved.ranking(len(judged.topics)), judged.topic_grades
        here = np.flatnonzero(retrieved.rank <= length[ranking])
        place = start[ranking[here]] + retrieved.rank[here] - 1
        same = np.arange(retrieved.codes)
        same[: len(grades)] = grades.min(initial=0) - grades - 1
        cells = np.zeros((3, int(length.sum())), np.int32)
        columns = (same[retrieved.code], retrieved.tie_first, retrieved.tie_last)
        for row, column in zip(cells, columns, strict=True):
            row[place] = column[here]
        return cls(length, start, cells)

    def at(self, ranking: Ints, place: int) -> npt.NDArray[np.int32]:
        """Return the cells of some rankings at a rank, counted from 0."""
        return self.cells[:, self.start[ranking] + place]

    def ties(self, ranking: Ints, rank: Ints) -> Ints:
        """Return the first and the last rank tied with these ranks of some rankings."""
        return self.cells[1:, self.start[ranking] + rank - 1].astype(np.int64)
