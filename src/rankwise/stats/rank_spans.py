"""Significance groups of a leaderboard: which ranks a system does not differ from.

Letters (a, ab, b …) run out at 26 and hide that "not significantly different" is no group: A may
not differ from B, nor B from C, and A yet differ from C. Ranks do neither.
"""

from typing import NamedTuple

import numpy as np

from rankwise.arrays import Bools, Floats, Ints


class Groups(NamedTuple):
    """For each system its rank by mean, and how the others stand to it.

    `worse` and `better` count the systems that are significantly worse, or better, than it.
    `from_rank` to `to_rank` span itself and all that it is not significantly different from. Where
    significance does not follow the order of the means, some in between do differ: `inside`.
    """

    rank: Ints
    worse: Ints
    better: Ints
    from_rank: Ints
    to_rank: Ints
    inside: Ints


def significance_groups(means: Floats, first: Ints, second: Ints, significant: Bools) -> Groups:
    """From the means of all systems and the test of each pair; NaN means come last.

    Which of a pair is better is said by the means, also where the test is one of ranks or
    signs. A pair that was not tested is not significantly different.
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
