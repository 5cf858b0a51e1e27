"""Interpolated precision: the best precision at a recall level or beyond it."""

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
    """Declare how recall × R is rounded to a whole number of documents."""
    return choice("up", "nearest", default="up")


@register({"iprec_at_recall_#": "IPrec(rounding=nearest)@#"})
class IPrec(Metric):
    """Interpolated precision at a recall level: the best precision there or further down.

    IPrec@x = max P@i over the ranks i from which at least x × R relevant documents are
    retrieved; 0 if they never are. x × R is rounded: `rounding=up` rounds up from a tenth on,
    as trec_eval 9, pytrec_eval and ir_measures do; `rounding=nearest` is trec_eval 10's.

    Use it to draw recall-precision curves. It does not describe what a user sees, as it looks
    ahead. The value after @ is a recall, not a cutoff.
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
    """A level of recall."""

    recall: float
    rounding: str

    def wanted(self, count: npt.NDArray[Any]) -> Ints:
        """Return the number of relevant documents that give this recall, at least 1."""
        share = self.recall * count
        rounded = np.floor(share + 0.9)
        if self.rounding == "nearest":
            rounded = np.floor(share) + (share % 1 >= 0.5)
        return np.maximum(rounded.astype(np.int64), 1)


def precision_from(judged: JudgedRankings, rel: int) -> Floats:
    """Return, for each relevant row, the greatest precision there or at any rank below."""
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
    """Mean of interpolated precision at 11 recall levels, or at 3.

    11 points: recall 0, 0.1 … 1. 3 points: recall 0.2, 0.5, 0.8. `rounding` as in IPrec.

    Use it to compare with results from before AP. Use AP for anything new.
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
        levels = reversed(self.levels)  # added up as trec_eval does, to the last bit
        total = sum(interpolated_at(judged, self.rel, level) for level in levels)
        return np.asarray(total) / self.points

    @property
    def levels(self) -> list[Level]:
        shares = [place / (self.points - 1) for place in range(self.points)]
        if self.points == 3:
            shares = [0.2, 0.5, 0.8]
        return [Level(share, self.rounding) for share in shares]
