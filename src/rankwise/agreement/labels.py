"""The grades of several judges, side by side: one row per document, one column per judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError, InputError, some_of
from rankwise.metrics import Metric, parse_all
from rankwise.notes import Note
from rankwise.rankings import (
    Collection,
    JudgedRankings,
    Judgments,
    Needs,
    Qrels,
    Rejudged,
    check_several,
    graded,
    scales_apart,
    stacked,
)
from rankwise.scores import MetricsLike, check_lengths
from rankwise.wording import Argument, Count, Remedy

MAP_GRADES = Argument("gains_of_judge", "JUDGE:1=0,2=1,3=2", python="read_qrels(FILE, gains=TABLE)")
MOST_GRADES = 50  # a confusion matrix with more rows cannot be read
GAP = -1


@dataclass(frozen=True, eq=False)
class Labels:
    """Grades of several judges for the same documents.

    `places` (documents × judges) has the index of each grade in `grades`, or −1 if there is no
    grade. `frame` has the topic and the document of each row of `places`, and `topic` the index of
    the topic. `codes` has, for each of `grades`, the integer that metrics use as the grade. `gains`
    maps these integers to gains if grades are fractions.
    """

    judges: tuple[str, ...]
    topics: tuple[str, ...]
    grades: Floats
    codes: Ints
    gains: Mapping[int, float] | None
    frame: pl.DataFrame = field(repr=False)
    topic: Ints = field(repr=False)
    places: Ints = field(repr=False)
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, judges: Mapping[str, Qrels]) -> Labels:
        """Align the judgments of all judges by topic and document."""
        check_several(judges)
        rows = stacked(judges)
        together = graded(rows, None, "the judgments")
        grades = np.unique(rows["grade"].to_numpy())
        if len(grades) > MOST_GRADES:
            raise InputError(
                "the judgments",
                f"{len(grades):,} different grades ({some_of([f'{g:g}' for g in grades])}) are "
                f"too many to compare; at most {MOST_GRADES} are possible.",
                remedy=Remedy(MAP_GRADES, "map them to fewer"),
            )
        coded = rows.with_columns(code=together.frame["grade"])
        codes = coded.group_by("grade").agg(pl.col("code").first()).sort("grade")["code"]
        wide = rows.pivot(on="judge", index=["topic", "document"], values="grade")
        names = tuple(judges)
        table = wide.select(names).to_numpy()
        places = np.where(np.isnan(table), GAP, np.searchsorted(grades, table))
        topics = wide["topic"].unique(maintain_order=True)
        number = wide["topic"].replace_strict(topics, pl.int_range(len(topics), eager=True))
        return cls(
            names,
            tuple(topics.to_list()),
            grades,
            codes.to_numpy().astype(np.int64),
            together.gains,
            wide.select("topic", "document"),
            number.to_numpy().astype(np.int64),
            places.astype(np.int64),
            tuple(note for qrels in judges.values() for note in qrels.notes),
        )

    @property
    def common(self) -> Bools:
        """Mask of the documents that two or more judges judged."""
        return np.asarray(self.judged.sum(axis=0) > 1)

    @property
    def judged(self) -> Bools:
        """Mask of shape (judges, documents): whether the judge judged the document."""
        return np.asarray(self.places.T != GAP)

    @property
    def alone(self) -> dict[str, int]:
        """Number of documents that only one judge judged, by the name of this judge."""
        counts = self.judged[:, ~self.common].sum(axis=1)
        return dict(zip(self.judges, counts.tolist(), strict=True))

    def check_overlap(self) -> None:
        """Raise CallError if no document was judged by two or more judges."""
        if self.common.any():
            return
        topics = [set(self.topic[judged]) for judged in self.judged]
        shared = set.intersection(*topics)
        first_rows = [self.frame.row(int(row)) for row in self.judged.argmax(axis=1)]
        examples = [
            f"judge {name} judged document {document} of topic {topic}"
            for name, (topic, document) in zip(self.judges, first_rows, strict=True)
        ]
        what = str(Count(len(shared), "topic")) if shared else "no topic"
        raise CallError(
            f"no document is judged by two judges; the judges share {what}. For example, "
            f"{', and '.join(examples[:2])}. Check that topics and documents have the same names."
        )

    def both(self, first: int, second: int) -> Bools:
        """Return a mask of the documents that both judges judged."""
        return np.asarray(self.judged[[first, second]].all(axis=0))

    def topics_of(self, judge: int) -> Bools:
        """Return a mask of the topics in which a judge judged at least one document."""
        judged = self.topic[self.judged[judge]]
        return np.bincount(judged, minlength=len(self.topics)) > 0

    def confusion(self, first: int, second: int) -> Floats:
        """Return numbers of documents, topics × grades of the first judge × grades of the second.

        Documents that only one of the two judged are excluded.
        """
        both, size = self.both(first, second), len(self.grades)
        pairs = self.places[both, first] * size + self.places[both, second]
        cells = self.topic[both] * size * size + pairs
        counts = np.bincount(cells, minlength=len(self.topics) * size * size)
        return counts.reshape(len(self.topics), size, size).astype(np.float64)

    def counts(self) -> Ints:
        """Return how many judges gave each grade to each document, documents × grades."""
        table = np.zeros((len(self.places), len(self.grades)), np.int64)
        judge, row = np.nonzero(self.judged)
        np.add.at(table, (row, self.places[row, judge]), 1)
        return table

    def grades_of(self, judge: int, rows: Ints) -> tuple[Bools, Ints]:
        """Return whether a judge judged each document in `rows`, and the grade for metrics.

        The grade is an integer of `codes`, or 0 if the judge did not judge the document.
        """
        place = self.places[rows, judge]
        return place != GAP, np.where(place != GAP, self.codes[np.maximum(place, 0)], 0)

    @property
    def scales_apart(self) -> str | None:
        """A text on the difference between the judges' grade scales, or None if there is none."""
        return scales_apart({name: self.used(place) for place, name in enumerate(self.judges)})

    def used(self, judge: int) -> Floats:
        """Return the distinct grades that a judge gave."""
        return np.asarray(self.grades[np.unique(self.places[self.judged[judge], judge])])


