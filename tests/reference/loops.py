"""What the plain loops share: what a ranking is, where a loop is registered, grades and gains.

`ranking` holds a grade for each document from the top, None for an unjudged one; `pool`
the grades of all judged documents of the topic. Slow, and meant to be obviously right.
"""

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


def best_first(metric: Any, pool: Pool) -> list[float]:
    return sorted((worth(metric, grade) for grade in pool), reverse=True)


def unit_gains(metric: Any, grades: Ranking | Pool) -> list[float]:
    if metric.gains is not None:
        return [0.0 if g is None else dict(metric.gains).get(g, max(g, 0)) for g in grades]
    least, best = getattr(metric, "min_rel", 0), metric.max_rel
    return [(min(max(g or 0, least), best) - least) / (best - least) for g in grades]
