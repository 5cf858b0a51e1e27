"""Gains between 0 and 1, which are chances to satisfy or shares of the best: a base of families."""

from typing import ClassVar

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Grid
from rankwise.metrics.base import Metric, metric
from rankwise.metrics.grades import (
    check_range,
    check_unit,
    lowest_gaining,
    possible_grades,
    unit_gain_of,
)
from rankwise.metrics.parameters import Gains, gains, whole
from rankwise.metrics.traits import UNIT
from rankwise.rankings.judged import JudgedRankings

NOBODY = 1e-14  # a chance to go on that makes no difference
FAR = 5000  # documents to look at below the end of a ranking


@metric
class Graded(Metric):
    """A metric of gains between 0 and 1: given as `gains`, or grade / `max_rel`.

    Without `max_rel` the highest grade in the qrels counts as 1.
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    gains: Gains | None = gains()
    max_rel: int | None = whole(1, None)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, self.gains)

    def rows_and_gains(self, judged: JudgedRankings) -> tuple[JudgedRankings, Floats]:
        rows = judged.relevant(self.lowest(judged))
        return rows, self.unit_gain(rows.grade, judged)

    @property
    def takes_gains(self) -> bool:
        return self.max_rel is None

    def lowest(self, judged: JudgedRankings) -> int:
        """The lowest grade that can gain anything."""
        if self.gains is None and not self.takes_gains:
            return 1
        return lowest_gaining(judged, self.gains)

    def unit_gain(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return unit_gain_of(self, grade, judged, self.gains, self.max_rel)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        return self.unit_gain(grade, judged) > 0

    # What bounds need.

    def greatest(self, judged: JudgedRankings) -> float:
        """The most that an unjudged document can gain."""
        return float(self.unit_gain(possible_grades(judged, self.gains), judged).max())

    def one_gain(self, judged: JudgedRankings) -> float | None:
        gains = np.unique(self.unit_gain(possible_grades(judged, self.gains), judged))
        return float(gains[-1]) if len(gains[gains > 0]) == 1 else None

    def gains_on(self, grid: Grid) -> tuple[Floats, Floats]:
        """The gains without and with the unjudged documents."""
        gain = self.unit_gain(grid.grade, grid.judgments)
        gain = np.where(grid.judged & (grid.grade >= self.lowest(grid.judgments)), gain, 0.0)
        return gain, np.where(grid.unjudged, self.greatest(grid.judgments), gain)

    def enough(self, judged: JudgedRankings) -> int | None:
        """After how many of the best documents nobody goes on; None if there are too many."""
        greatest = self.greatest(judged)
        if greatest == 0 or greatest == 1:
            return int(greatest)
        number = np.ceil(np.log(NOBODY) / np.log1p(-greatest))
        return int(number) if number <= FAR else None


@metric
class Scaled(Graded):
    """Gains of (grade − `min_rel`) / (`max_rel` − `min_rel`): what is below gains nothing."""

    min_rel: int = whole(0, 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, self.min_rel, self.max_rel)

    def unit_gain(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return unit_gain_of(self, grade, judged, self.gains, self.max_rel, self.min_rel)
