"""Metrics as plain loops over one ranking, written from their formulas alone.

`ranking` holds a grade for each document from the top, None for an unjudged one; `pool`
the grades of all judged documents of the topic. Slow, and meant to be obviously right.
"""

import math
from collections.abc import Callable
from typing import Any

Ranking = list[int | None]
Pool = list[int]
SLOW: dict[str, Callable[[Any, Ranking, Pool], float]] = {}


def slow(function: Callable[[Any, Ranking, Pool], float]) -> Callable[[Any, Ranking, Pool], float]:
    """The reference for the metric of the same name, after condensing and cutting."""

    def prepared(metric: Any, ranking: Ranking, pool: Pool) -> float:
        if getattr(metric, "judged_only", False):
            ranking = [grade for grade in ranking if grade is not None and grade >= 0]
        cutoff = getattr(metric, "cutoff", None)
        return function(metric, ranking if cutoff is None else ranking[:cutoff], pool)

    SLOW[function.__name__] = prepared
    return function


def is_relevant(metric: Any, grade: int | None) -> bool:
    return grade is not None and grade >= metric.rel


def count_relevant(metric: Any, grades: Ranking | Pool) -> int:
    return sum(is_relevant(metric, grade) for grade in grades)


def worth(metric: Any, grade: int | None) -> float:
    if grade is None:
        return 0.0
    if metric.gains is not None:
        return dict(metric.gains).get(grade, max(grade, 0))
    return max(grade, 0)


@slow
def P(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return count_relevant(metric, ranking) / metric.cutoff


@slow
def Recall(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if count_relevant(metric, pool) == 0:
        return math.nan
    return count_relevant(metric, ranking) / count_relevant(metric, pool)


@slow
def Rprec(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    reach = int(metric.mult * total + 0.9)
    if metric.cutoff is not None:
        reach = min(reach, metric.cutoff)
    return count_relevant(metric, ranking[:reach]) / reach if total else math.nan


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


@slow
def RR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found = 0
    for rank, grade in enumerate(ranking, start=1):
        found += is_relevant(metric, grade)
        if found == metric.n and is_relevant(metric, grade):
            return 1 / (metric.k + rank)
    return 0.0


@slow
def Success(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return float(count_relevant(metric, ranking) > 0)


@slow
def DCG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return dcg(metric, gains_of(metric, ranking))


@slow
def nDCG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ideal = dcg(metric, sorted(gains_of(metric, pool), reverse=True)[: metric.cutoff])
    return dcg(metric, gains_of(metric, ranking)) / ideal if ideal else math.nan


def discount(metric: Any, rank: int) -> float:
    if metric.b is None:
        return 1 / math.log2(rank + 1)
    return 1.0 if rank <= metric.b else math.log(metric.b) / math.log(rank)


def gains_of(metric: Any, grades: Ranking | Pool) -> list[float]:
    found = [worth(metric, grade) for grade in grades]
    return found if metric.dcg == "log2" else [2**gain - 1 for gain in found]


def dcg(metric: Any, gains: list[float]) -> float:
    return sum(gain * discount(metric, rank) for rank, gain in enumerate(gains, start=1))


@slow
def RBP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    score = 0.0
    for rank, grade in enumerate(ranking, start=1):
        gain = worth(metric, grade) if metric.gains is not None else is_relevant(metric, grade)
        score += (1 - metric.p) * metric.p ** (rank - 1) * gain
    return score


@slow
def Bpref(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    nonrelevant = sum(0 <= grade < metric.rel for grade in pool)
    if total == 0:
        return math.nan
    above, score, reach = 0, 0.0, total + metric.k
    divisor = reach if metric.norm == "full" else min(nonrelevant, reach)
    for grade in ranking:
        if is_relevant(metric, grade):
            score += 1 - min(above, reach) / divisor if above else 1
        elif grade is not None and grade >= 0:
            above += 1
    return score / total


@slow
def Judged(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return sum(grade is not None for grade in ranking) / len(ranking) if ranking else 0.0


@slow
def NumRet(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return len(ranking)


@slow
def NumRel(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return count_relevant(metric, pool)


@slow
def NumRelRet(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return count_relevant(metric, ranking)
