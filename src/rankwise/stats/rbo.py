"""Rank-biased overlap of rankings: bounds, extrapolation, and three treatments of ties."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints, Shorts
from rankwise.errors import CallError, check_word

TIES = ("w", "a", "b")


class Overlap(NamedTuple):
    """Lower bound `low`, upper bound `low + residual`, and the `extrapolated` overlap.

    Numbers for one pair of rankings, arrays for several.
    """

    low: Any
    residual: Any
    extrapolated: Any


def check_persistence(p: float) -> None:
    """Refuse a p that is not between 0 and 1."""
    if not 0 < p < 1:
        raise CallError(f"p={p:g}: the p of rank-biased overlap is between 0 and 1.")


def rank_biased_overlap(
    x: npt.ArrayLike, y: npt.ArrayLike, p: float = 0.9, ties: str = "w"
) -> Overlap:
    """Return the rank-biased overlap of two orders of items.

    (1 − p) Σ p^(d − 1) A(d) over all depths d, where the agreement A(d) is the fraction of the
    two tops of d items that is in both. Webber, Moffat and Zobel, ACM TOIS 28(4), 2010. `x` and
    `y` hold a value for each item, higher is better, NaN where the order lacks the item.

    Orders continue below their ends, unseen: `low` assumes that nothing more is in both, and
    `low + residual` that all is that can be. `extrapolated` continues with the agreement seen
    so far (their equation 32), which is 1 for two orders of the same items. The lengths may
    differ. For `ties` see `tied_overlaps`; the unseen items are assumed to have none.

    At p = 0.9 the first ten ranks have about 86 % of the weight. The overlap of two random
    orders is above 0.

    >>> overlap = rank_biased_overlap([3, 2, 1], [2, 3, 1], p=0.5)
    >>> [round(number, 4) for number in overlap]
    [0.4544, 0.0456, 0.5]
    """
    check_persistence(p)
    values = [np.asarray(order, dtype=np.float64) for order in (x, y)]
    if values[0].shape != values[1].shape:
        sizes = f"{values[0].size} and {values[1].size}"
        raise CallError(f"orders of the same items are needed; {sizes}.")
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
    """Return ranks from 1, equal values in any order; 0 where there is no value."""
    present = np.flatnonzero(np.isfinite(values))
    ranks = np.zeros(len(values), np.int64)
    ranks[present[np.argsort(-values[present], kind="stable")]] = np.arange(1, len(present) + 1)
    return ranks


@dataclass(frozen=True, eq=False)
class TiedRankings:
    """Several rankings, one after another: the first and the last rank tied with each rank.

    Ranking i has the places from `start[i]` to `start[i + 1]`.
    """

    start: Ints
    tie_first: Ints | Shorts
    tie_last: Ints | Shorts

    @property
    def length(self) -> Ints:
        """The number of items of each ranking."""
        return np.diff(self.start)


class SharedItems(NamedTuple):
    """The items that both rankings of a pair hold: the pair, and the rank in each, from 1."""

    pair: Ints
    rank_a: Ints | Shorts
    rank_b: Ints | Shorts


def pair_sums(pair: Ints, values: Floats, count: int) -> Floats:
    """Return the sum of the values of each of `count` pairs."""
    return np.bincount(pair, values, count).astype(np.float64, copy=False)


def tied_overlaps(
    rankings: TiedRankings, a: Ints, b: Ints, shared: SharedItems, p: float, ties: str
) -> Overlap:
    """Return the rank-biased overlap of pairs of rankings that may have ties.

    Pair i is of rankings `a[i]` and `b[i]`, none of them empty. Corsi and Urbano, SIGIR 2024,
    have three treatments of `ties`. `w`: a tie is equality; tied items are all at the first
    rank of their group, so that a top of d may hold more than d items, and A(d) is 2 |both| /
    (|one| + |other|), as Webber et al. have it. `a`: a tie is uncertainty; the mean over all
    orders of the tied items. `b`: `a` divided by what the ties leave, as in Kendall's tau-b,
    so that a ranking with ties has an overlap of 1 with itself.
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
    """Return the overlap without what rounding puts outside of the bounds."""
    high = np.maximum(low, high)
    return Overlap(low, high - low, np.clip(extrapolated, low, high))


