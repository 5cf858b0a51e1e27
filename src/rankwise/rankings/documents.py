"""Table of all retrieved documents, judged or not, with integer codes shared by all runs.

Most scores need only the ranks of judged documents. Overlaps of runs and judging plans also need to
know which runs retrieved the same unjudged documents. The table is built only if it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Ints, Shorts, stable_order
from rankwise.formats import texts_of
from rankwise.lazy import pl
from rankwise.native import kernel, release_memory
from rankwise.threads import map_in_threads

Whole: TypeAlias = npt.NDArray[np.integer[Any]]  # whole numbers of any size
BLOCK = 1 << 15  # number of rows sorted at once
SORTING = Lock()  # prevents threads from sorting the same rows twice


@dataclass(frozen=True, eq=False)
class NamesOfRuns:
    """Unjudged documents of one or several runs, each document once per topic.

    `topic` has the index of each document's topic, in the bytes of 32-bit integers. `names` has one
    name per line.
    """

    topic: bytes
    names: bytes

    @cached_property
    def document(self) -> pl.Series:
        return texts_of(self.names)


class CodedNames(NamedTuple):
    """Names of a run's unjudged documents, as their indices (`code`) in the list `of_runs`."""

    of_runs: NamesOfRuns
    code: Shorts


class UnjudgedOfRun(NamedTuple):
    """Unjudged documents of one run, in any order.

    `topic` has the index of each document's topic, `tie_first` and `tie_last` the first and last
    rank of its tie group. `names` is a column of names, the C kernel's text with one name per line,
    or `CodedNames`: indices in a list of names that several runs share. The columns of ranks may be
    empty (see `without_places`).
    """

    topic: Whole
    names: pl.Series | bytes | CodedNames
    rank: Whole
    tie_first: Whole
    tie_last: Whole

    @property
    def document(self) -> pl.Series:
        if isinstance(self.names, CodedNames):
            return self.names.of_runs.document.gather(self.names.code)
        return texts_of(self.names) if isinstance(self.names, bytes) else self.names

    def above(self, depth: int) -> UnjudgedOfRun:
        """Return the documents down to rank `depth`; all if `names` is not `CodedNames`."""
        if not isinstance(self.names, CodedNames) or self.rank.max(initial=0) <= depth:
            return self
        rows = np.flatnonzero(self.rank <= depth)
        names = self.names._replace(code=self.names.code[rows])
        places = _only((self.rank, self.tie_first, self.tie_last), rows)
        return UnjudgedOfRun(self.topic[rows], names, *places)

    def without_places(self) -> UnjudgedOfRun:
        """Drop the ranks, which are not needed to count distinct documents.

        If `names` is `CodedNames`, the indices of this run's documents are dropped too; the list of
        names that several runs share remains.
        """
        none = np.zeros(0, np.int64)
        if isinstance(self.names, CodedNames):
            names = self.names._replace(code=none.astype(np.int32))
            return UnjudgedOfRun(none, names, none, none, none)
        return UnjudgedOfRun(self.topic.astype(np.int32), self.names, none, none, none)

    def packed(self) -> UnjudgedOfRun:
        """Return the same documents, with columns of the smallest integer types that fit.

        Without ties, the three columns of ranks are the same array.
        """
        rank, first, last = map(_packed, (self.rank, self.tie_first, self.tie_last))
        ties = (first, last) if (first != last).any() else (rank, rank)
        return UnjudgedOfRun(_packed(self.topic), self.names, rank, *ties)

    @classmethod
    def joined(cls, parts: Sequence[UnjudgedOfRun]) -> UnjudgedOfRun:
        documents = pl.concat([part.document for part in parts])
        topic, rank, first, last = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("topic", "rank", "tie_first", "tie_last")
        )
        return cls(topic, documents, rank, first, last)


def _packed(column: Whole) -> Whole:
    return column.astype(np.min_scalar_type(int(column.max(initial=0))), copy=False)


def _only(columns: Iterable[Whole], rows: Ints) -> Iterator[Whole]:
    """Yield some rows of each column; columns that are the same array stay the same array."""
    columns = list(columns)
    distinct = {id(column): column for column in columns}
    picked = {key: column[rows] for key, column in distinct.items()}
    return (picked[id(column)] for column in columns)


class RowsByCode(NamedTuple):
    """Rows of a table of retrieved documents (`Retrieved`), sorted by `code` and by run."""

    run: Shorts
    topic: Shorts
    code: Shorts
    rank: Shorts
    tie_first: Shorts
    tie_last: Shorts

    def only(self, rows: slice | Ints) -> RowsByCode:
        return RowsByCode(*(column[rows] for column in self))


