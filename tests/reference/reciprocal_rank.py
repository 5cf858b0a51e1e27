"""The first or n-th relevant document, as plain loops."""

import math
from typing import Any

from reference.loops import Pool, Ranking, count_relevant, is_relevant, slow, worth


@slow
def RR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found = 0
    for rank, grade in enumerate(ranking, start=1):
        found += is_relevant(metric, grade)
        if found == metric.n and is_relevant(metric, grade):
            return 1 / (metric.k + rank)
    return 0.0


@slow
def Success(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return float(count_relevant(metric, ranking) > 0)


@slow
def BestGain(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return max((worth(metric, grade) for grade in ranking), default=0.0)


@slow
def RankPower(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ranks = [r for r, grade in enumerate(ranking, start=1) if is_relevant(metric, grade)]
    if not count_relevant(metric, pool):
        return math.nan
    return min(sum(ranks) / len(ranks) / len(ranks), metric.give_up) if ranks else metric.give_up
