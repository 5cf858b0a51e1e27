"""The best precision at a recall or beyond it."""

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats, Ints
from rankwise.bounds.grid import Bounds, Grid
from rankwise.bounds.interpolated import interpolated_bounds
from rankwise.metrics.base import Metric, metric
from rankwise.metrics.parameters import choice, flag, rel, share, whole
from rankwise.metrics.registry import register
from rankwise.metrics.traits import EXACT_IF_RETRIEVED, UNIT
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption


def rounding() -> Any:
    """How recall × R becomes a whole number of documents."""
    return choice("up", "nearest", default="up")


@register({"iprec_at_recall_#": "IPrec(rounding=nearest)@#"})
@metric
class IPrec(Metric):
    """Interpolated precision at a level of recall: the best precision there or further down.

    IPrec@x = max P@i over the ranks i from which at least x × R relevant documents are
    seen; 0 if they never are. x × R is a whole number of documents: `rounding=up` rounds it
    up from a tenth on, as trec_eval 9, pytrec_eval and ir_measures do; `rounding=nearest` is
    trec_eval 10's.

    Use it to draw recall-precision curves. Do not read it as what a user sees: it looks
    ahead. Here @ is a recall, not a cutoff.

    >>> score_gains("IPrec@0.6", [1, 0, 0, 1])
    0.5
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    at: ClassVar[str] = "recall"
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True
    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT_IF_RETRIEVED
    recall: float = share()
    rounding: str = rounding()
    rel: int = rel()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        return interpolated_at(judged, self.rel, Level(self.recall, self.rounding))

    def bounds_on(self, grid: Grid) -> Bounds:
        return interpolated_bounds(grid, self.rel, Level(self.recall, self.rounding).wanted)


class Level(NamedTuple):
    """A level of recall."""

    recall: float
    rounding: str

    def wanted(self, count: npt.NDArray[Any]) -> Ints:
        """How many relevant documents make this recall; one of them at least."""
        share = self.recall * count
        rounded = np.floor(share + 0.9)
        if self.rounding == "nearest":
            rounded = np.floor(share) + (share % 1 >= 0.5)
        return np.maximum(rounded.astype(np.int64), 1)


def precision_from(judged: JudgedRankings, rel: int) -> Floats:
    """For each relevant row, the greatest precision there or at any rank below."""
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
@metric
class IPrecMean(Metric):
    """The mean of interpolated precision at 11 levels of recall, or at 3.

    11 points: recall 0, 0.1 … 1. 3 points: recall 0.2, 0.5, 0.8. `rounding` as in IPrec.

    Use it to compare with results from before AP. Use AP for anything new.
    Buckley and Voorhees, in TREC: Experiment and Evaluation, 2005.

    >>> round(score_gains("IPrecMean", [1, 0, 0, 1]), 4)
    0.7727
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True
    points: int = whole(3, 11, 1001)
    rounding: str = rounding()
    rel: int = rel()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        levels = reversed(self._levels)  # added up as trec_eval does, to the last bit
        total = sum(interpolated_at(judged, self.rel, level) for level in levels)
        return np.asarray(total) / self.points

    @property
    def _levels(self) -> list[Level]:
        shares = [place / (self.points - 1) for place in range(self.points)]
        if self.points == 3:
            shares = [0.2, 0.5, 0.8]
        return [Level(share, self.rounding) for share in shares]

    def bounds_on(self, grid: Grid) -> Bounds:
        """Outer bounds: each level has its own extreme.

        Added up one by one: NumPy adds in another order where there is but one ranking.
        """
        found = [interpolated_bounds(grid, self.rel, level.wanted) for level in self._levels]
        low, high = (np.asarray(sum(ends)) / self.points for ends in zip(*found, strict=True))
        return low, high
