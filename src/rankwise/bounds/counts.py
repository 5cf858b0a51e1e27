"""Bounds of scores computed from the numbers of relevant and retrieved documents."""

from typing import Any

import numpy as np

from rankwise.arrays import Bools
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, Binary, Bounded, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, running
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption

UNCOUNTED = 1e100  # an unlimited number of documents: ratios of infinity are undefined


class Unchanged(ScoreBounds[Bounded]):
    """Bounds of a score that describes only the current judgments: both bounds are this score."""

    exact = EXACT

    def in_view(self, metric: Bounded, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        score = metric.compute(judged)
        return score, score


class RelevantCount(ScoreBounds[Binary]):
    """Bounds of the number of relevant documents: each document that may be relevant can add 1."""

    exact = EXACT
    open_range = (np.inf, np.inf)

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        known = grid.of(grid.judgments.judged_count(metric.rel))
        return known, known + grid.hidden


class FoundCount(ScoreBounds[Binary]):
    """Bounds of the number of relevant documents retrieved: each unjudged document can add 1."""

    exact = EXACT
    open_range = (np.inf, np.inf)

    def counted(self, metric: Binary, grid: Grid) -> Bools:
        return grid.relevant(metric.rel)

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        known = self.counted(metric, grid).sum(axis=1)
        return known, known + grid.unjudged.sum(axis=1)


class NonrelevantCount(FoundCount):
    """Bounds of the number of documents retrieved that are judged non-relevant."""

    def counted(self, metric: Binary, grid: Grid) -> Bools:
        return grid.nonrelevant(metric.rel)


class FoundShare(ScoreBounds[Any]):
    """Bounds of (relevant documents retrieved) / divisor(R): Recall, RelP. They are exact.

    R is the number of relevant documents. divisor(R) is R for Recall@k and min(R, k) for RelP@k. An
    unjudged document in the ranking that becomes relevant adds 1 to the numerator and at most 1 to
    the divisor, so it never lowers the score. A document outside the ranking never raises the
    score.

    This class reads `rel` and `divisor` of the metric.
    """

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        found, new = grid.relevant(metric.rel).sum(axis=1), grid.unjudged.sum(axis=1)
        count = grid.relevant_count(metric.rel)
        low = found / metric.divisor(count + grid.others)
        return low, (found + new) / metric.divisor(count + new)

    def rises_when_condensed(self, metric: Any) -> bool:
        return metric.cutoff is None  # an inserted document may shift another below the cutoff


class SetCounts(ScoreBounds[Any]):
    """Bounds of a score of three counts: set precision, recall and their combinations.

    The counts are the number of relevant documents retrieved, the number of documents retrieved,
    and R, the number of relevant documents of the topic. The bounds are exact. The score never
    falls if a retrieved document becomes relevant, although R rises too. It never rises if a
    document that is not retrieved becomes relevant.

    This class reads `rel` and `of_counts` of the metric.
    """

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        found = grid.relevant(metric.rel).sum(axis=1).astype(np.float64)
        new = grid.unjudged.sum(axis=1)
        retrieved = grid.of(grid.judgments.length)
        if metric.cutoff is not None:
            retrieved = np.full(len(found), float(metric.cutoff))
        relevant = grid.of(grid.judgments.judged_count(metric.rel))
        elsewhere = np.minimum(grid.others, UNCOUNTED)
        low = metric.of_counts(found, retrieved, relevant + elsewhere)
        return low, metric.of_counts(found + new, retrieved, relevant + new)

    def rises_when_condensed(self, metric: Any) -> bool:
        return metric.cutoff is None  # an inserted document may shift another below the cutoff


class LinearCounts(ScoreBounds[Any]):
    """Bounds of a weighted sum of the four counts of a contingency table: Utility. They are exact.

    The weights are a (relevant and retrieved), b (non-relevant and retrieved), c (relevant, not
    retrieved) and d (non-relevant, not retrieved). An unjudged document of the ranking that becomes
    relevant adds a − b. Under the assumption `open`, the lower bound is −∞ if further documents can
    lower the sum, and the upper bound is ∞ if they can raise it.

    This class reads `a`, `b`, `c`, `d` and `counts_missed` of the metric.
    """

    exact = EXACT

    def counts_elsewhere(self, metric: Any) -> bool:
        return not metric.counts_missed

    def condensed(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        # Inserting a document can raise or lower the score, depending on the weights.
        return self.whole_range(metric, judged)

    def in_view(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        known, change = metric.compute(judged), (metric.a - metric.b) * judged.unjudged_count
        low, high = known + np.minimum(change, 0), known + np.maximum(change, 0)
        if unjudged == "open":
            # One more document below the end, relevant or not, or one more relevant document
            # elsewhere.
            more = [metric.a - metric.d, metric.b - metric.d, metric.c - metric.d]
            low = low if min(more) >= 0 else np.full(judged.count, -np.inf)
            high = high if max(more) <= 0 else np.full(judged.count, np.inf)
        return low, high


class PrecisionWithinReach(ScoreBounds[Any]):
    """Bounds of the precision down to rank mult × R, with R relevant documents: R-precision.

    They are exact under the assumption `retrieved`, and also under `open` if `mult` is at most 1 or
    there is a cutoff. Each possible number m of unjudged documents that are relevant is tried, with
    the exceptions below. For the upper bound, as many of the m as possible are above rank mult × R;
    for the lower bound, as few as possible.

    Let e be the smallest R for which rank mult × R is below the end of the ranking. From R = e on,
    all u unjudged documents of the ranking are above this rank. Once all u are relevant, the
    precision only falls as m grows. The maximum is therefore at an m of at most e + u. From R = e
    on, the precision also falls until all documents outside the ranking are relevant. At the
    minimum they are all relevant, and possibly some of the u. The values of m in between need not
    be tried.

    This class reads `rel`, `mult` and `reach` of the metric.
    """

    exact = EXACT_IF_RETRIEVED
    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        most = grid.hidden.max(initial=0)
        # Beyond this m the rank stays the same, and all unjudged documents above it are relevant.
        if metric.cutoff is not None:
            most = min(most, metric.cutoff / metric.mult + metric.cutoff + 1)
        past_end = int(grid.grade.shape[1] / metric.mult) + 1
        hidden, unjudged = grid.hidden[:, None], grid.unjudged.sum(axis=1).max(initial=0)
        new = np.arange(min(int(most), past_end + unjudged) + 1)[None, :]
        if int(most) >= new.size:
            others = np.where(np.isfinite(grid.others), grid.others, 0)[:, None]
            last = others + np.arange(unjudged + 1)
            new = np.concatenate([np.broadcast_to(new, (len(last), new.size)), last], axis=1)
        new = np.minimum(new, hidden)
        reach = metric.reach(grid.of(grid.judgments.judged_count(metric.rel))[:, None] + new)
        column = np.minimum(reach, grid.grade.shape[1])
        rows = np.arange(len(reach))[:, None]
        known = running(grid.relevant(metric.rel))[rows, column]
        above = running(grid.unjudged)[rows, column]
        low = (known + np.maximum(new - (hidden - above), 0)) / np.maximum(reach, 1)
        high = (known + np.minimum(new, above)) / np.maximum(reach, 1)
        return low.min(axis=1), high.max(axis=1)
