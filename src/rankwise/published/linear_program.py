"""Joint implications of several published scores of one system, by linear programming.

A score is Σ weight(i) r(i), where r(i) is the gain at rank i, from 0 to 1. r(i) is the gain in one
ranking, or the mean gain over topics. A score printed with d decimals is known to within 0.5 ×
10⁻ᵈ. The range of another metric is found by two linear programs, which minimise and maximise the
sum with the weights of that metric under these constraints. The range holds for all rankings and
means, because each is a feasible point. For a single binary ranking it need not be tight.

The bounds do not rely on the accuracy of the solver. To minimise c·r over A r ≤ b, 0 ≤ r ≤ 1: for
every λ ≥ 0

    c·r  ≥  c·r + λ·(A r − b)  ≥  Σ min(0, (c + λA)ⱼ) − λ·b

Every λ ≥ 0 thus gives a lower bound, and the λ of an exact solver gives the largest. The result is
this bound minus its rounding errors. The bound is tight if the solver's r has the same c·r. With c
= 0, a bound above 0 proves that no r satisfies the constraints (Farkas).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import fsum
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.errors import CallError, check_between
from rankwise.metrics import MetricLike, WeightedPrecision, listed, parse
from rankwise.notes import Note, note
from rankwise.results import Result, Table
from rankwise.wording import Argument

DEEPEST = 2_000  # ranks that have a variable of their own
SLACK = 1e-9  # covers the rounding of weights, and of printed scores as binary fractions
TIGHT = 1e-6  # tolerance of the distance of a score from its bound, and of constraints
SOLVERS = ("highs", "highs-ds", "highs-ipm")  # the default, dual simplex, interior point
EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False, repr=False)
class Implied(Result):
    """Range of each metric's score, implied by known scores by other metrics.

    `frame` has one row per metric: the range from `low` to `high` that all known scores together
    imply, and the narrowest range that a single known score implies.
    """

    _header = ("metrics",)

    metrics: tuple[WeightedPrecision, ...]
    known: Mapping[WeightedPrecision, float]
    precision: float
    frame: pl.DataFrame
    not_tight: tuple[str, ...] = ()  # metrics whose bounds are not proved tight

    @property
    def notes(self) -> list[Note]:
        holds = (
            "the range from 'low' to 'high' is valid for any ranking, with binary or graded "
            "relevance, and for means over topics. 'by one' is the one given score that implies "
            "the narrowest range by itself. This range is from 'one low' to 'one high'"
        )
        notes = [note("holds", holds)]
        if self.not_tight:
            names = ", ".join(self.not_tight)
            what = "these ranges are valid, but the true range may be narrower, because the solver "
            what += f"did not prove that they are tight: {names}"
            notes.append(note("bounds-not-tight", what))
        return notes

    @property
    def header(self) -> dict[str, Any]:
        known = {str(metric): score for metric, score in self.known.items()}
        return super().header | {"known": known, "precision": self.precision}

    @property
    def caption(self) -> str:
        scores = ", ".join(f"{metric} = {value:g}" for metric, value in self.known.items())
        return f"Ranges implied by {scores} (rounded to {self.precision:g}):"

    def table(self, *, digits: int = 4) -> Table:
        """Return a table with one row per metric."""
        return Table(self.frame, caption=self.caption, digits=digits)


def implied(
    metrics: MetricLike | Iterable[MetricLike],
    known: Mapping[str, float],
    *,
    precision: float = 1e-4,
) -> Implied:
    """Compute bounds of a system's scores from its published scores by other metrics.

    Parameters
    ----------
    metrics
        Metrics with fixed weights whose sum is finite: RBP, P@k, DCG@k, SDCG@k, InvSq, INSQ.
    known
        The published scores, {metric: score as printed}; these metrics must have fixed weights too.
    precision
        Rounding precision of the scores, for example 0.01 for scores with two decimals.

    Returns
    -------
    Implied
        One row per metric, with the lower and the upper bound of its score.

    Examples
    --------
    >>> found = implied("RBP(p=0.5)", {"P@1": 1, "P@2": 0.5}, precision=0.01)
    >>> [round(end, 4) for end in found.frame.select("low", "high").row(0)]
    [0.4975, 0.7525]
    """
    given = {_weighted(name): float(score) for name, score in known.items()}
    if len(given) < len(known):
        named = [str(parse(name)) for name in known]
        twice = next(name for name in named if named.count(name) > 1)
        raise CallError(Argument("known"), f": {twice} is given twice. Remove one of them.")
    if not given:
        raise CallError("no known score is given. Give at least one, for example {'P@10': 0.42}.")
    check_between("precision", precision, 0.0001)
    for metric, score in given.items():
        most = _below(metric, 0)
        if not -precision / 2 <= score <= most + precision / 2 + SLACK:
            what = f"{metric} = {score:g} is not possible: scores are between 0 and {most:.4g}."
            raise CallError(what)
    targets = tuple(_weighted(metric) for metric in listed(metrics))
    depth = _depth([*given, *targets], precision)
    rows, not_tight = [], []
    for target in targets:
        together = _range(target, given, depth, precision)
        alone = {
            metric: _range(target, {metric: score}, depth, precision)
            for metric, score in given.items()
        }
        best = min(alone, key=lambda metric: alone[metric].high - alone[metric].low)
        ends = {"low": together.low, "high": together.high, "by one": str(best)}
        ends |= {"one low": alone[best].low, "one high": alone[best].high}
        rows.append({"metric": str(target), **ends})
        not_tight += [] if together.tight else [str(target)]
    return Implied(targets, given, precision, pl.DataFrame(rows), tuple(not_tight))


def _weighted(metric: MetricLike) -> WeightedPrecision:
    parsed = parse(metric)
    weights = parsed.sum_of_weights
    if weights is None or not np.isfinite(weights.weight_below(np.array([0]))[0]):
        some = "Use RBP, P@k, DCG@k, SDCG@k, InvSq or INSQ"
        raise CallError(f"{parsed} does not have fixed rank weights with a finite sum. {some}.")
    return weights


def _depth(metrics: Iterable[WeightedPrecision], precision: float) -> int:
    """Return the number of ranks from the top that get a variable, at most DEEPEST.

    The ranks below weigh at most a hundredth of the precision, unless DEEPEST is reached.
    """
    depth = 1
    for metric in metrics:
        while depth < DEEPEST and _below(metric, depth) > precision / 100:
            depth = min(2 * depth, DEEPEST)
    return depth


def _range(
    target: WeightedPrecision,
    known: Mapping[WeightedPrecision, float],
    depth: int,
    precision: float,
) -> "Range":
    """Return the range of the score of `target` that the `known` scores imply.

    The linear programs have one variable for each rank from 1 to `depth`. The ranks below have no
    variables: together they add between 0 and their total weight.
    """
    weights = np.array([metric.weights(depth) for metric in known])
    scores = np.array(list(known.values()))
    below = np.array([_below(metric, depth) for metric in known])
    half = precision / 2 + SLACK
    # At most the printed score, and at least the printed score minus the weight below `depth`.
    system = System(
        np.concatenate([weights, -weights]),
        np.concatenate([scores + half, -(scores - half - below)]),
    )
    goal = target.weights(depth)
    low, high = system.least(goal), system.least(-goal)
    if low is None or high is None:
        named = " and ".join(f"{metric} = {score:g}" for metric, score in known.items())
        raise CallError(
            f"{named}: no ranking, and no mean over topics, has all of these scores. "
            "Check the scores and the precision."
        )
    rest = _below(target, depth)
    most = float(goal.sum()) + rest
    return Range(max(low.bound, 0.0), min(rest - high.bound, most), low.tight and high.tight)


class Range(NamedTuple):
    """Lower and upper bound of a score; `tight` if gains are known that attain each of them."""

    low: float
    high: float
    tight: bool


class Least(NamedTuple):
    """A proven lower bound of a sum of weights × gains; `tight` if known gains attain it."""

    bound: float
    tight: bool


@dataclass(frozen=True, eq=False)
class System:
    """The constraints A r ≤ b and 0 ≤ r ≤ 1 on gains r, where A is `rows` and b is `limits`."""

    rows: Floats
    limits: Floats

    def least(self, goal: Floats) -> Least | None:
        """Return a proven lower bound of `goal`·r, or None if no r is feasible (also proven)."""
        bounds = [self.bound(goal, np.zeros(len(self.limits)))]
        infeasible = None
        for scaled, solver in product((True, False), SOLVERS):
            solution = self._solved(goal, solver, scaled=scaled)
            if solution.status == 0:
                bounds.append(self.bound(goal, -solution.ineqlin.marginals))
                off = (self.rows @ np.clip(solution.x, 0, 1) - self.limits) / self._scale
                if off.max() <= TIGHT and goal @ solution.x - bounds[-1] <= TIGHT:
                    return Least(bounds[-1], tight=True)
            elif infeasible is None:
                infeasible = self.is_infeasible()
                if infeasible:
                    return None
        return Least(max(bounds), tight=False)

    def bound(self, goal: Floats, multipliers: Floats) -> float:
        """Return the lower bound of `goal`·r that `multipliers` λ prove, minus rounding errors."""
        used = np.maximum(multipliers, 0.0)
        terms = len(used) + 2
        reduced = goal + used @ self.rows
        reduced = reduced - terms * EPSILON * (np.abs(goal) + used @ np.abs(self.rows))
        spent = used * self.limits
        return fsum(np.minimum(reduced, 0.0)) - fsum(spent) - EPSILON * fsum(np.abs(spent))

    def is_infeasible(self) -> bool:
        """Return whether it is proven that no r satisfies the constraints.

        A solver finds the smallest t for which A r ≤ b + t has a solution. If t is above 0, its
        multipliers are the proof.
        """
        slack = -self._scale[:, None]
        shifted = System(np.hstack([self.rows, slack]), self.limits)
        goal = np.append(np.zeros(self.rows.shape[1]), 1.0)
        solutions = (shifted._solved(goal, solver, most=None) for solver in SOLVERS)
        nothing = np.zeros(self.rows.shape[1])
        return any(
            one.status == 0 and self.bound(nothing, -one.ineqlin.marginals) > 0 for one in solutions
        )

    @property
    def _scale(self) -> Floats:
        """Largest absolute coefficient of each row, or 1 for a row of zeros."""
        greatest = np.abs(self.rows).max(axis=1, initial=0.0)
        return np.where(greatest > 0, greatest, 1.0)

    def _solved(
        self, goal: Floats, solver: str, *, most: float | None = 1.0, scaled: bool = True
    ) -> Any:
        """Run a SciPy solver; its multipliers are converted to the unscaled rows.

        Some programs are solved only if rows are divided by their largest coefficient (`scaled`),
        others only if they are not.
        """
        from scipy.optimize import linprog

        scale = self._scale if scaled else np.ones(len(self.limits))
        ends = [(0.0, 1.0)] * (len(goal) - 1) + [(0.0, most)]
        rows, limits = self.rows / scale[:, None], self.limits / scale
        solution = linprog(goal, A_ub=rows, b_ub=limits, bounds=ends, method=solver)
        if solution.status == 0:
            solution.ineqlin.marginals = solution.ineqlin.marginals / scale
        return solution


def _below(metric: WeightedPrecision, depth: int) -> float:
    return float(metric.weight_below(np.array([depth]))[0])
