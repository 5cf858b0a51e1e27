"""Judgments made ready to meet runs.

The kernel has a hash table for each topic (native/kernel.c); `KeyTable` is its twin in Python,
which takes every run there is. There a run is never joined as text: rows carry a 64-bit key of
topic and document; a table of buckets throws out most rows that are not judged, the keys of a
bucket settle the rest, and the names of what matched are compared at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Ints
from rankwise.lazy import pl
from rankwise.native import kernel
from rankwise.native.feeding import JudgmentText, finished
from rankwise.rankings.judged import OfTopics
from rankwise.rankings.rows import Qrels, Run
from rankwise.threads import map_in_threads

if TYPE_CHECKING:
    from rankwise.native._kernel import Lookup

Keys: TypeAlias = npt.NDArray[np.uint64]
HALF = np.uint64(32)  # bits of a key: its upper half says which bucket it is in


def topic_order(names: Iterable[str]) -> list[str]:
    """Topics as people list them: by number where all are numbers, else by name.

    >>> topic_order(["10", "9", "007"])
    ['007', '9', '10']
    """
    ordered = sorted(names)
    if all(name.isascii() and name.isdigit() for name in ordered):
        ordered.sort(key=int)  # of equal numbers, as 007 and 7, the names stay in order
    return ordered


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judgments in columns, a row for each, numbered as in the qrels.

    `read` gives them by name, for runs that the kernel does not take; `text` is what the
    kernel made of them, where it read them. Several threads may ask at once.
    """

    topics: tuple[str, ...]  # in the order in which people list them
    row_topic: Ints = field(repr=False)
    grades: Ints = field(repr=False)
    read: Callable[[], Qrels] = field(repr=False)
    gains: Mapping[int, float] | None = None
    notes: tuple[str, ...] = ()
    text: JudgmentText | None = field(default=None, repr=False)
    _lock: RLock = field(default_factory=RLock, init=False, repr=False)
    _of_runs: dict[int, OfTopics] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, qrels: Qrels) -> Judgments:
        lengths, names = qrels.stretches
        topics = tuple(topic_order(set(names)))
        number = {name: at for at, name in enumerate(topics)}
        row_topic = np.repeat(np.array([number[name] for name in names], np.int64), lengths)
        grades = qrels.frame["grade"].to_numpy().astype(np.int64)
        return cls(topics, row_topic, grades, lambda: qrels, qrels.gains, qrels.notes)

    @classmethod
    def of_text(cls, text: JudgmentText, read: Callable[[], Qrels]) -> Judgments:
        topics = tuple(topic_order(text.topics))
        number = {name: at for at, name in enumerate(topics)}
        code = np.array([number[name] for name in text.topics], np.int64)
        return cls(topics, code[text.row_topic], text.grade, read, text=text)

    @cached_property
    def topic_start(self) -> Ints:
        counts = np.bincount(self.row_topic, minlength=len(self.topics))
        return np.concatenate([[0], np.cumsum(counts)])

    @cached_property
    def by_topic(self) -> Ints:
        """The rows of the qrels by topic, highest grade first: the order of the judgments."""
        return np.lexsort((-self.grades, self.row_topic))

    @cached_property
    def number(self) -> Ints:
        """The number of the judgment in each row of the qrels, in that order."""
        number = np.empty_like(self.by_topic)
        number[self.by_topic] = np.arange(len(number))
        return number

    @cached_property
    def grades_by_topic(self) -> Ints:
        return self.grades[self.by_topic]

    def of_runs(self, count: int) -> OfTopics:
        """For so many runs: what follows from the judgments is made for the first ones only."""
        with self._lock:
            if count not in self._of_runs:
                topic = np.tile(np.arange(len(self.topics)), count)
                of_judgments = (self.grades_by_topic, self.topic_start, self.gains)
                self._of_runs[count] = OfTopics((topic, *of_judgments))
            return self._of_runs[count]

    def codes(self, names: Sequence[str]) -> Ints:
        """The number of each topic, -1 for those without judgments."""
        return np.array([self.code_of.get(name, -1) for name in names], np.int64)

    @cached_property
    def code_of(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.topics)}

    def prepare(self) -> Judgments:
        """Make what every run needs, before threads ask for it."""
        _ = self.topic_start, self.grades_by_topic, self.number, self.code_of
        return self

    @property
    def native(self) -> NativeLookup | None:
        """What the kernel looks judgments up in; None where it is not there or cannot take them."""
        with self._lock:
            return self._native

    @cached_property
    def _native(self) -> NativeLookup | None:
        text = self.text
        if text is None and (native := kernel()) is not None:
            frame, lookup = self.by_name.frame, native.Lookup()
            if lookup.take_lists(frame["topic"].to_list(), frame["document"].to_list()):
                text = finished(lookup)
        return None if text is None else NativeLookup(text.lookup, self.codes(text.topics))

    def find(self, run: Run) -> tuple[Ints, Ints]:
        """The rows of the run that are judged, and the rows of the qrels that judge them."""
        with self._lock:
            keys = self._keys
        return keys.find(run)

    @cached_property
    def _keys(self) -> KeyTable:
        return KeyTable(self.by_name, self.row_topic, self.code_of).prepare()

    @property
    def names(self) -> pl.Series:
        """The document of each judgment, in the order of the judgments."""
        with self._lock:
            return self.by_name.frame["document"].gather(self.by_topic)

    @cached_property
    def by_name(self) -> Qrels:
        return self.read()


