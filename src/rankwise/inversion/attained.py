"""Ends of the inner range, each with its ranking or rankings: residuals and means included.

Documents are of three kinds: relevant (weight S at p), unjudged (weight ε), other (the rest).
The high end counts the unjudged as relevant and so is 1 − the score of the others; the low end
is the score of the relevant. Exchanging relevant and other documents exchanges the two ends,
so only top-heavy ends are sought: the high one at p′ < p, the low one at p′ > p.
"""

from math import floor, log

import numpy as np

from rankwise.inversion.paper import Bools, Floats, contribution
from rankwise.inversion.published import Published, significant_ranks
from rankwise.inversion.search import BUDGET, Found, Search


def inner(given: Published, at: float, budget: int = BUDGET) -> tuple[float | None, float | None]:
    """Scores at p = `at` that a ranking (or a mean over `topics`) with this score attains.

    None where none was found: with a residual at p < 0.5 the kinds may not fit together.

    >>> low, high = inner(Published(0.9, 0.2533, precision=0.002), 0.8)
    >>> round(low, 4), round(high, 4)
    (0.0549, 0.4304)
    """
    if at == given.p:
        return given.score, given.score + given.residual
    find = _with_unjudged if given.residual else _mean if (given.topics or 1) > 1 else _single
    top = find(given, at, given.score, budget)
    bottom = find(given, at, max(0.0, 1 - given.score - given.residual), budget)
    other = None if bottom is None else 1 - bottom
    return (other, top) if at < given.p else (top, other)


def _single(given: Published, at: float, score: float, budget: int) -> float | None:
    found = _search(given, at, score, given.half, budget)
    return None if found is None else found.worth


def _search(given: Published, at: float, score: float, slack: float, budget: int) -> Found | None:
    low, high = max(0.0, score - slack), min(1.0, score + slack)
    return Search(given.p, at, low, high, budget).best()


def _mean(given: Published, at: float, score: float, budget: int) -> float | None:
    """Fill k ranks in some topics and k + 1 in others; one more topic takes what is left.

    All but that one lie on the concave hull, so the mean is within 1/n of the outer bound.
    """
    p, topics = given.p, given.topics or 1
    if score >= 1:
        return 1.0
    full = floor(log(1 - score) / log(p) + 1e-12)
    part = (score - (1 - p**full)) / ((1 - p) * p**full)
    deeper = min(topics - 1, floor(part * topics))
    others = deeper * (1 - p ** (full + 1)) + (topics - 1 - deeper) * (1 - p**full)
    last = _search(given, at, min(max(topics * score - others, 0.0), 1.0), given.half, budget)
    if last is None:
        return None
    worth = deeper * (1 - at ** (full + 1)) + (topics - 1 - deeper) * (1 - at**full)
    return (worth + last.worth) / topics


def _with_unjudged(given: Published, at: float, score: float, budget: int) -> float | None:
    """The best of a few ways to place relevant and unjudged documents that fit both weights."""
    con = contribution(given.p, significant_ranks(given.p, given.precision / 8))
    everywhere = np.ones(len(con), dtype=np.bool_)
    worth = contribution(at, len(con))
    found: list[float] = []
    if at < given.p:
        both = _bits(_search(given, at, score + given.residual, given.half / 8, budget), len(con))
        for room, first in [
            *[(everywhere, score), (everywhere, given.residual)],
            *[(both, score), (both, given.residual)],
        ]:
            one = _taken(con, room, first)
            two = _taken(con, room & ~one, score + given.residual - first)
            kinds = (one, two) if first == score else (two, one)
            if _weigh_right(given, con, score, *kinds):
                found.append(float((one | two) @ worth))
        return max(found, default=None)
    for budgeted in (budget, 1):
        relevant = _bits(_search(given, at, score, given.half / 8, budgeted), len(con))
        unjudged = _taken(con, ~relevant, given.residual)
        if _weigh_right(given, con, score, relevant, unjudged):
            found.append(float(relevant @ worth))
    return min(found, default=None)


def _weigh_right(
    given: Published, con: Floats, score: float, relevant: Bools, unjudged: Bools
) -> bool:
    """Half the slack each, so that what is left over weighs right, too."""
    off = abs(relevant @ con - score), abs(unjudged @ con - given.residual)
    return bool(max(off) <= given.half / 2)


def _taken(con: Floats, room: Bools, weight: float) -> Bools:
    """Ranks out of those that have room, from the top, as long as they fit the weight."""
    taken = np.zeros_like(room)
    left = weight + 1e-12
    for rank in np.flatnonzero(room & (con <= left)).tolist():
        if con[rank] <= left:
            taken[rank] = True
            left -= con[rank]
    return taken


def _bits(found: Found | None, depth: int) -> Bools:
    bits = np.zeros(depth, dtype=np.bool_)
    for start, stop in found.runs if found else ():
        bits[start:stop] = True
    return bits
