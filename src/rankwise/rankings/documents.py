"""All retrieved documents, judged or not, each with a code that the runs share.

Scores need only the ranks of judged documents. Overlaps of runs and judging plans need the
identity of the documents; this table is built only for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankwise.arrays import Bools, Ints, Shorts, stable_order
from rankwise.formats import texts_of
from rankwise.lazy import pl
from rankwise.native import kernel, release_memory
from rankwise.threads import map_in_threads

ROW_COLUMNS = ("run", "topic", "code", "rank", "tie_first", "tie_last")
BLOCK = 1 << 15  # rows that are put in order at a time


@dataclass(frozen=True, eq=False)
class NamesOfRuns:
    """Distinct unjudged documents of some runs: topics, as 32-bit numbers, and a name per line."""

    topic: bytes
    names: bytes

    @cached_property
    def document(self) -> pl.Series:
        return texts_of(self.names)


class CodedNames(NamedTuple):
    """Names of a run's unjudged documents, as codes of those of several runs."""

    of_runs: NamesOfRuns
    code: Shorts


class UnjudgedOfRun(NamedTuple):
    """Unjudged documents of one run, in any order.

    `names` is a column, the kernel's text with one name per line, or codes.
    """

    topic: Ints | Shorts
    names: pl.Series | bytes | CodedNames
    rank: Ints | Shorts
    tie_first: Ints | Shorts
    tie_last: Ints | Shorts

    @property
    def document(self) -> pl.Series:
        if isinstance(self.names, CodedNames):
            return self.names.of_runs.document.gather(self.names.code)
        return texts_of(self.names) if isinstance(self.names, bytes) else self.names

    def above(self, depth: int) -> UnjudgedOfRun:
        """Return the documents down to a depth, if their names are coded."""
        if not isinstance(self.names, CodedNames) or self.rank.max(initial=0) <= depth:
            return self
        rows = np.flatnonzero(self.rank <= depth)
        names = self.names._replace(code=self.names.code[rows])
        places = (column[rows] for column in (self.rank, self.tie_first, self.tie_last))
        return UnjudgedOfRun(self.topic[rows], names, *places)

    def without_places(self) -> UnjudgedOfRun:
        """Keep only topics and names, which suffices for counting and takes less memory."""
        none = np.zeros(0, np.int64)
        if isinstance(self.names, CodedNames):
            names = self.names._replace(code=none.astype(np.int32))
            return UnjudgedOfRun(none, names, none, none, none)
        return UnjudgedOfRun(self.topic.astype(np.int32), self.names, none, none, none)

    @classmethod
    def joined(cls, parts: Sequence[UnjudgedOfRun]) -> UnjudgedOfRun:
        documents = pl.concat([part.document for part in parts])
        topic, rank, first, last = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("topic", "rank", "tie_first", "tie_last")
        )
        return cls(topic, documents, rank, first, last)


