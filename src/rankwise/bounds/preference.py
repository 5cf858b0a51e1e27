"""Pairs of documents, one of them better: bpref, RankEff, Accuracy, AgreedPairs."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, Binary, Bounded, ScoreBounds
from rankwise.bounds.cuts import leading
from rankwise.bounds.grid import Bounds, Grid, rest, running
from rankwise.bounds.undefined import bounds_once_defined
from rankwise.rankings import JudgedRankings, PairCounts
from rankwise.vocabulary import Assumption


def preference_bounds(
    grid: Grid, rel: int, k: int | None = None, *, at_most_all: bool = True
) -> Bounds:
    """Return the bounds of (1/R) Σ 1 − min(n, reach) / min(N, reach); exact, but see below.

    n being the judged non-relevant documents above a relevant one, N all of the topic's, and
    the reach up to how many count: R + k, or all of them. Without `at_most_all` it is divided
    by the reach also where N is smaller.

    For any number m of new relevant documents and l of new non-relevant ones: at best the m are
    the highest and the l the lowest, since that puts the fewest above every relevant document,
    the first, the second …; at worst the other way round. `_least_lost` and `_most_lost` find the
    best l for every m, by a cut each. Where N plays no part, a new non-relevant document can only
    add to n.

    Documents elsewhere can raise R, N, or both, and no n. What is lost of a document falls as N
    rises, and as the reach does: min(n, r) / min(N, r) is 1 up to r = n, then n / r, then n / N.
    So at worst none of them is non-relevant, and if what is lost does not depend on R all are
    relevant; else that holds of a bound from below, which takes the reach as it is without them.
    At best all of them are non-relevant where the reach is all; else see `_most_found`. With
    documents elsewhere the bounds are exact where the reach is all, and valid for R + k.
    """
    pairs, known = Pairs.of(grid, rel), grid.relevant_count(rel)[:, None]
    others = grid.others[:, None]
    high, low = known + pairs.unjudged, known + rest(pairs.unjudged)  # R, for every cut
    wide, narrow = (np.full(r.shape, np.inf) if k is None else r + k for r in (high, low))
    if at_most_all:
        open_to = replace(pairs, others=pairs.others + (others if k is None else 0))
        least, most = _least_lost(open_to, wide), _most_lost(pairs, narrow)
    else:
        least = _pairs_with_none(pairs, wide) / wide
        most = _pairs_with_all(pairs, narrow) / narrow
    found = pairs.hits[:, -1:]
    greatest = (found + pairs.unjudged - least) / high
    if k is not None and others.any():
        greatest = np.where(others > 0, _most_found(pairs, high, k), greatest)
    lowest = (found + rest(pairs.unjudged) - most) / (low + others)
    return lowest.min(axis=1), np.minimum(greatest.max(axis=1), 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Running counts of a grid, for every cut, and of the pairs that documents make.

    `above`: the judged non-relevant documents above each cell. `hits_below`: the judged
    relevant ones below each cell. N: `others`. All else are sums down to each cut.
    """

    above: Floats
    hits_below: Floats
    others: Floats
    open: Bools
    hits: Floats
    unjudged: Floats
    either: Floats
    hit_pairs: Floats
    either_pairs: Floats
    new_pairs: Floats

    @classmethod
    def of(cls, grid: Grid, rel: int) -> "Pairs":
        hit = grid.relevant(rel)
        above = np.cumsum(grid.nonrelevant(rel), axis=1, dtype=np.float64)
        hits = running(hit)
        below = hits[:, -1:] - hits[:, 1:]
        either = hit | grid.unjudged
        return cls(
            above=above,
            hits_below=below,
            others=grid.of(grid.judgments.judged_count(0, rel))[:, None],
            open=grid.unjudged,
            hits=hits,
            unjudged=running(grid.unjudged),
            either=running(either),
            hit_pairs=running(hit * above),
            either_pairs=running(either * above),
            new_pairs=running(grid.unjudged * below),
        )


def _at(sums: Floats, cut: Ints) -> Floats:
    return np.take_along_axis(sums, cut, axis=1)


def _least_lost(pairs: Pairs, reach: Floats) -> Floats:
    """Σ min(n, reach) / min(N, reach), for each cut with the unjudged above it relevant.

    The l-th lowest of the unjudged, made non-relevant, adds 1 to N and to the n of the e(l)
    hits below it. With S = Σ n and E(l) = e(1) + … + e(l), the loss (S + E(l)) / (N + l)
    falls as long as e(l) (N + l − 1) − E(l − 1) < S. The left side rises with l, so this
    is one search for each cut. It is of use only until N + l is the reach; and where N
    is beyond it from the start, so may be n.
    """
    cut = np.arange(reach.shape[1])
    most = np.maximum(reach - pairs.others, 0)  # of l
    lost = _pairs_with_none(pairs, reach)
    later, added = rest(pairs.unjudged), rest(pairs.new_pairs)
    cost = pairs.hits_below * (pairs.others + later[:, 1:]) - added[:, 1:]
    cost = np.where(pairs.open, cost, -np.inf)[:, ::-1]
    cost = np.maximum.accumulate(cost, axis=1)[:, ::-1]
    new = np.maximum(leading(cost, lost), leading(later, most + 1))
    new = np.maximum(new, cut)
    count = np.minimum(pairs.others + _at(later, new), reach)
    return (lost + _at(added, new)) / np.maximum(count, 1)


