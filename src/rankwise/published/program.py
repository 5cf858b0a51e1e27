"""What several published scores of one system say together, of any metrics with fixed weights.

A score is Σ weight(i) r(i), with r(i) from 0 to 1 what rank i gains: of a ranking with graded
relevance, or in the mean over topics. What was printed says that the sum lies within half the
precision of a number. The least and the greatest sum with other weights under all of these
is a linear program. Every ranking and every mean is a point of it, so that its range holds for
all of them; for one ranking of 0 and 1 it is valid but not tight.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.errors import CallError
from rankwise.metrics import MetricLike, WeightedPrecision, listed, parse
from rankwise.results.base import Result, Table

DEEPEST = 2_000  # ranks that have a variable of their own
SLACK = 1e-9  # of the solver


@dataclass(frozen=True, eq=False, repr=False)
class Implied(Result):
    """The range of each metric, by all scores that are known and by the best of them alone."""

    metrics: tuple[WeightedPrecision, ...]
    known: Mapping[WeightedPrecision, float]
    precision: float
    found: pl.DataFrame

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric: `low`, `high`, and those by the one score that says most."""
        return self.found

    @property
    def notes(self) -> list[str]:
        """Of what the ranges hold."""
        return ["low, high hold for every ranking, graded or not, and for every mean over topics"]

    @property
    def header(self) -> dict[str, Any]:
        """The metrics, the scores that are known, and what they were rounded to."""
        known = {str(metric): score for metric, score in self.known.items()}
        found: dict[str, Any] = {"metrics": [metric.record for metric in self.metrics]}
        return found | {"known": known, "precision": self.precision}

    @property
    def caption(self) -> str:
        """The scores that are known."""
        scores = ", ".join(f"{metric} = {value:g}" for metric, value in self.known.items())
        return f"What {scores} says, each to {self.precision:g}:"

    def table(self, *, digits: int = 4) -> Table:
        """One row per metric."""
        return Table(self.found, caption=self.caption, digits=digits)


def implied(
    metrics: MetricLike | Iterable[MetricLike],
    known: Mapping[str, float],
    *,
    precision: float = 1e-4,
) -> Implied:
    """The range of metrics of a system, from scores of it that are known.

    Parameters
    ----------
    metrics
        Metrics with fixed weights of a finite sum: RBP, P@k, DCG@k, SDCG@k, InvSq, INSQ.
    known
        {metric: score as printed}, of such metrics.
    precision
        What the scores were rounded to.

    Returns
    -------
    Implied
        One row per metric.

    Examples
    --------
    >>> found = implied("RBP(p=0.5)", {"P@1": 1, "P@2": 0.5}, precision=0.01)
    >>> [round(end, 4) for end in found.frame.select("low", "high").row(0)]
    [0.4975, 0.7525]
    """
    given = {_weighted(name): float(score) for name, score in known.items()}
    if not given:
        raise CallError("no score is known; give one at least, as {'P@10': 0.42}.")
    if not 0 < precision < 1:
        raise CallError(f"precision {precision:g} is not between 0 and 1, as 0.0001 is.")
    targets = tuple(_weighted(metric) for metric in listed(metrics))
    program = _Program.of([*given, *targets], precision)
    rows = []
    for target in targets:
        low, high = program.range_of(target, given)
        alone = {metric: program.range_of(target, {metric: given[metric]}) for metric in given}
        best = min(alone, key=lambda metric: alone[metric][1] - alone[metric][0])
        ends = {"low": low, "high": high, "by one": str(best)}
        ends |= {"one low": alone[best][0], "one high": alone[best][1]}
        rows.append({"metric": str(target), **ends})
    return Implied(targets, given, precision, pl.DataFrame(rows))


def _weighted(metric: MetricLike) -> WeightedPrecision:
    given = parse(metric)
    weights = given.sum_of_weights
    if weights is None or not np.isfinite(weights.weight_below(np.array([0]))[0]):
        some = "RBP, P@k, DCG@k, SDCG@k, InvSq and INSQ are"
        raise CallError(f"{given} is no sum of fixed weights that add up to something. {some}.")
    return weights


@dataclass(frozen=True, eq=False)
class _Program:
    """Ranks 1 to `depth` have a variable; what lies below adds at most its weight to a sum."""

    depth: int
    precision: float

    @classmethod
    def of(cls, metrics: Iterable[WeightedPrecision], precision: float) -> "_Program":
        depth = 1
        for metric in metrics:
            while depth < DEEPEST and _below(metric, depth) > precision / 100:
                depth = min(2 * depth, DEEPEST)
        return cls(depth, precision)

    def range_of(
        self, target: WeightedPrecision, known: Mapping[WeightedPrecision, float]
    ) -> tuple[float, float]:
        from scipy.optimize import linprog

        weights = np.array([metric.weights(self.depth) for metric in known])
        scores = np.array(list(known.values()))
        below = np.array([_below(metric, self.depth) for metric in known])
        half = self.precision / 2 + SLACK
        # No more than was printed, and no less than that less what lies below.
        limits = np.concatenate([scores + half, -(scores - half - below)])
        goal = target.weights(self.depth)
        ends = []
        for sign in (1, -1):
            found = linprog(
                sign * goal,
                A_ub=np.concatenate([weights, -weights]),
                b_ub=limits,
                bounds=(0, 1),
                method="highs",
            )
            if found.status == 2:
                raise CallError(f"{_named(known)}: no ranking, and no mean, scores all of this.")
            assert found.success, found.message
            ends.append(sign * float(found.fun))
        most = float(goal.sum()) + _below(target, self.depth)
        return max(ends[0], 0.0), min(ends[1] + _below(target, self.depth), most)


def _named(known: Mapping[WeightedPrecision, float]) -> str:
    return " and ".join(f"{metric} = {score:g}" for metric, score in known.items())


def _below(metric: WeightedPrecision, depth: int) -> float:
    weights: Floats = metric.weight_below(np.array([depth]))
    return float(weights[0])
