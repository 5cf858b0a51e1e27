"""The smallest number of judgments that must change to reverse the difference of two runs.

Let d_t be the score of run A minus the score of run B on topic t, and let A be better, so Σ d_t is
positive. Let f_t(m) be the largest reduction of d_t by m changed judgments of topic t. Topics are
independent, so the largest reduction of Σ d_t by k changes is the maximum of Σ f_t(k_t) over all
allocations of the changes, Σ k_t = k. The difference can be reversed by k changes only if this
maximum exceeds Σ d_t.

Sums of weights (P, RBP, DCG): each judged document contributes its gain times the difference of its
weights in A and B. Judgments can be changed independently, so the best k changes are those with the
k largest reductions. The smallest k is exact.

nDCG: the difference of the DCGs is a sum of weights. After m changes the ideal DCG is lowest if the
m highest grades became the lowest, and highest if the m lowest grades became the highest. The two
ideals bound f_t(m) from above, and therefore k from below.

AP: see precision_reversals.py.

Any other metric: f_t(m) is bounded by the range of the metric. With few pairs of runs, f_t(1) is
computed by changing each judgment in turn.

An upper bound on k is the size of an example, a set of changes that reverses the difference.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.agreement.labels import Rejudging
from rankwise.arrays import CANCELLATION, Bools, Floats, Ints
from rankwise.metrics import Metric, WeightedPrecision
from rankwise.rankings import JudgedRankings, Rejudged, Rows
from rankwise.scores import scores_of

MOST_CHANGES = 12  # changes of a topic that are bounded one by one (nDCG); more: the score range
FEW = 256  # number of values that are sorted first
MOST_SEARCHED = 60  # pairs of runs for which examples are searched under any other metric


class Reversal(NamedTuple):
    """Bounds of the number of judgments that must change to reverse a difference between two runs.

    `low` is None if no changes reverse the difference, or if the runs are tied. `high` is the size
    of an example, or None if no example is known. `codes` and `levels` are the judgments of the
    example (indices) and their new grades.
    """

    low: int | None
    high: int | None
    codes: Ints
    levels: Ints
    searched: bool = True  # whether an example was searched for


NOTHING = np.zeros(0, np.int64)
IMPOSSIBLE = Reversal(None, None, NOTHING, NOTHING)


@dataclass(frozen=True, eq=False)
class Changes:
    """Judged rankings, and the grades that each judgment may get.

    A code is the index of a judgment. `grade` is the current grade of each code; 0 replaces
    negative grades. `levels` are the grades that a judgment may get. With `one_step`, a grade may
    only change to the next lower or the next higher level.
    """

    rejudging: Rejudging = field(repr=False)
    grade: Ints = field(repr=False)
    one_step: bool

    @property
    def rejudged(self) -> Rejudged:
        return self.rejudging.rejudged

    @cached_property
    def levels(self) -> Ints:
        """The grades that occur in the judgments or have a gain, and 0, in increasing order."""
        worth = self.rejudged.judged.gains or {}
        known = [grade for grade in worth if grade > 0]
        return np.unique(np.concatenate([self.grade, [0], known]).astype(np.int64))

    @cached_property
    def place(self) -> Ints:
        """The index in `levels` of the grade of each judgment."""
        return np.searchsorted(self.levels, self.grade)

    @cached_property
    def real(self) -> JudgedRankings:
        """The rankings under the current judgments, with a row per judged retrieved document."""
        return self.rejudged.alternatives(self.rejudged.is_judged).graded(self.grade)

    def allowed(self, place: Ints) -> list[tuple[Ints, Bools]]:
        """Return the allowed changes of judgments whose levels have the indices `place`.

        There are at most as many changes as levels. Each change is an array with the new index of
        each judgment, and a mask that is True where the new index differs from the old index.
        """
        if self.one_step:
            targets = [np.clip(place + step, 0, len(self.levels) - 1) for step in (-1, 1)]
        else:
            targets = [np.full(len(place), level) for level in range(len(self.levels))]
        return [(target, target != place) for target in targets]

    def extremes(self, worth: Floats) -> tuple[Ints, Ints]:
        """Return, per judgment, the indices of its allowed levels of lowest and highest `worth`.

        `worth` has one value per level.
        """
        low, high = self.place.copy(), self.place.copy()
        for target, _ in self.allowed(self.place):
            low = np.where(worth[target] < worth[low], target, low)
            high = np.where(worth[target] > worth[high], target, high)
        return low, high

    def rows_of(self, run: int) -> slice:
        """Return the rows of `real` that belong to one run, as a slice."""
        topics = len(self.rejudged.judged.topics)
        return slice(*np.searchsorted(self.rejudged.ranking, [run * topics, (run + 1) * topics]))

    def by_run(
        self, wanted: Bools, values: npt.NDArray[Any]
    ) -> list[tuple[Ints, npt.NDArray[Any]]]:
        """Return, for each run, the judgments (indices) and `values` of the rows in `wanted`.

        The mask `wanted` and `values` have one entry per row of `real`.
        """
        codes_and_values = []
        for run in range(len(self.rejudged.judged.runs)):
            rows = self.rows_of(run)
            some = np.flatnonzero(wanted[rows])
            code = self.rejudged.code[rows][some].astype(np.int64)
            codes_and_values.append((code, values[rows][some]))
        return codes_and_values

    def worth(self, metric: WeightedPrecision) -> Floats:
        """Return the metric's gain of each grade in `levels`."""
        count = len(self.levels)
        rank = np.arange(1, count + 1)
        rows = Rows.untied(np.zeros(count, np.int64), rank, self.levels)
        probe = replace(self.real, **rows._asdict(), judgment=None)
        return np.asarray(metric.gain(probe), np.float64)

    def weights(self, metric: WeightedPrecision) -> Floats:
        """Return the metric's weight of each row of `real`."""
        weights = np.asarray(metric.row_weights(self.real))
        if self.real.depth is not None and metric.ties != "share":
            weights = np.where(self.real.rank <= self.real.depth, weights, 0.0)
        return weights


