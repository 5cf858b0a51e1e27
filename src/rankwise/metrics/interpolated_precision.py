"""Interpolated precision: the highest precision at a recall level or any higher recall."""

from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats, Ints
from rankwise.bounds import InterpolatedPrecision, MeanInterpolatedPrecision
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import choice, flag, rel, share, whole
from rankwise.metrics.registry import register
from rankwise.rankings import JudgedRankings


def rounding() -> Any:
    """Declare how recall × (number of relevant documents) is rounded to a whole number."""
    return choice("up", "nearest", default="up")


@register({"iprec_at_recall_#": "IPrec(rounding=nearest)@#"})
class IPrec(Metric):
    """Interpolated precision: the highest precision at a recall level or any higher recall.

    IPrec@x = max P@i over the ranks i at which at least x × R of the topic's R relevant documents
    are retrieved, or 0 if there is no such rank. x × R is rounded to a whole number, at least 1.
    `rounding=up` rounds up if the fractional part is 0.1 or more, as trec_eval 9, pytrec_eval and
    ir_measures do. `rounding=nearest` is the rounding of trec_eval 10.

    Use it to draw recall-precision curves. It does not describe what a user sees, because it takes
    the maximum over later ranks. The value after @ is a recall, not a cutoff.
    Buckley and Voorhees, in TREC: Experiment and Evaluation, 2005.

    >>> score_gains("IPrec@0.6", [1, 0, 0, 1])
    0.5
    """

    at = "recall"
    typical_parameters = MappingProxyType({"recall": 0.5})
    needs_relevant = True
    favours_the_top = True
    bounds = InterpolatedPrecision()
    recall: float = share()
    rounding: str = rounding()
    rel: int = rel()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        return interpolated_at(judged, self.rel, *self.levels)

    @property
    def levels(self) -> "list[Level]":
        return [Level(self.recall, self.rounding)]


class Level(NamedTuple):
    """A recall level, and the rounding of recall × (number of relevant documents)."""

    recall: float
    rounding: str

    def wanted(self, count: npt.NDArray[Any]) -> Ints:
        """Return the number of relevant documents needed for this recall, at least 1.

        `count` is the number of relevant documents of each topic.
        """
        share = self.recall * count
        rounded = np.floor(share + 0.9)
        if self.rounding == "nearest":
            rounded = np.floor(share) + (share % 1 >= 0.5)
        return np.maximum(rounded.astype(np.int64), 1)


def precision_from(judged: JudgedRankings, rel: int) -> Floats:
    """Return, for each relevant document retrieved, the highest precision from its rank down."""
    found = judged.relevant(rel)
    best = found.place / found.rank
    starts, sizes = found.row_start[:-1], np.diff(found.row_start)
    for place in range(int(sizes.max(initial=0)) - 2, -1, -1):
        rows = starts[sizes > place + 1] + place
        best[rows] = np.maximum(best[rows], best[rows + 1])
    return best


def interpolated_at(judged: JudgedRankings, rel: int, level: Level) -> Floats:
    found = judged.relevant(rel)
    wanted = level.wanted(judged.judged_count(rel))
    best = judged.keep(("precision_from", rel), lambda: precision_from(judged, rel))
    scores = np.zeros(judged.count)
    here = found.place == wanted[found.ranking]
    scores[found.ranking[here]] = best[here]
    return scores


@register(
    {
        "11pt_avg": "IPrecMean(points=11,rounding=nearest)",
        "3pt_avg": "IPrecMean(points=3,rounding=nearest)",
    }
)
class IPrecMean(Metric):
    """Mean of interpolated precision at 11 recall levels, or at another number of levels.

    The 11 points are recall 0, 0.1 … 1. `points` sets another number of equally spaced levels from
    0 to 1, except that 3 points are recall 0.2, 0.5 and 0.8. `rounding` works as in IPrec.

    Use it to compare with results published before AP was common. Use AP for anything new.
    Buckley and Voorhees, in TREC: Experiment and Evaluation, 2005.

    >>> round(score_gains("IPrecMean", [1, 0, 0, 1]), 4)
    0.7727
    """

    needs_relevant = True
    favours_the_top = True
    bounds = MeanInterpolatedPrecision()
    points: int = whole(3, 11, 1001)
    rounding: str = rounding()
    rel: int = rel()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        # Summed in trec_eval's order, for identical floating-point results.
        levels = reversed(self.levels)
        total = sum(interpolated_at(judged, self.rel, level) for level in levels)
        return np.asarray(total) / self.points

    @property
    def levels(self) -> list[Level]:
        shares = [place / (self.points - 1) for place in range(self.points)]
        if self.points == 3:
            shares = [0.2, 0.5, 0.8]
        return [Level(share, self.rounding) for share in shares]
