"""The same functions on Apache Spark: where one machine ends.

    scores = rankwise.spark.score(qrels, runs, ["nDCG@10", "AP"], bounds=True)
    scores.write.partitionBy("run", "metric").parquet("scores")
    rankwise.spark.summary(scores)

Rows are brought together by topic, in one shuffle. Each part of the topics is then scored by
`rankwise.score` itself, in one call, which reads its rows as a stream of Arrow batches; so
neither a topic of millions of documents nor a hundred thousand tiny ones is a special case.
Judgments that are few travel to every executor; many go through the shuffle with the runs.

Some metrics look at the whole collection, as for the highest grade in the qrels. So to every
part one more topic is added, in which each grade of the qrels occurs and which every run
answers. It is left out of the result, and every number is the one that `rankwise.score` gives.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

import numpy as np
import polars as pl

from rankwise.arrays import CANCELLATION, Bools, Floats, Ints
from rankwise.bounds import least_mean_of
from rankwise.comparison import Comparison, TestOptions, choose_pairs, compare_scored, test_options
from rankwise.comparison.verdicts import Differences, Ends, difference_bounds
from rankwise.errors import (
    CallError,
    InputError,
    MetricError,
    RankwiseError,
    UnknownMetric,
    WrongParameter,
    check_word,
    shorten,
)
from rankwise.formats import (
    SUBTOPICS,
    Columns,
    ColumnsGiven,
    File,
    Part as FilePart,
    Source,
    find_columns,
    parse_columns,
    recognise,
)
from rankwise.metrics import REGISTRY, Metric, parse, parse_all
from rankwise.rankings import (
    EVERY_GRADE,
    SHOWN,
    WHOLE,
    Collection,
    Gains,
    JudgedRankings,
    NamedRun,
    Possible,
    Qrels,
    QrelsLike,
    RunsLike,
    Selection,
    Stream,
    Taken,
    TopicsOfRun,
    about_incomplete,
    about_judgments_left_out,
    about_self,
    about_tied,
    about_topics,
    as_collection,
    distinct_names,
    incomplete,
    judge_loaded,
    read_judgments,
    read_qrels,
    read_rows,
    run_loaders,
    stem,
    summed,
    table_of_groups,
    topic_order,
    with_every_grade,
)
from rankwise.scores import (
    DEFAULT_METRICS,
    LEAST_IN_GEOMETRIC_MEAN,
    MetricsLike,
    Scores,
    counting_undefined,
    needs_of,
    over_common_topics,
    score_judged,
)
from rankwise.stats import Moments, t_interval_of
from rankwise.vocabulary import (
    Correction,
    Family,
    Mean,
    Order,
    Test,
    Topics,
    Undefined,
)

try:
    import pyarrow as pa
    from py4j.protocol import Py4JError
    from pyspark import cloudpickle
    from pyspark.errors import PySparkException
    from pyspark.sql import Column, DataFrame, SparkSession, functions as sf
    from pyspark.sql.types import (
        ArrayType,
        BooleanType,
        DecimalType,
        DoubleType,
        FloatType,
        MapType,
        StringType,
        StructType,
    )
except ModuleNotFoundError as error:
    raise CallError(f"rankwise.spark needs {error.name}: pip install pyspark pyarrow.") from None

if TYPE_CHECKING:
    from pyspark import Broadcast

BROADCAST = 1 << 20  # judgments that travel to every executor; more go through the shuffle
JUDGMENT, RETRIEVED = 0, 1  # the column `kind`: judgments come first in each part
COLUMNS = "run string, topic string, metric string, value double, low double, high double"
SCORED = f"{COLUMNS}, present boolean, tight boolean"
ENDS = ("value", "low", "high", "reached_low", "reached_high")
COMPARED = f"{COLUMNS}, reached_low double, reached_high double, other string, present boolean"
RUN_ROWS = "run string, topic string, document string, score double"
ARROW = {"string": pa.string(), "double": pa.float64(), "boolean": pa.bool_(), "long": pa.int64()}
BATCH = 1 << 16  # rows of a result
WANTED = ["topic", "document", "score"]
ORDERED_BY: dict[str, list[str]] = {"score": ["score"], "rank": ["score", "rank"]}
NAMES = {"topic", "document", "run", "iteration"}  # what is text
RUN_ROLES = ["run", "topic", "document", "score", "rank"]
RUN_SCHEMA = pl.Schema(
    dict(zip(RUN_ROLES, [*[pl.String()] * 3, pl.Float64(), pl.Int64()], strict=True))
)
KINDS: dict[str, Callable[[str], RankwiseError]] = {
    kind.__name__: kind for kind in (CallError, MetricError, UnknownMetric, WrongParameter)
}
KINDS["InputError"] = lambda message: InputError(*message.partition(": ")[::2])
SAID = re.compile(r"rankwise\.errors\.(\w+): ([^\n]*)")


def score(
    data: DataFrame | QrelsLike | Collection,
    runs: DataFrame | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
    bounds: bool = False,
    unjudged: str = "retrieved",
) -> DataFrame:
    """Score runs against judgments: what `rankwise.score` does, on Spark.

    What is wrong with the rows ends the job that reads the result, with the message that
    `rankwise.score` gives, naming run and topic.

    Parameters
    ----------
    data
        Judgments: a Spark data frame, or anything that `rankwise.score` takes; or what
        `rankwise.read` returns for these and the runs. Its `order` is `score` or `rank`: rows
        of a Spark table have no order of their own. Rows of other topics than `only_topics` are
        excluded before the shuffle. With `map_documents` all names are looked at once before:
        a run of which none is a passage is an error. `dropped` says what `lenient` skips. With
        `topic_groups` a column `group` comes first, null where a topic is in none;
        `summary(scores.where("group = 'head'"))` has the means of one.
    runs
        A Spark data frame of one run, or of several with a column `run`. Columns are found
        by the names that people give them, as in other frames.
    metrics, rel, bounds, unjudged
        As for `rankwise.score`. How to average is asked of `summary`.

    Returns
    -------
    DataFrame
        Columns run, topic, metric, value, low and high; null where there is no such number.
        Every judged topic is there for every run; a run that has none of them, which
        `rankwise.score`, `collect` and `compare` refuse, has found nothing.
    """
    assumed = str(Possible.parse(unjudged))  # refuse a wrong one before any work is done
    collection = _collection(data, runs)
    given = collection.topic_groups
    groups = None if given is None else table_of_groups(given)
    job = _job(collection, parse_all(metrics, rel))
    if collection.filters.maps:
        _check_mapped(job, collection.filters)
    work = partial(
        job.part.score, collection.topics, assumed if bounds else None, collection.undefined
    )
    rows = job.rows.mapInArrow(work, SCORED)
    names = [column.split()[0] for column in COLUMNS.split(", ")]
    found = rows.where(sf.col("metric").isNotNull()).select(*names)
    return found if groups is None else _with_groups(found, groups).select("group", *names)


def _with_groups(rows: DataFrame, groups: Mapping[str, str]) -> DataFrame:
    columns = {"topic": list(groups), "group": list(groups.values())}
    table = rows.sparkSession.createDataFrame(pa.table(columns))
    return rows.join(sf.broadcast(table), "topic", "left")


def _check_mapped(job: Job, taken: Selection) -> None:
    """That of every run some document is a passage: no part would see it."""
    retrieved = job.retrieved.select("run", "document")
    with as_locally():
        counts = retrieved.mapInArrow(partial(_mapped_in, taken), "run string, n long, some string")
        found = _to_polars(counts.groupBy("run").agg(sf.sum("n"), sf.first("some")))
    for run, count, some in found.sort("run").iter_rows():
        taken.check_passages(run, count, json.loads(some))


def _mapped_in(taken: Selection, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Of how many rows of each run there is a document, and what some are called."""
    for frame in map(_frame_of, batches):
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
    """The same as `Scores`, brought to the driver: for tables, charts and confidence.

    Runs come by name. See `rankwise.score` for the parameters.
    """
    assumed = str(Possible.parse(unjudged))
    check_word("mean", mean, get_args(Mean))
    collection = _collection(data, runs)
    job = _job(collection, parse_all(metrics, rel))
    # Which topics are common is asked of the whole: their number is in a note.
    work = partial(job.part.score, "all", assumed if bounds else None, collection.undefined)
    with as_locally():
        rows = _to_polars(job.rows.mapInArrow(work, SCORED))
    scores = replace(_gathered(job, rows, assumed if bounds else None), averaged=mean)
    scores = scores.with_groups(collection.topic_groups)
    return scores if collection.topics == "all" else over_common_topics(scores)


