"""Bounds of the overlap of a ranking with the nearest ideal ranking: compatibility."""

from typing import Any, NamedTuple

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import EXACT_IF_RETRIEVED, UNIT, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, rest, running, scan
from rankwise.rankings import JudgedRankings, preferences_of
from rankwise.vocabulary import Assumption


class IdealRanks(NamedTuple):
    """Possible ranks of relevant documents in the ideal ranking, and documents that may join it.

    `first` and `last` have the smallest and the largest possible ideal rank of each relevant
    document that is retrieved. `new` is, per ranking, the number of documents, retrieved or not,
    that may become part of the ideal ranking. `new_rows` marks the judged documents among them.
    """

    first: Ints
    last: Ints
    new: Ints
    new_rows: Bools


def ranks_by_preferences(judged: JudgedRankings, found: JudgedRankings) -> IdealRanks:
    """Return the range of ideal ranks, if undecided pairs can be decided either way.

    A pair of documents is decided if a chain of preferences leads from one document to the other,
    and no chain leads back. However the other pairs are decided, a document ranks below all
    documents that are preferred to it, and above all documents to which it is preferred. A document
    that is not yet preferred to any document joins the ideal ranking if it wins an undecided pair.
    """
    preferences, judgment = preferences_of(judged)
    _, of_found = preferences_of(found)
    last = found.judged_count(1)[found.ranking] - preferences.below[of_found]
    may_win = np.add.reduceat(
        np.append(preferences.may_win, False).astype(np.int64), judged.topic_start[:-1]
    )
    new = judged.unjudged_count + judged.unjudged_below + may_win[judged.topic]
    return IdealRanks(
        preferences.earliest[of_found], last, new, preferences.may_win[judgment] & (judgment >= 0)
    )


def overlap_bounds(metric: Any, judged: JudgedRankings, ideal: IdealRanks) -> Bounds:
    """Return bounds (not tight) of the overlap with the ideal ranking, divided as in `Compat`.

    With `normalize` the divisor is the overlap of the ideal ranking with itself. The lower bound
    divides the smallest overlap by the largest divisor. The upper bound divides the largest overlap
    by the current divisor, which is the smallest, because the ideal ranking can only grow.

    In the ideal ranking, n documents that become relevant move every other document down by at most
    n ranks. For the upper bound, each of the n documents is assumed to be in both lists from its
    rank in the ranking on.
    """
    found, count, new = judged.relevant(1), judged.judged_count(1), ideal.new
    depth, deepest = (np.maximum(judged.length, n) for n in (count, count + new))
    sums = metric.overlap_sums(deepest.max(initial=0))
    pushed = np.maximum(found.rank, ideal.last + new[found.ranking])
    ends, end = depth[found.ranking], sums[deepest]
    least = found.total(np.maximum(sums[ends] - sums[np.minimum(pushed - 1, ends)], 0))
    met = np.maximum(found.rank, ideal.first)
    most = found.total(end[found.ranking] - sums[met - 1])
    # The unjudged ranks are all ranks except the judged ones.
    most += judged.length * end - summed(sums)[judged.length]
    most -= judged.total(~ideal.new_rows * (end[judged.ranking] - sums[judged.rank - 1]))
    high = most / metric.greatest(count, depth, sums)
    return least / metric.greatest(count + new, deepest, sums), np.minimum(high, 1)


def overlap_of_one_grade(metric: Any, grid: Grid) -> Bounds:
    """Return exact bounds of the score of Compat if all relevant documents have the same grade.

    The ideal ranking then lists the relevant documents in the order of the ranking. The n-th
    relevant document is in both lists from its rank in the ranking on. The number m of unjudged
    documents that are relevant determines the depth down to which the lists are compared, and the
    divisor. For each m the overlap is therefore largest with the m highest unjudged documents and
    smallest with the m lowest.
    """
    hit, unjudged = grid.relevant(1), running(grid.unjudged)
    known, length = grid.relevant_count(1)[:, None], grid.of(grid.judgments.length)[:, None]
    sums = metric.overlap_sums(int((known + unjudged).max() + length.max()))
    lost = sums[:-1][: hit.shape[1]]  # sum over the ranks above each rank
    alone, both = running(hit * lost), running((hit | grid.unjudged) * lost)

    def score(new: Floats, lost: Floats) -> Floats:
        count = (known + new).astype(np.int64)
        depth = np.maximum(count, length).astype(np.int64)
        overlap = (hit.sum(axis=1)[:, None] + new) * sums[depth] - lost
        return overlap / metric.greatest(count, depth, sums)

    low = score(rest(unjudged), alone + rest(both)).min(axis=1)
    return low, score(unjudged, both + rest(alone)).max(axis=1)


def summed(sums: Floats) -> Floats:
    """Return the total of the first n entries of `sums`, for n from 0 to len(sums) − 1."""
    return np.concatenate([[0.0], np.cumsum(sums[:-1])])


class OverlapWithIdeal(ScoreBounds[Any]):
    """Bounds of the overlap of a ranking with the nearest ideal ranking: Compat.

    They are exact under the assumption `retrieved` if judgments are grades, only one grade is
    relevant, and no document outside the ranking can be relevant. In all other cases they may not
    be tight.

    This class reads `overlap_sums`, `greatest` and `ideal_rank` of the metric.
    """

    exact_if_alike = EXACT_IF_RETRIEVED
    exact_where = "all relevant documents have the same grade"
    open_range = UNIT
    sees_elsewhere = True
    exact_elsewhere = False

    def one_gain(self, metric: Any, judged: JudgedRankings) -> float | None:
        if judged.preferences is not None:
            return None
        grades = metric.possible_grades(judged)[1:]
        return float(grades[0]) if len(grades) == 1 else None

    def in_view(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        if unjudged == "open":
            return self.whole_range(metric, judged)
        elsewhere = judged.unjudged_below
        if self.one_gain(metric, judged) is not None and not elsewhere.any():
            return scan(judged, lambda grid: overlap_of_one_grade(metric, grid))
        found = judged.relevant(1)
        if judged.preferences is not None:
            ideal = ranks_by_preferences(judged, found)
        else:
            rank, none = metric.ideal_rank(judged, found), np.zeros(len(judged.rank), np.bool_)
            ideal = IdealRanks(rank, rank, judged.unjudged_count + elsewhere, none)
        return overlap_bounds(metric, judged, ideal)

    def once_defined(
        self, metric: Any, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        if judged.preferences is not None:
            return self.whole_range(metric, judged)
        return super().once_defined(metric, judged, unjudged)
