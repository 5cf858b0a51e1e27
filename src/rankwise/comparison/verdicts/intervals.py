"""Proven ends for any metric: what the intervals of two runs leave possible."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Ints
from rankwise.bounds.grid import Bounds
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.metrics import Metric
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.retrieved import Retrieved
from rankwise.scores.evaluation import bounds_of, scores_of
from rankwise.vocabulary import Assumption


def ends_of_intervals(
    pairs: Pairs, metric: Metric, retrieved: Retrieved, unjudged: Assumption
) -> Ends:
    judged = pairs.judged
    a, b = pairs.of(scores_of(metric, judged))
    low, high = _bounds(judged, metric, retrieved, unjudged)
    (low_a, low_b), (high_a, high_b) = pairs.of(low), pairs.of(high)
    separate = (low_a - high_b, high_a - low_b)
    alike = _alike(pairs, metric, retrieved, unjudged) & ~np.isnan(separate[0])
    low, high = (np.where(alike, 0.0, end) for end in separate)
    return Ends(a - b, low, high, *separate)


def _bounds(
    judged: JudgedRankings, metric: Metric, retrieved: Retrieved, unjudged: Assumption
) -> Bounds:
    """The interval of each ranking if what any run retrieved may be relevant; NaN if unknown."""
    unknown = (np.full(judged.count, np.nan), np.full(judged.count, np.nan))
    elsewhere = unjudged_by_topic(judged, retrieved)[judged.topic] - judged.unjudged_count
    others = replace(judged, elsewhere=elsewhere)
    found = bounds_of(metric, others, unjudged) or unknown
    if metric.sees_elsewhere:
        return found
    widest = bounds_of(metric, judged, "open") or unknown
    low, high = (np.where(elsewhere > 0, w, f) for w, f in zip(widest, found, strict=True))
    return low, high


def unjudged_by_topic(judged: JudgedRankings, retrieved: Retrieved) -> Ints:
    """How many unjudged documents of each topic any run retrieved."""
    rows = retrieved.unjudged
    new = np.ones(len(rows.code), np.bool_)
    new[1:] = rows.code[1:] != rows.code[:-1]
    return np.bincount(rows.topic[new], minlength=len(judged.topics))


def _alike(pairs: Pairs, metric: Metric, retrieved: Retrieved, unjudged: Assumption) -> Bools:
    """Whether the rankings are the same to the metric, whatever is judged: pairs × topics."""
    judged = pairs.judged
    cutoff = None if metric.judged_only else metric.cutoff
    alike = np.zeros((len(pairs.first), len(judged.topics)), np.bool_)
    if unjudged == "open" and cutoff is None:  # what follows below the end can differ
        return alike
    content = _contents(judged, retrieved, cutoff).reshape(len(judged.runs), len(judged.topics), -1)
    for topic in range(len(judged.topics)):
        _, kind = np.unique(content[:, topic], axis=0, return_inverse=True)
        kind = kind.ravel()  # numpy 2.0.0 gives it another axis
        alike[:, topic] = kind[pairs.first] == kind[pairs.second]
    if unjudged == "open" and cutoff is not None:
        alike &= pairs.of(judged.length >= cutoff)[0]
    return alike


def _contents(judged: JudgedRankings, rows: Retrieved, cutoff: int | None) -> npt.NDArray[np.int32]:
    """What stands at each rank of each ranking: its grade or its document, and its tie."""
    depth = int(judged.length.max(initial=0))
    depth = depth if cutoff is None else min(depth, cutoff)
    content = np.full((judged.count * depth, 3), np.iinfo(np.int32).min, np.int32)
    rows, grades = rows.above(depth), judged.topic_grades
    same = np.arange(rows.codes)
    same[: len(grades)] = grades.min(initial=0) - grades - 1  # below 0: no document
    place = rows.ranking(len(judged.topics)) * depth + rows.rank - 1
    for at, column in enumerate([same[rows.code], rows.tie_first, rows.tie_last]):
        content[place, at] = column
    return content