def _collection(data: DataFrame | QrelsLike | Collection, runs: DataFrame | None) -> Collection:
    """Return judgments and runs as one value; both may be Spark's data frames."""
    collection = as_collection(cast("QrelsLike", data), cast("RunsLike", runs))
    if not isinstance(collection.runs, DataFrame):
        kind = type(collection.runs).__name__
        raise CallError(f"runs are a Spark data frame here, not a {kind}: see spark.read_runs.")
    if collection.lengths is not None:
        raise CallError("`lengths` are not read on Spark: score such metrics locally.")
    return collection


def dropped(data: DataFrame | QrelsLike | Collection, runs: DataFrame | None = None) -> list[str]:
    """Count what `lenient` drops: bad rows and duplicate documents, a note for each."""
    job = _job(replace(_collection(data, runs), lenient=True), parse_all("NumRet"))
    with as_locally():
        rows = _to_polars(job.rows.mapInArrow(partial(job.part.score, "all", None, "skip"), SCORED))
    return [*job.notes, *_dropped(rows)]


def summary(scores: DataFrame, level: float = 0.95, *, mean: Mean = "arithmetic") -> pl.DataFrame:
    """The mean of each run and metric, with its confidence interval over topics.

    From sums that the executors make and Spark merges: no topic comes to the driver, but
    for the bounds of those that are undefined. A mean may differ from that of
    `rankwise.score` in the last bits, as the order of the sum does.

    Parameters
    ----------
    scores
        What `score` returned.
    level
        The confidence, between 0 and 1.
    mean
        `arithmetic` or `geometric`; counts are added up.

    Returns
    -------
    polars.DataFrame
        Columns run, metric, value, low, high (bounds of the mean), conf_low, conf_high,
        topics and undefined.
    """
    if not 0 < level < 1:
        raise CallError(f"confidence {level:g} is not between 0 and 1, as 0.95 is.")
    check_word("mean", mean, get_args(Mean))
    with as_locally():
        sums = _to_polars(_sums(scores, mean)).sort("metric", "run")
    added = np.array([parse(name).aggregate == "sum" for name in sums["metric"]], np.bool_)
    topics, average = sums["topics"].to_numpy(), _numbers(sums, "mean")
    sd = np.where(_numbers(sums, "sd") > CANCELLATION * _numbers(sums, "most"), sums["sd"], 0.0)
    found = Moments(average, np.where(topics > 1, sd, np.nan), topics)
    times = np.where(added, topics, 1)
    ends = [end * times for end in t_interval_of(found, level)]
    low, high = _least_mean(sums, "low", 1, added), -_least_mean(sums, "high", -1, added)
    names = ("value", "low", "high", "conf_low", "conf_high")
    columns = dict(zip(names, (average * times, low, high, *ends), strict=True))
    if mean == "geometric":
        columns = {name: np.exp(c, out=c, where=~added) for name, c in columns.items()}
    series = [pl.Series(name, column, nan_to_null=True) for name, column in columns.items()]
    return sums.select("run", "metric", *series, "topics", "undefined")


