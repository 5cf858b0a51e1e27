"""trec_eval's experiments with gain: G, and nDCG averaged over where it is measured."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.cuts import chords, different, greatest_of_cuts, least_of_cuts, tangents
from rankwise.bounds.grid import Bounds, Grid, Mean, mean_bounds, rest, running
from rankwise.metrics.base import Metric
from rankwise.metrics.dcg import Discounted, nDCG
from rankwise.metrics.grades import possible_grades
from rankwise.metrics.parameters import rel
from rankwise.metrics.registry import register
from rankwise.metrics.traits import EXACT_IF_RETRIEVED, UNIT
from rankwise.rankings.ideal import undiscounted
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption


@register()
@dataclass(frozen=True, kw_only=True)
class G(Discounted):
    """Normalised gain: each document discounted by how far the ranking is behind the ideal.

    G = Σ gain(d) / log2(2 + cost(i) − cg(i)) / Σ ideal gains, cg(i) being the gain down to
    rank i and cost(i) the ideal gain down to rank i, at least 1 for each rank.

    Use it as an experiment between AP and nDCG. Use nDCG for anything that others read.
    Buckley, trec_eval's G, 2008.

    >>> round(score_gains("G", [1, 0, 1]), 4)
    0.8155
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    sometimes_exact: ClassVar[frozenset[Assumption]] = EXACT_IF_RETRIEVED
    exact_where: ClassVar[str] = "all gains are 0 or 1"
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, ideal = self.gaining(judged), self.ideal(judged)
        worth = self.worth(rows.grade, judged)
        cost = self._cost(judged, rows.ranking, rows.rank)
        total = ideal.total(undiscounted)
        return rows.total(worth / np.log2(2 + cost - rows.running(worth))) / total

    def _cost(self, judged: JudgedRankings, ranking: Ints, rank: Ints) -> Floats:
        ideal = self.ideal(judged)
        costs = replace(ideal, gain=np.maximum(ideal.gain, 1))
        beyond = np.maximum(rank - ideal.size[ranking], 0)
        return costs.down_to(ranking, rank, undiscounted) + beyond

    def one_gain(self, judged: JudgedRankings) -> float | None:
        worth = np.unique(self.worth(possible_grades(judged, self.gains), judged))
        return 1.0 if worth[worth > 0].tolist() == [1.0] else None

    def bounds_on(self, grid: Grid) -> Bounds:
        """With gains of 0 and 1 it is binG. Else outer: each document's discount from the least or
        greatest cost and gain.
        """
        if self.one_gain(grid.judgments) is not None:
            total = np.maximum(grid.of(self.ideal(grid.judgments).count_positive()), 1)
            return ByNonrelevant(grid, self.gains_on(grid) > 0, total[:, None]).bounds()
        gain, best = self.gains_on(grid), self.judged_levels(grid).greatest
        ranking, rank = grid.cells
        hidden = np.minimum(grid.hidden[:, None], rank).astype(np.int64)
        now = self._cost(grid.judgments, ranking, rank)
        cost = max(best, 1.0) * hidden + self._cost(grid.judgments, ranking, rank - hidden)
        so_far = np.cumsum(gain, axis=1)
        possible = so_far + best * np.cumsum(grid.unjudged, axis=1)
        least, most = (
            1 / np.log2(2 + np.maximum(behind, 0)) for behind in (cost - so_far, now - possible)
        )
        known = ((gain * least).sum(axis=1), (gain * most).sum(axis=1))
        total = np.maximum(grid.of(self.ideal(grid.judgments).total(undiscounted)), 1e-300)
        missed = grid.of(self.ideal(grid.judgments).count_positive()) - (gain > 0).sum(axis=1)
        return mean_bounds(grid, Mean(known, total, least, most, missed, heaviest=best))


