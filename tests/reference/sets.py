"""Set-based metrics, as plain loops."""

import math
from typing import Any

from reference.loops import Pool, Ranking, count_relevant, slow


def set_counts(metric: Any, ranking: Ranking, pool: Pool) -> tuple[int, int, int]:
    depth = getattr(metric, "cutoff", None) or len(ranking)
    return count_relevant(metric, ranking), depth, count_relevant(metric, pool)


@slow
def SetP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, retrieved, relevant = set_counts(metric, ranking, pool)
    best = min(retrieved, relevant) if metric.relative else retrieved
    return found / best if best else 0.0


@slow
def SetR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, _, relevant = set_counts(metric, ranking, pool)
    return found / relevant if relevant else math.nan


@slow
def SetAP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, retrieved, relevant = set_counts(metric, ranking, pool)
    if not relevant:
        return math.nan
    return found / retrieved * found / relevant if retrieved else 0.0


@slow
def SetF(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, retrieved, relevant = set_counts(metric, ranking, pool)
    if not relevant:
        return math.nan
    if not found:
        return 0.0
    p, r = found / retrieved, found / relevant
    return (metric.beta + 1) * p * r / (metric.beta * p + r)


@slow
def Shaw(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, retrieved, relevant = set_counts(metric, ranking, pool)
    if not relevant:
        return math.nan
    return 1 / (retrieved / found + relevant / found - 1) if found else 0.0


@slow
def Utility(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, retrieved, relevant = set_counts(metric, ranking, pool)
    others = metric.documents - retrieved - (relevant - found)
    return (
        metric.a * found
        + metric.b * (retrieved - found)
        + metric.c * (relevant - found)
        + metric.d * others
    )