class RowsOfRun(NamedTuple):
    """Retrieved documents of one run, in any order.

    Columns may have small integer types. Without ties, `tie_first` and `tie_last` may be the same
    array as `rank`: see `UnjudgedOfRun.packed`.
    """

    run: int
    topic: Whole
    code: Whole
    rank: Whole
    tie_first: Whole
    tie_last: Whole

    def only(self, rows: Ints) -> RowsOfRun:
        return RowsOfRun(self.run, *_only(self[1:], rows))


def _by_code(parts: Sequence[RowsOfRun]) -> RowsByCode:
    """Return the rows of all runs sorted by code; rows of a code keep the order of the runs."""

    def column(name: str) -> Shorts:
        values = [getattr(part, name) for part in parts]
        return np.concatenate([np.zeros(0, np.int32), *values], dtype=np.int32, casting="unsafe")

    code = column("code")
    order = stable_order(code).astype(np.int32)
    run = np.repeat([part.run for part in parts], [len(part.code) for part in parts])
    return RowsByCode(
        run.astype(np.int32)[order],
        column("topic")[order],
        code[order],
        *(column(name)[order] for name in ("rank", "tie_first", "tie_last")),
    )


@dataclass(frozen=True, eq=False)
class Retrieved:
    """All documents of all rankings: one row per ranking and document, sorted by code and run.

    `run` and `topic` are indices; `rank`, `tie_first` and `tie_last` are as in JudgedRankings. Each
    document of a topic has an integer `code`, which is the same in all runs. Codes below
    `judgments` are those of judged documents: the index of the judgment, followed by codes of
    documents that `with_judged` added. All other codes are those of unjudged documents, sorted by
    topic and name (in a table of `unnamed`, only by topic). `names` has the name for each code,
    including judged documents that no run retrieved. A subset of the rows keeps all codes and
    names.

    The rows are stored run by run, and are sorted when a column is first used. `pieces`, `count`,
    `where`, `above`, `of_runs` and `distinct` do not sort. Columns have 32 bits, so arithmetic that
    could exceed them starts with `astype(np.int64)`.
    """

    names: pl.Series = field(repr=False)
    judgments: int
    rows: RowsByCode | tuple[RowsOfRun, ...] = field(repr=False)

    @property
    def by_code(self) -> RowsByCode:
        """All rows, sorted by code and by run; they are sorted once and then stored."""
        with SORTING:
            if not isinstance(self.rows, RowsByCode):
                object.__setattr__(self, "rows", _by_code(self.rows))
        assert isinstance(self.rows, RowsByCode)
        return self.rows

    @property
    def run(self) -> Shorts:
        return self.by_code.run

    @property
    def topic(self) -> Shorts:
        return self.by_code.topic

    @property
    def code(self) -> Shorts:
        return self.by_code.code

    @property
    def rank(self) -> Shorts:
        return self.by_code.rank

    @property
    def tie_first(self) -> Shorts:
        return self.by_code.tie_first

    @property
    def tie_last(self) -> Shorts:
        return self.by_code.tie_last

    @property
    def codes(self) -> int:
        """Number of documents with a code, including documents that are in none of the rows."""
        return len(self.names)

    @property
    def unjudged(self) -> Retrieved:
        """The table with only the rows of unjudged documents.

        No data is copied if the rows are sorted.
        """
        rows, first = self.rows, self.judgments
        if isinstance(rows, RowsByCode):
            # A 64-bit number would make NumPy copy the column.
            return self.only(slice(int(np.searchsorted(rows.code, np.int32(first))), None))
        parts = (part for part in rows if part.code.max(initial=-1) >= first)
        unjudged = (
            part if part.code.min() >= first else part.only(np.flatnonzero(part.code >= first))
            for part in parts
        )
        return replace(self, rows=tuple(unjudged))

    def pieces(self) -> Iterator[RowsByCode | RowsOfRun]:
        """Yield all rows in blocks, in any order; if a block is of one run, `run` is one number."""
        rows = self.rows
        if not isinstance(rows, RowsByCode):
            yield from rows
            return
        for start in range(0, len(rows.code), 2 * BLOCK):
            yield rows.only(slice(start, start + 2 * BLOCK))

    @property
    def count(self) -> int:
        """Number of rows, one per ranking and document."""
        return sum(len(piece.code) for piece in self.pieces())

    @property
    def has_ties(self) -> bool:
        """Whether at least one ranking has tied documents."""
        return any((piece.tie_first != piece.tie_last).any() for piece in self.pieces())

    def above(self, depth: int | Ints) -> Retrieved:
        """Return the table with only the ranks down to `depth`.

        `depth` is one number for all rankings, or an array of shape (runs, topics).
        """
        if isinstance(depth, int) and all(
            piece.rank.max(initial=0) <= depth for piece in self.pieces()
        ):
            return self
        if isinstance(depth, int):
            return self.where(lambda rows: rows.rank <= depth)
        return self.where(lambda rows: rows.rank <= depth[rows.run, rows.topic])

    def of_runs(self, wanted: Bools) -> Retrieved:
        """Return the table with only the rows of the `wanted` runs (a mask over runs).

        Indices of runs do not change.
        """
        rows = self.rows
        if wanted.all():
            return self
        if isinstance(rows, RowsByCode):
            return self.only(wanted[rows.run])
        return replace(self, rows=tuple(part for part in rows if wanted[part.run]))

    def where(self, wanted: Callable[[RowsByCode | RowsOfRun], Bools]) -> Retrieved:
        """Return the table with only the rows for which `wanted` is True.

        `wanted` is called once with all rows if these are sorted by code, otherwise once per run.
        """
        rows = self.rows
        if isinstance(rows, RowsByCode):
            return self.only(wanted(rows))
        return replace(self, rows=tuple(part.only(np.flatnonzero(wanted(part))) for part in rows))

    def only(self, rows: slice | Bools) -> Retrieved:
        """Return the table with only some rows, given as a slice or mask of the sorted rows."""
        # Indices are several times faster than a mask if few rows are selected.
        chosen = rows if isinstance(rows, slice) else np.flatnonzero(rows)
        return replace(self, rows=self.by_code.only(chosen))

    def with_judged(self, codes: Ints) -> Retrieved:
        """Return the table with the unjudged documents of these `codes` counted as judged.

        They get the codes after those of the judged documents.
        """
        moved = np.zeros(self.codes, np.bool_)
        moved[codes] = True
        old = np.arange(self.codes)
        order = np.lexsort((old, np.where(old < self.judgments, 0, np.where(moved, 1, 2))))
        code = np.empty(self.codes, np.int32)
        code[order] = old
        return replace(
            self,
            names=self.names.gather(order),
            judgments=self.judgments + len(codes),
            rows=self.recoded(code),
        )

    def recoded(self, code: Shorts) -> RowsByCode:
        """Return the rows with each code c replaced by `code[c]`, sorted by the new codes."""
        rows = self.by_code.only(np.lexsort((self.run, code[self.code])))
        return rows._replace(code=code[rows.code])

    def distinct(self, topics: int, *, unjudged: bool = False) -> Ints:
        """Return the number of distinct retrieved documents of each topic.

        With `unjudged`, only unjudged documents are counted.
        """
        first = self.judgments if unjudged else 0
        topic = np.full(self.codes, -1)
        for piece in self.pieces():
            if piece.code.max(initial=-1) >= first:  # most pieces are all judged or all unjudged
                topic[piece.code] = piece.topic
        topic = topic[first:]
        return np.bincount(topic[topic >= 0], minlength=topics)

    def ranking(self, topics: int) -> Ints:
        """Return the ranking index of each row (see JudgedRankings), given the number of topics."""
        return ranking_of(self.by_code, topics)

    @classmethod
    def of(
        cls, names: pl.Series, judged: Sequence[RowsOfRun], unjudged: list[UnjudgedOfRun]
    ) -> Retrieved:
        """Build the table from the judged rows and the unjudged documents of each run.

        `names` has the name of the document of each judgment. The list `unjudged` is emptied to
        free memory.
        """
        return cls._coded(names, Coding.of(unjudged), judged, unjudged)

    @classmethod
    def unnamed(cls, names: pl.Series, unjudged: Sequence[UnjudgedOfRun]) -> Retrieved:
        """Return the table of unjudged documents, about ten times as fast as `of`.

        The names of unjudged documents are null, and within a topic their codes are in any order.
        If the C kernel has not read all runs, the result is that of `of`.
        """
        texts = _texts(unjudged)
        found = None if texts is None else _numbered(texts, sort=False)
        if found is None:
            return cls.of(names, [], list(unjudged))
        counts, codes, _ = found
        coding = Coding(codes, pl.repeat(None, int(counts.sum()), dtype=pl.String, eager=True))
        return cls._coded(names, coding, [], list(unjudged))

    @classmethod
    def _coded(
        cls,
        names: pl.Series,
        coding: Coding,
        judged: Sequence[RowsOfRun],
        unjudged: list[UnjudgedOfRun],
    ) -> Retrieved:
        unjudged.reverse()
        rows = list(judged)
        for number in range(len(unjudged)):
            run = unjudged.pop().packed()
            code = coding.codes_of(run)
            code += np.int32(len(names))
            rows.append(RowsOfRun(number, run.topic, code, run.rank, run.tie_first, run.tie_last))
        release_memory()  # frees the names, which are as large as a column
        return cls(pl.concat([names, coding.names]), len(names), tuple(rows))