@dataclass(frozen=True, eq=False)
class Retrieved:
    """All documents of all rankings, one row each, sorted by code, then run.

    `run` and `topic` are numbers; `rank`, `tie_first` and `tie_last` are as in
    JudgedRankings. A document of a topic has one `code` in all runs: if it is judged the
    number of its judgment, which is below `judgments`, and from there on in order of topic
    and name. `names` has the name for each code, also for those judged documents that no
    run retrieved. A part of the rows has the codes and names of the whole.

    The columns are the largest thing in memory, a row for each line of each run: they have 32
    bits. Arithmetic that could exceed them starts with `astype(np.int64)`.
    """

    run: Shorts = field(repr=False)
    topic: Shorts = field(repr=False)
    code: Shorts = field(repr=False)
    rank: Shorts = field(repr=False)
    tie_first: Shorts = field(repr=False)
    tie_last: Shorts = field(repr=False)
    names: pl.Series = field(repr=False)
    judgments: int

    @property
    def codes(self) -> int:
        """Number of document codes, over all topics."""
        return len(self.names)

    @property
    def unjudged(self) -> Retrieved:
        """Rows of unjudged documents. They are the last rows, so nothing is copied."""
        first = np.int32(self.judgments)  # a number of 64 bits would have the column copied
        return self.only(slice(int(np.searchsorted(self.code, first)), None))

    def above(self, depth: int) -> Retrieved:
        """Return the rows down to this depth."""
        return self if self.rank.max(initial=0) <= depth else self.only(self.rank <= depth)

    def only(self, rows: slice | Bools) -> Retrieved:
        """Return a subset of the rows."""
        # By number is several times faster than by mask, where few rows are kept.
        chosen = rows if isinstance(rows, slice) else np.flatnonzero(rows)
        return replace(self, **{name: getattr(self, name)[chosen] for name in ROW_COLUMNS})

    def with_judged(self, codes: Ints) -> Retrieved:
        """Return the table with these unjudged documents counted as judged."""
        moved = np.zeros(self.codes, np.bool_)
        moved[codes] = True
        old = np.arange(self.codes)
        order = np.lexsort((old, np.where(old < self.judgments, 0, np.where(moved, 1, 2))))
        code = np.empty(self.codes, np.int32)
        code[order] = old
        rows = np.lexsort((self.run, code[self.code]))
        columns = {name: getattr(self, name)[rows] for name in ROW_COLUMNS}
        columns["code"] = code[columns["code"]]
        names = self.names.gather(order)
        return replace(self, names=names, judgments=self.judgments + len(codes), **columns)

    def distinct(self, topics: int) -> Ints:
        """Count the distinct documents of each topic, over all runs."""
        new = np.ones(len(self.code), np.bool_)
        new[1:] = self.code[1:] != self.code[:-1]
        return np.bincount(self.topic[new], minlength=topics)

    def ranking(self, topics: int) -> Ints:
        """Number of each row's ranking, given the number of topics; see JudgedRankings."""
        found = self.run.astype(np.int64)
        found *= topics
        found += self.topic
        return found

    @classmethod
    def of(
        cls, names: pl.Series, judged: Mapping[str, Ints], unjudged: list[UnjudgedOfRun]
    ) -> Retrieved:
        """Build the table from the judged rows, run by run, and each run's unjudged documents.

        `names` has the names of the judged documents, by the number of the judgment. The list of
        `unjudged` documents is emptied on the way, to free memory.
        """
        codes, more = _codes(unjudged)
        return cls._filled(names, more, judged, unjudged, codes)

    @classmethod
    def unnamed(cls, names: pl.Series, unjudged: Sequence[UnjudgedOfRun], topics: int) -> Retrieved:
        """The same where no document is judged and nobody asks for names, which are null.

        Within a topic the codes of the documents are in any order. It takes a tenth of the time.
        """
        judged = dict.fromkeys(ROW_COLUMNS, np.zeros(0, np.int64))
        numbered = _numbers(unjudged, topics)
        if numbered is None:
            return cls.of(names, judged, list(unjudged))
        count, numbers = numbered
        offset = np.cumsum(count) - count
        codes = [offset[run.topic] + number for run, number in zip(unjudged, numbers, strict=True)]
        unnamed = pl.repeat(None, int(count.sum()), dtype=pl.String, eager=True)
        return cls._filled(names, unnamed, judged, list(unjudged), codes)

    @classmethod
    def _filled(
        cls,
        names: pl.Series,
        more: pl.Series,
        judged: Mapping[str, Ints],
        unjudged: list[UnjudgedOfRun],
        codes: Sequence[Ints | Shorts],
    ) -> Retrieved:
        """Fill the columns; `codes` are those of unjudged documents, whose names are in `more`."""
        before = len(judged["code"])
        size = before + sum(map(len, codes))
        order = stable_order(judged["code"]).astype(np.int32)  # runs stay in order
        release_memory()  # of names, which are as large as a column
        # Numbers of 32 bits in the columns: what takes long is to fetch memory.
        columns: dict[str, Any] = {name: np.empty(size, np.int32) for name in ROW_COLUMNS}
        for name, column in columns.items():
            column[:before] = judged[name][order]
        del order
        # The rows of a code stand together, its runs in order.
        times, topic = np.zeros(len(more), np.int32), np.zeros(len(more), np.int32)
        for run, code in zip(unjudged, codes, strict=True):
            times[code] += 1
            topic[code] = run.topic
        coded = np.arange(len(names), len(names) + len(more), dtype=np.int32)
        columns["code"][before:] = np.repeat(coded, times)
        columns["topic"][before:] = np.repeat(topic, times)
        place = before + np.cumsum(times, dtype=np.int64)
        place -= times
        unjudged.reverse()
        for number, code in enumerate(codes):
            run = unjudged.pop()
            at = place[code]
            place[code] = at + 1
            columns["run"][at] = number
            columns["rank"][at] = run.rank
            columns["tie_first"][at] = run.tie_first
            columns["tie_last"][at] = run.tie_last
        return cls(names=pl.concat([names, more]), judgments=len(names), **columns)