def _sums(scores: DataFrame, mean: Mean) -> DataFrame:
    """What the executors add up for each run and metric."""
    counts = [name for name, metric in REGISTRY.items() if metric.aggregate == "sum"]
    is_count = sf.regexp_extract("metric", r"^\w+", 0).isin(counts)

    def averaged(name: str) -> Column:
        if mean == "arithmetic":
            return sf.col(name)
        logs = sf.log(sf.greatest(sf.col(name), sf.lit(LEAST_IN_GEOMETRIC_MEAN)))
        return sf.when(sf.col(name).isNull() | is_count, sf.col(name)).otherwise(logs)

    value, defined = averaged("value"), sf.col("value").isNotNull()
    columns = [sf.avg(value).alias("mean"), sf.stddev_samp(value).alias("sd")]
    columns += [sf.max(sf.abs(value)).alias("most"), sf.count("value").alias("topics")]
    columns += [sf.count_if(~defined).alias("undefined")]
    for end in ("low", "high"):
        known = sf.count_if(defined & sf.col(end).isNotNull())
        columns += [known.alias(f"{end}_known")]
        columns += [sf.sum(sf.when(defined, averaged(end))).alias(f"{end}_sum")]
        columns += [sf.collect_list(sf.when(~defined, averaged(end))).alias(f"{end}_later")]
    return scores.groupBy("run", "metric").agg(*columns)


def _least_mean(sums: pl.DataFrame, end: str, sign: int, added: Bools) -> Floats:
    """The least mean of what is a bound (the greatest, with the sign turned)."""
    topics = sums["topics"].to_numpy()
    known = sums[f"{end}_known"].to_numpy() == topics
    total = np.where(known, sums[f"{end}_sum"].fill_null(0.0).to_numpy(), np.nan)
    later = sums[f"{end}_later"].to_list()
    values = np.full((len(later), max(map(len, later), default=0)), np.nan)
    for row, found in enumerate(later):
        values[row, : len(found)] = found
    return least_mean_of(sign * total[:, None], topics[:, None], sign * values, is_sum=added)


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
    """Compare runs in pairs: what `rankwise.compare` does, on Spark.

    Scores, and what unjudged documents could change of each difference, are computed topic
    by topic on the executors; the tests are made of these on the driver. With many topics
    give a `baseline`: there is a row for each topic, metric and pair. Pairs are in the order
    of the names of the runs. Bounds and gaps are those of `effort=0`: exact where the metric has
    a formula, valid without a search elsewhere.

    Parameters
    ----------
    data, runs
        As for `score` here.
    metrics, rel, baseline, test, correction, family, alpha, resamples, seed, bounds, unjudged
        As for `rankwise.compare`.

    Returns
    -------
    Comparison
        What `rankwise.compare` returns.
    """
    options = test_options(test, baseline, correction, family, alpha, resamples, seed)
    Possible.between_runs(unjudged)
    collection = _collection(data, runs)
    job = _job(collection, parse_all(metrics, rel))
    pairs = choose_pairs(job.part.runs, options.baseline) if bounds else None
    work = partial(job.part.compare, pairs, unjudged, collection.undefined)
    with as_locally():
        rows = _to_polars(job.rows.mapInArrow(work, COMPARED))
    scores = _gathered(job, rows.filter(pl.col("other").is_null()), None)
    scores = scores.with_groups(collection.topic_groups)
    if not bounds:
        return compare_scored(scores, options, collection.topics)
    ends = partial(_differences, scores, rows.filter(pl.col("other").is_not_null()), unjudged)
    return compare_scored(scores, options, collection.topics, ends, unjudged)


def _differences(
    scores: Scores,
    rows: pl.DataFrame,
    unjudged: str,
    metric: Metric,
    first: Ints,
    second: Ints,
) -> Differences:
    """The differences of pairs in one metric, pairs × topics, from rows of all of them."""
    names = pl.Series(scores.runs)
    pairs = pl.DataFrame({"run": names.gather(first), "other": names.gather(second)})
    pair = pairs.with_row_index("pair").with_columns(pl.col("pair").cast(pl.Int64))
    topic = {name: at for at, name in enumerate(scores.topics)}
    here = rows.filter(pl.col("metric") == str(metric)).join(pair, on=["run", "other"])
    place = (here["pair"].to_numpy(), _codes(here["topic"], topic))
    cubes = {name: np.full((len(first), len(topic)), np.nan) for name in ENDS}
    for name, cube in cubes.items():
        cube[place] = _numbers(here, name)
    about = (metric, unjudged, scores.runs, scores.topics)
    return Differences(*about, first, second, Ends(**cubes))