def ranking_of(rows: RowsByCode | RowsOfRun, topics: int) -> Ints:
    """Return the ranking index of each row, given the number of topics."""
    # Columns may have 8 bits: NumPy 1 would add a number to them in 8 bits.
    topic: Ints = rows.topic.astype(np.int64)
    return topic + np.asarray(rows.run, np.int64) * topics


def code_names(runs: Sequence[UnjudgedOfRun]) -> list[UnjudgedOfRun]:
    """Replace the names of unjudged documents by indices in a list that the runs share.

    This frees the text of each run. Without the kernel, or if the kernel has not read all of the
    runs, the runs are returned unchanged.
    """
    texts = _texts(runs)
    found = _numbered(texts, sort=False) if texts else None
    if found is None:
        return list(runs)
    counts, codes, names = found
    topic = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    of_runs = NamesOfRuns(topic.tobytes(), names)
    return [run.packed()._replace(names=CodedNames(of_runs, codes[id(run.names)])) for run in runs]


def _texts(runs: Sequence[UnjudgedOfRun]) -> dict[int, NamesOfRuns] | None:
    """Return the lists of names of these runs, or None if the kernel has not read all runs.

    The key of a list is the `id` of the kernel's text or, for `CodedNames`, of the shared list.
    """
    texts: dict[int, NamesOfRuns] = {}
    for run in runs:
        if isinstance(run.names, CodedNames):
            texts[id(run.names.of_runs)] = run.names.of_runs
        elif isinstance(run.names, bytes):
            texts[id(run.names)] = NamesOfRuns(run.topic.astype(np.int32).tobytes(), run.names)
        else:
            return None
    return texts


