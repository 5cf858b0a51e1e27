"""Sakai's blended ratio and the metrics made of it: Q, O, P, P⁺, NCU."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.bounds import Bounds, Grid, Mean, above, mean_bounds
from rankwise.ideal import Ideal, undiscounted
from rankwise.judged import Bools, Floats, Ints, JudgedRankings
from rankwise.metrics.base import Metric, gain_of, greatest_gain
from rankwise.metrics.names import register
from rankwise.metrics.parameters import Gains, at_least, between, choice, cutoff, flag, gains, rel


@dataclass(frozen=True, kw_only=True)
class Blended(Metric):
    """A metric made of blended ratios at relevant documents.

    BR(r) = (β cg(r) + count(r)) / (β cg_I(r) + r): cg is the gain down to rank r, cg_I that
    of the ideal ranking, count the relevant documents. β = 0 makes it precision.
    """

    needs_relevant: ClassVar[bool] = True
    beta: float = at_least(0, 1)
    gains: Gains | None = gains()
    rel: int = rel()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def ratios(self, judged: JudgedRankings) -> Floats:
        """BR at each row of `judged.relevant(rel)`."""
        rows = judged.relevant(self.rel)
        worth = gain_of(rows.grade, judged, self.gains)
        best = self.ideal(judged).down_to(rows.ranking, rows.rank, undiscounted)
        return (self.beta * rows.running(worth) + rows.place) / (self.beta * best + rows.rank)

    def ideal(self, judged: JudgedRankings) -> Ideal:
        def worth(grade: Ints) -> Floats:
            return np.where(grade >= self.rel, gain_of(grade, judged, self.gains), 0.0)

        return judged.keep(("ideal", self), lambda: Ideal.of(judged, worth))

    def ratios_on(self, grid: Grid) -> Bounds:
        """Outer bounds of BR at each cell, were its document relevant.

        The numerator with the unjudged documents above worth nothing over the denominator
        with all that could be relevant in the ideal; and the other way round.
        """
        hit, best = grid.relevant(self.rel), greatest_gain(grid.judgments, self.gains, self.rel)
        worth = np.where(hit, gain_of(grid.grade, grid.judgments, self.gains), 0.0)
        gain, count = np.cumsum(worth, axis=1), np.cumsum(hit, axis=1)
        unjudged = np.cumsum(grid.unjudged, axis=1)
        ranking, rank = grid.cells
        hidden = np.minimum(grid.hidden[:, None], rank).astype(np.int64)
        ideal = self.ideal(grid.judgments)
        today = ideal.down_to(ranking, rank, undiscounted)
        later = best * hidden + ideal.down_to(ranking, rank - hidden, undiscounted)
        least = (self.beta * gain + count + grid.unjudged) / (self.beta * later + rank)
        most = (self.beta * (gain + best * unjudged) + count + unjudged) / (
            self.beta * today + rank
        )
        return least, np.minimum(most, 1)

    def mean_on(self, grid: Grid) -> Bounds:
        """Outer bounds of the mean of BR over all relevant documents."""
        least, most = self.ratios_on(grid)
        hit = grid.relevant(self.rel)
        known = ((hit * least).sum(axis=1), (hit * most).sum(axis=1))
        return mean_bounds(grid, Mean(known, grid.relevant_count(self.rel), least, most))

    def among(self, grid: Grid, cells: Bools) -> Bounds:
        """Outer bounds of BR at one of some cells; 0 where nothing relevant is known."""
        least, most = self.ratios_on(grid)
        nothing = ~grid.relevant(self.rel).any(axis=1)
        low = np.where(cells, least, np.inf).min(axis=1)
        return np.where(nothing, 0.0, low), np.where(cells, most, 0.0).max(axis=1)


@register({"Q-measure": "Q"})
@dataclass(frozen=True, kw_only=True)
class Q(Blended):
    """The mean, over the topic's relevant documents, of the blended ratio at the rank of each.

    Q = (1/R) Σ BR(r) over the ranks of relevant documents. AP with graded relevance: with
    β = 0 it is AP.

    Use it where finding all relevant documents matters and some are better than others.
    Do not use it with few judgments: like AP it divides by R. With a cutoff it still
    divides by R, where NTCIREVAL divides by min(k, R).
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("Q", [1, 0, 1]), 4)
    0.9
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        total = judged.relevant(self.rel).total(self.ratios(judged))
        return total / np.maximum(judged.judged_count(self.rel), 1)

    def bounds_on(self, grid: Grid) -> Bounds:
        return self.mean_on(grid)


