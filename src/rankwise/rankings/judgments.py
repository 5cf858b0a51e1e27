"""Judgments prepared for the join with runs.

The native kernel has a hash table for each topic (native/kernel.c). Runs that it cannot read are
joined by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from rankwise.arrays import Ints
from rankwise.formats import texts_of
from rankwise.lazy import pl
from rankwise.native import JudgmentText, kernel
from rankwise.notes import Note
from rankwise.rankings.judged import OfTopics
from rankwise.rankings.preferences import NumberedPreferences
from rankwise.rankings.run import Qrels, Run
from rankwise.rankings.subtopics import SubtopicGrades

if TYPE_CHECKING:
    from rankwise.native import Lookup


def topic_order(names: Iterable[str]) -> list[str]:
    """Sort topics: by number if all are numbers, otherwise by name.

    >>> topic_order(["10", "9", "007"])
    ['007', '9', '10']
    """
    ordered = sorted(names)
    if all(name.isascii() and name.isdigit() for name in ordered):
        ordered.sort(key=int)  # of equal numbers, as 007 and 7, the names stay in order
    return ordered


@dataclass(frozen=True, eq=False)
class Judgments:
    """Judgments in columns, one row each, numbered as in the qrels.

    `read` returns them by name, for runs that the kernel cannot read; `text` has the kernel's
    form, if the kernel read them. Safe for several threads.
    """

    topics: tuple[str, ...]  # in the order in which people list them
    row_topic: Ints = field(repr=False)
    grades: Ints = field(repr=False)
    read: Callable[[], Qrels] = field(repr=False)
    gains: Mapping[int, float] | None = None
    notes: tuple[Note, ...] = ()
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
        """Rows of the qrels by topic and decreasing grade: the order of the judgments."""
        return np.lexsort((-self.grades, self.row_topic))

    @cached_property
    def number(self) -> Ints:
        """Number of the judgment in each row of the qrels, in the order of `by_topic`."""
        number = np.empty_like(self.by_topic)
        number[self.by_topic] = np.arange(len(number))
        return number

    @cached_property
    def grades_by_topic(self) -> Ints:
        return self.grades[self.by_topic]

    @property
    def subtopics(self) -> SubtopicGrades | None:
        """Grades by subtopic, in the order of the judgments; None of plain judgments."""
        if self.text is not None:  # the kernel reads plain judgments only
            return None
        with self._lock:
            return self._subtopics

    @cached_property
    def _subtopics(self) -> SubtopicGrades | None:
        qrels = self.by_name
        if qrels.subtopics is None:
            return None
        judged = qrels.frame[self.by_topic]
        return SubtopicGrades.of(
            qrels.subtopics, qrels.weights, judged, self.topics, self.grades_by_topic
        )

    @property
    def preferences(self) -> NumberedPreferences | None:
        """Preferences by the number of the judgment; None of plain judgments."""
        if self.text is not None:
            return None
        with self._lock:
            return self._preferences

    @cached_property
    def _preferences(self) -> NumberedPreferences | None:
        qrels = self.by_name
        if qrels.preferences is None:
            return None
        return NumberedPreferences.of(qrels.preferences, qrels.frame[self.by_topic], self.topics)

    def of_runs(self, count: int) -> OfTopics:
        """Return the shared per-topic cache for joins of `count` runs."""
        with self._lock:
            if count not in self._of_runs:
                topic = np.tile(np.arange(len(self.topics)), count)
                of_judgments = (self.grades_by_topic, self.topic_start, self.gains)
                self._of_runs[count] = OfTopics((topic, *of_judgments))
            return self._of_runs[count]

    def codes(self, names: Sequence[str]) -> Ints:
        """Return the number of each topic, -1 for topics without judgments."""
        return np.array([self.code_of.get(name, -1) for name in names], np.int64)

    @cached_property
    def code_of(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.topics)}

    def prepare(self) -> Judgments:
        """Precompute cached columns before threads share this object."""
        _ = self.topic_start, self.grades_by_topic, self.number, self.code_of
        return self

    @property
    def native(self) -> NativeLookup | None:
        """Lookup table of the native kernel; None if unavailable or unable to hold judgments."""
        with self._lock:
            return self._native

    @cached_property
    def _native(self) -> NativeLookup | None:
        text = self.text
        if text is None and kernel() is not None:
            from rankwise.formats import ArrowRows, RowColumns
            from rankwise.native import judgments_of_rows

            frame = self.by_name.frame.select("topic", "document")
            text = judgments_of_rows(ArrowRows(RowColumns(0, 1, -1), frame.height, frame.slice))
        return None if text is None else NativeLookup(text.lookup, self.codes(text.topics))

    def find(self, run: Run) -> tuple[Ints, Ints]:
        """Return the judged rows of the run, and the matching rows of the qrels."""
        with self._lock:
            judged = self._by_name
        both = run.frame.with_row_index("row").join(judged, on=["topic", "document"])
        return both["row"].to_numpy().astype(np.int64), both["judging"].to_numpy().astype(np.int64)

    @cached_property
    def _by_name(self) -> pl.DataFrame:
        """Number, topic and document of each row of the qrels."""
        topic = pl.Series(self.topics, dtype=pl.String).gather(self.row_topic)
        columns = {"topic": topic, "document": self._documents}
        return pl.DataFrame(columns).with_row_index("judging")

    @property
    def names(self) -> pl.Series:
        """Document of each judgment, in the order of the judgments."""
        with self._lock:
            return self._documents.gather(self.by_topic)

    @cached_property
    def _documents(self) -> pl.Series:
        """Document of each row of the qrels: from the kernel, if it read them."""
        names = None if self.text is None else self.text.lookup.names()
        return self.read().frame["document"] if names is None else texts_of(names)

    @cached_property
    def by_name(self) -> Qrels:
        """The judgments with the names of topics and documents, in the order of the qrels."""
        if self.text is None:
            return self.read()
        grade = pl.Series("grade", self.grades, pl.Int32)
        return Qrels(self._by_name.select("topic", "document", grade))


@dataclass(frozen=True, eq=False, repr=False)
class NativeLookup:
    """Judgments in the kernel, and the number of our topic for each of its topics."""

    lookup: Lookup
    topic: Ints
