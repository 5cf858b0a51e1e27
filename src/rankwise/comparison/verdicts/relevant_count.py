"""Exact ends for metrics whose weights change with R only: Recall, R-precision, set metrics."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Bounds, running
from rankwise.comparison.verdicts.pair_documents import Cells
from rankwise.metrics.base import ByCount
from rankwise.rankings.judged import JudgedRankings


def extremes_by_count(
    cells: Cells, judged: JudgedRankings, metric: ByCount, value: Floats, least_count: int
) -> Bounds:
    """The least and the greatest difference, over all numbers m of new relevant documents.

    With m of them R is given, and with it the weight of every document in both runs. So the
    difference is that of the documents judged relevant, plus Σ (wA − wB) over the new ones:
    greatest with the m greatest of these, of which documents elsewhere have 0. `judged` is as
    the metric sees it, `value` today's difference, 0 where it is undefined; with fewer than
    `least_count` relevant documents there is no score. NaN where no judgments give one.
    """
    differences = Weights(cells, judged, metric)
    known = judged.judged_count(metric.rel)[cells.a]
    rest = value - differences.of_known(known)  # what R does not change
    low, high = np.full(len(known), np.inf), np.full(len(known), -np.inf)
    most = cells.count + cells.elsewhere
    for number in range(int(most.max(initial=0)) + 1):
        relevant = known + number
        possible = (number <= most) & (relevant >= least_count)
        base, new = rest + differences.of_known(relevant), differences.of_new(relevant)
        least, greatest = _extreme_sums(cells, new, number)
        high = np.where(possible, np.maximum(high, base + greatest), high)
        low = np.where(possible, np.minimum(low, base + least), low)
    undefined = np.isinf(low)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


def _extreme_sums(cells: Cells, gain: Floats, number: int) -> Bounds:
    """The least and the greatest sum of `number` gains, those of documents elsewhere being 0."""
    rows, count = np.arange(len(gain)), cells.count
    must = np.maximum(number - cells.elsewhere, 0).astype(np.int64)
    may = np.maximum(must, np.minimum(number, count))
    # Gains from the least on; of rows with fewer documents nothing follows these.
    sums = running(np.where(cells.there, np.sort(np.where(cells.there, gain, np.inf)), 0.0))

    def chosen(wanted: Bools) -> Ints:
        """How many are taken: all that help, but as many as must be and may be."""
        taken = np.clip((wanted & cells.there).sum(axis=1), must, may)
        return np.minimum(taken, count)  # where it is not possible: any

    least = sums[rows, chosen(gain < 0)]
    return least, sums[:, -1] - sums[rows, count - chosen(gain > 0)]


@dataclass(frozen=True, eq=False)
class Weights:
    """What documents add to the difference of two runs, for a given R of each cell."""

    cells: Cells
    judged: JudgedRankings
    metric: ByCount

    def of_new(self, relevant: Ints) -> Floats:
        """Of each unjudged document: cells × documents."""
        sides = []
        sides_of = ((self.cells.a, self.cells.rank_a), (self.cells.b, self.cells.rank_b))
        for ranking, rank in sides_of:
            length = self.judged.length[ranking][:, None]
            weight = self.metric.weight(rank, length, relevant[:, None])
            sides.append(np.where(rank > 0, weight, 0.0))
        return np.asarray(sides[0] - sides[1])

    def of_known(self, relevant: Ints) -> Floats:
        """Of the documents that are judged relevant, added up."""
        total = np.zeros(len(relevant))
        rows = self.judged.relevant(self.metric.rel)
        for sign, ranking in ((1, self.cells.a), (-1, self.cells.b)):
            size = np.diff(rows.row_start)[ranking]
            cell = np.repeat(np.arange(len(ranking)), size)
            place = np.arange(len(cell)) - np.repeat(np.cumsum(size) - size, size)
            rank = rows.rank[rows.row_start[ranking][cell] + place]
            length = self.judged.length[ranking][cell]
            weight = self.metric.weight(rank, length, relevant[cell])
            total += sign * np.bincount(cell, weight, len(ranking))
        return total