@register({"O-measure": "O"})
@dataclass(frozen=True, kw_only=True)
class O(Blended):  # noqa: E742  # the metric's name
    """The blended ratio at the first relevant document: reciprocal rank with grades.

    0 where nothing relevant is retrieved.

    Use it where one relevant document is enough, and a better one is better. Do not use
    it where a user would look past a partly relevant document: that is P.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("O", [0, 3], judged=[3, 2, 1]), 2)
    0.57
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        return rows.total(np.where(rows.place == 1, self.ratios(judged), 0.0))

    def bounds_on(self, grid: Grid) -> Bounds:
        """It is at the first relevant document, or at an unjudged one above it."""
        hit = grid.relevant(self.rel)
        return self.among(grid, (above(hit) == 0) & (hit | grid.unjudged))


@dataclass(frozen=True, kw_only=True)
class Preferred(Blended):
    """What P and P⁺ share: the preferred rank, of the first document of the best grade found."""

    def preferred_rank(self, judged: JudgedRankings) -> Floats:
        """For each ranking; infinity where nothing relevant is retrieved."""
        rows = judged.relevant(self.rel)
        best = np.full(judged.count, -1, dtype=np.int64)
        np.maximum.at(best, rows.ranking, rows.grade)
        return rows.first(rows.grade == best[rows.ranking])


@register({"P-measure": "PMeasure"})
@dataclass(frozen=True, kw_only=True)
class PMeasure(Preferred):
    """The blended ratio at the first document of the highest grade that is retrieved.

    0 where nothing relevant is retrieved. Called P in the paper; P is precision here.

    Use it where a user looks for one highly relevant document. Do not use it to tell the
    best order: the exact inverse of the ideal ranking scores 1 too.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("P-measure", [1, 3], judged=[3, 2, 1]), 2)
    0.86
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        here = rows.rank == self.preferred_rank(judged)[rows.ranking]
        return rows.total(np.where(here, self.ratios(judged), 0.0))

    def bounds_on(self, grid: Grid) -> Bounds:
        """It is at the preferred document of today, or at an unjudged one."""
        preferred = grid.of(self.preferred_rank(grid.judgments))
        return self.among(grid, grid.unjudged | (grid.rank == preferred[:, None]))


@register({"P-plus": "PPlus", "P+": "PPlus", "P⁺": "PPlus"})
@dataclass(frozen=True, kw_only=True)
class PPlus(Preferred):
    """The mean blended ratio over the relevant documents down to the preferred rank.

    P⁺ = (1 / count(r_p)) Σ BR(r) over relevant ranks r ≤ r_p; 0 where there are none.

    Use it like P, where the order above the preferred document matters too.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("P-plus", [1, 2, 3]), 2)
    0.74
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        above = rows.rank <= self.preferred_rank(judged)[rows.ranking]
        return rows.total(np.where(above, self.ratios(judged), 0.0)) / np.maximum(
            rows.total(above), 1
        )

    def bounds_on(self, grid: Grid) -> Bounds:
        """A mean over some of the relevant and unjudged documents lies between them."""
        return self.among(grid, grid.unjudged | grid.relevant(self.rel))


@register(
    {
        "NCUguP": "NCU(stop=graded,beta=0)",
        "NCUguBR": "NCU(stop=graded)",
        "NCUrbP": "NCU(stop=rank-biased,beta=0)",
        "NCUrbBR": "NCU(stop=rank-biased)",
    }
)
@dataclass(frozen=True, kw_only=True)
class NCU(Blended):
    """Normalised cumulative utility: the blended ratio where users stop, averaged over users.

    NCU = Σ Pr(stop at r) BR(r) over relevant ranks. Users stop at each relevant document
    alike (`uniform`: that is Q, and AP with β = 0), in proportion to its gain (`graded`),
    or at the n-th one found in proportion to γ^(n−1) (`rank-biased`).

    Use it to ask how much the assumption about users matters. Use Q for anything that
    others read.
    Sakai and Robertson, EVIA 2008.

    >>> round(score_gains("NCU(stop=rank-biased,gamma=0.5,beta=0)", [0, 1, 1]), 4)
    0.5556
    """

    stop: str = choice("uniform", "graded", "rank-biased", default="uniform")
    gamma: float = between(0, 1, default=0.95)

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        count = np.maximum(judged.judged_count(self.rel), 1).astype(np.float64)
        stopping, everybody = np.ones(len(rows.rank)), count
        if self.stop == "graded":
            stopping = gain_of(rows.grade, judged, self.gains)
            everybody = self.ideal(judged).total(undiscounted)
            everybody[everybody == 0] = np.nan
        elif self.stop == "rank-biased":
            stopping = np.power(self.gamma, rows.place - 1)
            everybody = (1 - np.power(self.gamma, count)) / (1 - self.gamma)
        return rows.total(stopping * self.ratios(judged)) / everybody

    def bounds_on(self, grid: Grid) -> Bounds:
        if self.stop == "uniform":
            return self.mean_on(grid)
        least, most = self.ratios_on(grid)
        hit = grid.relevant(self.rel)
        if self.stop == "graded":
            worth = np.where(hit, gain_of(grid.grade, grid.judgments, self.gains), 0.0)
            known = ((worth * least).sum(axis=1), (worth * most).sum(axis=1))
            total = np.maximum(grid.of(self.ideal(grid.judgments).total(undiscounted)), 1e-300)
            heaviest = greatest_gain(grid.judgments, self.gains, self.rel)
            return mean_bounds(grid, Mean(known, total, least, most, heaviest))
        # Rank-biased: at worst every unjudged document above comes first, and counts nothing.
        before = np.cumsum(hit, axis=1) + np.cumsum(grid.unjudged, axis=1) - 1
        everybody = 1 - np.power(self.gamma, grid.relevant_count(self.rel) + grid.hidden)
        low = (hit * np.power(self.gamma, before) * least).sum(axis=1) * (1 - self.gamma)
        return low / everybody, np.where(hit | grid.unjudged, most, 0.0).max(axis=1)
