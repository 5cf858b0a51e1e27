"""Rank-biased precision, and other weights that add up to 1, as plain loops."""

import math
from typing import Any

from scipy.special import zeta

from reference.loops import Pool, Ranking, best_first, is_relevant, slow, unit_gains, worth


@slow
def RBP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    score = 0.0
    for rank, grade in enumerate(ranking, start=1):
        gain = worth(metric, grade) if metric.gains is not None else is_relevant(metric, grade)
        score += (1 - metric.p) * metric.p ** (rank - 1) * gain
    return score


@slow
def RBPResidual(metric: Any, ranking: Ranking, pool: Pool) -> float:
    p = metric.p
    open_ranks = [i for i, grade in enumerate(ranking) if grade is None or grade < 0]
    if metric.tail == "if-unjudged" and not open_ranks:
        return 0.0
    return p ** len(ranking) + (1 - p) * sum(p**i for i in open_ranks)


def weighted(metric: Any, ranking: Ranking, weights: list[float]) -> float:
    gains = [
        worth(metric, grade) if metric.gains is not None else float(is_relevant(metric, grade))
        for grade in ranking
    ]
    if getattr(metric, "max_rel", None) is not None:
        gains = unit_gains(metric, ranking)
    return sum(weight * gain for weight, gain in zip(weights, gains, strict=True))


@slow
def InvSq(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return weighted(metric, ranking, [1 / (i * (i + 1)) for i in range(1, len(ranking) + 1)])


@slow
def BetaRBP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    """E[p^d] is the product of (α + j) / (α + β + j) for j < d, step by step."""
    left, weights = 1.0, []
    for rank in range(len(ranking)):
        further = left * (metric.alpha + rank) / (metric.alpha + metric.beta + rank)
        weights.append(left - further)
        left = further
    return weighted(metric, ranking, weights)


@slow
def INSQ(metric: Any, ranking: Ranking, pool: Pool) -> float:
    shift = 2 * metric.T - 1
    end = metric.cutoff
    total = (
        float(zeta(2, shift + 1))
        if end is None
        else sum(1 / (i + shift) ** 2 for i in range(1, end + 1))
    )
    return weighted(
        metric, ranking, [1 / (i + shift) ** 2 / total for i in range(1, len(ranking) + 1)]
    )


def by_persistence(metric: Any, gains: list[float]) -> float:
    return sum(gain * metric.p**above for above, gain in enumerate(gains))


@slow
def ScaledRBP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    gains = [worth(metric, grade) for grade in pool]
    greatest = max([1.0, *gains, *dict(metric.gains or {}).values()])
    scaled = [worth(metric, grade) / greatest for grade in ranking]
    return (1 - metric.p) * by_persistence(metric, scaled)


@slow
def nRBP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ideal = by_persistence(metric, best_first(metric, pool)[: metric.cutoff])
    gains = [worth(metric, grade) for grade in ranking]
    return by_persistence(metric, gains) / ideal if ideal else math.nan