@dataclass(frozen=True, eq=False, repr=False)
class NativeLookup:
    """The kernel's judgments, and which of our topics each of its topics is."""

    lookup: Lookup
    topic: Ints


@dataclass(frozen=True, eq=False, repr=False)
class KeyTable:
    """Judgments by key, in buckets of which each topic has its own: eight for each judgment.

    The rows of a topic so look at few places, which stay in the cache. Bucket 0 is empty.
    """

    qrels: Qrels
    row_topic: Ints
    code_of: Mapping[str, int]

    @cached_property
    def size(self) -> Keys:
        """How many buckets each topic has; one more is of those without judgments."""
        return np.bincount(self.row_topic, minlength=len(self.code_of) + 1).astype(np.uint64) * 8

    @cached_property
    def base(self) -> Keys:
        """The first bucket of each topic; of those without judgments the empty one."""
        base = np.cumsum(self.size) - self.size + 1
        base[-1] = 0
        return base

    @cached_property
    def by_bucket(self) -> Ints:
        topic = self.row_topic.astype(np.uint64) << HALF
        return np.argsort(topic | self.qrels.keys >> HALF)

    @cached_property
    def keys(self) -> Keys:
        """By bucket, and one at the end for those who look behind the last."""
        return np.append(self.qrels.keys[self.by_bucket], np.uint64(0))

    @cached_property
    def starts(self) -> npt.NDArray[np.int32]:
        """Where the keys of each bucket start, and where the last end."""
        topic = self.row_topic
        buckets = self._buckets(self.qrels.keys, self.base[topic], self.size[topic])
        counts = np.bincount(buckets, minlength=int(self.size.sum()) + 1)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    @cached_property
    def filled(self) -> npt.NDArray[np.bool_]:
        """Which buckets hold a key: about one in eight."""
        return self.starts[1:] > self.starts[:-1]

    @cached_property
    def documents(self) -> pl.Series:
        return self.qrels.frame["document"].rechunk()

    def prepare(self) -> KeyTable:
        """Make all that threads would else make twice."""
        _ = self.filled, self.keys, self.documents
        return self

    def find(self, run: Run) -> tuple[Ints, Ints]:
        """The rows of the run that are judged, and the rows of the qrels that judge them."""
        lengths, names = run.stretches
        none = len(self.code_of)
        code = np.array([self.code_of.get(name, none) for name in names], np.int64)

        def of_piece(piece: tuple[slice, slice]) -> tuple[Ints, Ints]:
            stretches, rows = piece
            of_rows = (
                np.repeat(c[code[stretches]], lengths[stretches]) for c in (self.base, self.size)
            )
            found, judging = self._find_keys(run.keys[rows], *of_rows)
            return found + rows.start, judging

        found = list(map_in_threads(of_piece, run.pieces))
        nothing = np.zeros(0, np.int64)
        rows = np.concatenate([nothing, *(rows for rows, _ in found)])
        judging = np.concatenate([nothing, *(judging for _, judging in found)])
        if run.frame["document"].gather(rows).equals(self.documents.gather(judging)):
            return rows, judging
        return self._find_by_name(run)

    @staticmethod
    def _buckets(keys: Keys, base: Keys, size: Keys) -> Ints:
        """The bucket of each key, there being so many from the base on."""
        return (base + ((keys >> HALF) * size >> HALF)).view(np.int64)

    def _find_keys(self, keys: Keys, base: Keys, size: Keys) -> tuple[Ints, Ints]:
        buckets = self._buckets(keys, base, size)
        rows = np.flatnonzero(self.filled[buckets])
        buckets, wanted = buckets[rows], keys[rows]
        place, end = self.starts[buckets], self.starts[buckets + 1]
        while (go_on := (self.keys[place] != wanted) & (place < end)).any():
            place += go_on
        hit = place < end
        return rows[hit], self.by_bucket[place[hit]]

    def _find_by_name(self, run: Run) -> tuple[Ints, Ints]:
        """The same without keys: slower, for the day when two keys collide."""
        both = run.frame.with_row_index("row").join(
            self.qrels.frame.with_row_index("judging"), on=["topic", "document"]
        )
        return both["row"].to_numpy().astype(np.int64), both["judging"].to_numpy().astype(np.int64)
