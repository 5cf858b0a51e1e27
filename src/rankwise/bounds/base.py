"""Bounds of a metric's score: the questions that every argument answers.

A metric names its argument (`bounds = PrecisionSums()`), and the argument asks the metric for
what it needs: its relevance threshold, its gains, its weights. A metric never asks its bounds.
"""

from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Bounds, Grid, OnGrid, scan
from rankwise.bounds.undefined import bounds_once_defined
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption

EXACT: frozenset[Assumption] = frozenset({"retrieved", "open"})
EXACT_IF_RETRIEVED: frozenset[Assumption] = frozenset({"retrieved"})
UNIT = (0.0, 1.0)


class Bounded(Protocol):
    """The part of a metric that any argument may ask for."""

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
    """Lower and upper bounds of a metric's score under any judgment of unjudged documents.

    A subclass writes `on`, for a block of rankings laid out rank by rank, or `in_view`, for all
    rankings at once. It declares where its bounds are tight. An instance of this class itself
    stands for bounds that are not known.
    """

    # The assumptions under which bounds are tight, for any parameters and grades.
    exact: ClassVar[frozenset[Assumption]] = frozenset()
    # The assumptions under which bounds are tight if `one_gain` is not None; the same in words.
    exact_if_alike: ClassVar[frozenset[Assumption]] = frozenset()
    exact_where: ClassVar[str] = "all relevant documents gain the same"
    # The range of scores that no bound narrows: under `open` without a cutoff, and of condensed
    # lists. An infinite lower end stands for the current score. None: not known.
    open_range: ClassVar[tuple[float, float] | None] = None
    # Whether the bounds count documents that may be relevant but are not in the ranking, or the
    # score does not depend on these. The grid of `on` has them (`grid.others`). A class that
    # writes `in_view` must declare it (`judged.unjudged_below` has them), else it is False.
    sees_elsewhere: ClassVar[bool] = True
    # Whether tight bounds stay tight with such documents.
    exact_elsewhere: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "in_view" in cls.__dict__ and "sees_elsewhere" not in cls.__dict__:
            cls.sees_elsewhere = False  # the declaration was about other bounds

    def of(
        self, metric: M, judged: JudgedRankings, unjudged: Assumption = "retrieved"
    ) -> Bounds | None:
        """Return the lower and upper bounds of each ranking's score; None if not known.

        Each unjudged document may stay unjudged or get any grade of the qrels or of the
        metric's gains. `retrieved`: only documents of this ranking can be relevant. `open`:
        the ranking also goes on below its end, and any number of documents elsewhere can be
        relevant; an extreme that is only approached counts. Where a topic has no score under
        the current judgments, the bounds are those over all judgments that give it one, and
        NaN where none does.
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

    def is_exact(
        self, metric: M, judged: JudgedRankings, unjudged: Assumption = "retrieved"
    ) -> bool:
        """Return whether the bounds are tight for these judgments."""
        if metric.judged_only and not self.rises_when_condensed(metric):
            return False
        alike = unjudged in self.exact_if_alike and self.one_gain(metric, judged) is not None
        return alike or unjudged in self.exact

    def where_defined(
        self, metric: M, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        """Return the bounds of rankings whose topics have a score."""
        with np.errstate(divide="ignore", invalid="ignore"):  # undefined topics come later
            if metric.judged_only:
                bounds = self.condensed(metric, judged, unjudged)
            else:
                bounds = self.in_view(metric, metric.view(judged), unjudged)
        if bounds is None:
            return None
        score = metric.scores(judged)
        # The current score is possible: this undoes rounding.
        return np.minimum(bounds[0], score), np.maximum(bounds[1], score)

    def once_defined(
        self, metric: M, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        """Return the bounds of rankings of undefined topics, over all judgments that define them.

        NaN where there are none.
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
        """Return the bounds of rankings that are cut at the metric's cutoff."""
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
        """Return the bounds of a block of rankings laid out rank by rank."""
        return None

    def condensed(self, metric: M, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        """Bounds for condensed lists: judging a document inserts it and shifts those below.

        If a relevant document that enters never lowers the score and another never raises it,
        all documents enter at both extremes, and the bounds are those of the whole list.
        Otherwise only the range of the metric is known.
        """
        if self.rises_when_condensed(metric):
            return self.uncondensed(metric, judged, unjudged)
        if self.range_of(metric) is None:
            return None
        low, high = self.whole_range(metric, judged)
        return np.where(low == np.inf, 0.0, low), high  # an open document may also lower it here

    def uncondensed(self, metric: M, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        """Return the bounds if every document were judged: none is left out of the list."""
        return self.of(metric.altered(judged_only=False), judged.usable(), unjudged)

    def going_on(
        self, metric: M, judged: JudgedRankings, bounds_on: OnGrid, open_to: int, more: int
    ) -> Bounds | None:
        """Return the bounds of rankings that go on to a rank, or by some documents more.

        The next documents may be new, or judged already but not retrieved yet. Without the
        latter the score is lowest; it is highest with as many as fit, the best first.
        """
        bounds = scan(judged, bounds_on, open_to=open_to, more=more)
        if bounds is None or not metric.needs_relevant:
            return bounds  # all relevant documents have the same effect
        grades = judged.keep_of_topics("grades seen", lambda: np.unique(judged.topic_grades))
        grades = grades[metric.counts_as_relevant(grades, judged)]
        best_first = grades[np.argsort(-self.preference(metric, grades, judged), kind="stable")]
        end = np.maximum(judged.length, open_to) + more
        shown = judged.going_on_with(end, best_first.tolist())
        if len(shown.rank) == len(judged.rank):
            return bounds
        best = scan(shown, bounds_on, open_to=0)
        return bounds if best is None else (bounds[0], np.maximum(bounds[1], best[1]))

    def preference(self, metric: M, grade: Ints, judged: JudgedRankings) -> Floats:
        """Return a value for each relevant grade: the best ranking has the greatest first."""
        return grade.astype(np.float64)

    def open_more(self, metric: M, judged: JudgedRankings) -> int | None:
        """Return how many documents below the end decide; None: only the range is known."""
        return None

    def one_gain(self, metric: M, judged: JudgedRankings) -> float | None:
        """Return the gain of every relevant document, now and later; None if they differ."""
        return None

    def rises_when_condensed(self, metric: M) -> bool:
        """Return whether a relevant document that enters a condensed list never lowers the score.

        At any rank, and with any other documents; and one that gains nothing never raises it.
        """
        return False

    def counts_elsewhere(self, metric: M) -> bool:
        """Return `sees_elsewhere`, for these parameters."""
        return self.sees_elsewhere

    def range_of(self, metric: M) -> tuple[float, float] | None:
        """Return `open_range`, for these parameters."""
        return self.open_range

    def whole_range(self, metric: M, judged: JudgedRankings) -> Bounds:
        """Return the range of the metric for each ranking."""
        lowest, highest = self.range_of(metric) or (-np.inf, np.inf)
        return np.full(judged.count, lowest), np.full(judged.count, highest)


def only_upper(high: Floats) -> Bounds:
    """Return bounds whose lower end is the current score."""
    return np.full(len(high), np.inf), high
