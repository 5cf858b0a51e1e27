"""Base class of all bounds: the interface between a metric and the code of its bounds.

A metric declares its bounds as an object (`bounds = PrecisionSums()`). This object reads what it
needs from the metric, for example the relevance threshold, the gains or the weights. A metric never
calls its bounds.
"""

from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Bounds, Grid, OnGrid, scan
from rankwise.bounds.undefined import bounds_once_defined
from rankwise.rankings import JudgedRankings, add_missed
from rankwise.vocabulary import Assumption

EXACT: frozenset[Assumption] = frozenset({"retrieved", "open"})
EXACT_IF_RETRIEVED: frozenset[Assumption] = frozenset({"retrieved"})
UNIT = (0.0, 1.0)


class Bounded(Protocol):
    """The attributes of a metric that any class of bounds may use."""

    @property
    def cutoff(self) -> int | None: ...
    @property
    def judged_only(self) -> bool: ...
    @property
    def needs_relevant(self) -> bool: ...
    @property
    def favours_the_top(self) -> bool: ...

    def compute(self, judged: JudgedRankings) -> Floats: ...
    def scores(self, judged: JudgedRankings) -> Floats: ...
    def view(self, judged: JudgedRankings) -> JudgedRankings: ...
    def to_depth(self, judged: JudgedRankings) -> JudgedRankings: ...
    def is_defined(self, judged: JudgedRankings) -> Bools: ...
    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools: ...
    def possible_grades(self, judged: JudgedRankings) -> Ints: ...
    def altered(self, **parameters: Any) -> Self: ...


class Binary(Bounded, Protocol):
    """A metric with a relevance threshold."""

    rel: int


M = TypeVar("M", bound=Bounded)


