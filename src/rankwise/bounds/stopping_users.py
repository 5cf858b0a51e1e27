"""Bounds of metrics whose users stop with a probability that rises with gain, or near a goal.

These are ERR, nERR, NERR8 to NERR11, RBP2, INST and BPM. Their gains are between 0 and 1.
"""

from typing import Any

import numpy as np

from rankwise.arrays import NEAR, Bools, Floats
from rankwise.bounds.base import (
    EXACT,
    EXACT_IF_RETRIEVED,
    UNIT,
    ScoreBounds,
    only_upper,
)
from rankwise.bounds.grid import Bounds, Grid, product_above, rest, running
from rankwise.rankings import Ideal, JudgedRankings
from rankwise.vocabulary import Assumption

FAR = 5000  # maximum number of documents considered below the end of a ranking


class UnitGainBounds(ScoreBounds[Any]):
    """Bounds of a metric with gains between 0 and 1.

    This class reads `unit_gain` and `lowest` of the metric.
    """

    def one_gain(self, metric: Any, judged: JudgedRankings) -> float | None:
        gains = np.unique(metric.unit_gain(metric.possible_grades(judged), judged))
        return float(gains[-1]) if len(gains[gains > 0]) == 1 else None


def greatest_of(metric: Any, judged: JudgedRankings) -> float:
    """Return the largest gain that an unjudged document can have."""
    return float(metric.unit_gain(metric.possible_grades(judged), judged).max())


def unit_gains_on(metric: Any, grid: Grid) -> tuple[Floats, Floats]:
    """Return the gain at each rank of each ranking of `grid`, as two arrays.

    In the first array, unjudged documents have gain 0; in the second, the largest possible gain.
    """
    gain = metric.unit_gain(grid.grade, grid.judgments)
    gain = np.where(grid.judged & (grid.grade >= metric.lowest(grid.judgments)), gain, 0.0)
    return gain, np.where(grid.unjudged, greatest_of(metric, grid.judgments), gain)


NOBODY = 1e-14  # a continuation probability that is negligible


class SatisfiedUserBounds(UnitGainBounds):
    """Bounds of a metric whose users stop at a document with a probability equal to its gain."""

    def open_more(self, metric: Any, judged: JudgedRankings) -> int | None:
        """Return the number of top-grade documents after which almost all users have stopped.

        Return None if the number is above 5,000.
        """
        greatest = greatest_of(metric, judged)
        if greatest == 0 or greatest == 1:
            return int(greatest)
        number = np.ceil(np.log(NOBODY) / np.log1p(-greatest))
        return int(number) if number <= FAR else None


class GainPerDocumentSeen(SatisfiedUserBounds):
    """Bounds of Σ V g / Σ V, the gain per document viewed: NERR8 to NERR11. They are exact.

    g is the gain at a rank. V(i) = reach(i) × Π (1 − g), with the product over the ranks above i,
    is the probability to view rank i. reach(i) is this probability if no document above has gain.
    If the gain at a rank rises, more users stop there instead of further down, where `reach` is not
    larger, so Σ V g never falls. Fewer documents are viewed, so Σ V never rises. The score
    therefore never falls if a gain rises. Its bounds are the scores with the smallest and with the
    largest gains.

    This class reads `unit_gain`, `lowest`, `reach` and `reach_after` of the metric.
    """

    exact = EXACT
    open_range = (np.inf, 1.0)

    def on(self, metric: Any, grid: Grid) -> Bounds:
        _, gain = unit_gains_on(metric, grid)
        above = product_above(1 - gain)
        earned = (metric.reach(grid.rank) * above * gain).sum(axis=1)
        everything = metric.reach_after(np.zeros(1, np.int64))
        seen = everything - (above * gain * metric.reach_after(grid.rank)).sum(axis=1)
        return only_upper(earned / seen)


class ReciprocalStops(SatisfiedUserBounds):
    """Bounds of the expected reciprocal rank: ERR. They are exact.

    The lower bound is the current score. For the upper bound every unjudged document has the best
    grade: a better document makes users stop earlier, which raises the score.

    This class reads `unit_gain` and `lowest` of the metric.
    """

    exact = EXACT
    open_range = (np.inf, 1.0)

    def on(self, metric: Any, grid: Grid) -> Bounds:
        return only_upper(greatest_reciprocal(metric, grid))


def greatest_reciprocal(metric: Any, grid: Grid) -> Floats:
    """Return the ERR of each ranking if every unjudged document has the best grade."""
    _, chance = unit_gains_on(metric, grid)
    return (chance * product_above(1 - chance) / grid.rank).sum(axis=1)


