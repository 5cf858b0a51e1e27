"""`score`, `collect` and `compare` on Spark, and counts of dropped rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import cast, get_args

import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame, functions as sf

from rankwise.arrays import Ints
from rankwise.comparison import Comparison, TestOptions, choose_pairs, compare_scored, test_options
from rankwise.comparison.verdicts import Differences, Ends
from rankwise.errors import CallError, check_word
from rankwise.metrics import Metric, parse_all
from rankwise.notes import Note
from rankwise.rankings import (
    SHOWN,
    Collection,
    Possible,
    QrelsLike,
    RunsLike,
    Selection,
    as_collection,
    table_of_groups,
)
from rankwise.scores import DEFAULT_METRICS, MetricsLike, Scores, cubes_of, over_common_topics
from rankwise.spark.executor import COLUMNS, COMPARED, ENDS, SCORED
from rankwise.spark.failures import as_locally, by_parts
from rankwise.spark.gathering import dropped_notes, gathered
from rankwise.spark.job import Job, prepare_job
from rankwise.spark.rows import frame_of, to_polars
from rankwise.vocabulary import Correction, Family, Mean, Test
from rankwise.wording import Argument


def score(
    data: DataFrame | QrelsLike | Collection,
    runs: DataFrame | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
    bounds: bool = False,
    unjudged: str = "retrieved",
) -> DataFrame:
    """Score runs against judgments on Spark, like `rankwise.score`.

    An invalid row raises the error of `rankwise.score` when the result is read.

    Parameters
    ----------
    data
        Judgments: a Spark data frame, or anything that `rankwise.score` accepts; or the result of
        `rankwise.read` for judgments and runs. These options of `rankwise.read` are special here:

        - `order` must be `score` or `rank`, because rows of a Spark table have no order.
        - `only_topics` excludes other topics before the shuffle.
        - `map_documents` first checks all names. A run without any known passage is an error.
        - `lenient` skips rows. `dropped` counts them.
        - `topic_groups` adds a first column `group`, null for a topic without a group.
          `summary(scores.where("group = 'head'"))` has the means of one group.
    runs
        A Spark data frame of one run, or of several runs with a column `run`. Columns are
        recognised by their names, as in other frames.
    metrics, rel, bounds, unjudged
        As for `rankwise.score`. `summary` has the options for averaging.

    Returns
    -------
    DataFrame
        Columns run, topic, metric, value, low and high. Undefined scores, and bounds without
        `bounds=True`, are null. Every run has every judged topic. A run without any judged topic is
        scored as empty rankings, while `rankwise.score`, `collect` and `compare` raise an error.
    """
    # A wrong assumption raises an error before any work is done.
    assumed = str(Possible.parse(unjudged))
    collection = _collection(data, runs)
    given = collection.topic_groups
    groups = None if given is None else table_of_groups(given)
    job = prepare_job(collection, parse_all(metrics, rel))
    if collection.filters.maps:
        _check_mapped(job, collection.filters)
    work = partial(
        job.part.score, collection.topics, assumed if bounds else None, collection.undefined
    )
    rows = by_parts(job.rows, work, SCORED)
    names = [column.split()[0] for column in COLUMNS.split(", ")]
    found = rows.where(sf.col("metric").isNotNull()).select(*names)
    if groups is None:
        return found
    columns = {"topic": list(groups), "group": list(groups.values())}
    table = rows.sparkSession.createDataFrame(pa.table(columns))
    return found.join(sf.broadcast(table), "topic", "left").select("group", *names)


def _check_mapped(job: Job, taken: Selection) -> None:
    """Raise an error if no document of a run can be mapped, which needs all parts of the run."""
    retrieved = job.retrieved.select("run", "document")
    with as_locally():
        counts = by_parts(retrieved, partial(_mapped_in, taken), "run string, n long, some string")
        found = to_polars(counts.groupBy("run").agg(sf.sum("n"), sf.first("some")))
    for run, count, some in found.sort("run").iter_rows():
        taken.check_passages(run, count, json.loads(some))


def _mapped_in(taken: Selection, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield, per run, the number of rows that can be mapped, and some names of documents."""
    for frame in map(frame_of, batches):
        for (run,), part in frame.drop_nulls().partition_by("run", as_dict=True).items():
            given = part["document"]
            some = json.dumps(given.unique(maintain_order=True).head(SHOWN).to_list())
            known = taken.documents_of(given).count()
            yield pa.RecordBatch.from_pylist([{"run": run, "n": known, "some": some}])


