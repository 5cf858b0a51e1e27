"""Metrics that use Sakai's blended ratio: Q, R-measure, O, P, P⁺, NCU."""

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds import (
    MeanRatio,
    MeanRatioToPreferred,
    RatioAtFirst,
    RatioAtPreferred,
    RatioAtR,
    RatioWhereUsersStop,
)
from rankwise.errors import WrongParameter
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import (
    Gains,
    at_least,
    between,
    check_norm,
    choice,
    cutoff,
    flag,
    gains,
    rel,
)
from rankwise.metrics.precision import Rprec
from rankwise.metrics.registry import register
from rankwise.metrics.traits import ByFirstAndCount, ExactForm
from rankwise.rankings import Ideal, JudgedRankings, undiscounted


class Blended(Metric):
    """Metrics that use blended ratios at the ranks of the relevant documents.

    BR(r) = (β cg(r) + count(r)) / (β cg_I(r) + r), where cg(r) is the cumulative gain down to rank
    r, cg_I(r) the cumulative gain of the ideal ranking, and count(r) the number of relevant
    documents down to rank r. With β = 0, BR(r) is the precision at r.
    """

    needs_relevant = True
    favours_the_top = True
    beta: float = at_least(0, 1)
    gains: Gains | None = gains()
    rel: int = rel()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def ratios(self, judged: JudgedRankings) -> Floats:
        """Return the blended ratio BR at the rank of each relevant document retrieved."""
        rows = judged.relevant(self.rel)
        worth = self.worth(rows.grade, judged)
        best = self.ideal(judged).down_to(rows.ranking, rows.rank, undiscounted)
        return (self.beta * rows.running(worth) + rows.place) / (self.beta * best + rows.rank)

    def ideal(self, judged: JudgedRankings) -> Ideal:
        def relevant_worth(grade: Ints) -> Floats:
            return np.where(grade >= self.rel, self.worth(grade, judged), 0.0)

        return judged.keep_of_topics(("ideal", self), lambda: Ideal.of(judged, relevant_worth))

    def relevant_grades(self, judged: JudgedRankings) -> Ints:
        """Return the relevant grades that a document has or can get."""
        grades = self.possible_grades(judged)
        return grades[grades >= self.rel]

    def one_gain(self, judged: JudgedRankings) -> float | None:
        worth = np.unique(self.worth(self.relevant_grades(judged), judged))
        return float(worth[0]) if len(worth) == 1 else None

    def first_relevant_form(self, judged: JudgedRankings) -> ByFirstAndCount | None:
        """Return BR at the first relevant document, as a function of its rank r and of R.

        R is the number of relevant documents. If all relevant grades have the same gain g, BR is
        (β g + 1) / (β g min(r, R) + r), which is constant for R ≥ r. For two ranks r₁ < r₂ the
        difference BR(r₁) − BR(r₂) therefore decreases up to R = r₁, increases up to R = r₂, and is
        then constant. If the gains differ, or with `judged_only`, return None.
        """
        gain = self.one_gain(judged)
        if gain is None or self.judged_only:
            return None
        steep = self.beta * gain

        def score_at(rank: Floats, relevant: Floats) -> Floats:
            return (steep + 1) / (steep * np.minimum(rank, relevant) + rank)

        return ByFirstAndCount(self.rel, score_at)


@register({"Q-measure": "Q"})
class Q(Blended):
    """Mean of the blended ratios at the ranks of the relevant documents: AP with graded relevance.

    Q = (1/R) Σ BR(r) over the ranks r of the R relevant documents, where BR(r) = (β cg(r) +
    count(r)) / (β cg_I(r) + r). Down to rank r, cg(r) is the cumulative gain of the ranking,
    cg_I(r) the cumulative gain of the ideal ranking, and count(r) the number of relevant documents.
    With β = 0, Q is AP.

    With a cutoff it still divides by R. `Q(norm=min)@k` divides by min(k, R), as NTCIREVAL's Q@k
    does.

    Use it when finding all relevant documents matters and some are better than others. Avoid
    it with few judgments: like AP it divides by R.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("Q", [1, 0, 1]), 4)
    0.9
    """

    bounds = MeanRatio()
    norm: str = choice("R", "min", default="R")  # divide by R, or by min(k, R)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_norm(self, self.norm, self.cutoff)

    @property
    def most_divided_by(self) -> float:
        """Upper limit of the divisor of the sum: k with `norm=min`, otherwise infinity."""
        return float(self.cutoff or np.inf) if self.norm == "min" else np.inf

    def compute(self, judged: JudgedRankings) -> Floats:
        total = judged.relevant(self.rel).total(self.ratios(judged))
        return total / np.clip(judged.judged_count(self.rel), 1.0, self.most_divided_by)


