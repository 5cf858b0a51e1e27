"""Random topic sets as counts: the frequency of each topic in each set.

With counts, a mean over a drawn set is a matrix product, for all systems and all sets at once.
"""

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.errors import CallError
from rankwise.scores import LEAST_IN_GEOMETRIC_MEAN
from rankwise.vocabulary import Mean


def with_replacement(topics: int, size: int, count: int, rng: np.random.Generator) -> Ints:
    """Draw `count` sets of `size` topics with replacement, as counts: sets × topics."""
    return tallied(rng.integers(topics, size=(count, size)), topics)


def disjoint_pairs(
    topics: int, size: int, count: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Draw `count` pairs of disjoint sets of `size` topics."""
    if not 1 <= size <= topics // 2:
        fit = f"two disjoint sets of {topics} topics have 1 to {topics // 2} topics each"
        raise CallError(f"topic sets of {size}: {fit}.")
    order = rng.permuted(np.tile(np.arange(topics), (count, 1)), axis=1)
    return tallied(order[:, :size], topics), tallied(order[:, size : 2 * size], topics)


def tallied(drawn: Ints, topics: int) -> Ints:
    """Count the occurrences of each topic in each row of drawn topics."""
    rows = np.arange(len(drawn))[:, None] * topics
    counts = np.bincount((rows + drawn).ravel(), minlength=len(drawn) * topics)
    return counts.reshape(len(drawn), topics)


def set_means(values: Floats, tallies: Ints, averaged: Mean = "arithmetic") -> Floats:
    """Return the mean of each system over each set: systems × sets."""
    weights = tallies.T / tallies.sum(axis=1)
    if averaged == "geometric":
        return np.exp(logarithms(values) @ weights)
    return values @ weights


def worst_area(values: Floats) -> Floats:
    """Area measure of TREC's robust track: MAP(x) averaged over x. Topics are the last axis.

    MAP(x) is the mean over the worst x topics; x goes from 1 to a quarter of the topics.
    Voorhees, Overview of the TREC 2004 Robust Retrieval Track.

    >>> worst_area(np.array([0.9, 0.2, 0.5, 0.1, 0.3, 0.8, 0.7, 0.6])).round(4).tolist()
    0.125
    """
    quarter = max(1, values.shape[-1] // 4)
    return _area(np.sort(np.partition(values, quarter - 1, axis=-1)[..., :quarter], axis=-1))


def worst_areas_of_draws(values: Floats, drawn: Ints) -> Floats:
    """The same for each row of values and each row of drawn places of it: rows × draws.

    Each row is put in order once. Then places in that order are sorted, not values: they have
    16 bits, or 32 where there are very many topics.
    """
    order = np.argsort(values, axis=1)
    kind = np.uint16 if values.shape[1] < 1 << 16 else np.uint32
    place = np.empty(values.shape, kind)
    np.put_along_axis(place, order, np.arange(values.shape[1], dtype=kind)[None], axis=1)
    quarter = max(1, drawn.shape[1] // 4)
    worst = np.sort(place[:, drawn], axis=-1)[..., :quarter]
    here = order[np.arange(len(order))[:, None, None], worst]
    return _area(values[np.arange(len(values))[:, None, None], here])


def _area(worst: Floats) -> Floats:
    """Mean over the worst topics, in order, of the means over the first 1, 2 … of them."""
    means = np.cumsum(worst, axis=-1) / np.arange(1, worst.shape[-1] + 1)
    return np.asarray(means.mean(axis=-1))


def logarithms(values: Floats) -> Floats:
    """Logarithms for a geometric mean; values below 0.00001 are raised to 0.00001."""
    return np.log(np.maximum(values, LEAST_IN_GEOMETRIC_MEAN))


def best_of(means: Floats, less_is_better: bool) -> float:
    """Return the best mean: the largest, or the smallest if lower is better."""
    return float(means.min() if less_is_better else means.max())


def overall_means(values: Floats, averaged: Mean = "arithmetic") -> Floats:
    """Return the mean of each system over all topics."""
    return set_means(values, np.ones((1, values.shape[1]), np.int64), averaged)[:, 0]
