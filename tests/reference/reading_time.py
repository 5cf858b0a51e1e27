"""Users whose time goes into documents, as plain loops; all documents are equally long here."""

import math
from typing import Any

from reference.loops import Pool, Ranking, is_relevant, slow, worth


@slow
def TBG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return time_biased_gain(metric, ranking, [metric.length] * len(ranking))


@slow
def U(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return u_measure(metric, ranking, [metric.length] * len(ranking))


def time_biased_gain(metric: Any, ranking: Ranking, lengths: list[float]) -> float:
    score, time = 0.0, 0.0
    for grade, length in zip(ranking, lengths, strict=True):
        click = metric.stray
        if is_relevant(metric, grade):
            click = metric.click
            score += metric.click * metric.save * math.exp(-time * math.log(2) / metric.h)
        time += metric.summary + click * (metric.word * length + metric.visit)
    return score


def u_measure(metric: Any, ranking: Ranking, lengths: list[float]) -> float:
    score, position = 0.0, 0.0
    for grade, length in zip(ranking, lengths, strict=True):
        position += metric.snippet
        if worth(metric, grade) > 0:
            position += metric.read * length
            score += worth(metric, grade) * max(0, 1 - position / metric.L)
    return score
