"""Utility where the user of ERR stops: expected blended ratio, intentwise rank-biased utility.

The user stops at a document with probability g / (G + 1), g being its gain and G the
greatest there is, as NTCIREVAL has it; gains of 2^grade − 1 make that the probability of
Chapelle et al. Users who never stop gain nothing.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Bounds, Grid, product_above, scan
from rankwise.bounds.stopping import over_the_ideal, utility_where_users_stop
from rankwise.metrics.base import Metric, metric
from rankwise.metrics.blended import Blended
from rankwise.metrics.grades import gain_of, greatest_gain, lowest_gaining, possible_grades
from rankwise.metrics.parameters import Gains, between, cutoff, gains, whole
from rankwise.metrics.registry import register
from rankwise.metrics.traits import EXACT, UNIT
from rankwise.rankings.ideal import Ideal, undiscounted
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption


def chance_to_stop(
    grade: Ints, judged: JudgedRankings, gains: Gains | None, max_rel: int | None
) -> Floats:
    """g / (G + 1); G is what `max_rel` gains, or else the greatest gain of the qrels or table."""
    if max_rel is None:
        most = greatest_gain(judged, gains)
    else:
        most = float(gain_of(np.array([max_rel]), judged, gains)[0])
    return np.minimum(gain_of(grade, judged, gains), most) / (most + 1)


@register()
@metric
class EBR(Blended):
    """Expected blended ratio: Sakai's blended ratio where the user of ERR stops.

    EBR = Σ BR(r) R(r) Π (1 − R(i)) over i < r, for relevant ranks r; R = g / (G + 1), G being
    the gain of `max_rel` or, if that is not given, the greatest in the qrels.

    Use it where a user wants one good document, and what stands above it matters too. Do
    not expect 1: a user may stop nowhere. nEBR divides by what the best order has.
    Sakai and Zeng, SIGIR 2019; NTCIREVAL's EBR.

    >>> score_gains("EBR(max_rel=1)", [0, 1, 1], judged=[1, 1])
    0.45
    """

    sometimes_exact: ClassVar[frozenset[Assumption]] = frozenset()
    max_rel: int | None = whole(1, None)

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        chance = self.chance(rows.grade, judged)
        return rows.total(chance * rows.running_product(1 - chance) * self.ratios(judged))

    def chance(self, grade: Ints, judged: JudgedRankings) -> Floats:
        chance = chance_to_stop(grade, judged, self.gains, self.max_rel)
        return np.where(grade >= self.rel, chance, 0.0)

    def greatest_chance(self, judged: JudgedRankings) -> float:
        return float(self.chance(self.relevant_grades(judged), judged).max())

    def bounds_on(self, grid: Grid) -> Bounds:
        now = np.where(grid.judged, self.chance(grid.grade, grid.judgments), 0.0)
        best = np.where(grid.unjudged, self.greatest_chance(grid.judgments), now)
        either = grid.relevant(self.rel) | grid.unjudged
        return utility_where_users_stop(either, (now, best), self.ratios_on(grid))


@register()
@metric
class nEBR(EBR):
    """EBR divided by the EBR of the topic's judged documents in the best order.

    There BR is 1, and what is left is the chance to stop: 1 − Π (1 − R(i)) over the first k.

    Use it to average over topics that differ in how good their documents are. Do not use it
    where few documents are judged.
    Sakai and Zeng, SIGIR 2019, for EBR; NTCIREVAL's nEBR.

    >>> round(score_gains("nEBR(max_rel=1)", [0, 1, 1], judged=[1, 1]), 4)
    0.6
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        return super().compute(judged) / self._best(judged)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        return self.chance(grade, judged) > 0

    def _best(self, judged: JudgedRankings) -> Floats:
        """The chance that the best order satisfies."""

        def loss(grade: Ints) -> Floats:
            return -np.log1p(-self.chance(grade, judged))

        total = Ideal.of(judged, loss).total(undiscounted, self.cutoff)
        return -np.expm1(-total)

    def bounds_on(self, grid: Grid) -> Bounds:
        """Outer bounds: those of EBR over the most and the least that the ideal can be."""
        low, high = super().bounds_on(grid)
        judged, now = grid.judgments, grid.of(self._best(grid.judgments))
        number = np.minimum(grid.relevant_count(self.rel) + grid.hidden, self.cutoff or np.inf)
        later = -np.expm1(number * np.log1p(-self.greatest_chance(judged)))
        ideal = np.where(grid.hidden > 0, np.maximum(now, later), now)
        return over_the_ideal((low, high), (ideal, now))


