"""Bounds of metrics that count pairs of documents: bpref, RankEff, Accuracy, AgreedPairs."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, Binary, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid, leading, rest, running
from rankwise.bounds.undefined import bounds_once_defined
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


def preference_bounds(
    grid: Grid, rel: int, k: int | None = None, *, at_most_all: bool = True
) -> Bounds:
    """Return the bounds of (1/R) Σ [1 − min(n, r) / min(N, r)] over relevant documents.

    The sum runs over the retrieved relevant documents; R is the number of all relevant documents. n
    is the number of judged non-relevant documents above a relevant document, and N the number of
    all judged non-relevant documents of the topic. The reach r is the largest n that counts: R + k,
    or infinity if `k` is None. Without `at_most_all` the divisor is r even if N is smaller. The
    bounds are exact if no document outside the ranking can be relevant.

    Suppose that m unjudged documents are relevant and l are non-relevant. For the upper bound, the
    m relevant documents are the highest and the l non-relevant documents the lowest unjudged
    documents, because every relevant document then has the fewest non-relevant documents above it.
    For the lower bound, the m are the lowest and the l the highest. A cut (see grid.py) stands for
    each m, and another cut for each l. For every m, `_least_lost` finds the best l, and
    `_most_lost` the worst l. Without `at_most_all`, N does not matter, and a new non-relevant
    document can only add to n.

    Documents outside the ranking can raise R or N, but no n. The loss of a document, min(n, r) /
    min(N, r), is 1 up to r = n, then n / r up to r = N, then n / N. It falls as N rises and as r
    rises. So for the lower bound no document outside is non-relevant. If r is unlimited, the loss
    does not depend on R: all documents outside are relevant for the lower bound and non-relevant
    for the upper bound, and both are exact. If r = R + k, the bounds may not be tight: the lower
    bound uses the r without the documents outside, and the upper bound comes from `_most_found`.
    """
    pairs, known = Pairs.of(grid, rel), grid.relevant_count(rel)[:, None]
    others = grid.others[:, None]
    high, low = known + pairs.unjudged, known + rest(pairs.unjudged)  # R for every cut
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
    """Cumulative counts of a grid for every cut, including counts of pairs of documents.

    `above[ranking, cell]` is the number of judged non-relevant documents above a cell (see
    grid.py), and `hits_below` the number of judged relevant documents below it. `others` is N, the
    number of judged non-relevant documents of the topic, and `open` marks the unjudged cells. All
    other fields are sums down to each cut.
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
    """Return the smallest Σ min(n, r) / min(N, r) per cut, with unjudged documents above relevant.

    r is `reach`; for n and N see `preference_bounds`. If the l-th lowest unjudged document becomes
    non-relevant, N rises by 1, and so does the n of each of the e(l) relevant documents below it.
    With S = Σ n and E(l) = e(1) + … + e(l), the loss (S + E(l)) / (N + l) falls as long as e(l) (N
    + l − 1) − E(l − 1) < S. The left side rises with l, so one search per cut finds the best l.
    More non-relevant documents help only until N + l equals r. If N is larger than r from the
    start, n may be larger than r too.
    """
    cut = np.arange(reach.shape[1])
    most = np.maximum(reach - pairs.others, 0)  # limit of l
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
    """Return the upper bound at each cut for any number of relevant documents outside the ranking.

    `least_count` is R, at least 1, without the documents outside. With x relevant documents in
    total, a relevant document adds at most (1 − n / (x + k)) / x; N can only lower this value. For
    n ≤ k the value falls with x. For n > k it is largest at x* = (n − k) + √(n (n − k)) ≥ 2, the
    root of its derivative, and falls from there on. A document therefore adds at most the value at
    x* or at `least_count`, whichever is larger. x* rises with n, which rises down the ranking. So
    `least_count` is used down to some rank, and x* below that rank. Each document may have its own
    x*, so the sum is not attained.
    """
    over = np.maximum(pairs.above - k, 0)
    best = over + np.sqrt(pairs.above * over)
    most = (1 - pairs.above / np.maximum(best + k, 1)) / np.maximum(best, 1)  # used where n > k
    cut = np.arange(least_count.shape[1])
    fits = leading(-np.ceil(best), -least_count)  # the ranks with x ≤ R
    inside, outside = np.minimum(fits, cut), np.maximum(fits, cut)
    hit = np.diff(pairs.hits, axis=1)
    either = np.diff(pairs.either, axis=1)
    hits_most, either_most = running(hit * most), running(either * most)
    number = _at(pairs.either, inside) + _at(pairs.hits, outside) - pairs.hits
    lost = _at(pairs.either_pairs, inside) + _at(pairs.hit_pairs, outside) - pairs.hit_pairs
    beyond = either_most - _at(either_most, inside) + hits_most[:, -1:] - _at(hits_most, outside)
    return (number - lost / (least_count + k)) / least_count + beyond


