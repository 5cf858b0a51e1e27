"""Uncertainty of run scores and of the system ranking, before and after documents are judged."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import ROUNDING, Bools, Floats, Ints
from rankwise.comparison.verdicts import (
    between_runs,
    deepest_weight,
    meetings,
    row_weights,
    weights_of,
)
from rankwise.metrics import WeightedPrecision
from rankwise.rankings import JudgedRankings
from rankwise.scores import scores_of
from rankwise.vocabulary import Assumption


@dataclass(frozen=True, eq=False)
class Candidates:
    """Unjudged documents with a weight above 0: one row for each document and run that has it.

    `document` is the code of the document: a number that identifies it in all runs. Rows are sorted
    by code, then run. `weight` is the amount that the document would add to the run's score with
    the maximum gain. `topic` has an entry for each code: the topic of the document, or 0 if the
    document has no row.
    """

    run: Ints
    document: Ints
    weight: Floats
    topic: Ints

    @property
    def count(self) -> int:
        """Number of document codes over all topics, including judged documents."""
        return len(self.topic)

    def among(self, chosen: Ints) -> "Candidates":
        """Return the rows of the documents with these codes."""
        wanted = np.zeros(self.count, np.bool_)
        wanted[chosen] = True
        here = wanted[self.document]
        return Candidates(self.run[here], self.document[here], self.weight[here], self.topic)

    def total(self, worth: Floats | None = None) -> Floats:
        """Return, for each document code, the sum over runs of weight × `worth` of the run.

        By default the worth of each run is 1.
        """
        weight = self.weight if worth is None else self.weight * worth[self.run]
        return np.bincount(self.document, weight, self.count).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Standing:
    """Scores of runs, the weights of their unjudged documents, and the weights that runs share.

    All values are sums over topics. `score`, `open` and `below` have an entry for each run. `open`
    is the weight of the run's unjudged documents: the largest amount that they could add to the
    score. `below` is the weight of all ranks below the ends of the run's rankings if the assumption
    about unjudged documents is `open`, and 0 otherwise. Judging retrieved documents does not reduce
    `below`. `shared` is, for each pair of runs (runs × runs), the sum over unjudged documents of
    the smaller of the document's two weights.
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
        """Return the state after judging documents, whose rows are `judged`.

        `gain` has, for each document code, the fraction of its weight that the document gains.
        """
        runs = len(self.score)
        gained = np.bincount(judged.run, judged.weight * gain[judged.document], runs)
        settled = np.bincount(judged.run, judged.weight, runs)
        shared = between_runs(judged.run, judged.document, judged.weight, runs)
        return Standing(self.score + gained, self.open - settled, self.below, self.shared - shared)

    @property
    def residual(self) -> float:
        """The largest amount that unjudged documents could add to a score.

        The amount is averaged over runs and summed over topics.
        """
        return float((self.open + self.below).mean())

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds of score differences: row A, column B is A − B (runs × runs)."""
        difference = self.score[:, None] - self.score
        apart = np.maximum(self.open[:, None] - self.shared, 0.0) + self.below[:, None]
        return difference - apart.T, difference + apart

    @property
    def undecided(self) -> Bools:
        """Mask (runs × runs) of the pairs whose order further judgments could still change."""
        low, high = self.ends
        undecided = (low <= ROUNDING) & (high >= -ROUNDING) & (high - low > ROUNDING)
        np.fill_diagonal(undecided, False)
        return undecided

    @property
    def undecided_count(self) -> int:
        return int(self.undecided.sum()) // 2


def separating_weight(candidates: Candidates, worth: Floats) -> Floats:
    """Return Σ worth × |wA − wB| over all pairs of runs A and B, for each document code.

    wA is the weight of the document in run A, or 0 if A does not have the document. `worth` has a
    factor for each pair (runs × runs). Because |wA − wB| = wA + wB − 2 min(wA, wB), the sum is Σ wA
    × (total worth of A's pairs) minus Σ 2 worth × min(wA, wB) over the pairs that share the
    document.
    """
    run, document, weight = candidates.run, candidates.document, candidates.weight
    each = weight * worth.sum(axis=1)[run]
    for one, other in meetings(document):
        each[one] -= 2 * np.minimum(weight[one], weight[other]) * worth[run[one], run[other]]
    return np.maximum(np.bincount(document, each, candidates.count), 0.0)


def rate_of_gain(judged: JudgedRankings, metric: WeightedPrecision) -> float:
    """Return the total score divided by the score if all judged documents had the maximum gain.

    Totals are over all runs and topics. The result is 0 if the judged documents have no weight.
    """
    weight = row_weights(judged, metric).sum()
    return float(scores_of(metric, judged).sum() / weight) if weight > 0 else 0.0


def candidates_of(judged: JudgedRankings, metric: WeightedPrecision) -> Candidates:
    assert judged.retrieved is not None
    rows, deepest = judged.retrieved, deepest_weight(metric)
    rows = (rows if deepest is None else rows.above(deepest)).unjudged
    topic, weight = np.zeros(rows.codes, np.int64), weights_of(judged, rows, metric)
    topic[rows.code] = rows.topic
    here = weight > 0
    run, code = (column[here].astype(np.int64) for column in (rows.run, rows.code))
    return Candidates(run, code, weight[here], topic)
