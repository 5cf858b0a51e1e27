"""Other ways to discount and to normalise gain, as plain loops."""

import math
from typing import Any

from reference.dcg import dcg, gains_of, ideal_gains
from reference.loops import Pool, Ranking, count_relevant, is_relevant, slow


@slow
def G(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ideal, gains = ideal_gains(metric, pool), gains_of(metric, ranking)
    if not sum(ideal):
        return math.nan
    score = 0.0
    for rank, gain in enumerate(gains, start=1):
        padded = (ideal + [0.0] * rank)[:rank]
        cost = sum(max(one, 1) for one in padded)
        if gain:
            score += gain / math.log2(2 + cost - sum(gains[:rank]))
    return score / sum(ideal)


@slow
def binG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    if not total:
        return math.nan
    score = 0.0
    for above, grade in enumerate(ranking):
        if is_relevant(metric, grade):
            score += 1 / math.log2(2 + above - count_relevant(metric, ranking[:above]))
    return score / total


@slow
def nDCGRel(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ideal, gains = ideal_gains(metric, pool), gains_of(metric, ranking)
    relevant = sum(gain > 0 for gain in ideal)
    if not relevant:
        return math.nan
    points = [
        dcg(metric, gains[:rank]) / dcg(metric, ideal[:rank])
        for rank, gain in enumerate(gains, start=1)
        if gain > 0
    ]
    end = dcg(metric, gains) / dcg(metric, ideal[: metric.cutoff])
    return (sum(points) + (relevant - len(points)) * end) / relevant


@slow
def Rndcg(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ideal, gains = ideal_gains(metric, pool), gains_of(metric, ranking)
    ends = [sum(g >= level for g in ideal) for level in sorted({g for g in ideal if g > 0})[::-1]]
    if not ends:
        return math.nan
    points = [dcg(metric, gains[:end]) / dcg(metric, ideal[:end]) for end in ends]
    if len(ranking) > ends[-1] + 1:
        points.append(dcg(metric, gains) / dcg(metric, ideal))
    return sum(points) / len(points)
