"""Significance groups of a leaderboard: which ranks a system does not differ from.

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
