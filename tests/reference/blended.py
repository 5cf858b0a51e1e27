"""Sakai's blended ratio and the metrics made of it, as plain loops."""

import math
from typing import Any

from reference.average_precision import least
from reference.loops import Pool, Ranking, best_first, count_relevant, is_relevant, slow, worth


def blended(metric: Any, ranking: Ranking, pool: Pool, rank: int) -> float:
    kept = [grade if is_relevant(metric, grade) else None for grade in ranking[:rank]]
    cg = sum(worth(metric, grade) for grade in kept)
    ideal = best_first(metric, [grade for grade in pool if is_relevant(metric, grade)])
    count = count_relevant(metric, ranking[:rank])
    return (metric.beta * cg + count) / (metric.beta * sum(ideal[:rank]) + rank)


def relevant_ranks(metric: Any, ranking: Ranking) -> list[int]:
    return [r for r, grade in enumerate(ranking, start=1) if is_relevant(metric, grade)]


@slow
def Q(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    if not total:
        return math.nan
    ranks = relevant_ranks(metric, ranking)
    return sum(blended(metric, ranking, pool, rank) for rank in ranks) / least(metric, total)


@slow
def RMeasure(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    return blended(metric, ranking, pool, least_rank(metric, total)) if total else math.nan


def least_rank(metric: Any, rank: int) -> int:
    return rank if metric.cutoff is None else min(rank, metric.cutoff)


@slow
def O(metric: Any, ranking: Ranking, pool: Pool) -> float:  # noqa: E743
    if not count_relevant(metric, pool):
        return math.nan
    ranks = relevant_ranks(metric, ranking)
    return blended(metric, ranking, pool, ranks[0]) if ranks else 0.0


def preferred(metric: Any, ranking: Ranking) -> int | None:
    best = max((g for g in ranking if g is not None and is_relevant(metric, g)), default=None)
    return None if best is None else ranking.index(best) + 1


@slow
def PMeasure(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    rank = preferred(metric, ranking)
    return blended(metric, ranking, pool, rank) if rank else 0.0


@slow
def PPlus(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    last = preferred(metric, ranking)
    if last is None:
        return 0.0
    ranks = [rank for rank in relevant_ranks(metric, ranking) if rank <= last]
    return sum(blended(metric, ranking, pool, rank) for rank in ranks) / len(ranks)


@slow
def NCU(metric: Any, ranking: Ranking, pool: Pool) -> float:
    relevant = [grade for grade in pool if is_relevant(metric, grade)]
    if not relevant:
        return math.nan
    score = 0.0
    for n, rank in enumerate(relevant_ranks(metric, ranking)):
        chance = 1 / len(relevant)
        if metric.stop == "graded":
            total = sum(worth(metric, grade) for grade in relevant)
            chance = worth(metric, ranking[rank - 1]) / total
        elif metric.stop == "rank-biased":
            chance = metric.gamma**n / sum(metric.gamma**i for i in range(len(relevant)))
        effort = metric.p**rank
        utility = blended(metric, ranking, pool, rank) if metric.utility == "blended" else effort
        score += chance * utility
    return score