class PatienceByRelevance(ScoreBounds[Any]):
    """Bounds of RBP with separate persistence after relevant documents: RBP2. They are exact.

    p1 is the persistence after relevant documents, p2 after all other documents. The lower bound is
    the current score; for the upper bound, all unjudged documents are relevant. Proof: the score
    rises with the expected number of relevant documents viewed, and this number rises with each
    relevant document. Let a document viewed with probability V become relevant. Let X be the
    expected number of relevant documents viewed below it by users who continue. The document adds
    V, and the number viewed below changes from V p2 X to V p1 X. Since X ≤ 1 / (1 − p1), the total
    change V (1 + p1 X − p2 X) is positive.

    This class reads `rel`, `p1`, `p2` and `score_of` of the metric.
    """

    exact = EXACT
    open_range = UNIT

    def open_more(self, metric: Any, judged: JudgedRankings) -> int:
        return 0  # the ranks below the end have a closed form

    def on(self, metric: Any, grid: Grid) -> Bounds:
        hit = grid.relevant(metric.rel) | grid.unjudged
        length = grid.of(grid.judgments.length)
        inside = np.arange(hit.shape[1]) < length[:, None]
        going_on = np.where(hit, metric.p1, metric.p2)
        seen = (product_above(going_on) * hit).sum(axis=1)
        after = np.where(inside, going_on, 1.0).prod(axis=1)
        seen += np.where(np.isinf(grid.others), after / (1 - metric.p1), 0.0)
        return only_upper(metric.score_of(seen))


def greatest_expected(chance: float) -> float:
    """Return the supremum of ERR over all rankings of documents with stopping probability `chance`.

    With c = `chance` it is Σ_r c (1 − c)^(r−1) / r = −c ln(c) / (1 − c).
    """
    return 1.0 if chance == 1 else float(-chance * np.log(chance) / (1 - chance))


def normalised_reciprocal(
    grid: Grid, hit: Bools, relevant: Floats, chance: float, cutoff: int | None
) -> Bounds:
    """Return exact bounds of nERR if each relevant document satisfies users with the same `chance`.

    With c = `chance` and q = 1 − c, the expected reciprocal rank is c Σ_n q^(n−1) / r(n), where
    r(n) is the rank of the n-th relevant document. The number m of unjudged documents that are
    relevant determines the ERR of the best order. For each m the score is therefore largest with
    the m highest and smallest with the m lowest unjudged documents. `hit` marks the relevant
    documents in the grid, and `relevant` is the number of relevant documents of each ranking's
    topic.
    """
    going_on = 1 - chance
    known, unjudged, inverse = running(hit), running(grid.unjudged), 1 / grid.rank

    def seen(count: Floats) -> Floats:
        return np.power(going_on, count - 1) * inverse

    either = hit | grid.unjudged
    alone = running(np.where(hit, seen(np.maximum(known[:, 1:], 1)), 0.0))
    both = np.where(either, seen(np.maximum((known + unjudged)[:, 1:], 1)), 0.0)
    highest = running(both) + np.power(going_on, unjudged) * rest(alone)
    below = np.zeros(known.shape)  # Σ q^(n−1) / rank over the cells below each cut
    for rank in range(hit.shape[1], 0, -1):
        one_more = 1 / rank + going_on * below[:, rank]
        below[:, rank - 1] = np.where(either[:, rank - 1], one_more, below[:, rank])
    lowest = alone + np.power(going_on, known) * below
    count = relevant[:, None]
    least = count + rest(unjudged) + grid.others[:, None]
    high = chance * highest / _ideal(count + unjudged, chance, cutoff)
    low = chance * lowest / _ideal(least, chance, cutoff)
    return low.min(axis=1), high.max(axis=1)


def _ideal(count: Floats, chance: float, cutoff: int | None) -> Floats:
    """Return the expected reciprocal rank of `count` relevant documents at the top of a ranking."""
    last = cutoff or int(count[np.isfinite(count)].max(initial=1))
    rank = np.arange(1.0, last + 1)
    sums = np.cumsum(chance * np.power(1 - chance, rank - 1) / rank)
    end = greatest_expected(chance) if cutoff is None else sums[-1]
    table = np.concatenate([[np.nan], sums, [end]])  # NaN: no document is relevant
    return table[np.minimum(count, last + 1).astype(np.int64)]