@metric
class RankBiasedUtility(Metric):
    """What iRBU and niRBU share."""

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    p: float = between(0, 1, default=0.99)
    gains: Gains | None = gains()
    max_rel: int | None = whole(1, None)
    cutoff: int | None = cutoff()

    def chance(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return chance_to_stop(grade, judged, self.gains, self.max_rel)

    def greatest_chance(self, judged: JudgedRankings) -> float:
        return float(self.chance(possible_grades(judged, self.gains), judged).max())

    def expected(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(lowest_gaining(judged, self.gains))  # the others stop nobody
        chance = self.chance(rows.grade, rows)
        utility = np.power(float(self.p), rows.rank)
        return rows.total(chance * rows.running_product(1 - chance) * utility)

    def greatest_on(self, grid: Grid, *, endless: bool = False) -> Floats:
        """With every unjudged document of the best gain; `endless` with more of them below.

        A better document moves users who would stop further down, or never, to its rank.
        Below rank d n more add c p^(d+1) (1 + p(1 − c) + …) for those who get there.
        """
        judged, most = grid.judgments, self.greatest_chance(grid.judgments)
        now = np.where(grid.judged, self.chance(grid.grade, judged), 0.0)
        best = np.where(grid.unjudged, most, now)
        reached = product_above(1 - best)
        high = (best * reached * np.power(float(self.p), grid.rank)).sum(axis=1)
        if endless:
            left = reached[:, -1] * (1 - best[:, -1])
            high += left * self.best_of(np.inf, most) * np.power(self.p, grid.of(judged.length))
        return np.asarray(high)

    def best_of(self, number: Floats | float, chance: float) -> Floats:
        """The score of so many documents that satisfy with this chance, from the top."""
        step = self.p * (1 - chance)
        return np.asarray(chance * self.p * (1 - np.power(step, number)) / (1 - step))


@register()
@metric
class iRBU(RankBiasedUtility):
    """Intentwise rank-biased utility: ERR with p^r in place of 1/r.

    iRBU = Σ p^r R(r) Π (1 − R(i)) over i < r; R = g / (G + 1), G being the gain of `max_rel`
    or, if that is not given, the greatest in the qrels. With p near 1 it hardly matters
    where the user stops: it is the chance to be satisfied at all.

    Use it where being satisfied matters and effort little: with nDCG it agreed best with
    users' preferences of result pages (Sakai and Zeng, ACM TOIS 39(2), 2021). Do not use it
    to tell rankings apart by their order: with p = 0.99 ranks 1 and 10 differ by a tenth.
    Sakai and Zeng, SIGIR 2019, after Amigó, Spina and Carrillo-de-Albornoz, SIGIR 2018;
    NTCIREVAL's iRBU.

    >>> round(score_gains("iRBU(max_rel=1)", [0, 1, 1]), 6)
    0.732625
    """

    sees_elsewhere: ClassVar[bool] = True  # they change nothing
    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.expected(judged)

    def compute_bounds(self, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        if unjudged == "open" and self.cutoff is None:
            return scan(judged, self._endless_on)
        return super().compute_bounds(judged, unjudged)

    def bounds_on(self, grid: Grid) -> Bounds:
        high = self.greatest_on(grid)
        return np.full(len(high), np.inf), high  # the low end is the current score

    def _endless_on(self, grid: Grid) -> Bounds:
        high = self.greatest_on(grid, endless=True)
        return np.full(len(high), np.inf), high


@register()
@metric
class niRBU(RankBiasedUtility):
    """iRBU divided by the iRBU of the topic's judged documents in the best order.

    Use it to average over topics that differ in how good their documents are. Do not use it
    where few documents are judged.
    Sakai and Zeng, SIGIR 2019, for iRBU; NTCIREVAL's niRBU.

    >>> round(score_gains("niRBU(max_rel=1)", [0, 1, 1], judged=[1, 1]), 2)
    0.99
    """

    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.expected(judged) / self._best(judged)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        return self.chance(grade, judged) > 0

    def _best(self, judged: JudgedRankings) -> Floats:
        """The score of the topic's documents in the best order."""

        def rank_and_score() -> Floats:
            ideal = judged.in_best_order()
            # Gains may reorder grades.
            order = np.lexsort((-self.chance(ideal.grade, ideal), ideal.ranking))
            best = replace(ideal, grade=ideal.grade[order])
            return self.expected(best.top(self.cutoff))[judged.topic]

        return judged.keep(("best", self), rank_and_score)

    def bounds_on(self, grid: Grid) -> Bounds:
        """Outer bounds: those of iRBU over the most and the least that the ideal can be."""
        judged, now = grid.judgments, grid.of(self._best(grid.judgments))
        earned = judged.keep(("earned", self), lambda: self.expected(judged))
        relevant = Ideal.of(judged, lambda grade: self.chance(grade, judged)).count_positive()
        number = np.minimum(grid.of(relevant) + grid.hidden, self.cutoff or np.inf)
        later = self.best_of(number, self.greatest_chance(judged))
        ideal = np.where(grid.hidden > 0, np.maximum(now, later), now)
        return over_the_ideal((grid.of(earned), self.greatest_on(grid)), (ideal, now))