def code_names(runs: Sequence[UnjudgedOfRun]) -> list[UnjudgedOfRun]:
    """Code the names of some runs, so that their text need not be kept.

    The runs are returned as they are without the kernel, or if it has not read all of them.
    """
    texts = [run.names for run in runs if isinstance(run.names, bytes)]
    topics = [run.topic.astype(np.int32).tobytes() for run in runs]
    found = None
    if runs and len(texts) == len(runs):
        found = _ordered(map(NamesOfRuns, topics, texts))
    if found is None:
        return list(runs)
    order, code, names = found
    topic = np.frombuffer(b"".join(topics), np.int32)
    distinct = np.flatnonzero(np.diff(code, prepend=-1))
    of_runs = NamesOfRuns(topic[order[distinct]].tobytes(), names)
    codes = np.empty_like(code)
    codes[order] = code
    ends = np.cumsum([len(run.topic) for run in runs])[:-1]
    return [
        run._replace(names=CodedNames(of_runs, part.copy()))
        for run, part in zip(runs, np.split(codes, ends), strict=True)
    ]


def _texts(runs: Sequence[UnjudgedOfRun]) -> dict[int, NamesOfRuns] | None:
    """Return the names that the kernel has read, by `id`; None if it has not read all of them."""
    texts: dict[int, NamesOfRuns] = {}
    for run in runs:
        if isinstance(run.names, CodedNames):
            texts[id(run.names.of_runs)] = run.names.of_runs
        elif isinstance(run.names, bytes):
            texts[id(run.names)] = NamesOfRuns(run.topic.astype(np.int32).tobytes(), run.names)
        else:
            return None
    return texts


def _ordered(texts: Iterable[NamesOfRuns]) -> tuple[Shorts, Shorts, bytes] | None:
    """Return rows by topic and name, the number of each one's name, and the distinct names."""
    native, lists = kernel(), [(text.topic, text.names) for text in texts]
    topics = [np.frombuffer(topic, np.int32).max(initial=-1) + 1 for topic, _ in lists]
    found = None if native is None else native.ordered_names(lists, int(max(topics, default=0)))
    if found is None:
        return None
    order, code = (np.frombuffer(column, np.int32) for column in found[:2])
    return order, code, found[2]


def _numbers(runs: Sequence[UnjudgedOfRun], topics: int) -> tuple[Ints, list[Shorts]] | None:
    """Number the names of each topic by the kernel: how many there are, and those of each run.

    None where the kernel has not read them, or is not there.
    """
    native = kernel()
    read = [(run.topic, run.names) for run in runs if isinstance(run.names, bytes)]
    if native is None or len(read) < len(runs):
        return None
    texts = [(topic.astype(np.int32).tobytes(), names) for topic, names in read]
    found = native.number_names(texts, topics)
    if found is None:
        return None
    count, numbers = found
    return np.frombuffer(count, np.int32).astype(np.int64), [
        np.frombuffer(number, np.int32) for number in numbers
    ]


def in_some_top(runs: Sequence[UnjudgedOfRun], top: int) -> list[UnjudgedOfRun]:
    """Keep only documents in the top `top` of at least one run, at all of their ranks."""
    frames = [pl.DataFrame({"topic": run.topic, "document": run.document}) for run in runs]
    first = [frame.filter(run.rank <= top) for frame, run in zip(frames, runs, strict=True)]
    wanted, found = pl.concat(first).unique(), []
    for frame, run in zip(frames, runs, strict=True):
        both = frame.with_row_index("row").join(wanted, on=["topic", "document"], how="semi")
        rows = both["row"].to_numpy()
        places = (column[rows] for column in (run.rank, run.tie_first, run.tie_last))
        found.append(UnjudgedOfRun(run.topic[rows], both["document"], *places))
    return found


