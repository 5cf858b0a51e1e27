"""How sure a mean is: what other topics could change, and what other judgments could."""

from typing import get_args

import numpy as np
import polars as pl

from rankwise.errors import CallError
from rankwise.scores import LEAST_IN_GEOMETRIC_MEAN, Cube, Scores
from rankwise.stats.intervals import Interval, mean_interval


def confidence(
    scores: Scores, level: float = 0.95, *, interval: Interval = "t", seed: int = 0
) -> pl.DataFrame:
    """The means, each with its confidence interval over topics: `conf_low` and `conf_high`.

    That interval is for other topics like these, judged as these are. Where the scores have
    bounds, `low` and `high` say what the unjudged documents could change on these topics,
    and `both_low` and `both_high` join the two: the low end of the interval had every topic
    its lowest score, and the high end had every topic its highest. `wider` names the
    greater of the two doubts, `topics` or `judgments`.

    Scores in between could reach further than `both` only if a topic lay more than
    (n − 1) / (t √n) standard deviations from the mean: 3.4 for 50 topics at 95 %.

    `interval`: `t`, or `bootstrap` (studentised, 1,000 draws). The interval of a geometric
    mean is that of the logarithms. With one topic there is none.

    >>> from rankwise import score
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"a": 1}}
    >>> found = score(qrels, {t: {"a": 2, "b": 1} for t in "123"}, "RR")
    >>> confidence(found).select(pl.col("value", "conf_low", "conf_high").round(4)).rows()
    [(0.8333, 0.1162, 1.5504)]
    """
    if not 0 < level < 1:
        raise CallError(f"confidence {level:g} is not between 0 and 1, as 0.95 is.")
    if interval not in get_args(Interval):
        raise CallError(f"interval {interval!r} is neither t nor bootstrap.")

    def ends(cube: Cube) -> tuple[Cube, Cube]:
        return _ends(scores, cube, level, interval, np.random.default_rng(seed))

    low, high = ends(scores.value)
    columns = {"conf_low": low, "conf_high": high}
    if scores.low is not None and scores.high is not None:
        columns |= {"both_low": ends(scores.low)[0], "both_high": ends(scores.high)[1]}
    series = [pl.Series(name, end.ravel(), nan_to_null=True) for name, end in columns.items()]
    means = scores.mean()
    found = means.with_columns(series).select(
        [name for name in means.columns if name not in ("topics", "undefined", "missing")]
        + [*columns, "topics", "undefined", "missing"]
    )
    if scores.low is None:
        return found
    by_topics = pl.col("conf_high") - pl.col("conf_low")
    by_judgments = pl.col("high") - pl.col("low")
    known = pl.when(by_topics.is_not_null() & by_judgments.is_not_null())
    word = pl.when(by_topics < by_judgments).then(pl.lit("judgments")).otherwise(pl.lit("topics"))
    return found.with_columns(wider=known.then(word))


def _ends(
    scores: Scores, cube: Cube, level: float, interval: Interval, rng: np.random.Generator
) -> tuple[Cube, Cube]:
    """Metrics × runs, as `Scores.mean` averages: sums for counts, geometric if asked for."""
    defined = np.isfinite(scores.value)
    unknown = (np.isnan(cube) & defined).any(axis=2)  # a bound that nobody knows
    cube = np.where(defined, cube, np.nan)
    if scores.averaged == "geometric":
        cube = np.log(np.maximum(cube, LEAST_IN_GEOMETRIC_MEAN))
    flat = cube.reshape(-1, cube.shape[2])
    low, high = (end.reshape(cube.shape[:2]) for end in mean_interval(flat, level, interval, rng))
    low = np.where(unknown, np.nan, np.where(np.isneginf(cube).any(axis=2), -np.inf, low))
    high = np.where(unknown, np.nan, np.where(np.isposinf(cube).any(axis=2), np.inf, high))
    if scores.averaged == "geometric":
        return np.exp(low), np.exp(high)
    added = np.array([metric.aggregate == "sum" for metric in scores.metrics])[:, None]
    times = np.where(added, defined.sum(axis=2), 1)
    return low * times, high * times
