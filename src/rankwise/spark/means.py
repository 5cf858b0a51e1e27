"""Means and confidence intervals from sums computed by the executors."""

from __future__ import annotations

from typing import get_args

import numpy as np
import polars as pl
from pyspark.sql import Column, DataFrame, functions as sf

from rankwise.arrays import CANCELLATION, Bools, Floats
from rankwise.bounds import least_mean_of
from rankwise.errors import CallError, check_word
from rankwise.metrics import REGISTRY, parse
from rankwise.scores import LEAST_IN_GEOMETRIC_MEAN
from rankwise.spark.failures import as_locally
from rankwise.spark.rows import numbers_of, to_polars
from rankwise.stats import Moments, logit_interval_of
from rankwise.vocabulary import Mean


def summary(scores: DataFrame, level: float = 0.95, *, mean: Mean = "arithmetic") -> pl.DataFrame:
    """Return the mean of each run and metric, with its confidence interval over topics.

    Computed from sums on the executors, which Spark merges: no topic comes to the driver, except
    the bounds of undefined ones. A mean may differ from that of `rankwise.score` in the last
    bits, since the order of summation differs.

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
    if not 0 < level < 1:
        raise CallError(f"confidence {level:g} is not between 0 and 1. Use for example 0.95.")
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
    """Sums over topics for each run and metric, computed by the executors."""
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
    """Smallest mean of a lower bound (largest of an upper bound, with the sign reversed)."""
    topics = sums["topics"].to_numpy()
    known = sums[f"{end}_known"].to_numpy() == topics
    total = np.where(known, sums[f"{end}_sum"].fill_null(0.0).to_numpy(), np.nan)
    later = sums[f"{end}_later"].to_list()
    values = np.full((len(later), max(map(len, later), default=0)), np.nan)
    for row, found in enumerate(later):
        values[row, : len(found)] = found
    return least_mean_of(sign * total[:, None], topics[:, None], sign * values, is_sum=added)
