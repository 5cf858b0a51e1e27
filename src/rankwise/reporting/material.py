"""Data of a report: judgments and runs, read once, with document names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankwise.arrays import Shorts
from rankwise.lazy import pl
from rankwise.rankings import JudgedRankings, Judgments, Retrieved


@dataclass(frozen=True)
class Ranked:
    """Some documents of each ranking, judged or not, one row each, in no order.

    `document` is the number of its judgment. For unjudged documents it is a number above those of
    all judgments, which is the same in all runs.
    """

    run: Shorts
    topic: Shorts
    rank: Shorts
    document: Shorts

    @classmethod
    def of(cls, rows: Retrieved) -> Ranked:
        return cls(rows.run, rows.topic, rows.rank, rows.code)

    def where(self, keep: Any) -> Ranked:
        return Ranked(self.run[keep], self.topic[keep], self.rank[keep], self.document[keep])

    def top(self, depth: int) -> Ranked:
        return self.where(self.rank <= depth)


@dataclass(frozen=True)
class Material:
    """Judgments and runs joined, with the name of every document of every ranking."""

    judgments: Judgments
    judged: JudgedRankings

    @cached_property
    def seen(self) -> JudgedRankings:
        """The rankings down to the evaluation depth."""
        return self.judged.cut_to_depth()

    @property
    def retrieved(self) -> Retrieved:
        """All documents of all rankings, down to the evaluated depth."""
        assert self.seen.retrieved is not None
        return self.seen.retrieved

    @property
    def names(self) -> pl.Series:
        """Name of each document of `retrieved`, by its code."""
        return self.retrieved.names

    @cached_property
    def _fractions(self) -> Mapping[int, float]:
        return self.judgments.by_name.fractions or {}

    def label_of(self, document: int) -> float | None:
        """Return the original grade of a document in the qrels; None if it is unjudged."""
        grades = self.judged.topic_grades
        if document >= len(grades):
            return None
        grade = int(grades[document])
        return self._fractions.get(grade, grade)
