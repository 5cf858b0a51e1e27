"""Results on the Spark driver, from the rows of the executors: `Scores`, and mean scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import polars as pl
from pyspark.sql import Column, DataFrame, functions as sf

from rankwise.arrays import CANCELLATION, Bools, Floats
from rankwise.bounds import least_mean_of
from rankwise.errors import check_between, check_word
from rankwise.metrics import REGISTRY, parse
from rankwise.notes import Note, add_counts
from rankwise.rankings import (
    Selection,
    Taken,
    TopicsOfRun,
    about_self,
    about_tied,
    about_topics,
    topic_order,
)
from rankwise.scores import LEAST_IN_GEOMETRIC_MEAN, Scores, cubes_of
from rankwise.spark.failures import as_locally
from rankwise.spark.job import Job
from rankwise.spark.rows import numbers_of, to_polars
from rankwise.stats import Moments, logit_interval_of
from rankwise.vocabulary import Mean


def gathered(job: Job, rows: pl.DataFrame, unjudged: str | None) -> Scores:
    """Return `Scores` from the rows of all executors, which have every run on every topic."""
    scored = rows.filter(pl.col("metric").is_not_null())
    metrics, runs = job.part.metrics, job.part.runs
    names = [str(metric) for metric in metrics]
    topics = topic_order(scored["topic"].unique().to_list())
    axes = {"metric": names, "run": runs, "topic": topics}
    cubes, place = cubes_of(scored, axes, ("value", "low", "high") if unjudged else ("value",))
    present = np.zeros((len(runs), len(topics)), np.bool_)
    present[place[1:]] = scored["present"].to_numpy()
    outer: tuple[str, ...] = ()
    if unjudged:
        loose = set(scored.filter(~pl.col("tight"))["metric"].to_list())
        outer = tuple(name for name in names if name in loose)
    unused = tuple(str(m) for m in metrics if job.has_gains and not m.takes_gains)
    # Requested topics that a run does not have were checked before.
    taken = replace(job.part.filters, topics=None)
    return Scores(
        metrics,
        runs,
        tuple(topics),
        **cubes,
        present=present,
        input_notes=(*job.notes, *dropped_notes(rows), *_on_topics(rows, runs, topics, taken)),
        outer=outer,
        unjudged=unjudged,
        gains_unused=unused,
    )


def dropped_notes(rows: pl.DataFrame) -> tuple[Note, ...]:
    """Return the notes on skipped rows, with the counts of all parts added up."""
    said = rows.filter(pl.col("metric").is_null() & pl.col("topic").is_null())
    return add_counts(Note.unpacked(json.loads(text)) for text in said["run"].sort())


def _on_topics(
    rows: pl.DataFrame, runs: Sequence[str], topics: Sequence[str], taken: Selection
) -> list[Note]:
    """Return notes on topics of each run that are without judgments, tied, or filtered.

    Raise an error if a run and the judgments have no topic in common.
    """
    found = dict.fromkeys(runs, TopicsOfRun(taken=Taken()))
    said = rows.filter(pl.col("metric").is_null() & pl.col("topic").is_not_null())
    for run, text in said.select("run", "topic").iter_rows():
        part = TopicsOfRun(*json.loads(text))
        if part.taken is not None:
            kept = Taken(*part.taken)
            kept = kept._replace(topics=tuple(kept.topics), names=tuple(kept.names))
            part = part._replace(taken=kept)
        part = part._replace(first=tuple(part.first), first_tied=tuple(part.first_tied))
        found[run] = found[run].plus(part)
    notes = about_self([run for run in runs if found[run].holds_self]) + about_tied(found)
    for run, of in found.items():
        if of.taken is not None:
            notes += taken.about(run, of.taken)
        notes += about_topics(run, of._replace(first=tuple(topic_order(of.first))), topics)
    return notes


def summary(scores: DataFrame, level: float = 0.95, *, mean: Mean = "arithmetic") -> pl.DataFrame:
    """Return the mean of each run and metric, with its confidence interval over topics.

    The executors compute sums, which Spark merges. No scores by topic are sent to the driver,
    except the bounds on topics where a metric is undefined. A mean may differ from that of
    `rankwise.score` in the last digits, because the order of summation differs.

    Parameters
    ----------
    scores
        Scores, as returned by `score`.
    level
        Confidence level, between 0 and 1.
    mean
        `arithmetic` or `geometric`; counts are summed.

    Returns
    -------
    polars.DataFrame
        Columns run, metric, value, low, high (bounds of the mean), conf_low, conf_high,
        topics and undefined.
    """
    check_between("confidence", level, 0.95, python="level")
    check_word("mean", mean, get_args(Mean))
    with as_locally():
        sums = to_polars(_sums(scores, mean)).sort("metric", "run")
    added = np.array([parse(name).aggregate == "sum" for name in sums["metric"]], np.bool_)
    topics, average = sums["topics"].to_numpy(), numbers_of(sums, "mean")
    sd = np.where(numbers_of(sums, "sd") > CANCELLATION * numbers_of(sums, "most"), sums["sd"], 0.0)
    found = Moments(average, np.where(topics > 1, sd, np.nan), topics)
    times = np.where(added, topics, 1)
    ranges = np.array([parse(name).mean_range for name in sums["metric"]]).reshape(-1, 2)
    if mean == "geometric":
        logs = np.log(np.maximum(ranges, LEAST_IN_GEOMETRIC_MEAN))
        ranges = np.where(added[:, None], ranges, logs)
    ends = [end * times for end in logit_interval_of(found, level, *ranges.T)]
    low, high = _least_mean(sums, "low", 1, added), -_least_mean(sums, "high", -1, added)
    names = ("value", "low", "high", "conf_low", "conf_high")
    columns = dict(zip(names, (average * times, low, high, *ends), strict=True))
    if mean == "geometric":
        columns = {name: np.exp(c, out=c, where=~added) for name, c in columns.items()}
    series = [pl.Series(name, column, nan_to_null=True) for name, column in columns.items()]
    return sums.select("run", "metric", *series, "topics", "undefined")


def _sums(scores: DataFrame, mean: Mean) -> DataFrame:
    """Return statistics over topics for each run and metric, computed by the executors.

    The statistics are the mean, standard deviation, largest absolute value and counts of the
    scores, the sums of the bounds, and the bounds on topics where the metric is undefined.
    """
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
    """Return the lower bound of each mean, as undefined topics may become defined by judging.

    With `end` "high" and `sign` −1, return the negated upper bound.
    """
    topics = sums["topics"].to_numpy()
    known = sums[f"{end}_known"].to_numpy() == topics
    total = np.where(known, sums[f"{end}_sum"].fill_null(0.0).to_numpy(), np.nan)
    later = sums[f"{end}_later"].to_list()
    values = np.full((len(later), max(map(len, later), default=0)), np.nan)
    for row, found in enumerate(later):
        values[row, : len(found)] = found
    return least_mean_of(sign * total[:, None], topics[:, None], sign * values, is_sum=added)
