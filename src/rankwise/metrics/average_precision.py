"""Average precision and its relatives."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.condensed import Condensed
from rankwise.bounds.grid import Bounds, Grid, rest, scan
from rankwise.bounds.inferred import inferred_bounds
from rankwise.bounds.precisions import sums_of_precisions
from rankwise.metrics.base import Metric, metric
from rankwise.metrics.parameters import Gains, check_norm, cutoff, flag, gains, norm, rel
from rankwise.metrics.registry import register
from rankwise.metrics.traits import EXACT, UNIT
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption

Counts = npt.NDArray[Any]
INFERRED_EPSILON = 0.00001  # trec_eval's smoothing of infAP


@metric
class OfPrecisions(Metric):
    """A metric made of the sum of the precisions at the ranks of relevant documents."""

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT
    favours_the_top: ClassVar[bool] = True
    rel: int = rel()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def precisions(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        return found.total(found.place / found.rank)


@register({"MAP": "AP", "map": "AP", "map_cut_#": "AP@#", "AveP": "AP"})
@metric
class AP(OfPrecisions):
    """The mean, over the topic's relevant documents, of the precision at the rank of each.

    AP = (1/R) Σ P@i over the ranks i of relevant documents; those not retrieved (or not
    in the first k) count 0. Its mean over topics is MAP. `AP(norm=min)@k` divides by
    min(k, R), as NTCIREVAL's AP@k does, so that k relevant documents score 1.

    Use it with thorough judgments, where finding all relevant documents matters. Do not
    use it with few judgments: it divides by R, so finding one more relevant document
    elsewhere lowers the score of a ranking that did not change.

    >>> A = [1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    >>> round(score_gains("AP", A), 4)
    0.6316
    """

    needs_relevant: ClassVar[bool] = True
    divides_alike: ClassVar[bool] = True
    norm: str = norm()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_norm(self, self.norm, self.cutoff)

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.precisions(judged) / self._divisor(judged.judged_count(self.rel))

    def _divisor(self, relevant: npt.NDArray[Any]) -> Floats:
        most = (self.cutoff or np.inf) if self.norm == "min" else np.inf
        return np.clip(relevant, 1.0, most)

    def bounds_on(self, grid: Grid) -> Bounds:
        highest, lowest, unjudged = sums_of_precisions(grid, self.rel)
        count = grid.relevant_count(self.rel)[:, None]
        low = lowest / self._divisor(count + rest(unjudged) + grid.others[:, None])
        return low.min(axis=1), (highest / self._divisor(count + unjudged)).max(axis=1)

    def is_exact(self, judged: JudgedRankings, unjudged: Assumption = "retrieved") -> bool:
        return (self.judged_only and unjudged == "retrieved") or super().is_exact(judged, unjudged)

    def condensed_bounds(self, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        """Another document that enters the list never raises AP: at worst all of them do.

        At best only relevant ones enter.
        """
        whole = self.whole_bounds(judged, unjudged)
        if whole is None or (unjudged == "open" and self.cutoff is None):
            return whole
        usable = judged.usable()
        if unjudged == "retrieved":
            found = scan(usable, self._condensed_on)
        else:
            more = self.cutoff or 0
            found = self.bounds_going_on(usable, self._condensed_on, open_to=0, more=more)
        return found and (whole[0], found[1])

    def _condensed_on(self, grid: Grid) -> Bounds:
        high = Condensed.of(grid, self.rel, self.cutoff, self._divisor).greatest()
        return high, high

    def continuation(self, gain: Floats) -> Floats:
        """Users stop at any of the relevant documents retrieved alike (Robertson, SIGIR 2008)."""
        within = np.arange(1, len(gain) + 1) <= (self.cutoff or np.inf)
        relevant = (gain > 0) & within
        left = np.cumsum(relevant[::-1])[::-1].astype(np.float64)
        return 1 - np.divide(relevant, left, out=np.ones(len(gain)), where=left > 0)

    def contributions(self, judged: JudgedRankings) -> Floats:
        """A document at rank i adds 1/j to the precision at each relevant rank j ≥ i."""
        hit = judged.grade >= self.rel
        inverse = np.where(hit, 1 / judged.rank, 0.0)
        below = judged.total(inverse)[judged.ranking] - judged.running(inverse) + inverse
        divisor = self._divisor(judged.judged_count(self.rel))
        return np.where(hit, below, 0.0) / divisor[judged.ranking]


@register({"GradedAP": "GAP"})
@metric
class GAP(Metric):
    """Graded average precision: AP over users who differ in what they take for relevant.

    GAP = Σ_j g_j R_j AP_j / Σ_j g_j R_j: AP_j and R_j take the documents of grade j and above
    for relevant, g_j is the share of users who draw the line there. `shares` are in proportion
    to it, {grade: share}; without, each grade from 1 on has the same. With one grade it is
    AP.

    Use it where AP is right and grades matter. Do not use it with few judgments: like AP it
    divides by what is known to be relevant.
    Robertson, Kanoulas and Yilmaz, SIGIR 2010.

    >>> round(score_gains("GAP", [1, 2, 0, 2]), 4)
    0.75
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    favours_the_top: ClassVar[bool] = True
    needs_relevant: ClassVar[bool] = True
    shares: Gains | None = gains()
    cutoff: int | None = cutoff()

    def compute(self, judged: JudgedRankings) -> Floats:
        earned, divisor = np.zeros(judged.count), np.zeros(judged.count)
        for grade, share in self._lines(judged).items():
            found = judged.relevant(grade)
            earned += share * found.total(found.place / found.rank)
            divisor += share * judged.judged_count(grade)
        return earned / divisor

    def _lines(self, judged: JudgedRankings) -> dict[int, float]:
        """The grades at which users draw the line, and how many of them do."""
        if self.shares is not None:
            return {int(grade): share for grade, share in self.shares if share > 0}
        # Beyond the best grade of a topic R_j is 0: it makes no difference how far they go.
        return dict.fromkeys(range(1, max(1, int(judged.topic_grades.max(initial=1))) + 1), 1.0)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        return grade >= min(self._lines(judged))

    def possible_grades(self, judged: JudgedRankings) -> Ints:
        return np.union1d(super().possible_grades(judged), list(self._lines(judged)))

    def bounds(self, judged: JudgedRankings, unjudged: Assumption = "retrieved") -> Bounds | None:
        """GAP is a mean of the AP_j, so between the least and the greatest of their bounds; outer.

        Those of a level without documents are over the judgments that give it some.
        """
        levels = [AP(rel=grade, cutoff=self.cutoff) for grade in self._lines(judged)]
        found = [level.bounds(judged, unjudged) for level in levels]
        lows, highs = zip(*(ends for ends in found if ends is not None), strict=True)
        return np.fmin.reduce(lows), np.fmax.reduce(highs)


@register({"SumPrecision": "SP"})
@metric
class SP(OfPrecisions):
    """The sum of the precisions at the ranks of relevant documents: AP without the division.

    Use it within one topic, or standardised. Do not average it over topics: it grows with
    the number of relevant documents.
    Aslam, Yilmaz and Pavlu, SIGIR 2005; Moffat and Zobel 2008, Section 3.1.

    >>> round(score_gains("SP", [1, 1, 0, 0, 0, 1]), 4)
    2.5
    """

    score_range: ClassVar[tuple[float, float] | None] = (0.0, np.inf)
    open_range: ClassVar[tuple[float, float] | None] = (np.inf, np.inf)

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.precisions(judged)

    @property
    def rises_when_condensed(self) -> bool:
        return self.cutoff is None  # else what enters may push another out

    def bounds_on(self, grid: Grid) -> Bounds:
        highest, _, _ = sums_of_precisions(grid, self.rel)
        return highest[:, 0], highest[:, -1]


@register({"AP*": "APStar", "SN-AP": "APStar", "SNAP": "APStar"})
@metric
class APStar(OfPrecisions):
    """AP divided by the relevant documents retrieved (in the first k), not by R.

    Also known as self-normalised AP. 0 where nothing relevant is retrieved.

    Use it to see why one should not: a ranking with more relevant documents can score
    less. 10000 scores 1, 10001 scores 0.7.
    Moffat and Zobel 2008, Section 3.1; Moffat 2013 (SN-AP@k).

    >>> round(score_gains("SN-AP@5", [1, 0, 0, 0, 1]), 4)
    0.7
    """

    printed_name: ClassVar[str] = "AP*"
    worst: ClassVar[float | None] = 0.0
    needs_relevant: ClassVar[bool] = True

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.precisions(judged) / np.diff(judged.relevant(self.rel).row_start)

    def bounds_on(self, grid: Grid) -> Bounds:
        highest, lowest, unjudged = sums_of_precisions(grid, self.rel)
        count = grid.relevant(self.rel).sum(axis=1)[:, None]
        low = lowest / np.maximum(count + rest(unjudged), 1)
        return low.min(axis=1), (highest / np.maximum(count + unjudged, 1)).max(axis=1)


@register({"yaap": "YAAP"})
@metric
class YAAP(OfPrecisions):
    """Yet another average precision: the log-odds of AP, smoothed.

    log((1 + S) / (1 + R − S)), S being the sum of precisions; from −log(1 + R) to log(1 + R).

    Use it to average over topics of very different difficulty. Do not read it as a share.
    Robertson, ECIR 2012; trec_eval's yaap.

    >>> round(score_gains("YAAP", [1, 1, 0]), 4)
    1.0986
    """

    score_range: ClassVar[tuple[float, float] | None] = (-np.inf, np.inf)
    needs_relevant: ClassVar[bool] = True
    open_range: ClassVar[tuple[float, float] | None] = (-np.inf, np.inf)

    def compute(self, judged: JudgedRankings) -> Floats:
        total = self.precisions(judged)
        return np.log((1 + total) / (1 + judged.judged_count(self.rel) - total))

    def bounds_on(self, grid: Grid) -> Bounds:
        highest, lowest, unjudged = sums_of_precisions(grid, self.rel)
        count = 1 + grid.relevant_count(self.rel)[:, None]
        least = (1 + lowest) / (count + rest(unjudged) + grid.others[:, None] - lowest)
        most = (1 + highest) / (count + unjudged - highest)
        with np.errstate(divide="ignore"):  # minus infinity, where R has no limit
            return np.log(least.min(axis=1)), np.log(most.max(axis=1))


@register()
@metric
class infAP(Metric):
    """AP inferred from a judged sample of the pool.

    Documents of negative grade were pooled but not judged: they are taken to be relevant
    as often as the judged ones above them. Documents outside the pool are not relevant.

    Use it with sampled judgments, marked by negative grades. Without them it is AP, but
    for its smoothing.
    Yilmaz and Aslam, CIKM 2006; trec_eval's infAP.

    >>> round(score_gains("infAP", [1, -1, 0, 1]), 4)
    0.8125
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    tells_unusable: ClassVar[bool] = True
    needs_relevant: ClassVar[bool] = True
    rel: int = rel()

    @property
    def tells_unjudged(self) -> bool:
        return True

    def compute(self, judged: JudgedRankings) -> Floats:
        hit = judged.grade >= self.rel
        rows, at = judged.relevant(self.rel), np.flatnonzero(hit)
        nonrelevant = judged.running((judged.grade >= 0) & ~hit)[at]
        pooled = judged.place[at] - 1
        expected = expected_precision(rows.rank, rows.place - 1, nonrelevant, pooled)
        return rows.total(expected) / np.maximum(judged.judged_count(self.rel), 1)

    def bounds_on(self, grid: Grid) -> Bounds:
        return inferred_bounds(grid, self.rel, expected_precision)


def expected_precision(rank: Ints, relevant: Counts, nonrelevant: Counts, pooled: Counts) -> Floats:
    """At a relevant document, from what is above it."""
    odds = (relevant + INFERRED_EPSILON) / (relevant + nonrelevant + 2 * INFERRED_EPSILON)
    return np.where(rank == 1, 1.0, (1 + pooled * odds) / rank)
