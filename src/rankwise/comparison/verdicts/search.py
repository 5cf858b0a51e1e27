"""Ends by branch and bound, for metrics in which the documents matter together: AP, Q, Bpref.

The greatest difference A − B of a pair on a topic is searched for over the judgments of its
unjudged documents, one document after the other, those that tell the runs apart the most
first. What judgments of some documents leave possible is at most the greatest score of A
less the least of B; where that is no more than a difference that was reached, the others
need not be tried. What is left when the effort is spent bounds the end from above.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

from rankwise.arrays import ROUNDING, Bools, Floats, Ints
from rankwise.comparison.verdicts.assignments import OPEN, UNJUDGED, Assignments, Grades
from rankwise.comparison.verdicts.cells import Cells, cells_of
from rankwise.comparison.verdicts.contents import Contents
from rankwise.comparison.verdicts.differences import Ends, Pairs
from rankwise.metrics import Metric
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.evaluation import unjudged_by_topic

AT_A_TIME = 64  # judgments that are continued at a time, of each cell
ALIKE = 12  # documents elsewhere that are judged one by one
PAIRS = 50  # that are searched, at least, before the effort is spent


@dataclass(frozen=True, eq=False)
class Searched:
    """For each cell the greatest difference reached, and what it is at most."""

    reached: Floats
    most: Floats
    cost: int


@dataclass(eq=False)
class Frontier:
    """Judgments of some of the documents that may still lead to more: a row each."""

    cell: Ints
    grades: Grades
    depth: Ints
    most: Floats

    def where(self, keep: Bools | Ints) -> "Frontier":
        return Frontier(self.cell[keep], self.grades[keep], self.depth[keep], self.most[keep])

    def with_more(self, other: "Frontier") -> "Frontier":
        mine, others = vars(self), vars(other)
        return Frontier(*(np.concatenate([mine[name], others[name]]) for name in mine))


def with_columns_elsewhere(cells: Cells) -> tuple[Cells, Ints]:
    """The cells with a column for some of the documents elsewhere, and how many have none.

    Columns are put in order: those that tell the two runs apart the most come first.
    """
    with np.errstate(divide="ignore"):
        weight = [np.where(rank > 0, 1 / rank, 0.0) for rank in (cells.rank_a, cells.rank_b)]
    apart = np.abs(weight[0] - weight[1]) + (weight[0] + weight[1]) / 8
    order = np.argsort(np.where(cells.there, -apart, np.inf), axis=1, kind="stable")
    columns = np.minimum(cells.elsewhere, ALIKE).astype(np.int64)
    width = int((cells.count + columns).max(initial=0))
    ranks = np.zeros((2, len(cells.a), width), np.int64)
    for rank, given in zip(ranks, (cells.rank_a, cells.rank_b), strict=True):
        own = min(width, given.shape[1])
        rank[:, :own] = np.take_along_axis(given, order, axis=1)[:, :own]
    there = np.arange(width) < (cells.count + columns)[:, None]
    wider = replace(cells, rank_a=ranks[0], rank_b=ranks[1], there=there)
    return wider, (cells.elsewhere - columns).astype(np.int64)


def greatest_differences(tries: Assignments, options: Ints, effort: float) -> Searched:
    """The greatest A − B of each cell, as far as the effort goes.

    `options` are what a document can get, UNJUDGED among them if that is not the same as 0.
    """
    cells, price = tries.cells, tries.cost()
    count = len(cells.a)
    every = np.arange(count)
    first = _first_guesses(tries, options)
    found = tries.tried(first.cell, first.grades)
    spent = int(price[first.cell].sum())
    reached, unresolved = np.full(count, np.nan), np.full(count, np.nan)
    np.fmax.at(reached, first.cell, found.value)
    start = np.full((count, cells.there.shape[1]), OPEN)
    frontier = Frontier(every, start, np.zeros(count, np.int64), tries.tried(every, start).most)
    while len(frontier.cell):
        frontier = frontier.where(_promising(frontier, reached))
        chosen = _best_of_each(frontier)
        children = _children(frontier.where(chosen), options, cells)
        cost = int(price[children.cell].sum())
        if not len(children.cell) or spent + cost > effort:
            break
        spent += cost
        frontier = frontier.where(~chosen)
        found = tries.tried(children.cell, children.grades)
        np.fmax.at(reached, children.cell, found.value)
        children.most = np.minimum(children.most, found.most)
        children = children.where(~np.isnan(found.most))  # else the topic can have no score
        ended = children.depth >= cells.there.sum(axis=1)[children.cell]
        np.fmax.at(unresolved, children.cell[ended], children.most[ended])
        frontier = frontier.with_more(children.where(~ended))
    np.fmax.at(unresolved, frontier.cell, frontier.most)
    return Searched(reached, np.fmax(reached, unresolved), spent)


def _promising(frontier: Frontier, reached: Floats) -> Bools:
    best = reached[frontier.cell]
    return np.isnan(best) | (frontier.most > best + ROUNDING)


def _best_of_each(frontier: Frontier) -> Bools:
    """Of each cell the judgments that promise the most."""
    order = np.lexsort((-frontier.most, frontier.cell))
    cell = frontier.cell[order]
    place = np.arange(len(cell)) - np.searchsorted(cell, cell)
    chosen = np.zeros(len(cell), np.bool_)
    chosen[order[place < AT_A_TIME]] = True
    return chosen


def _children(frontier: Frontier, options: Ints, cells: Cells) -> Frontier:
    """Each continued with every option for its next document.

    Documents that both runs lack are alike: of these the options do not fall.
    """
    parts = []
    rows = np.arange(len(frontier.cell))
    at = np.minimum(frontier.depth, cells.there.shape[1] - 1)
    lacking = (cells.rank_a[frontier.cell, at] == 0) & (cells.rank_b[frontier.cell, at] == 0)
    before = np.maximum(at - 1, 0)
    lacked = (cells.rank_a[frontier.cell, before] == 0) & (cells.rank_b[frontier.cell, before] == 0)
    last = np.where(lacking & lacked & (at > 0), frontier.grades[rows, before], OPEN)
    for option in options:
        child = frontier.where(last <= option)
        child.grades[np.arange(len(child.cell)), child.depth] = option
        child.depth += 1
        parts.append(child)
    joined = parts[0]
    for part in parts[1:]:
        joined = joined.with_more(part)
    return joined


def _first_guesses(tries: Assignments, options: Ints) -> Frontier:
    """Judgments that promise much: what A has higher is relevant, the 1, 2, 4 … first of it."""
    cells = tries.cells
    with np.errstate(divide="ignore"):
        weight = [np.where(rank > 0, 1 / rank, 0.0) for rank in (cells.rank_a, cells.rank_b)]
    apart = np.where(cells.there, weight[0] - weight[1], -np.inf)
    place = np.argsort(np.argsort(-apart, axis=1, kind="stable"), axis=1)
    sizes = [0, *(1 << np.arange(int(np.log2(max(1, place.shape[1]))) + 1)), place.shape[1]]
    every, parts = np.arange(len(cells.a)), []
    for size in sizes:
        for other in sorted({int(options.min()), 0}):
            good = (place < size) & (apart > 0)
            parts.append(np.where(good, options.max(), other))
    cell = np.tile(every, len(parts))
    return Frontier(cell, np.concatenate(parts), np.zeros_like(cell), np.zeros(len(cell)))


def with_searched_ends(
    ends: Ends, pairs: Pairs, metric: Metric, order: Ints, effort: float
) -> Ends:
    """The ends, exact or nearer to it, of the pairs in this order, as far as the effort goes.

    A pair gets a fiftieth of it at least, so that many pairs do not each get too little.
    """
    search = Search.of(pairs, metric)
    ends = Ends(*(getattr(ends, field.name).copy() for field in fields(Ends)))
    for place, pair in enumerate(order):
        share = max(effort / (len(order) - place), effort / PAIRS)
        effort -= search.improve(ends, int(pair), min(share, effort))
        if effort <= 0:
            break
    return ends


@dataclass(frozen=True, eq=False)
class Search:
    """What a search needs to know of the runs and of the metric."""

    pairs: Pairs
    judged: JudgedRankings  # cut where the metric is
    contents: Contents
    metric: Metric
    options: Ints
    elsewhere: Floats
    cutoff: int | None

    @classmethod
    def of(cls, pairs: Pairs, metric: Metric) -> "Search":
        judged, retrieved = pairs.judged, pairs.judged.retrieved
        assert retrieved is not None
        cutoff = None if metric.judged_only else metric.cutoff
        options = metric.possible_grades(judged)
        if metric.tells_unjudged:
            options = np.concatenate([[UNJUDGED], options])
        elsewhere = unjudged_by_topic(judged).astype(np.float64)
        contents = Contents.of(judged, retrieved, cutoff)
        return cls(pairs, judged.top(cutoff), contents, metric, options, elsewhere, cutoff)

    def improve(self, ends: Ends, pair: int, effort: float) -> int:
        """Put what is found for a pair into the ends; how many documents were looked at."""
        retrieved, spent = self.pairs.judged.retrieved, 0
        assert retrieved is not None
        for cells in cells_of(self.pairs, np.array([pair]), retrieved, self.elsewhere, self.cutoff):
            for sign, sides in ((1, cells), (-1, cells.swapped())):
                known, reached = (
                    (ends.high, ends.reached_high) if sign == 1 else (ends.low, ends.reached_low)
                )
                at = (cells.pair, cells.topic)
                left = np.flatnonzero(~np.isnan(known[at]) & (known[at] != reached[at]))
                if not len(left) or spent >= effort:
                    continue
                found = self._greatest(sides.where(left), (effort - spent) / 2)
                spent += found.cost
                at = (cells.pair[left], cells.topic[left])
                best = np.fmax(found.reached, sign * reached[at])
                reached[at] = sign * best
                known[at] = sign * np.fmax(np.fmin(found.most, sign * known[at]), best)
        return spent

    def _greatest(self, cells: Cells, effort: float) -> Searched:
        wider, beyond = with_columns_elsewhere(cells)
        tries = Assignments(self.judged, self.contents, self.metric, wider, beyond)
        return greatest_differences(tries, self.options, effort)
