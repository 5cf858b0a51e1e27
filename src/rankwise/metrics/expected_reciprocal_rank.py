"""Expected reciprocal rank: the rank at which a user is satisfied, in expectation."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Bounds, Grid, rest, running
from rankwise.metrics.cascade import Graded, product_above
from rankwise.metrics.grades import unit_gain_of
from rankwise.metrics.parameters import choice, cutoff
from rankwise.metrics.registry import register
from rankwise.metrics.traits import EXACT, EXACT_IF_RETRIEVED
from rankwise.rankings.ideal import Ideal
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption


@dataclass(frozen=True, kw_only=True)
class ExpectedReciprocal(Graded):
    """What ERR and nERR share: the chance that a document of a grade satisfies."""

    stop: str = choice("exp", "linear", default="exp")
    cutoff: int | None = cutoff()

    def unit_gain(self, grade: Ints, judged: JudgedRankings) -> Floats:
        """The chance that a document of a grade satisfies."""
        if self.gains is not None or (judged.gains is not None and self.takes_gains):
            return unit_gain_of(self, grade, judged, self.gains)
        return self.chance(grade, self.max_rel or max(1, judged.topic_grades.max(initial=1)))

    def chance(self, grade: Ints, best: int) -> Floats:
        grade = np.clip(grade, 0, best)
        if self.stop == "linear":
            return grade / (best + 1)
        return (np.exp2(grade) - 1) / np.exp2(best)

    def open_more(self, judged: JudgedRankings) -> int | None:
        return self.enough(judged)

    def greatest_on(self, grid: Grid) -> Floats:
        """ERR with every unjudged document of the best grade.

        A better document moves users who would stop further down, or never, to its rank.
        """
        _, chance = self.gains_on(grid)
        return (chance * product_above(1 - chance) / grid.rank).sum(axis=1)

    def expected(self, rows: JudgedRankings) -> Floats:
        chance = self.unit_gain(rows.grade, rows)
        return rows.total(chance * rows.running_product(1 - chance) / rows.rank)


@register()
@dataclass(frozen=True, kw_only=True)
class ERR(ExpectedReciprocal):
    """Expected reciprocal rank, for a user who stops at the first document that satisfies.

    ERR = Σ (1/r) R(r) Π (1 − R(i)) over i < r; R = (2^g − 1) / 2^max, or g / (max + 1) with
    `stop=linear` as NTCIREVAL has it, or what `gains` give. Without `max_rel` the highest
    grade in the qrels is the maximum; gdeval always takes 4.

    Use it where one good document is enough and grades say how good. Do not use it where
    users want several.
    Chapelle, Metzler, Zhang and Grinspan, CIKM 2009.

    >>> score_gains("ERR(max_rel=1)", [0, 1, 1])
    0.3333333333333333
    """

    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT
    open_range: ClassVar[tuple[float, float] | None] = (np.inf, 1.0)

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.expected(judged.relevant(self.lowest(judged)))

    def bounds_on(self, grid: Grid) -> Bounds:
        high = self.greatest_on(grid)
        return np.full(len(high), np.inf), high


@register()
@dataclass(frozen=True, kw_only=True)
class nERR(ExpectedReciprocal):
    """ERR divided by the ERR of the topic's judged documents in the best order.

    Use it to average over topics whose best documents differ in grade. Do not use it
    where few documents are judged.
    Sakai and Song, SIGIR 2011; NTCIREVAL's nERR is nERR(stop=linear).

    >>> score_gains("nERR", [0, 1])
    0.5
    """

    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True
    sometimes_exact: ClassVar[frozenset[Assumption]] = EXACT_IF_RETRIEVED

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.lowest(judged))
        return self.expected(rows) / self._best(judged)

    def _best(self, judged: JudgedRankings) -> Floats:
        """The ERR of the topic's documents in the best order."""

        def rank_and_score() -> Floats:
            ideal = judged.in_best_order()
            # Gains may reorder grades.
            order = np.lexsort((-self.unit_gain(ideal.grade, ideal), ideal.ranking))
            best = self.expected(self.view(replace(ideal, _kept={}, grade=ideal.grade[order])))
            return best[judged.topic]

        return judged.keep(("best", self), rank_and_score)

    def bounds_on(self, grid: Grid) -> Bounds:
        """Exact for one gain; else ERR now over the best of any judgments, and the reverse.

        With c the chance of the best grade no ranking has more than Σ c (1 − c)^(r−1) / r,
        which is −c ln(c) / (1 − c).
        """
        judged, chance = grid.judgments, self.greatest(grid.judgments)
        limit = 1.0 if chance == 1 else -chance * np.log(chance) / (1 - chance)
        if self.one_gain(judged) is not None:
            return self._alike(grid, chance, limit)
        now = grid.of(self._best(judged))
        earned = judged.keep(("earned", self), lambda: self.compute(judged) * self._best(judged))
        best = np.where(grid.hidden > 0, np.maximum(now, limit), now)
        return grid.of(earned) / best, np.minimum(self.greatest_on(grid) / now, 1)

    def _alike(self, grid: Grid, chance: float, limit: float) -> Bounds:
        """All relevant documents satisfy with the same chance c; q = 1 − c.

        ERR is c Σ q^(n−1) / r(n), r(n) being the rank of the n-th one. So for m new ones,
        which fix the ideal, it is greatest with the highest and least with the lowest m.
        """
        gain, _ = self.gains_on(grid)
        hit, going_on = gain > 0, 1 - chance
        known, unjudged, inverse = running(hit), running(grid.unjudged), 1 / grid.rank

        def seen(count: Floats) -> Floats:
            return np.power(going_on, count - 1) * inverse

        either = hit | grid.unjudged
        alone = running(np.where(hit, seen(np.maximum(known[:, 1:], 1)), 0.0))
        both = np.where(either, seen(np.maximum((known + unjudged)[:, 1:], 1)), 0.0)
        highest = running(both) + np.power(going_on, unjudged) * rest(alone)
        lowest = alone + np.power(going_on, known) * _seen_below(either, going_on)
        count = Ideal.of(grid.judgments, lambda g: self.unit_gain(g, grid.judgments))
        relevant = grid.of(count.count_positive())[:, None]
        least = relevant + rest(unjudged) + grid.others[:, None]
        high = chance * highest / self._ideal(relevant + unjudged, chance, limit)
        low = chance * lowest / self._ideal(least, chance, limit)
        return low.min(axis=1), high.max(axis=1)

    def _ideal(self, count: Floats, chance: float, limit: float) -> Floats:
        """The ERR of so many documents that satisfy with this chance."""
        last = self.cutoff or int(count[np.isfinite(count)].max(initial=1))
        rank = np.arange(1.0, last + 1)
        sums = np.cumsum(chance * np.power(1 - chance, rank - 1) / rank)
        end = limit if self.cutoff is None else sums[-1]
        table = np.concatenate([[np.nan], sums, [end]])  # NaN: nothing is relevant
        return table[np.minimum(count, last + 1).astype(np.int64)]


def _seen_below(cells: Bools, going_on: float) -> Floats:
    """For every cut Σ going_on^(n−1) / rank over the cells below it, the n-th of them each."""
    sums = np.zeros((len(cells), cells.shape[1] + 1))
    for rank in range(cells.shape[1], 0, -1):
        below = sums[:, rank]
        sums[:, rank - 1] = np.where(cells[:, rank - 1], 1 / rank + going_on * below, below)
    return sums
