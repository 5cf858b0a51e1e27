"""trec_eval's experiments with gain: G, and nDCG averaged over where it is measured."""

from typing import ClassVar

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.grid import Bounds, Grid
from rankwise.bounds.means import Mean, mean_bounds
from rankwise.bounds.nonrelevant import ByNonrelevant
from rankwise.bounds.ratio import ratio_at_each_rank
from rankwise.metrics.base import Metric, metric
from rankwise.metrics.dcg import Discounted, nDCG
from rankwise.metrics.grades import possible_grades
from rankwise.metrics.parameters import rel
from rankwise.metrics.registry import register
from rankwise.metrics.traits import EXACT_IF_RETRIEVED, UNIT
from rankwise.rankings.ideal import undiscounted
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption


@register()
@metric
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
        beyond = np.maximum(rank - ideal.size[ranking], 0)
        return ideal.at_least_one.down_to(ranking, rank, undiscounted) + beyond

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
@metric
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


@metric
class AlongTheRanking(Discounted):
    """A mean of nDCG at several ranks."""

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True

    def at_each_rank(self, grid: Grid) -> Bounds:
        """Bounds of nDCG after each document."""
        levels, discount = self.judged_levels(grid), self.discount(grid.rank)
        last = int(levels.count.max(initial=0) + grid.grade.shape[1])
        sums = np.concatenate([[0.0], np.cumsum(self.discount(np.arange(1, last + 1)))])
        return ratio_at_each_rank(grid, self.gains_on(grid), discount, levels, sums)

    def at_the_end(self, grid: Grid) -> Bounds:
        """Bounds of nDCG of the whole ranking."""
        whole = nDCG(dcg=self.dcg, b=self.b, gains=self.gains, cutoff=self.cutoff)
        return whole.bounds_on(grid)


@register({"ndcg_rel": "nDCGRel"})
@metric
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
@metric
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
