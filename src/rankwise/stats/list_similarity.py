"""Similarity of two rankings: rank-biased overlap, alignment, recall, and tau of the union."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints, Shorts, joined_ranges
from rankwise.errors import CallError, check_between, check_word

TIES = ("w", "a", "b")


class Overlap(NamedTuple):
    """Rank-biased overlap: lower bound `low`, upper bound `low + residual`, and `extrapolated`.

    See `rank_biased_overlap`. The fields are numbers for one pair of rankings, and arrays for
    several pairs.
    """

    low: Any
    residual: Any
    extrapolated: Any


def check_persistence(p: float) -> None:
    """Raise an error if the persistence p is not between 0 and 1."""
    check_between("p", p, 0.9)


def rank_biased_overlap(
    x: npt.ArrayLike, y: npt.ArrayLike, p: float = 0.9, ties: str = "w"
) -> Overlap:
    """Return the rank-biased overlap (RBO) of two rankings of items.

    RBO = (1 − p) Σ p^(d − 1) A(d) over all depths d (Webber, Moffat and Zobel, ACM TOIS 28(4),
    2010). The agreement A(d) is the number of items common to the first d items of both rankings,
    divided by d. `x` and `y` have a value for each item; higher is better, and NaN means that the
    ranking does not have the item.

    The rankings may differ in length, and are assumed to continue below their ends. `low` assumes
    that the rankings share no further items, and `low + residual` that they share as many further
    items as possible. `extrapolated` assumes that the agreement at the end stays constant (equation
    32 of Webber et al.). For two rankings of the same items, this agreement is 1. `ties` is the
    treatment of tied items, explained in `tied_overlaps`; items below the ends are assumed to have
    no ties.

    At p = 0.9 the first ten ranks have about 86 % of the weight. The overlap of two random rankings
    is above 0.

    >>> overlap = rank_biased_overlap([3, 2, 1], [2, 3, 1], p=0.5)
    >>> [round(number, 4) for number in overlap]
    [0.4544, 0.0456, 0.5]
    """
    check_persistence(p)
    values = [np.asarray(order, dtype=np.float64) for order in (x, y)]
    if values[0].shape != values[1].shape:
        sizes = f"{values[0].size} and {values[1].size}"
        raise CallError(f"x and y must have the same number of items; they have {sizes}.")
    rank = [_ranks(order) for order in values]
    length = np.array([int(np.isfinite(order).sum()) for order in values])
    if not length.all():
        return Overlap(np.nan, np.nan, np.nan)
    tops = [np.sort(order[np.isfinite(order)])[::-1] for order in values]
    first = [1 + np.searchsorted(-top, -top, side="left") for top in tops]
    last = [np.searchsorted(-top, -top, side="right") for top in tops]
    rankings = TiedRankings(
        np.concatenate([[0], np.cumsum(length)]), np.concatenate(first), np.concatenate(last)
    )
    both = np.flatnonzero((rank[0] > 0) & (rank[1] > 0))
    shared = SharedItems(np.zeros(len(both), np.int64), rank[0][both], rank[1][both])
    found = tied_overlaps(rankings, np.array([0]), np.array([1]), shared, p, ties)
    return Overlap(*(float(column[0]) for column in found))


def _ranks(values: Floats) -> Ints:
    """Return ranks from 1, with ties in any order, and 0 for missing values."""
    present = np.flatnonzero(np.isfinite(values))
    ranks = np.zeros(len(values), np.int64)
    ranks[present[np.argsort(-values[present], kind="stable")]] = np.arange(1, len(present) + 1)
    return ranks


@dataclass(frozen=True, eq=False)
class TiedRankings:
    """Several concatenated rankings; each item has the first and the last rank of its tie group.

    The items of ranking i are at the positions from `start[i]` up to, but not including, `start[i +
    1]`.
    """

    start: Ints
    tie_first: Ints | Shorts
    tie_last: Ints | Shorts

    @property
    def length(self) -> Ints:
        return np.diff(self.start)


class SharedItems(NamedTuple):
    """Items that both rankings A and B of a pair have, one entry per item.

    `pair` is the index of the pair. `rank_a` and `rank_b` are the ranks in A and B, from 1.
    """

    pair: Ints
    rank_a: Ints | Shorts
    rank_b: Ints | Shorts


def pair_sums(pair: Ints, values: Floats, count: int) -> Floats:
    """Return the sum of the values of each pair; `pair` has the pair's index for each value.

    `count` is the number of pairs.
    """
    return np.bincount(pair, values, count).astype(np.float64, copy=False)


def tied_overlaps(
    rankings: TiedRankings, a: Ints, b: Ints, shared: SharedItems, p: float, ties: str
) -> Overlap:
    """Return the rank-biased overlap of pairs of rankings that may have ties.

    Pair i has the rankings `a[i]` and `b[i]`, which must not be empty. The agreement A(d) of two
    rankings at depth d (see `rank_biased_overlap`) depends on `ties` (Corsi and Urbano, SIGIR
    2024):

    - `ties="w"`: a tie means equality. All tied items are at the first rank of their group, so the
      first d ranks may have more than d items. A(d) is the number of common items divided by the
      mean number of items, as in Webber et al. (ACM TOIS 28(4), 2010).
    - `ties="a"`: a tie means uncertainty, and the result is the mean over all orders of the tied
      items.
    - `ties="b"`: A(d) is that of `ties="a"`, divided by the largest value that the ties allow, as
      in Kendall's tau-b.

    With `ties="w"` and `ties="b"`, the extrapolated overlap of a ranking with itself is 1 even if
    it has ties.
    """
    check_persistence(p)
    check_word("ties", ties, TIES)
    tops = _Tops(rankings, a, b, shared, ties)
    weights = _weights(p, int(2 * tops.long.max(initial=0)))
    by_depth = weights.at[tops.depth]
    tail = weights.none_in_common(tops.in_both, tops.long)
    low = tops.totals(by_depth * tops.agreement(tops.both)) + tail
    high = tops.totals(by_depth * tops.agreement(tops.both + tops.most_unseen))
    high += weights.all_in_common(tops.in_both, tops.short, tops.long)
    expected = tops.both + tops.expected_unseen
    extrapolated = tops.totals(by_depth * tops.agreement(expected))
    extrapolated += expected[tops.start[1:] - 1] / tops.long * p**tops.long
    return _within_bounds(low, high, extrapolated)


def _within_bounds(low: Floats, high: Floats, extrapolated: Floats) -> Overlap:
    """Return an `Overlap` in which rounding errors do not exceed the bounds."""
    high = np.maximum(low, high)
    return Overlap(low, high - low, np.clip(extrapolated, low, high))


class _Tops:
    """The tops (first 1, 2, … items) of pairs of rankings, to the end of the longer ranking.

    Columns have an entry for each pair and depth, grouped by pair; `start` has the first entry of
    each pair. `both` is the number of items in both tops. With ties `a` and `b`, an item of a tie
    group that crosses the depth counts in part.
    """

    def __init__(
        self, rankings: TiedRankings, a: Ints, b: Ints, shared: SharedItems, ties: str
    ) -> None:
        swap = rankings.length[a] > rankings.length[b]
        self.rankings, self.ties = rankings, ties
        self.shorter, self.longer = np.where(swap, b, a), np.where(swap, a, b)
        self.short, self.long = (rankings.length[side] for side in (self.shorter, self.longer))
        self.start = np.concatenate([[0], np.cumsum(self.long)])
        self.pair = np.repeat(np.arange(len(a)), self.long)
        self.depth = np.arange(len(self.pair)) - self.start[self.pair] + 1
        swapped = swap[shared.pair]
        self.shared = SharedItems(
            shared.pair,
            np.where(swapped, shared.rank_b, shared.rank_a),
            np.where(swapped, shared.rank_a, shared.rank_b),
        )
        self.in_both = np.bincount(shared.pair, minlength=len(a))
        self.both = self._both()

    def totals(self, values: Floats) -> Floats:
        """Return, for each pair of rankings, the sum of the values over all depths."""
        return pair_sums(self.pair, values, len(self.long))

    def _group(self, ranking: Ints, rank: Ints | Shorts) -> tuple[Ints, Ints]:
        """Return the first and the last rank of the tie group at each `rank` of each `ranking`."""
        place = self.rankings.start[ranking] + rank - 1
        first, last = self.rankings.tie_first[place], self.rankings.tie_last[place]
        return first.astype(np.int64), last.astype(np.int64)

    def _both(self) -> Floats:
        pair, rank_s, rank_l = self.shared
        first_s, last_s = self._group(self.shorter[pair], rank_s)
        first_l, last_l = self._group(self.longer[pair], rank_l)
        begin = np.maximum(first_s, first_l)
        whole = begin if self.ties == "w" else np.maximum(last_s, last_l)
        counts = np.bincount(self.start[pair] + whole - 1, minlength=len(self.pair))
        sums = np.concatenate([[0.0], np.cumsum(counts)])
        both = sums[1:] - sums[self.start[:-1]][self.pair]
        # Between depths `begin` and `whole` an item is partly in both tops.
        size = whole - begin
        item, depth = joined_ranges(begin, size)
        part = _included(depth, first_s[item], last_s[item])
        part = part * _included(depth, first_l[item], last_l[item])
        place = self.start[pair][item] + depth - 1
        return both + np.bincount(place, part, len(self.pair))

    @cached_property
    def _is_seen(self) -> Bools:
        """Whether the shorter ranking reaches each depth."""
        return self.depth <= self.short[self.pair]

    @cached_property
    def _groups_of_longer(self) -> tuple[Ints, Ints]:
        return self._group(self.longer[self.pair], self.depth)

    @cached_property
    def _sizes(self) -> Floats:
        """The divisor of the agreement at each depth, which depends on how ties are treated."""
        if self.ties == "a":
            return self.depth.astype(np.float64)
        rank = np.where(self._is_seen, self.depth, 1)
        groups = self._group(self.shorter[self.pair], rank), self._groups_of_longer
        if self.ties == "w":
            short, long = (last.astype(np.float64) for _, last in groups)
            return (np.where(self._is_seen, short, self.depth) + long) / 2
        short, long = (_squares(self.depth, *group) for group in groups)
        return np.sqrt(np.where(self._is_seen, short, self.depth) * long)

    def agreement(self, both: Floats) -> Floats:
        """Return the agreement A(d) at each depth d, where `both` items are in both tops."""
        return both / self._sizes

    @cached_property
    def _only_longer(self) -> tuple[Floats, Floats, Floats]:
        """Three arrays, by depth, about the items that only the longer ranking has.

        The first has the number of these items wholly within the depth. The second has their number
        in the tie group that crosses the depth, and the third the fraction of that group within the
        depth.
        """
        alone = np.ones(len(self.pair))
        alone[self.start[self.shared.pair] + self.shared.rank_b - 1] = 0
        sums = np.concatenate([[0.0], np.cumsum(alone)])
        first, last = self._groups_of_longer
        start = self.start[:-1][self.pair]
        above, within = (sums[start + rank] - sums[start] for rank in (first - 1, last))
        if self.ties == "w":
            return within, np.zeros(len(alone)), np.zeros(len(alone))
        ends = self.depth == last
        whole = np.where(ends, within, above)
        return whole, np.where(ends, 0.0, within - above), _included(self.depth, first, last)

    @property
    def most_unseen(self) -> Floats:
        """The largest number of items that can be added to `both`, for each depth.

        The items are possible continuations of the shorter ranking below its end.
        """
        unseen = np.maximum(self.depth - self.short[self.pair], 0)
        whole, partial, fraction = self._only_longer
        return np.minimum(unseen, whole) + np.clip(unseen - whole, 0, partial) * fraction

    @property
    def expected_unseen(self) -> Floats:
        """The number of items to add to `both` if the agreement does not change.

        The agreement at the end of the shorter ranking is used for all larger depths.
        """
        unseen = np.maximum(self.depth - self.short[self.pair], 0)
        agreement = self.agreement(self.both)[self.start[:-1] + self.short - 1]
        whole, partial, fraction = self._only_longer
        count = np.maximum(whole + partial, 1)
        return unseen * agreement[self.pair] * (whole + partial * fraction) / count


def _included(depth: Ints, first: Ints, last: Ints) -> Floats:
    """Return the fraction of each tie group that is at ranks down to `depth`."""
    return np.clip((depth - first + 1) / (last - first + 1), 0.0, 1.0)


def _squares(depth: Ints, first: Ints, last: Ints) -> Floats:
    """Return Σ fraction² over the items of a ranking: its agreement with itself times depth."""
    return np.asarray(first - 1 + (depth - first + 1.0) ** 2 / (last - first + 1))


class _Weights:
    """Cumulative sums of the weights (1 − p) p^(d − 1) of depths d, and of weight / d."""

    def __init__(self, p: float, depth: int) -> None:
        self.p = p
        depths = np.arange(1, depth + 1)
        self.at = np.concatenate([[0.0], (1 - p) * p ** (depths - 1.0)])
        by_depth = self.at[1:] / depths
        self.sums = np.cumsum(self.at)
        self.sums_by_depth = np.concatenate([[0.0], np.cumsum(by_depth)])
        # The rest of the series beyond the table, from the sum of the whole series.
        rest = max(-np.log1p(-p) * (1 - p) / p - self.sums_by_depth[-1], 0.0)
        self.from_depth = np.concatenate([np.cumsum(by_depth[::-1])[::-1], [0.0]]) + rest

    def none_in_common(self, in_both: Ints, long: Ints) -> Floats:
        """Return the part of the overlap below both ends if the rankings share no further item."""
        return in_both * self.from_depth[long]

    def all_in_common(self, in_both: Ints, short: Ints, long: Ints) -> Floats:
        """Return the part of the overlap below both ends if they share as many items as possible.

        Below the length l of the longer ranking, each further rank of either ranking adds a common
        item. With s the length of the shorter ranking, the two tops are the same at depth l + s −
        `in_both`.
        """
        end = short + long - in_both
        by_depth = self.sums_by_depth[end] - self.sums_by_depth[long]
        return 2 * (self.sums[end] - self.sums[long]) - end * by_depth + self.p**end


_weights_to = lru_cache(maxsize=8)(_Weights)


def _weights(p: float, depth: int) -> _Weights:
    """Return cached weights, down to the next power of 2 above `depth`."""
    return _weights_to(p, 1 << depth.bit_length())


def overlap_weights(p: float, depth: int) -> Floats:
    """Return the RBO weight of a shared item at each rank from 0 (weight 0) to `depth`.

    The rank is the larger of the item's two ranks. The weight of rank r is (1 − p) Σ p^(d − 1) / d
    over all depths d ≥ r. Without ties, the sum of the weights of all items that two rankings share
    is the lower bound of their RBO.
    """
    check_persistence(p)
    return np.concatenate([[0.0], _weights(p, depth).from_depth[:depth]])


def overlaps_of_sums(
    low: Floats, in_both: Ints, in_both_at_short: Ints, short: Ints, long: Ints, p: float
) -> Overlap:
    """Return the RBO of pairs of rankings without ties, from sums over the shared items.

    `low` is the sum of the `overlap_weights` of the shared items, and `in_both` their number.
    `short` and `long` are the lengths of the shorter and the longer ranking, which must not be 0.
    `in_both_at_short` is the number of items that are in the first `short` ranks of both.
    """
    weights = _weights(p, int(2 * long.max(initial=0)))
    seen = low - weights.none_in_common(in_both, long)
    by_depth = weights.sums_by_depth[long] - weights.sums_by_depth[short]
    unseen = weights.sums[long] - weights.sums[short] - short * by_depth
    high = seen + unseen + weights.all_in_common(in_both, short, long)
    agreement = in_both_at_short / short
    end = (in_both + (long - short) * agreement) / long
    extrapolated = seen + agreement * unseen + end * p**long
    return _within_bounds(low, high, extrapolated)


class Aligned(NamedTuple):
    """Lower and upper bounds of the similarity (RBA or RBR) of each pair of rankings."""

    low: Floats
    high: Floats


def rank_weights(rankings: TiedRankings, place: Ints, p: float) -> Floats:
    """Return the weights (1 − p) p^(rank − 1) of items; tied items get their mean weight.

    `place` has the positions of the items in the concatenated rankings, from 0.
    """
    first, last = rankings.tie_first[place], rankings.tie_last[place]
    powers = p ** np.arange(int(last.max(initial=0)) + 1.0)
    return (powers[first - 1] - powers[last]) / (last - first + 1)


def rank_biased_alignment(
    rankings: TiedRankings, a: Ints, b: Ints, shared: SharedItems, p: float
) -> Aligned:
    """Return the rank-biased alignment (RBA) of pairs of rankings, with its bounds.

    Pair i has the rankings A = `a[i]` and B = `b[i]`. RBA is Σ √(w(rank in A) w(rank in B)) over
    the shared items, where w(r) = (1 − p) p^(r − 1) is the RBP weight of rank r; tied items have
    their mean weight. RBA comes from the package `rbstar` by the authors of RBP. RBA is symmetric,
    and 1 for identical infinite rankings. The lower bound assumes that the rankings share no
    further items below their ends. For the upper bound, each ranking continues with the items that
    only the other ranking has, in the same order, and then both continue with the same items.
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
    rankings: TiedRankings, a: Ints, b: Ints, pair: Ints, rank: Ints | Shorts, p: float
) -> Floats:
    """Return the sum that the items only in A add to RBA if B continues with these items.

    Items that are tied in A stay tied in B.
    """
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
    """Return the rank-biased recall (RBR) of one ranking's items by another, with bounds.

    Pair i has the rankings A = `a[i]` and B = `b[i]`. RBR is the sum of w(rank in A) over the
    shared items, where w(r) = (1 − p) p^(r − 1) is the RBP weight of rank r; tied items have their
    mean weight. RBR comes from the package `rbstar` by the authors of RBP. B is a set, so its order
    does not matter. The lower bound assumes that the rankings share no further items. For the upper
    bound, A continues with the items that only B has.
    """
    check_persistence(p)
    place = rankings.start[a][shared.pair] + shared.rank_a - 1
    weight = rank_weights(rankings, place, p)
    low = pair_sums(shared.pair, weight, len(a))
    others = rankings.length[b] - np.bincount(shared.pair, minlength=len(a))
    end = rankings.length[a].astype(np.float64)
    return Aligned(low, low + p**end - p ** (end + others))


