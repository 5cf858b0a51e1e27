"""Computations of Wilcoxon's signed-rank test, for all pairs at once.

SciPy's function is as fast only if all pairs have the same topics.
"""

import numpy as np

from rankwise.arrays import TIED, Floats, Ints
from rankwise.stats.correlation import dense_ranks
from rankwise.vocabulary import Zeros

# Of the greatest difference of the pair. Rounding error is some 1e-16 of the scores; being
# relative, it is right for scores of any size, and p does not depend on their unit.


class SignedRanks:
    """Sum of the ranks of the positive differences of each pair, and its null moments.

    `none` marks pairs with all differences 0, `untied` those for which the exact distribution
    holds: no ties, and no zeros among the ranks. Absolute differences within `TIED` of each other
    tie, unless `raw`.
    """

    def __init__(self, differences: Floats, zeros: Zeros, *, raw: bool = False) -> None:
        zero = differences == 0
        used = ~np.isnan(differences) & ~(zero & (zeros == "drop"))
        size = np.where(used, np.abs(differences), np.inf)
        rank, ties = _ranks(size if raw else dense_ranks(size, TIED))
        nonzero, kept_zero = used & ~zero, used & zero
        self.count = used.sum(axis=1)
        self.none = ~nonzero.any(axis=1)
        self.untied = ~(used & (ties > 1)).any(axis=1) & ~kept_zero.any(axis=1)
        self.positive = (rank * (nonzero & (differences > 0))).sum(axis=1)
        if zeros == "split":
            self.positive += (rank * kept_zero).sum(axis=1) / 2
        # Pratt: zeros have the lowest ranks, and neither these nor their tie can vary
        still = kept_zero.sum(axis=1) if zeros == "pratt" else np.zeros_like(self.count)
        varying = nonzero if zeros == "pratt" else used
        self.mean = (_sum_to(self.count) - _sum_to(still)) / 2
        tied = ((ties**2 - 1) * varying).sum(axis=1)  # Σ (t³ − t) over groups of t ties
        self.variance = (_squares_to(self.count) - _squares_to(still)) / 4 - tied / 48

    def normal(self, correction: bool) -> Floats:
        """Two-sided p-values of the normal approximation; 1 where nothing varies."""
        from scipy.special import ndtr

        off = self.positive - self.mean
        off -= np.sign(off) / 2 * correction
        z = np.divide(off, np.sqrt(self.variance), where=~self.none, out=np.zeros_like(off))
        return 2 * ndtr(-np.abs(z))

    def exact(self, most: int) -> Floats:
        """Two-sided p-values from the number of subsets of 1 … n that have each sum; n ≤ `most`."""
        p = np.ones(len(self.count))
        chance = np.ones(1)  # of each sum of the ranks up to n
        for n in range(1, min(most, int(self.count.max(initial=0))) + 1):
            grown = np.concatenate([chance, np.zeros(n)])
            grown[n:] += chance
            chance = grown / 2
            here = self.count == n
            least = np.minimum(self.positive[here], _sum_to(np.array(n)) - self.positive[here])
            p[here] = np.minimum(1, 2 * chance.cumsum()[least.astype(np.int64)])
        return p


def _ranks(size: Floats) -> tuple[Floats, Floats]:
    """Rank each entry in its row, ties sharing their mean, and count the entries tied there."""
    from scipy.stats import rankdata

    first, last = (rankdata(size, method=end, axis=1) for end in ("min", "max"))
    return (first + last) / 2, last - first + 1.0


def _sum_to(n: Ints) -> Floats:
    """1 + 2 + … + n."""
    return n * (n + 1) / 2.0


def _squares_to(n: Ints) -> Floats:
    """1² + 2² + … + n²."""
    return n * (n + 1) * (2 * n + 1) / 6.0
