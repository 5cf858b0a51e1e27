"""The rows of a run sorted into rankings."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from rankwise.arrays import Floats, Ints
from rankwise.errors import CallError
from rankwise.rankings.lookup import Judgments
from rankwise.rankings.reading import Run
from rankwise.vocabulary import Order


@dataclass(frozen=True)
class Sorting:
    """The rows of a run sorted into rankings: by topic, then by what makes the order."""

    value: Floats  # descending within a topic, in sorted order
    row_at: Ints | None  # the row at each place; None where the rows stood in order
    topic_start: Ints  # the first place of each topic
    topic_length: Ints
    unknown_topics: int

    @classmethod
    def of(cls, run: Run, judgments: Judgments, order: Order) -> "Sorting":
        lengths, names = run.stretches
        codes = judgments.codes(names)
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        count = len(judgments.topics)
        known = codes >= 0
        unknown = len(set(names).difference(judgments.code_of))
        topic_length = np.bincount(codes[known], lengths[known], count).astype(np.int64)
        value = _order_value(run, order)
        row_at = None
        if len(np.unique(codes[known])) == known.sum():
            topic_start = np.zeros(count, np.int64)
            topic_start[codes[known]] = starts[known]
        else:  # a topic stands in several places: bring its rows together
            row_at = np.argsort(np.repeat(codes, lengths), kind="stable")
            value = value[row_at]
            before = len(value) - topic_length.sum()  # rows of unknown topics sort first
            topic_start = starts = before + np.concatenate([[0], np.cumsum(topic_length)[:-1]])
        if not _falls_within(value, starts):
            row_at = np.arange(len(value)) if row_at is None else row_at
            value = _sort_each(value, row_at, topic_start, topic_length)
        return cls(value, row_at, topic_start, topic_length, unknown)

    def places(self, rows: Ints) -> Ints:
        if self.row_at is None:
            return rows.copy()
        place_of = np.empty(len(self.row_at), np.int64)
        place_of[self.row_at] = np.arange(len(self.row_at))
        return place_of[rows]

    def ties(self, rows: Ints) -> tuple[Ints, Ints]:
        """The first and the last place of the group of equals that holds each row."""
        new = np.ones(len(self.value) + 1, np.bool_)
        np.not_equal(self.value[1:], self.value[:-1], out=new[1:-1])
        starts = self.topic_start[self.topic_length > 0]
        # Also where a topic ends: one without judgments may follow, with an equal score.
        new[starts] = new[starts + self.topic_length[self.topic_length > 0]] = True
        first = self.places(rows)
        last = first.copy()
        tied = ~new[first] | ~new[first + 1]
        starts = np.flatnonzero(new[:-1] & ~new[1:])  # of groups of two or more
        ends = np.flatnonzero(~new[:-1] & new[1:])
        group = np.searchsorted(starts, first[tied], "right") - 1
        first[tied], last[tied] = starts[group], ends[group]
        return first, last


def _order_value(run: Run, order: Order) -> Floats:
    if order == "score":
        return run.frame["score"].to_numpy()
    if order == "file":
        return -np.arange(run.frame.height, dtype=np.float64)
    if "rank" not in run.frame.columns:
        raise CallError(f"run {run.name!r} has no column of ranks to order by.")
    return -run.frame["rank"].to_numpy().astype(np.float64)


def _falls_within(value: Floats, starts: Ints) -> bool:
    """Whether the value never rises from one row to the next, except where a stretch starts."""
    rises = np.flatnonzero(value[1:] > value[:-1]) + 1
    return bool(np.isin(rises, starts).all())


def _sort_each(value: Floats, row_at: Ints, starts: Ints, lengths: Ints) -> Floats:
    """The values falling within each topic, and the rows that hold them (in place).

    Many short sorts are an order of magnitude faster than one by topic and value.
    """
    value = value.copy()
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        here = slice(start, start + length)
        order = np.argsort(-value[here])
        value[here], row_at[here] = value[here][order], row_at[here][order]
    return value


class Places(NamedTuple):
    """Where rows stand in their rankings, from 1: their rank, and the ranks that tie with it."""

    rank: Ints
    tie_first: Ints
    tie_last: Ints


def places_of(run: Run, sorting: Sorting, rows: Ints, topic: Ints) -> Places:
    """The places of some rows, of these topics; those that tie stand by name."""
    first, last = sorting.ties(rows)
    place = sorting.places(rows)
    tied = last > first
    if tied.any():
        place[tied] = _places_by_name(run, sorting, first[tied], last[tied], rows[tied])
    before = sorting.topic_start[topic] - 1
    return Places(place - before, first - before, last - before)


def _places_by_name(run: Run, sorting: Sorting, first: Ints, last: Ints, rows: Ints) -> Ints:
    """The places of tied rows once each group of equals is put in descending order of name."""
    first, at = np.unique(first, return_index=True)
    sizes = last[at] - first + 1
    places = np.repeat(first - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    places += np.arange(len(places))
    tied_rows = places if sorting.row_at is None else sorting.row_at[places]
    table = pl.DataFrame(
        {
            "group": np.repeat(first, sizes),
            "document": run.frame["document"].gather(tied_rows),
            "row": tied_rows,
        }
    ).sort("group", "document", descending=[False, True])
    row_at = table["row"].to_numpy()
    by_row = np.argsort(row_at)
    return places[by_row[np.searchsorted(row_at, rows, sorter=by_row)]]