def _numbered(
    texts: Mapping[int, NamesOfRuns], *, sort: bool
) -> tuple[Shorts, dict[int, Shorts], bytes] | None:
    """Number the distinct names in all lists, topic by topic; with `sort`, in order of name.

    Return the number of distinct names per topic, the numbers of the names in each list, and the
    distinct names. Return None if the kernel is missing or declines the lists.
    """
    native, lists = kernel(), [(text.topic, text.names) for text in texts.values()]
    topics = int(max((np.frombuffer(of, np.int32).max(initial=-1) for of, _ in lists), default=-1))
    found = None if native is None else native.number_names(lists, topics + 1, sort)
    if found is None:
        return None
    counts, numbers, names = found
    codes = [np.frombuffer(column, np.int32) for column in numbers]
    return np.frombuffer(counts, np.int32), dict(zip(texts, codes, strict=True)), names


def in_some_top(runs: Sequence[UnjudgedOfRun], top: int) -> list[UnjudgedOfRun]:
    """Keep only documents that are in the top `top` of at least one run, in all runs."""
    # The kernel counts topics in 32 bits, the Python reader in 64.
    topics = [run.topic.astype(np.int64, copy=False) for run in runs]
    frames = [
        pl.DataFrame({"topic": topic, "document": run.document})
        for topic, run in zip(topics, runs, strict=True)
    ]
    first = [frame.filter(run.rank <= top) for frame, run in zip(frames, runs, strict=True)]
    wanted, found = pl.concat(first).unique(), []
    for frame, run in zip(frames, runs, strict=True):
        both = frame.with_row_index("row").join(wanted, on=["topic", "document"], how="semi")
        rows = both["row"].to_numpy()
        places = (column[rows] for column in (run.rank, run.tie_first, run.tie_last))
        found.append(UnjudgedOfRun(run.topic[rows], both["document"], *places))
    return found


