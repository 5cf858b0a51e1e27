"""Counts, as plain loops."""

from typing import Any

from reference.loops import Pool, Ranking, count_relevant, slow


@slow
def Judged(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return sum(grade is not None for grade in ranking) / len(ranking) if ranking else 0.0


@slow
def Unjudged(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return sum(grade is None or grade < 0 for grade in ranking) / metric.cutoff


@slow
def NumQ(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return 1


@slow
def NumRet(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return len(ranking)


@slow
def NumRel(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return count_relevant(metric, pool)


@slow
def NumRelRet(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return count_relevant(metric, ranking)


@slow
def NumNonrelRet(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return sum(grade is not None and 0 <= grade < metric.rel for grade in ranking)
