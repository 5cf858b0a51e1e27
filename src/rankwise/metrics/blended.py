"""Sakai's blended ratio, and the metrics made of it: Q, R-measure, O, P, P⁺, NCU."""

from typing import ClassVar

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.blended import BlendedRatio
from rankwise.bounds.grid import Bounds, Grid
from rankwise.bounds.means import Mean, mean_bounds
from rankwise.errors import WrongParameter
from rankwise.metrics.base import ByFirstAndCount, ExactForm, Metric, metric
from rankwise.metrics.grades import gain_of, greatest_gain, possible_grades
from rankwise.metrics.parameters import (
    Gains,
    at_least,
    between,
    check_norm,
    choice,
    cutoff,
    flag,
    gains,
    norm,
    rel,
)
from rankwise.metrics.precision import Rprec
from rankwise.metrics.registry import register
from rankwise.metrics.traits import EXACT, EXACT_IF_RETRIEVED, UNIT
from rankwise.rankings.ideal import Ideal, undiscounted
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption


@metric
class Blended(Metric):
    """A metric made of blended ratios at relevant documents.

    BR(r) = (β cg(r) + count(r)) / (β cg_I(r) + r): cg is the gain down to rank r, cg_I that
    of the ideal ranking, count the relevant documents. β = 0 makes it precision.
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True
    sometimes_exact: ClassVar[frozenset[Assumption]] = EXACT
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

        return judged.keep_of_topics(("ideal", self), lambda: Ideal.of(judged, worth))

    def preference(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return gain_of(grade, judged, self.gains)

    def relevant_grades(self, judged: JudgedRankings) -> Ints:
        """The grades that a relevant document has or can get."""
        grades = possible_grades(judged, self.gains, self.rel)
        return grades[grades >= self.rel]

    def one_gain(self, judged: JudgedRankings) -> float | None:
        worth = np.unique(gain_of(self.relevant_grades(judged), judged, self.gains))
        return float(worth[0]) if len(worth) == 1 else None

    def by_first_if_alike(self, judged: JudgedRankings) -> ByFirstAndCount | None:
        """BR at the first relevant document, where all relevant ones gain the same.

        Then it is (β g + 1) / (β g min(r, R) + r), which stays as it is once R is r or more. Of
        two ranks below R that falls faster at the lesser one, so that the difference of the
        two only falls or only rises until R passes the first.
        """
        gain = self.one_gain(judged)
        if gain is None or self.judged_only:
            return None
        steep = self.beta * gain

        def score_at(rank: Floats, relevant: Floats) -> Floats:
            return (steep + 1) / (steep * np.minimum(rank, relevant) + rank)

        return ByFirstAndCount(self.rel, score_at)

    def on(self, grid: Grid) -> BlendedRatio:
        """What unjudged documents can do to BR."""
        judged = grid.judgments

        def gain(grade: Ints) -> Floats:
            return gain_of(grade, judged, self.gains)

        return BlendedRatio(
            grid,
            self.rel,
            self.beta,
            gain_of=gain,
            gains=np.unique(gain(self.relevant_grades(judged))),
            greatest=greatest_gain(judged, self.gains, self.rel),
            ideal=self.ideal(judged),
        )

    def ratios_on(self, grid: Grid) -> Bounds:
        """Bounds of BR at each cell, were its document relevant."""
        return self.on(grid).at_each_rank()


@register({"Q-measure": "Q"})
@metric
class Q(Blended):
    """The mean, over the topic's relevant documents, of the blended ratio at the rank of each.

    Q = (1/R) Σ BR(r) over the ranks of relevant documents. AP with graded relevance: with
    β = 0 it is AP.

    With a cutoff it still divides by R; `Q(norm=min)@k` divides by min(k, R), as NTCIREVAL's
    Q@k does.

    Use it where finding all relevant documents matters and some are better than others.
    Do not use it with few judgments: like AP it divides by R.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("Q", [1, 0, 1]), 4)
    0.9
    """

    norm: str = norm()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_norm(self, self.norm, self.cutoff)

    @property
    def _most(self) -> float:
        """The most that is divided by."""
        return float(self.cutoff or np.inf) if self.norm == "min" else np.inf

    def compute(self, judged: JudgedRankings) -> Floats:
        total = judged.relevant(self.rel).total(self.ratios(judged))
        return total / np.clip(judged.judged_count(self.rel), 1.0, self._most)

    def bounds_on(self, grid: Grid) -> Bounds:
        return self.on(grid).mean(self._most)


@register({"R-measure": "RMeasure"})
@metric
class RMeasure(Blended):
    """The blended ratio after R documents: R-precision with graded relevance.

    R-measure = BR(R), R being the number of relevant documents; with a cutoff BR(min(k, R)).
    With β = 0 it is Rprec.

    Use it beside Q, as Rprec beside AP. Do not use it to tell the best order: any order of
    the ideal's first R documents scores 1, and the rank that it looks at moves with R.
    Sakai, Information Processing and Management 43(2), 2007.

    >>> round(score_gains("R-measure", [1, 0, 3], judged=[3, 2, 1]), 4)
    0.6667
    """

    sometimes_exact: ClassVar[frozenset[Assumption]] = EXACT_IF_RETRIEVED

    def compute(self, judged: JudgedRankings) -> Floats:
        reach = np.minimum(judged.judged_count(self.rel), self.cutoff or np.inf).astype(np.int64)
        rows = judged.relevant(self.rel)
        within = rows.rank <= reach[rows.ranking]
        worth = self.beta * gain_of(rows.grade, judged, self.gains) + 1
        best = self.ideal(judged).down_to(np.arange(judged.count), reach, undiscounted)
        return rows.total(np.where(within, worth, 0.0)) / (self.beta * best + np.maximum(reach, 1))

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        """Where all relevant documents gain the same it is R-precision."""
        if self.one_gain(judged) is None:
            return None
        alike = Rprec(rel=self.rel, cutoff=self.cutoff, judged_only=self.judged_only)
        return alike.by_count

    def bounds_on(self, grid: Grid) -> Bounds:
        return self.on(grid).after_as_many_as_are_relevant(self.cutoff or np.inf)


@register({"O-measure": "O"})
@metric
class O(Blended):  # noqa: E742  # the metric's name
    """The blended ratio at the first relevant document: reciprocal rank with grades.

    0 where nothing relevant is retrieved.

    Use it where one relevant document is enough, and a better one is better. Do not use
    it where a user would look past a partly relevant document: that is P.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("O", [0, 3], judged=[3, 2, 1]), 2)
    0.57
    """

    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        return rows.total(np.where(rows.place == 1, self.ratios(judged), 0.0))

    def open_more(self, judged: JudgedRankings) -> int:
        return 1  # the first document below the end is the best that can come

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        return self.by_first_if_alike(judged)

    def bounds_on(self, grid: Grid) -> Bounds:
        return self.on(grid).at_the_first()


@metric
class Preferred(Blended):
    """What P and P⁺ share: the preferred rank, of the first document of the best grade found."""

    exact_where: ClassVar[str] = "all relevant documents have one grade"

    def one_gain(self, judged: JudgedRankings) -> float | None:
        return super().one_gain(judged) if len(self.relevant_grades(judged)) == 1 else None

    def open_more(self, judged: JudgedRankings) -> int | None:
        return 1 if self.one_gain(judged) is not None else None

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        """With one grade the preferred document is the first relevant one."""
        return self.by_first_if_alike(judged)

    def preferred_rank(self, judged: JudgedRankings) -> Floats:
        """For each ranking; infinity where nothing relevant is retrieved."""
        rows = judged.relevant(self.rel)
        best = np.full(judged.count, -1, dtype=np.int64)
        np.maximum.at(best, rows.ranking, rows.grade)
        return rows.first(rows.grade == best[rows.ranking])


@register({"P-measure": "PMeasure"})
@metric
class PMeasure(Preferred):
    """The blended ratio at the first document of the highest grade that is retrieved.

    0 where nothing relevant is retrieved. Called P in the paper; P is precision here.

    Use it where a user looks for one highly relevant document. Do not use it to tell the
    best order: the exact inverse of the ideal ranking scores 1 too.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("P-measure", [1, 3], judged=[3, 2, 1]), 2)
    0.86
    """

    printed_name: ClassVar[str] = "P-measure"

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        here = rows.rank == self.preferred_rank(judged)[rows.ranking]
        return rows.total(np.where(here, self.ratios(judged), 0.0))

    def bounds_on(self, grid: Grid) -> Bounds:
        """With one grade it is O. Else outer: at the current preferred document or another."""
        if self.one_gain(grid.judgments) is not None:
            return self.on(grid).at_the_first()
        preferred = grid.of(self.preferred_rank(grid.judgments))
        return self.on(grid).at_one_of(grid.unjudged | (grid.rank == preferred[:, None]))


@register({"P-plus": "PPlus", "P+": "PPlus", "P⁺": "PPlus"})
@metric
class PPlus(Preferred):
    """The mean blended ratio over the relevant documents down to the preferred rank.

    P⁺ = (1 / count(r_p)) Σ BR(r) over relevant ranks r ≤ r_p; 0 where there are none.

    Use it like P, where the order above the preferred document matters too.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("P-plus", [1, 2, 3]), 2)
    0.74
    """

    printed_name: ClassVar[str] = "P⁺"

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        above = rows.rank <= self.preferred_rank(judged)[rows.ranking]
        return rows.total(np.where(above, self.ratios(judged), 0.0)) / np.maximum(
            rows.total(above), 1
        )

    def bounds_on(self, grid: Grid) -> Bounds:
        """With one grade it is O. Else outer: a mean lies between what it is made of."""
        if self.one_gain(grid.judgments) is not None:
            return self.on(grid).at_the_first()
        return self.on(grid).at_one_of(grid.unjudged | grid.relevant(self.rel))


@register(
    {
        "NCUguP": "NCU(stop=graded,beta=0)",
        "NCUguBR": "NCU(stop=graded)",
        "NCUrbP": "NCU(stop=rank-biased,beta=0)",
        "NCUrbBR": "NCU(stop=rank-biased)",
        "NCUrbIE": "NCU(stop=rank-biased,utility=effort)",
    }
)
@metric
class NCU(Blended):
    """Normalised cumulative utility: the blended ratio where users stop, averaged over users.

    NCU = Σ Pr(stop at r) BR(r) over relevant ranks. Users stop at each relevant document
    alike (`uniform`: that is Q, and AP with β = 0), in proportion to its gain (`graded`),
    or at the n-th one found in proportion to γ^(n−1) (`rank-biased`). With `utility=effort`
    they gain p^r there instead of BR(r): NTCIREVAL's inverse effort. EBR and iRBU are of
    users who stop as ERR's do.

    Use it to ask how much the assumption about users matters. Use Q for anything that
    others read.
    Sakai and Robertson, EVIA 2008; NTCIREVAL's NCUgu and NCUrb without a cutoff.

    >>> round(score_gains("NCU(stop=rank-biased,gamma=0.5,beta=0)", [0, 1, 1]), 4)
    0.5556
    """

    exact_where: ClassVar[str] = (
        "all relevant documents gain the same (stop=rank-biased or utility=effort: never)"
    )
    stop: str = choice("uniform", "graded", "rank-biased", default="uniform")
    gamma: float = between(0, 1, default=0.95)
    utility: str = choice("blended", "effort", default="blended")
    p: float = between(0, 1, default=0.99)

    def __post_init__(self) -> None:
        super().__post_init__()
        ignored = {"effort": ("beta", self.beta == 1), "blended": ("p", self.p == 0.99)}
        name, is_default = ignored[self.utility]
        if not is_default:
            raise WrongParameter(f"{self}: {name} plays no part with utility={self.utility}.")

    def ratios(self, judged: JudgedRankings) -> Floats:
        if self.utility == "blended":
            return super().ratios(judged)
        return np.power(self.p, judged.relevant(self.rel).rank)

    def ratios_on(self, grid: Grid) -> Bounds:
        if self.utility == "blended":
            return super().ratios_on(grid)
        effort = np.broadcast_to(np.power(self.p, grid.rank), grid.grade.shape)
        return effort, effort

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        count = np.maximum(judged.judged_count(self.rel), 1).astype(np.float64)
        stopping, everybody = np.ones(len(rows.rank)), count
        if self.stop == "graded":
            stopping = gain_of(rows.grade, judged, self.gains)
            everybody = self.ideal(judged).total(undiscounted)
        elif self.stop == "rank-biased":
            stopping = np.power(self.gamma, rows.place - 1)
            everybody = (1 - np.power(self.gamma, count)) / (1 - self.gamma)
        return rows.total(stopping * self.ratios(judged)) / everybody

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        relevant = super().counts_as_relevant(grade, judged)
        if self.stop != "graded":
            return relevant
        return relevant & (gain_of(grade, judged, self.gains) > 0)  # else nobody stops

    def _is_mean(self, judged: JudgedRankings) -> bool:
        """Whether it is the mean of BR, since users stop at each relevant document alike."""
        same_gain = self.stop == "graded" and (self.one_gain(judged) or 0) > 0
        return self.utility == "blended" and (self.stop == "uniform" or same_gain)

    def is_exact(self, judged: JudgedRankings, unjudged: Assumption = "retrieved") -> bool:
        return self._is_mean(judged) and super().is_exact(judged, unjudged)

    def bounds_on(self, grid: Grid) -> Bounds:
        if self._is_mean(grid.judgments):
            return self.on(grid).mean()
        least, most = self.ratios_on(grid)
        hit = grid.relevant(self.rel)
        if self.stop == "uniform":
            known = ((hit * least).sum(axis=1), (hit * most).sum(axis=1))
            count = grid.relevant_count(self.rel)
            return mean_bounds(grid, Mean(known, count, least, most, count - hit.sum(axis=1)))
        if self.stop == "graded":
            worth = np.where(hit, gain_of(grid.grade, grid.judgments, self.gains), 0.0)
            known = ((worth * least).sum(axis=1), (worth * most).sum(axis=1))
            total = np.maximum(grid.of(self.ideal(grid.judgments).total(undiscounted)), 1e-300)
            heaviest = greatest_gain(grid.judgments, self.gains, self.rel)
            missed = grid.relevant_count(self.rel) - hit.sum(axis=1)
            return mean_bounds(grid, Mean(known, total, least, most, missed, heaviest))
        # Rank-biased: at worst every unjudged document above comes first, and counts nothing.
        before = np.cumsum(hit, axis=1) + np.cumsum(grid.unjudged, axis=1) - 1
        everybody = 1 - np.power(self.gamma, grid.relevant_count(self.rel) + grid.hidden)
        low = (hit * np.power(self.gamma, before) * least).sum(axis=1) * (1 - self.gamma)
        return low / everybody, np.where(hit | grid.unjudged, most, 0.0).max(axis=1)
