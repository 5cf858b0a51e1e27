"""How runs meet their judgments: `judge` makes `JudgedRankings`.

A run of seven million lines is never joined as text. Rows carry a 64-bit key of topic and
document; a small table of bits throws out nearly all rows that are not judged, a binary
search settles the rest, and the names of what matched are compared at the end.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from rankwise.errors import CallError, InputError
from rankwise.inputs import Order, Qrels, Run, distinct_names
from rankwise.judged import Floats, Ints, JudgedRankings
from rankwise.threads import map_in_threads

ORDERS = ("score", "rank", "file")


class Origin(NamedTuple):
    """What is kept of a run when its rows are let go."""

    name: str
    file: str
    notes: tuple[str, ...]

    @classmethod
    def of(cls, run: Run) -> "Origin":
        return cls(run.name, run.file or run.name, run.notes)


class JudgedRun(NamedTuple):
    """One run's part of the join; `topic`, `length` and `present` as in JudgedRankings."""

    topic: Ints
    rank: Ints
    grade: Ints
    tie_first: Ints
    tie_last: Ints
    length: Ints
    present: npt.NDArray[np.bool_]
    unknown_topics: int


def judge(
    qrels: Qrels, runs: Iterable[Run], *, order: Order = "score", depth: int | None = None
) -> JudgedRankings:
    """Judge every ranking of every run; see `judge_loaded`."""
    loaders = (partial(list[Run], [run]) for run in runs)
    return judge_loaded(qrels, loaders, order=order, depth=depth)


def judge_loaded(
    qrels: Qrels | Callable[[], Qrels],
    loaders: Iterable[Callable[[], Sequence[Run]]],
    *,
    order: Order = "score",
    depth: int | None = None,
) -> JudgedRankings:
    """Load runs and judge every ranking of them, a few runs at a time.

    The qrels may be what loads them: that is then done beside the runs.

    `order` says what makes a ranking: `score` (highest first, ties by document name,
    descending and bytewise, as in trec_eval), `rank` (the run's own column, ties as
    before) or `file` (lines as they stand). `depth` cuts every ranking.
    """
    if order not in ORDERS:
        raise CallError(f"order {order!r} is not one of {', '.join(ORDERS)}.")
    if depth is not None and depth < 1:
        raise CallError(f"depth {depth} is not 1 or more.")
    ready: Future[Judgments] = Future()
    with ThreadPoolExecutor(1) as beside:
        if isinstance(qrels, Qrels):
            ready.set_result(Judgments(qrels).prepare())
        else:
            ready = beside.submit(lambda: Judgments(qrels()).prepare())

        def judge_next(load: Callable[[], Sequence[Run]]) -> list[tuple[Origin, JudgedRun]]:
            loaded = load()
            judgments = ready.result()
            return [(Origin.of(run), _judge_run(run, judgments, order, depth)) for run in loaded]

        try:
            judged = [one for some in map_in_threads(judge_next, loaders) for one in some]
        finally:
            judgments = ready.result()  # whatever is wrong with the qrels comes first
    if not judged:
        raise CallError("no run is given.")
    origins, parts = zip(*judged, strict=True)
    labels = distinct_names([(origin.name, origin.file) for origin in origins])
    notes = [*judgments.qrels.notes, *(note for origin in origins for note in origin.notes)]
    notes += _topic_notes(labels, parts, len(judgments.topics))
    width = len(judgments.topics)
    return JudgedRankings(
        runs=tuple(labels),
        topics=judgments.topics,
        ranking=np.concatenate([part.topic + width * at for at, part in enumerate(parts)]),
        rank=np.concatenate([part.rank for part in parts]),
        grade=np.concatenate([part.grade for part in parts]),
        tie_first=np.concatenate([part.tie_first for part in parts]),
        tie_last=np.concatenate([part.tie_last for part in parts]),
        length=np.concatenate([part.length for part in parts]),
        present=np.concatenate([part.present for part in parts]),
        topic=np.tile(np.arange(width), len(parts)),
        topic_grades=judgments.grades_by_topic,
        topic_start=judgments.topic_start,
        gains=judgments.qrels.gains,
        notes=tuple(notes),
    )


def _topic_notes(names: Sequence[str], parts: Sequence[JudgedRun], topics: int) -> list[str]:
    notes = []
    for name, part in zip(names, parts, strict=True):
        missing = topics - int(part.present.sum())
        if missing == topics:
            raise InputError(name, "has no topic in common with the qrels.")
        if missing:
            notes.append(f"{name}: {missing} of {topics} judged topics are missing from the run")
        if part.unknown_topics:
            notes.append(f"{name}: {part.unknown_topics} topics without judgments are ignored")
    return notes


def topic_order(names: Iterable[str]) -> list[str]:
    """Topics as people list them: by number where all are numbers, else by name.

    >>> topic_order(["10", "9", "007"])
    ['007', '9', '10']
    """
    names = list(names)
    numbers = all(name.isascii() and name.isdigit() for name in names)
    return sorted(names, key=lambda name: (int(name) if numbers else 0, name))