class Rejudging(NamedTuple):
    """Rankings that can be scored with other grades.

    A code is the index of a judged document in the arrays of `rejudged`. `row` has, for each code,
    the row of the document in the table with which the runs were joined.
    """

    rejudged: Rejudged
    row: Ints

    @classmethod
    def of(
        cls,
        collection: Collection,
        documents: pl.DataFrame,
        gains: Mapping[int, float] | None,
        metrics: Sequence[Metric],
    ) -> Rejudging:
        """Join the runs of a collection with `documents` (columns `topic` and `document`)."""
        # The grade is the number of the row, so the grade identifies each joined judgment.
        number = pl.int_range(1, documents.height + 1, dtype=pl.Int32, eager=True)
        qrels = Qrels(documents.select("topic", "document").with_columns(grade=number))
        joined = replace(collection, qrels=qrels, gains=None)
        needs = Needs(whole_ties=any(metric.ties == "share" for metric in metrics))
        rejudged = Rejudged.of(replace(joined.judged(needs), gains=gains))
        return cls(rejudged, rejudged.grade - 1)

    @classmethod
    def of_joined(cls, judgments: Judgments, judged: JudgedRankings) -> Rejudging:
        """Build from rankings that are already joined with the judgments."""
        plain = replace(judged, retrieved=None, subtopics=None, preferences=None)
        return cls(Rejudged.of(plain), judgments.by_topic)


def metrics_of_systems(
    metrics: MetricsLike, rel: float, collection: Collection
) -> tuple[Metric, ...]:
    """Parse metrics, and exclude diagnostics (counts, Judged).

    Raise CallError if no metric is left.
    """
    wanted = tuple(metric for metric in parse_all(metrics, rel) if not metric.is_diagnostic)
    if not wanted:
        raise CallError("none of the metrics measures effectiveness. Add a metric such as AP.")
    check_lengths(wanted, collection.lengths)
    return wanted
