"""Simultaneous confidence intervals of many differences, by the max-t bootstrap over topics."""

from collections.abc import Callable, Iterable

import numpy as np

from rankwise.arrays import CANCELLATION, Floats
from rankwise.stats.intervals import DRAWS, Moments, moments
from rankwise.stats.paired import IN_CACHE, drawn_topics
from rankwise.threads import map_in_threads

FLOOR = 0.25  # quantile of the standard errors of the family


def max_t_interval(
    differences: Floats | Callable[[], Iterable[Floats]],
    confidence: float,
    *,
    count: int = DRAWS,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Return intervals that hold all true mean differences together with this confidence.

    `differences` is pairs × topics, or a function that yields it in blocks of pairs; it is called
    twice. NaN excludes a topic from that pair. Topics are drawn with replacement, the same for
    all pairs, so that the pairs are as correlated as in the data. In each resample t* = |mean* −
    mean| / error* of every pair, and the largest of them is kept. The critical value c is the
    quantile of these maxima, and the intervals are mean ± c × error. Efron and Tibshirani (1993),
    section 12.5; Romano and Wolf, Econometrica 73(4), 2005.

    Two runs that differ on few topics have an error near 0 in many resamples, and their t*, which
    is arbitrary, would widen the intervals of all pairs. Errors are therefore raised to s0, the
    lower quartile of the standard errors of the family, in the resamples and in the intervals.
    docs/statistics.md has the measured coverage. NaN where no pair varies, and for pairs with
    fewer than two topics.
    """
    blocks = differences if callable(differences) else lambda: [differences]
    parts, occurring = [], []
    for block in blocks():
        parts.append(moments(block))
        occurring.append(~np.isnan(block).all(axis=0))
    found = Moments(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    errors = found.error[np.nan_to_num(found.sd) > 0]
    if not len(errors):
        nothing = np.full(len(found.mean), np.nan)
        return nothing, nothing.copy()
    floor = float(np.quantile(errors, FLOOR))
    topics = np.flatnonzero(np.any(occurring, axis=0))
    step = max(1, IN_CACHE // count)
    rows = (
        block[start : start + step, topics]
        for block in blocks()
        for start in range(0, len(block), step)
    )
    largest = _largest_statistics(rows, len(topics), floor, count, rng)
    place = int(np.ceil(np.round(confidence * count, 9))) - 1
    reach = largest[place] * np.maximum(found.error, floor)
    return found.mean - reach, found.mean + reach


def _largest_statistics(
    rows: Iterable[Floats], topics: int, floor: float, count: int, rng: np.random.Generator
) -> Floats:
    """Return the largest t* of each resample, ascending; `rows` yields a few pairs at a time."""
    draws = drawn_topics(topics, count, rng).T
    least = (floor * (1 - CANCELLATION)) ** 2

    def largest_of(some: Floats) -> Floats:
        """The largest t*² of some pairs: without the root of each pair and resample."""
        defined = (~np.isnan(some)).astype(np.float64)
        topics = np.maximum(defined[: 1 if defined.all() else None] @ draws, 2)
        centred = np.nan_to_num(some - moments(some).mean[:, None])
        square = centred @ draws
        square /= topics
        square *= square
        error = centred**2 @ draws
        error /= topics
        error -= square
        error /= topics - 1
        np.maximum(error, least, out=error)
        square /= error
        largest: Floats = square.max(axis=0)
        return largest

    largest = np.zeros(count)
    for some in map_in_threads(largest_of, rows):
        np.maximum(largest, some, out=largest)
    return np.sort(np.sqrt(largest))
