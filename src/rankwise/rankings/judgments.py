"""Judgments prepared for the join with runs.

The C kernel (native/kernel.c) has a hash table of the judged documents of each topic. Runs
that the kernel cannot read are joined by document name in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankwise.arrays import Ints
from rankwise.formats import texts_of
from rankwise.lazy import pl
from rankwise.native import JudgmentText, judgments_of, kernel
from rankwise.notes import Note
from rankwise.rankings.judged import OfTopics
from rankwise.rankings.run import Qrels, Run

if TYPE_CHECKING:
    from rankwise.native import Lookup
    from rankwise.rankings.preferences import NumberedPreferences
    from rankwise.rankings.subtopics import SubtopicGrades


def topic_order(names: Iterable[str]) -> list[str]:
    """Return the topics in numerical order if all have only digits, otherwise in order of name.

    >>> topic_order(["10", "9", "007"])
    ['007', '9', '10']
    """
    ordered = sorted(names)
    if all(name.isascii() and name.isdigit() for name in ordered):
        ordered.sort(key=int)  # equal numbers such as 007 and 7 stay sorted by name
    return ordered


class NativeLookup(NamedTuple):
    """Hash table of the kernel; `topic` maps its indices of topics to those of `Judgments`."""

    lookup: Lookup
    topic: Ints


class Judgments:
    """Judgments in columns, with rows in the order of the qrels; several threads can use them.

    The number of a judgment is its position, from 0, when judgments are sorted by topic and
    decreasing grade. `number` has the number of each row. `by_topic` has the row, and
    `grades_by_topic` the grade, for each number. `topic_start` has the first number of each topic,
    followed by the number of judgments. `topics` are in display order. `subtopics` and
    `preferences`, which only judgments of these kinds have, identify judgments by number.
    """

    def __init__(
        self,
        names: Sequence[str],
        row_name: Ints,
        grades: Ints,
        read: Callable[[], Qrels],
        *,
        topics: Sequence[str] | None = None,
        gains: Mapping[int, float] | None = None,
        notes: tuple[Note, ...] = (),
        text: JudgmentText | None = None,
    ) -> None:
        """Number the judgments; `row_name` has the index of each row's topic in `names`.

        `topics` are the topics in display order; the default is `topic_order(names)`. `read`
        returns the judgments with document names, for runs that the kernel cannot read. `text` has
        the judgments if the kernel has read them.
        """
        self.topics, self.grades = tuple(topics or topic_order(set(names))), grades
        self.gains, self.notes = gains, notes
        self.code_of = {name: code for code, name in enumerate(self.topics)}
        self.row_topic = self.codes(names)[row_name]
        self.by_topic = np.lexsort((-grades, self.row_topic))
        self.grades_by_topic = grades[self.by_topic]
        counts = np.bincount(self.row_topic, minlength=len(self.topics))
        self.topic_start = np.concatenate([[0], np.cumsum(counts)])
        self.number = np.empty_like(self.by_topic)
        self.number[self.by_topic] = np.arange(len(self.number))
        self.subtopics: SubtopicGrades | None = None
        self.preferences: NumberedPreferences | None = None
        self.text, self._read, self._lock = text, read, RLock()
        self._of_runs: dict[int, OfTopics] = {}
        self._native: list[NativeLookup | None] = []  # one entry after the first request

    @classmethod
    def of(cls, qrels: Qrels) -> Judgments:
        lengths, names = qrels.stretches
        row_name = np.repeat(np.arange(len(names)), lengths)
        grades = qrels.frame["grade"].to_numpy().astype(np.int64)
        judgments = cls(
            names,
            row_name,
            grades,
            lambda: qrels,
            gains=qrels.gains,
            notes=qrels.notes,
        )
        if qrels.subtopics is not None:
            from rankwise.rankings.subtopics import SubtopicGrades

            judged = qrels.frame[judgments.by_topic]
            judgments.subtopics = SubtopicGrades.of(
                qrels.subtopics, qrels.weights, judged, judgments.topics, judgments.grades_by_topic
            )
        if qrels.preferences is not None:
            from rankwise.rankings.preferences import NumberedPreferences

            judged = qrels.frame[judgments.by_topic]
            judgments.preferences = NumberedPreferences.of(
                qrels.preferences, judged, judgments.topics
            )
        return judgments

    def of_runs(self, count: int) -> OfTopics:
        """Return a cache that all joins of `count` runs with these judgments share.

        It stores values that depend only on the judgments and on the number of runs.
        """
        with self._lock:
            if count not in self._of_runs:
                topic = np.tile(np.arange(len(self.topics)), count)
                of_judgments = (self.grades_by_topic, self.topic_start, self.gains)
                self._of_runs[count] = OfTopics((topic, *of_judgments))
            return self._of_runs[count]

    def codes(self, names: Sequence[str]) -> Ints:
        """Return the index of each topic, or -1 for topics without judgments."""
        return np.array([self.code_of.get(name, -1) for name in names], np.int64)

    @property
    def native(self) -> NativeLookup | None:
        """Hash table of the C kernel; None if it is missing or cannot read the judgments."""
        with self._lock:
            if self._native:
                return self._native[0]
            text = self.text
            if text is None and kernel() is not None:
                from rankwise.formats import ArrowRows, RowColumns

                frame = self.by_name.frame.select("topic", "document")
                text = judgments_of(ArrowRows(RowColumns(0, 1, -1), frame.height, frame.slice))
            found = None if text is None else NativeLookup(text.lookup, self.codes(text.topics))
            self._native.append(found)
            return found

    def find(self, run: Run) -> tuple[Ints, Ints]:
        """Return the judged rows of a run, and the row of the qrels with each judgment."""
        with self._lock:
            judged = self._by_name
        both = run.frame.with_row_index("row").join(judged, on=["topic", "document"])
        return both["row"].to_numpy().astype(np.int64), both["judging"].to_numpy().astype(np.int64)

    @cached_property
    def _by_name(self) -> pl.DataFrame:
        """Index (column `judging`), topic and document of each row of the qrels."""
        topic = pl.Series(self.topics, dtype=pl.String).gather(self.row_topic)
        columns = {"topic": topic, "document": self._documents}
        return pl.DataFrame(columns).with_row_index("judging")

    @property
    def names(self) -> pl.Series:
        """Name of the document of each judgment, sorted by topic and decreasing grade."""
        with self._lock:
            return self._documents.gather(self.by_topic)

    @cached_property
    def _documents(self) -> pl.Series:
        """Name of the document in each row of the qrels; from the kernel if it read the qrels."""
        names = None if self.text is None else self.text.lookup.names()
        return self._read().frame["document"] if names is None else texts_of(names)

    @cached_property
    def by_name(self) -> Qrels:
        """The judgments with the names of topics and documents, in the order of the qrels."""
        if self.text is None:
            return self._read()
        grade = pl.Series("grade", self.grades, pl.Int32)
        return Qrels(self._by_name.select("topic", "document", grade))
