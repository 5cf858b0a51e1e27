"""Precision and recall, as plain loops."""

import math
from typing import Any

from reference.loops import Pool, Ranking, count_relevant, slow


@slow
def P(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return count_relevant(metric, ranking) / metric.cutoff


@slow
def Recall(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if count_relevant(metric, pool) == 0:
        return math.nan
    return count_relevant(metric, ranking) / count_relevant(metric, pool)


@slow
def Rprec(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    reach = int(metric.mult * total + 0.9)
    if metric.cutoff is not None:
        reach = min(reach, metric.cutoff)
    return count_relevant(metric, ranking[:reach]) / reach if total else math.nan


@slow
def RelP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    relevant = count_relevant(metric, pool)
    if not relevant:
        return math.nan
    return count_relevant(metric, ranking) / min(metric.cutoff, relevant)
