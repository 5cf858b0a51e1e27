"""Exact bounds on score differences for RR, Success, O, P-measure and P⁺.

These metrics depend on the rank of the first relevant document.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds import Bounds
from rankwise.comparison.verdicts.forms import Form
from rankwise.comparison.verdicts.pair_documents import Cells
from rankwise.metrics import ByFirst, ByFirstAndCount
from rankwise.rankings import Retrieved

RANKS = 1 << 20  # number of pairs of first relevant ranks tried at once


@dataclass(frozen=True, eq=False)
class OfFirstRanks(Form):
    """A score that depends on the rank of the first relevant document."""

    @cached_property
    def first(self) -> Floats:
        """Rank of the first relevant document of each ranking; infinity if there is none."""
        relevant = self.metric.view(self.pairs.judged).relevant(self.form.rel)
        return relevant.first(relevant.place == 1)

    @cached_property
    def rows(self) -> Retrieved:
        """Unjudged documents at better ranks than the first relevant document of the ranking.

        Documents at worse ranks, or below the cutoff, cannot change the score.
        """
        judged = self.pairs.judged
        deepest = self.metric.cutoff or int(judged.length.max(initial=0))
        limit = np.minimum(self.first - 1, deepest).astype(np.int64)
        return self.pairs.retrieved.above(limit.reshape(len(judged.runs), -1)).unjudged


@dataclass(frozen=True, eq=False)
class FirstRelevant(OfFirstRanks):
    """A score that depends only on the rank of the first relevant document, and decreases with it.

    A new relevant document is an unjudged document that is assumed to be relevant. Take judgments
    with the largest difference A − B, and their new relevant document that is ranked highest in A.
    With this document alone, A has the same score, and B no higher score. For both bounds, it is
    therefore enough to try each document alone, and no document.
    """

    form: ByFirst

    def extremes(self, cells: Cells) -> Bounds:
        a, b, score = self.first[cells.a], self.first[cells.b], self.form.score_at
        known = score(a[:, None]) - score(b[:, None])
        new = score(_or_new(a, cells.rank_a)) - score(_or_new(b, cells.rank_b))
        every = np.concatenate([known, np.where(cells.there, new, known)], axis=1)
        return every.min(axis=1), every.max(axis=1)


def _or_new(first: Floats, rank: Ints) -> Floats:
    """Return the first relevant rank if the document at `rank` is relevant too.

    `first` has the current first relevant rank of each cell, and `rank` has a column per document.
    Rank 0 marks a document that the ranking does not have.
    """
    return np.minimum(first[:, None], np.where(rank > 0, rank, np.inf))


@dataclass(frozen=True, eq=False)
class FirstRelevantAndCount(OfFirstRanks):
    """A score that depends on the rank of the first relevant document and on R.

    R is the topic's number of relevant documents. All pairs of first relevant ranks in A and B are
    tried, each with the possible values of R at which the difference can be smallest or largest.
    """

    form: ByFirstAndCount

    def extremes(self, cells: Cells) -> Bounds:
        first, least_count = self.first, int(self.metric.needs_relevant)
        known = self.metric.view(self.pairs.judged).judged_count(self.form.rel)
        low, high = np.full(len(cells.a), np.nan), np.full(len(cells.a), np.nan)
        # Cells are processed in blocks, in increasing order of the number of pairs of first ranks.
        ends = _end(first[cells.a], cells.rank_a), _end(first[cells.b], cells.rank_b)
        size = (ends[0] + 1) * (ends[1] + 1)
        order = np.argsort(size, kind="stable")
        block = np.cumsum(size[order]) // RANKS
        for some in np.split(order, np.flatnonzero(np.diff(block)) + 1):
            part = cells.where(some)
            ranks = FirstRanks.of(part, first[part.a], first[part.b])
            value = ranks.differences(self.form, known[part.a], least_count)
            low[some] = np.fmin.reduce(value, axis=(0, 2, 3))
            high[some] = np.fmax.reduce(value, axis=(0, 2, 3))
        return low, high

    def cost(self, documents: Floats, elsewhere: Floats) -> Floats:
        """Return the number of formula steps for each pair and topic.

        There is one step for each unjudged document, and one for each pair of possible first
        relevant ranks.
        """
        a, b = self.pairs.of(np.minimum(self.first, self.pairs.judged.length + 1))
        return np.asarray(documents + a * b)


def _end(first: Floats, rank: Ints) -> Ints:
    """Return the first relevant rank, or the rank after the last unjudged document if smaller."""
    return np.minimum(first, rank.max(axis=1, initial=0) + 1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class FirstRanks:
    """Numbers of new relevant documents that are possible for each pair of first relevant ranks.

    New relevant documents are unjudged documents assumed to be relevant. The first relevant
    document of a ranking is the current one, or a new one at a better rank. `rank_a` and `rank_b`
    are the possible first relevant ranks in A and in B. `fewest` and `most` are the smallest and
    the largest number of new relevant documents. Both have the shape (cells, ranks in A, ranks in
    B), where a cell is a pair of runs on a topic. `fewest` is 0 if both first ranks are the current
    ones, 1 if a single document has exactly these two ranks, 2 if two documents are needed, and
    infinite if the two ranks are impossible. `most` counts all unjudged documents except those at a
    better rank than the first relevant rank in A or in B.
    """

    rank_a: Floats
    rank_b: Floats
    fewest: Floats
    most: Floats

    @classmethod
    def of(cls, cells: Cells, first_a: Floats, first_b: Floats) -> "FirstRanks":
        ends = (_end(first_a, cells.rank_a), _end(first_b, cells.rank_b))
        shape = (len(cells.a), int(ends[0].max()) + 1, int(ends[1].max()) + 1)
        at = [
            np.where((rank > 0) & (rank < end[:, None]), rank, end[:, None])[cells.there]
            for rank, end in zip((cells.rank_a, cells.rank_b), ends, strict=True)
        ]
        count = np.zeros(shape)
        np.add.at(count, (np.nonzero(cells.there)[0], *at), 1)
        from_here = count[:, ::-1, ::-1].cumsum(axis=1).cumsum(axis=2)[:, ::-1, ::-1]
        later_in_b, later_in_a = (
            np.flip(np.flip(count, axis).cumsum(axis), axis) - count for axis in (2, 1)
        )
        new = [np.arange(size) < end[:, None] for size, end in zip(shape[1:], ends, strict=True)]
        two = (later_in_b > 0) & (later_in_a > 0) & new[0][:, :, None] & new[1][:, None]
        fewest = np.where(count > 0, 1.0, np.where(two, 2.0, np.inf))
        fewest[np.arange(shape[0]), ends[0], ends[1]] = 0
        firsts = zip(new, (first_a, first_b), strict=True)
        ranks = [np.where(n, np.arange(n.shape[1]), first[:, None]) for n, first in firsts]
        most = from_here + cells.elsewhere[:, None, None]
        return cls(ranks[0][:, :, None], ranks[1][:, None], fewest, most)

    def differences(self, metric: ByFirstAndCount, known: Ints, least_count: int) -> Floats:
        """Return A − B at the four values of R where A − B can be smallest or largest.

        R is the number of relevant documents. The four values are the smallest and the largest
        possible R, and the two first relevant ranks, where the difference can change direction.
        `known` is the number of documents judged relevant in each cell, and `least_count` the
        smallest R for which the score is defined. A − B is NaN for impossible ranks.
        """
        fewest = np.maximum(known[:, None, None] + self.fewest, least_count)
        most = known[:, None, None] + self.most
        possible, tried = np.isfinite(fewest) & (fewest <= most), []
        for count in (fewest, most, self.rank_a, self.rank_b):
            relevant = np.where(possible, np.clip(count, fewest, most), 1.0)
            a, b = (metric.score_at(np.maximum(r, 1), relevant) for r in (self.rank_a, self.rank_b))
            tried.append(np.where(possible, a - b, np.nan))
        return np.stack(tried)