@register({"R-measure": "RMeasure"})
class RMeasure(Blended):
    """Blended ratio at rank R: R-precision with graded relevance.

    R-measure = BR(R), where BR is the blended ratio (see Q) and R the number of relevant documents.
    With a cutoff k it is BR(min(k, R)). With β = 0 it is Rprec.

    Use it together with Q, as Rprec is used together with AP. Avoid it if the order of the first
    documents matters: any order of the first R documents of the ideal ranking scores 1. The rank R
    also changes with further judgments.
    Sakai, Information Processing and Management 43(2), 2007.

    >>> round(score_gains("R-measure", [1, 0, 3], judged=[3, 2, 1]), 4)
    0.6667
    """

    bounds = RatioAtR()

    def compute(self, judged: JudgedRankings) -> Floats:
        reach = np.minimum(judged.judged_count(self.rel), self.cutoff or np.inf).astype(np.int64)
        rows = judged.relevant(self.rel)
        within = rows.rank <= reach[rows.ranking]
        worth = self.beta * self.worth(rows.grade, judged) + 1
        best = self.ideal(judged).down_to(np.arange(judged.count), reach, undiscounted)
        return rows.total(np.where(within, worth, 0.0)) / (self.beta * best + np.maximum(reach, 1))

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        """Return a form of the score for which bounds of differences between runs are exact.

        If all relevant grades have the same gain, R-measure equals R-precision, and its form is
        returned. Otherwise return None.
        """
        if self.one_gain(judged) is None:
            return None
        r_precision = Rprec(rel=self.rel, cutoff=self.cutoff, judged_only=self.judged_only)
        return r_precision.exact_form(judged)


@register({"O-measure": "O"})
class O(Blended):  # noqa: E742  # the metric's name
    """Blended ratio at the first relevant document: reciprocal rank with graded relevance.

    For the blended ratio see Q. The score is 0 if no relevant document is retrieved.

    Use it when one relevant document is enough, and its grade matters. Avoid it when users would
    read on after a partly relevant document: use P-measure.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("O", [0, 3], judged=[3, 2, 1]), 2)
    0.57
    """

    bounds = RatioAtFirst()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        return rows.total(np.where(rows.place == 1, self.ratios(judged), 0.0))

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        return self.first_relevant_form(judged)


class Preferred(Blended):
    """Metrics of the preferred rank: that of the first document of the highest grade retrieved."""

    def one_gain(self, judged: JudgedRankings) -> float | None:
        return super().one_gain(judged) if len(self.relevant_grades(judged)) == 1 else None

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        """Return the score as a function of two counts, or None if several grades are relevant.

        If only one grade is relevant, the preferred document is the first relevant document. The
        counts are its rank, and the number of relevant documents.
        """
        return self.first_relevant_form(judged)

    def preferred_rank(self, judged: JudgedRankings) -> Floats:
        """Return the preferred rank of each ranking; infinity if it has no relevant document."""
        rows = judged.relevant(self.rel)
        best = np.full(judged.count, -1, dtype=np.int64)
        np.maximum.at(best, rows.ranking, rows.grade)
        return rows.first(rows.grade == best[rows.ranking])


@register({"P-measure": "PMeasure"})
class PMeasure(Preferred):
    """Blended ratio at the first document of the highest grade retrieved.

    For the blended ratio see Q. The score is 0 if no relevant document is retrieved. Sakai's name
    for P-measure is P.

    Use it when a user looks for one highly relevant document. Avoid it if the order above that
    document matters: with only one document of the highest grade, the ideal ranking in reverse
    order also scores 1.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("P-measure", [1, 3], judged=[3, 2, 1]), 2)
    0.86
    """

    printed_name = "P-measure"
    bounds = RatioAtPreferred()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        here = rows.rank == self.preferred_rank(judged)[rows.ranking]
        return rows.total(np.where(here, self.ratios(judged), 0.0))


