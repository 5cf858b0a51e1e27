"""Cascades: see a document, go on with some probability, rank by rank, as plain loops."""

import math
from collections.abc import Callable
from typing import Any

from scipy.special import zeta

from reference.loops import Pool, Ranking, is_relevant, slow, unit_gains

Step = Callable[[int, float, float], float]


def per_document(
    metric: Any, ranking: Ranking, step: Step, tail: Callable[[int, float], float]
) -> float:
    """Σ V g / Σ V; `step(rank, gain, gain so far)` is the chance to go on, `tail` the rest of
    Σ V below the ranking for V(n + 1) = 1, given the gain so far."""
    gains = unit_gains(metric, ranking)
    end = getattr(metric, "cutoff", None)
    if end is not None:
        gains = (gains + [0.0] * end)[:end]
    view, seen, earned, so_far = 1.0, 0.0, 0.0, 0.0
    for rank, gain in enumerate(gains, start=1):
        so_far += gain
        seen += view
        earned += view * gain
        view *= step(rank, gain, so_far)
    if end is None:
        seen += view * tail(len(gains), so_far)
    return earned / seen


@slow
def NERR8(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return per_document(metric, ranking, lambda _, gain, __: 1 - gain, lambda *_: 0)


@slow
def NERR9(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return per_document(
        metric, ranking, lambda rank, gain, _: rank / (rank + 1) * (1 - gain), lambda *_: 0
    )


@slow
def NERR10(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return per_document(
        metric, ranking, lambda _, gain, __: metric.p * (1 - gain), lambda *_: 1 / (1 - metric.p)
    )


@slow
def NERR11(metric: Any, ranking: Ranking, pool: Pool) -> float:
    def step(rank: int, gain: float, _: float) -> float:
        return ((rank + 2 * metric.T - 1) / (rank + 2 * metric.T)) ** 2 * (1 - gain)

    def tail(n: int, _: float) -> float:
        return float(zeta(2, n + 2 * metric.T)) * (n + 2 * metric.T) ** 2

    return per_document(metric, ranking, step, tail)


@slow
def RBP2(metric: Any, ranking: Ranking, pool: Pool) -> float:
    view, seen, earned = 1.0, 0.0, 0.0
    for grade in ranking:
        hit = is_relevant(metric, grade)
        seen += view
        earned += view * hit
        view *= metric.p1 if hit else metric.p2
    return earned / (seen + view / (1 - metric.p2))


def err(metric: Any, grades: Ranking | Pool) -> float:
    chances = unit_gains(metric, grades)
    if metric.gains is None:
        best = metric.max_rel
        clipped = [min(max(g or 0, 0), best) for g in grades]
        exp, linear = [(2**g - 1) / 2**best for g in clipped], [g / (best + 1) for g in clipped]
        chances = exp if metric.stop == "exp" else linear
    score, unsatisfied = 0.0, 1.0
    for rank, chance in enumerate(chances, start=1):
        score += unsatisfied * chance / rank
        unsatisfied *= 1 - chance
    return score


@slow
def ERR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return err(metric, ranking)


@slow
def nERR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not any(grade >= 1 for grade in pool):
        return math.nan
    order = sorted(pool, key=lambda g: unit_gains(metric, [g])[0], reverse=True)
    best = err(metric, order[: metric.cutoff])
    return err(metric, ranking) / best if best else math.nan
