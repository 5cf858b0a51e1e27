"""Pairs of a relevant and a non-relevant document, as plain loops."""

import math
from typing import Any

from reference.loops import Pool, Ranking, count_relevant, is_relevant, slow


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
def RankEff(metric: Any, ranking: Ranking, pool: Pool) -> float:
    relevant = count_relevant(metric, pool)
    nonrelevant = sum(0 <= grade < metric.rel for grade in pool)
    if not relevant or not nonrelevant:
        return math.nan
    below = 0
    for place, grade in enumerate(ranking):
        if is_relevant(metric, grade):
            above = sum(g is not None and 0 <= g < metric.rel for g in ranking[:place])
            below += nonrelevant - above
    return below / (relevant * nonrelevant)


@slow
def Accuracy(metric: Any, ranking: Ranking, pool: Pool) -> float:
    good = pairs = 0
    for first, one in enumerate(ranking):
        for second, other in enumerate(ranking):
            if is_relevant(metric, one) and not is_relevant(metric, other):
                pairs += 1
                good += first < second
    if not count_relevant(metric, pool):
        return math.nan
    found = sum(is_relevant(metric, grade) for grade in ranking)
    return good / pairs if pairs else float(found > 0)


@slow
def AgreedPairs(metric: Any, ranking: Ranking, pool: Pool) -> float:
    rest = list(pool)
    for grade in ranking:
        if grade is not None:
            rest.remove(grade)
    last = len(ranking)
    graded = [(g, at) for at, g in enumerate(ranking) if g is not None] + [(g, last) for g in rest]
    agreed = pairs = 0
    for better, first in graded:
        for worse, second in graded:
            if 0 <= worse < better:
                pairs += 1
                agreed += first < second
    return agreed / pairs if pairs else math.nan