class _Tops:
    """The tops of 1, 2, … items of pairs of rankings, down to the end of the longer one.

    Columns have a place for each pair and depth, pair by pair: `start` says where a pair begins.
    `both` is the number of items in both tops; an item of a tie group that spans the depth
    counts in part under `a` and `b`.
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
        """Return the sum over the depths of each pair."""
        return pair_sums(self.pair, values, len(self.long))

    def _group(self, ranking: Ints, rank: Ints | Shorts) -> tuple[Ints, Ints]:
        """Return the first and the last rank tied with these ranks of rankings."""
        place = self.rankings.start[ranking] + rank - 1
        first, last = self.rankings.tie_first[place], self.rankings.tie_last[place]
        return first.astype(np.int64), last.astype(np.int64)

    def _both(self) -> Floats:
        pair, rank_s, rank_l = self.shared
        first_s, last_s = self._group(self.shorter[pair], rank_s)
        first_l, last_l = self._group(self.longer[pair], rank_l)
        begin = np.maximum(first_s, first_l)
        whole = begin if self.ties == "w" else np.maximum(last_s, last_l)
        both = self._running(np.bincount(self.start[pair] + whole - 1, minlength=len(self.pair)))
        # Between `begin` and `whole` an item is in both tops in part.
        size = whole - begin
        item = np.repeat(np.arange(len(pair)), size)
        depth = begin[item] + np.arange(len(item)) - np.repeat(np.cumsum(size) - size, size)
        part = _included(depth, first_s[item], last_s[item])
        part = part * _included(depth, first_l[item], last_l[item])
        place = self.start[pair][item] + depth - 1
        return both + np.bincount(place, part, len(self.pair))

    def _running(self, counts: npt.NDArray[Any]) -> Floats:
        """Return sums over a depth and those above it, within each pair."""
        sums = np.concatenate([[0.0], np.cumsum(counts)])
        return sums[1:] - sums[self.start[:-1]][self.pair]

    @cached_property
    def _is_seen(self) -> Bools:
        """Whether the shorter ranking reaches each depth."""
        return self.depth <= self.short[self.pair]

    @cached_property
    def _groups_of_longer(self) -> tuple[Ints, Ints]:
        return self._group(self.longer[self.pair], self.depth)

    @cached_property
    def _sizes(self) -> Floats:
        """Return the divisor of the agreement at each depth, by the treatment of ties."""
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
        """Return the agreement at each depth."""
        return both / self._sizes

    @cached_property
    def _only_longer(self) -> tuple[Floats, Floats, Floats]:
        """Return, for items that only the longer ranking has, the whole and the partial ones.

        The number of items that are wholly in its top of each depth, the number in the group
        that spans the depth, and the fraction of that group that is in the top.
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
        """The most that unseen items of the shorter ranking can add to `both`."""
        unseen = np.maximum(self.depth - self.short[self.pair], 0)
        whole, partial, fraction = self._only_longer
        return np.minimum(unseen, whole) + np.clip(unseen - whole, 0, partial) * fraction

    @property
    def expected_unseen(self) -> Floats:
        """The same if unseen items agree as those seen down to the shorter ranking's end."""
        unseen = np.maximum(self.depth - self.short[self.pair], 0)
        agreement = self.agreement(self.both)[self.start[:-1] + self.short - 1]
        whole, partial, fraction = self._only_longer
        count = np.maximum(whole + partial, 1)
        return unseen * agreement[self.pair] * (whole + partial * fraction) / count


def _included(depth: Ints, first: Ints, last: Ints) -> Floats:
    """Return the fraction of a tie group that is in the top of a depth, over all its orders."""
    return np.clip((depth - first + 1) / (last - first + 1), 0.0, 1.0)


def _squares(depth: Ints, first: Ints, last: Ints) -> Floats:
    """Return Σ fraction² over the items of a ranking: its agreement with itself times depth."""
    return np.asarray(first - 1 + (depth - first + 1.0) ** 2 / (last - first + 1))


class _Weights:
    """Sums of the weights (1 − p) p^(d − 1) of depths, and of these divided by d."""

    def __init__(self, p: float, depth: int) -> None:
        self.p = p
        depths = np.arange(1, depth + 1)
        self.at = np.concatenate([[0.0], (1 - p) * p ** (depths - 1.0)])
        by_depth = self.at[1:] / depths
        self.sums = np.cumsum(self.at)
        self.sums_by_depth = np.concatenate([[0.0], np.cumsum(by_depth)])
        # The rest of the series, below the table, from the sum of the whole one.
        rest = max(-np.log1p(-p) * (1 - p) / p - self.sums_by_depth[-1], 0.0)
        self.from_depth = np.concatenate([np.cumsum(by_depth[::-1])[::-1], [0.0]]) + rest

    def none_in_common(self, in_both: Ints, long: Ints) -> Floats:
        """Return the overlap below both ends if nothing more is in both."""
        return in_both * self.from_depth[long]

    def all_in_common(self, in_both: Ints, short: Ints, long: Ints) -> Floats:
        """Return the overlap below both ends if all is in both that can be.

        Below l each rank of either adds an item to both, until depth l + s − |both|, where the
        two tops are the same.
        """
        end = short + long - in_both
        by_depth = self.sums_by_depth[end] - self.sums_by_depth[long]
        return 2 * (self.sums[end] - self.sums[long]) - end * by_depth + self.p**end


@lru_cache(maxsize=8)
def _weights_to(p: float, depth: int) -> _Weights:
    return _Weights(p, depth)


def _weights(p: float, depth: int) -> _Weights:
    """Return the weights down to a depth or below it; those of the next power of 2 are kept."""
    return _weights_to(p, 1 << depth.bit_length())


def overlap_weights(p: float, depth: int) -> Floats:
    """Return the weights of shared items, by the larger of their two ranks, from rank 0 on.

    Without ties the lower bound of the overlap is the sum of these over the shared items: the
    weight of rank r is (1 − p) Σ p^(d − 1) / d over all depths d ≥ r.
    """
    check_persistence(p)
    return np.concatenate([[0.0], _weights(p, depth).from_depth[:depth]])


def overlaps_of_sums(
    low: Floats, in_both: Ints, in_both_at_short: Ints, short: Ints, long: Ints, p: float
) -> Overlap:
    """Return overlaps of rankings without ties, from sums over the shared items.

    `low` is the sum of their `overlap_weights`, `in_both` their number, and `in_both_at_short`
    the number of those that both rankings hold down to the end of the shorter one. `short` and
    `long` are the two lengths, which may not be 0.
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
