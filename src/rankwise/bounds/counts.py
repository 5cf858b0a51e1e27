"""Scores made of counts: relevant documents retrieved, documents retrieved, relevant documents."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats, Ints
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, Binary, Bounded, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, running
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption

UNCOUNTED = 1e100  # documents, where any number can be relevant: infinity has no ratios


class Unchanged(ScoreBounds[Bounded]):
    """Bounds of a score that describes the current judgments: no later one changes it."""

    exact = EXACT

    def in_view(self, metric: Bounded, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        score = metric.compute(judged)
        return score, score


class RelevantCount(ScoreBounds[Binary]):
    """Bounds of R: each document that may be relevant adds one."""

    exact = EXACT
    open_range = (np.inf, np.inf)

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        known = grid.of(grid.judgments.judged_count(metric.rel))
        return known, known + grid.hidden


class FoundCount(ScoreBounds[Binary]):
    """Bounds of the number of relevant documents retrieved: each unjudged one may be relevant."""

    exact = EXACT
    open_range = (np.inf, np.inf)

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        known = grid.relevant(metric.rel).sum(axis=1)
        return known, known + grid.unjudged.sum(axis=1)


class NonrelevantCount(ScoreBounds[Binary]):
    """Bounds of the number of documents retrieved that are judged non-relevant."""

    exact = EXACT
    open_range = (np.inf, np.inf)

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        known = grid.nonrelevant(metric.rel).sum(axis=1)
        return known, known + grid.unjudged.sum(axis=1)


class Divided(Binary, Protocol):
    """A metric that divides by a number that depends on R and never falls with it."""

    def divisor(self, relevant: Floats) -> Floats: ...


class FoundShare(ScoreBounds[Divided]):
    """Bounds of (relevant documents retrieved) / divisor(R): Recall, RelP; exact.

    A relevant document in the ranking adds 1 above and at most 1 below, so it never lowers the
    share; one elsewhere never raises it.
    """

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Divided, grid: Grid) -> Bounds:
        found, new = grid.relevant(metric.rel).sum(axis=1), grid.unjudged.sum(axis=1)
        count = grid.relevant_count(metric.rel)
        low = found / metric.divisor(count + grid.others)
        return low, (found + new) / metric.divisor(count + new)

    def rises_when_condensed(self, metric: Divided) -> bool:
        return metric.cutoff is None  # a document that enters may push another below the cutoff


class OfCounts(Binary, Protocol):
    """A metric of three counts."""

    def of_counts(self, found: Floats, retrieved: Floats, relevant: Floats) -> Floats: ...


class SetCounts(ScoreBounds[OfCounts]):
    """Bounds of a score of three counts: set precision, recall and their combinations; exact.

    The score rises with each relevant document retrieved, though R rises too, and falls with
    each one elsewhere.
    """

    exact = EXACT
    open_range = UNIT

    def on(self, metric: OfCounts, grid: Grid) -> Bounds:
        found = grid.relevant(metric.rel).sum(axis=1).astype(np.float64)
        new = grid.unjudged.sum(axis=1)
        retrieved = grid.of(grid.judgments.length)
        if metric.cutoff is not None:
            retrieved = np.full(len(found), float(metric.cutoff))
        relevant = grid.of(grid.judgments.judged_count(metric.rel))
        elsewhere = np.minimum(grid.others, UNCOUNTED)
        low = metric.of_counts(found, retrieved, relevant + elsewhere)
        return low, metric.of_counts(found + new, retrieved, relevant + new)

    def rises_when_condensed(self, metric: OfCounts) -> bool:
        return metric.cutoff is None  # a document that enters may push another below the cutoff


class FourPrices(Bounded, Protocol):
    """A metric with a price for each cell of a contingency table."""

    a: float
    b: float
    c: float
    d: float
    counts_missed: bool


class LinearCounts(ScoreBounds[FourPrices]):
    """Bounds of a linear utility a, b, c, d of the four cells of a contingency table; exact.

    Each document that can change adds its difference, or does not.
    """

    exact = EXACT

    def counts_elsewhere(self, metric: FourPrices) -> bool:
        return not metric.counts_missed

    def condensed(self, metric: FourPrices, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        return self.whole_range(metric, judged)  # the effect depends on the utilities

    def in_view(self, metric: FourPrices, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        known, change = metric.compute(judged), (metric.a - metric.b) * judged.unjudged_count
        low, high = known + np.minimum(change, 0), known + np.maximum(change, 0)
        if unjudged == "open":
            # One more below the end, relevant or not, and one more relevant elsewhere.
            more = [metric.a - metric.d, metric.b - metric.d, metric.c - metric.d]
            low = low if min(more) >= 0 else np.full(judged.count, -np.inf)
            high = high if max(more) <= 0 else np.full(judged.count, np.inf)
        return low, high


class Reaching(Binary, Protocol):
    """A metric that looks down to a rank that depends on R."""

    mult: float

    def reach(self, count: npt.NDArray[Any]) -> Ints: ...


class PrecisionWithinReach(ScoreBounds[Reaching]):
    """Bounds of the precision down to rank mult × R: R-precision; exact under `retrieved`.

    Under `open` too where `mult` is 1 or less, or with a cutoff. With m new relevant documents, as
    many as can be or must be are above that rank, for every m up to `most`.

    From R = `past_end` on the rank is below the end of the ranking, which then has the same known
    and u unjudged documents for any m. With all u relevant the precision only falls as m grows;
    so past u more than `past_end` none is a greatest one. Before any of the u must be relevant it
    falls too, so the least one is there where all others are relevant, or where they and some of
    the u are. What lies between need not be tried.
    """

    exact = EXACT_IF_RETRIEVED
    open_range = UNIT

    def on(self, metric: Reaching, grid: Grid) -> Bounds:
        most = grid.hidden.max(initial=0)
        if metric.cutoff is not None:  # beyond this the reach stays, and all above it are in
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