def reversals(
    changes: Changes, metric: Metric, first: Ints, second: Ints, values: Floats
) -> Iterator[Reversal]:
    """Yield bounds and an example for each pair of runs; `values` has the scores, runs × topics."""
    metric = metric.at_levels_of(changes.real)
    search: Callable[[int, int], Reversal]
    scores = metric.sign * np.nan_to_num(values)
    if metric.sum_of_weights is not None:
        search = SumOfWeights(changes, metric.sum_of_weights).reversal
    elif metric.normalised is not None:
        search = NormalisedSum(changes, metric, metric.normalised.earned).reversal
    elif metric.mean_precision is not None:
        from rankwise.agreement import precision_reversals as ap

        searched = len(first) <= ap.MOST_SEARCHED
        search = ap.MeanPrecision(changes, metric.mean_precision, scores, searched).reversal
    else:
        several = len(first) > MOST_SEARCHED
        search = AnyMetric(changes, metric, scores, searched=not several).reversal
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        ahead = float((scores[a] - scores[b]).sum())
        if abs(ahead) <= CANCELLATION * values.shape[1]:
            yield IMPOSSIBLE
        else:
            yield search(a, b) if ahead > 0 else search(b, a)


@dataclass(frozen=True, eq=False)
class SumOfWeights:
    """Exact number of changes that reverse a difference, for metrics that are sums of weights.

    A score is a sum of one term per judgment, and a change of a judgment changes only its term.
    """

    changes: Changes
    metric: WeightedPrecision

    @cached_property
    def gain(self) -> Floats:
        """The metric's gain of each grade in `changes.levels`."""
        return self.changes.worth(self.metric)

    @cached_property
    def _extremes(self) -> tuple[Ints, Ints, Floats, Floats]:
        """Per judgment, the indices of the allowed levels with lowest and highest gain.

        The third array is the current gain minus the lowest gain. The fourth array is the highest
        gain minus the current gain.
        """
        low, high = self.changes.extremes(self.gain)
        now = self.gain[self.changes.place]
        return low, high, now - self.gain[low], self.gain[high] - now

    @cached_property
    def _weights_by_run(self) -> list[tuple[Ints, Floats]]:
        weights = self.changes.weights(self.metric)
        return self.changes.by_run(weights != 0, weights)

    @cached_property
    def _by_code(self) -> Floats:
        """An array that is reused, with one weight per code; all weights are 0 between calls."""
        return np.zeros(len(self.changes.grade))

    def terms(self, a: int, b: int) -> tuple[Ints, Floats]:
        """Return the judgments whose weights in A and B differ, and weight in A − weight in B.

        The weight is 0 in a run that did not retrieve the document.
        """
        (codes_a, weight_a), (codes_b, weight_b) = (self._weights_by_run[run] for run in (a, b))
        room = self._by_code
        room[codes_a] = weight_a
        of_b = room[codes_b] - weight_b
        room[codes_b] = 0.0
        of_a = room[codes_a]
        room[codes_a] = 0.0
        codes, weights = np.concatenate([codes_a, codes_b]), np.concatenate([of_a, of_b])
        some = np.flatnonzero(weights)
        return codes[some], weights[some]

    def reductions(self, codes: Ints, weight: Floats) -> tuple[Floats, Ints]:
        """Return, for each judgment, the largest reduction of A − B by changing its grade.

        Also return the index of its new level. `weight` is the weight in A minus the weight in B.
        """
        low, high, loss, rise = (column[codes] for column in self._extremes)
        return np.where(weight > 0, weight * loss, -weight * rise), np.where(weight > 0, low, high)

    def reversal(self, a: int, b: int) -> Reversal:
        codes, weight = self.terms(a, b)
        ahead = float((weight * self.gain[self.changes.place[codes]]).sum())
        reduction, level = self.reductions(codes, weight)
        order = _largest_first(reduction, ahead + CANCELLATION * float(np.abs(weight).sum()))
        if order is None:
            return IMPOSSIBLE
        return Reversal(len(order), len(order), codes[order], self.changes.levels[level[order]])


