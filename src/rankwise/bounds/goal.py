"""Users with a goal: who want fewer documents the more they found, or stop once it is reached."""

from typing import Protocol

import numpy as np

from rankwise.arrays import NEAR, Floats
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, only_upper
from rankwise.bounds.grid import Bounds, Grid, product_above
from rankwise.bounds.unit_gains import OfUnitGains, UnitGains, unit_gains_on
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


class WithGoal(UnitGains, Protocol):
    """A metric of users who want to gain T."""

    T: float

    def seen_after(self, place: Floats, depth: int) -> Floats: ...


class GoalNearer(OfUnitGains[WithGoal]):
    """Bounds of users who want fewer documents the more they found: INST; exact.

    The score rises with every gain, so all unjudged documents gain the most, or none.
    Let P = i + 2T − (the gain down to i), and E(P) the gain expected below rank i from
    there: E(P) = ((P − 1) / P)² (g + E'(P + 1 − g)), g being the next gain and E' what
    is expected below it. E(P) ≤ h(P) = (P − 1)² / (2P − 1), what gains of 1 would give,
    and its slope is between 0 and 1/2; both by induction from the end: g + h(P + 1 − g)
    is greatest at g = 1, where it is P² / (2P − 1), and so the slope is at most
    2 (P − 1) / P³ × P² / (2P − 1) + ((P − 1) / P)² / 2 < 1/2. Hence a gain that rises
    by δ lowers P by δ, what is expected below by at most δ/2, and the documents seen.
    """

    exact = EXACT_IF_RETRIEVED
    open_range = (np.inf, 1.0)

    def on(self, metric: WithGoal, grid: Grid) -> Bounds:
        _, gain = unit_gains_on(metric, grid)
        place = np.asarray(grid.rank + 2 * metric.T - np.cumsum(gain, axis=1))
        going_on = ((place - 1) / place) ** 2
        views = product_above(going_on)
        below = metric.seen_after(place[:, -1], gain.shape[1])
        seen = views.sum(axis=1) + views[:, -1] * going_on[:, -1] * below
        return only_upper(np.asarray((views * gain).sum(axis=1) / seen))


class StopAtGoal(UnitGains, Protocol):
    """A metric of users who stop when they have gained T, or at the cutoff."""

    T: float
    cutoff: int


class GoalReached(OfUnitGains[StopAtGoal]):
    """Bounds of users who stop once a goal is reached: BPM; exact if all gain the same.

    Each relevant document then lets users stop earlier, or gain more. If gains differ, bounds are
    those of the gain at each rank where users could stop: no earlier than with all unjudged
    documents gaining, no later than with none, and before the end only with the goal reached.
    """

    exact_if_alike = EXACT
    exact_where = "all relevant documents gain the same (T=0: never)"
    open_range = UNIT

    def is_exact(
        self, metric: StopAtGoal, judged: JudgedRankings, unjudged: Assumption = "retrieved"
    ) -> bool:
        return metric.T > 0 and super().is_exact(metric, judged, unjudged)

    def on(self, metric: StopAtGoal, grid: Grid) -> Bounds:
        gain, possible = (np.cumsum(gains, axis=1) for gains in unit_gains_on(metric, grid))
        goal, most_seen, rank = metric.T, metric.cutoff, grid.rank
        if goal == 0:  # any judged document stops them
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