def _most_found(pairs: Pairs, least_count: Floats, k: int) -> Floats:
    """Return an upper bound for any number of documents elsewhere, for each cut.

    `least_count` is R without them.

    With x relevant documents in all a relevant one adds at most (1 − n / (x + k)) / x, which N
    can only lower. For n ≤ k that falls with x; for n > k it is greatest at x = (n − k) +
    √(n (n − k)), the root of its derivative, and falls from there on. So one adds at most this
    at the greater of that x and the least R. As x rises with n, which rises down the ranking,
    the least R counts down to some rank, and the other below. Each document may have its own x:
    the sum is not reached.
    """
    over = np.maximum(pairs.above - k, 0)
    best = over + np.sqrt(pairs.above * over)
    most = (1 - pairs.above / np.maximum(best + k, 1)) / np.maximum(best, 1)
    cut = np.arange(least_count.shape[1])
    fits = leading(-np.ceil(best), -least_count)  # the ranks with x ≤ R
    inside, outside = np.minimum(fits, cut), np.maximum(fits, cut)
    hit = np.diff(pairs.hits, axis=1)
    either = np.diff(pairs.either, axis=1)
    hits_most, either_most = running(hit * most), running(either * most)
    number = _at(pairs.either, inside) + _at(pairs.hits, outside) - pairs.hits
    lost = _at(pairs.either_pairs, inside) + _at(pairs.hit_pairs, outside) - pairs.hit_pairs
    beyond = either_most - _at(either_most, inside) + hits_most[:, -1:] - _at(hits_most, outside)
    return (number - lost / np.maximum(least_count + k, 1)) / np.maximum(least_count, 1) + beyond


def _pairs_with_none(pairs: Pairs, reach: Floats) -> Floats:
    """Σ min(n, reach), for each cut: the unjudged above it relevant, those below it nothing."""
    cut = np.arange(reach.shape[1])
    fits = leading(-pairs.above, -reach)  # the ranks with n ≤ reach
    inside, outside = np.minimum(fits, cut), np.maximum(fits, cut)
    lost = _at(pairs.either_pairs, inside) + _at(pairs.hit_pairs, outside) - pairs.hit_pairs
    clipped = (
        pairs.either - _at(pairs.either, inside) + pairs.hits[:, -1:] - _at(pairs.hits, outside)
    )
    return lost + np.where(clipped > 0, reach, 0) * clipped


def _most_lost(pairs: Pairs, reach: Floats) -> Floats:
    """Return the greatest such sum, for each cut with the unjudged below it relevant.

    The l-th highest, made non-relevant, adds 1 to N and to the n of the e(l) hits below it and of
    all m new relevant documents. The loss (S + E(l) + l m) / (N + l) rises as long as e(l) (N + l
    − 1) − E(l − 1) > S − m N; the left side falls with l. Once N + l is at the reach, it only
    rises: so there all other unjudged documents are non-relevant.
    """
    cut = np.arange(reach.shape[1])
    later = rest(pairs.unjudged)
    lost = pairs.hit_pairs + rest(pairs.either_pairs)
    gain = pairs.hits_below * (pairs.others + pairs.unjudged[:, :-1]) - pairs.new_pairs[:, :-1]
    gain = np.minimum.accumulate(np.where(pairs.open, gain, np.inf), axis=1)
    new = leading(gain, lost - later * pairs.others + 1)
    within = leading(-pairs.unjudged, pairs.others - reach) - 1  # the last cut with N + l ≤ reach
    new = np.minimum(np.minimum(new, within), cut)
    below_reach = new >= 0
    new = np.maximum(new, 0)
    count = np.maximum(pairs.others + _at(pairs.unjudged, new), 1)
    some = (lost + _at(pairs.new_pairs, new) + _at(pairs.unjudged, new) * later) / count
    count = np.maximum(np.minimum(pairs.others + pairs.unjudged, reach), 1)
    return np.maximum(np.where(below_reach, some, 0), _pairs_with_all(pairs, reach) / count)


def _pairs_with_all(pairs: Pairs, reach: Floats) -> Floats:
    """Σ min(n, reach), for each cut: the unjudged below it relevant, those above it not."""
    cut = np.arange(reach.shape[1])
    new = pairs.above + pairs.unjudged[:, 1:]  # n of a hit above the cut
    hit = np.diff(pairs.hits, axis=1)
    inside = np.minimum(leading(-new, -reach), cut)
    lost = _at(running(hit * new), inside)
    clipped = pairs.hits - _at(pairs.hits, inside)
    inside = np.maximum(leading(-pairs.above, pairs.unjudged - reach), cut)
    lost = lost + _at(pairs.either_pairs, inside) - pairs.either_pairs
    lost = lost + pairs.unjudged * (_at(pairs.either, inside) - pairs.either)
    clipped = clipped + pairs.either[:, -1:] - _at(pairs.either, inside)
    return lost + np.where(clipped > 0, reach, 0) * clipped


