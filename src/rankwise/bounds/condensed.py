"""AP of condensed lists: judging a document inserts it and shifts those below."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.cuts import different, least_of_cuts, tangents
from rankwise.bounds.grid import Grid, rest, running

Divisor = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False, repr=False)
class Condensed:
    """Upper bound of AP on condensed lists that only new relevant documents enter; exact.

    For m of them it is greatest with the m highest: the n-th relevant document then has the
    fewest others above it, x, and its precision is n / (n + x). That is concave in m, so tangents
    bound the score of each cut, and few cuts are left to try.
    """

    grid: Grid
    hit: Bools
    known: Floats  # relevant documents down to each rank
    others: Floats  # x
    count: Floats  # what is divided by, from R, for every cut
    end: float

    @classmethod
    def of(cls, grid: Grid, rel: int, cutoff: int | None, divisor: Divisor) -> "Condensed":
        hit = grid.relevant(rel)
        known, others = running(hit)[:, 1:], running(grid.judged & ~hit)[:, 1:]
        count = grid.relevant_count(rel)[:, None] + running(grid.unjudged)
        return cls(grid, hit, known, others, divisor(count), cutoff or np.inf)

    def greatest(self) -> Floats:
        unjudged = running(self.grid.unjudged)
        top = running(self._precisions(self.hit | self.grid.unjudged, self.others))
        early = self.hit & (self.known + self.others <= self.end)

        def lost_at(new: Floats) -> Floats:
            found = self.known + new - 1
            return -top - rest(running(early * found / np.maximum(found + self.others, 1)))

        def slopes_at(new: Floats) -> Floats:
            place = self.known + new - 1 + self.others
            return -rest(running(early * self.others / np.maximum(place, 1) ** 2))

        promised = tangents(unjudged + 1, lost_at, slopes_at, self.count)
        return -least_of_cuts(promised, different(self.grid.unjudged), self._lost_by)

    def _lost_by(self, rows: Ints, cut: Ints) -> Floats:
        new = self.grid.unjudged[rows] & (self.grid.rank <= cut[:, None])
        earned = self._precisions(self.hit[rows] | new, self.others[rows]).sum(axis=1)
        return -earned / self.count[rows, cut]

    def _precisions(self, relevant: Bools, others: Floats) -> Floats:
        found = running(relevant)[:, 1:]
        place = np.maximum(found + others, 1)
        return np.where(relevant & (place <= self.end), found / place, 0.0)