@dataclass(frozen=True, eq=False)
class Part:
    """What an executor needs to know to work on a part of the topics."""

    metrics: tuple[Metric, ...]
    runs: tuple[str, ...]
    grades: tuple[float, ...]  # that occur in the qrels
    reading: Collection  # without judgments, runs and files of filters
    filters: Selection
    qrels: Broadcast[Qrels] | None  # None where judgments are among the rows

    def score(
        self,
        topics: Topics,
        unjudged: str | None,
        undefined: Undefined,
        batches: Iterator[pa.RecordBatch],
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a part as those of its scores, and of what was read."""
        given = self._given(batches)
        if given is None:
            return
        bounds: dict[str, Any] = {"bounds": unjudged is not None}
        bounds["unjudged"] = unjudged or "retrieved"
        assumption = None if unjudged is None else Possible.parse(unjudged)
        needs = needs_of(self.metrics, assumption)
        judged = self._joined(
            *given,
            retrieved=needs.documents,
            share_ties=needs.whole_ties,
            count_unjudged=needs.unjudged_counts and len(self.runs) > 1,
        )
        scores = counting_undefined(score_judged(judged, self.metrics, **bounds), undefined)
        found = scores if topics == "all" else over_common_topics(scores)
        yield from _batches(self._rows_of(found), SCORED)
        yield from _batches(_rows_on_reading(judged), SCORED)

    def compare(
        self,
        pairs: tuple[Ints, Ints] | None,
        unjudged: str,
        undefined: Undefined,
        batches: Iterator[pa.RecordBatch],
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a part as those of its scores and of the differences of pairs."""
        given = self._given(batches)
        if given is None:
            return
        sharing = any(metric.shares_ties for metric in self.metrics)
        judged = self._joined(*given, retrieved=pairs is not None, share_ties=sharing)
        scores = counting_undefined(score_judged(judged, self.metrics), undefined)
        yield from _batches(self._rows_of(scores), COMPARED)
        yield from _batches(_rows_on_reading(judged), COMPARED)
        for metric in self.metrics:
            if pairs is not None and not metric.is_diagnostic:
                # No search: its effort is for all topics together, which no part sees.
                found = difference_bounds(judged, metric, *pairs, unjudged, 0)
                ends = counting_undefined(found.by_topic, undefined)
                yield from _batches(_rows_of_ends(found, ends), COMPARED)

    def _joined(
        self,
        qrels: Any,
        runs: Stream,
        *,
        retrieved: bool,
        share_ties: bool,
        count_unjudged: bool = False,
    ) -> JudgedRankings:
        """The rankings of a part, judged; of runs only what is to be taken."""
        order, lenient = self.reading.order, self.reading.lenient
        gains = self.reading.gains if self.qrels is None else None  # else they are given already
        loaders = run_loaders(runs, order=order, lenient=lenient)
        with _without_lines():
            return judge_loaded(
                read_judgments(qrels, gains=gains, lenient=lenient),
                _filters_of_part(self.filters).of_runs(loaders, order),
                order=order,
                depth=self.reading.depth,
                retrieved=retrieved,
                count_unjudged=count_unjudged,
                share_ties=share_ties,
            )

    def _given(self, batches: Iterator[pa.RecordBatch]) -> tuple[Any, Any] | None:
        """The judgments and the runs of a part; None where it is empty."""
        frames = map(_frame_of, batches)
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
        """The judgments of a part, from its rows or for the topics that they name."""
        if self.qrels is None:
            columns = rows.select("topic", "document", "grade", "iteration")
            return with_every_grade(columns, self.grades)
        whole = self.qrels.value
        frame = whole.frame.filter(pl.col("topic").is_in(rows["topic"].unique()))
        return replace(whole, notes=(), frame=with_every_grade(frame, self.grades))

    def _answers(self, schema: pl.Schema) -> pl.DataFrame:
        """What every run has for the topic of all grades, in columns like those of the part."""
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
    """What the driver makes notes of, in rows without a metric.

    What was dropped as it is said, in the column `run`; of each run how its topics meet the
    judgments, in the column `topic`.
    """
    said: list[tuple[str, str | None]]
    said = [(note, None) for note in judged.notes if "dropped" in note]
    for run, found in zip(judged.runs, judged.topics_of_runs, strict=True):
        first = tuple(topic for topic in found.first if topic != EVERY_GRADE)
        own = found._replace(judged=found.judged - 1, first=first)
        said += [(run, json.dumps(own))]
    return pl.DataFrame(said, schema={"run": pl.String, "topic": pl.String}, orient="row")


def _frame_of(batch: pa.RecordBatch) -> pl.DataFrame:
    found = pl.from_arrow(batch)
    assert isinstance(found, pl.DataFrame)
    return found


def _run_rows(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(name for name in RUN_ROLES if name in frame.columns)


def _rows_of_ends(found: Differences, ends: Ends) -> pl.DataFrame:
    """A row for each pair and topic."""
    runs, topics = pl.Series(found.runs), np.tile(np.arange(len(found.topics)), len(found.first))
    pairs = np.repeat(np.arange(len(found.first)), len(found.topics))
    columns = {name: getattr(ends, name).ravel() for name in ENDS}
    rows = pl.DataFrame(
        {
            "run": runs.gather(found.first[pairs]),
            "other": runs.gather(found.second[pairs]),
            "topic": pl.Series(found.topics).gather(topics),
            **{name: pl.Series(column, nan_to_null=True) for name, column in columns.items()},
        }
    )
    named = rows.with_columns(metric=pl.lit(str(found.metric)))
    return named.filter(pl.col("topic") != EVERY_GRADE)


def _batches(frame: pl.DataFrame, schema: str) -> Iterator[pa.RecordBatch]:
    """A frame as Spark wants it: columns that it lacks are null."""
    kinds = dict(column.split() for column in schema.split(", "))
    wanted = pa.schema([(name, ARROW[kind]) for name, kind in kinds.items()])
    there = [pl.col(n) if n in frame.columns else pl.lit(None).alias(n) for n in kinds]
    yield from frame.select(there).to_arrow().cast(wanted).to_batches(max_chunksize=BATCH)


@dataclass(frozen=True, eq=False)
class Job:
    """Rows brought together by topic, and what is to be known to work on a part of them."""

    rows: DataFrame
    retrieved: DataFrame  # those of runs, before that
    part: Part
    has_gains: bool
    notes: tuple[str, ...] = ()


def _filters_of_part(filters: Selection) -> Selection:
    """Return the filters of a part's runs, which hold no rows of other topics."""
    spared = EVERY_GRADE if filters.maps or filters.drop_self else None
    return replace(filters, topics=None, spared=spared)


def _job(collection: Collection, metrics: Sequence[Metric]) -> Job:
    if collection.order == "file":
        what = "rows of a Spark table have no order of their own"
        raise CallError(f"order 'file': {what}. Give ranks in a column, and `order='rank'`.")
    wanted, filters = tuple(metrics), collection.filters
    if not wanted:
        raise CallError("no metric is given.")
    runs: Any = collection.runs
    _send_by_value(wanted)
    rows = _roles(runs, "the run", ["topic", "document", *ORDERED_BY[collection.order]], ["run"])
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
    # Executors have no files of the driver's: the filters travel as they were read.
    nothing: Any = {"only_topics": None, "map_documents": None, "topic_groups": None}
    reading = replace(collection, qrels=None, runs=None, **nothing)
    part = Part(wanted, names, judged.grades, reading, filters, judged.broadcast)
    return Job(by_topic, rows, part, judged.has_gains, notes)


def _of_asked_topics(rows: DataFrame, names: Sequence[str], taken: Selection) -> DataFrame:
    """The rows of the topics asked for; an error where a run has none of them."""
    if taken.topics is None:
        return rows
    left = _of_topics(rows, taken)
    with as_locally():
        there = set(_to_polars(left.select("run").distinct())["run"].to_list())
        for name in names:
            if name not in there:
                of_run = rows.where(sf.col("run") == name).select("topic").distinct()
                some = _to_polars(of_run.orderBy("topic").limit(SHOWN))["topic"].to_list()
                taken.about(name, Taken(topics=tuple(some)))
    return left


def _as_judged(rows: DataFrame, taken: Selection) -> DataFrame:
    """Documents in place of passages, and none that is named like its topic."""
    found = rows.select("run", "topic", "document")
    if taken.maps:
        names = "run string, topic string, document string"
        found = found.mapInArrow(partial(_with_documents, taken, names), names)
    return found.where("topic != document") if taken.drop_self else found


def _with_documents(
    taken: Selection, schema: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for frame in map(_frame_of, batches):
        given = frame["document"]
        documents = taken.documents_of(given).fill_null(given)
        yield from _batches(frame.with_columns(document=documents), schema)


def _of_topics(rows: DataFrame, taken: Selection) -> DataFrame:
    if taken.topics is None:
        return rows
    topics = rows.sparkSession.createDataFrame(pa.table({"topic": sorted(taken.topics)}))
    return rows.join(sf.broadcast(topics), "topic", "left_semi")


def _send_by_value(metrics: Sequence[Metric]) -> None:
    """Metrics of the user's own are in files that the executors do not have."""
    for metric in metrics:
        home = inspect.getmodule(type(metric))
        if not metric.is_builtin and home is not None and home.__name__ != "__main__":
            cloudpickle.register_pickle_by_value(home)


def _roles(
    frame: DataFrame,
    source: str,
    wanted: list[str],
    optional: Sequence[str] = (),
    more: Sequence[tuple[str, str]] = (),
    columns: Columns | None = None,
) -> DataFrame:
    """The wanted columns under our names; topics and documents as text."""
    try:
        names = pl.DataFrame(schema=frame.columns)
        found = find_columns(names, source, wanted, list(optional), columns or {}) | dict(more)
    except InputError as error:
        raise error.without_remedy() from None
    for role in {"topic", "document", "run"} & found.keys():
        if isinstance(frame.schema[found[role]].dataType, FloatType | DoubleType | DecimalType):
            raise InputError(source, f"column {found[role]} holds fractions; names are text.")
    for role, name in found.items():
        kind = frame.schema[name].dataType
        if isinstance(kind, ArrayType | MapType | StructType):
            what = f"column {name} holds lists or objects ({kind.simpleString()})"
            raise InputError(source, f"{what}, which cannot be a {role}.")
        if isinstance(kind, BooleanType) and role != "grade":
            raise InputError(source, f"column {name} holds true or false: that is no {role}.")
    given = {role: sf.col(f"`{name}`") for role, name in found.items()}
    text = {role: column.cast(StringType()) for role, column in given.items() if role in NAMES}
    return frame.select(*(column.alias(role) for role, column in (given | text).items()))


class Judged(NamedTuple):
    """The judgments of a job: rows of them, or of their topics where they are sent to all."""

    rows: DataFrame
    grades: tuple[float, ...]
    has_gains: bool
    broadcast: Broadcast[Qrels] | None = None
    notes: tuple[str, ...] = ()


def _judgments(collection: Collection, spark: SparkSession) -> Judged:
    qrels: Any = collection.qrels
    given = qrels
    if isinstance(qrels, DataFrame):
        rows = _judgment_rows(qrels)
        if qrels.count() > BROADCAST:
            return _judgments_among_rows(rows, collection.gains, collection.filters)
        given = _to_polars(rows)
    with _without_lines() if isinstance(qrels, DataFrame) else nullcontext():
        whole = read_qrels(given, gains=collection.gains, lenient=collection.lenient)
    found = collection.filters.of_qrels(whole)
    topics = pa.table({"topic": found.frame["topic"].unique().to_list()})
    named = spark.createDataFrame(topics).withColumn("kind", sf.lit(JUDGMENT))
    grades = tuple(found.frame["grade"].unique().sort().to_list())
    sent = spark.sparkContext.broadcast(replace(found, notes=()))
    return Judged(named, grades, found.gains is not None, sent, found.notes)


def _judgment_rows(qrels: DataFrame) -> DataFrame:
    """Judgments, with a column `iteration` that diversity qrels have by some name."""
    roles = ["topic", "document", "grade"]
    name = next((name for name in qrels.columns if name.strip().lower() in SUBTOPICS), None)
    if name is None:
        return _roles(qrels, "the qrels", roles).withColumn("iteration", sf.lit("0"))
    return _roles(qrels, "the qrels", roles, more=[("iteration", name)])


def _judgments_among_rows(rows: DataFrame, gains: Gains | None, taken: Selection) -> Judged:
    """Of judgments that are many only the grades come to the driver."""
    rows, notes = _taken_of_judgments(rows, taken)
    grades = _to_polars(rows.select("grade").distinct())["grade"].cast(pl.Float64, strict=False)
    usable = grades.filter(grades.is_finite()).unique().sort().to_list()
    has_gains = gains is not None or any(grade != int(grade) for grade in usable)
    sent = rows.withColumn("kind", sf.lit(JUDGMENT))
    return Judged(sent, tuple(usable), has_gains, notes=notes)


def _taken_of_judgments(rows: DataFrame, taken: Selection) -> tuple[DataFrame, tuple[str, ...]]:
    notes: list[str] = []
    if taken.topics is not None:
        _, notes = taken.of_topics(_to_polars(rows.select("topic").distinct()))
        rows = _of_topics(rows, taken)
    if taken.drop_self:
        is_self = sf.col("topic").eqNullSafe(sf.col("document"))
        notes = [*notes, *about_judgments_left_out(rows.where(is_self).count())]
        rows = rows.where(~is_self)
    return rows, tuple(notes)


def _names(rows: DataFrame) -> tuple[str, ...]:
    found = _to_polars(rows.select("run").distinct())["run"].drop_nulls()
    names = tuple(sorted(name for name in found.to_list() if name))
    if not names:
        raise InputError("the run", "holds no rows.")
    return names


def _complete(
    rows: DataFrame, judgments: DataFrame, names: tuple[str, ...]
) -> tuple[tuple[str, ...], str]:
    """The runs that are complete, see `incomplete`, and a note on the others."""
    topics = judgments.select("topic").distinct()
    here = rows.join(topics, "topic", "left_semi").groupBy("run", "topic")
    counts = here.agg(sf.countDistinct("document").alias("n")).groupBy("run")
    found = _to_polars(counts.agg(sf.collect_list("n").alias("n")))
    retrieved = dict(zip(found["run"].to_list(), found["n"].to_list(), strict=True))
    judged = topics.count()
    counted = {name: _padded(retrieved.get(name, []), judged) for name in names}
    out = [name for name in names if incomplete(counted[name])]
    note = about_incomplete(out, len(names))
    return tuple(name for name in names if name not in out), note


def _padded(counts: Sequence[int], topics: int) -> Ints:
    """A count for each topic: 0 for those that a run lacks."""
    return np.array([*counts, *[0] * (topics - len(counts))], np.int64)


def _gathered(job: Job, rows: pl.DataFrame, unjudged: str | None) -> Scores:
    """Scores from rows of them, of which every run has all topics."""
    scored = rows.filter(pl.col("metric").is_not_null())
    metrics, runs = job.part.metrics, job.part.runs
    names = [str(metric) for metric in metrics]
    topics = topic_order(scored["topic"].unique().to_list())
    axes = {"metric": names, "run": runs, "topic": topics}
    place = tuple(
        _codes(scored[axis], {name: at for at, name in enumerate(of)}) for axis, of in axes.items()
    )
    cubes: dict[str, Any] = {}
    for name in ("value", "low", "high") if unjudged else ("value",):
        cubes[name] = np.full([len(of) for of in axes.values()], np.nan)
        cubes[name][place] = _numbers(scored, name)
    present = np.zeros((len(runs), len(topics)), np.bool_)
    present[place[1:]] = scored["present"].to_numpy()
    outer: tuple[str, ...] = ()
    if unjudged:
        loose = set(scored.filter(~pl.col("tight"))["metric"].to_list())
        outer = tuple(name for name in names if name in loose)
    unused = tuple(str(m) for m in metrics if job.has_gains and not m.takes_gains)
    # Which topics were there is known: see `_of_asked_topics`.
    taken = replace(job.part.filters, topics=None)
    return Scores(
        *(metrics, runs, tuple(topics)),
        **cubes,
        present=present,
        input_notes=(*job.notes, *_dropped(rows), *_on_topics(rows, runs, topics, taken)),
        outer=outer,
        unjudged=unjudged,
        gains_unused=unused,
    )


def _codes(names: pl.Series, number: Mapping[str, int]) -> Ints:
    return names.replace_strict(number, return_dtype=pl.Int64).to_numpy()


def _numbers(frame: pl.DataFrame, name: str) -> Floats:
    return frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy()


def _dropped(rows: pl.DataFrame) -> tuple[str, ...]:
    """What the parts say that they dropped, added up."""
    said = rows.filter(pl.col("metric").is_null() & pl.col("topic").is_null())
    return summed(said["run"].sort().to_list())


def _on_topics(
    rows: pl.DataFrame, runs: Sequence[str], topics: Sequence[str], taken: Selection
) -> list[str]:
    """Notes on how the topics of each run meet the judgments; an error where none does."""
    found = dict.fromkeys(runs, TopicsOfRun(taken=Taken()))
    said = rows.filter(pl.col("metric").is_null() & pl.col("topic").is_not_null())
    for run, text in said.select("run", "topic").iter_rows():
        found[run] = found[run].plus(_topics_of_run(text))
    notes = about_self([run for run in runs if found[run].holds_self]) + about_tied(found)
    for run, of in found.items():
        if of.taken is not None:
            notes += taken.about(run, of.taken)
        notes += about_topics(run, of._replace(first=tuple(topic_order(of.first))), topics)
    return notes


def _topics_of_run(text: str) -> TopicsOfRun:
    found = TopicsOfRun(*json.loads(text))
    if found.taken is not None:
        taken = Taken(*found.taken)
        taken = taken._replace(topics=tuple(taken.topics), names=tuple(taken.names))
        found = found._replace(taken=taken)
    return found._replace(first=tuple(found.first), first_tied=tuple(found.first_tied))


def _to_polars(frame: DataFrame) -> pl.DataFrame:
    with as_locally():
        found = pl.from_arrow(frame.toArrow())
    assert isinstance(found, pl.DataFrame)
    return found


@contextmanager
def _without_lines() -> Iterator[None]:
    """What is wrong with rows, without their number: rows of a Spark table have none."""
    try:
        yield
    except InputError as error:
        if not error.faults:
            raise
        first, *others = error.faults
        what = f"{first.what.partition(', first at')[0]}: {shorten(first.text)}"
        more = f" (and {len(others):,} like it)" if others else ""
        raise InputError(error.source, f"{what}{more}.", remedy=error.remedy) from None


@contextmanager
def as_locally() -> Iterator[None]:
    """What rankwise says on an executor, said by the driver, without the trace of Spark.

    >>> with as_locally():
    ...     raise RuntimeError("Job aborted … rankwise.errors.CallError: depth 0 is not 1.\\n")
    Traceback (most recent call last):
    rankwise.errors.CallError: depth 0 is not 1.
    """
    try:
        yield
    except Exception as error:
        if "No module named 'rankwise'" in str(error):
            where = "install it there, or name a Python that has it in PYSPARK_PYTHON"
            raise CallError(f"the Python of the executors has no rankwise: {where}.") from None
        said = SAID.search(str(error))
        if said is None or said[1] not in KINDS:
            raise
        raise KINDS[said[1]](said[2].strip()) from None


@contextmanager
def said_by_spark() -> Iterator[None]:
    """What is wrong with Spark or its files, in one line: for the command line."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        raise CallError(f"Spark says: {line}") from None


def session(master: str | None = None) -> SparkSession:
    """The session that there is, or a new one whose executors run the Python that runs here."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("rankwise")
    quiet = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "FATAL"}
    for name, value in quiet.items():
        builder = builder.config(name, value)
    return (builder if master is None else builder.master(master)).getOrCreate()


def read_runs(
    spark: SparkSession,
    paths: str | Sequence[str | NamedRun] | Mapping[str, str],
    *,
    order: Order = "score",
    lenient: bool = False,
    columns: ColumnsGiven | None = None,
    subset: str | None = None,
    split: str | None = None,
) -> DataFrame:
    """Runs from files that `rankwise.score` reads, as TREC text, plain or compressed.

    What Spark itself reads (Delta, tables, csv) is given to `score` as Spark's data frame;
    parquet may be either. Runs are called as `rankwise.read_runs` does, by their tags.

    Parameters
    ----------
    spark
        The session.
    paths
        Files, folders of them, or patterns as `runs/*.gz`, on any storage that Spark reads; or
        {name: file}.
    order
        `rank` also reads the column of ranks.
    lenient
        Lines that cannot be read become rows without a document, which `score` with
        `lenient=True` drops and `dropped` counts.
    columns
        What the columns of tables are called, as for `rankwise.read_runs`.
    subset, split
        Choose from MTEB's predictions of several. A file that has none is an error: there is
        no place for the note that `rankwise.read_runs` makes.
    """
    given = _listed(paths)
    said = {} if columns is None else parse_columns(columns)
    part = FilePart(subset, split)
    named = [one for one in given if isinstance(one, NamedRun)]
    twice = [name for name, times in Counter(one.name for one in named).items() if times > 1]
    if twice:
        raise CallError(f"two runs are called {twice[0]!r}.")
    plain = [one for one in given if isinstance(one, str)]
    tables = [path for path in plain if _is_parquet(path)]
    if tables and part != WHOLE:
        raise _without_parts(tables[0])
    found = [_parquet_run(spark, path, order, said) for path in tables]
    texts = [path for path in plain if path not in tables]
    if texts:
        found.append(_text_runs(spark, texts, order, lenient, said, part))
    for name, path in named:
        ways: dict[str, Any] = {"order": order, "lenient": lenient, "columns": columns}
        one = read_runs(spark, path, **ways, subset=subset, split=split)
        found.append(one.withColumn("run", sf.lit(name)))
    return reduce(DataFrame.unionByName, found)


def _listed(paths: str | Sequence[str | NamedRun] | Mapping[str, str]) -> list[str | NamedRun]:
    if isinstance(paths, Mapping):
        return [NamedRun(name, path) for name, path in paths.items()]
    listed: list[str | NamedRun] = [paths] if isinstance(paths, str) else list(paths)
    if not listed:
        raise CallError("no run is given.")
    return listed


def _is_parquet(path: str) -> bool:
    """Whether it is a table that Spark reads better than we do: a file, or a folder of parts."""
    return path.endswith(".parquet") or any(Path(path).glob("*.parquet"))


def _table(spark: SparkSession, path: str) -> DataFrame:
    """Parquet; of a Delta table the rows that its log says are there."""
    if not (Path(path) / "_delta_log").is_dir():
        return spark.read.parquet(path)
    try:
        return spark.read.format("delta").load(path)
    except (PySparkException, Py4JError) as error:
        if "DATA_SOURCE_NOT_FOUND" not in str(error):
            raise
        what = "is a Delta table, which this Spark cannot read: it needs the package delta-spark"
        raise InputError(path, f"{what} and its jars.") from None


def _parquet_run(spark: SparkSession, path: str, order: Order, columns: Columns) -> DataFrame:
    wanted = ["topic", "document", *ORDERED_BY[order]]
    rows = _roles(_table(spark, path), path, wanted, ["run"], columns=columns)
    named = rows if "run" in rows.columns else rows.withColumn("run", sf.lit(stem(path)))
    return named.select("run", *wanted)


def _text_runs(
    spark: SparkSession,
    paths: list[str],
    order: Order,
    lenient: bool,
    columns: Columns,
    part: FilePart,
) -> DataFrame:
    files = spark.read.format("binaryFile").load(paths).select("path", "content")
    with as_locally():
        tags = _to_polars(
            files.mapInArrow(partial(_tags, part, columns), "path string, tag string")
        )
    known = tags.filter(pl.col("tag").is_not_null()).sort("path")
    labels = distinct_names(list(zip(known["tag"], map(_file_name, known["path"]), strict=True)))
    names = dict(zip(known["path"].to_list(), labels, strict=True))
    schema = RUN_ROWS + (", rank long" if order == "rank" else "")
    work = partial(_runs_in, names, ORDERED_BY[order], lenient, columns, part, schema)
    return files.mapInArrow(work, schema)


def _without_parts(file: str) -> InputError:
    return InputError(file, "has no subsets or splits: read it without `subset` and `split`.")


def _tags(
    part: FilePart, columns: Columns, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """The name that each file gives its run: null where a column does."""
    for path, content in _files(batches):
        source = Source(_file_name(path), content)
        file = File(source, columns, part)
        form = recognise(file)
        if part != WHOLE and (form is None or not form.has_parts):
            raise _without_parts(source.name)
        if form is None:  # of TREC text the first lines will do
            start = source.head[: source.head.rfind(b"\n") + 1] or source.head
            file = File(Source(source.name, start))
        parsed = read_rows(file, "run", WANTED, ["run"], True, "")[1]
        named = "run" in parsed.frame.columns
        tag = None if named else parsed.tag or stem(source.name)
        yield pa.RecordBatch.from_pylist([{"path": path, "tag": tag}])


def _runs_in(
    names: Mapping[str, str],
    wanted: Sequence[str],
    lenient: bool,
    columns: Columns,
    part: FilePart,
    schema: str,
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    for path, content in _files(batches):
        file = File(Source(_file_name(path), content), columns, part)
        roles = ["topic", "document", *wanted]
        _, parsed = read_rows(file, "run", roles, ["run"], lenient, file.name)
        frame = parsed.frame
        name = names.get(path, stem(file.name))
        if "run" not in frame.columns:
            frame = frame.with_columns(run=pl.lit(name))
        bad = pl.DataFrame({"run": [name] * parsed.dropped}, schema={"run": pl.String})
        yield from _batches(pl.concat([frame, bad], how="diagonal"), schema)


def _files(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, bytes]]:
    for batch in batches:
        for row in range(batch.num_rows):
            yield batch["path"][row].as_py(), batch["content"][row].as_py()


def _file_name(path: str) -> str:
    """A path as people write it, where it is one of this machine's."""
    return re.sub("^file:/+", "/", path)