def _pairs_with_none(pairs: Pairs, reach: Floats) -> Floats:
    """Return Σ min(n, reach) per cut, with the unjudged documents above the cut relevant.

    The unjudged documents below the cut stay unjudged. For n see `preference_bounds`.
    """
    cut = np.arange(reach.shape[1])
    fits = leading(-pairs.above, -reach)  # the ranks with n ≤ reach
    inside, outside = np.minimum(fits, cut), np.maximum(fits, cut)
    lost = _at(pairs.either_pairs, inside) + _at(pairs.hit_pairs, outside) - pairs.hit_pairs
    clipped = (
        pairs.either - _at(pairs.either, inside) + pairs.hits[:, -1:] - _at(pairs.hits, outside)
    )
    return lost + np.where(clipped > 0, reach, 0) * clipped


def _most_lost(pairs: Pairs, reach: Floats) -> Floats:
    """Return the largest Σ min(n, r) / min(N, r) per cut, with unjudged documents below relevant.

    m unjudged documents are below the cut. If the l-th highest unjudged document becomes
    non-relevant, N rises by 1, and so does the n of the e(l) relevant documents below it and of all
    m new relevant documents. With S and E(l) as in `_least_lost`, the loss (S + E(l) + l m) / (N +
    l) rises as long as e(l) (N + l − 1) − E(l − 1) > S − m N. The left side falls with l. Once N +
    l has reached r = `reach`, the loss only rises, so there all other unjudged documents are
    non-relevant.
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
    """Return Σ min(n, reach) per cut, with the unjudged documents below the cut relevant.

    The unjudged documents above the cut are non-relevant. For n see `preference_bounds`.
    """
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


class PreferencePairs(ScoreBounds[Any]):
    """Bounds of bpref, in which at most R + k judged non-relevant documents count: Bpref.

    R is the number of relevant documents.

    They are exact if no document outside the ranking can be relevant. Otherwise they may not be
    tight.

    This class reads `rel`, `k` and `norm` of the metric.
    """

    exact = EXACT
    exact_elsewhere = False
    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        return preference_bounds(grid, metric.rel, metric.k, at_most_all=metric.norm == "min")


class AllPreferencePairs(ScoreBounds[Binary]):
    """Bounds of bpref with no limit on the non-relevant documents that count: RankEff.

    They are exact. This class reads `rel` of the metric.
    """

    exact = EXACT
    open_range = UNIT

    def on(self, metric: Binary, grid: Grid) -> Bounds:
        return preference_bounds(grid, metric.rel)

    def once_defined(self, metric: Binary, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        """Return the bounds for topics without relevant or without non-relevant judged documents.

        The score rises when a relevant document changes places with a non-relevant document above
        it. The argument in undefined.py on the first and the last relevant document therefore also
        holds for non-relevant documents, with first and last exchanged. In a topic with neither
        relevant nor non-relevant documents, two unjudged documents, one of each kind, score 1 in
        one order and 0 in the other.
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
    """Bounds of the share of pairs of retrieved documents in the right order: Accuracy.

    They are exact under the assumption `retrieved`: if m unjudged documents are relevant, the score
    is largest for the m highest and smallest for the m lowest unjudged documents. Documents outside
    the ranking only decide whether the score is defined. Under the assumption `open`, the length of
    the ranking is unknown too, and the bounds are the range of the metric.
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


class DecidedPairs(ScoreBounds[Any]):
    """Bounds of the share of decided pairs in the right order: AgreedPairs. They may not be tight.

    A pair is decided if the judgments prefer one of the two documents or give it a higher grade.
    Each undecided pair may be decided either way. For the upper bound, a pair without a retrieved
    document also counts as ordered correctly, because it may appear in either order below the end
    of the ranking. If judgments are preferences, only documents that occur in a preference form
    pairs. If judgments are grades, each unjudged document may form a pair with any other document.

    This class reads `pair_counts` of the metric.
    """

    open_range = UNIT
    sees_elsewhere = True

    def in_view(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        if unjudged == "open" and judged.preferences is None:
            return self.whole_range(metric, judged)
        counts = metric.pair_counts(judged)
        every = np.maximum(counts.decided + counts.undecided, 1)
        low = counts.agreed / every
        return low, (counts.agreed + counts.missing + counts.undecided) / every

    def once_defined(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        low, high = self.whole_range(metric, judged)
        if unjudged == "open" and judged.preferences is None:
            return low, high
        never = metric.pair_counts(judged).undecided == 0
        return np.where(never, np.nan, low), np.where(never, np.nan, high)