@register({"P-plus": "PPlus", "P+": "PPlus", "P⁺": "PPlus"})
class PPlus(Preferred):
    """Mean blended ratio over the relevant documents down to the preferred rank.

    P⁺ = (1 / count(r_p)) Σ BR(r) over the ranks r ≤ r_p of relevant documents, where BR is the
    blended ratio (see Q). r_p is the preferred rank: the rank of the first document of the highest
    grade retrieved. count(r_p) is the number of relevant documents down to r_p. The score is 0 if
    no relevant document is retrieved.

    Use it instead of P-measure if the order of the documents above the preferred rank also matters.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> round(score_gains("P-plus", [1, 2, 3]), 2)
    0.74
    """

    printed_name = "P⁺"
    bounds = MeanRatioToPreferred()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        above = rows.rank <= self.preferred_rank(judged)[rows.ranking]
        return rows.total(np.where(above, self.ratios(judged), 0.0)) / np.maximum(
            rows.total(above), 1
        )


@register(
    {
        "NCUguP": "NCU(stop=graded,beta=0)",
        "NCUguBR": "NCU(stop=graded)",
        "NCUrbP": "NCU(stop=rank-biased,beta=0)",
        "NCUrbBR": "NCU(stop=rank-biased)",
        "NCUrbIE": "NCU(stop=rank-biased,utility=effort)",
    }
)
class NCU(Blended):
    """Normalised cumulative utility: the blended ratio where users stop, averaged over users.

    NCU = Σ Pr(stop at r) BR(r) over the ranks r of relevant documents, where BR is the blended
    ratio (see Q). `stop` sets the probabilities to stop at the relevant documents. With `uniform`
    they are all the same: NCU is then Q, or AP if β = 0. With `graded` they are proportional to the
    gains. With `rank-biased` the probability to stop at the n-th relevant document retrieved is
    proportional to γ^(n−1). With `utility=effort` the utility at rank r is p^r (NTCIREVAL's inverse
    effort) instead of BR(r). For users who stop as in ERR see EBR and iRBU.

    Use it to study how much the user model matters. Use Q to report results.
    Sakai and Robertson, EVIA 2008; without a cutoff NTCIREVAL's NCUgu and NCUrb.

    >>> round(score_gains("NCU(stop=rank-biased,gamma=0.5,beta=0)", [0, 1, 1]), 4)
    0.5556
    """

    bounds = RatioWhereUsersStop()
    stop: str = choice("uniform", "graded", "rank-biased", default="uniform")
    gamma: float = between(0, 1, default=0.95)
    utility: str = choice("blended", "effort", default="blended")
    p: float = between(0, 1, default=0.99)

    def __post_init__(self) -> None:
        super().__post_init__()
        ignored = {"effort": ("beta", self.beta == 1), "blended": ("p", self.p == 0.99)}
        name, is_default = ignored[self.utility]
        if not is_default:
            raise WrongParameter(
                f"{name} has no effect with utility={self.utility}. Remove {name}.",
                source=str(self),
            )

    def ratios(self, judged: JudgedRankings) -> Floats:
        if self.utility == "blended":
            return super().ratios(judged)
        return np.power(self.p, judged.relevant(self.rel).rank)

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        count = np.maximum(judged.judged_count(self.rel), 1).astype(np.float64)
        stopping, everybody = np.ones(len(rows.rank)), count
        if self.stop == "graded":
            stopping = self.worth(rows.grade, judged)
            everybody = self.ideal(judged).total(undiscounted)
        elif self.stop == "rank-biased":
            stopping = np.power(self.gamma, rows.place - 1)
            everybody = (1 - np.power(self.gamma, count)) / (1 - self.gamma)
        return rows.total(stopping * self.ratios(judged)) / everybody

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        relevant = super().counts_as_relevant(grade, judged)
        if self.stop != "graded":
            return relevant
        # With `stop=graded`, no user stops at a document without gain.
        return relevant & (self.worth(grade, judged) > 0)
