"""Exact ends for metrics of what was found, whatever its rank: SetAP, Shaw."""

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.bounds.grid import Bounds
from rankwise.comparison.verdicts.pair_documents import Cells
from rankwise.metrics.base import ByFound
from rankwise.rankings.judged import JudgedRankings


def extremes_by_found(
    cells: Cells, judged: JudgedRankings, metric: ByFound, least_count: int
) -> Bounds:
    """The least and the greatest difference; `judged` is as the metric sees it.

    With fewer than `least_count` relevant documents there is no score. NaN where no judgments
    give one.
    """
    greatest, least = (
        _greatest(sides, judged, metric, least_count) for sides in (cells, cells.swapped())
    )
    return -least, greatest


def _greatest(cells: Cells, judged: JudgedRankings, metric: ByFound, least_count: int) -> Floats:
    """The greatest A − B over the numbers of new relevant documents, and how many both have.

    These fix R and what the shared ones add. The score rises with what is found, so that of
    the others as many as there are are A's alone, then elsewhere, and the rest B's alone.
    """
    seen = judged.relevant(metric.rel)
    found, length = (x.astype(np.float64) for x in (np.diff(seen.row_start), judged.length))
    known, most = judged.judged_count(metric.rel)[cells.a], cells.count + cells.elsewhere
    of_a, of_b = (cells.there & (rank > 0) for rank in (cells.rank_a, cells.rank_b))
    only_a, only_b, shared = (_count(which) for which in (of_a & ~of_b, of_b & ~of_a, of_a & of_b))
    both = np.arange(int(shared.max(initial=0)) + 1)
    best = np.full(len(known), -np.inf)
    for number in range(int(most.max(initial=0)) + 1):
        left = number - both
        in_a = np.minimum(left, only_a)
        in_b = left - in_a - np.minimum(left - in_a, cells.elsewhere[:, None])
        relevant = (known + number)[:, None].astype(np.float64)
        possible = (both <= shared) & (left >= 0) & (in_b <= only_b) & (relevant >= least_count)
        a, b = (
            metric.of_counts(found[run][:, None] + both + new, length[run][:, None], relevant)
            for run, new in ((cells.a, in_a), (cells.b, in_b))
        )
        best = np.maximum(best, np.where(possible, a - b, -np.inf).max(axis=1))
    return np.where(np.isneginf(best), np.nan, best)


def _count(which: Bools) -> Floats:
    return which.sum(axis=1, keepdims=True).astype(np.float64)
