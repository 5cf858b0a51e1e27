"""Bounds of scores that depend on the first or n-th relevant document, and of related scores.

WRR and NWRR depend on the rank and the grade of this document, RR and Success on its rank, and ESL
on the documents above it. The related scores are BestGain (the best gain) and RankPower (the mean
rank of the relevant documents).
"""

from itertools import product
from typing import Any

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, ScoreBounds, only_upper
from rankwise.bounds.grid import Bounds, Grid, rest, running
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


class FirstByGrade(ScoreBounds[Any]):
    """Bounds of 1 / (r − 1/β) for the rank r of the first relevant document: WRR. They are exact.

    β is the penalty of the grade of this document. A document nearer to the top scores more for any
    grades, because 1 / (r − 1/β) > 1 / (r + 1 − 1/β') for any penalties β and β' above 1. The lower
    bound is therefore the current score. For the upper bound, the highest unjudged document above
    the first relevant document has the best grade.

    This class reads `beta` of the metric.
    """

    exact = EXACT

    def open_more(self, metric: Any, judged: JudgedRankings) -> int:
        return 1  # only the first document below the end can improve the score

    def rises_when_condensed(self, metric: Any) -> bool:
        return True

    def on(self, metric: Any, grid: Grid) -> Bounds:
        above_all = grid.unjudged & (np.cumsum(grid.relevant(1), axis=1) == 0)
        first = np.where(above_all, grid.rank, np.inf).min(axis=1)
        return only_upper(1 / (first - max(1 / beta for _, beta in metric.beta)))


class FirstByGradeOverBest(ScoreBounds[Any]):
    """Bounds of NWRR (normalised weighted reciprocal rank). They are exact.

    NWRR is (1 − penalty(best)) / (r − penalty(grade)), where `penalty` is 1/β of a grade. r and
    `grade` are the rank and the grade of the first relevant document, and `best` is the best grade
    of the topic. Every pair of a first and a best grade is tried. The first relevant document is
    the current first relevant document, or an unjudged document at a better rank: the best such
    rank for the upper bound, the worst for the lower bound. The best grade is the current best
    grade, the grade of the first relevant document, or a grade above both. It is above both only if
    another unjudged document remains, below the first relevant document or outside the ranking.

    The bounds read `penalty`, `reciprocal` and `best_grade` of the metric.
    """

    exact = EXACT
    open_range = UNIT

    def open_more(self, metric: Any, judged: JudgedRankings) -> int:
        return 1

    def on(self, metric: Any, grid: Grid) -> Bounds:
        judged, penalty = grid.judgments, metric.penalty
        now = grid.of(judged.keep(("reciprocal", metric), lambda: metric.reciprocal(judged)))
        best, grades = metric.best_grade(judged)[grid.rankings], metric.possible_grades(judged)[1:]
        early = grid.unjudged & (np.cumsum(grid.relevant(1), axis=1) == 0)
        spare = grid.hidden[:, None] > np.cumsum(grid.unjudged, axis=1)
        left = grid.hidden > early.sum(axis=1)
        # First and last possible rank of the first relevant document; then the same if another
        # unjudged document must remain.
        places = [_first_and_last(early), _first_and_last(early & spare)]
        of = dict(zip(grades, penalty(grades), strict=True))
        found = [now * (1 - penalty(best))]
        found += [np.where(left & (top > best), now * (1 - of[top]), np.nan) for top in grades]
        for grade, top in product(grades, repeat=2):
            own = np.maximum(best, grade)
            for without, with_one in zip(*places, strict=True):
                rank = np.where(top > own, with_one, without)
                found.append((1 - penalty(np.maximum(own, top))) / (rank - of[grade]))
        return np.fmin.reduce(found), np.fmax.reduce(found)


def _first_and_last(cells: Bools) -> tuple[Floats, Floats]:
    """Return the ranks of the first and the last marked cell of each row; NaN if there is none."""
    some = np.where(cells.any(axis=1), 0.0, np.nan)
    return some + cells.argmax(axis=1) + 1, some + cells.shape[1] - cells[:, ::-1].argmax(axis=1)


