"""The inner range at another p (p′): scores that rankings or means over topics attain.

Documents are relevant, unjudged or non-relevant. The weights at p of the relevant documents sum to
the score, and the weights of the unjudged documents to the residual. The low end of the range is
the score at p′ of the relevant documents. The high end counts the unjudged documents as relevant,
so it is 1 − the score of the non-relevant documents. Exchanging relevant and non-relevant documents
turns every score s into 1 − s and exchanges the two ends. It is therefore enough to search the end
that a top-heavy vector attains: the high end at p′ < p, the low end at p′ > p.

Rankings have unlimited length. A vector of relevance values has some first ranks, followed by only
0 or only 1. `Search` finds the most top-heavy vector whose score at p lies within [low, high].
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count, product
from math import ceil, floor, log
from typing import NamedTuple

import numpy as np

from rankwise.arrays import LAST_BIT, NEAR, Bools, Floats
from rankwise.published.outer import filled_from_top
from rankwise.published.published_score import Published, significant_ranks
from rankwise.published.vectors import contribution

BUDGET = 1_000  # nodes searched for each end


class Prefix(NamedTuple):
    """The first ranks of a relevance vector; the ranks below are not relevant.

    `score` is RBP at p and `worth` RBP at p′. `relevant` has intervals (start, stop) of relevant
    ranks, which are counted from 0; `stop` is excluded.
    """

    ranks: int = 0
    score: float = 0.0
    worth: float = 0.0
    relevant: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Search:
    """Best-first search for the most top-heavy vector with RBP at p from `low` to `high`.

    The search is a branch and bound with at most `budget` nodes. With p′ = `at`, the most top-heavy
    vector has the largest RBP at p′ if p′ < p, and the smallest if p′ > p. The bound of a prefix of
    i ranks fills the ranks below partly, as outer.py does, scaled by p^i and p′^i. Each prefix is
    completed greedily.
    """

    p: float
    at: float
    low: float
    high: float
    budget: int = BUDGET

    @property
    def aim(self) -> float:
        if self.at < self.p or self.low == 0:
            return self.high if self.at < self.p else 0.0
        return min(self.low + 1e-13, self.high)  # rounding must not end below `low`

    def best(self) -> Prefix | None:
        """Return the most top-heavy vector found; None if no vector has this score (if p < 0.5)."""
        root = Prefix()
        order = count()
        best = self._complete(root)
        heap = [(-self._bound(root), next(order), root)]
        for _ in range(self.budget):
            if not heap:
                break
            bound, _, node = heappop(heap)
            if best is not None and -bound <= self._goodness(best.worth) + NEAR:
                break
            for child in self._children(node):
                found = self._complete(child)
                if found is not None and (
                    best is None or self._goodness(found.worth) > self._goodness(best.worth)
                ):
                    best = found
                heappush(heap, (-self._bound(child), next(order), child))
        return best

    def _goodness(self, worth: float) -> float:
        return worth if self.at < self.p else -worth

    def _bound(self, node: Prefix) -> float:
        if self.p**node.ranks < LAST_BIT:
            return self._goodness(node.worth)
        aim = self.high if self.at < self.p else self.low
        share = min(max((aim - node.score) / self.p**node.ranks, 0.0), 1.0)
        rest = self.at**node.ranks * _filled(self.p, self.at, share)
        return self._goodness(node.worth + rest)

    def _children(self, node: Prefix) -> Iterator[Prefix]:
        rank, p = node.ranks, self.p
        one = (1 - p) * p**rank
        if one < LAST_BIT:
            return
        if node.score + one <= self.high:
            yield _with_run(node, p, self.at, rank, 1)
        room = self.high - node.score
        rank += 1
        if room > LAST_BIT:  # skip ranks that weigh more than the room
            rank = max(rank, ceil(log(room / (1 - p)) / log(p) - 1e-9))
        if node.score + p**rank >= self.low:
            yield node._replace(ranks=rank)

    def _complete(self, node: Prefix) -> Prefix | None:
        """Make ranks below a prefix relevant, greedily from the top, up to the wanted score.

        Return None if the resulting score is not between `low` and `high`.
        """
        p = self.p
        while (rest := self.aim - node.score) > LAST_BIT and p**node.ranks > LAST_BIT:
            share = min(rest / p**node.ranks, 1 - 1e-16)
            full = floor(log(1 - share) / log(p) + 1e-12)
            if full == 0:
                skipped = max(1, ceil(log(share / (1 - p)) / log(p) - 1e-12))
                node = node._replace(ranks=node.ranks + skipped)
            else:
                node = _with_run(node, p, self.at, node.ranks, full)
        fits = self.low - LAST_BIT <= node.score <= self.high + 1e-12
        return node if fits else None


def _with_run(node: Prefix, p: float, at: float, rank: int, length: int) -> Prefix:
    score = node.score + p**rank * (1 - p**length)
    worth = node.worth + at**rank * (1 - at**length)
    relevant = node.relevant
    if relevant and relevant[-1][1] == rank:
        relevant = (*relevant[:-1], (relevant[-1][0], rank + length))
    else:
        relevant = (*relevant, (rank, rank + length))
    return Prefix(rank + length, score, worth, relevant)


def _filled(p: float, at: float, share: float) -> float:
    """Return `outer.filled_from_top` for a single number, without arrays."""
    if share >= 1:
        return 1.0
    full = floor(log(1 - share) / log(p))
    part = min(max((share - (1 - p**full)) / ((1 - p) * p**full), 0.0), 1.0)
    return 1 - at**full + part * (1 - at) * at**full


def inner(printed: Published, at: float, budget: int = BUDGET) -> tuple[float | None, float | None]:
    """Return the range of RBP at p = `at` that rankings or means with this published score attain.

    An end is None if no ranking was found, for example with a residual at p < 0.5, where the
    weights of no ranks may sum to the score and the residual.

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
    """Return RBP at p′ = `at` of the most top-heavy rankings found with RBP `score` at p.

    The result is None if no ranking was found.
    """
    if printed.p == 0:
        return _first_rank(printed, at, score)
    if printed.graded:
        return _graded(printed, at, score)
    if printed.residual:
        return _with_unjudged(printed, at, score, budget)
    if (printed.topics or 1) > 1:
        return _mean(printed, at, score, budget)
    best = _search(printed, at, score, printed.half, budget)
    return None if best is None else best.worth


