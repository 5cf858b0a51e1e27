"""A Spark job: the rows of runs and judgments, partitioned by topic in one shuffle."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession, functions as sf

from rankwise.errors import CallError, InputError
from rankwise.formats import SUBTOPICS
from rankwise.metrics import Metric
from rankwise.notes import Note
from rankwise.rankings import (
    SHOWN,
    Collection,
    Gains,
    Qrels,
    Selection,
    Taken,
    about_incomplete,
    about_judgments_left_out,
    incomplete,
    read_qrels,
)
from rankwise.spark.executor import Part
from rankwise.spark.failures import as_locally, by_parts, without_lines
from rankwise.spark.rows import (
    JUDGMENT,
    ORDERED_BY,
    RETRIEVED,
    frame_of,
    record_batches,
    roles_of,
    to_polars,
)
from rankwise.wording import Argument, Remedy

if TYPE_CHECKING:
    from pyspark import Broadcast

BROADCAST = 1 << 20  # largest number of judgments that are broadcast; more go through the shuffle


@dataclass(frozen=True, eq=False)
class Job:
    """Rows partitioned by topic, and the options needed to process a partition."""

    rows: DataFrame
    retrieved: DataFrame  # rows of the runs, before the shuffle
    part: Part
    has_gains: bool
    notes: tuple[Note, ...] = ()


def prepare_job(collection: Collection, metrics: Sequence[Metric]) -> Job:
    if collection.order == "file":
        what = "rows of a Spark table have no order of their own"
        remedy = Remedy(Argument("order", "rank"), "rank by a column of ranks")
        raise CallError(f"order 'file': {what}.", remedy=remedy)
    wanted, filters = tuple(metrics), collection.filters
    if not wanted:
        raise CallError("no metric is given.")
    runs: Any = collection.runs
    _send_by_value(wanted)
    rows = roles_of(runs, "the run", ["topic", "document", *ORDERED_BY[collection.order]], ["run"])
    if "run" not in rows.columns:
        rows = rows.withColumn("run", sf.lit("run"))
    judged = _judgments(collection, runs.sparkSession)
    names, notes = _names(rows), judged.notes
    rows = _of_asked_topics(rows, names, filters)
    if collection.complete_runs:
        names, said = _complete(_as_judged(rows, filters), judged.rows, names)
        rows, notes = rows.where(sf.col("run").isin(list(names))), (said, *notes)
    together = judged.rows.unionByName(
        rows.withColumn("kind", sf.lit(RETRIEVED)), allowMissingColumns=True
    )
    by_topic = together.repartition("topic").sortWithinPartitions("kind", "topic")
    # Executors do not have the driver's files, so the filters are sent as they were read.
    reading = replace(
        collection, qrels=None, runs=None, only_topics=None, map_documents=None, topic_groups=None
    )
    part = Part(wanted, names, judged.grades, reading, filters, judged.broadcast)
    return Job(by_topic, rows, part, judged.has_gains, notes)


def _of_asked_topics(rows: DataFrame, names: Sequence[str], taken: Selection) -> DataFrame:
    """Return the rows of the requested topics; raise an error if a run has none of them."""
    if taken.topics is None:
        return rows
    left = _of_topics(rows, taken)
    with as_locally():
        there = set(to_polars(left.select("run").distinct())["run"].to_list())
        for name in names:
            if name not in there:
                of_run = rows.where(sf.col("run") == name).select("topic").distinct()
                some = to_polars(of_run.orderBy("topic").limit(SHOWN))["topic"].to_list()
                taken.about(name, Taken(topics=tuple(some)))
    return left


def _as_judged(rows: DataFrame, taken: Selection) -> DataFrame:
    """Apply two filters to the rows, if they are set.

    One maps passages to documents, the other removes documents named like their topic.
    """
    found = rows.select("run", "topic", "document")
    if taken.maps:
        names = "run string, topic string, document string"
        found = by_parts(found, partial(_with_documents, taken, names), names)
    return found.where("topic != document") if taken.drop_self else found


def _with_documents(
    taken: Selection, schema: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for frame in map(frame_of, batches):
        given = frame["document"]
        documents = taken.documents_of(given).fill_null(given)
        yield from record_batches(frame.with_columns(document=documents), schema)


def _of_topics(rows: DataFrame, taken: Selection) -> DataFrame:
    if taken.topics is None:
        return rows
    topics = rows.sparkSession.createDataFrame(pa.table({"topic": sorted(taken.topics)}))
    return rows.join(sf.broadcast(topics), "topic", "left_semi")


def _send_by_value(metrics: Sequence[Metric]) -> None:
    """Register user-defined metrics to be pickled by value: executors do not have their modules."""
    for metric in metrics:
        home = inspect.getmodule(type(metric))
        if not metric.is_builtin and home is not None and home.__name__ != "__main__":
            cloudpickle.register_pickle_by_value(home)


class Judged(NamedTuple):
    """Judgments of a job; `rows` has the judgments or, if they are broadcast, only their topics."""

    rows: DataFrame
    grades: tuple[float, ...]
    has_gains: bool
    broadcast: Broadcast[Qrels] | None = None
    notes: tuple[Note, ...] = ()


def _judgments(collection: Collection, spark: SparkSession) -> Judged:
    qrels: Any = collection.qrels
    given = qrels
    if isinstance(qrels, DataFrame):
        rows = _judgment_rows(qrels)
        if qrels.count() > BROADCAST:
            return _judgments_among_rows(rows, collection.gains, collection.filters)
        given = to_polars(rows)
    with without_lines() if isinstance(qrels, DataFrame) else nullcontext():
        whole = read_qrels(given, gains=collection.gains, lenient=collection.lenient)
    found = collection.filters.of_qrels(whole)
    topics = pa.table({"topic": found.frame["topic"].unique().to_list()})
    named = spark.createDataFrame(topics).withColumn("kind", sf.lit(JUDGMENT))
    grades = tuple(found.frame["grade"].unique().sort().to_list())
    sent = spark.sparkContext.broadcast(replace(found, notes=()))
    return Judged(named, grades, found.gains is not None, sent, found.notes)


def _judgment_rows(qrels: DataFrame) -> DataFrame:
    """Return judgments with a column `iteration`, which has subtopics, or 0 without subtopics."""
    roles = ["topic", "document", "grade"]
    name = next((name for name in qrels.columns if name.strip().lower() in SUBTOPICS), None)
    if name is None:
        return roles_of(qrels, "the qrels", roles).withColumn("iteration", sf.lit("0"))
    return roles_of(qrels, "the qrels", roles, more=[("iteration", name)])


def _judgments_among_rows(rows: DataFrame, gains: Gains | None, taken: Selection) -> Judged:
    """Prepare judgments that are too many to broadcast.

    The driver receives only their distinct grades and, if topics are filtered, their topics.
    """
    notes: list[Note] = []
    if taken.topics is not None:
        _, notes = taken.of_topics(to_polars(rows.select("topic").distinct()))
        rows = _of_topics(rows, taken)
    if taken.drop_self:
        is_self = sf.col("topic").eqNullSafe(sf.col("document"))
        notes = [*notes, *about_judgments_left_out(rows.where(is_self).count())]
        rows = rows.where(~is_self)
    grades = to_polars(rows.select("grade").distinct())["grade"].cast(pl.Float64, strict=False)
    usable = grades.filter(grades.is_finite()).unique().sort().to_list()
    has_gains = gains is not None or any(grade != int(grade) for grade in usable)
    sent = rows.withColumn("kind", sf.lit(JUDGMENT))
    return Judged(sent, tuple(usable), has_gains, notes=tuple(notes))


def _names(rows: DataFrame) -> tuple[str, ...]:
    found = to_polars(rows.select("run").distinct())["run"].drop_nulls()
    names = tuple(sorted(name for name in found.to_list() if name))
    if not names:
        raise InputError("the run", "has no rows.")
    return names


def _complete(
    rows: DataFrame, judgments: DataFrame, names: tuple[str, ...]
) -> tuple[tuple[str, ...], Note]:
    """Return the names of complete runs, and a note on the excluded runs.

    A complete run has a document for each topic, and at least 950 documents per topic on average.
    """
    topics = judgments.select("topic").distinct()
    here = rows.join(topics, "topic", "left_semi").groupBy("run", "topic")
    by_run = here.agg(sf.countDistinct("document").alias("n")).groupBy("run")
    found = to_polars(by_run.agg(sf.collect_list("n").alias("n")))
    retrieved = dict(zip(found["run"].to_list(), found["n"].to_list(), strict=True))
    judged = topics.count()
    out = []
    for name in names:
        counts = retrieved.get(name, [])
        lacking = [0] * (judged - len(counts))  # 0 for topics that a run does not have
        if incomplete(np.array([*counts, *lacking], np.int64)):
            out.append(name)
    said = about_incomplete(out, len(names))
    return tuple(name for name in names if name not in out), said
