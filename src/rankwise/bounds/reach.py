"""Precision at a rank that depends on R: R-precision."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Ints
from rankwise.bounds.grid import Bounds, Grid, running

Reach = Callable[[npt.NDArray[Any]], Ints]


def precision_within(grid: Grid, rel: int, reach_of: Reach, most: int) -> Bounds:
    """The extremes of the precision down to a rank that `reach_of` gives, from R.

    With m new relevant documents, as many as can be or must be are above that rank, for
    every m up to `most`. Exact if that is enough.
    """
    hidden = grid.hidden[:, None]
    new = np.minimum(np.arange(most + 1), hidden)
    reach = reach_of(grid.of(grid.judgments.judged_count(rel))[:, None] + new)
    column = np.minimum(reach, grid.grade.shape[1])
    rows = np.arange(len(reach))[:, None]
    known = running(grid.relevant(rel))[rows, column]
    above = running(grid.unjudged)[rows, column]
    low = (known + np.maximum(new - (hidden - above), 0)) / np.maximum(reach, 1)
    high = (known + np.minimum(new, above)) / np.maximum(reach, 1)
    return low.min(axis=1), high.max(axis=1)
