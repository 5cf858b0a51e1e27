"""Expected utility where a user stops, as plain loops."""

import math
from typing import Any

from reference.blended import blended
from reference.loops import Pool, Ranking, count_relevant, slow, worth


def chances(metric: Any, grades: Ranking | Pool) -> list[float]:
    most = worth(metric, metric.max_rel) if metric.max_rel else worth(metric, 3)
    least_grade = -1 if metric.rel is None else metric.rel
    counted = [g if g is not None and g >= least_grade else None for g in grades]
    return [min(worth(metric, grade), most) / (most + 1) for grade in counted]


def stopping(metric: Any, grades: Ranking | Pool) -> list[float]:
    """The probability to stop at each rank."""
    found, going_on = [], 1.0
    for chance in chances(metric, grades):
        found.append(going_on * chance)
        going_on *= 1 - chance
    return found


def best_order(metric: Any, pool: Pool) -> Pool:
    ordered = sorted(pool, key=lambda grade: chances(metric, [grade])[0], reverse=True)
    return ordered[: metric.cutoff]


@slow
def EBR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    stops = enumerate(stopping(metric, ranking), start=1)
    return sum(stop * blended(metric, ranking, pool, rank) for rank, stop in stops if stop)


@slow
def nEBR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    best = sum(stopping(metric, best_order(metric, pool)))
    return EBR(metric, ranking, pool) / best if best else math.nan


@slow
def iRBU(metric: Any, ranking: Ranking, pool: Pool) -> float:
    stops = enumerate(stopping(metric, ranking), start=1)
    return sum(stop * metric.p**rank for rank, stop in stops)


@slow
def niRBU(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not any(grade >= 1 for grade in pool):
        return math.nan
    best = iRBU(metric, list(best_order(metric, pool)), pool)
    return iRBU(metric, ranking, pool) / best if best else math.nan
