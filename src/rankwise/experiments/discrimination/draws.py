"""Topic sets drawn at random, as tallies: how often each topic is in each set.

With tallies a mean over a drawn set is a product of matrices, for all systems and all sets
at once.
"""

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.errors import CallError
from rankwise.scores.table import LEAST_IN_GEOMETRIC_MEAN
from rankwise.vocabulary import Mean


def with_replacement(topics: int, size: int, count: int, rng: np.random.Generator) -> Ints:
    """`count` sets of `size` topics, each topic as often as it comes; sets × topics."""
    return tallied(rng.integers(topics, size=(count, size)), topics)


def disjoint_pairs(
    topics: int, size: int, count: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """`count` pairs of sets of `size` topics that have no topic in common."""
    if not 1 <= size <= topics // 2:
        fit = f"two sets apart must fit into {topics} topics, so 1 to {topics // 2}"
        raise CallError(f"topic sets of {size}: {fit}.")
    order = rng.permuted(np.tile(np.arange(topics), (count, 1)), axis=1)
    return tallied(order[:, :size], topics), tallied(order[:, size : 2 * size], topics)


def tallied(drawn: Ints, topics: int) -> Ints:
    """How often each topic occurs in each row of drawn topics."""
    rows = np.arange(len(drawn))[:, None] * topics
    counts = np.bincount((rows + drawn).ravel(), minlength=len(drawn) * topics)
    return counts.reshape(len(drawn), topics)


def set_means(values: Floats, tallies: Ints, averaged: Mean = "arithmetic") -> Floats:
    """The mean of each system over each set: systems × sets."""
    weights = tallies.T / tallies.sum(axis=1)
    if averaged == "geometric":
        return np.exp(logarithms(values) @ weights)
    return values @ weights


def logarithms(values: Floats) -> Floats:
    """What a geometric mean adds up; it takes 0.00001 for anything less, as everywhere."""
    return np.log(np.maximum(values, LEAST_IN_GEOMETRIC_MEAN))


def best_of(means: Floats, less_is_better: bool) -> float:
    """The best of some means: the greatest, or the least where less is better."""
    return float(means.min() if less_is_better else means.max())


def overall_means(values: Floats, averaged: Mean = "arithmetic") -> Floats:
    """The mean of each system over all topics."""
    return set_means(values, np.ones((1, values.shape[1]), np.int64), averaged)[:, 0]
