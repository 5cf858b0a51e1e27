"""Overlap with the ideal ranking, as plain loops."""

import math
from typing import Any

from reference.loops import Pool, Ranking, slow


@slow
def Compat(metric: Any, ranking: Ranking, pool: Pool) -> float:
    """Documents are numbers: those of the ranking by rank, then the rest of the pool."""
    rest = list(pool)
    for grade in ranking:
        if grade is not None:
            rest.remove(grade)
    grades = list(ranking) + rest
    relevant = [d for d, grade in enumerate(grades) if grade is not None and grade >= 1]
    if not relevant:
        return math.nan
    ideal = sorted(relevant, key=lambda d: (-(grades[d] or 0), d))
    shown = list(range(len(ranking)))
    depth = max(len(shown), len(ideal))

    def rbo(one: list[int], other: list[int]) -> float:
        weights = [metric.p**d for d in range(depth)]
        agree = [len(set(one[: d + 1]) & set(other[: d + 1])) / (d + 1) for d in range(depth)]
        return sum(w * a for w, a in zip(weights, agree, strict=True)) / sum(weights)

    score = rbo(shown, ideal)
    return score / rbo(ideal, ideal) if metric.normalize else score
