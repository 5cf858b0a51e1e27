"""The inner range: scores at another p attained by some ranking, found by search.

Rankings have unlimited length: a vector is its first ranks and then all 0 or all 1, the limit of
longer and longer rankings. One search finds the most top-heavy vector whose score at p lies
within [low, high]: the largest score at p′ < p, the smallest at p′ > p. The other end is the same
search with relevant and other documents exchanged, which turns every score s into 1 − s.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import ceil, floor, log
from typing import NamedTuple

from rankwise.arrays import LAST_BIT, NEAR

BUDGET = 1_000  # nodes looked at for each end


class Found(NamedTuple):
    """A vector by its runs of relevant ranks (from, to; zero-based), and its two scores."""

    worth: float
    score: float
    runs: tuple[tuple[int, int], ...]


class _Node(NamedTuple):
    """A prefix: number of decided ranks, scores at p and at p′, runs of ones."""

    rank: int
    score: float
    worth: float
    runs: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Search:
    """Best-first branch and bound over vectors, at most `budget` nodes.

    The bound of a prefix is the fractional fill of the ranks below it: the same problem, scaled
    by p^i and p′^i. Each prefix is completed greedily in a few steps, as the rest shrinks by (1 −
    p) / p with each document.
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
        return min(self.low + 1e-13, self.high)  # so as not to end just below

    def best(self) -> Found | None:
        """Return the best vector found, or None if no completion fits (p < 0.5 has gaps)."""
        root = _Node(0, 0.0, 0.0, ())
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

    def _bound(self, node: _Node) -> float:
        if self.p**node.rank < LAST_BIT:
            return self._goodness(node.worth)
        aim = self.high if self.at < self.p else self.low
        share = min(max((aim - node.score) / self.p**node.rank, 0.0), 1.0)
        rest = self.at**node.rank * _filled(self.p, self.at, share)
        return self._goodness(node.worth + rest)

    def _children(self, node: _Node) -> Iterator[_Node]:
        rank, p = node.rank, self.p
        one = (1 - p) * p**rank
        if one < LAST_BIT:
            return
        if node.score + one <= self.high:
            yield _with_run(node, p, self.at, rank, 1)
        room = self.high - node.score
        rank += 1
        if room > LAST_BIT:  # ranks that are too heavy are 0 anyhow
            rank = max(rank, ceil(log(room / (1 - p)) / log(p) - 1e-9))
        if node.score + p**rank >= self.low:
            yield node._replace(rank=rank)

    def _complete(self, node: _Node) -> Found | None:
        """Fill the ranks below from the top with whole documents, up to the aim."""
        p = self.p
        while (rest := self.aim - node.score) > LAST_BIT and p**node.rank > LAST_BIT:
            share = min(rest / p**node.rank, 1 - 1e-16)
            full = floor(log(1 - share) / log(p) + 1e-12)
            if full == 0:
                skipped = max(1, ceil(log(share / (1 - p)) / log(p) - 1e-12))
                node = node._replace(rank=node.rank + skipped)
            else:
                node = _with_run(node, p, self.at, node.rank, full)
        fits = self.low - LAST_BIT <= node.score <= self.high + 1e-12
        return Found(node.worth, node.score, node.runs) if fits else None


def _with_run(node: _Node, p: float, at: float, rank: int, length: int) -> _Node:
    score = node.score + p**rank * (1 - p**length)
    worth = node.worth + at**rank * (1 - at**length)
    runs = node.runs
    if runs and runs[-1][1] == rank:
        runs = (*runs[:-1], (runs[-1][0], rank + length))
    else:
        runs = (*runs, (rank, rank + length))
    return _Node(rank + length, score, worth, runs)


def _filled(p: float, at: float, share: float) -> float:
    """`outer.filled_from_top` for one number, without the cost of arrays."""
    if share >= 1:
        return 1.0
    full = floor(log(1 - share) / log(p))
    part = min(max((share - (1 - p**full)) / ((1 - p) * p**full), 0.0), 1.0)
    return 1 - at**full + part * (1 - at) * at**full
