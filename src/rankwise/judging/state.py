"""How sure the scores of runs and their order are, as documents get judged."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import ROUNDING, Bools, Floats, Ints
from rankwise.comparison.verdicts import between_runs, meetings, row_weights, unjudged_weights
from rankwise.metrics import WeightedPrecision
from rankwise.rankings import JudgedRankings
from rankwise.scores import scores_of
from rankwise.vocabulary import Assumption


@dataclass(frozen=True, eq=False)
class Candidates:
    """The unjudged documents that carry weight: a row for each run that has one.

    Rows stand by document (its code), then run; `weight` is what the document would add to the
    run's score if it gained the most. `topic` is that of each document, 0 of those judged.
    """

    run: Ints
    document: Ints
    weight: Floats
    topic: Ints

    @property
    def count(self) -> int:
        """How many codes there are."""
        return len(self.topic)

    def among(self, chosen: Ints) -> "Candidates":
        """Only the rows of some documents."""
        wanted = np.zeros(self.count, np.bool_)
        wanted[chosen] = True
        here = wanted[self.document]
        return Candidates(self.run[here], self.document[here], self.weight[here], self.topic)

    def total(self, worth: Floats | None = None) -> Floats:
        """The weight of each document over all runs, each run's weight having some worth."""
        weight = self.weight if worth is None else self.weight * worth[self.run]
        return np.bincount(self.document, weight, self.count).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Standing:
    """Of each run: its score, and what is open; of each two: what of that they share.

    All are sums over topics. `below` is the weight below the ends of the rankings, if
    that counts; it stays whatever is judged.
    """

    score: Floats
    open: Floats
    below: Floats
    shared: Floats

    @classmethod
    def of(
        cls,
        judged: JudgedRankings,
        metric: WeightedPrecision,
        candidates: Candidates,
        unjudged: Assumption,
    ) -> "Standing":
        runs = len(judged.runs)
        below = np.zeros(runs)
        if unjudged == "open":
            tails = metric.greatest(judged) * metric.weight_below(judged.seen_length)
            below = tails.reshape(runs, -1).sum(axis=1)
        return cls(
            scores_of(metric, judged).reshape(runs, -1).sum(axis=1),
            np.bincount(candidates.run, candidates.weight, runs).astype(np.float64),
            below,
            between_runs(candidates.run, candidates.document, candidates.weight, runs),
        )

    def after(self, judged: Candidates, gain: Floats) -> "Standing":
        """Once these documents are judged; `gain` of each document, the greatest being 1."""
        runs = len(self.score)
        found = np.bincount(judged.run, judged.weight * gain[judged.document], runs)
        settled = np.bincount(judged.run, judged.weight, runs)
        shared = between_runs(judged.run, judged.document, judged.weight, runs)
        return Standing(self.score + found, self.open - settled, self.below, self.shared - shared)

    @property
    def residual(self) -> float:
        """What is open, in the mean over runs; a sum over topics."""
        return float((self.open + self.below).mean())

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The least and the greatest difference of every run and every other: runs × runs."""
        difference = self.score[:, None] - self.score
        apart = np.maximum(self.open[:, None] - self.shared, 0.0) + self.below[:, None]
        return difference - apart.T, difference + apart

    @property
    def undecided(self) -> Bools:
        """Which two runs could still change places: runs × runs."""
        low, high = self.ends
        found = (low <= ROUNDING) & (high >= -ROUNDING) & (high - low > ROUNDING)
        np.fill_diagonal(found, False)
        return found

    @property
    def undecided_count(self) -> int:
        return int(self.undecided.sum()) // 2


def separating_weight(candidates: Candidates, worth: Floats) -> Floats:
    """For each document Σ worth × |wA − wB| over all pairs of runs (worth is runs × runs).

    With |wA − wB| = wA + wB − 2 min(wA, wB), and w = 0 where a run lacks the document, it
    is Σ w × (the worth of all of the run's pairs) less twice the minima of those that meet.
    """
    run, document, weight = candidates.run, candidates.document, candidates.weight
    each = weight * worth.sum(axis=1)[run]
    for one, other in meetings(document):
        each[one] -= 2 * np.minimum(weight[one], weight[other]) * worth[run[one], run[other]]
    return np.maximum(np.bincount(document, each, candidates.count), 0.0)


def rate_of_gain(judged: JudgedRankings, metric: WeightedPrecision) -> float:
    """Of the weight of all retrieved judged documents, the share that they gained."""
    weight = row_weights(judged, metric).sum()
    return float(scores_of(metric, judged).sum() / weight) if weight > 0 else 0.0


def candidates_of(judged: JudgedRankings, metric: WeightedPrecision) -> Candidates:
    assert judged.retrieved is not None
    rows, weight = judged.retrieved.unjudged, unjudged_weights(judged, metric)
    topic = np.zeros(rows.codes, np.int64)
    topic[rows.code] = rows.topic
    here = weight > 0
    return Candidates(rows.run[here], rows.code[here], weight[here], topic)