def distinct_by_topic(runs: Sequence[UnjudgedOfRun], topics: int) -> Ints:
    """Count the distinct documents of each topic, over all runs.

    Ten times as fast as `Retrieved.of`, which also sorts the documents and numbers them.
    """
    native, texts = kernel(), _texts(runs)
    counts = None
    if native is not None and texts is not None:
        lists = [(text.topic, text.names) for text in texts.values()]
        counts = native.distinct_names(lists, topics)
    if counts is not None:
        return np.frombuffer(counts, np.int32).astype(np.int64)
    columns = [_names_by_topic(run) for run in runs]
    each = pl.concat(columns).group_by("topic").agg(pl.col("document").n_unique())
    found = np.zeros(topics, np.int64)
    found[each["topic"].to_numpy()] = each["document"].to_numpy()
    return found


def _names_by_topic(run: UnjudgedOfRun) -> pl.DataFrame:
    """Return the topics and names of a run or, if they are coded, of all runs coded with it."""
    if not isinstance(run.names, CodedNames):
        return pl.DataFrame({"topic": run.topic.astype(np.int64), "document": run.document})
    topic = np.frombuffer(run.names.of_runs.topic, np.int32).astype(np.int64)
    return pl.DataFrame({"topic": topic, "document": run.names.of_runs.document})


def _codes(runs: Sequence[UnjudgedOfRun]) -> tuple[list[Shorts], pl.Series]:
    """Return the codes of each run's documents, in order of topic and name, and the names."""
    texts = _texts(runs)
    found = None if texts is None else _ordered(texts.values())
    if texts is None or found is None:
        by_name, code, distinct = _by_name(runs)
        codes = np.empty_like(code)
        codes[by_name] = code
        return np.split(codes, np.cumsum([len(run.topic) for run in runs])[:-1]), distinct
    order, code, names = found
    codes = np.empty_like(code)
    codes[order] = code
    size = [len(text.topic) // code.itemsize for text in texts.values()]
    of_texts = dict(zip(texts, np.split(codes, np.cumsum(size)[:-1]), strict=True))
    of_runs = [
        of_texts[id(run.names.of_runs)][run.names.code]
        if isinstance(run.names, CodedNames)
        else of_texts[id(run.names)]
        for run in runs
    ]
    return of_runs, texts_of(names)


def _by_name(runs: Sequence[UnjudgedOfRun]) -> tuple[Ints, Shorts, pl.Series]:
    """Return the order of rows by topic and name, the number of each one's name, and the names.

    Sorts a few topics at a time, so that their names stay in the cache.
    """
    names = pl.concat([run.document for run in runs])
    topic = np.concatenate([run.topic for run in runs], dtype=np.int32)
    by_topic = stable_order(topic)  # runs stay in order
    topic = topic[by_topic]

    def arrange(rows: slice) -> tuple[Ints, Bools, pl.Series]:
        return _arranged(by_topic[rows], topic[rows], names)

    blocks = [rows for _, rows in blocks_of_topics(topic, BLOCK)]
    orders, news, distinct = zip(*map_in_threads(arrange, blocks), strict=True)
    code = np.cumsum(np.concatenate(news), dtype=np.int32) - np.int32(1)
    return np.concatenate(orders), code, pl.concat(distinct)


def _arranged(rows: Ints, topic: Shorts, names: pl.Series) -> tuple[Ints, Bools, pl.Series]:
    """Sort rows, already sorted by topic, by name; return a mask of new names, and the names."""
    # Names are compared, not hashes of them: an Enum numbers what is equal alike.
    here = names.gather(rows)
    distinct = here.unique().sort()
    name = here.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.int64)
    key = topic.astype(np.int64) * max(1, len(distinct)) + name
    order = np.argsort(key, kind="stable")
    new = np.ones(len(key), np.bool_)
    new[1:] = np.diff(key[order]) != 0
    return rows[order], new, distinct.gather(name[order][new])


def blocks_of_topics(
    topic: Ints | Shorts, rows: int, topics: int | None = None
) -> Iterator[tuple[slice, slice]]:
    """Yield blocks of complete topics from rows sorted by topic: the topics, and their rows.

    A block has as many topics as `rows` and `topics` allow, and at least one. There is always a
    block.
    """
    starts = np.searchsorted(topic, np.arange(topic.max(initial=0) + 2))
    start, last = 0, len(starts) - 1
    while start < last:
        fitting = int(np.searchsorted(starts, starts[start] + rows, "right")) - 1
        stop = max(start + 1, fitting if topics is None else min(fitting, start + topics))
        yield slice(start, stop), slice(int(starts[start]), int(starts[stop]))
        start = stop
