"""Means over relevant documents of values that are only known to lie in a range."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Floats
from rankwise.bounds.grid import Bounds, Grid, running


@dataclass(frozen=True, eq=False, repr=False)
class Mean:
    """A weighted mean of values of relevant documents; each is only known to lie in a range.

    `known` holds Σ weight × value over the documents that are relevant now, at least and at
    most, `weight` their whole weight, `least` and `most` (grids) the values, up to 1, that
    unjudged documents would have. Each of these weighs at most `heaviest`, as does each of the
    others outside of the grid, whose value is at least `elsewhere`. `missed` is how many
    relevant documents the rankings lack: their weight is in `weight`, not their value.
    """

    known: Bounds
    weight: Floats
    least: Floats
    most: Floats
    missed: Floats
    heaviest: float = 1.0
    elsewhere: Floats | float = 0.0


def mean_bounds(grid: Grid, mean: Mean) -> Bounds:
    """Return outer bounds of a weighted mean with some unknown weights.

    Were the values fixed, the mean would be a ratio of linear functions of the new weights, so
    its extremes take each weight fully or as 0, and fully exactly where the value is above (for
    the least: below) the extreme. So it is enough to try the m best values, and the m worst, for
    every m. Of the m best some may be documents that are known to be relevant and still come
    below the end: these add no weight.
    """
    best = -np.sort(np.where(grid.unjudged, -mean.most, np.inf), axis=1)
    worst = np.sort(np.where(grid.unjudged, mean.least, np.inf), axis=1)
    count = np.minimum(np.arange(best.shape[1] + 1), grid.unjudged.sum(axis=1)[:, None])
    weight = mean.weight[:, None] + mean.heaviest * count
    found = [
        known[:, None] + mean.heaviest * running(np.where(np.isfinite(values), values, 0.0))
        for known, values in zip(mean.known, (worst, best), strict=True)
    ]
    low = (found[0] / weight).min(axis=1)
    others = np.where(np.isfinite(grid.others), grid.others, 0.0) * mean.heaviest
    with_others = (found[0] + (others * mean.elsewhere)[:, None]) / (weight + others[:, None])
    low = np.minimum(low, with_others.min(axis=1))
    low = np.where(np.isfinite(grid.others), low, np.minimum(low, mean.elsewhere))
    free = grid.shown_later(mean.missed)[:, None]
    light = mean.weight[:, None] + mean.heaviest * np.maximum(count - free, 0)
    return low, np.minimum((found[1] / light).max(axis=1), 1)


def limited_mean(grid: Grid, known: Bounds, values: Bounds, rel: int, limit: float) -> Bounds:
    """Outer bounds of Σ value / min(limit, R), for every number m of new relevant documents:

    at least the m worst of what their values can be, at most the m best. Some of these may
    be known to be relevant, and come below the end: they are in R already.
    """
    number = np.minimum(np.arange(grid.grade.shape[1] + 1), grid.unjudged.sum(axis=1)[:, None])
    worst = np.sort(np.where(grid.unjudged, values[0], np.inf), axis=1)
    best = -np.sort(np.where(grid.unjudged, -values[1], np.inf), axis=1)
    least, most = (
        now[:, None] + running(np.where(np.isfinite(new), new, 0.0))
        for now, new in zip(known, (worst, best), strict=True)
    )
    count = grid.relevant_count(rel)[:, None] + number
    low = least / np.minimum(count + grid.others[:, None], limit)
    known_count = grid.relevant_count(rel)
    free = grid.shown_later(known_count - grid.relevant(rel).sum(axis=1))[:, None]
    high = most / np.minimum(known_count[:, None] + np.maximum(number - free, 0), limit)
    return low.min(axis=1), np.minimum(high.max(axis=1), 1.0)
