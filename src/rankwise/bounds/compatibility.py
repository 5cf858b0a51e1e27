"""Bounds of the overlap of a ranking with the nearest ideal ranking: compatibility."""

from typing import Any, NamedTuple

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import EXACT_IF_RETRIEVED, UNIT, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, rest, running, scan
from rankwise.rankings import JudgedRankings, preferences_of
from rankwise.vocabulary import Assumption


class IdealRanks(NamedTuple):
    """Ranks of relevant documents in the ideal ranking, and documents that may join the ideal.

    `first` has the smallest possible ideal rank of each relevant document that is retrieved, and
    `last` has its largest possible ideal rank. `new` is, per ranking, the number of documents that
    may join, and `new_rows` marks the judged ones.
    """

    first: Ints
    last: Ints
    new: Ints  # per ranking: documents that may become relevant, retrieved or not
    new_rows: Bools  # the judged rows that may become relevant


def ranks_by_preferences(judged: JudgedRankings, found: JudgedRankings) -> IdealRanks:
    """Return the range of each document's ideal rank if undecided pairs can be decided either way.

    However the undecided pairs are decided, a document ranks below all documents that are preferred
    to it, and above all documents to which it is preferred. A document that is preferred to no
    other document joins the ideal if it wins an undecided pair.
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
    """Return bounds (not tight) of the score: the overlap with the ideal ranking, over a divisor.

    With `normalize` the divisor is the overlap of the ideal ranking with itself (see `Compat`).
    The lower bound divides the smallest overlap by the largest divisor. The upper bound divides the
    largest overlap by the current divisor.

    In the ideal ranking, n documents that become relevant move every other document down by at most
    n ranks. For the upper bound, each of the n documents is in both lists from its own rank on.
    """
    found, count, new = judged.relevant(1), judged.judged_count(1), ideal.new
    depth, deepest = (np.maximum(judged.length, n) for n in (count, count + new))
    sums = metric.sums_to(deepest.max(initial=0))
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

    In this case the n-th relevant document of both lists is the same. Both lists contain it from
    its rank in the ranking on. The number m of unjudged documents that are relevant determines the
    depth down to which the lists are compared. For each m the overlap is therefore largest with the
    m highest unjudged documents and smallest with the m lowest.
    """
    hit, unjudged = grid.relevant(1), running(grid.unjudged)
    known, length = grid.relevant_count(1)[:, None], grid.of(grid.judgments.length)[:, None]
    sums = metric.sums_to(int((known + unjudged).max() + length.max()))
    lost = sums[:-1][: hit.shape[1]]  # before each rank
    alone, both = running(hit * lost), running((hit | grid.unjudged) * lost)

    def score(new: Floats, lost: Floats) -> Floats:
        count = (known + new).astype(np.int64)
        depth = np.maximum(count, length).astype(np.int64)
        overlap = (hit.sum(axis=1)[:, None] + new) * sums[depth] - lost
        return overlap / metric.greatest(count, depth, sums)

    low = score(rest(unjudged), alone + rest(both)).min(axis=1)
    return low, score(unjudged, both + rest(alone)).max(axis=1)


def summed(sums: Floats) -> Floats:
    """Return the cumulative totals of `sums` over its first 0, 1, 2 … entries."""
    return np.concatenate([[0.0], np.cumsum(sums[:-1])])


class OverlapWithIdeal(ScoreBounds[Any]):
    """Bounds of the overlap with the ideal ranking: Compat.

    They are exact under `retrieved` if judgments are grades, only one grade is relevant, and no
    document outside the ranking can be relevant. In all other cases they may not be tight.

    They read `sums_to`, `greatest` and `ideal_rank` of the metric.
    """

    exact_if_alike = EXACT_IF_RETRIEVED
    exact_where = "all relevant documents have one grade"
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