def _first_rank(printed: Published, at: float, score: float) -> float | None:
    """Return the end of the range for a score printed at p = 0: it depends only on rank 1.

    Graded gains allow any mean. Binary gains allow only k / `topics`, with a whole number k.
    """
    least = max(0.0, score - printed.half)
    if not printed.graded:
        topics = printed.topics or 1
        least = ceil(least * topics - 1e-9) / topics
    return least * (1 - at) if least <= score + printed.half else None


def _graded(printed: Published, at: float, score: float) -> float | None:
    """Return the end of the range for graded gains: ranks are filled from the top, the last partly.

    Each unjudged document takes a whole rank. For the high end, the unjudged documents are placed
    within the ranks that relevant and unjudged documents fill together; for the low end, below the
    ranks of the relevant documents. Placements at any rank are tried too.
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
        # Gains from the top until the weight is used up; ranks of weight 0 have none.
        free = np.where(unjudged, 0.0, con)
        before = np.cumsum(free) - free
        share = np.clip((aim - before) / np.maximum(free, 1e-300), 0.0, 1.0)
        gains = np.where(free > 0, share, 0.0)
        if _weigh_right(printed, con, score, gains, unjudged):
            counted = gains + unjudged if upwards else gains
            scores.append(float(counted @ contribution(at, len(con))))
    return (max if upwards else min)(scores, default=None)


def _search(
    printed: Published, at: float, score: float, slack: float, budget: int
) -> Prefix | None:
    low, high = max(0.0, score - slack), min(1.0, score + slack)
    return Search(printed.p, at, low, high, budget).best()


def _mean(printed: Published, at: float, score: float, budget: int) -> float | None:
    """Return the score at `at` of topics whose mean score at p is `score`, as an end of the range.

    In all topics but one, the first k or the first k + 1 ranks are relevant. The last topic has the
    remaining score. The pairs of scores (at p, at `at`) of all other topics lie on the boundary of
    the convex hull of the possible pairs, so the mean of n topics is within 1/n of the bound.
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
    """Return the best end of the range over a few placements of relevant and unjudged documents."""
    con = contribution(printed.p, significant_ranks(printed.p, printed.precision / 8))
    everywhere = np.ones(len(con), dtype=np.bool_)
    worth = contribution(at, len(con))
    scores: list[float] = []
    if at < printed.p:
        best = _search(printed, at, score + printed.unjudged, printed.half / 8, budget)
        both = _bits(best, len(con))
        for room, first in product((everywhere, both), (score, printed.unjudged)):
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
    """Return whether the weights of the ranks match the printed numbers.

    The weight of the relevant ranks must match `score`, and the weight of the unjudged ranks the
    residual, each to half the rounding error. Their sum then matches the sum of both numbers.
    """
    off = abs(relevant @ con - score), abs(unjudged @ con - printed.unjudged)
    return bool(max(off) <= printed.half / 2 + 1e-12)


def _taken(con: Floats, room: Bools, weight: float) -> Bools:
    """Select ranks in `room` greedily from the top, up to the sum `weight`."""
    is_chosen = np.zeros_like(room)
    left = weight + 1e-12
    for rank in np.flatnonzero(room & (con <= left)).tolist():
        if con[rank] <= left:
            is_chosen[rank] = True
            left -= con[rank]
    return is_chosen


def _bits(best: Prefix | None, depth: int) -> Bools:
    bits = np.zeros(depth, dtype=np.bool_)
    for start, stop in best.relevant if best else ():
        bits[start:stop] = True
    return bits
