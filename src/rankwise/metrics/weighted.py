"""Metrics with a fixed weight for each rank."""

from typing import Any, ClassVar

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds import ScoreBounds, WeightedSums
from rankwise.errors import WrongParameter
from rankwise.metrics.metric import Metric
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


class WeightedPrecision(Metric):
    """Base class of metrics of the form Σ weight(rank) × gain(document).

    A subclass defines `weight`. The scores, their bounds and the contributions of documents are
    computed from weights and gains. By default, a document has gain 1 if its grade is at least
    `rel` (at least 1 if the metric has no `rel`), otherwise 0. A subclass with graded gains
    overrides `gain` and `greatest`. With `ties=share`, each tied document gets the mean weight of
    the ranks of its tie group. The score is then the mean score over all orders of the tied
    documents (Moffat and Zobel 2008, Section 4.7).
    """

    bounds: ClassVar[ScoreBounds[Any]] = WeightedSums()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ties == "share" and self.judged_only:
            both = "ties=share cannot be combined with judged_only=True. Remove one of them."
            raise WrongParameter(both, source=str(self))

    @property
    def weighted(self) -> "WeightedPrecision":
        return self

    @property
    def sum_of_weights(self) -> "WeightedPrecision | None":
        # In a condensed list, judging a document inserts it and shifts those below.
        follow = self.bounds is WeightedPrecision.bounds
        return self if follow and not self.judged_only else None

    def weight(self, rank: Ints) -> Floats:
        """Return the weight of each rank."""
        raise NotImplementedError

    @property
    def weights_fall(self) -> bool:
        """Whether the weights (without a cutoff) are positive and strictly decrease by rank."""
        return False

    def weight_after(self, depth: Ints) -> Floats:
        """Return the total weight of all ranks below each depth, without a cutoff.

        It is infinite if a subclass does not override this method.
        """
        return np.full(len(depth), np.inf)

    def gain(self, judged: JudgedRankings) -> Floats:
        return (judged.grade >= (self.rel or 1)).astype(np.float64)

    def greatest(self, judged: JudgedRankings) -> float:
        """Return the largest gain that one document can have."""
        return 1.0

    def view(self, judged: JudgedRankings) -> JudgedRankings:
        # A document below the cutoff may be tied with one above it and share its weight: keep all
        # rows.
        return judged if self.ties == "share" else super().view(judged)

    def compute(self, judged: JudgedRankings) -> Floats:
        gaining = judged.relevant(self.lowest(judged))
        return gaining.total(self.row_weights(gaining) * self.gain(gaining))

    def contributions(self, judged: JudgedRankings) -> Floats:
        return self.row_weights(judged) * self.gain(judged)

    def continuation(self, gain: Floats) -> Floats:
        """Return the continuation probability after each rank i: weight(i + 1) / weight(i).

        Only the length of `gain` is used. In this user model, rank i is viewed with a probability
        proportional to its weight.
        """
        weights = self.weights(len(gain) + 1)
        going_on = np.zeros(len(gain))
        return np.divide(weights[1:], weights[:-1], out=going_on, where=weights[:-1] > 0)

    def most_below(self, depth: int) -> float | None:
        greatest = 1.0 if self.gains is None else max(gain for _, gain in self.gains)
        return float(greatest * self.weight_below(np.array([depth]))[0])

    def open_weight(self, judged: JudgedRankings, unjudged: Assumption) -> Floats:
        """Return, per ranking, the total weight of the unjudged documents.

        Under the assumption `open`, the total includes the weights of all ranks below the last
        document of the ranking.
        """
        seen = self._weight_down_to(judged.seen_length)
        open_weight = np.maximum(seen - judged.total(self.row_weights(judged)), 0.0)
        if unjudged == "open":
            open_weight += self.weight_below(judged.seen_length)
        return open_weight

    def row_weights(self, judged: JudgedRankings) -> Floats:
        """Return the weight of each judged document (row).

        With `ties=share`, tied documents have the same weight.
        """
        return self.weights_at(judged.rank, judged.tie_first, judged.tie_last, judged.depth)

    def weights_at(self, rank: Ints, tie_first: Ints, tie_last: Ints, depth: int | None) -> Floats:
        """Return the weights of documents, given their ranks and the ranks of their tie groups.

        `tie_first` and `tie_last` are the first and the last rank of a tie group. With
        `ties=share`, a document has the mean weight of these ranks; ranks below `depth` have weight
        0.
        """
        if self.ties != "share":
            return self.weights(rank.max(initial=0))[rank - 1]
        weights = self.weights(tie_last.max(initial=0)).copy()
        if depth is not None:
            weights[depth:] = 0.0
        sums = np.concatenate([[0.0], np.cumsum(weights)])
        return (sums[tie_last] - sums[tie_first - 1]) / (tie_last - tie_first + 1)

    def weights(self, depth: int) -> Floats:
        """Return the weights of ranks 1 to `depth`; ranks below the cutoff have weight 0."""
        ranks = np.arange(1, depth + 1)
        weights = self.weight(ranks)
        return weights if self.cutoff is None else np.where(ranks <= self.cutoff, weights, 0.0)

    def _weight_down_to(self, depth: Ints) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.weights(depth.max(initial=0)))])[depth]

    def weight_below(self, depth: Ints) -> Floats:
        """Return, for each depth, the total weight of the ranks below it, down to the cutoff."""
        if self.cutoff is None:
            return self.weight_after(depth)
        return self._weight_down_to(np.maximum(depth, self.cutoff)) - self._weight_down_to(depth)