def distinct_by_topic(runs: Sequence[UnjudgedOfRun], topics: int) -> Ints:
    """Return the number of distinct documents of each topic, over all runs.

    This is ten times as fast as `Retrieved.of`, which also sorts and numbers the documents.
    """
    native, texts = kernel(), _texts(runs)
    counts = None
    if native is not None and texts is not None:
        lists = [(text.topic, text.names) for text in texts.values()]
        counts = native.distinct_names(lists, topics)
    if counts is not None:
        return np.frombuffer(counts, np.int32).astype(np.int64)
    columns = []
    for run in runs:
        topic, document = run.topic, run.document
        if isinstance(run.names, CodedNames):  # with all runs that were coded with it
            topic = np.frombuffer(run.names.of_runs.topic, np.int32)
            document = run.names.of_runs.document
        columns.append(pl.DataFrame({"topic": topic.astype(np.int64), "document": document}))
    each = pl.concat(columns).group_by("topic").agg(pl.col("document").n_unique())
    found = np.zeros(topics, np.int64)
    found[each["topic"].to_numpy()] = each["document"].to_numpy()
    return found


class Coding(NamedTuple):
    """Codes of unjudged documents: integers from 0 in the order of topic and document name.

    `names[code]` is the document's name. `codes` has the codes of each run's documents. Its keys
    are the `id` of the run's `names` or, for `CodedNames`, of the shared list.
    """

    codes: Mapping[int, Shorts]
    names: pl.Series

    @classmethod
    def of(cls, runs: Sequence[UnjudgedOfRun]) -> Coding:
        texts = _texts(runs)
        found = None if texts is None else _numbered(texts, sort=True)
        if found is not None:
            return cls(found[1], texts_of(found[2]))
        by_name, code, distinct = _by_name(runs)
        codes = np.empty_like(code)
        codes[by_name] = code
        ends = np.cumsum([len(run.topic) for run in runs])[:-1]
        names = (id(run.names) for run in runs)
        return cls(dict(zip(names, np.split(codes, ends), strict=True)), distinct)

    def codes_of(self, run: UnjudgedOfRun) -> Shorts:
        """Return the codes of a run's documents, as a new array."""
        if isinstance(run.names, CodedNames) and id(run.names.of_runs) in self.codes:
            return self.codes[id(run.names.of_runs)][run.names.code]
        return self.codes[id(run.names)].copy()


def _by_name(runs: Sequence[UnjudgedOfRun]) -> tuple[Ints, Shorts, pl.Series]:
    """Return the row indices sorted by topic and name, the code of each, and the name of each code.

    A few topics are sorted at a time, so that their names stay in the processor's cache.
    """
    names = pl.concat([run.document for run in runs])
    topic = np.concatenate([run.topic for run in runs], dtype=np.int32)
    by_topic = stable_order(topic)  # rows of a topic keep the order of the runs
    topic = topic[by_topic]

    def arrange(rows: slice) -> tuple[Ints, Bools, pl.Series]:
        """Return sorted rows, a mask of the first row of each name, and the distinct names."""
        # Names are compared, not hashes: an Enum gives equal names the same number.
        here = names.gather(by_topic[rows])
        distinct = here.unique().sort()
        name = here.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.int64)
        key = topic[rows].astype(np.int64) * max(1, len(distinct)) + name
        order = np.argsort(key, kind="stable")
        new = np.ones(len(key), np.bool_)
        new[1:] = np.diff(key[order]) != 0
        return by_topic[rows][order], new, distinct.gather(name[order][new])

    blocks = [rows for _, rows in blocks_of_topics(topic, BLOCK)]
    orders, news, distinct = zip(*map_in_threads(arrange, blocks), strict=True)
    code = np.cumsum(np.concatenate(news), dtype=np.int32) - np.int32(1)
    return np.concatenate(orders), code, pl.concat(distinct)


def blocks_of_topics(
    topic: Ints | Shorts, rows: int, topics: int | None = None
) -> Iterator[tuple[slice, slice]]:
    """Yield blocks of complete topics from rows sorted by topic, as slices of topics and of rows.

    A block has at most `rows` rows and `topics` topics, but always at least one topic. At least one
    block is yielded.
    """
    starts = np.searchsorted(topic, np.arange(topic.max(initial=0) + 2))
    start, last = 0, len(starts) - 1
    while start < last:
        fitting = int(np.searchsorted(starts, starts[start] + rows, "right")) - 1
        stop = max(start + 1, fitting if topics is None else min(fitting, start + topics))
        yield slice(start, stop), slice(int(starts[start]), int(starts[stop]))
        start = stop
