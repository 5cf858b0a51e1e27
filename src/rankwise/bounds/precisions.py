"""Sums of precisions at relevant documents, for every cut at once: AP and its relatives."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.bounds.grid import Grid, rest, running


@dataclass(frozen=True, eq=False, repr=False)
class Precisions:
    """Σ (relevant documents down to i) × weight(i) over relevant ranks i, for every cut.

    With c(i) judged relevant and u(i) unjudged documents down to rank i, and a cut at t:
    if the unjudged above it are relevant, it is Σ (c + u) w over relevant and unjudged
    ranks i ≤ t, plus Σ (c + u(t)) w over relevant ranks i > t; if those below it are,
    Σ c w over relevant i ≤ t, plus Σ (c + u − u(t)) w over both kinds of i > t. Each is a
    sum over all ranks, and two running sums.
    """

    hit: Floats
    either: Floats  # relevant or unjudged
    alone: Floats  # c at relevant ranks
    both: Floats  # c + u at both kinds
    unjudged: Floats  # u, for every cut

    @classmethod
    def of(cls, grid: Grid, hit: Bools) -> "Precisions":
        unjudged, either = running(grid.unjudged), (hit | grid.unjudged).astype(np.float64)
        alone = np.where(hit, np.cumsum(hit, axis=1), 0.0)
        both = either * (np.cumsum(hit, axis=1) + unjudged[:, 1:])
        return cls(hit.astype(np.float64), either, alone, both, unjudged)

    def highest(self, weight: Floats) -> Floats:
        sums = running((self.both - self.alone) * weight)
        sums += self.unjudged * rest(running(self.hit * weight))
        return sums + (self.alone * weight).sum(axis=1)[:, None]

    def lowest(self, weight: Floats) -> Floats:
        sums = running((self.alone - self.both) * weight)
        sums -= self.unjudged * rest(running(self.either * weight))
        return sums + (self.both * weight).sum(axis=1)[:, None]


def sums_of_precisions(grid: Grid, rel: int) -> tuple[Floats, Floats, Floats]:
    """Σ precision at relevant ranks, for each cut; and how many unjudged are above the cut.

    First with the unjudged documents above the cut relevant, then with those below it.
    """
    precisions, weight = Precisions.of(grid, grid.relevant(rel)), 1 / grid.rank
    return precisions.highest(weight), precisions.lowest(weight), precisions.unjudged
