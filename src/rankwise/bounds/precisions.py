"""Bounds of sums of precisions at relevant documents: AP and related metrics."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import EXACT, UNIT, Binary, ScoreBounds
from rankwise.bounds.grid import (
    Bounds,
    Grid,
    above,
    different,
    least_of_cuts,
    mean_bounds,
    rest,
    running,
    scan,
    tangents,
)
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


@dataclass(frozen=True, eq=False, repr=False)
class Precisions:
    """Limits of the sum Σ r(i) w(i) over the ranks i of relevant documents, for every cut.

    r(i) is the number of relevant documents in the ranks 1 to i, and w(i) a weight. Of the
    documents in these ranks, c(i) are judged relevant and u(i) are unjudged. A cut splits the
    ranking after a rank t. If exactly the unjudged documents in ranks 1 to t are relevant
    (`highest`), the sum is Σ (c + u) w over the relevant and unjudged ranks i ≤ t, plus Σ (c +
    u(t)) w over the relevant ranks i > t. If exactly the unjudged documents after rank t are
    relevant (`lowest`), the sum is Σ c w over the relevant ranks i ≤ t, plus Σ (c + u − u(t)) w
    over the relevant and unjudged ranks i > t. Both are computed from a sum over all ranks and two
    cumulative sums.
    """

    hit: Floats  # 1 for relevant documents
    either: Floats  # 1 for relevant and unjudged documents
    alone: Floats  # c at relevant ranks
    both: Floats  # c + u at relevant and unjudged ranks
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
    """Return, for every cut, two sums of precisions and the number of unjudged documents above.

    In the first sum, the unjudged documents above the cut are relevant; in the second sum, the
    unjudged documents below.
    """
    precisions, weight = Precisions.of(grid, grid.relevant(rel)), 1 / grid.rank
    return precisions.highest(weight), precisions.lowest(weight), precisions.unjudged


class PrecisionSums(ScoreBounds[Any]):
    """Bounds of S / divisor(R): AP. They are exact.

    S is the sum of the precisions at the relevant documents retrieved. R is the number of all
    relevant documents, and divisor(R) is R or, if the metric has norm=min, min(R, cutoff). The
    number m of unjudged documents that are relevant determines R. Moving a relevant document up
    never lowers S. For each m the score is therefore largest with the m highest unjudged documents,
    and smallest with the m lowest. Documents outside the ranking only add to R.

    This class reads `rel` and `divisor` of the metric.
    """

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        highest, lowest, unjudged = sums_of_precisions(grid, metric.rel)
        count = grid.relevant_count(metric.rel)[:, None]
        low = lowest / metric.divisor(count + rest(unjudged) + grid.others[:, None])
        return low.min(axis=1), (highest / metric.divisor(count + unjudged)).max(axis=1)

    def is_exact(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> bool:
        condensed = metric.judged_only and unjudged == "retrieved"
        return condensed or super().is_exact(metric, judged, unjudged)

    def condensed(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        """Return the bounds of AP on condensed lists. They are exact under `retrieved`.

        Inserting a non-relevant document never raises AP. The lower bound is therefore that of the
        full list. For the upper bound only relevant documents are inserted: for each possible
        number m of them, those at the m highest unjudged ranks.
        """
        whole = self.uncondensed(metric, judged, unjudged)
        if whole is None or (unjudged == "open" and metric.cutoff is None):
            return whole

        def highest_on(grid: Grid) -> Bounds:
            high = greatest_condensed(metric, grid)
            return high, high

        usable = judged.usable()
        if unjudged == "retrieved":
            bounds = scan(usable, highest_on)
        else:
            bounds = self.going_on(metric, usable, highest_on, 0, metric.cutoff or 0)
        return bounds and (whole[0], bounds[1])


class UndividedPrecisions(ScoreBounds[Binary]):
    """Bounds of the sum of the precisions at relevant documents: SP. They are exact.

    Each further relevant document raises the sum.
    """

    exact = EXACT
    open_range = (np.inf, np.inf)

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        highest, _, _ = sums_of_precisions(grid, metric.rel)
        return highest[:, 0], highest[:, -1]

    def rises_when_condensed(self, metric: Binary) -> bool:
        return metric.cutoff is None  # an inserted document may shift another below the cutoff


class MeanPrecisionOfFound(ScoreBounds[Binary]):
    """Bounds of the mean precision at the relevant documents retrieved: AP*. They are exact.

    The proof in `PrecisionSums` applies, with the number of relevant documents retrieved in place
    of R.
    """

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        highest, lowest, unjudged = sums_of_precisions(grid, metric.rel)
        count = grid.relevant(metric.rel).sum(axis=1)[:, None]
        low = lowest / np.maximum(count + rest(unjudged), 1)
        return low.min(axis=1), (highest / np.maximum(count + unjudged, 1)).max(axis=1)


class PrecisionOdds(ScoreBounds[Binary]):
    """Bounds of log((1 + S) / (1 + R − S)): YAAP. They are exact.

    S is the sum of the precisions at the relevant documents retrieved, and R the number of all
    relevant documents. Like AP, the score rises with S and falls as R grows. The proof in
    `PrecisionSums` therefore applies.
    """

    exact = EXACT
    open_range = (-np.inf, np.inf)

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        highest, lowest, unjudged = sums_of_precisions(grid, metric.rel)
        count = 1 + grid.relevant_count(metric.rel)[:, None]
        least = (1 + lowest) / (count + rest(unjudged) + grid.others[:, None] - lowest)
        most = (1 + highest) / (count + unjudged - highest)
        with np.errstate(divide="ignore"):  # log(0) is minus infinity, where R is unlimited
            return np.log(least.min(axis=1)), np.log(most.max(axis=1))


def greatest_condensed(metric: Any, grid: Grid) -> Floats:
    """Return the exact upper bound of AP on condensed lists.

    Only relevant documents are inserted. If m are inserted, the score is largest for the m highest
    unjudged documents: the n-th relevant document then has the smallest number x of other documents
    above it. Its precision is n / (n + x). At a judged document below the cut, n grows with m and x
    is fixed, so the precision is concave in m. Tangents therefore bound the score of each cut, and
    few cuts need to be evaluated.
    """
    hit, end = grid.relevant(metric.rel), metric.cutoff or np.inf
    known, others = running(hit)[:, 1:], running(grid.judged & ~hit)[:, 1:]  # others: x
    unjudged = running(grid.unjudged)
    divisor = metric.divisor(grid.relevant_count(metric.rel)[:, None] + unjudged)  # for every cut

    def precisions(relevant: Bools, others: Floats) -> Floats:
        found = running(relevant)[:, 1:]
        place = np.maximum(found + others, 1)
        return np.where(relevant & (place <= end), found / place, 0.0)

    top = running(precisions(hit | grid.unjudged, others))
    early = hit & (known + others <= end)

    def lost_at(new: Floats) -> Floats:
        found = known + new - 1
        return -top - rest(running(early * found / np.maximum(found + others, 1)))

    def slopes_at(new: Floats) -> Floats:
        place = known + new - 1 + others
        return -rest(running(early * others / np.maximum(place, 1) ** 2))

    def lost_by(rows: Ints, cut: Ints) -> Floats:
        new = grid.unjudged[rows] & (grid.rank <= cut[:, None])
        return -precisions(hit[rows] | new, others[rows]).sum(axis=1) / divisor[rows, cut]

    promised = tangents(unjudged + 1, lost_at, slopes_at, divisor)
    return -least_of_cuts(promised, different(grid.unjudged), lost_by)


class MeanOfLevels(ScoreBounds[Any]):
    """Bounds of the mean of AP over several relevance thresholds: GAP. They may not be tight.

    A mean lies between its smallest and its largest term. The bounds are therefore the smallest
    lower bound and the largest upper bound of AP at any of the thresholds. For a threshold at which
    no document is relevant, only judgments that add a relevant document are considered.

    This class reads `levels` of the metric.
    """

    open_range = UNIT
    argument = PrecisionSums()

    def of(
        self, metric: Any, judged: JudgedRankings, unjudged: Assumption = "retrieved"
    ) -> Bounds | None:
        bounds = [self.argument.of(level, judged, unjudged) for level in metric.levels(judged)]
        lows, highs = zip(*(ends for ends in bounds if ends is not None), strict=True)
        return np.fmin.reduce(lows), np.fmax.reduce(highs)


class InferredPrecision(ScoreBounds[Any]):
    """Bounds of a mean of precisions estimated at relevant documents: infAP. They may not be tight.

    An estimated precision rises with the number of relevant and of pooled documents above, and
    falls with the number of non-relevant documents above. For the lower bound, the unjudged
    documents above are therefore non-relevant and do not count as pooled. For the upper bound, they
    are relevant and count as pooled.

    This class reads `rel` and `expected_precision` of the metric.
    """

    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        hit, expected = grid.relevant(metric.rel), metric.expected_precision
        relevant, nonrelevant = above(hit), above(grid.nonrelevant(metric.rel))
        pooled, unknown = above(grid.judged), above(grid.unjudged)
        least = expected(grid.rank, relevant, nonrelevant + unknown, pooled)
        most = expected(grid.rank, relevant + unknown, nonrelevant, pooled + unknown)
        known = ((least * hit).sum(axis=1), (most * hit).sum(axis=1))
        count = grid.relevant_count(metric.rel)
        missed = count - hit.sum(axis=1)
        return mean_bounds(grid, known, (least, most), weight=count, missed=missed)
