"""All retrieved documents, judged or not, each with a code that the runs share.

Scores need only the ranks of judged documents. Overlaps of runs and judging plans need the
identity of the documents; this table is built only for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rankwise.arrays import Bools, Ints, Shorts, stable_order
from rankwise.formats import texts_of
from rankwise.lazy import pl
from rankwise.native import kernel
from rankwise.threads import map_in_threads

ROW_COLUMNS = ("run", "topic", "code", "rank", "tie_first", "tie_last")
BLOCK = 1 << 15  # rows that are put in order at a time


class UnjudgedOfRun(NamedTuple):
    """Unjudged documents of one run, in any order.

    `names` is a column, or the kernel's text with one name per line.
    """

    topic: Ints | Shorts
    names: pl.Series | bytes
    rank: Ints | Shorts
    tie_first: Ints | Shorts
    tie_last: Ints | Shorts

    @property
    def document(self) -> pl.Series:
        return texts_of(self.names) if isinstance(self.names, bytes) else self.names

    def without_places(self) -> UnjudgedOfRun:
        """Keep only topics and names, which suffices for counting and takes less memory."""
        none = np.zeros(0, np.int64)
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
        cls, names: pl.Series, judged: Mapping[str, Ints], unjudged: Sequence[UnjudgedOfRun]
    ) -> Retrieved:
        """Build the table from the judged rows, run by run, and each run's unjudged documents.

        `names` has the names of the judged documents, by the number of the judgment.
        """
        more, others = _coded(unjudged, len(names))
        order = stable_order(judged["code"])  # runs stay in order
        columns = {
            name: np.concatenate([judged[name][order], others.pop(name)], dtype=np.int32)
            for name in ROW_COLUMNS
        }
        return cls(names=pl.concat([names, more]), judgments=len(names), **columns)

    @classmethod
    def unnamed(cls, names: pl.Series, unjudged: Sequence[UnjudgedOfRun], topics: int) -> Retrieved:
        """The same where no document is judged and nobody asks for names, which are null.

        Within a topic the codes of the documents are in any order. It takes a tenth of the time.
        """
        numbered = _numbers(unjudged, topics)
        none = np.zeros(0, np.int64)
        if numbered is None:
            return cls.of(names, dict.fromkeys(ROW_COLUMNS, none), unjudged)
        count, numbers = numbered
        size, distinct = sum(map(len, numbers)), len(names) + int(count.sum())
        offset = len(names) + np.cumsum(count) - count
        codes = [offset[run.topic] + number for run, number in zip(unjudged, numbers, strict=True)]
        # The rows of a code stand together, its runs in order.
        times = np.zeros(distinct, np.int32)
        for code in codes:
            times[code] += 1
        place = np.cumsum(times, dtype=np.int64)
        place -= times
        # Numbers of 32 bits in the columns: what takes long is to fetch memory.
        columns: dict[str, Any] = {name: np.empty(size, np.int32) for name in ROW_COLUMNS}
        for number, (run, code) in enumerate(zip(unjudged, codes, strict=True)):
            at = place[code]
            place[code] += 1
            values = (number, run.topic, code, run.rank, run.tie_first, run.tie_last)
            for column, value in zip(columns.values(), values, strict=True):
                column[at] = value
        unnamed = pl.repeat(None, distinct - len(names), dtype=pl.String, eager=True)
        return cls(names=pl.concat([names, unnamed]), judgments=len(names), **columns)


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
    native = kernel()
    read = [(run.topic, run.names) for run in runs if isinstance(run.names, bytes)]
    if native is not None and len(read) == len(runs):
        texts = ((topic.astype(np.int32).tobytes(), names) for topic, names in read)
        counts = native.distinct_names(texts, topics)
        if counts is not None:
            return np.frombuffer(counts, np.int32).astype(np.int64)
    columns = [pl.DataFrame({"topic": run.topic, "document": run.document}) for run in runs]
    each = pl.concat(columns).group_by("topic").agg(pl.col("document").n_unique())
    found = np.zeros(topics, np.int64)
    found[each["topic"].to_numpy()] = each["document"].to_numpy()
    return found


def _coded(runs: Sequence[UnjudgedOfRun], first: int) -> tuple[pl.Series, dict[str, Shorts]]:
    """Return the unjudged documents' names, by topic and name, and their rows, coded from
    `first`.
    """

    def column(name: str) -> Shorts:
        return np.concatenate([getattr(run, name) for run in runs], dtype=np.int32)

    topic = column("topic")
    order, code, names = _by_name_natively(runs, topic) or _by_name(runs, topic)
    size = [len(run.topic) for run in runs]
    rows = {
        "run": np.repeat(np.arange(len(runs), dtype=np.int32), size)[order],
        "code": code + np.int32(first),
        "topic": topic[order],
    }
    rows |= {name: column(name)[order] for name in ("rank", "tie_first", "tie_last")}
    return names, rows


def _by_name_natively(
    runs: Sequence[UnjudgedOfRun], topic: Shorts
) -> tuple[Shorts, Shorts, pl.Series] | None:
    """As `_by_name`; None without the kernel, or where it does not have the names."""
    native = kernel()
    texts = [(run.topic, run.names) for run in runs if isinstance(run.names, bytes)]
    if native is None or len(texts) < len(runs):
        return None
    lists = ((topics.astype(np.int32).tobytes(), names) for topics, names in texts)
    found = native.ordered_names(lists, int(topic.max(initial=-1)) + 1)
    if found is None:
        return None
    order, code = (np.frombuffer(column, np.int32) for column in found[:2])
    return order, code, texts_of(found[2])


def _by_name(runs: Sequence[UnjudgedOfRun], topic: Shorts) -> tuple[Ints, Shorts, pl.Series]:
    """The order of rows by topic and name; the number of each name, and these names.

    Sorts a few topics at a time, so that their names stay in the cache.
    """
    names = pl.concat([run.document for run in runs])
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
