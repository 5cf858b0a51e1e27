"""Data of a report: judgments and runs, read once, with document names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankwise.arrays import Shorts
from rankwise.lazy import pl
from rankwise.rankings import JudgedRankings, Judgments


@dataclass(frozen=True)
class Ranked:
    """One row per document of each ranking, judged or not, in no order.

    `document` is the number of its judgment or, for unjudged documents, a number above those of
    all judgments: the same in all runs.
    """

    run: Shorts
    topic: Shorts
    rank: Shorts
    document: Shorts

    def where(self, keep: Any) -> Ranked:
        return Ranked(self.run[keep], self.topic[keep], self.rank[keep], self.document[keep])

    def top(self, depth: int) -> Ranked:
        return self.where(self.rank <= depth)


@dataclass(frozen=True)
class Material:
    """Judgments and runs joined, with every document of every ranking by name."""

    judgments: Judgments
    judged: JudgedRankings

    @cached_property
    def seen(self) -> JudgedRankings:
        """Rankings down to the evaluated depth."""
        return self.judged.cut_to_depth()

    @cached_property
    def ranked(self) -> Ranked:
        """All documents of all rankings, down to the evaluated depth."""
        rows = self.judged.retrieved
        assert rows is not None
        found = Ranked(rows.run, rows.topic, rows.rank, rows.code)
        return found if self.judged.depth is None else found.top(self.judged.depth)

    @cached_property
    def names(self) -> pl.Series:
        """Name of each document of `ranked`, by its number."""
        assert self.judged.retrieved is not None
        return self.judged.retrieved.names

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
