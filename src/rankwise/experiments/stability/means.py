"""Mean scores of runs under various judgments, and agreement of their system rankings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.metrics import Metric
from rankwise.rankings import JudgedRankings
from rankwise.scores import Scores, concat_runs, over_common_topics, score_judged
from rankwise.stats import dense_ranks, kendall
from rankwise.vocabulary import Assumption, Mean, Topics

RUNS = 16  # scored at a time: their rankings fit the processor's caches


class Measured(NamedTuple):
    """Means, metrics × runs; `undefined` is the number of topics without a score."""

    value: Floats
    low: Floats | None
    high: Floats | None
    undefined: Ints


@dataclass(frozen=True)
class Means:
    """Metrics, and the method of averaging over topics."""

    metrics: Sequence[Metric]
    topics: Topics = "all"
    mean: Mean = "arithmetic"
    bounds: bool = False
    unjudged: Assumption = "retrieved"

    @property
    def block(self) -> int | None:
        """Number of runs to score at a time; None: all, for metrics that may compare runs."""
        return RUNS if all(metric.is_builtin for metric in self.metrics) else None

    def score(self, judged: JudgedRankings) -> Scores:
        return score_judged(judged, self.metrics, bounds=self.bounds, unjudged=self.unjudged)

    def scores(self, parts: Iterable[JudgedRankings]) -> Scores:
        """Score rankings that come a few runs at a time."""
        return joined([self.score(part) for part in parts])

    def of(self, scores: Scores) -> Measured:
        """Return the mean of each metric for each run."""
        scores = replace(scores, averaged=self.mean)
        if self.topics == "common":
            scores = over_common_topics(scores)
        totals = scores.totals
        undefined = np.isnan(scores.value).sum(axis=2).max(axis=1, initial=0)
        return Measured(totals["value"], totals.get("low"), totals.get("high"), undefined)


def joined(parts: Sequence[Scores]) -> Scores:
    """Return the scores of all runs, given those of a few runs each."""
    runs = [run for part in parts for run in part.runs]
    return concat_runs(parts, runs, parts[0].input_notes)


def order_kept(full: Floats, other: Floats) -> Floats:
    """Return Kendall's tau-b between the system ranking by `full` and by each of the others.

    Runs without a mean in `full` are excluded. NaN if another mean is NaN, or if fewer than two
    runs are left or all are tied.
    """
    known = np.isfinite(full)
    return kendall(dense_ranks(full[known]), dense_ranks(other[..., known]))
