"""Metrics whose users have a goal of T relevant documents.

Users of BPM stop when they reach the goal. At a given rank, users of INST are more likely to stop
if they have gained more.
"""

import numpy as np

from rankwise.arrays import NEAR, Floats
from rankwise.bounds import GoalNearer, GoalReached
from rankwise.metrics.inverse_squares import inverse_squares
from rankwise.metrics.parameters import at_least, cutoff
from rankwise.metrics.registry import register
from rankwise.metrics.unit_gains import Scaled
from rankwise.rankings import JudgedRankings


@register()
class INST(Scaled):
    """Gain per document viewed, by users who stop earlier if they have gained more.

    Users want T relevant documents. They continue after rank i with probability C(i) = ((i + T +
    T_i − 1) / (i + T + T_i))², where T_i is T minus the gain down to rank i. The score is the
    expected gain divided by the expected number of documents viewed. cwl_eval's INST is INST@1000.

    Use it when users have a goal, and stop earlier if they find relevant documents earlier. Avoid
    it with shallow judgments, because ranks far down have much weight.
    Moffat, Bailey, Scholer and Thomas, ADCS 2015.

    >>> round(score_gains("INST", [0, 1, 1]), 4)
    0.3285
    """

    bounds = GoalNearer()
    T: float = at_least(0.5, 1)
    cutoff: int | None = cutoff()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, gain = self.rows_and_gains(judged)
        found = rows.running(gain)
        goal = 2 * self.T - found  # T + T_i from this row on
        begins = rows.place == 1
        goal_above = np.where(begins, 2 * self.T, np.roll(goal, 1))
        rank_above = np.where(begins, 1, np.roll(rows.rank, 1))
        # The product of the continuation probabilities from the gaining document above (or the top)
        # to this document telescopes.
        start = np.where(begins, 2 * self.T, rank_above + goal_above - 1)
        here = np.where(begins, rows.rank - 1 + 2 * self.T, rows.rank - 1 + goal_above)
        step = (start / here) ** 2
        seen_at = step * rows.running_product(step)
        end = np.inf if self.cutoff is None else float(self.cutoff)
        last = np.ones(len(rows.rank), np.bool_)
        last[:-1] = rows.ranking[1:] != rows.ranking[:-1]
        until = np.where(last, end, np.roll(rows.rank, -1))
        between = inverse_squares(rows.rank + goal) - inverse_squares(until + goal)
        below = seen_at * (rows.rank + goal - 1) ** 2 * between
        first = np.minimum(rows.first(np.ones(len(rows.rank), np.bool_)), end)
        top = (inverse_squares(2.0 * self.T) - inverse_squares(first + 2 * self.T)) * (
            2 * self.T
        ) ** 2
        return rows.total(seen_at * gain) / (top + rows.total(below))

    def continuation(self, gain: Floats) -> Floats:
        place = np.arange(1, len(gain) + 1) + 2 * self.T - np.cumsum(gain)
        return self.ending_at_cutoff(np.square((place - 1) / place))

    def most_below(self, depth: int) -> float:
        """Return an upper bound of the change of the score by documents below rank `depth`.

        The bound is computed for a ranking in which no document has gain. It is the fraction of the
        viewed documents that are below `depth`. Proof: let users view B documents down to `depth`,
        with a total gain of A, and at most Y documents below (expected values). The score is then
        between A / (B + Y) and (A + Y) / (B + Y). The length of this interval, Y / (B + Y),
        increases with each continuation probability. These probabilities are largest if no document
        has gain.
        """
        end = 0.0 if self.cutoff is None else inverse_squares(self.cutoff + 2.0 * self.T)
        below = inverse_squares(min(depth, self.cutoff or depth) + 2.0 * self.T) - end
        return float(below / (inverse_squares(2.0 * self.T) - end))

    def seen_after(self, place: Floats, depth: int) -> Floats:
        """Return the expected number of documents that users view below rank `depth`.

        The number is for users who continue after rank `depth`, if no document below has gain.
        `place` is i + T + T_i (see `INST`) at i = `depth`.
        """
        end = np.inf if self.cutoff is None else place + self.cutoff - depth
        tail = inverse_squares(end)
        return np.asarray(place**2 * (inverse_squares(place) - tail))


@register()
class BPM(Scaled):
    """Bejeweled player model: users stop when their cumulative gain reaches T, or at rank k.

    The score is the cumulative gain of the documents viewed, divided by their number.

    Use it for users with a goal T who view at most k documents. Avoid gains below 1 if T
    should be a number of documents: a document with gain 0.5 counts as half a document.
    Zhang et al., SIGIR 2017 (the static form).

    >>> score_gains("BPM(T=2)@10", [1, 0, 1, 1])
    0.6666666666666666
    """

    bounds = GoalReached()
    T: float = at_least(0, 1)
    cutoff: int = cutoff(required=True)

    def compute(self, judged: JudgedRankings) -> Floats:
        rows, gain = self.rows_and_gains(judged)
        stop = np.minimum(rows.first(rows.running(gain) >= self.T - NEAR), self.cutoff)
        seen = rows.rank <= stop[rows.ranking]
        return rows.total(np.where(seen, gain, 0.0)) / stop