class ScoreBounds(Generic[M]):
    """Lower and upper bounds of a metric's score under any judgments of unjudged documents.

    A subclass implements `on`, for a block of rankings as a grid (see `Grid`), or `in_view`, for
    all rankings at once. It declares when its bounds are exact (tight): some judgments then attain
    or approach them. All other bounds are valid but may not be tight. An instance of the base class
    itself means that no bounds are known.
    """

    # The assumptions under which the bounds are tight, for any parameters and grades.
    exact: ClassVar[frozenset[Assumption]] = frozenset()
    # The assumptions under which the bounds are tight if `one_gain` is not None. `exact_where`
    # states this condition in words.
    exact_if_alike: ClassVar[frozenset[Assumption]] = frozenset()
    exact_where: ClassVar[str] = "all relevant documents have the same gain"
    # The range of scores, used where no narrower bounds are known: under `open` without a cutoff,
    # and for condensed lists. A lower limit of +infinity stands for the current score. None: the
    # range is not known.
    open_range: ClassVar[tuple[float, float] | None] = None
    # True if the bounds account for possibly relevant documents outside the ranking, or if the
    # score does not depend on these documents. `on` gets their number as `grid.others`. `in_view`
    # gets it as `judged.unjudged_below`. If a class implements `in_view` without declaring this
    # trait, the trait is False.
    sees_elsewhere: ClassVar[bool] = True
    # Whether tight bounds stay tight if documents outside the ranking can be relevant.
    exact_elsewhere: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "in_view" in cls.__dict__ and "sees_elsewhere" not in cls.__dict__:
            cls.sees_elsewhere = False  # the inherited declaration was about other bounds

    def of(
        self, metric: M, judged: JudgedRankings, unjudged: Assumption = "retrieved"
    ) -> Bounds | None:
        """Return the lower and the upper bound of each ranking's score, or None if unknown.

        Each unjudged document may stay unjudged or get any grade of the qrels or of the metric's
        gains. Under the assumption `retrieved`, only documents of the ranking and a limited number
        of documents outside it (`judged.unjudged_below`) can be relevant. Under the assumption
        `open`, any number of documents outside the ranking can be relevant, and the ranking
        continues below its end. A bound may be a limit that is approached but not reached. If the
        score is undefined under the current judgments, the bounds are those over all judgments that
        define it, or NaN if no judgment does.
        """
        judged = metric.to_depth(judged)
        bounds = self.where_defined(metric, judged, unjudged)
        if bounds is None or not metric.needs_relevant:
            return bounds
        undefined = np.flatnonzero(~metric.is_defined(judged))
        if len(undefined):
            later = self.once_defined(metric, judged.where_rankings(undefined), unjudged)
            if later is None:
                return None
            for end, new in zip(bounds, later, strict=True):
                end[undefined] = new
        return bounds

    def is_exact(self, metric: M, judged: JudgedRankings, unjudged: Assumption) -> bool:
        """Return whether the bounds are exact for these judgments and the assumption `unjudged`."""
        if metric.judged_only and not self.rises_when_condensed(metric):
            return False
        alike = unjudged in self.exact_if_alike and self.one_gain(metric, judged) is not None
        return alike or unjudged in self.exact

    def where_defined(
        self, metric: M, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        """Return the score bounds of each ranking, valid where its current score is defined."""
        with np.errstate(divide="ignore", invalid="ignore"):  # undefined topics are handled by `of`
            if metric.judged_only:
                bounds = self.condensed(metric, judged, unjudged)
            else:
                bounds = self.in_view(metric, metric.view(judged), unjudged)
        if bounds is None:
            return None
        score = metric.scores(judged)
        # The current score is possible, so only a rounding error can put it outside the bounds.
        return np.minimum(bounds[0], score), np.maximum(bounds[1], score)

    def once_defined(
        self, metric: M, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        """Return the bounds of undefined scores, over all judgments that define the score.

        The bounds are NaN if no judgments define the score.
        """
        grades = metric.possible_grades(judged)
        defining = grades[metric.counts_as_relevant(grades, judged)].tolist()
        return bounds_once_defined(
            judged,
            lambda one_more: self.where_defined(metric, one_more, unjudged),
            defining,
            goes_on=unjudged == "open",
            every=not metric.favours_the_top,
        )

    def in_view(self, metric: M, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        """Return the score bounds of rankings without documents below the metric's cutoff."""
        if unjudged == "retrieved":
            return scan(judged, lambda grid: self.on(metric, grid))
        more = 0 if metric.cutoff is not None else self.open_more(metric, judged)
        if more is not None:
            return self.going_on(
                metric, judged, lambda grid: self.on(metric, grid), metric.cutoff or 0, more
            )
        if self.range_of(metric) is None or type(self).on is ScoreBounds.on:
            return None
        return self.whole_range(metric, judged)

    def on(self, metric: M, grid: Grid) -> Bounds | None:
        """Return the score bounds of a block of rankings, given as a grid; None if unknown."""
        return None

    def condensed(self, metric: M, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        """Return the bounds of scores of condensed lists, which have only the judged documents.

        Judging a document inserts it into the list and shifts the documents below it.

        Suppose that inserting a relevant document never lowers the score, and inserting a
        non-relevant document never raises it. Any documents that are still unjudged can then be
        inserted as relevant without lowering the score, or as non-relevant without raising it. The
        bounds therefore equal those of the full list. For other metrics the bounds are the range of
        the metric, or None if the range is unknown.
        """
        if self.rises_when_condensed(metric):
            return self.uncondensed(metric, judged, unjudged)
        if self.range_of(metric) is None:
            return None
        low, high = self.whole_range(metric, judged)
        # Here an unjudged document may also lower the score.
        return np.where(low == np.inf, 0.0, low), high

    def uncondensed(self, metric: M, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        """Return the score bounds of the full lists, without documents of negative grade."""
        return self.of(metric.altered(judged_only=False), judged.usable(), unjudged)

    def going_on(
        self, metric: M, judged: JudgedRankings, bounds_on: OnGrid, open_to: int, more: int
    ) -> Bounds | None:
        """Return the score bounds of rankings that are continued below their end.

        `bounds_on` returns the bounds of a block of continued rankings, given as a grid. Each
        ranking is continued to at least rank `open_to`, and then by `more` documents. The added
        documents may be unjudged, or judged documents that the ranking has not retrieved. For the
        lower bound no judged document is added. The upper bound is the larger of two bounds: with
        no judged document added, and with as many judged relevant documents as fit, best first.
        """
        bounds = scan(judged, bounds_on, open_to=open_to, more=more)
        if bounds is None or not metric.needs_relevant:
            return bounds  # new and already judged relevant documents have the same effect
        grades = judged.keep_of_topics("grades seen", lambda: np.unique(judged.topic_grades))
        grades = grades[metric.counts_as_relevant(grades, judged)]
        best_first = grades[np.argsort(-self.preference(metric, grades, judged), kind="stable")]
        end = np.maximum(judged.length, open_to) + more
        shown = add_missed(judged, end, best_first.tolist())
        if len(shown.rank) == len(judged.rank):
            return bounds
        best = scan(shown, bounds_on, open_to=0)
        return bounds if best is None else (bounds[0], np.maximum(bounds[1], best[1]))

    def preference(self, metric: M, grade: Ints, judged: JudgedRankings) -> Floats:
        """Return a sort key for each relevant grade: the ideal ranking puts large keys first."""
        return grade.astype(np.float64)

    def open_more(self, metric: M, judged: JudgedRankings) -> int | None:
        """Return the number of documents to add below a ranking's end under the assumption `open`.

        Further documents would not change the bounds. The number is used only for metrics without a
        cutoff. If it is None, the bounds are the range of the metric.
        """
        return None

    def one_gain(self, metric: M, judged: JudgedRankings) -> float | None:
        """Return the gain that all relevant documents have or can get, or None if gains differ."""
        return None

    def rises_when_condensed(self, metric: M) -> bool:
        """Return whether inserting a relevant document in a condensed list never lowers the score.

        The result is True only if this holds for any rank and any other documents in the list, and
        if inserting a document without gain never raises the score.
        """
        return False

    def counts_elsewhere(self, metric: M) -> bool:
        """Return whether the bounds stay valid if documents outside the ranking may be relevant."""
        return self.sees_elsewhere

    def range_of(self, metric: M) -> tuple[float, float] | None:
        """Return the lowest and the highest score of this metric, or None if unknown."""
        return self.open_range

    def whole_range(self, metric: M, judged: JudgedRankings) -> Bounds:
        """Return the range of the metric as the bounds of each ranking's score."""
        lowest, highest = self.range_of(metric) or (-np.inf, np.inf)
        return np.full(judged.count, lowest), np.full(judged.count, highest)


def only_upper(high: Floats) -> Bounds:
    """Return bounds with an upper bound only; the lower bound will be the current score."""
    return np.full(len(high), np.inf), high
