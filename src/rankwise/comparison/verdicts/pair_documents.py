"""Unjudged documents that two runs retrieved for a topic, for many pairs and topics."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from rankwise.arrays import Bools, Floats, Ints, Shorts, stable_order
from rankwise.comparison.verdicts.differences import Pairs
from rankwise.rankings import Retrieved

ROWS = 1 << 17  # of documents, laid out at a time
CELL = 8  # documents that a cell takes the place of, be it empty


@dataclass(frozen=True, eq=False)
class Cells:
    """Some cells, each a pair of runs on a topic: a row each, a column per unjudged document.

    `pair` and `topic` identify the cell, `a` and `b` are the numbers of the two rankings.
    `rank_a` and `rank_b` have the ranks of a document, 0 if it is missing or below the cutoff;
    `there` is False where a row has no more documents. `elsewhere` counts the unjudged documents
    of the topic that may be relevant and are in no column.
    """

    pair: Ints
    topic: Ints
    a: Ints
    b: Ints
    rank_a: Ints
    rank_b: Ints
    there: Bools
    elsewhere: Floats

    @property
    def count(self) -> Ints:
        """Number of documents of each row."""
        return np.asarray(self.there.sum(axis=1))

    def where(self, rows: Ints) -> "Cells":
        return Cells(*(getattr(self, field.name)[rows] for field in fields(self)))

    def swapped(self) -> "Cells":
        """Exchange A and B."""
        return replace(self, a=self.b, b=self.a, rank_a=self.rank_b, rank_b=self.rank_a)


def cells_of(
    pairs: Pairs,
    some: Ints,
    by_ranking: "RowsByRanking",
    elsewhere: Floats,
    of_topics: Ints | None = None,
) -> Iterator[Cells]:
    """The cells of `some` of the pairs, on all or some topics, as many at a time as fit the cache.

    A cell counts by itself too: where nearly all is judged, most have no document.
    `by_ranking` has the unjudged documents that matter by their ranks, `elsewhere` is the
    number of unjudged documents of each topic that can be relevant, in a column or not.
    """
    topics = len(pairs.judged.topics)
    chosen = np.arange(topics) if of_topics is None else of_topics
    pair, topic = (each.ravel() for each in np.meshgrid(some, chosen, indexing="ij"))
    a, b = pairs.first[pair] * topics + topic, pairs.second[pair] * topics + topic
    size = by_ranking.size[a] + by_ranking.size[b]
    order = np.argsort(size, kind="stable")  # so that rows of a block are about as long
    block = np.cumsum(size[order] + CELL) // ROWS
    for at in np.split(order, np.flatnonzero(np.diff(block)) + 1):
        if len(at):
            rank_a, rank_b, there = by_ranking.meeting(a[at], b[at])
            left = elsewhere[topic[at]] - there.sum(axis=1)
            yield Cells(pair[at], topic[at], a[at], b[at], rank_a, rank_b, there, left)


@dataclass(frozen=True, eq=False)
class RowsByRanking:
    """Unjudged documents, grouped by ranking."""

    start: Ints
    size: Ints
    code: Shorts
    rank: Shorts
    rows: Retrieved  # by code
    order: Shorts  # the number of each row among these

    @classmethod
    def of(cls, pairs: Pairs, some: Ints, rows: Retrieved) -> "RowsByRanking":
        """Group the rows of the runs of `some` pairs: a search of few pairs sorts only theirs."""
        judged = pairs.judged
        wanted = np.zeros(len(judged.runs), np.bool_)
        wanted[pairs.first[some]] = wanted[pairs.second[some]] = True
        if not wanted.all():
            rows = rows.only(wanted[rows.run])
        ranking = rows.ranking(len(judged.topics))
        order = stable_order(ranking).astype(np.int32)
        size = np.bincount(ranking, minlength=judged.count)
        columns = (rows.code[order], rows.rank[order], rows, order)
        return cls(np.cumsum(size) - size, size, *columns)

    def meeting(self, a: Ints, b: Ints) -> tuple[Ints, Ints, Bools]:
        """Return the ranks of two rankings' documents side by side: cells × documents."""
        cell_a, row_a = self.rows_of(a)
        cell_b, row_b = self.rows_of(b)
        cell, row = np.concatenate([cell_a, cell_b]), np.concatenate([row_a, row_b])
        order = np.lexsort((self.code[row], cell))
        cell, code, of_a = cell[order], self.code[row][order], order < len(row_a)
        new = np.ones(len(cell), np.bool_)
        new[1:] = (cell[1:] != cell[:-1]) | (code[1:] != code[:-1])
        document = np.cumsum(new) - 1
        count = np.bincount(cell[new], minlength=len(a))
        column = document - (np.cumsum(count) - count)[cell]
        shape = (len(a), int(count.max(initial=0)))
        ranks = np.zeros((2, *shape), np.int64)
        ranks[np.where(of_a, 0, 1), cell, column] = self.rank[row][order]
        return ranks[0], ranks[1], np.arange(shape[1]) < count[:, None]

    def rows_of(self, ranking: Ints) -> tuple[Ints, Ints]:
        """Return the rows of these rankings: the index of the ranking, and the row."""
        size = self.size[ranking]
        which = np.repeat(np.arange(len(ranking)), size)
        place = np.arange(len(which)) - np.repeat(np.cumsum(size) - size, size)
        return which, self.start[ranking][which] + place