@dataclass(frozen=True)
class Judgments:
    """Qrels prepared for joining: keys sorted, and a bit table that most rows fail."""

    qrels: Qrels

    @cached_property
    def topics(self) -> tuple[str, ...]:
        return tuple(topic_order(set(self.qrels.stretches[1])))

    @cached_property
    def row_topic(self) -> Ints:
        lengths, _ = self.qrels.stretches
        return np.repeat(self.codes(self.qrels.stretches[1]), lengths)

    @cached_property
    def by_key(self) -> Ints:
        return np.argsort(self.qrels.keys)

    @cached_property
    def keys(self) -> npt.NDArray[np.uint64]:
        """Sorted, and one at the end that is greater than all."""
        return np.append(self.qrels.keys[self.by_key], np.uint64(2**64 - 1))

    @cached_property
    def shift(self) -> np.uint64:
        """How far a key is shifted to make the number of its bucket: 8 buckets a key."""
        return np.uint64(64 - min(max(len(self.keys) * 8, 1 << 12).bit_length(), 24))

    @cached_property
    def buckets(self) -> npt.NDArray[np.int32]:
        """Where the keys of each bucket start, for buckets that are filled."""
        starts = np.zeros(1 << (64 - int(self.shift)), np.int32)
        numbers = (self.keys >> self.shift).view(np.int64)
        places = np.arange(len(numbers), dtype=np.int32)
        starts[numbers[::-1]] = places[::-1]  # the last write wins, and that is the first key
        return starts

    @cached_property
    def filled(self) -> npt.NDArray[np.bool_]:
        """Which buckets hold a key: about one in eight."""
        filled = np.zeros(len(self.buckets), np.bool_)
        filled[(self.keys >> self.shift).view(np.int64)] = True
        return filled

    @cached_property
    def documents(self) -> pl.Series:
        return self.qrels.frame["document"].rechunk()

    @cached_property
    def grades(self) -> Ints:
        return self.qrels.frame["grade"].to_numpy().astype(np.int64)

    def prepare(self) -> "Judgments":
        """Make all that threads would else make twice."""
        _ = self.row_topic, self.filled, self.buckets, self.documents, self.grades
        _ = self.topic_start, self.grades_by_topic
        return self

    @cached_property
    def topic_start(self) -> Ints:
        counts = np.bincount(self.row_topic, minlength=len(self.topics))
        return np.concatenate([[0], np.cumsum(counts)])

    @cached_property
    def grades_by_topic(self) -> Ints:
        return self.grades[np.lexsort((-self.grades, self.row_topic))]

    def codes(self, names: Sequence[str]) -> Ints:
        """The number of each topic, -1 for those without judgments."""
        return np.array([self.code_of.get(name, -1) for name in names], np.int64)

    @cached_property
    def code_of(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.topics)}

    def find(self, run: Run) -> tuple[Ints, Ints]:
        """The rows of the run that are judged, and the rows of the qrels that judge them."""
        found = list(map_in_threads(partial(self._find_keys, run.keys), [r for _, r in run.pieces]))
        rows = np.concatenate([rows for rows, _ in found])
        judging = np.concatenate([judging for _, judging in found])
        if run.frame["document"].gather(rows).equals(self.documents.gather(judging)):
            return rows, judging
        return self._find_by_name(run)

    def _find_keys(
        self, keys: npt.NDArray[np.uint64], piece: slice
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        numbers = (keys[piece] >> self.shift).view(np.int64)
        rows = np.flatnonzero(self.filled[numbers])
        places = self.buckets[numbers[rows]].astype(np.int64)
        wanted = keys[piece][rows]
        while (before := self.keys[places] < wanted).any():
            places += before
        hits = (self.keys[places] == wanted) & (places < len(self.by_key))
        return rows[hits] + piece.start, self.by_key[places[hits]]

    def _find_by_name(self, run: Run) -> tuple[Ints, Ints]:
        """The same without keys: slower, for the day when two keys collide."""
        both = run.frame.with_row_index("row").join(
            self.qrels.frame.with_row_index("judging"), on=["topic", "document"]
        )
        return both["row"].to_numpy().astype(np.int64), both["judging"].to_numpy().astype(np.int64)


def _judge_run(run: Run, judgments: Judgments, order: Order, depth: int | None) -> JudgedRun:
    rows, judging = judgments.find(run)
    sorting = Sorting.of(run, judgments, order)
    first, last = sorting.ties(rows)
    place = sorting.places(rows)
    tied = last > first
    if tied.any():
        place[tied] = _places_by_name(run, sorting, first[tied], last[tied], rows[tied])
    topic = judgments.row_topic[judging]
    start = sorting.topic_start[topic]
    grade = judgments.grades[judging]
    rank = place - start + 1
    length = sorting.topic_length
    rows_by_rank = np.argsort((topic << 32) + rank, kind="stable")  # nearly sorted: fast
    if depth is not None:
        rows_by_rank = rows_by_rank[rank[rows_by_rank] <= depth]
        length = np.minimum(length, depth)
    return JudgedRun(
        topic=topic[rows_by_rank],
        rank=rank[rows_by_rank],
        grade=grade[rows_by_rank],
        tie_first=(first - start + 1)[rows_by_rank],
        tie_last=(last - start + 1)[rows_by_rank],
        length=length,
        present=sorting.topic_length > 0,
        unknown_topics=sorting.unknown_topics,
    )


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
        new[self.topic_start[self.topic_length > 0]] = True
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
