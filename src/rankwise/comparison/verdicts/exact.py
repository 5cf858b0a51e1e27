"""Exact ends in place of valid ones, for as many pairs as the effort allows."""

from collections.abc import Callable
from dataclasses import fields

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Bounds
from rankwise.comparison.verdicts.cells import Cells, cells_of
from rankwise.comparison.verdicts.counts import extremes_by_count
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.comparison.verdicts.first import extremes_by_first
from rankwise.comparison.verdicts.ratios import extremes_of_ratio
from rankwise.metrics import Metric
from rankwise.metrics.base import ByCount, Normalised
from rankwise.rankings.retrieved import Retrieved
from rankwise.scores.evaluation import scores_of, unjudged_by_topic
from rankwise.vocabulary import Assumption

Extremes = Callable[[Cells], Bounds]


def with_exact_ends(
    ends: Ends, pairs: Pairs, metric: Metric, unjudged: Assumption, order: Ints, effort: int
) -> Ends:
    """The ends, exact where a formula gives them, of the pairs in this order.

    `effort` is how many documents are looked at, at most. Under `open` it takes rankings
    that go down to the cutoff: then what follows below their end does not matter.
    """
    judged, retrieved = pairs.judged, pairs.judged.retrieved
    extremes, cutoff = _formula(pairs, metric), metric.cutoff
    if extremes is None or (unjudged == "open" and (metric.normalised is None or not cutoff)):
        return ends
    assert retrieved is not None
    elsewhere = unjudged_by_topic(judged).astype(np.float64)
    whole = np.ones(judged.count, np.bool_)
    if unjudged == "open" and cutoff is not None:
        elsewhere, whole = elsewhere + cutoff, judged.length >= cutoff
    by_number = metric.by_count is not None
    cost = _documents(pairs, retrieved, cutoff, elsewhere if by_number else None)
    some = order[np.cumsum(cost[order]) <= effort]
    ends = Ends(*(getattr(ends, field.name).copy() for field in fields(Ends)))
    for cells in cells_of(pairs, some, retrieved, elsewhere, cutoff):
        _put(ends, cells, whole[cells.a] & whole[cells.b], extremes(cells))
    return ends


def _put(ends: Ends, cells: Cells, exact: Bools, found: Bounds) -> None:
    at = (cells.pair[exact], cells.topic[exact])
    low, high = (end[exact] for end in found)
    low, high = np.fmin(low, ends.value[at]), np.fmax(high, ends.value[at])  # undoes rounding
    for column, end in ((ends.low, low), (ends.reached_low, low)):
        column[at] = end
    for column, end in ((ends.high, high), (ends.reached_high, high)):
        column[at] = end


def _documents(
    pairs: Pairs, retrieved: Retrieved, cutoff: int | None, numbers: Floats | None
) -> Floats:
    """How many documents a formula looks at for each pair; for each of these `numbers`, if any."""
    rows = retrieved.unjudged if cutoff is None else retrieved.unjudged.above(cutoff)
    ranking = rows.ranking(len(pairs.judged.topics))
    a, b = pairs.of(np.bincount(ranking, minlength=pairs.judged.count))
    times = 1.0 if numbers is None else 1.0 + numbers
    return np.asarray(((a + b) * times).sum(axis=1))


def _formula(pairs: Pairs, metric: Metric) -> Extremes | None:
    """What gives the least and the greatest difference of cells; None where nothing does."""
    if metric.normalised is not None:
        return _of_ratio(pairs, metric.normalised)
    if (by_first := metric.by_first) is not None:
        seen = metric.view(pairs.judged)
        return lambda cells: extremes_by_first(cells, seen, by_first)
    return None if metric.by_count is None else _of_counts(pairs, metric, metric.by_count)


def _of_ratio(pairs: Pairs, ratio: Normalised) -> Extremes:
    earned = scores_of(ratio.earned, pairs.judged)
    return lambda cells: extremes_of_ratio(
        cells, pairs.judged, ratio, earned[cells.a] - earned[cells.b]
    )


def _of_counts(pairs: Pairs, metric: Metric, by_count: ByCount) -> Extremes:
    scores = np.nan_to_num(scores_of(metric, pairs.judged))
    seen, least_count = metric.view(pairs.judged), int(metric.needs_relevant)
    return lambda cells: extremes_by_count(
        cells, seen, by_count, scores[cells.a] - scores[cells.b], least_count
    )
