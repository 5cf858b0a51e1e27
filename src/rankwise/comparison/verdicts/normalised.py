"""Exact bounds on score differences for nDCG.

nDCG is a weighted sum of gains divided by the weighted sum of the ideal ranking.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.bounds import Bounds, Levels, greatest_ratio, running
from rankwise.comparison.verdicts.any_metric import bounds_of_any_metric
from rankwise.comparison.verdicts.differences import Ends
from rankwise.comparison.verdicts.forms import Form
from rankwise.comparison.verdicts.pair_documents import Cells
from rankwise.comparison.verdicts.weighted_sums import ends_of_weights
from rankwise.metrics import Normalised
from rankwise.rankings import JudgedRankings
from rankwise.scores import scores_of, unjudged_by_topic
from rankwise.vocabulary import Assumption


@dataclass(frozen=True, eq=False)
class NormalisedSum(Form):
    """Bounds of differences D / I, exact where the formula applies.

    D is the difference of two weighted sums, and I the ideal sum, the same for both runs.
    """

    form: Normalised

    @cached_property
    def earned(self) -> Floats:
        """The weighted sum of each ranking under the current judgments."""
        return scores_of(self.form.earned, self.pairs.judged)

    def extremes(self, cells: Cells) -> Bounds:
        ratio, levels = self.form, self.form.levels(self.pairs.judged)
        deepest = max(int(cells.rank_a.max(initial=0)), int(cells.rank_b.max(initial=0)))
        at = np.concatenate([[0.0], ratio.earned.weights(deepest)])
        delta = np.where(cells.there, at[cells.rank_a] - at[cells.rank_b], 0.0)
        reached = levels.count[:, cells.a]
        most = int((cells.count + cells.elsewhere).max(initial=0) + reached.max(initial=0))
        last = ratio.earned.cutoff or most
        sums = np.concatenate([[0.0], np.cumsum(ratio.earned.weight(np.arange(1, last + 1)))])
        quotient = Quotient(cells, replace(levels, count=reached), sums)
        earned = self.earned[cells.a] - self.earned[cells.b]
        return -quotient.greatest(-delta, -earned), quotient.greatest(delta, earned)

    @property
    def is_covered(self) -> Bools:
        """Mask of the rankings to which the formula applies.

        Under `open` these are the rankings that reach the cutoff, and under `retrieved` all.
        """
        judged, cutoff = self.pairs.judged, self.metric.cutoff
        if self.unjudged == "open" and cutoff is not None:
            return np.asarray(judged.length >= cutoff)
        return super().is_covered

    @property
    def elsewhere(self) -> Floats:
        """Number of unjudged documents of each topic that can be relevant.

        Under `open`, documents that no run retrieved are added: as many as fill the ideal ranking
        down to the cutoff. More documents would have no effect.
        """
        more = (self.metric.cutoff or 0) if self.unjudged == "open" else 0
        return super().elsewhere + more

    def outer(self) -> Ends:
        """Return valid bounds on D / I from the bounds on D and on I.

        More judgments never lower the ideal sum I. Its smallest value is the current I0. Its
        largest value is I1, if all unjudged documents of the topic have the largest gain. D / I is
        therefore at least the smallest D, divided by I0 if D is negative and by I1 otherwise. The
        bounds from the two scores alone are used where they are tighter.
        """
        pairs, ratio = self.pairs, self.form
        sums = ends_of_weights(pairs, ratio.earned, self.unjudged)
        apart = bounds_of_any_metric(pairs, self.metric, self.unjudged)
        least = ratio.ideal(pairs.judged).total(ratio.earned.weight, ratio.earned.cutoff)
        most = _greatest_ideal(pairs.judged, ratio, self.unjudged)
        ideal, greatest = pairs.of(np.where(least > 0, least, np.nan))[0], pairs.of(most)[0]
        low = sums.low / np.where(sums.low < 0, ideal, greatest)
        high = sums.high / np.where(sums.high > 0, ideal, greatest)
        # The current difference is always possible, so bounds that exclude it are rounding errors.
        low = np.fmin(np.fmax(low, apart.low), apart.value)
        high = np.fmax(np.fmin(high, apart.high), apart.value)
        return Ends(apart.value, low, high, reached_low=apart.value, reached_high=apart.value)


def _greatest_ideal(judged: JudgedRankings, ratio: Normalised, unjudged: Assumption) -> Floats:
    """Return the largest ideal sum of each ranking's topic.

    The sum is largest if all unjudged documents have the largest gain. Under `open` without a
    cutoff, the sum is infinite.
    """
    new, earned = unjudged_by_topic(judged), ratio.earned
    cutoff = earned.cutoff or np.iinfo(np.int64).max
    if unjudged == "open":
        if earned.cutoff is None:
            return np.full(judged.count, np.inf)
        new = np.full(len(new), cutoff)
    ideal, gain = ratio.ideal(judged), earned.greatest(judged)
    rank = ideal.rank + new[ideal.topic]
    pushed = np.where(rank <= cutoff, ideal.gain * earned.weight(rank), 0.0)
    deepest = int(np.minimum(new, cutoff).max(initial=0))
    on_top = np.concatenate([[0.0], np.cumsum(earned.weight(np.arange(1, deepest + 1)))])
    totals = np.bincount(ideal.topic, pushed, len(new)) + gain * on_top[np.minimum(new, cutoff)]
    return np.asarray(totals[judged.topic])


@dataclass(frozen=True, eq=False)
class Quotient:
    """The quotient (D + Σ gain × δ) / I over all possible gains of the unjudged documents.

    D is the current difference of the weighted sums, and I the ideal sum. δ is the weight of a
    document in A minus its weight in B. I is a maximum of linear functions of the gains, hence
    convex. Let λ be the largest quotient.

    The gains that attain λ maximise D + Σ gain × δ − λ I. If λ is negative, this function is
    convex, so every gain is the largest gain or 0. A given number of largest gains goes to the
    documents with the largest δ. Documents that neither run has (δ = 0) get either all the largest
    gain, or all 0.

    If λ is positive, `greatest_ratio` finds λ. At each level of gain, the documents with the
    largest positive δ reach the level, and documents that neither run has do not. The sign of λ is
    known from trying only the largest gain and 0, because D + Σ gain × δ is largest for these.
    """

    cells: Cells
    levels: Levels
    sums: Floats  # total weight of the first 0, 1, 2 … ranks

    def greatest(self, delta: Floats, earned: Floats) -> Floats:
        found = running(-np.sort(np.where(self.cells.there, -delta, np.inf), axis=1))
        found = np.where(np.isneginf(found), 0.0, found)
        number = np.arange(found.shape[1])
        possible = number <= self.cells.count[:, None]
        best = np.fmax(
            self._all_or_nothing(earned, found, possible, np.zeros(len(earned))),
            self._all_or_nothing(earned, found, possible, self.cells.elsewhere),
        )
        gained = np.where(possible, found, -np.inf)
        reached = np.minimum(self.levels.count[:, :, None] + number, len(self.sums) - 1)
        ideals = [self.sums[reach.astype(np.int64)] for reach in reached]
        above = greatest_ratio(earned, [gained] * len(ideals), self.levels.step, ideals)
        return np.where(best > 0, np.fmax(best, above), best)

    def _all_or_nothing(
        self, earned: Floats, found: Floats, possible: Bools, elsewhere: Floats
    ) -> Floats:
        more = np.arange(found.shape[1]) + elsewhere[:, None]
        ideal = self.levels.ideal(more, np.full((1, 1), np.inf), self.sums)
        quotient = np.full(found.shape, np.nan)
        total = earned[:, None] + self.levels.greatest * found
        np.divide(total, ideal, out=quotient, where=possible & (ideal > 0))
        return np.asarray(np.fmax.reduce(quotient, axis=1))
