"""Ends of the inner range, each attained by rankings; residuals and means included.

Documents are of three kinds: relevant (weight S at p), unjudged (weight ε), other (the rest).
The high end counts the unjudged as relevant, so it is 1 − the score of the others; the low end
is the score of the relevant. Exchanging relevant and other documents exchanges the two ends,
so only top-heavy ends are searched: the high one at p′ < p, the low one at p′ > p.
"""

from math import ceil, floor, log

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.published.outer import filled_from_top
from rankwise.published.published_score import Published, significant_ranks
from rankwise.published.ranking_search import BUDGET, Found, Search
from rankwise.published.vectors import contribution


def inner(printed: Published, at: float, budget: int = BUDGET) -> tuple[float | None, float | None]:
    """Range at p = `at` attained by rankings (or means over `topics`) with this score.

    None if none was found: with a residual at p < 0.5 the kinds may not fit together.

    >>> low, high = inner(Published(0.9, 0.2533, precision=0.002), 0.8)
    >>> round(low, 4), round(high, 4)
    (0.0549, 0.4304)
    """
    if at == printed.p:
        return printed.score, printed.most
    top = _top_heaviest(printed, at, printed.score, budget)
    bottom = _top_heaviest(printed, at, max(0.0, 1 - printed.most), budget)
    other = None if bottom is None else 1 - bottom
    return (other, top) if at < printed.p else (top, other)


def _top_heaviest(printed: Published, at: float, score: float, budget: int) -> float | None:
    """Return the end approached by filling from the top, for relevant documents of this weight."""
    if printed.p == 0:
        return _first_rank(printed, at, score)
    if printed.graded:
        return _graded(printed, at, score)
    if printed.residual:
        return _with_unjudged(printed, at, score, budget)
    if (printed.topics or 1) > 1:
        return _mean(printed, at, score, budget)
    return _single(printed, at, score, budget)


def _first_rank(printed: Published, at: float, score: float) -> float | None:
    """Return the end at p = 0: the score of the first documents, with any documents below.

    Graded gains allow any mean; binary ones only whole numbers of topics.
    """
    least = max(0.0, score - printed.half)
    if not printed.graded:
        topics = printed.topics or 1
        least = ceil(least * topics - 1e-9) / topics
    return least * (1 - at) if least <= score + printed.half else None


def _graded(printed: Published, at: float, score: float) -> float | None:
    """Fill the ranks of a representative topic from the top, the last one partly.

    Unjudged documents are whole ranks. They are best above the end of the fill of both kinds (the
    high end) or below that of the relevant ones (the low end); otherwise they are anywhere.
    """
    upwards = at < printed.p
    slack = printed.half / 2 if printed.residual else printed.half  # see _weigh_right
    aim = min(1.0, score + slack) if upwards else max(0.0, score - slack)
    if not printed.residual:
        return float(filled_from_top(printed.p, at, aim))
    con = contribution(printed.p, significant_ranks(printed.p, printed.precision / 8))
    end = min(1 - 1e-16, aim + printed.residual if upwards else aim)
    down, full = np.arange(len(con)), floor(log(1 - end) / log(printed.p))
    scores: list[float] = []
    for room in (down < full if upwards else down > full, down >= 0):
        unjudged = _taken(con, room, printed.residual + slack)
        gains = _poured(np.where(unjudged, 0.0, con), aim)
        if _weigh_right(printed, con, score, gains, unjudged):
            counted = gains + unjudged if upwards else gains
            scores.append(float(counted @ contribution(at, len(con))))
    return (max if upwards else min)(scores, default=None)


def _poured(con: Floats, weight: float) -> Floats:
    """Return gains from the top until the weight is used up; ranks of weight 0 have none."""
    before = np.cumsum(con) - con
    gains: Floats = np.clip((weight - before) / np.maximum(con, 1e-300), 0.0, 1.0)
    return np.where(con > 0, gains, 0.0)


def _single(printed: Published, at: float, score: float, budget: int) -> float | None:
    best = _search(printed, at, score, printed.half, budget)
    return None if best is None else best.worth


def _search(printed: Published, at: float, score: float, slack: float, budget: int) -> Found | None:
    low, high = max(0.0, score - slack), min(1.0, score + slack)
    return Search(printed.p, at, low, high, budget).best()


def _mean(printed: Published, at: float, score: float, budget: int) -> float | None:
    """Fill k ranks in some topics and k + 1 in others; one more topic takes the rest.

    All topics but that one lie on the concave hull, so the mean is within 1/n of the outer bound.
    """
    p, topics = printed.p, printed.topics or 1
    if score >= 1:
        return 1.0
    full = floor(log(1 - score) / log(p) + 1e-12)
    part = (score - (1 - p**full)) / ((1 - p) * p**full)
    deeper = min(topics - 1, floor(part * topics))
    others = deeper * (1 - p ** (full + 1)) + (topics - 1 - deeper) * (1 - p**full)
    last = _search(printed, at, min(max(topics * score - others, 0.0), 1.0), printed.half, budget)
    if last is None:
        return None
    worth = deeper * (1 - at ** (full + 1)) + (topics - 1 - deeper) * (1 - at**full)
    return (worth + last.worth) / topics


def _with_unjudged(printed: Published, at: float, score: float, budget: int) -> float | None:
    """Return the best of a few placements of relevant and unjudged documents of these weights."""
    con = contribution(printed.p, significant_ranks(printed.p, printed.precision / 8))
    everywhere = np.ones(len(con), dtype=np.bool_)
    worth = contribution(at, len(con))
    scores: list[float] = []
    if at < printed.p:
        both = _bits(
            _search(printed, at, score + printed.unjudged, printed.half / 8, budget), len(con)
        )
        for room, first in [
            *[(everywhere, score), (everywhere, printed.unjudged)],
            *[(both, score), (both, printed.unjudged)],
        ]:
            one = _taken(con, room, first)
            two = _taken(con, room & ~one, score + printed.unjudged - first)
            kinds = (one, two) if first == score else (two, one)
            if _weigh_right(printed, con, score, *kinds):
                scores.append(float((one | two) @ worth))
        return max(scores, default=None)
    for budgeted in (budget, 1):
        relevant = _bits(_search(printed, at, score, printed.half / 8, budgeted), len(con))
        unjudged = _taken(con, ~relevant, printed.unjudged)
        if _weigh_right(printed, con, score, relevant, unjudged):
            scores.append(float(relevant @ worth))
    return min(scores, default=None)


def _weigh_right(
    printed: Published, con: Floats, score: float, relevant: Bools | Floats, unjudged: Bools
) -> bool:
    """Whether both weights match, with half the slack each, so that the rest matches too."""
    off = abs(relevant @ con - score), abs(unjudged @ con - printed.unjudged)
    return bool(max(off) <= printed.half / 2 + 1e-12)


def _taken(con: Floats, room: Bools, weight: float) -> Bools:
    """Take ranks with room, from the top, as long as they fit the weight."""
    is_chosen = np.zeros_like(room)
    left = weight + 1e-12
    for rank in np.flatnonzero(room & (con <= left)).tolist():
        if con[rank] <= left:
            is_chosen[rank] = True
            left -= con[rank]
    return is_chosen


def _bits(best: Found | None, depth: int) -> Bools:
    bits = np.zeros(depth, dtype=np.bool_)
    for start, stop in best.runs if best else ():
        bits[start:stop] = True
    return bits
