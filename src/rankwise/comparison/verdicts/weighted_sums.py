"""Exact bounds on score differences for metrics that are a sum of weights: P, RBP, DCG."""

from collections.abc import Iterator

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.metrics import WeightedPrecision
from rankwise.rankings import JudgedRankings, Retrieved, blocks_of_topics
from rankwise.scores import scores_of
from rankwise.vocabulary import Assumption

BLOCK = 1 << 15  # rows
CELLS = 1 << 17  # topics × runs × runs at once, so that the arrays stay in the cache


def row_weights(judged: JudgedRankings, metric: WeightedPrecision) -> Floats:
    """Return the amount that each judged retrieved document would add with the largest gain."""
    return metric.greatest(judged) * metric.row_weights(judged)


def deepest_weight(metric: WeightedPrecision) -> int | None:
    """Return the rank below which documents have weight 0, or None if there is no such rank.

    If tied documents share their weights, the result is None, because a document below the cutoff
    may tie with a document at the cutoff.
    """
    return None if metric.ties == "share" else metric.cutoff


def weights_of(judged: JudgedRankings, rows: Retrieved, metric: WeightedPrecision) -> Floats:
    """Return the amount that each document in `rows` would add to a score with the largest gain.

    The amounts are computed in blocks, so that intermediate arrays stay in the cache.
    """
    greatest = metric.greatest(judged)
    weights = np.zeros(len(rows.rank))
    for start in range(0, len(weights), BLOCK):
        some = slice(start, start + BLOCK)
        columns = (rows.rank, rows.tie_first, rows.tie_last)
        rank, first, last = (column[some].astype(np.int64) for column in columns)
        weights[some] = greatest * metric.weights_at(rank, first, last, judged.depth)
    return weights


def ends_of_weights(pairs: Pairs, metric: WeightedPrecision, unjudged: Assumption) -> Ends:
    """Return the exact bounds on the differences of all pairs.

    Let wA(d) and wB(d) be the weights of document d in A and in B, 0 if the run does not retrieve
    d, and let gains be between 0 and g. The difference is the current one plus Σ gain(d) × (wA(d) −
    wB(d)) over the unjudged documents. Each gain can be chosen independently. The largest
    difference is therefore the current one plus g Σ max(0, wA − wB), and the smallest the current
    one minus g Σ max(0, wB − wA).

    Under the assumption `open`, each run can continue below its end. Let TA and TB be the weights
    of all ranks below the ends of A and B. The continuation of A adds between 0 and g × TA to the
    difference, and that of B subtracts between 0 and g × TB. The difference is largest if A
    continues with relevant documents that B never retrieves, and B with non-relevant documents.
    The two continuations need not share documents, nor contain documents of the other run.
    """
    judged = pairs.judged
    rows = pairs.unjudged_to(deepest_weight(metric))
    weight = weights_of(judged, rows, metric)
    a, b = pairs.of(scores_of(metric, judged))
    open_a, open_b = pairs.of(np.bincount(rows.ranking(len(judged.topics)), weight, judged.count))
    shared = shared_weight(pairs, rows, weight)
    beyond_a = beyond_b = np.zeros(1)
    if unjudged == "open":
        tails = metric.greatest(judged) * metric.weight_below(judged.seen_length)
        beyond_a, beyond_b = pairs.of(tails)
    value = a - b
    low = value - np.maximum(open_b - shared, 0.0) - beyond_b
    high = value + np.maximum(open_a - shared, 0.0) + beyond_a
    return Ends(value, low, high, reached_low=low, reached_high=high)


def shared_weight(pairs: Pairs, rows: Retrieved, weight: Floats) -> Floats:
    """Return Σ min(wA, wB) over the unjudged documents of both runs, of shape (pairs, topics).

    wA and wB are the weights of a document in A and B. `weight` has the weight of each of the
    `rows`. Σ max(0, wA − wB) is Σ wA minus this sum.
    """
    runs, topics = len(pairs.judged.runs), len(pairs.judged.topics)
    found = np.zeros((len(pairs.first), topics))
    weighing = np.flatnonzero(weight > 0)
    topic = rows.topic[weighing]
    for some, at in blocks_of_topics(topic, BLOCK, CELLS // runs**2):
        here = weighing[at]
        shared = between_runs_by_topic(
            (some.stop - some.start, runs),
            topic[at].astype(np.int64) - some.start,
            rows.run[here].astype(np.int64),
            rows.code[here].astype(np.int64),
            weight[here],
        )
        found[:, some] = shared[:, pairs.first, pairs.second].T
    return found


def between_runs(run: Ints, document: Ints, weight: Floats, runs: int) -> Floats:
    """Return, for each pair of runs, the sum of the smaller of the two weights over documents.

    The result has the shape (runs, runs). Each row has a run, a document and the weight of the
    document in the run. Rows must be sorted by document and, within a document, by run.
    """
    return between_runs_by_topic((1, runs), np.zeros_like(run), run, document, weight)[0]


def between_runs_by_topic(
    shape: tuple[int, int], topic: Ints, run: Ints, document: Ints, weight: Floats
) -> Floats:
    """Return the result of `between_runs` for each topic, of shape (topics, runs, runs).

    `shape` is (topics, runs).
    """
    topics, runs = shape
    cells = topics * runs * runs
    row = (topic * runs + run) * runs  # the first cell of each row's topic and run
    shared = np.zeros(cells)
    for one, other in meetings(document):
        lesser = np.minimum(weight[one], weight[other])
        shared += np.bincount(row[one] + run[other], lesser, cells)
    square = shared.reshape(topics, runs, runs)
    square = square + square.transpose(0, 2, 1)
    # A run shares its whole weight with itself.
    own = np.bincount(topic * runs + run, weight, topics * runs)
    square[:, np.arange(runs), np.arange(runs)] = own.reshape(topics, runs)
    return square


def meetings(document: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield all pairs of rows of the same document, as two columns; rows are sorted by document.

    Pairs of adjacent rows come first, then pairs that are two rows apart, and so on. Documents are
    processed in blocks, so that their rows stay in the cache.
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