def collect(
    data: DataFrame | QrelsLike | Collection,
    runs: DataFrame | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
    bounds: bool = False,
    unjudged: str = "retrieved",
    mean: Mean = "arithmetic",
) -> Scores:
    """Score on Spark and return `Scores` on the driver, for tables, charts and `confidence`.

    Runs are sorted by name. `data` and `runs` are as for `score` here, other parameters as for
    `rankwise.score`.
    """
    assumed = str(Possible.parse(unjudged))
    check_word("mean", mean, get_args(Mean))
    collection = _collection(data, runs)
    job = prepare_job(collection, parse_all(metrics, rel))
    # Common topics are selected on the driver, because a note has their number.
    work = partial(job.part.score, "all", assumed if bounds else None, collection.undefined)
    with as_locally():
        rows = to_polars(by_parts(job.rows, work, SCORED))
    scores = replace(gathered(job, rows, assumed if bounds else None), averaged=mean)
    scores = scores.with_groups(collection.topic_groups)
    return scores if collection.topics == "all" else over_common_topics(scores)


def _collection(data: DataFrame | QrelsLike | Collection, runs: DataFrame | None) -> Collection:
    """Return judgments and runs as a collection, whose runs must be a Spark data frame."""
    collection = as_collection(cast("QrelsLike", data), cast("RunsLike", runs))
    if not isinstance(collection.runs, DataFrame):
        kind = type(collection.runs).__name__
        raise CallError(f"runs must be a Spark data frame, not a {kind}. Use spark.read_runs.")
    if collection.lengths is not None:
        text = " are not supported on Spark. Score these metrics locally."
        raise CallError(Argument("lengths"), text)
    return collection


def dropped(data: DataFrame | QrelsLike | Collection, runs: DataFrame | None = None) -> list[Note]:
    """Return notes with the numbers of rows that `lenient` drops.

    These rows are malformed or have duplicate documents. Notes on the judgments and on the filters
    come first.
    """
    job = prepare_job(replace(_collection(data, runs), lenient=True), parse_all("NumRet"))
    with as_locally():
        rows = to_polars(by_parts(job.rows, partial(job.part.score, "all", None, "skip"), SCORED))
    return [*job.notes, *dropped_notes(rows)]


def compare(
    data: DataFrame | QrelsLike | Collection,
    runs: DataFrame | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
    baseline: str | None = None,
    test: Test | TestOptions = "t",
    correction: Correction | None = None,
    family: Family = "metric",
    alpha: float = 0.05,
    resamples: int | None = None,
    seed: int = 0,
    bounds: bool = True,
    unjudged: str = "retrieved",
) -> Comparison:
    """Compare runs in pairs on Spark, like `rankwise.compare`.

    Executors compute scores and bounds on differences by topic, and the driver runs the tests. With
    many topics, pass a `baseline` to limit the pairs, because the driver receives a row per topic,
    metric and pair. Pairs are in the order of the runs' names. Bounds and gaps are those of
    `effort=0`, without a search: tight if the metric has a formula for them, otherwise perhaps too
    wide.

    Parameters
    ----------
    data, runs
        As for `score` here.
    metrics, rel, baseline, test, correction, family, alpha, resamples, seed, bounds, unjudged
        As for `rankwise.compare`.

    Returns
    -------
    Comparison
        The result of `rankwise.compare`.
    """
    options = test_options(test, baseline, correction, family, alpha, resamples, seed)
    Possible.between_runs(unjudged)
    collection = _collection(data, runs)
    job = prepare_job(collection, parse_all(metrics, rel))
    pairs = choose_pairs(job.part.runs, options.baseline) if bounds else None
    work = partial(job.part.compare, pairs, unjudged, collection.undefined)
    with as_locally():
        rows = to_polars(by_parts(job.rows, work, COMPARED))
    scores = gathered(job, rows.filter(pl.col("other").is_null()), None)
    scores = scores.with_groups(collection.topic_groups)
    if not bounds:
        return compare_scored(scores, options, collection.topics)
    ends = partial(_differences, scores, rows.filter(pl.col("other").is_not_null()), unjudged)
    return compare_scored(scores, options, collection.topics, ends, unjudged)


def _differences(
    scores: Scores, rows: pl.DataFrame, unjudged: str, metric: Metric, first: Ints, second: Ints
) -> Differences:
    """Return the bounds on differences of pairs of runs by one metric, from rows of executors.

    `first` and `second` have the runs of each pair. The bounds have shape (pairs, topics).
    """
    names = pl.Series(scores.runs)
    pairs = pl.DataFrame({"run": names.gather(first), "other": names.gather(second)})
    pair = pairs.with_row_index("pair")
    here = rows.filter(pl.col("metric") == str(metric)).join(pair, on=["run", "other"])
    cubes, _ = cubes_of(here, {"pair": range(len(first)), "topic": scores.topics}, ENDS)
    about = (metric, unjudged, scores.runs, scores.topics)
    return Differences(*about, first, second, Ends(**cubes))