@register()
@dataclass(frozen=True, kw_only=True)
class binG(Metric):
    """G with gains of 0 and 1: each relevant document by the non-relevant ones above it.

    binG = (1/R) Σ 1 / log2(2 + documents above that are not relevant).

    Use it as an experiment. Use AP or nDCG for anything that others read.
    Buckley, trec_eval's binG, 2008.

    >>> round(score_gains("binG", [1, 0, 1]), 4)
    0.8155
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True
    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT_IF_RETRIEVED
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        total = found.total(1 / np.log2(2 + found.rank - found.place))
        return total / np.maximum(judged.judged_count(self.rel), 1)

    def bounds_on(self, grid: Grid) -> Bounds:
        count = grid.relevant_count(self.rel)[:, None]
        return ByNonrelevant(grid, grid.relevant(self.rel), count).bounds()


@dataclass(frozen=True, eq=False)
class ByNonrelevant:
    """The extremes of (1/R) Σ 1 / log2(2 + documents above that are not relevant); exact.

    For m new relevant documents it is greatest with the m highest and least with the m
    lowest: the n-th one from the top then has the fewest (most) others above. These
    number i − n, in which m is a term, so no running sum serves all cuts. But the discount is
    convex in it: chords and tangents say how good each cut can be, and few are left to try.
    """

    grid: Grid
    hit: Bools
    count: Floats

    def bounds(self) -> Bounds:
        return self._least(), self._greatest()

    @property
    def _others(self) -> Ints:
        """The documents above each cell that are not relevant today."""
        return np.asarray(self.grid.rank - np.cumsum(self.hit, axis=1))

    def _greatest(self) -> Floats:
        unjudged, either = running(self.grid.unjudged), self.hit | self.grid.unjudged
        count, others = self.count + unjudged, self._others
        top = running(either * _discount(others - unjudged[:, 1:]))

        def sums_at(new: Floats) -> Floats:
            return top + rest(running(self.hit * _discount(others - new + 1)))

        def score_at(rows: Ints, cut: Ints) -> Floats:
            return self._score(rows, self.grid.rank <= cut[:, None]) / count[rows, cut]

        promised = chords(unjudged + 1, sums_at, count)
        return greatest_of_cuts(promised, different(self.grid.unjudged), score_at)

    def _least(self) -> Floats:
        """Documents outside of the grid are the lowest of all."""
        unjudged, either = running(self.grid.unjudged), self.hit | self.grid.unjudged
        some = np.isfinite(self.grid.others)
        count = self.count + rest(unjudged) + np.where(some, self.grid.others, 0.0)[:, None]
        top, fewest = running(self.hit * _discount(self._others)), self._others - unjudged[:, 1:]

        def sums_at(above: Floats) -> Floats:
            return top + rest(running(either * _discount(fewest + above - 1)))

        def slopes_at(above: Floats) -> Floats:
            return rest(running(either * _slope(fewest + above - 1)))

        def score_at(rows: Ints, cut: Ints) -> Floats:
            return self._score(rows, self.grid.rank > cut[:, None]) / count[rows, cut]

        promised = tangents(unjudged + 1, sums_at, slopes_at, count)
        low = least_of_cuts(promised, different(self.grid.unjudged) & some[:, None], score_at)
        return np.where(some, low, 0.0)

    def _score(self, rows: Ints, new: Bools) -> Floats:
        relevant = self.hit[rows] | (self.grid.unjudged[rows] & new)
        others = self.grid.rank - np.cumsum(relevant, axis=1)
        return (relevant * _discount(others)).sum(axis=1)


def _discount(others: npt.NDArray[Any]) -> Floats:
    """1 / log2(2 + others) for whole numbers, and along its tangent at 0 for what is less."""
    known = 1 / np.log2(2 + np.arange(max(int(others.max(initial=0)), 0) + 1))
    discount = known[np.maximum(others, 0).astype(np.int64)]
    return np.where(others < 0, known[0] - others / (2 * np.log(2)), discount)


def _slope(others: npt.NDArray[Any]) -> Floats:
    """Of the discount."""
    more = 2 + np.arange(int(others.max(initial=0)) + 1)
    slope = -np.log(2) / (more * np.log(more) ** 2)
    return slope[np.maximum(others, 0).astype(np.int64)]


@dataclass(frozen=True, kw_only=True)
class AlongTheRanking(Discounted):
    """A mean of nDCG at several ranks."""

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True

    def at_each_rank(self, grid: Grid) -> tuple[Floats, Floats]:
        """Outer bounds of nDCG after each document: the least gain over the greatest ideal…"""
        levels, discount = self.judged_levels(grid), self.discount(grid.rank)
        last = int(levels.count.max(initial=0) + grid.grade.shape[1])
        sums = np.concatenate([[0.0], np.cumsum(self.discount(np.arange(1, last + 1)))])
        gain = self.gains_on(grid)
        possible = np.where(grid.unjudged, levels.greatest, gain)
        earned = [np.cumsum(gains * discount, axis=1) for gains in (gain, possible)]
        depth = np.broadcast_to(grid.rank, gain.shape)
        best = levels.ideal(grid.hidden[:, None], depth, sums)
        today = levels.ideal(np.zeros((1, 1)), depth, sums)
        least = np.divide(earned[0], best, out=np.zeros(gain.shape), where=best > 0)
        most = np.divide(earned[1], today, out=np.ones(gain.shape), where=today > 0)
        return least, np.minimum(most, 1)

    def at_the_end(self, grid: Grid) -> Bounds:
        """Bounds of nDCG of the whole ranking."""
        whole = nDCG(dcg=self.dcg, b=self.b, gains=self.gains, cutoff=self.cutoff)
        return whole.bounds_on(grid)


@register({"ndcg_rel": "nDCGRel"})
@dataclass(frozen=True, kw_only=True)
class nDCGRel(AlongTheRanking):
    """nDCG measured at each relevant document, and averaged over all of them.

    A relevant document that is not retrieved is measured at the end of the ranking,
    against the whole ideal.

    Use it as an experiment: nDCG jumps where the ideal moves from one grade to the next,
    and this evens it out. Use nDCG for anything that others read.
    Buckley, trec_eval's ndcg_rel.

    >>> round(score_gains("nDCGRel", [0, 1, 1]), 4)
    0.5401
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, ideal = self.gaining(judged), self.ideal(judged)
        gain = self.worth(rows.grade, judged)
        so_far = rows.running(gain * self.discount(rows.rank))
        best = ideal.down_to(rows.ranking, rows.rank, self.discount)
        gains = gain > 0
        at_documents = rows.total(np.where(gains, so_far / np.where(best > 0, best, 1), 0))
        whole = ideal.total(self.discount, self.cutoff)
        count = ideal.count_positive()
        missed = (count - rows.total(gains)) * self.discounted(judged) / whole
        return (at_documents + missed) / count

    def bounds_on(self, grid: Grid) -> Bounds:
        """Outer bounds: nDCG at each relevant document and at the end, each by itself."""
        least, most = self.at_each_rank(grid)
        low, high = self.at_the_end(grid)
        hit = self.gains_on(grid) > 0
        count = grid.of(self.ideal(grid.judgments).count_positive())
        missed = count - hit.sum(axis=1)
        known = (
            (hit * least).sum(axis=1) + missed * low,
            (hit * most).sum(axis=1) + missed * np.minimum(high, 1),
        )
        found = mean_bounds(grid, Mean(known, np.maximum(count, 1), least, most, missed, 1.0, low))
        return found[0], np.maximum(found[1], high)


