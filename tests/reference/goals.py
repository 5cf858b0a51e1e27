"""Users who look for a given amount of gain, as plain loops."""

from typing import Any

from scipy.special import zeta

from reference.cascade import per_document
from reference.loops import Pool, Ranking, slow, unit_gains


@slow
def INST(metric: Any, ranking: Ranking, pool: Pool) -> float:
    def step(rank: int, _: float, so_far: float) -> float:
        goal = 2 * metric.T - so_far
        return ((rank + goal - 1) / (rank + goal)) ** 2

    def tail(n: int, so_far: float) -> float:
        goal = 2 * metric.T - so_far
        return float(zeta(2, n + goal)) * (n + goal) ** 2

    return per_document(metric, ranking, step, tail)


@slow
def BPM(metric: Any, ranking: Ranking, pool: Pool) -> float:
    gains = (unit_gains(metric, ranking) + [0.0] * metric.cutoff)[: metric.cutoff]
    total = 0.0
    for rank, gain in enumerate(gains, start=1):
        total += gain
        if (total >= metric.T and gain) or rank == metric.cutoff:
            return total / rank
    raise AssertionError
