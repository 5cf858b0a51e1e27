"""Metrics of preferences: relevant documents ranked above ones that are not."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.cuts import leading
from rankwise.bounds.grid import Bounds, Grid, rest, running
from rankwise.bounds.undefined import bounds_once_defined
from rankwise.metrics.base import Metric
from rankwise.metrics.parameters import choice, cutoff, rel, whole
from rankwise.metrics.registry import register
from rankwise.metrics.traits import EXACT, EXACT_IF_RETRIEVED, UNIT
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption


@dataclass(frozen=True, kw_only=True)
class Preference(Metric):
    """What bpref and RankEff share: judged non-relevant documents above each relevant one."""

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True
    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT
    rel: int = rel()

    def above(self, judged: JudgedRankings) -> Floats:
        """How many judged non-relevant documents are above each row of `relevant(rel)`."""
        relevant = judged.grade >= self.rel
        return judged.running((judged.grade >= 0) & ~relevant)[relevant]

    @property
    def sees_elsewhere(self) -> bool:
        return False  # one that is not relevant, in another run, counts too

    def reach(self, count: Floats) -> Floats:
        """Up to how many non-relevant documents count, R being this."""
        return np.full(count.shape, np.inf)

    def bounds_on(self, grid: Grid) -> Bounds:
        """Exact. For m new relevant documents and l new non-relevant ones, whatever m and l:

        At best the m are the highest and the l the lowest, since that puts the fewest
        above every relevant document, the first, the second …; at worst the other way
        round. `least_lost` and `most_lost` find the best l for every m, by a cut each.
        """
        pairs = Pairs.of(grid, self.rel)
        known = grid.relevant_count(self.rel)[:, None]
        found = pairs.hits[:, -1:]
        high, new = found + pairs.unjudged, known + pairs.unjudged
        high = (high - self.least_lost(pairs, self.reach(new))) / new
        low, new = found + rest(pairs.unjudged), known + rest(pairs.unjudged)
        low = (low - self.most_lost(pairs, self.reach(new))) / new
        return low.min(axis=1), high.max(axis=1)

    def least_lost(self, pairs: "Pairs", reach: Floats) -> Floats:
        """Σ of what the relevant documents lose, for each cut with the unjudged above it so."""
        return _least_lost(pairs, reach)

    def most_lost(self, pairs: "Pairs", reach: Floats) -> Floats:
        """The same with the unjudged below the cut relevant, at most."""
        return _most_lost(pairs, reach)


@dataclass(frozen=True, eq=False)
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
    """The same, for each cut with the unjudged below it relevant, and at most.

    The l-th highest, made non-relevant, adds 1 to N and to the n of the e(l) hits below it
    and of all m new relevant documents. The loss (S + E(l) + l m) / (N + l) rises as long
    as e(l) (N + l − 1) − E(l − 1) > S − m N; the left side falls with l. Once N + l is at
    the reach, it only rises: so there all that are not relevant are non-relevant.
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


@register({"BPref": "Bpref", "bpref": "Bpref", "bpref-10": "Bpref(k=10,norm=full)"})
@dataclass(frozen=True, kw_only=True)
class Bpref(Preference):
    """How rarely judged non-relevant documents are ranked above relevant ones.

    bpref-k = (1/R) Σ 1 − min(n, R + k) / min(N, R + k) over the retrieved relevant
    documents, n being the judged non-relevant documents above, N all of the topic's.
    Unjudged and unusable documents play no part. k = 0 is trec_eval's bpref. With `norm=full`
    it is divided by R + k also where N is smaller, as the papers on bpref-10 have it:
    `bpref-10` is Bpref(k=10,norm=full).

    Use it with incomplete judgments. Do not use it where most judged documents are
    relevant, or to see the top of the ranking: it does not favour it much.
    Buckley and Voorhees, SIGIR 2004; Ahlgren and Grönqvist, Information Processing and
    Management 44, 2008, equation 4.

    >>> score_gains("Bpref", [1, 0, 1, 0])
    0.75
    >>> round(score_gains("Bpref(k=10)", [0, 0, 1, 0]), 4)
    0.3333
    >>> round(score_gains("bpref-10", [0, 0, 1, 0]), 4)
    0.8182
    """

    k: int = whole(0, 0)
    norm: str = choice("min", "full", default="min")

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        count = judged.judged_count(self.rel)
        reach = count + self.k
        others = judged.judged_count(0, self.rel)
        most = np.maximum(reach if self.norm == "full" else np.minimum(reach, others), 1)
        lost = np.minimum(self.above(judged), reach[rows.ranking]) / most[rows.ranking]
        return rows.total(1 - lost) / np.maximum(count, 1)

    def reach(self, count: Floats) -> Floats:
        return count + self.k

    def least_lost(self, pairs: Pairs, reach: Floats) -> Floats:
        if self.norm == "min":
            return super().least_lost(pairs, reach)
        # N plays no part: a new non-relevant document can only add to n.
        return _pairs_with_none(pairs, reach) / reach

    def most_lost(self, pairs: Pairs, reach: Floats) -> Floats:
        if self.norm == "min":
            return super().most_lost(pairs, reach)
        return _pairs_with_all(pairs, reach) / reach