def _largest_first(values: Floats, enough: float) -> Ints | None:
    """Return the indices of the fewest values whose sum exceeds `enough`, largest value first.

    Return None if the sum of all positive values does not exceed `enough`.
    """
    size = min(FEW, len(values))
    while True:
        some = np.argpartition(-values, size - 1)[:size] if size < len(values) else None
        some = np.arange(len(values)) if some is None else some
        order = some[np.argsort(-values[some], kind="stable")]
        sums = np.cumsum(np.maximum(values[order], 0.0))
        count = int(np.searchsorted(sums, enough, side="right")) + 1
        if count <= size:
            return order[:count]
        if size == len(values):
            return None
        size = min(8 * size, len(values))


@dataclass(frozen=True, eq=False)
class NormalisedSum:
    """Bounds of the number of changes that reverse a difference in nDCG.

    The docstring of the module has the method.
    """

    changes: Changes
    metric: Metric
    earned: WeightedPrecision

    @cached_property
    def sums(self) -> SumOfWeights:
        return SumOfWeights(self.changes, self.earned)

    @cached_property
    def pools(self) -> Ints:
        """Number of judged documents with each grade in `levels`, topics × levels."""
        topics, levels = len(self.changes.rejudged.judged.topics), len(self.changes.levels)
        cells = self.changes.rejudged.topic * levels + self.changes.place
        return np.bincount(cells, minlength=topics * levels).reshape(topics, levels)

    @cached_property
    def weight_sums(self) -> Floats:
        """Sums of the weights of the top 0, 1, 2 … ranks."""
        deepest = int(self.pools.sum(axis=1).max(initial=0))
        return np.concatenate([[0.0], np.cumsum(self.earned.weights(deepest))])

    @cached_property
    def by_worth(self) -> Ints:
        """Indices of the levels, highest gain first."""
        return np.argsort(-self.sums.gain, kind="stable")

    def ideal(self, pools: Ints) -> Floats:
        """Return the ideal DCG, given the number of documents per level (last axis of `pools`)."""
        falling = np.cumsum(pools[..., self.by_worth], axis=-1)
        before = np.concatenate([np.zeros_like(falling[..., :1]), falling[..., :-1]], axis=-1)
        weight = self.weight_sums[falling] - self.weight_sums[before]
        return np.asarray((weight * self.sums.gain[self.by_worth]).sum(axis=-1))

    @cached_property
    def ideals(self) -> tuple[Floats, Floats]:
        """Lowest and highest ideal DCG after 0, 1, 2 … changed judgments, topics × numbers."""
        return self._moved(self.by_worth), self._moved(self.by_worth[::-1])

    def _moved(self, order: Ints) -> Floats:
        """Return the ideal DCG after 0, 1, 2 … judgments change, topics × numbers of changes.

        Documents are changed in the order of their levels in `order`, and get the last level in
        `order`.
        """
        number = np.arange(MOST_CHANGES + 1)
        before = np.cumsum(self.pools[:, order], axis=1) - self.pools[:, order]
        moved = np.clip(number[None, :, None] - before[:, None, :], 0, self.pools[:, None, order])
        left = self.pools[:, None, order] - moved
        pools = np.zeros_like(left)
        pools[:, :, order] = left
        pools[:, :, order[-1]] += moved.sum(axis=2)
        return self.ideal(pools)

    def reversal(self, a: int, b: int) -> Reversal:
        codes, weight = self.sums.terms(a, b)
        reduction, level = self.sums.reductions(codes, weight)
        topic = self.changes.rejudged.topic[codes]
        now = weight * self.sums.gain[self.changes.place[codes]]
        numerator = np.bincount(topic, now, len(self.pools)).astype(np.float64)
        low = self._lower_bound(numerator, topic, reduction)
        if low is None:
            return IMPOSSIBLE
        example = self._example(codes, topic, now, numerator, reduction, weight, level)
        if example is None:
            return Reversal(low, None, NOTHING, NOTHING)
        return Reversal(low, len(example), codes[example], self.changes.levels[level[example]])

    def _differences(self, numerator: Floats, ideal: Floats) -> Floats:
        """Return the difference in nDCG per topic, or 0 if the ideal DCG is 0.

        Means exclude topics with an ideal DCG of 0.
        """
        return np.divide(numerator, ideal, out=np.zeros_like(numerator), where=ideal > 0)

    def _lower_bound(self, numerator: Floats, topic: Ints, reduction: Floats) -> int | None:
        lowest, highest = self.ideals
        sums = largest_sums(topic, reduction, len(numerator), MOST_CHANGES)
        left = numerator[:, None] - sums
        with np.errstate(divide="ignore", invalid="ignore"):
            positive = np.where(highest > 0, left / highest, 0.0)
            negative = np.where(lowest > 0, np.maximum(left / lowest, -1.0), -1.0)
        bound = np.where(left >= 0, positive, negative)
        bound = np.where((lowest <= 0) & (left >= 0), np.minimum(bound, 0.0), bound)
        now = self._differences(numerator, highest[:, 0])
        fall = np.maximum.accumulate(now[:, None] - bound, axis=1)
        fall[:, 0] = 0.0
        return fewest_changes(np.concatenate([fall, now[:, None] + 1], axis=1), float(now.sum()))

    def _example(
        self,
        codes: Ints,
        topic: Ints,
        now: Floats,
        numerator: Floats,
        reduction: Floats,
        weight: Floats,
        level: Ints,
    ) -> Ints | None:
        """Return indices of changes that reverse the difference, or None if none are found.

        Changes are made in the order of their effect, the largest first.
        """
        ideal = self.ideals[0][:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            effect = np.where(ideal[topic] > 0, reduction / ideal[topic], reduction)
        order = np.flatnonzero(effect > 0)
        order = order[np.argsort(-effect[order], kind="stable")]
        difference = self._differences(numerator, ideal)
        ahead, enough = float(difference.sum()), -CANCELLATION * len(difference)
        moved = weight * self.sums.gain[level] - now
        pools: dict[int, list[int]] = {}
        sums, differences = numerator.tolist(), difference.tolist()
        steps = zip(
            topic[order].tolist(),
            self.changes.place[codes[order]].tolist(),
            level[order].tolist(),
            moved[order].tolist(),
            strict=True,
        )
        for count, (t, old, new, change) in enumerate(steps, 1):
            pool = pools.setdefault(t, self.pools[t].tolist())
            pool[old] -= 1
            pool[new] += 1
            sums[t] += change
            total = self._ideal_of(pool)
            changed = sums[t] / total if total > 0 else 0.0
            ahead += changed - differences[t]
            differences[t] = changed
            if ahead < enough:
                return order[:count]
        return None

    @cached_property
    def _plain(self) -> tuple[list[int], list[float], list[float]]:
        """Level indices (highest gain first), their gains, and `weight_sums`, as lists.

        Single elements of lists are accessed faster than those of arrays.
        """
        gains = self.sums.gain[self.by_worth].tolist()
        return self.by_worth.tolist(), gains, self.weight_sums.tolist()

    def _ideal_of(self, pool: list[int]) -> float:
        """Return the ideal DCG of a topic; `pool` has the number of its documents per level."""
        order, gains, sums = self._plain
        total, before = 0.0, 0
        for level, gain in zip(order, gains, strict=True):
            after = before + pool[level]
            total += gain * (sums[after] - sums[before])
            before = after
        return total


def largest_first(topic: Ints, values: Floats, topics: int, width: int | None) -> Floats:
    """Return the `width` largest values of each topic, largest first, padded with 0.

    If `width` is None, all values are returned.
    """
    order = np.lexsort((-values, topic))
    start = np.searchsorted(topic[order], np.arange(topics))
    place = np.arange(len(order)) - start[topic[order]]
    if width is None:
        width = int(place.max(initial=0)) + 1
    some = place < width
    table = np.zeros((topics, width))
    table[topic[order[some]], place[some]] = values[order[some]]
    return table


def largest_sums(topic: Ints, reduction: Floats, topics: int, most: int) -> Floats:
    """Return sums of the 0, 1, 2 … `most` largest reductions, topics × (`most` + 1)."""
    table = largest_first(topic, reduction, topics, most)
    return np.cumsum(np.pad(table, ((0, 0), (1, 0))), axis=1)


def fewest_changes(fall: Floats, ahead: float) -> int | None:
    """Return a lower bound of the number of changes that reduce the lead `ahead` to 0.

    Return None if no number of changes does. `fall` has the largest reduction of each topic's
    difference by 0, 1, 2 … changes, topics × numbers of changes. It is replaced by its least
    concave majorant. The best allocation of changes then takes the largest increments first.
    """
    topics, numbers = fall.shape
    fall = np.where(np.isinf(fall), ahead + 1.0, fall)
    steps = np.zeros((topics, numbers - 1))
    reached = np.zeros(topics)
    for number in range(1, numbers):
        ahead_of = np.arange(1, numbers - number + 1)
        slopes = (fall[:, number:] - reached[:, None]) / ahead_of
        steps[:, number - 1] = np.maximum(slopes.max(axis=1), 0.0)
        reached = reached + steps[:, number - 1]
    sums = np.cumsum(np.sort(steps.ravel())[::-1])
    # Rounding errors must not raise the bound, so a little less than the lead is enough.
    count = int(np.searchsorted(sums, ahead - CANCELLATION * topics, side="right")) + 1
    return count if count <= len(sums) else None


@dataclass(frozen=True, eq=False)
class AnyMetric:
    """Bounds of the number of changes that reverse a difference, for any metric.

    If `searched`, each single judgment is changed in turn. If not, the effect of a change is
    bounded only by the range of the metric.
    """

    changes: Changes
    metric: Metric
    scores: Floats  # runs × topics, higher is better, 0 where undefined
    searched: bool

    def reversal(self, a: int, b: int) -> Reversal:
        now = self.scores[a] - self.scores[b]
        ahead = float(now.sum())
        lowest, highest = self.metric.score_range or (0, 1 if self.metric.is_builtin else np.inf)
        most = now + (highest - lowest)  # largest reduction by any number of changes of a topic
        if not self.searched:
            low = fewest_changes(np.stack([np.zeros(len(now)), most], axis=1), ahead)
            return Reversal(low, None, NOTHING, NOTHING, searched=False)
        pair = TwoRuns.of(self.changes, self.metric, a, b)
        single, codes, levels = self._single_changes(pair, now)
        best = np.zeros(len(now))
        np.maximum.at(best, self.changes.rejudged.topic[codes], single)
        fall = np.stack([np.zeros(len(now)), best, np.maximum(most, best)], axis=1)
        low = fewest_changes(fall, ahead)
        order = np.argsort(-single, kind="stable")
        order = order[single[order] > 0]
        count = _reversing_prefix(pair, self.changes.grade, codes[order], levels[order])
        if count is None:
            return Reversal(low, None, NOTHING, NOTHING)
        chosen = order[:count]
        return Reversal(low, count, codes[chosen], levels[chosen])

    def _single_changes(self, pair: TwoRuns, now: Floats) -> tuple[Floats, Ints, Ints]:
        """Return, per judgment, the largest reduction of A − B if only this judgment changes.

        Also return the indices of these judgments and their new grades.
        """
        codes = pair.codes_to_try(self.changes)
        topic = self.changes.rejudged.topic[codes]
        best, level = np.full(len(codes), -np.inf), self.changes.grade[codes]
        for some in layers(topic):
            for target, differs in self.changes.allowed(self.changes.place[codes[some]]):
                grade = self.changes.grade.copy()
                grade[codes[some]] = self.changes.levels[target]
                fall = (now - pair.differences(grade))[topic[some]]
                better = differs & (fall > best[some])
                best[some] = np.where(better, fall, best[some])
                level[some] = np.where(better, self.changes.levels[target], level[some])
        return best, codes, level


@dataclass(frozen=True, eq=False)
class TwoRuns:
    """Two runs A and B, to be scored under any grades of the judgments."""

    metric: Metric
    rejudged: Rejudged
    turned: bool  # whether run B comes before run A in `rejudged`

    @classmethod
    def of(cls, changes: Changes, metric: Metric, a: int, b: int) -> TwoRuns:
        base = changes.rejudged.judged
        keep = [run in (a, b) for run in range(len(base.runs))]
        code = changes.rejudged.code
        codes = [code[changes.rows_of(run)] for run in sorted((a, b))]
        judged = replace(base.where_runs(keep), judgment=np.concatenate(codes))
        return cls(metric, Rejudged.of(judged), b < a)

    def differences(self, grade: Ints) -> Floats:
        """Return the score difference of A and B on each topic, positive where A is better.

        The difference is 0 if a score is undefined.
        """
        judged = self.rejudged.assign(self.rejudged.is_judged, grade)
        both = scores_of(self.metric, judged).reshape(2, -1)
        by_topic = (both[1] - both[0]) if self.turned else (both[0] - both[1])
        return np.where(np.isnan(by_topic), 0.0, self.metric.sign * by_topic)

    def codes_to_try(self, changes: Changes) -> Ints:
        """Return the indices of the judgments to try: those of documents that A or B retrieved.

        If the metric depends on relevant documents that were not retrieved, the judgment of one
        such document per topic and grade is returned too. Documents that neither run retrieved are
        interchangeable if they have the same topic and grade.
        """
        retrieved = np.unique(self.rejudged.code.astype(np.int64))
        if not self.metric.counts_missed:
            return retrieved
        others = np.setdiff1d(np.arange(len(changes.grade)), retrieved)
        kinds = np.stack([changes.rejudged.topic[others], changes.grade[others]], axis=1)
        _, first = np.unique(kinds, axis=0, return_index=True)
        return np.concatenate([retrieved, others[first]]).astype(np.int64)


def _reversing_prefix(pair: TwoRuns, grade: Ints, codes: Ints, levels: Ints) -> int | None:
    """Return how many of the changes, made in this order, reverse the difference of the two runs.

    Not every number of changes is tried, so a smaller number may also reverse the difference. The
    result is None if no number that was tried does.
    """

    def reverses(count: int) -> bool:
        changed = grade.copy()
        changed[codes[:count]] = levels[:count]
        differences = pair.differences(changed)
        return bool(differences.sum() < -CANCELLATION * len(differences))

    high = 1
    while high < len(codes) and not reverses(high):
        high *= 2
    high = min(high, len(codes))
    if not high or not reverses(high):
        return None
    return bisect_left(range(high), True, high // 2 + 1, key=reverses)


def layers(topic: Ints) -> Iterator[Ints]:
    """Split the rows into groups with at most one row per topic; yield the indices of each group.

    `topic` is the topic of each row.
    """
    order = np.argsort(topic, kind="stable")
    start = np.searchsorted(topic[order], topic[order])
    layer = np.arange(len(order)) - start
    for number in range(int(layer.max(initial=-1)) + 1):
        yield order[layer == number]
