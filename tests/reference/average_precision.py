"""Average precision and its relatives, as plain loops."""

import math
from typing import Any

from reference.loops import Pool, Ranking, count_relevant, is_relevant, slow


@slow
def AP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    if total == 0:
        return math.nan
    found, score = 0, 0.0
    for rank, grade in enumerate(ranking, start=1):
        if is_relevant(metric, grade):
            found += 1
            score += found / rank
    return score / least(metric, total)


def least(metric: Any, total: int) -> int:
    """What is divided by: R, or min(k, R)."""
    return min(metric.cutoff, total) if metric.norm == "min" else total


def precisions(metric: Any, ranking: Ranking) -> list[float]:
    return [
        count_relevant(metric, ranking[:rank]) / rank
        for rank, grade in enumerate(ranking, start=1)
        if is_relevant(metric, grade)
    ]


@slow
def GAP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    """By the definition: a user draws the line at grade j with a chance in proportion to g_j."""
    best = max([grade for grade in pool if grade is not None], default=0)
    shares = dict(metric.shares) if metric.shares else dict.fromkeys(range(1, best + 1), 1.0)

    def credit(grade: int | None) -> float:
        return sum(share for line, share in shares.items() if grade is not None and grade >= line)

    total = sum(credit(grade) for grade in pool)
    score = 0.0
    for rank, grade in enumerate(ranking, start=1):
        for other in ranking[:rank]:
            if grade is not None and other is not None:
                score += credit(min(grade, other)) / rank
    return score / total if total else math.nan


@slow
def SP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return sum(precisions(metric, ranking))


@slow
def APStar(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    found = precisions(metric, ranking)
    return sum(found) / len(found) if found else 0.0


@slow
def YAAP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    relevant = count_relevant(metric, pool)
    total = sum(precisions(metric, ranking))
    return math.log((1 + total) / (1 + relevant - total)) if relevant else math.nan


@slow
def infAP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    if not total:
        return math.nan
    score, epsilon = 0.0, 0.00001
    for above, grade in enumerate(ranking):
        if not is_relevant(metric, grade):
            continue
        rel = count_relevant(metric, ranking[:above])
        nonrel = sum(g is not None and 0 <= g < metric.rel for g in ranking[:above])
        pooled = sum(g is not None for g in ranking[:above])
        if above == 0:
            score += 1
        else:
            sampled = (rel + epsilon) / (rel + nonrel + 2 * epsilon)
            score += 1 / (above + 1) + above / (above + 1) * (pooled / above) * sampled
    return score / total
