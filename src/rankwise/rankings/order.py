"""Order of documents in a ranking, for runs that the C kernel does not read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.errors import CallError
from rankwise.lazy import pl
from rankwise.rankings.run import Run
from rankwise.vocabulary import Order


@dataclass(frozen=True)
class RankedRows:
    """Rows of a run in the order of their rankings, grouped by topic.

    A place is a position in this order, from 0, counted over all topics. Tied rows are in any
    order; the method `places` sorts them. Topics are in the order of first occurrence.
    """

    run: Run
    topics: tuple[str, ...]
    stretch_topic: Ints  # topic of each stretch of consecutive rows
    value: Floats  # sort value at each place, descending within a topic
    row_at: Ints | None  # row at each place; None if the rows were already sorted
    topic_start: Ints  # first place of each topic
    topic_length: Ints

    def places(self, rows: Ints, topic: Ints) -> Places:
        """Return the ranks of some rows, given the indices of their topics.

        Tied documents are sorted by name, descending and bytewise, as in trec_eval.
        """
        first, last = self._ties(rows)
        place = self._places(rows)
        tied = last > first
        if tied.any():
            place[tied] = _places_by_name(self, first[tied], last[tied], rows[tied])
        before = self.topic_start[topic] - 1
        return Places(place - before, first - before, last - before)

    def all_places(self) -> Places:
        """Return the ranks of all rows, in the order of `run.frame`."""
        lengths, _ = self.run.stretches
        rows = np.arange(self.run.frame.height)
        return self.places(rows, np.repeat(self.stretch_topic, lengths))

    def _places(self, rows: Ints) -> Ints:
        if self.row_at is None:
            return rows.copy()
        place_of = np.empty(len(self.row_at), np.int64)
        place_of[self.row_at] = np.arange(len(self.row_at))
        return place_of[rows]

    def _ties(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the first and the last place of each row's tie group, over all topics."""
        new = np.ones(len(self.value) + 1, np.bool_)
        np.not_equal(self.value[1:], self.value[:-1], out=new[1:-1])
        new[self.topic_start] = True
        first = self._places(rows)
        last = first.copy()
        tied = ~new[first] | ~new[first + 1]
        starts = np.flatnonzero(new[:-1] & ~new[1:])  # starts of groups of two or more
        ends = np.flatnonzero(~new[:-1] & new[1:])
        group = np.searchsorted(starts, first[tied], "right") - 1
        first[tied], last[tied] = starts[group], ends[group]
        return first, last


def rank_rows(run: Run, order: Order) -> RankedRows:
    """Sort the rows of a run into the order of their rankings; tied rows are not sorted yet.

    `score` puts the highest score first, and `rank` the lowest number in the run's column of ranks.
    `file` keeps the order of the lines.
    """
    lengths, names = run.stretches
    topics = tuple(dict.fromkeys(names))
    number = {name: at for at, name in enumerate(topics)}
    codes = np.array([number[name] for name in names], np.int64)
    length = np.bincount(codes, lengths, len(topics)).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(length)])[:-1]
    if order == "rank" and "rank" not in run.frame.columns:
        raise CallError(f"run {run.name!r} has no column of ranks to order by.")
    if order == "file":
        value = -np.arange(run.frame.height, dtype=np.float64)
    else:
        value = run.frame[order].to_numpy()
        value = value if order == "score" else -value.astype(np.float64)
    row_at = None
    if len(topics) < len(names):  # rows of a topic are not consecutive: group them
        row_at = np.argsort(np.repeat(codes, lengths), kind="stable")
        value = value[row_at]
    rises = np.flatnonzero(value[1:] > value[:-1]) + 1
    if not np.isin(rises, start).all():  # values may rise only at the start of a topic
        row_at = np.arange(len(value)) if row_at is None else row_at
        value = _sort_each(value, row_at, start, length)
    return RankedRows(run, topics, codes, value, row_at, start, length)


def _sort_each(value: Floats, row_at: Ints, starts: Ints, lengths: Ints) -> Floats:
    """Return values sorted in descending order within each topic; reorder `row_at` in the same way.

    Many short sorts are ten times as fast as one sort by topic and value.
    """
    value = value.copy()
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        here = slice(start, start + length)
        order = np.argsort(-value[here])
        value[here], row_at[here] = value[here][order], row_at[here][order]
    return value


class Places(NamedTuple):
    """Ranks of rows, from 1, and the first and last rank of their tie groups."""

    rank: Ints
    tie_first: Ints
    tie_last: Ints


def _places_by_name(ranked: RankedRows, first: Ints, last: Ints, rows: Ints) -> Ints:
    """Return the places of tied rows, with each tie group sorted by name, descending.

    `first` and `last` have the first and last place of each row's tie group.
    """
    first, at = np.unique(first, return_index=True)
    sizes = last[at] - first + 1
    places = np.repeat(first - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    places += np.arange(len(places))
    tied_rows = places if ranked.row_at is None else ranked.row_at[places]
    table = pl.DataFrame(
        {
            "group": np.repeat(first, sizes),
            "document": ranked.run.frame["document"].gather(tied_rows),
            "row": tied_rows,
        }
    ).sort("group", "document", descending=[False, True])
    row_at = table["row"].to_numpy()
    by_row = np.argsort(row_at)
    return places[by_row[np.searchsorted(row_at, rows, sorter=by_row)]]
