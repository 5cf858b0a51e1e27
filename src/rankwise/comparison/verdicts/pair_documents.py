"""Unjudged documents that at least one run of a pair retrieved, for many pairs and topics."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from rankwise.arrays import Bools, Floats, Ints, Shorts, joined_ranges, stable_order
from rankwise.comparison.verdicts.differences import Pairs
from rankwise.rankings import Retrieved

ROWS = 1 << 17  # number of documents processed at once
CELL = 8  # cost of a cell without documents, as a number of documents


@dataclass(frozen=True, eq=False)
class Cells:
    """A set of cells. A cell is a pair of runs (A and B) on a topic; arrays have one row per cell.

    `pair` and `topic` identify the cell. `a` and `b` are the indices of its two rankings. `rank_a`,
    `rank_b` and `there` also have a column per unjudged document of the two rankings. `rank_a` is
    the rank of the document in A, or 0 if A does not have the document down to the cutoff. `rank_b`
    is the rank or 0 in B. `there` is False in columns without a document, because the cell has
    fewer documents than other cells. `elsewhere` counts the other unjudged documents of the topic
    that may be relevant.
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
        """Number of unjudged documents of each cell that have a column."""
        return np.asarray(self.there.sum(axis=1))

    def where(self, rows: Ints) -> "Cells":
        return Cells(*(getattr(self, field.name)[rows] for field in fields(self)))

    def swapped(self) -> "Cells":
        """Return the cells with A and B exchanged."""
        return replace(self, a=self.b, b=self.a, rank_a=self.rank_b, rank_b=self.rank_a)

    @property
    def weights(self) -> Floats:
        """1 / rank of each document in A and in B, of shape (2, cells, documents).

        The value is 0 where the run does not have the document.
        """
        with np.errstate(divide="ignore"):
            ranks = np.stack([self.rank_a, self.rank_b])
            return np.where(ranks > 0, 1 / ranks, 0.0)


def cells_of(
    pairs: Pairs,
    some: Ints,
    by_ranking: "RowsByRanking",
    elsewhere: Floats,
    of_topics: Ints | None = None,
    rows: int = ROWS,
) -> Iterator[Cells]:
    """Yield the cells of `some` pairs, in blocks of about `rows` documents.

    A cell is a pair of runs on a topic, here on all topics or those in `of_topics`. `by_ranking`
    has the unjudged documents whose ranks matter. `elsewhere` is the number of all unjudged
    documents of each topic that can be relevant.
    """
    topics = len(pairs.judged.topics)
    chosen = np.arange(topics) if of_topics is None else of_topics
    pair, topic = (each.ravel() for each in np.meshgrid(some, chosen, indexing="ij"))
    a, b = pairs.first[pair] * topics + topic, pairs.second[pair] * topics + topic
    size = by_ranking.size[a] + by_ranking.size[b]
    order = np.argsort(size, kind="stable")  # rows of a block then have similar lengths
    block = np.cumsum(size[order] + CELL) // rows
    for at in np.split(order, np.flatnonzero(np.diff(block)) + 1):
        if len(at):
            rank_a, rank_b, there = by_ranking.meeting(a[at], b[at])
            left = elsewhere[topic[at]] - there.sum(axis=1)
            yield Cells(pair[at], topic[at], a[at], b[at], rank_a, rank_b, there, left)


@dataclass(frozen=True, eq=False)
class RowsByRanking:
    """Unjudged documents, grouped by ranking: one row per ranking and document."""

    start: Ints  # of each ranking: the position of its first row in `code` and `rank`
    size: Ints  # of each ranking: its number of rows
    code: Shorts  # of each row: the code of the document, which is the same in all rankings
    rank: Shorts  # of each row: the rank of the document
    rows: Retrieved  # the same rows, sorted by code
    order: Shorts  # of each row: its index in `rows`

    @classmethod
    def of(
        cls, pairs: Pairs, some: Ints, rows: Retrieved, topics: Ints | None = None
    ) -> "RowsByRanking":
        """Group the unjudged rows of the runs of `some` pairs, on all topics or on `topics`.

        Rows of other runs and topics are dropped before sorting, to save time.
        """
        judged = pairs.judged
        wanted = np.zeros(len(judged.runs), np.bool_)
        wanted[pairs.first[some]] = wanted[pairs.second[some]] = True
        rows = rows.of_runs(wanted)
        if topics is not None:
            rows = rows.where(lambda some_rows: np.isin(some_rows.topic, topics))
        rows = rows.unjudged
        ranking = rows.ranking(len(judged.topics))
        order = stable_order(ranking).astype(np.int32)
        size = np.bincount(ranking, minlength=judged.count)
        columns = (rows.code[order], rows.rank[order], rows, order)
        return cls(np.cumsum(size) - size, size, *columns)

    def meeting(self, a: Ints, b: Ints) -> tuple[Ints, Ints, Bools]:
        """Return `rank_a`, `rank_b` and `there` of `Cells`, for the rankings `a` and `b`."""
        cell_a, row_a = self.rows_of(a)
        cell_b, row_b = self.rows_of(b)
        row = np.concatenate([row_a, row_b])
        document = (np.concatenate([cell_a, cell_b]) << 32) + self.code[row]
        order = np.argsort(document, kind="stable")  # fast, as each run's documents are in order
        document = document[order]
        new = np.ones(len(row), np.bool_)
        new[1:] = document[1:] != document[:-1]
        cell, of_b = document >> 32, (order >= len(row_a)).astype(np.int64)
        count = np.bincount(cell[new], minlength=len(a))
        column = np.cumsum(new) - 1 - (np.cumsum(count) - count)[cell]
        shape = (len(a), int(count.max(initial=0)))
        ranks = np.zeros((2, *shape), np.int64)
        ranks[of_b, cell, column] = self.rank[row][order]
        return ranks[0], ranks[1], np.arange(shape[1]) < count[:, None]

    def rows_of(self, ranking: Ints) -> tuple[Ints, Ints]:
        """Return the rows of some rankings as two arrays.

        For each row, the first array has the index of its ranking in `ranking`, and the second its
        position in `code` and `rank`.
        """
        return joined_ranges(self.start[ranking], self.size[ranking])
