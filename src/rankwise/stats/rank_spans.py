"""Ranks of a leaderboard: which ranks a system does not differ from, and which it may have.

Letters (a, ab, b …) run out at 26, and suggest that "not significantly different" is transitive:
A may not differ from B, nor B from C, and A may still differ from C. Spans of ranks avoid both.
"""

from typing import NamedTuple

import numpy as np

from rankwise.arrays import Bools, Floats, Ints


class Groups(NamedTuple):
    """Rank of each system by mean, and its relation to the others.

    `worse` and `better` count the systems that are significantly worse, or better, than it.
    `from_rank` to `to_rank` span itself and the systems not significantly different from it.
    Since significance does not follow the order of the means, the span may include systems that
    do differ: `inside` is their number.
    """

    rank: Ints
    worse: Ints
    better: Ints
    from_rank: Ints
    to_rank: Ints
    inside: Ints


def significance_groups(means: Floats, first: Ints, second: Ints, significant: Bools) -> Groups:
    """Compute the groups from the means of all systems and the test of each pair.

    NaN means come last. The means decide which of a pair is better, even if the test uses ranks
    or signs. A pair that was not tested is not significantly different.
    """
    size = len(means)
    order = np.argsort(-means, kind="stable")  # NaN last
    rank = np.empty(size, np.int64)
    rank[order] = np.arange(1, size + 1)
    differ = np.zeros((size, size), np.bool_)
    ranks_a, ranks_b = rank[first] - 1, rank[second] - 1
    differ[ranks_a, ranks_b] = significant
    differ |= differ.T
    ranks = np.arange(size)
    below = ranks[None, :] > ranks[:, None]
    worse, better = (differ & below).sum(axis=1), (differ & ~below).sum(axis=1)
    from_rank = np.argmin(differ, axis=1)
    to_rank = size - 1 - np.argmin(differ[:, ::-1], axis=1)
    inside = (to_rank - from_rank + 1) - (size - worse - better)
    columns = (worse, better, from_rank + 1, to_rank + 1, inside)
    return Groups(rank, *(column[rank - 1] for column in columns))


def rank_sets(
    low: Floats, high: Floats, first: Ints, second: Ints, systems: int
) -> tuple[Ints, Ints]:
    """Return the lowest and the highest rank that each system may have, 1 being the best.

    `low` and `high` are simultaneous confidence intervals of all differences first − second,
    where higher is better. A system is below as many others as have an interval that shows them
    better, and above those shown worse. If all intervals hold their difference, all true ranks
    are in these sets: they are simultaneous at the same confidence. Ties in the true order may be
    resolved either way. NaN intervals show nothing. Mogstad, Romano, Shaikh and Wilhelm, Review
    of Economic Studies 91(1), 2024.

    >>> low, high = np.array([0.1, 0.2, -0.1]), np.array([0.3, 0.4, 0.2])
    >>> first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> [ends.tolist() for ends in rank_sets(low, high, first, second, 3)]
    [[1, 2, 2], [1, 3, 3]]
    """
    better, worse = low > 0, high < 0  # of the first
    above = np.bincount(first[worse], minlength=systems)
    above += np.bincount(second[better], minlength=systems)
    below = np.bincount(first[better], minlength=systems)
    below += np.bincount(second[worse], minlength=systems)
    return 1 + above, systems - below
