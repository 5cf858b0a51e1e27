"""Exact ends for metrics that are a sum of weights: P, RBP, DCG and their kin."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.metrics import WeightedPrecision
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.retrieved import Retrieved
from rankwise.scores.evaluation import scores_of
from rankwise.vocabulary import Assumption

BLOCK = 1 << 15  # rows


def row_weights(judged: JudgedRankings, metric: WeightedPrecision) -> Floats:
    """What each row adds to its run's score if its document gains the most."""
    return metric.greatest(judged) * metric.row_weights(judged)


def unjudged_weights(judged: JudgedRankings, metric: WeightedPrecision) -> Floats:
    """The same for the unjudged documents."""
    assert judged.retrieved is not None
    rows = judged.retrieved.unjudged
    at = metric.weights_at(rows.rank, rows.tie_first, rows.tie_last, judged.depth)
    return metric.greatest(judged) * at


def ends_of_weights(
    pairs: Pairs, metric: WeightedPrecision, retrieved: Retrieved, unjudged: Assumption
) -> Ends:
    judged = pairs.judged
    weight = unjudged_weights(judged, metric)
    a, b = pairs.of(scores_of(metric, judged))
    rows = retrieved.unjudged
    open_a, open_b = pairs.of(np.bincount(rows.ranking(len(judged.topics)), weight, judged.count))
    shared = shared_weight(pairs, rows, weight)
    beyond_a = beyond_b = np.zeros(1)
    if unjudged == "open":
        tails = metric.greatest(judged) * metric.weight_below(judged.seen_length)
        beyond_a, beyond_b = pairs.of(tails)
    value = a - b
    return Ends(
        value,
        value - np.maximum(open_b - shared, 0.0) - beyond_b,
        value + np.maximum(open_a - shared, 0.0) + beyond_a,
        value - open_b - beyond_b,
        value + open_a + beyond_a,
    )


def shared_weight(pairs: Pairs, rows: Retrieved, weight: Floats) -> Floats:
    """Σ min(wA, wB) over the unjudged documents that both runs retrieved: pairs × topics.

    Σ max(0, wA − wB) is Σ wA less that.
    """
    judged = pairs.judged
    runs, topics = len(judged.runs), len(judged.topics)
    found = np.zeros((len(pairs.first), topics))
    starts = np.searchsorted(rows.topic, np.arange(topics + 1))
    for topic, (start, stop) in enumerate(pairwise(starts)):
        here = np.arange(start, stop)[weight[start:stop] > 0]
        shared = between_runs(rows.run[here], rows.code[here], weight[here], runs)
        found[:, topic] = shared[pairs.first, pairs.second]
    return found


def between_runs(run: Ints, document: Ints, weight: Floats, runs: int) -> Floats:
    """Σ min of the weights of two runs over documents: runs × runs.

    The rows of a document stand together, its runs in order.
    """
    shared = np.zeros(runs * runs)
    for one, other in meetings(document):
        lesser = np.minimum(weight[one], weight[other])
        shared += np.bincount(run[one] * runs + run[other], lesser, runs * runs)
    square = shared.reshape(runs, runs)
    square = square + square.T
    # A run shares all with itself.
    square[np.arange(runs), np.arange(runs)] = np.bincount(run, weight, runs)
    return square


def meetings(document: Ints) -> Iterator[tuple[Ints, Ints]]:
    """All pairs of rows that hold the same document, as two columns; rows stand by document.

    Those one place apart, then two, and so on: as often as a document has rows. Some
    documents at a time, so that their rows stay in the cache.
    """
    start = 0
    while start < len(document):
        last = document[min(start + BLOCK, len(document)) - 1]
        stop = int(np.searchsorted(document, last, "right"))
        lag, at = 1, np.arange(start, stop)
        while len(at := at[at + lag < stop]):
            at = at[document[at] == document[at + lag]]
            yield at, at + lag
            lag += 1
        start = stop
