"""Weighted mean of average precisions at several relevance thresholds: GAP."""

from typing import Protocol

import numpy as np

from rankwise.bounds.base import UNIT, Bounded, ScoreBounds
from rankwise.bounds.grid import Bounds
from rankwise.bounds.precisions import Averaged, PrecisionSums
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


class OfLevels(Bounded, Protocol):
    """A metric that is a weighted mean of AP at several thresholds."""

    def levels(self, judged: JudgedRankings) -> list[Averaged]: ...


class MeanOfLevels(ScoreBounds[OfLevels]):
    """Bounds of a mean of AP at several thresholds: between their extremes; outer.

    The bounds of a level without documents are those over the judgments that give it some.
    """

    open_range = UNIT
    argument = PrecisionSums()

    def of(
        self, metric: OfLevels, judged: JudgedRankings, unjudged: Assumption = "retrieved"
    ) -> Bounds | None:
        bounds = [self.argument.of(level, judged, unjudged) for level in metric.levels(judged)]
        lows, highs = zip(*(ends for ends in bounds if ends is not None), strict=True)
        return np.fmin.reduce(lows), np.fmax.reduce(highs)