class NormalisedReciprocal(SatisfiedUserBounds):
    """Bounds of ERR divided by the ERR of the best order: nERR.

    Under the assumption `retrieved`, they are exact if all relevant documents satisfy users with
    the same probability. If the probabilities differ, the lower bound divides the current ERR by
    the largest possible ERR of the best order. The upper bound divides the largest possible ERR by
    the current ERR of the best order, and is at most 1.

    This class reads `unit_gain`, `lowest` and `best` of the metric.
    """

    exact_if_alike = EXACT_IF_RETRIEVED
    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        judged, chance = grid.judgments, greatest_of(metric, grid.judgments)
        if self.one_gain(metric, judged) is not None:
            gain, _ = unit_gains_on(metric, grid)
            ideal = Ideal.of(judged, lambda grade: metric.unit_gain(grade, judged))
            count = np.asarray(ideal.count_positive())
            return normalised_reciprocal(grid, gain > 0, grid.of(count), chance, metric.cutoff)
        now = grid.of(metric.best(judged))
        earned = judged.keep(
            ("earned", metric), lambda: metric.compute(judged) * metric.best(judged)
        )
        best = np.where(grid.hidden > 0, np.maximum(now, greatest_expected(chance)), now)
        return grid.of(earned) / best, np.minimum(greatest_reciprocal(metric, grid) / now, 1)


class GoalNearer(UnitGainBounds):
    """Bounds for users who stop earlier if they have gained more: INST.

    They are exact under the assumption `retrieved`. The score rises with every gain. It is
    therefore highest if all unjudged documents have the largest gain, and lowest if they have no
    gain.

    Proof: let P = i + 2T − (the gain down to rank i), where T is the goal. Let E(P) be the expected
    gain below rank i of users who view rank i. E(P) = ((P − 1) / P)² (g + E'(P + 1 − g)), where g
    is the next gain and E' the expected gain below that document. Induction from the end shows that
    E(P) ≤ h(P) = (P − 1)² / (2P − 1), its value if all gains are 1, and that the slope of E is
    between 0 and 1/2. For the slope, note that g + h(P + 1 − g) is largest at g = 1, where it is P²
    / (2P − 1). The slope is therefore at most 2 (P − 1) / P³ × P² / (2P − 1) + ((P − 1) / P)² / 2 <
    1/2. A gain that rises by δ lowers P by δ. It thus lowers the gain expected below by at most
    δ/2, and it also lowers the number of documents viewed.

    This class reads `unit_gain`, `lowest`, `T` and `seen_after` of the metric.
    """

    exact = EXACT_IF_RETRIEVED
    open_range = (np.inf, 1.0)

    def on(self, metric: Any, grid: Grid) -> Bounds:
        _, gain = unit_gains_on(metric, grid)
        place = np.asarray(grid.rank + 2 * metric.T - np.cumsum(gain, axis=1))
        going_on = ((place - 1) / place) ** 2
        views = product_above(going_on)
        below = metric.seen_after(place[:, -1], gain.shape[1])
        seen = views.sum(axis=1) + views[:, -1] * going_on[:, -1] * below
        return only_upper(np.asarray((views * gain).sum(axis=1) / seen))


class GoalReached(UnitGainBounds):
    """Bounds for users who stop when their gain reaches a goal T, or at the cutoff: BPM.

    They are exact if all relevant documents have the same gain and T > 0. The lower bound is then
    the current score, because each further relevant document lets users stop earlier or gain more.
    For the upper bound all unjudged documents are relevant. If gains differ, the bounds are taken
    over the ranks at which users could stop, with the possible gains down to each rank. Users stop
    no earlier than if all unjudged documents had the largest gain, and no later than if no unjudged
    document had gain. Above the cutoff they stop only if they reach the goal. For T = 0 the bounds
    are 0 and 1.

    This class reads `unit_gain`, `lowest` and `T` of the metric.
    """

    exact_if_alike = EXACT
    exact_where = "all relevant documents have the same gain and T > 0"
    open_range = UNIT

    def is_exact(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> bool:
        return metric.T > 0 and super().is_exact(metric, judged, unjudged)

    def on(self, metric: Any, grid: Grid) -> Bounds:
        gain, possible = (np.cumsum(gains, axis=1) for gains in unit_gains_on(metric, grid))
        goal, most_seen, rank = metric.T, metric.cutoff, grid.rank
        if goal == 0:  # users stop at any judged document
            return np.zeros(len(gain)), np.ones(len(gain))
        reached = possible >= goal - NEAR
        if self.one_gain(metric, grid.judgments) is not None:
            some = reached.any(axis=1)
            stop = np.where(some, reached.argmax(axis=1), gain.shape[1] - 1)
            seen = np.where(some, stop + 1, most_seen)
            return only_upper(np.asarray(possible[np.arange(len(gain)), stop] / seen))
        within = gain < goal + NEAR
        before = np.concatenate([np.ones((len(gain), 1), np.bool_), within[:, :-1]], axis=1)
        here = reached & before & (rank < most_seen)
        never = within[:, -1] if gain.shape[1] < most_seen else before[:, -1]
        least = np.where(here, np.maximum(gain, goal - NEAR) / rank, np.inf).min(axis=1)
        most = np.where(here, possible / rank, 0.0).max(axis=1)
        low = np.where(never, np.minimum(least, gain[:, -1] / most_seen), least)
        return low, np.where(never, np.maximum(most, possible[:, -1] / most_seen), most)
