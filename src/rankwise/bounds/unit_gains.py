"""Gains between 0 and 1, as metrics of users who stop have them: the questions about these."""

from typing import Protocol, TypeVar

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.base import Bounded, ScoreBounds
from rankwise.bounds.grid import Grid
from rankwise.rankings import JudgedRankings

FAR = 5000  # documents to look at below the end of a ranking


class UnitGains(Bounded, Protocol):
    """A metric with a gain between 0 and 1 for each grade."""

    def unit_gain(self, grade: Ints, judged: JudgedRankings) -> Floats: ...
    def lowest(self, judged: JudgedRankings) -> int: ...


U = TypeVar("U", bound=UnitGains)


class OfUnitGains(ScoreBounds[U]):
    """Bounds of a metric of such gains."""

    def one_gain(self, metric: U, judged: JudgedRankings) -> float | None:
        gains = np.unique(metric.unit_gain(metric.possible_grades(judged), judged))
        return float(gains[-1]) if len(gains[gains > 0]) == 1 else None


def greatest_of(metric: UnitGains, judged: JudgedRankings) -> float:
    """Return the greatest gain that an unjudged document can have."""
    return float(metric.unit_gain(metric.possible_grades(judged), judged).max())


def unit_gains_on(metric: UnitGains, grid: Grid) -> tuple[Floats, Floats]:
    """Return the gains twice: with unjudged documents at gain 0, and at the largest gain."""
    gain = metric.unit_gain(grid.grade, grid.judgments)
    gain = np.where(grid.judged & (grid.grade >= metric.lowest(grid.judgments)), gain, 0.0)
    return gain, np.where(grid.unjudged, greatest_of(metric, grid.judgments), gain)