class NthRelevantRank(ScoreBounds[Any]):
    """Bounds of a score that never rises with the rank of the n-th relevant document: RR, Success.

    They are exact. The lower bound is the current score. For the upper bound, every unjudged
    document is relevant. Above the n-th relevant document are then n − 1 relevant documents, and
    the judged non-relevant documents that have fewer than n relevant documents above them.
    Documents outside the ranking have no effect.

    This class reads `rel`, `n` and `score_at` of the metric.
    """

    exact = EXACT
    sees_elsewhere = True

    def rises_when_condensed(self, metric: Any) -> bool:
        return True

    def in_view(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        others = judged.rows_where(judged.grade < metric.rel)
        best = metric.n + others.total(others.rank - others.place < metric.n)
        last = judged.length if unjudged == "retrieved" else (metric.cutoff or np.inf)
        best[best > last] = np.inf
        return metric.compute(judged), metric.score_at(best)


class BestInTop(ScoreBounds[Any]):
    """Bounds of the best gain in the first k documents: BestGain. They are exact.

    The lower bound is the current score. The upper bound is the largest possible gain if one of
    these documents is unjudged. Documents outside the ranking have no effect.

    This class reads `cutoff` and `worth` of the metric.
    """

    exact = EXACT
    sees_elsewhere = True

    def in_view(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        best = metric.compute(judged)
        may_have = judged.unjudged_count > 0
        if unjudged == "open":
            may_have |= judged.seen_length < metric.cutoff
        greatest = float(metric.worth(metric.possible_grades(judged), judged).max())
        return best, np.where(may_have, np.maximum(best, greatest), best)


class MeanRankOverFound(ScoreBounds[Any]):
    """Bounds of Σ rank / n² over the n relevant documents retrieved: RankPower. They are exact.

    If m unjudged documents are relevant, the sum of ranks is smallest for the m highest and largest
    for the m lowest unjudged documents.

    This class reads `rel` and `give_up` of the metric.
    """

    exact = EXACT

    def range_of(self, metric: Any) -> tuple[float, float]:
        return 0.5, float(metric.give_up)

    def on(self, metric: Any, grid: Grid) -> Bounds:
        hit = grid.relevant(metric.rel)
        known, count = ((hit * grid.rank).sum(axis=1)[:, None], hit.sum(axis=1)[:, None])
        ranks, unjudged = running(grid.unjudged * grid.rank), running(grid.unjudged)

        def power(ranks: Floats, count: Floats) -> Floats:
            """Return the score, which is `give_up` if no document is relevant."""
            power = np.where(count > 0, ranks / np.maximum(count, 1) ** 2, np.inf)
            return np.minimum(power, metric.give_up)

        least = power(known + ranks, count + unjudged)
        most = power(known + rest(ranks), count + rest(unjudged))
        return least.min(axis=1), most.max(axis=1)


class SearchLengths(ScoreBounds[Any]):
    """Bounds of the expected search length: ESL.

    They are exact under the assumption `retrieved` if no documents tie and the score of every topic
    is defined. Documents outside the ranking only decide whether the score is defined.

    This class reads `rel`, `n`, `give_up` and `divided_by` of the metric.
    """

    exact_if_alike = EXACT_IF_RETRIEVED
    exact_where = "no documents tie"
    sees_elsewhere = True

    def is_exact(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> bool:
        untied = bool((judged.tie_first == judged.tie_last).all())
        return unjudged == "retrieved" and untied and bool(metric.is_defined(judged).all())

    def in_view(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        # The upper bound is the current score.
        return self._least(metric, judged, unjudged), np.full(judged.count, -np.inf)

    def _least(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Floats:
        """Return the lower bound of the score.

        Every further relevant document shortens the search. For the lower bound, every unjudged
        document is therefore relevant, and each tie group begins with its relevant documents. A
        non-relevant document is then viewed if fewer than n relevant documents are ranked down to
        the end of its tie group.
        """
        others = judged.rows_where(judged.grade < metric.rel)
        step = judged.length.max(initial=0) + 1
        down_to_end = np.searchsorted(
            others.ranking * step + others.rank, others.ranking * step + others.tie_last, "right"
        )
        nonrelevant = down_to_end - others.row_start[others.ranking]
        seen = others.tie_last - nonrelevant < metric.n
        low = np.minimum(others.total(seen), metric.give_up)
        if unjudged != "open":
            enough = judged.length - np.diff(others.row_start) >= metric.n
            low = np.where(enough, low, metric.give_up)
        return np.asarray(low / metric.divided_by)

    def once_defined(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        """Return the bounds of undefined scores, over all judgments that define the score.

        For the upper bound, the n-th relevant document is the last document of the ranking, or is
        missing. Ties of unjudged documents are not known here, but at most length − 1 documents are
        above any document.
        """
        goes_on = unjudged == "open"
        lacking = judged.elsewhere if judged.elsewhere is not None else np.zeros(judged.count)
        fails = (metric.n > 1) | goes_on | (lacking > 0)
        high = np.where(fails, metric.give_up, np.minimum(judged.length - 1, metric.give_up))
        possible = (judged.unjudged_count + lacking > 0) | goes_on
        low = np.where(possible, self._least(metric, judged, unjudged), np.nan)
        return low, np.where(possible, high / metric.divided_by, np.nan)
