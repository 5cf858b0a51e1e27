"""Rank-biased overlap of two rankings, with bounds for their unseen ends."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats
from rankwise.errors import CallError


class Overlap(NamedTuple):
    """`low` and `low + residual` bound the overlap; `extrapolated` is the point between."""

    low: float
    residual: float
    extrapolated: float


def rank_biased_overlap(x: npt.ArrayLike, y: npt.ArrayLike, p: float = 0.9) -> Overlap:
    """Rank-biased overlap: similarity of two rankings, weighted towards the top.

    (1 − p) Σ p^(d − 1) A(d) over all depths d, where the agreement A(d) is the fraction of the
    top d that is in both rankings. Webber, Moffat and Zobel, ACM TOIS 28(4), 2010. `x` and `y`
    have a value for each item, higher is better, NaN if the ranking lacks the item.

    Rankings continue unseen below their ends: `low` assumes no further overlap there, and `low +
    residual` the maximum. `extrapolated` continues the agreement seen so far (their equation 32),
    which is 1 for two rankings of the same items. The lengths may differ.

    Tied items all have the first rank of their group, as in Webber et al., so the top d may have
    more than d items: A(d) = 2 |both| / (|one| + |other|). The unseen part is assumed to have no
    ties.

    The top ten get about 86 % of the weight at p = 0.9. It is not corrected for chance: two
    random rankings have an overlap above 0.

    >>> found = rank_biased_overlap([3, 2, 1], [2, 3, 1], p=0.5)
    >>> [round(number, 4) for number in found]
    [0.4544, 0.0456, 0.5]
    """
    if not 0 < p < 1:
        raise CallError(f"p={p:g}: the p of rank-biased overlap is between 0 and 1.")
    first, second = _first_ranks(x), _first_ranks(y)
    if first.shape != second.shape:
        raise CallError(f"orders of the same items are needed; {first.size} and {second.size}.")
    if np.isfinite(first).sum() > np.isfinite(second).sum():
        first, second = second, first
    seen = _Tops(first, second)
    if not seen.short:
        return Overlap(np.nan, np.nan, np.nan)
    low = _sum(seen.agreement(seen.both), p) + seen.unseen_with_none(p)
    high = _sum(seen.agreement_at_best(), p) + p**seen.depth_of_all
    return Overlap(low, max(high - low, 0.0), seen.extrapolated(p))


def _first_ranks(values: npt.ArrayLike) -> Floats:
    """First rank of each value: 1 + number of better values; infinite for NaN."""
    given = np.asarray(values, dtype=np.float64)
    present = np.isfinite(given)
    better = np.sort(-given[present])
    ranks = np.full(given.shape, np.inf)
    ranks[present] = 1 + np.searchsorted(better, -given[present], side="left")
    return ranks


def _sum(agreement: Floats, p: float) -> float:
    depths = np.arange(len(agreement))
    return float((1 - p) * (agreement * p**depths).sum())


class _Tops:
    """Overlap of two rankings in their top 1, 2, … `long` items; `short` ends first."""

    def __init__(self, first: Floats, second: Floats) -> None:
        self.short, self.long = (int(np.isfinite(ranks).sum()) for ranks in (first, second))
        self.depths = np.arange(1, self.long + 1)
        self.unseen = np.maximum(self.depths - self.short, 0)  # in the short one
        later = np.maximum(first, second)
        self.both = self._up_to(later)
        self.sizes = (self._up_to(first) + self.unseen + self._up_to(second)) / 2
        # Where all that is in only one of them turns up in the other, they are the same.
        self.depth_of_all = self.short + self.long - int(self.both[-1]) if self.long else 0

    def _up_to(self, ranks: Floats) -> Floats:
        return np.searchsorted(np.sort(ranks), self.depths, side="right").astype(np.float64)

    def agreement(self, both: Floats) -> Floats:
        return both / self.sizes

    def agreement_at_best(self) -> Floats:
        """Agreement down to `depth_of_all` if the unseen items are those of the other ranking."""
        below = np.arange(self.long + 1, self.depth_of_all + 1)
        found = self.both[-1] + 2 * below - self.short - self.long
        return np.concatenate([self.agreement(self.both + self.unseen), found / below])

    def unseen_with_none(self, p: float) -> float:
        """Contribution below the longer ranking if no further items are in both."""
        tail = -np.log1p(-p) - (p**self.depths / self.depths).sum()
        return float((1 - p) / p * self.both[-1] * tail)

    def extrapolated(self, p: float) -> float:
        """Extrapolate the agreement at the end of the shorter ranking to its unseen part."""
        share = self.both[self.short - 1] / self.short
        both = self.both + share * self.unseen
        agreement = self.agreement(both)
        return _sum(agreement, p) + float(agreement[-1] * p**self.long)