@register()
@dataclass(frozen=True, kw_only=True)
class RankEff(Preference):
    """The share of judged non-relevant documents that an average relevant one is ranked above.

    RankEff = Σ (judged non-relevant documents below d) / (R N) over the retrieved relevant
    documents d. Those not retrieved count as below all that are. Undefined where R or N
    is 0.

    Use it with incomplete judgments: unlike bpref it looks at all of them, and always
    rises when a relevant document changes places with a non-relevant one above it. Do not
    use it to see the top of the ranking.
    Ahlgren and Grönqvist, Information Processing and Management 44, 2008 (online 2007).

    >>> score_gains("RankEff", [1, 1, 0, 0], judged=[1, 1, 0, 0, 0, 0])
    1.0
    """

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.rel)
        count = judged.judged_count(self.rel)
        others = judged.judged_count(0, self.rel)
        below = others[rows.ranking] - self.above(judged)
        return rows.total(below) / np.maximum(count, 1) / others

    def is_defined(self, judged: JudgedRankings) -> Bools:
        return super().is_defined(judged) & (judged.judged_count(0, self.rel) > 0)

    def bounds_once_defined(self, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        """A topic needs a relevant document, or one that is not, or both.

        As a relevant one changes places with another above it, the score rises. So what is
        said of the first and last relevant document holds of the others the other way
        round; and where both are needed, two documents make it 1 in one order and 0 in the
        other.
        """
        if unjudged == "open":
            return np.zeros(judged.count), np.ones(judged.count)
        relevant, others = judged.judged_count(self.rel) > 0, judged.judged_count(0, self.rel) > 0
        low, high = (np.full(judged.count, np.nan) for _ in range(2))
        for needed, grade in ((~relevant & others, self.rel), (relevant & ~others, 0)):
            if not needed.any():
                continue
            found = bounds_once_defined(
                judged.where_rankings(np.flatnonzero(needed)),
                lambda one_more: self._bounds_where_defined(one_more, unjudged),
                [grade],
                goes_on=False,
                every=False,
            )
            assert found is not None
            low[needed], high[needed] = found
        lacking = judged.elsewhere if judged.elsewhere is not None else np.zeros(judged.count)
        both = ~relevant & ~others & (judged.unjudged_count + lacking >= 2)
        low[both], high[both] = 0.0, np.where(judged.unjudged_count > 0, 1.0, 0.0)[both]
        return low, high


@register()
@dataclass(frozen=True, kw_only=True)
class Accuracy(Metric):
    """The probability that a relevant document is ranked above one that is not.

    Over the pairs in the first k documents, the unjudged counting as not relevant. 0 where
    nothing relevant is there, 1 where nothing else is.

    Use it to watch a reranker train. Do not use it to compare systems: relevant documents
    that are not retrieved cost nothing. The accuracy of ir_measures.

    >>> score_gains("Accuracy", [1, 0, 1, 0])
    0.75
    """

    open_range: ClassVar[tuple[float, float] | None] = UNIT
    worst: ClassVar[float | None] = 0.0
    needs_relevant: ClassVar[bool] = True
    favours_the_top: ClassVar[bool] = True
    exact_bounds: ClassVar[frozenset[Assumption]] = EXACT_IF_RETRIEVED
    cutoff: int | None = cutoff()
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        count = np.diff(found.row_start)
        pairs = np.maximum(count * (judged.length - count), 1)
        return np.where(count > 0, 1 - found.total(found.rank - found.place) / pairs, np.nan)

    def compute_bounds(self, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
        if unjudged == "open":  # the length is unknown too; exact without a cutoff
            return np.zeros(judged.count), np.ones(judged.count)
        return super().compute_bounds(judged, unjudged)

    @property
    def sees_elsewhere(self) -> bool:
        return True  # they change nothing but whether the topic is defined

    def bounds_on(self, grid: Grid) -> Bounds:
        hit = grid.relevant(self.rel)
        known, count = (hit * grid.rank).sum(axis=1)[:, None], hit.sum(axis=1)[:, None]
        ranks, unjudged = running(grid.unjudged * grid.rank), running(grid.unjudged)
        length = grid.of(grid.judgments.length)[:, None]

        def accuracy(ranks: Floats, count: Floats) -> Floats:
            wrong, pairs = ranks - count * (count + 1) / 2, count * (length - count)
            return np.where(count > 0, 1 - wrong / np.maximum(pairs, 1), 0.0)

        least = accuracy(known + rest(ranks), count + rest(unjudged))
        most = accuracy(known + ranks, count + unjudged)
        return least.min(axis=1), most.max(axis=1)
