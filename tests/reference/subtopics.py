"""Metrics over subtopics, as plain loops.

A document is a tuple of grades, one for each subtopic, or None if it is unjudged. `pool` has the
judged documents of the topic by decreasing name. A plain ranking has one subtopic.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from reference.loops import SLOW, Pool, Ranking, worth

Document = tuple[int, ...] | None


def by_subtopic(metric: Any, ranking: list[Document], pool: list[tuple[int, ...]]) -> float:
    """The metric's mean over subtopics with a relevant document, or its ratio to the ideal."""
    name = type(metric).__name__
    if name == "Dsharp_nDCG":
        covered, graded = (by_subtopic(term, ranking, pool) for _, term in metric.terms)
        return metric.gamma * covered + (1 - metric.gamma) * graded
    if name == "D_nDCG":
        return global_gain(metric, ranking[: metric.cutoff], pool)
    if name in NORMALISED:
        order = greedy(metric, pool)
        best = mean(metric, order, pool, summed)
        return mean(metric, ranking, pool, summed) / best if best else math.nan
    return mean(metric, ranking, pool, summed if hasattr(metric, "alpha") else plain)


Part = Callable[[Any, Ranking, Pool], float]
NORMALISED = {"alpha_nDCG", "nERR_IA", "nNRBP"}
PLAIN = {"P_IA": "P", "AP_IA": "AP", "StRecall": "Success"}


def mean(metric: Any, ranking: Sequence[Document], pool: Sequence[Document], part: Part) -> float:
    values = []
    for place in range(len(pool[0] or ()) if pool else 0):
        grades = [None if one is None else one[place] for one in ranking]
        judged = [one[place] for one in pool if one is not None]
        inner = getattr(metric, "metric", metric)
        relevant = getattr(inner, "rel", None) or 1
        if any(grade >= relevant for grade in judged):
            values.append(part(metric, grades, judged))
    return sum(values) / len(values) if values else math.nan


def plain(metric: Any, ranking: Ranking, pool: Pool) -> float:
    inner = getattr(metric, "metric", None)
    if inner is not None:
        return SLOW[type(inner).__name__](inner, ranking, pool)
    return SLOW[PLAIN[type(metric).__name__]](_with_defaults(metric), ranking, pool)


class _with_defaults:
    """The parameters of a metric, and the defaults of the plain one."""

    norm, ties, judged_only, n, k, cutoff = "R", "name", False, 1, 1, None

    def __init__(self, metric: Any) -> None:
        self.__dict__.update(rel=metric.rel, cutoff=metric.cutoff)


def discount(metric: Any, rank: int) -> float:
    name = type(metric).__name__
    if "NRBP" in name:
        return float(metric.beta ** (rank - 1))
    return 1 / rank if "ERR" in name else 1 / math.log2(rank + 1)


def summed(metric: Any, ranking: Ranking, pool: Pool) -> float:
    """The gain of one subtopic, over that of documents that are all relevant."""
    cutoff = metric.cutoff
    total, seen = 0.0, 0
    for rank, grade in enumerate(ranking[:cutoff], 1):
        if grade is not None and grade >= metric.rel:
            total += (1 - metric.alpha) ** seen * discount(metric, rank)
            seen += 1
    return total / greatest(metric)


@cache
def greatest(metric: Any) -> float:
    ranks = range(1, (metric.cutoff or 3000) + 1)
    return sum((1 - metric.alpha) ** (rank - 1) * discount(metric, rank) for rank in ranks)


def greedy(metric: Any, pool: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    left, order = list(pool), list[tuple[int, ...]]()
    gain = [1.0] * (len(pool[0]) if pool else 0)

    def adds(one: tuple[int, ...]) -> float:
        return sum(g for grade, g in zip(one, gain, strict=True) if grade >= metric.rel)

    while left:
        best = max(left, key=adds)  # the first of equal ones
        left.remove(best)
        order.append(best)
        for place, grade in enumerate(best):
            gain[place] *= 1 - metric.alpha if grade >= metric.rel else 1.0
    return order


def global_gain(metric: Any, ranking: list[Document], pool: list[tuple[int, ...]]) -> float:
    def gain(one: Document) -> float:
        return 0.0 if one is None else sum(worth(metric, grade) for grade in one) / len(one)

    def dcg(gains: list[float]) -> float:
        return sum(g / math.log2(rank + 1) for rank, g in enumerate(gains, 1))

    ideal = dcg(sorted(map(gain, pool), reverse=True)[: metric.cutoff])
    return dcg([gain(one) for one in ranking]) / ideal if ideal else math.nan


def _of_one_subtopic(name: str) -> None:
    def loop(metric: Any, ranking: Ranking, pool: Pool) -> float:
        documents: list[Document] = [None if grade is None else (grade,) for grade in ranking]
        return by_subtopic(metric, documents, [(grade,) for grade in pool])

    SLOW[name] = loop  # each part cuts its ranking, a condensed one only once it is condensed


for each in (*PLAIN, *NORMALISED, "IA", "alpha_DCG", "ERR_IA", "NRBP", "D_nDCG", "Dsharp_nDCG"):
    _of_one_subtopic(each)
