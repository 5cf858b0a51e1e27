"""Discounted cumulative gain, as plain loops."""

import math
from typing import Any

from reference.loops import Pool, Ranking, is_relevant, slow, worth


def discount(metric: Any, rank: int) -> float:
    if metric.b is None:
        return 1 / math.log2(rank + 1)
    return 1.0 if rank <= metric.b else math.log(metric.b) / math.log(rank)


def gains_of(metric: Any, grades: Ranking | Pool) -> list[float]:
    if metric.rel is not None:
        return [float(is_relevant(metric, grade)) for grade in grades]
    found = [worth(metric, grade) for grade in grades]
    return found if metric.dcg == "log2" else [2**gain - 1 for gain in found]


def ideal_gains(metric: Any, pool: Pool) -> list[float]:
    return sorted(gains_of(metric, pool), reverse=True)


def dcg(metric: Any, gains: list[float]) -> float:
    return sum(gain * discount(metric, rank) for rank, gain in enumerate(gains, start=1))


@slow
def DCG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return dcg(metric, gains_of(metric, ranking))


@slow
def SDCG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    top = metric.max_rel
    most = top if metric.dcg == "log2" else 2**top - 1
    nothing = gains_of(metric, [metric.min_rel])[0]
    gains = [max(min(gain, most) - nothing, 0) for gain in gains_of(metric, ranking)]
    return dcg(metric, gains) / dcg(metric, [most - nothing] * metric.cutoff)


@slow
def nDCG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ideal = dcg(metric, sorted(gains_of(metric, pool), reverse=True)[: metric.cutoff])
    return dcg(metric, gains_of(metric, ranking)) / ideal if ideal else math.nan


@slow
def SNDCG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    gains = gains_of(metric, ranking)
    best = dcg(metric, sorted(gains, reverse=True))
    if not any(ideal_gains(metric, pool)):
        return math.nan
    return dcg(metric, gains) / best if best else 0.0
