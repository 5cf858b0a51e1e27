"""Precision at a rank that depends on R: R-precision."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Ints
from rankwise.bounds.base import EXACT_IF_RETRIEVED, UNIT, Binary, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, running

Reach = Callable[[npt.NDArray[Any]], Ints]


def precision_within(grid: Grid, rel: int, reach_of: Reach, most: int, past_end: int) -> Bounds:
    """Return the bounds of the precision down to the rank `reach_of(R)`.

    With m new relevant documents, as many as can be or must be are above that rank, for
    every m up to `most`. Exact if that is enough.

    From R = `past_end` on the rank is below the end of the ranking, which then has the same known
    and u unjudged documents for any m. With all u relevant the precision only falls as m grows;
    so past u more than `past_end` none is a greatest one. Before any of the u must be relevant it
    falls too, so the least one is there where all others are relevant, or where they and some of
    the u are. What lies between need not be tried.
    """
    hidden, unjudged = grid.hidden[:, None], grid.unjudged.sum(axis=1).max(initial=0)
    new = np.arange(min(most, past_end + unjudged) + 1)[None, :]
    if most >= new.size:
        others = np.where(np.isfinite(grid.others), grid.others, 0)[:, None]
        last = others + np.arange(unjudged + 1)
        new = np.concatenate([np.broadcast_to(new, (len(last), new.size)), last], axis=1)
    new = np.minimum(new, hidden)
    reach = reach_of(grid.of(grid.judgments.judged_count(rel))[:, None] + new)
    column = np.minimum(reach, grid.grade.shape[1])
    rows = np.arange(len(reach))[:, None]
    known = running(grid.relevant(rel))[rows, column]
    above = running(grid.unjudged)[rows, column]
    low = (known + np.maximum(new - (hidden - above), 0)) / np.maximum(reach, 1)
    high = (known + np.minimum(new, above)) / np.maximum(reach, 1)
    return low.min(axis=1), high.max(axis=1)


class Reaching(Binary, Protocol):
    """A metric that looks down to a rank that depends on R."""

    mult: float

    def reach(self, count: npt.NDArray[Any]) -> Ints: ...


class PrecisionWithinReach(ScoreBounds[Reaching]):
    """Bounds of the precision down to rank mult × R: R-precision; exact under `retrieved`.

    Under `open` too where `mult` is 1 or less, or with a cutoff.
    """

    exact = EXACT_IF_RETRIEVED
    open_range = UNIT

    def on(self, metric: Reaching, grid: Grid) -> Bounds:
        most = grid.hidden.max(initial=0)
        if metric.cutoff is not None:  # beyond this the reach stays, and all above it are in
            most = min(most, metric.cutoff / metric.mult + metric.cutoff + 1)
        past_end = int(grid.grade.shape[1] / metric.mult) + 1
        return precision_within(grid, metric.rel, metric.reach, int(most), past_end)
