"""`which_metric`: comparison of metrics on a collection."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.correlation import correlate
from rankwise.errors import CallError
from rankwise.experiments.discrimination.discrimination import discriminate
from rankwise.experiments.discrimination.methods import SWAPS
from rankwise.experiments.stability.means import Means, order_kept
from rankwise.judging import Cuttable, Draw, check_share
from rankwise.metrics import Metric, parse_all
from rankwise.notes import Note
from rankwise.progress import track
from rankwise.rankings import Collection, QrelsLike, RunsLike, as_collection
from rankwise.results import Result, Table
from rankwise.scores import (
    DEFAULT_METRICS,
    MetricsLike,
    Scores,
    check_shared_ties,
    over_common_topics,
    score_judged,
)
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Discriminator

LEAST_RUNS, LEAST_METRICS = 2, 2


@dataclass(frozen=True, eq=False, repr=False)
class MetricChoice(Result):
    """Metrics side by side, the most discriminative first.

    `frame` has one row per metric: `significant`, the percentage of pairs of runs that it
    shows to be significantly different (its discriminative power); `stability`, Kendall's tau
    between its system rankings by a share of the judgments and by all, the mean over samples,
    and `error`, the standard error of that mean; `agreement`, the mean of Kendall's tau with the
    system rankings of the other metrics; `topics`, the number of topics with a score, and
    `undefined`, the number of topics without one.
    """

    frame: pl.DataFrame
    settings: str
    scored: dict[str, Any]  # the metrics and the topics, and the random seed
    notes: list[Note]

    @property
    def caption(self) -> str:
        """Settings of the experiment, as a caption."""
        return self.settings

    @property
    def header(self) -> dict[str, Any]:
        """Metadata: metrics, number of topics, and random seed."""
        return self.scored | {"settings": self.settings}

    def table(self, *, digits: int = 4) -> Table:
        """Return a table with one row per metric."""
        percent = pl.col("significant").cast(pl.Decimal(20, 1))
        return Table(self.frame.with_columns(percent), digits=digits)


def which_metric(
    data: "QrelsLike | Collection",
    runs: "RunsLike | None" = None,
    metrics: "MetricsLike" = DEFAULT_METRICS,
    *,
    method: Discriminator = "tukey",
    alpha: float = 0.05,
    keep: float = 0.1,
    resamples: int = 100,
    rel: float = 1,
    seed: int = 0,
) -> MetricChoice:
    """Compare metrics by discriminative power, stability and agreement.

    Everything is read and joined once. `discriminate`, `stability` and `correlate` have the
    details of each column.

    Parameters
    ----------
    data, runs, metrics
        As for `score`; at least two runs and two metrics.
    method
        The significance test: `tukey` (familywise over all pairs), `bootstrap` (Sakai's) or one
        of the other tests of `discriminate`.
    alpha
        The significance level.
    keep, resamples
        Fraction of the judgments to keep and number of random samples, for stability; `error` is
        the standard error of its mean.
    rel
        Relevance threshold, of samples and of metrics written without their own.
    seed
        The random seed.

    Returns
    -------
    MetricChoice
        One row per metric, the most discriminative first.

    Examples
    --------
    >>> from rankwise import simulate
    >>> made = simulate(topics=20, systems=5, seed=1)
    >>> found = which_metric(made.qrels, made.runs, ["AP", "RR"])
    >>> found.frame.columns
    ['metric', 'significant', 'stability', 'error', 'agreement', 'topics', 'undefined']
    """
    wanted = tuple(parse_all(metrics, rel))
    _check(wanted, method, keep, resamples)
    collection = as_collection(data, runs)
    check_shared_ties(wanted, collection.depth)
    given = Cuttable.of(collection)
    if len(given.whole.runs) < LEAST_RUNS:
        raise CallError("one run is given; two at least are needed to compare metrics by them.")
    scores = score_judged(given.ranked, wanted)
    scores = scores if collection.topics == "all" else over_common_topics(scores)
    power = discriminate(scores, method=method, alpha=alpha, seed=seed)
    seeds = (
        np.random.SeedSequence(seed).generate_state(resamples).tolist()
    )  # no two seeds share any
    level = given.whole.level_of(rel)
    tau = _taus(given, Means(wanted, collection.topics), keep, seeds, level)
    frame = _side_by_side(scores, power.frame["percent"], tau)
    settings = (
        f"{len(scores.runs)} runs; significant: % of pairs ({method}, α = {alpha:g}); "
        f"stability: tau by {100 * keep:g} % of the judgments, {resamples} samples, seed {seed}; "
        "error: its standard error; agreement: mean tau with the other metrics asked for"
    )
    return MetricChoice(frame, settings, scores.header | {"seed": seed}, power.notes)


def _check(metrics: Sequence[Metric], method: str, keep: float, resamples: int) -> None:
    if len(set(metrics)) < LEAST_METRICS:
        raise CallError("two metrics at least are needed to choose from.")
    for metric in metrics:
        if metric.is_diagnostic:
            what = "says how much there was to measure, not how good a run is"
            raise CallError(f"{metric} {what}: leave it out.")
    if method in SWAPS:
        raise CallError(f"method {method} tests no pairs: discriminate has it.")
    check_share(keep)
    if resamples < 1:
        raise CallError(f"resamples {resamples} is not 1 or more.")


def _taus(given: Cuttable, means: Means, keep: float, seeds: Sequence[int], rel: int) -> Floats:
    """Kendall's tau with the system ranking by all judgments: metrics × samples."""
    full = means.of(given.where(given.all_judgments)).value
    names = given.judgments.names

    def sampled(seed: int) -> Floats:
        draw = Draw.of(given.topic, given.grade, names, rel=rel, seed=seed)
        value = means.of(given.where(draw.kept(keep))).value
        return np.array([order_kept(*two) for two in zip(full, value, strict=True)])

    return np.array(list(map_in_threads(sampled, track(seeds, "samples")))).T


def _side_by_side(scores: Scores, power: pl.Series, tau: Floats) -> pl.DataFrame:
    alike = correlate(scores).values
    others = ~np.eye(len(alike), dtype=np.bool_)
    defined = scores.defined.all(axis=1).sum(axis=1)
    several = tau.shape[1] > 1
    spread = tau.std(axis=1, ddof=1) if several else np.full(len(tau), np.nan)
    error = spread / np.sqrt(tau.shape[1])
    columns = {
        "metric": [str(metric) for metric in scores.metrics],
        "significant": power,
        "stability": pl.Series(tau.mean(axis=1), nan_to_null=True),
        "error": pl.Series(error, nan_to_null=True),
        "agreement": pl.Series(
            [row[of].mean() for row, of in zip(alike, others, strict=True)], nan_to_null=True
        ),
        "topics": defined,
        "undefined": len(scores.topics) - defined,
    }
    return pl.DataFrame(columns).sort("significant", descending=True, maintain_order=True)
