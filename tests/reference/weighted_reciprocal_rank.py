"""Reciprocal rank weighted by the grade, as plain loops."""

import math
from typing import Any

from reference.loops import Pool, Ranking, slow


@slow
def WRR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    for rank, grade in enumerate(ranking, start=1):
        if grade is not None and grade >= 1:
            return 1 / (rank - 1 / dict(metric.beta)[grade])
    return 0.0


@slow
def NWRR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    best = max(pool)
    if best < 1:
        return math.nan
    return WRR(metric, ranking, pool) * (1 - 1 / dict(metric.beta)[best])
