"""Work of a Spark executor: scoring some of the topics with the code of `rankwise.score`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa

from rankwise.arrays import Ints
from rankwise.comparison.verdicts import Differences, Ends, difference_bounds
from rankwise.metrics import Metric
from rankwise.rankings import (
    EVERY_GRADE,
    Collection,
    JudgedRankings,
    Needs,
    Possible,
    Qrels,
    RunReading,
    Selection,
    Stream,
    read_judgments,
    run_loaders,
    with_every_grade,
)
from rankwise.scores import Scores, needs_of, over_common_topics, score_judged
from rankwise.spark.failures import without_lines
from rankwise.spark.rows import RETRIEVED, RUN_ROLES, RUN_SCHEMA, frame_of, record_batches
from rankwise.vocabulary import Topics, Undefined

if TYPE_CHECKING:
    from pyspark import Broadcast

COLUMNS = "run string, topic string, metric string, value double, low double, high double"
SCORED = f"{COLUMNS}, present boolean, tight boolean"
ENDS = ("value", "low", "high", "reached_low", "reached_high")
COMPARED = f"{COLUMNS}, reached_low double, reached_high double, other string, present boolean"

SKIPPED = {"malformed-lines", "duplicates"}  # kinds of notes whose counts are added over all parts


@dataclass(frozen=True, eq=False)
class Part:
    """Metrics, runs, judgments and options with which executors score parts of the topics."""

    metrics: tuple[Metric, ...]
    runs: tuple[str, ...]
    grades: tuple[float, ...]  # grades that occur in the qrels
    reading: Collection  # options for reading, without judgments, runs and files of filters
    filters: Selection
    qrels: Broadcast[Qrels] | None  # None if the judgments are among the rows

    def score(
        self,
        topics: Topics,
        unjudged: str | None,
        undefined: Undefined,
        batches: Iterator[pa.RecordBatch],
    ) -> Iterator[pa.RecordBatch]:
        """Score the rows of a part; yield rows with scores and with notes on reading."""
        given = self._given(batches)
        if given is None:
            return
        assumption = None if unjudged is None else Possible.parse(unjudged)
        needs = needs_of(self.metrics, assumption)
        counts = needs.unjudged_counts and len(self.runs) > 1
        judged = self._joined(*given, needs._replace(unjudged_counts=counts))
        scores = score_judged(judged, self.metrics, unjudged=assumption)
        scores = scores.counting_undefined(undefined)
        found = scores if topics == "all" else over_common_topics(scores)
        yield from record_batches(self._rows_of(found), SCORED)
        yield from record_batches(_rows_on_reading(judged), SCORED)

    def compare(
        self,
        pairs: tuple[Ints, Ints] | None,
        unjudged: str,
        undefined: Undefined,
        batches: Iterator[pa.RecordBatch],
    ) -> Iterator[pa.RecordBatch]:
        """Score and compare the rows of a part; yield scores, notes on reading, and bounds."""
        given = self._given(batches)
        if given is None:
            return
        needs = needs_of(self.metrics, None)._replace(documents=pairs is not None)
        judged = self._joined(*given, needs)
        scores = score_judged(judged, self.metrics).counting_undefined(undefined)
        yield from record_batches(self._rows_of(scores), COMPARED)
        yield from record_batches(_rows_on_reading(judged), COMPARED)
        for metric in self.metrics:
            if pairs is not None and not metric.is_diagnostic:
                # Effort 0, because the effort is a limit for all topics together, and a part has
                # only some of the topics.
                found = difference_bounds(judged, metric, *pairs, unjudged, 0)
                counted = "zero" if metric.zero_if_undefined else undefined
                ends = found.by_topic.counting_undefined(counted)
                yield from record_batches(_rows_of_ends(found, ends), COMPARED)

    def _joined(self, qrels: Any, runs: Stream, needs: Needs) -> JudgedRankings:
        """Return the rankings of a part, filtered and joined with its judgments."""
        order, lenient = self.reading.order, self.reading.lenient
        # The gains of broadcast qrels are already set.
        gains = self.reading.gains if self.qrels is None else None
        loaders = run_loaders(runs, RunReading(order, lenient))
        # Rows of excluded topics are already removed. Filters do not change the artificial topic.
        is_spared = self.filters.maps or self.filters.drop_self
        filters = replace(self.filters, topics=None, spared=EVERY_GRADE if is_spared else None)
        with without_lines():
            judgments = read_judgments(qrels, gains=gains, lenient=lenient)
            filtered = filters.of_runs(loaders, order)
            return Collection(judgments, filtered, order=order, depth=self.reading.depth).judged(
                needs
            )

    def _given(self, batches: Iterator[pa.RecordBatch]) -> tuple[Any, Any] | None:
        """Return the judgments and the runs of a part, or None if the part is empty."""
        frames = map(frame_of, batches)
        judgments, first = [], None
        for frame in frames:
            retrieved = frame["kind"] == RETRIEVED
            judgments.append(frame.filter(~retrieved))
            if retrieved.any():
                first = _run_rows(frame.filter(retrieved))
                break
        if not judgments:
            return None
        answers = self._answers(RUN_SCHEMA if first is None else first.schema)
        rest = chain([] if first is None else [first], map(_run_rows, frames))
        return self._judged(pl.concat(judgments)), Stream(chain([answers], rest))

    def _judged(self, rows: pl.DataFrame) -> Any:
        """Return the judgments of a part, from its rows or from the broadcast qrels."""
        if self.qrels is None:
            columns = rows.select("topic", "document", "grade", "iteration")
            return with_every_grade(columns, self.grades)
        whole = self.qrels.value
        frame = whole.frame.filter(pl.col("topic").is_in(rows["topic"].unique()))
        return replace(whole, notes=(), frame=with_every_grade(frame, self.grades))

    def _answers(self, schema: pl.Schema) -> pl.DataFrame:
        """Return rankings of every run for the artificial topic, with the columns of `schema`."""
        places = list(range(len(self.grades))) * len(self.runs)
        columns: dict[str, Any] = {"topic": EVERY_GRADE, "document": [str(at) for at in places]}
        columns |= {"score": [-at for at in places], "rank": [at + 1 for at in places]}
        columns |= {"run": [run for run in self.runs for _ in self.grades]}
        return pl.DataFrame({name: columns[name] for name in schema}).cast(schema)

    def _rows_of(self, scores: Scores) -> pl.DataFrame:
        shape = scores.value.shape
        present = np.broadcast_to(scores.present, shape).ravel()
        tight = pl.col("metric").is_in(scores.outer).not_()
        rows = scores.frame.with_columns(pl.Series("present", present), tight=tight)
        return rows.filter(pl.col("topic") != EVERY_GRADE)


def _rows_on_reading(judged: JudgedRankings) -> pl.DataFrame:
    """Return rows without scores, from which the driver writes notes.

    A row on skipped input rows has a note as JSON in the column `run`, and no topic. A further row
    per run has the run, and in the column `topic` a JSON list with the counts of its topics.
    """
    said: list[tuple[str, str | None]]
    said = [(json.dumps(each.packed()), None) for each in judged.notes if each.kind in SKIPPED]
    for run, found in zip(judged.runs, judged.topics_of_runs, strict=True):
        first = tuple(topic for topic in found.first if topic != EVERY_GRADE)
        own = found._replace(judged=found.judged - 1, first=first)
        said += [(run, json.dumps(own))]
    return pl.DataFrame(said, schema={"run": pl.String, "topic": pl.String}, orient="row")


def _run_rows(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(name for name in RUN_ROLES if name in frame.columns)


def _rows_of_ends(found: Differences, ends: Ends) -> pl.DataFrame:
    """Return the bounds on differences, with one row per pair and topic."""
    runs, topics = pl.Series(found.runs), np.tile(np.arange(len(found.topics)), len(found.first))
    pairs = np.repeat(np.arange(len(found.first)), len(found.topics))
    columns = {name: getattr(ends, name).ravel() for name in ENDS}
    labels = {
        "run": runs.gather(found.first[pairs]),
        "other": runs.gather(found.second[pairs]),
        "topic": pl.Series(found.topics).gather(topics),
    }
    rows = pl.DataFrame({**labels, **columns}).fill_nan(None)
    named = rows.with_columns(metric=pl.lit(str(found.metric)))
    return named.filter(pl.col("topic") != EVERY_GRADE)
