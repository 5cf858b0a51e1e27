"""Interpolated precision at levels of recall, as plain loops."""

import math
from typing import Any

from reference.loops import Pool, Ranking, count_relevant, slow


def interpolated(metric: Any, ranking: Ranking, pool: Pool, recall: float) -> float:
    share = recall * count_relevant(metric, pool)
    wanted = int(share + 0.9) if metric.rounding == "up" else math.floor(share + 0.5)
    precisions = [
        count_relevant(metric, ranking[:depth]) / depth
        for depth in range(1, len(ranking) + 1)
        if count_relevant(metric, ranking[:depth]) >= max(wanted, 1)
    ]
    return max(precisions, default=0.0)


@slow
def IPrec(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    return interpolated(metric, ranking, pool, metric.recall)


@slow
def IPrecMean(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    steps = metric.points - 1
    levels = [0.2, 0.5, 0.8] if metric.points == 3 else [i / steps for i in range(steps + 1)]
    return sum(interpolated(metric, ranking, pool, x) for x in levels) / len(levels)
