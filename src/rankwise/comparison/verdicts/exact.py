"""Exact ends in place of valid ones, for as many pairs as the effort allows."""

from collections.abc import Callable
from dataclasses import fields
from functools import partial

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.grid import Bounds
from rankwise.comparison.verdicts.pair_documents import Cells, cells_of
from rankwise.comparison.verdicts.relevant_count import extremes_by_count
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.comparison.verdicts.first_relevant import extremes_by_first, extremes_by_first_and_count
from rankwise.comparison.verdicts.set_counts import extremes_by_found
from rankwise.comparison.verdicts.normalised import extremes_of_ratio
from rankwise.metrics import Metric
from rankwise.metrics.base import ByCount, ByFirst, ByFirstAndCount, ByFound, Normalised
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
    cost = _cost(pairs, metric, retrieved, elsewhere)
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


def _cost(pairs: Pairs, metric: Metric, retrieved: Retrieved, elsewhere: Floats) -> Floats:
    """How many documents a formula looks at for each pair, as often as it looks."""
    judged, cutoff = pairs.judged, metric.cutoff
    rows = retrieved.unjudged if cutoff is None else retrieved.unjudged.above(cutoff)
    a, b = pairs.of(np.bincount(rows.ranking(len(judged.topics)), minlength=judged.count))
    cost = a + b
    match metric.exact_form(judged):
        case ByCount() | ByFound():  # once for each number of relevant documents
            cost = cost * (1.0 + elsewhere)
        case ByFirstAndCount(rel=rel):  # once for each two ranks that may be the first
            found = metric.view(judged).relevant(rel)
            first = np.minimum(found.first(found.place == 1), judged.length + 1)
            cost = cost + np.multiply(*pairs.of(first))
    return np.asarray(cost.sum(axis=1), np.float64)


def _formula(pairs: Pairs, metric: Metric) -> Extremes | None:
    """What gives the least and the greatest difference of cells; None where nothing does."""
    if metric.normalised is not None:
        return _of_ratio(pairs, metric.normalised)
    form = metric.exact_form(pairs.judged)
    if isinstance(form, ByCount):
        return _of_counts(pairs, metric, form)
    seen, least_count = metric.view(pairs.judged), int(metric.needs_relevant)
    if isinstance(form, ByFirst):
        return partial(extremes_by_first, judged=seen, metric=form)
    if isinstance(form, ByFirstAndCount):
        return partial(
            extremes_by_first_and_count, judged=seen, metric=form, least_count=least_count
        )
    if isinstance(form, ByFound):
        return partial(extremes_by_found, judged=seen, metric=form, least_count=least_count)
    return None


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
