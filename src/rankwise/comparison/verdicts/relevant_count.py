"""Exact bounds on score differences for Recall, R-precision and set F.

These metrics are sums of weights that depend only on R, the topic's number of relevant documents.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds import Bounds
from rankwise.comparison.verdicts.differences import Ends
from rankwise.comparison.verdicts.forms import Form
from rankwise.comparison.verdicts.pair_documents import Cells
from rankwise.comparison.verdicts.weighted_sums import shared_weight
from rankwise.metrics import ByCount
from rankwise.rankings import JudgedRankings
from rankwise.scores import scores_of

AT_A_TIME = 1 << 18  # cells × numbers of new relevant documents processed at once
STEPS = 4  # cost of trying one number of new relevant documents, in formula steps


@dataclass(frozen=True, eq=False)
class RelevantCount(Form):
    """A score Σ weight over the relevant documents retrieved, with weights that depend on R only.

    R is the topic's number of relevant documents. Let m of these be new: unjudged documents assumed
    to be relevant. m determines R, the weight in each run, and the last rank that counts. An
    unjudged document is then of one of four kinds: retrieved down to that rank by both runs, only
    by A, only by B, or by neither. All documents of a kind change the difference by the same
    amount. For the smallest (largest) difference with m new documents, documents are chosen kind by
    kind, in increasing (decreasing) order of this amount. Every m is tried.
    """

    form: ByCount

    @cached_property
    def view(self) -> JudgedRankings:
        """The rankings as the metric uses them: cut at the cutoff, and perhaps condensed."""
        return self.metric.view(self.pairs.judged)

    @cached_property
    def scores(self) -> Floats:
        """The current scores, with 0 where they are undefined."""
        return np.nan_to_num(scores_of(self.metric, self.pairs.judged))

    def ends(self) -> Ends:
        """Return the bounds, by a formula on counts if the metric declares `ByCount.corners`."""
        if self.form.corners is None or not self.is_covered.all():
            return super().ends()
        a, b = self.pairs.of(scores_of(self.metric, self.pairs.judged))
        low, high = self._at_corners(self.form.corners)
        # The current difference is always possible, so bounds that exclude it are rounding errors.
        low, high = np.fmin(low, a - b), np.fmax(high, a - b)
        return Ends(a - b, low, high, reached_low=low, reached_high=high)

    def _at_corners(self, corners: tuple[int, ...]) -> Bounds:
        """Return the extremes for a weight w(R) whose inverse is linear in R between `corners`.

        Let K documents be judged relevant; A retrieved `found_a` of them and B `found_b`. `only_a`
        unjudged documents are in A but not in B, and `only_b` in B but not in A. Let m of the
        `total` unjudged documents be relevant, so R = K + m. The difference is smallest if
        documents of B alone are relevant first, and documents of A alone last: w(K + m) × (found_a
        − found_b − min(m, only_b) + max(0, m − total + only_a)). Between two values of m at which a
        term changes slope, this product is a ratio of linear functions of m, which is monotonic.
        The minimum is therefore at one of these values, or at the smallest or largest m.
        """
        judged, rows = self.pairs.judged, self.rows
        known = self.pairs.of(self.view.judged_count(self.form.rel))[0]
        found_a, found_b = self.pairs.of(np.diff(self.view.relevant(self.form.rel).row_start))
        count = np.bincount(rows.ranking(len(judged.topics)), minlength=judged.count)
        both = shared_weight(self.pairs, rows, np.ones(len(rows.rank)))
        only_a, only_b = (new - both for new in self.pairs.of(count))
        total = np.broadcast_to(self.elsewhere, known.shape)
        fewest = np.maximum(int(self.metric.needs_relevant) - known, 0.0)

        def weigh(number: Floats | int) -> Floats:
            return self.form.weight(known, (known + number).astype(np.int64))

        a, b = self.pairs.of(self.scores)
        rest = a - b - (found_a * weigh(0) - found_b * weigh(0))
        low, high = np.full(known.shape, np.inf), np.full(known.shape, -np.inf)
        bends = [corner - known for corner in corners]
        for number in (fewest, total, only_a, only_b, total - only_a, total - only_b, *bends):
            number = np.clip(number, fewest, np.maximum(total, fewest))
            weight = weigh(number)
            base = rest + (found_a * weight - found_b * weight)
            for_a, for_b = np.minimum(number, only_a) * weight, np.minimum(number, only_b) * weight
            late_a, late_b = (
                np.maximum(number - (total - only), 0.0) * weight for only in (only_a, only_b)
            )
            low = np.minimum(low, base + (late_a - for_b))
            high = np.maximum(high, base + (for_a - late_b))
        possible = fewest <= total
        return np.where(possible, low, np.nan), np.where(possible, high, np.nan)

    def cost(self, documents: Floats, elsewhere: Floats) -> Floats:
        """Return the number of formula steps for each pair and topic.

        There is one step per unjudged document, and four per number of new relevant documents.
        """
        return documents + STEPS * elsewhere

    def extremes(self, cells: Cells) -> Bounds:
        known = self.view.judged_count(self.form.rel)[cells.a]
        reached = Reached.of(cells, self.view, self.form.rel)
        lengths = [self.view.length[side][:, None] for side in (cells.a, cells.b)]

        def terms(relevant: Ints) -> tuple[Floats, Floats, Ints, Floats]:
            """Return, for each R, the weights in A and in B, the last rank that counts, and A − B.

            A − B is here the difference due to the documents that are judged relevant, without
            terms that do not depend on R.
            """
            a, b = (
                np.broadcast_to(self.form.weight(length, relevant), relevant.shape)
                for length in lengths
            )
            last = np.full((1, relevant.shape[1]), np.iinfo(np.int64).max)
            reach = last if self.form.reach is None else self.form.reach(relevant)
            of_a, of_b = (reached.at(of, reach) for of in (reached.known_a, reached.known_b))
            return a, b, reach, of_a * a - of_b * b

        # The part of the difference that does not depend on R.
        rest = self.scores[cells.a] - self.scores[cells.b]
        rest = rest - terms(known[:, None])[3][:, 0]
        low, high = np.full(len(known), np.inf), np.full(len(known), -np.inf)
        most = cells.count + cells.elsewhere
        numbers, step = int(most.max(initial=0)) + 1, max(1, AT_A_TIME // max(1, len(known)))
        for start in range(0, numbers, step):
            number = np.arange(start, min(start + step, numbers))
            relevant = known[:, None] + number
            possible = (number <= most[:, None]) & (relevant >= int(self.metric.needs_relevant))
            a, b, reach, base = terms(relevant)
            least, greatest = (
                rest[:, None] + base + end for end in reached.new(a, b, reach, number)
            )
            low = np.minimum(low, np.where(possible, least, np.inf).min(axis=1))
            high = np.maximum(high, np.where(possible, greatest, -np.inf).max(axis=1))
        undefined = np.isinf(low)
        return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


@dataclass(frozen=True, eq=False)
class Reached:
    """Numbers of documents of each cell down to each rank, of shape (cells, ranks from 0 on).

    A cell is a pair of runs (A and B) on a topic. `known_a` and `known_b` count the documents of A
    and of B that are judged relevant. `new_a` and `new_b` count the unjudged documents of A and of
    B, and `new_both` the unjudged documents that both have down to the rank.
    """

    known_a: Ints
    known_b: Ints
    new_a: Ints
    new_b: Ints
    new_both: Ints
    total: Floats  # unjudged documents of the topic, retrieved by the two runs or not

    @classmethod
    def of(cls, cells: Cells, judged: JudgedRankings, rel: int) -> "Reached":
        relevant = judged.relevant(rel)
        ranks = (relevant.rank, cells.rank_a, cells.rank_b)
        deepest = max(int(rank.max(initial=0)) for rank in ranks)

        def known(ranking: Ints) -> Ints:
            which, rows = relevant.rows_of(ranking)
            return _cumulated(which, relevant.rank[rows], len(ranking), deepest)

        def new(rank: Ints) -> Ints:  # 0 marks a document that is missing
            row, column = np.nonzero(cells.there & (rank > 0))
            return _cumulated(row, rank[row, column], len(rank), deepest)

        in_both = (cells.rank_a > 0) & (cells.rank_b > 0)
        return cls(
            known_a=known(cells.a),
            known_b=known(cells.b),
            new_a=new(cells.rank_a),
            new_b=new(cells.rank_b),
            new_both=new(np.where(in_both, np.maximum(cells.rank_a, cells.rank_b), 0)),
            total=cells.count + cells.elsewhere,
        )

    def at(self, column: Ints, reach: Ints) -> Ints:
        """Return `column` at the ranks `reach`, as an array of shape (cells, values of R)."""
        last = np.minimum(reach, column.shape[1] - 1)
        return np.take_along_axis(column, np.broadcast_to(last, (len(column), last.shape[1])), 1)

    def new(self, a: Floats, b: Floats, reach: Ints, number: Ints) -> Bounds:
        """Return the smallest and largest change of A − B by `number` more relevant documents.

        Each column is a value of R, with the weights `a` and `b` of a document in A and in B, the
        last rank `reach` that counts, and the `number` of new relevant documents.
        """
        both = self.at(self.new_both, reach)
        only_a, only_b = (self.at(new, reach) - both for new in (self.new_a, self.new_b))
        neither = self.total[:, None] - only_a - only_b - both
        gain = np.stack([a, -b, a - b, np.zeros_like(a)])
        size = np.stack([only_a, only_b, both, neither]).astype(np.float64)
        order = np.argsort(gain, axis=0, kind="stable")
        gain, size = (np.take_along_axis(column, order, axis=0) for column in (gain, size))
        return _of_kinds(gain, size, number), _of_kinds(gain[::-1], size[::-1], number)


def _cumulated(row: Ints, rank: Ints, rows: int, deepest: int) -> Ints:
    """Count the documents of each row down to each rank, from rank 0 to `deepest`.

    `row` and `rank` have an entry per document.
    """
    count = np.bincount(row * (deepest + 1) + rank, minlength=rows * (deepest + 1))
    return np.cumsum(count.reshape(rows, deepest + 1), axis=1)


def _of_kinds(gain: Floats, size: Floats, number: Ints) -> Floats:
    """Return the sum of the gains of `number` documents, chosen kind by kind in the given order.

    The first axis of `size` and `gain` has the kinds. `size` is the number of documents of a kind,
    and `gain` the gain of each of these documents.
    """
    before = np.cumsum(size, axis=0) - size
    return np.asarray((np.clip(number - before, 0.0, size) * gain).sum(axis=0))