class Reaching(Binary, Protocol):
    """A metric that counts R + k judged non-relevant documents at most."""

    k: int
    norm: str


class PreferencePairs(ScoreBounds[Reaching]):
    """Bounds of preferences that R + k non-relevant documents decide: bpref; exact.

    With documents elsewhere they are valid, not tight.
    """

    exact = EXACT
    exact_elsewhere = False
    open_range = UNIT

    def on(self, metric: Reaching, grid: Grid) -> Bounds:
        return preference_bounds(grid, metric.rel, metric.k, at_most_all=metric.norm == "min")


class AllPreferencePairs(ScoreBounds[Binary]):
    """Bounds of preferences that all non-relevant documents decide: RankEff; exact."""

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        return preference_bounds(grid, metric.rel)

    def once_defined(self, metric: Binary, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        """Return bounds of topics that lack a relevant document, a non-relevant one, or both.

        When a relevant document changes places with another one above it, the score rises. So the
        argument for the first and last relevant document holds, reversed, for the non-relevant
        ones; and where both are needed, two documents make the score 1 in one order and 0 in the
        other.
        """
        if unjudged == "open":
            return self.whole_range(metric, judged)

        def bounds_of(one_more: JudgedRankings) -> Bounds | None:
            return self.where_defined(metric, one_more, unjudged)

        relevant = judged.judged_count(metric.rel) > 0
        others = judged.judged_count(0, metric.rel) > 0
        low, high = (np.full(judged.count, np.nan) for _ in range(2))
        for needed, grade in ((~relevant & others, metric.rel), (relevant & ~others, 0)):
            if not needed.any():
                continue
            some = judged.where_rankings(np.flatnonzero(needed))
            found = bounds_once_defined(some, bounds_of, [grade], goes_on=False, every=False)
            assert found is not None
            low[needed], high[needed] = found
        lacking = judged.elsewhere if judged.elsewhere is not None else np.zeros(judged.count)
        both = ~relevant & ~others & (judged.unjudged_count + lacking >= 2)
        low[both], high[both] = 0.0, np.where(judged.unjudged_count > 0, 1.0, 0.0)[both]
        return low, high


class RetrievedPairs(ScoreBounds[Binary]):
    """Bounds of the share of retrieved pairs in the right order: Accuracy; exact.

    For m new relevant documents it is greatest with the m highest, least with the m lowest.
    Documents elsewhere only decide whether the topic is defined. Under `open` the length is
    unknown too: there the range of the metric is all, exact without a cutoff.
    """

    exact = EXACT_IF_RETRIEVED
    open_range = UNIT
    sees_elsewhere = True

    def in_view(
        self, metric: Binary, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        if unjudged == "open":
            return self.whole_range(metric, judged)
        return super().in_view(metric, judged, unjudged)

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        hit = grid.relevant(metric.rel)
        known, count = (hit * grid.rank).sum(axis=1)[:, None], hit.sum(axis=1)[:, None]
        ranks, unjudged = running(grid.unjudged * grid.rank), running(grid.unjudged)
        length = grid.of(grid.judgments.length)[:, None]

        def accuracy(ranks: Floats, count: Floats) -> Floats:
            wrong, pairs = ranks - count * (count + 1) / 2, count * (length - count)
            return np.where(count > 0, 1 - wrong / np.maximum(pairs, 1), 0.0)

        least = accuracy(known + rest(ranks), count + rest(unjudged))
        most = accuracy(known + ranks, count + unjudged)
        return least.min(axis=1), most.max(axis=1)


class Pairwise(Bounded, Protocol):
    """A metric of the share of pairs in the right order."""

    def pair_counts(self, judged: JudgedRankings) -> PairCounts: ...


class DecidedPairs(ScoreBounds[Pairwise]):
    """Bounds of the share of decided pairs in the right order: AgreedPairs; valid.

    Each undecided pair may be decided either way, and a pair without a retrieved document
    may come in either order below the end of the ranking. Of preferences only documents that
    occur in one are in pairs; of grades each unjudged document may be in a pair with any other.
    """

    open_range = UNIT
    sees_elsewhere = True

    def in_view(
        self, metric: Pairwise, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds | None:
        if unjudged == "open" and judged.preferences is None:
            return self.whole_range(metric, judged)
        counts = metric.pair_counts(judged)
        every = np.maximum(counts.decided + counts.undecided, 1)
        low = counts.agreed / every
        return low, (counts.agreed + counts.missing + counts.undecided) / every

    def once_defined(
        self, metric: Pairwise, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds:
        low, high = self.whole_range(metric, judged)
        if unjudged == "open" and judged.preferences is None:
            return low, high
        never = metric.pair_counts(judged).undecided == 0
        return np.where(never, np.nan, low), np.where(never, np.nan, high)
