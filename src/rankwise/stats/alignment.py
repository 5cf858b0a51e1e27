"""Rank-biased alignment and rank-biased recall: RBP's weights, for two rankings."""

from typing import NamedTuple

import numpy as np

from rankwise.arrays import Floats, Ints, Shorts
from rankwise.stats.rbo import SharedItems, TiedRankings, check_persistence, pair_sums


class Aligned(NamedTuple):
    """Lower and upper bounds, one of each per pair of rankings."""

    low: Floats
    high: Floats


def rank_weights(rankings: TiedRankings, place: Ints, p: float) -> Floats:
    """Return the weight (1 − p) p^(rank − 1) of items at places; tied items share their weights."""
    first, last = rankings.tie_first[place], rankings.tie_last[place]
    powers = p ** np.arange(int(last.max(initial=0)) + 1.0)
    return (powers[first - 1] - powers[last]) / (last - first + 1)


def rank_biased_alignment(
    rankings: TiedRankings, a: Ints, b: Ints, shared: SharedItems, p: float
) -> Aligned:
    """Return the rank-biased alignment (RBA) of pairs of rankings, with its bounds.

    Σ √(w(rank in A) w(rank in B)) over the shared items, with the weights of RBP; package
    `rbstar` by the authors of RBP. It is symmetric, and 1 for identical endless rankings. The
    lower bound has nothing more in common below the ends. For the upper bound each ranking
    continues with the items that only the other one has, in the same order, and then both
    continue with the same items.
    """
    check_persistence(p)
    pair, rank_a, rank_b = shared
    weight_a = rank_weights(rankings, rankings.start[a][pair] + rank_a - 1, p)
    weight_b = rank_weights(rankings, rankings.start[b][pair] + rank_b - 1, p)
    low = pair_sums(pair, np.sqrt(weight_a * weight_b), len(a))
    own_a = _continued(rankings, a, b, shared.pair, rank_a, p)
    own_b = _continued(rankings, b, a, shared.pair, rank_b, p)
    length = rankings.length
    end = length[a] + length[b] - np.bincount(pair, minlength=len(a))
    return Aligned(low, low + own_a + own_b + p**end)


def _continued(
    rankings: TiedRankings,
    a: Ints,
    b: Ints,
    pair: Ints,
    rank: Ints | Shorts,
    p: float,
) -> Floats:
    """Return what A's own items add if B continues with them; tied items stay tied."""
    size = rankings.length[a]
    start = np.cumsum(size) - size
    alone = np.ones(int(size.sum()), np.bool_)
    alone[start[pair] + rank - 1] = False
    item = np.flatnonzero(alone)
    of = np.repeat(np.arange(len(a)), size)[item]
    source = rankings.start[a][of] + item - start[of]
    before = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=len(a)))])
    rank_in_b = rankings.length[b][of] + np.arange(len(item)) - before[of] + 1
    weight_b = ((1 - p) * p ** np.arange(int(rank_in_b.max(initial=0)) + 0.0))[rank_in_b - 1]
    first = rankings.tie_first[source]
    new = np.ones(len(item), np.bool_)
    new[1:] = (of[1:] != of[:-1]) | (first[1:] != first[:-1])
    group = np.cumsum(new) - 1
    weight_b = (np.bincount(group, weight_b) / np.maximum(np.bincount(group), 1))[group]
    return pair_sums(of, np.sqrt(rank_weights(rankings, source, p) * weight_b), len(a))


def rank_biased_recall(
    rankings: TiedRankings, a: Ints, b: Ints, shared: SharedItems, p: float
) -> Aligned:
    """Return the rank-biased recall (RBR) of the items of B, by the ranking A, with its bounds.

    The sum of the weights that the items of B have in A; package `rbstar` by the authors of
    RBP. B is a set: its order does not matter. For the upper bound A continues with the items
    that only B has.
    """
    check_persistence(p)
    place = rankings.start[a][shared.pair] + shared.rank_a - 1
    weight = rank_weights(rankings, place, p)
    low = pair_sums(shared.pair, weight, len(a))
    others = rankings.length[b] - np.bincount(shared.pair, minlength=len(a))
    end = rankings.length[a].astype(np.float64)
    return Aligned(low, low + p**end - p ** (end + others))
