"""Number of non-relevant documents before the n-th relevant one: search length."""

from typing import Protocol

import numpy as np

from rankwise.arrays import Floats
from rankwise.bounds.base import EXACT_IF_RETRIEVED, Binary, ScoreBounds
from rankwise.bounds.grid import Bounds
from rankwise.rankings import JudgedRankings
from rankwise.vocabulary import Assumption


def least_search(
    judged: JudgedRankings, rel: int, n: int, give_up: int, *, goes_on: bool
) -> Floats:
    """Return the lower bound of the search length; the upper bound is the current one.

    Every further relevant document shortens the search.

    At best every unjudged one is relevant, and each tie begins with its relevant ones:
    then a non-relevant document is seen if fewer than n others are down to the end of
    its tie. Exact where no documents tie.
    """
    others = judged.rows_where(judged.grade < rel)
    step = judged.length.max(initial=0) + 1
    down_to_end = np.searchsorted(
        others.ranking * step + others.rank, others.ranking * step + others.tie_last, "right"
    )
    nonrelevant = down_to_end - others.row_start[others.ranking]
    seen = others.tie_last - nonrelevant < n
    low = np.minimum(others.total(seen), give_up)
    if goes_on:
        return low
    enough = judged.length - np.diff(others.row_start) >= n
    return np.where(enough, low, give_up)


def search_once_defined(
    judged: JudgedRankings, rel: int, n: int, give_up: int, *, goes_on: bool
) -> Bounds:
    """Return the bounds of undefined topics.

    At worst the relevant document is the last of all, or more are wanted.

    Which unjudged documents tie is not known here: in any tie, no document has more above it than
    the length of the ranking.
    """
    low = least_search(judged, rel, n, give_up, goes_on=goes_on)
    lacking = judged.elsewhere if judged.elsewhere is not None else np.zeros(judged.count)
    fails = (n > 1) | goes_on | (lacking > 0)
    high = np.where(fails, give_up, np.minimum(judged.length - 1, give_up))
    possible = (judged.unjudged_count + lacking > 0) | goes_on
    return np.where(possible, low, np.nan), np.where(possible, high, np.nan)


class Searching(Binary, Protocol):
    """A metric of users who look for n relevant documents, and give up."""

    n: int
    give_up: int
    divided_by: int


class SearchLengths(ScoreBounds[Searching]):
    """Bounds of the expected search length: ESL; exact where no documents tie.

    Documents elsewhere only decide whether the topic is defined.
    """

    exact_if_alike = EXACT_IF_RETRIEVED
    exact_where = "no documents tie"
    sees_elsewhere = True

    def is_exact(
        self, metric: Searching, judged: JudgedRankings, unjudged: Assumption = "retrieved"
    ) -> bool:
        untied = bool((judged.tie_first == judged.tie_last).all())
        return unjudged == "retrieved" and untied and bool(metric.is_defined(judged).all())

    def in_view(self, metric: Searching, judged: JudgedRankings, unjudged: Assumption) -> Bounds:
        goes_on = unjudged == "open"
        low = least_search(judged, metric.rel, metric.n, metric.give_up, goes_on=goes_on)
        # At worst it is the current score.
        return low / metric.divided_by, np.full(judged.count, -np.inf)

    def once_defined(
        self, metric: Searching, judged: JudgedRankings, unjudged: Assumption
    ) -> Bounds:
        low, high = search_once_defined(
            judged, metric.rel, metric.n, metric.give_up, goes_on=unjudged == "open"
        )
        return low / metric.divided_by, high / metric.divided_by