AT_A_TIME = 1 << 20  # ranks of several pairs of rankings, few enough to stay in the cache
STRETCH = 16


def tau_of_union(length_a: Ints, length_b: Ints, shared: SharedItems) -> Floats:
    """Return Kendall's tau of the union (KTU) for pairs of rankings.

    The union of both rankings has the items of A in order, then the items that only B has. Each
    ranking becomes the list of the positions of its items in the union. KTU is the tau of these two
    lists, down to the end of the shorter ranking (Breuer et al., SIGIR 2020).

    KTU is NaN if the shorter ranking has fewer than two items. It is also NaN if the rankings share
    no item, because without shared items both lists are always in the same order, and tau would be
    1.
    """
    size = np.minimum(length_a, length_b)
    width = 1 << max(int(size.max(initial=1)) - 1, 1).bit_length()
    step = max(1, AT_A_TIME // width)
    counts = np.zeros(len(size), np.int64)
    starts = np.searchsorted(shared.pair, np.arange(0, len(size) + step, step))
    for block, begin in enumerate(range(0, len(size), step)):
        some = slice(begin, begin + step)
        here = slice(int(starts[block]), int(starts[block + 1]))
        rows = SharedItems(shared.pair[here], shared.rank_a[here], shared.rank_b[here])
        places = _places(length_a[some], size[some], width, rows, begin)
        counts[some] = inversions(places)
    with np.errstate(divide="ignore", invalid="ignore"):
        related = (size > 1) & (np.bincount(shared.pair, minlength=len(size)) > 0)
        return np.where(related, 1 - 4 * counts / (size * (size - 1.0)), np.nan)


def _places(
    length_a: Ints, size: Ints, width: int, shared: SharedItems, begin: int
) -> npt.NDArray[np.int32]:
    """Return the positions of B's items in the union, of shape (pairs, ranks).

    Beyond the end of the shorter ranking the numbers increase, so that they add no inversions.
    """
    rank = np.arange(width)
    is_alone = np.broadcast_to(rank < size[:, None], (len(size), width)).copy()
    pair = shared.pair - begin
    inside = shared.rank_b <= size[pair]
    pair, rank_a, rank_b = pair[inside], shared.rank_a[inside], shared.rank_b[inside]
    is_alone[pair, rank_b - 1] = False
    places = length_a[:, None] + np.cumsum(is_alone, axis=1)
    places[pair, rank_b - 1] = rank_a
    places = np.where(rank < size[:, None], places, length_a[:, None] + 2 * width + rank)
    return places.astype(np.int32)


def inversions(rows: npt.NDArray[np.int32]) -> Ints:
    """Return the number of inversions in each row, whose length is a power of 2.

    Within short stretches all pairs of numbers are compared. Then a merge sort is applied to all
    rows at once: when two sorted halves are merged, each number of the first half has an inversion
    with each smaller number of the second.

    >>> inversions(np.array([[3, 1, 2, 4], [1, 2, 3, 4]], np.int32)).tolist()
    [2, 0]
    """
    count, width = rows.shape
    size = min(STRETCH, width)
    stretches = rows.reshape(-1, size)
    totals = np.zeros(count, np.int64)
    for apart in range(1, size):
        greater = stretches[:, :-apart] > stretches[:, apart:]
        totals += np.count_nonzero(greater.reshape(count, -1), axis=1)
    rows = np.sort(stretches, axis=1)
    while size < width:
        halves = rows.reshape(-1, 2 * size) * 2
        halves[:, size:] += 1
        halves.sort(axis=1)
        second = halves & 1
        smaller = np.cumsum(second, axis=1, dtype=np.int32)
        smaller *= 1 - second
        totals += smaller.reshape(count, -1).sum(axis=1, dtype=np.int64)
        rows = halves >> 1
        size *= 2
    return totals
