"""Confidence intervals of means: uncertainty from topic sampling and from unjudged documents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from rankwise.errors import CallError, check_between, check_word, some_of
from rankwise.lazy import pl
from rankwise.notes import Note, note
from rankwise.rankings import clusters_of_topics
from rankwise.results import Result, Table, draw
from rankwise.scores.repeated_runs import variances_between_runs
from rankwise.scores.score_tables import ALL, score_table
from rankwise.scores.scores import LEAST_IN_GEOMETRIC_MEAN, Cube, Scores
from rankwise.stats import (
    Estimate,
    allow_for_runs,
    cluster_values,
    cut_at_range,
    differences_of,
    logit_interval_of,
    max_t_interval,
    mean_interval,
    moments,
    rank_sets,
    t_interval,
    t_interval_of,
    t_interval_of_any,
)
from rankwise.vocabulary import ChartWidth, MeanInterval
from rankwise.wording import Argument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankwise.arrays import Ints
    from rankwise.rankings import TopicGroups


RANKS = ("lowest_rank", "highest_rank")


@dataclass(frozen=True, eq=False, repr=False)
class Confidence(Result):
    """Means with confidence intervals over topics.

    `frame` has the columns of `Scores.mean`, and the limits `conf_low` and `conf_high`. With bounds
    it also has `both_low`, `both_high` and `wider`, and with `ranks=True` it has `lowest_rank` and
    `highest_rank`. `confidence` explains these columns. If there is no interval, its limits are
    null.
    """

    _everyday = ("by_topic", "scores")

    scores: Scores = field(repr=False)
    frame: pl.DataFrame
    level: float
    interval: MeanInterval
    seed: int
    clusters: int | None = None  # number of clusters of topics

    def by_topic(self) -> pl.DataFrame:
        """Return the scores with one row per run and topic, and one column per metric."""
        return self.scores.by_topic()

    @property
    def caption(self) -> str:
        """Caption with the numbers of runs, topics and metrics."""
        return self.scores.caption

    @property
    def header(self) -> dict[str, Any]:
        """Metadata of the scores, and the level, method and random seed of the intervals."""
        found = {"confidence": self.level, "interval": self.interval, "seed": self.seed}
        return self.scores.header | found

    @property
    def notes(self) -> list[Note]:
        """Notes on the scores and on the intervals."""
        drawn = f", seed {self.seed}" if self.interval == "bootstrap" else ""
        names = {"logit": "Student's t on the logit scale", "t": "Student's t"}
        robust = "" if self.clusters is None else f", cluster-robust: {self.clusters} clusters"
        kind = f"({names.get(self.interval, 'studentised bootstrap')}{drawn}{robust})"
        over = "topics and runs" if self.scores.repetitions else "topics"
        percent = f"{100 * self.level:g} % confidence interval of the mean over {over}"
        notes = [note("confidence", f"'conf_low' to 'conf_high' is the {percent} {kind}")]
        if RANKS[0] in self.frame.columns:
            what = "is a simultaneous confidence interval for the rank of a run; rank 1 is the best"
            notes.append(note("ranks", f"'lowest_rank' to 'highest_rank' {what}"))
        if self.scores.low is not None:
            what = "is an interval that covers the sampling of topics and the unjudged documents"
            larger = "'wider' names the larger of these two uncertainties: topics or judgments"
            notes.append(note("both", f"'both_low' to 'both_high' {what}. {larger}"))
        without = self.frame.filter(pl.col("conf_low").is_null() & (pl.col("topics") > 1))
        for (metric,), rows in without.group_by("metric", maintain_order=True):
            bootstrap = self.interval == "bootstrap"
            few = ", or the topics are too few for the bootstrap" if bootstrap else ""
            runs = some_of(rows["run"].to_list())
            same = "because the score of the run is the same on every topic"
            what = f"there is no interval for {runs}, {same}{few}"
            notes.append(note("no-interval", what, metric=metric))
        return [*self.scores.notes, *notes]

    def table(self, *, digits: int = 4, by_topic: bool = False) -> Table:
        """Return a table with one row per run and metric.

        With `by_topic`, rows with the score of each topic come before the rows with the means.
        """
        return score_table(self.scores, by_topic=by_topic, digits=digits, means=self.frame)

    def chart(self, *, width: ChartWidth | None = None) -> Any:
        """Draw the means with their intervals, best first by the first metric (Altair)."""
        return draw(self, width=width)


def confidence(
    scores: Scores,
    level: float = 0.95,
    *,
    interval: MeanInterval = "logit",
    seed: int = 0,
    clusters: TopicGroups | None = None,
    ranks: bool = False,
) -> Confidence:
    """Return the means with confidence intervals over topics: `conf_low` and `conf_high`.

    The interval is for the mean over the population of topics from which these topics are a sample.
    The interval assumes that all other topics would be judged in the same way as these topics.

    If the scores have bounds, `low` and `high` bound the mean over these topics for all judgments
    that the assumption of the bounds allows. The interval from `both_low` to `both_high` combines
    the uncertainty from topics and from judgments: it contains the t-interval of any scores within
    the bounds. If the assumption is true, it therefore contains the t-interval that complete
    judgments would have given. `wider` names the larger of the two uncertainties, `topics` or
    `judgments`.

    Parameters
    ----------
    scores
        Scores, as returned by `score`.
    level
        Confidence level, between 0 and 1.
    interval
        `logit`: Student's t on the logit scale for a metric with a finite range, and Student's t
        for other metrics. `t`: Student's t. `bootstrap`: studentised bootstrap with 1,000
        resamples. Intervals are within the range of the metric. The interval of a geometric mean is
        computed on the logarithms of the scores. A single topic has no interval.
    seed
        The random seed of the bootstrap.
    clusters
        Clusters of dependent topics, as for `TestOptions`. With clusters, the intervals are
        cluster-robust. Clusters cannot be combined with bounds.
    ranks
        Whether to add a confidence interval for the rank of each run, from `lowest_rank` to
        `highest_rank`; rank 1 is the best. These intervals are simultaneous: the confidence level
        holds for all runs of a metric together.

    Returns
    -------
    Confidence
        One row per run and metric. If the scores have topic groups, each run and metric has one row
        for each group, and one row for all topics (`group` is then `all`).

    Examples
    --------
    >>> import polars as pl
    >>> from rankwise import score
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"a": 1}}
    >>> found = score(qrels, {t: {"a": 2, "b": 1} for t in "123"}, "RR")
    >>> confidence(found).frame.select(pl.col("value", "conf_low", "conf_high").round(4)).rows()
    [(0.8333, 0.0278, 0.9989)]
    """
    check_between("confidence", level, 0.95, python="level")
    check_word("interval", interval, get_args(MeanInterval))
    if interval == "bootstrap" and (scores.repetitions or scores.relative_weights is not None):
        of = "systems that have several runs" if scores.repetitions else "weights of topics"
        what = f" cannot be combined with {of}. Use "
        raise CallError(Argument("interval", "bootstrap"), what, Argument("interval", "t"), ".")
    if ranks and len(scores.runs) < 2:
        what = " needs two runs or more. Add a run, or remove "
        raise CallError(Argument("ranks", True), what, Argument("ranks", True), ".")
    names: tuple[str, ...] = ()
    if clusters is not None:
        if scores.low is not None:
            what = " cannot be combined with bounds. Remove "
            raise CallError(Argument("clusters"), what, Argument("bounds", True), ".")
        names, notes = clusters_of_topics(clusters, scores.topics)
        scores = replace(scores, input_notes=(*scores.input_notes, *notes))
    count = None if clusters is None else len(set(names))
    cluster_of = dict(zip(scores.topics, names, strict=False))
    parts = {ALL: replace(scores, groups=())} | scores.by_group
    frames = {
        name: _means(part, level, interval, seed, cluster_of, ranks=ranks)
        for name, part in parts.items()
    }
    if not scores.groups:
        return Confidence(scores, frames[ALL], level, interval, seed, count)
    grouped = (
        frame.select(pl.lit(name).alias("group"), pl.all()) for name, frame in frames.items()
    )
    return Confidence(scores, pl.concat(grouped), level, interval, seed, count)


def _means(
    scores: Scores,
    level: float,
    interval: MeanInterval,
    seed: int,
    cluster_of: Mapping[str, str],
    *,
    ranks: bool,
) -> pl.DataFrame:
    """Return a frame with the means, their confidence intervals and, with `ranks`, rank intervals.

    `cluster_of` has the cluster of each topic, and is empty without clusters.
    """
    rng = np.random.default_rng(seed)
    rows, ranges = _rows(scores, scores.pseudo_values), _ranges(scores)
    numbers = None
    if cluster_of:
        names = [cluster_of[topic] for topic in scores.topics]
        numbers = np.unique(names, return_inverse=True)[1].ravel()
        rows = cluster_values(rows, numbers).linearised
    if scores.repetitions:
        estimate = _over_runs(scores, rows, numbers)
        ends = logit_interval_of(estimate, level, *ranges)
        if interval == "t":
            ends = cut_at_range(t_interval_of(estimate, level), *ranges)
    else:
        ends = mean_interval(rows, level, interval, rng, *ranges)
    low, high = _averaged(scores, ends)
    columns = {"conf_low": low, "conf_high": high}
    if ranks:
        columns |= _rank_columns(scores, level, seed, numbers)
    if scores.low is not None and scores.high is not None:
        both_low, both_high = _joined(scores, scores.low, scores.high, level)
        # If the score is the same on every topic there is no interval, but other scores within
        # the bounds may have an interval.
        own_low, own_high = np.where(np.isnan(low), [both_low, both_high], [low, high])
        columns |= {"both_low": np.minimum(both_low, own_low)}
        columns |= {"both_high": np.maximum(both_high, own_high)}
    series = [pl.Series(name, end, nan_to_null=True) for name, end in columns.items()]
    series = [each.cast(pl.Int64) if each.name in RANKS else each for each in series]
    means = scores.mean()
    found = means.with_columns(series).select(
        [name for name in means.columns if name not in ("topics", "undefined", "missing")]
        + [*columns, "topics", "undefined", "missing"]
    )
    return found if scores.low is None else found.with_columns(wider=_wider())


def _rank_columns(
    scores: Scores, level: float, seed: int, clusters: Ints | None
) -> dict[str, Cube]:
    """Return the columns `lowest_rank` and `highest_rank`, one entry per metric and run.

    They are NaN for diagnostics (metrics that do not measure quality).
    """
    runs = len(scores.runs)
    first, second = np.triu_indices(runs, 1)
    ranks = np.full((2, len(scores.metrics), runs), np.nan)
    for place, metric in enumerate(scores.metrics):
        if metric.is_diagnostic:
            continue
        rows = differences_of(metric.sign * scores.pseudo_values[place], first, second)
        if clusters is not None:
            rows = cluster_values(rows, clusters).linearised
        if scores.repetitions:
            variances = variances_between_runs(scores, place, clusters)
            estimate = allow_for_runs(moments(rows), [first, second], variances)
            low, high = t_interval_of(estimate, 1 - (1 - level) / len(first))
        elif len(first) == 1 or scores.relative_weights is not None:
            low, high = t_interval(rows, 1 - (1 - level) / len(first))
        else:
            low, high = max_t_interval(rows, level, rng=np.random.default_rng(seed))
        ranks[:, place] = rank_sets(low, high, first, second, runs)
    return dict(zip(RANKS, ranks.reshape(2, -1), strict=True))


def _over_runs(scores: Scores, rows: Cube, clusters: Ints | None) -> Estimate:
    """Return the mean of each row, with a standard error for topics and runs of systems."""
    systems = len(scores.runs)
    parts = []
    for place in range(len(scores.metrics)):
        found = moments(rows[place * systems : (place + 1) * systems])
        variances = variances_between_runs(scores, place, clusters)
        parts.append(allow_for_runs(found, [np.arange(systems)], variances))
    mean, error, freedom = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Estimate(mean, error, freedom)


def _wider() -> pl.Expr:
    """Return an expression that names the larger uncertainty, `topics` or `judgments`.

    The width of the confidence interval is compared with the distance between the bounds. The
    result is null if the interval or a bound is unknown.
    """
    by_topics = pl.col("conf_high") - pl.col("conf_low")
    by_judgments = pl.col("high") - pl.col("low")
    known = pl.when(by_topics.is_not_null() & by_judgments.is_not_null())
    word = pl.when(by_topics < by_judgments).then(pl.lit("judgments")).otherwise(pl.lit("topics"))
    return known.then(word)


def _rows(scores: Scores, cube: Cube) -> Cube:
    """Return the values to average, one row per metric and run; NaN for excluded topics."""
    defined = scores.as_averaged(np.where(np.isfinite(scores.value), cube, np.nan))
    return defined.reshape(-1, defined.shape[2])


def _ranges(scores: Scores) -> tuple[Cube, Cube]:
    """Return the lowest and the highest possible mean, per metric and run.

    If the mean is geometric, both are logarithms.
    """
    ranges = np.array([metric.mean_range for metric in scores.metrics]).reshape(-1, 2)
    ends = np.repeat(ranges, len(scores.runs), axis=0)[:, :, None]
    logs = np.repeat(scores.by_logarithms, len(scores.runs))
    least = np.log(np.maximum(ends, LEAST_IN_GEOMETRIC_MEAN))
    low, high = np.where(logs[:, None], least[:, :, 0], ends[:, :, 0]).T
    return low, high


def _averaged(scores: Scores, ends: tuple[Cube, Cube]) -> tuple[Cube, Cube]:
    """Convert limits of a mean: means of counts to sums, means of logarithms to geometric means."""
    topics = np.isfinite(scores.value).sum(axis=2)
    counts = np.where(scores.added[:, None], topics, 1).ravel()
    logs = np.repeat(scores.by_logarithms, len(scores.runs))
    low, high = (np.exp(end, out=end * counts, where=logs) for end in ends)
    return low, high


def _joined(scores: Scores, low: Cube, high: Cube, level: float) -> tuple[Cube, Cube]:
    """Return an interval that contains the t-interval of any scores within the bounds.

    The limits are NaN if a bound of a defined score is unknown. They are infinite if a bound is.
    """
    defined = scores.defined
    unknown = (np.isnan(low + high) & defined).any(axis=2).ravel()
    lows, highs = (scores.as_averaged(cube).reshape(-1, cube.shape[2]) for cube in (low, high))
    there = defined.reshape(lows.shape)
    both = cut_at_range(t_interval_of_any(lows, highs, there, level), *_ranges(scores))
    endless = (np.isinf(lows) | np.isinf(highs)).any(axis=1)
    averaged = _averaged(scores, both)
    joined_low, joined_high = (
        np.where(unknown, np.nan, np.where(endless, edge, end))
        for edge, end in zip((-np.inf, np.inf), averaged, strict=True)
    )
    return joined_low, joined_high