@register()
@dataclass(frozen=True, kw_only=True)
class Rndcg(AlongTheRanking):
    """nDCG averaged over the ranks where the ideal ranking moves to a lower grade.

    With 5 documents of grade 3, 3 of grade 2 and 10 of grade 1: the mean of nDCG@5,
    nDCG@8, nDCG@18 and nDCG at the end of the ranking, if that lies further down.

    Use it as an experiment. Use nDCG for anything that others read.
    Buckley, trec_eval's Rndcg.

    >>> round(score_gains("Rndcg", [1, 2, 0, 0]), 4)
    0.7398
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, ideal = self.gaining(judged), self.ideal(judged)
        earned = self.worth(rows.grade, judged) * self.discount(rows.rank)
        everyone = np.arange(judged.count)
        total, points, last = (np.zeros(judged.count) for _ in range(3))
        for level in np.unique(ideal.gain[ideal.gain > 0])[::-1]:
            here, reach = ideal.count_at(level), ideal.count_from(level)
            seen = rows.total(np.where(rows.rank <= reach[rows.ranking], earned, 0))
            best = ideal.down_to(everyone, reach.astype(np.int64), self.discount)
            total += np.where(here > 0, seen / np.where(best > 0, best, 1), 0)
            points += here > 0
            last = np.maximum(last, reach)
        goes_on = judged.length > last + 1  # as trec_eval has it: one document more is not enough
        whole = ideal.total(self.discount)
        total += np.where(goes_on, rows.total(earned) / np.where(whole > 0, whole, 1), 0)
        return total / (points + goes_on)

    def bounds_on(self, grid: Grid) -> Bounds:
        """Outer bounds: a mean lies between the least and the greatest of what it is made of.

        Below the end of the ranking nDCG@k falls to what it is at the end of the ideal.
        """
        least, most = self.at_each_rank(grid)
        low, high = self.at_the_end(grid)
        return np.minimum(least.min(axis=1), low), np.maximum(most.max(axis=1), high)
