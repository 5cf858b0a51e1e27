"""Score differences of pairs of runs, their bounds over all possible judgments, and verdicts."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.arrays import CANCELLATION, ROUNDING, Bools, Floats, Ints
from rankwise.bounds import greatest_mean, least_mean
from rankwise.metrics import Metric
from rankwise.rankings import JudgedRankings, Retrieved
from rankwise.vocabulary import Undefined

Words = npt.NDArray[np.str_]


class Ends(NamedTuple):
    """Differences A − B under the current judgments, with bounds under all possible judgments.

    All arrays have the shape (pairs, topics), or (pairs,) for means over topics. `low` and `high`
    are the bounds. `reached_low` and `reached_high` are differences that some possible judgments
    give or approach. The tight lower bound lies between `low` and `reached_low`, and the tight
    upper bound between `reached_high` and `high`. Where the score of a topic is undefined, `value`
    is NaN, and the bounds are for judgments that define the score. Bounds are NaN if no judgments
    can define the score, or if no bound is known.
    """

    value: Floats
    low: Floats
    high: Floats
    reached_low: Floats
    reached_high: Floats

    def upper(self, sign: int) -> tuple[Floats, Floats]:
        """Return (`high`, `reached_high`) for sign 1, (`low`, `reached_low`) for sign −1."""
        return (self.high, self.reached_high) if sign > 0 else (self.low, self.reached_low)

    def of_topics(self, keep: Bools) -> "Ends":
        """Return the differences and their bounds on the topics in the mask `keep`."""
        return Ends(*(column[:, keep] for column in self))

    @property
    def gap(self) -> Floats:
        """Amount by which the less tight of the two bounds may be too wide; 0 if both are exact.

        The amount is NaN where no known judgments define the score of the topic.
        """
        with np.errstate(invalid="ignore"):  # infinity − infinity: a bound that is approached
            sides = [self.reached_low - self.low, self.high - self.reached_high]
        same = [self.reached_low == self.low, self.high == self.reached_high]
        wide = np.maximum(*(np.where(s, 0.0, side) for s, side in zip(same, sides, strict=True)))
        return np.where(wide <= CANCELLATION, 0.0, wide)

    @property
    def verdict(self) -> Words:
        """Guaranteed winner `A` or `B`, guaranteed `equal`, or `undecided`.

        The winner is the run with the higher score, even if lower is better. If a run can be better
        or equal, but not worse, the verdict is `undecided`.
        """
        even = (np.abs(self.low) <= ROUNDING) & (np.abs(self.high) <= ROUNDING)
        decided = [self.low > ROUNDING, self.high < -ROUNDING, even]
        return np.select(decided, ["A", "B", "equal"], default="undecided")  # also for NaN

    @property
    def proven(self) -> Bools:
        """Whether tighter bounds cannot change the verdict.

        Either the verdict is `A`, `B` or `equal`, or judgments are known under which A is not
        better, and other judgments under which B is not better.
        """
        both_ways = (self.reached_low <= ROUNDING) & (self.reached_high >= -ROUNDING)
        return (self.verdict != "undecided") | both_ways

    @property
    def reversible(self) -> Bools:
        """Whether judgments are known that make A better, and others that make B better."""
        return (self.reached_low < -ROUNDING) & (self.reached_high > ROUNDING)

    def counting_undefined(self, undefined: Undefined) -> "Ends":
        """Return the bounds unchanged (`skip`), or with undefined scores as 0 (`zero`).

        With `zero`, an undefined difference is 0, and its bounds include 0.
        """
        if undefined == "skip":
            return self
        zero = np.where(np.isfinite(self.value), np.nan, 0.0)
        return Ends(
            np.where(np.isnan(zero), self.value, 0.0),
            np.fmin(self.low, zero),
            np.fmax(self.high, zero),
            np.fmin(self.reached_low, zero),
            np.fmax(self.reached_high, zero),
        )

    @property
    def to_resolve(self) -> Floats:
        """Minimum fraction of the width high − low that must be removed before a verdict.

        Each newly judged document can reduce the width: it raises the lower bound, lowers the upper
        bound, or both. A is guaranteed to be better once the lower bound has risen by more than
        −low, and B once the upper bound has fallen by more than high. So no verdict is possible
        before min(−low, high) / (high − low) of the width is removed. The value is 0 for decided
        pairs and at most 1/2. It is NaN for an undecided pair if a bound is not finite.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.minimum(-self.low, self.high) / (self.high - self.low)
        share = np.where(np.isfinite(share), np.maximum(share, 0.0), np.nan)
        return np.where(self.verdict == "undecided", share, 0.0)


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of pairs of runs by one metric, with bounds and verdicts.

    Pair i has runs `first[i]` (A) and `second[i]` (B). `by_topic` has a row for each pair and a
    column for each topic. The current value of `mean` excludes topics with an undefined score; its
    bounds allow for judgments that define the score. For counts, `mean` is a sum over topics.
    `unjudged` is the assumption about unjudged documents.
    """

    metric: Metric
    unjudged: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    first: Ints
    second: Ints
    by_topic: Ends = field(repr=False)

    @cached_property
    def mean(self) -> Ends:
        """Differences of means over topics, or of sums for counts, with their bounds."""
        return mean_of_topics(self.by_topic, is_sum=self.metric.aggregate == "sum")


def mean_of_topics(ends: Ends, *, is_sum: bool) -> Ends:
    """Return the bounds on means over topics, or on sums.

    Topics are judged independently. If all scores are defined, the lowest (highest) mean is
    therefore the mean of the lowest (highest) differences. A topic with an undefined score enters
    the mean only under judgments that define the score; see `rankwise.bounds.least_mean`.
    """
    defined = np.isfinite(ends.value)
    return Ends(
        least_mean(np.where(defined, ends.value, np.nan), defined, is_sum=is_sum),
        least_mean(ends.low, defined, is_sum=is_sum),
        greatest_mean(ends.high, defined, is_sum=is_sum),
        least_mean(ends.reached_low, defined, is_sum=is_sum),
        greatest_mean(ends.reached_high, defined, is_sum=is_sum),
    )


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of the runs in `judged`: the index of the first run (A) and of the second run (B)."""

    judged: JudgedRankings
    first: Ints
    second: Ints

    @property
    def retrieved(self) -> Retrieved:
        assert self.judged.retrieved is not None
        return self.judged.retrieved

    def unjudged_to(self, cutoff: int | None) -> Retrieved:
        """Return the unjudged documents of all runs down to `cutoff`, or all if it is None."""
        rows = self.retrieved.unjudged
        return self.judged.keep(
            ("unjudged to", cutoff), lambda: rows if cutoff is None else rows.above(cutoff)
        )

    def of(self, column: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return the values of run A and of run B, each of shape (pairs, topics).

        `column` has a value for each ranking.
        """
        table = column.reshape(len(self.judged.runs), len(self.judged.topics))
        return table[self.first], table[self.second]
