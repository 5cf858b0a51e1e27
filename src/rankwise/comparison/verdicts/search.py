"""Bounds by branch and bound, for metrics in which documents interact: AP, Q, Bpref.

For two runs A and B and a topic, the search looks for the judgments of the unjudged documents with
the largest score difference A − B. Each step of the search decides the grade of one document,
starting with documents near the top that A and B rank differently. Documents that neither run
retrieved are interchangeable, so only the number of documents with each grade is searched, by
bisection. Given the grades of some documents, A − B is at most the upper bound of A minus the lower
bound of B. If this bound does not exceed a difference already attained, the branch is pruned. The
search ends early if it has visited a maximum number of documents. The bounds of the remaining
branches then give an upper bound on A − B.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from rankwise.arrays import ROUNDING, Bools, Floats, Ints
from rankwise.comparison.verdicts.differences import Ends, Pairs, mean_of_topics
from rankwise.comparison.verdicts.pair_documents import Cells, RowsByRanking, cells_of
from rankwise.comparison.verdicts.trial_judgments import (
    OPEN,
    UNJUDGED,
    Assignments,
    Grades,
    Others,
    Ties,
    price_of,
)
from rankwise.metrics import Metric
from rankwise.progress import track
from rankwise.rankings import JudgedRankings, Retrieved
from rankwise.scores import unjudged_by_topic
from rankwise.threads import map_in_threads

AT_A_TIME = 1024  # number of partial judgments expanded at once
PAIRS = 50  # the effort is divided among at most this number of pairs
TOPIC_PARTS = 5  # topics are tried in parts, because few pairs need all topics to be reversed
ROWS_OF_THREAD = 1 << 14  # number of documents tried together in a thread
# The search ends at a pair whose first steps cost more than this many times the remaining effort.
FIRST_STEPS = 10


@dataclass(frozen=True, eq=False)
class Searched:
    """Result of a search for the largest A − B of each cell.

    `reached` is the largest A − B attained, `most` an upper bound of A − B, and `cost` the number
    of documents visited.
    """

    reached: Floats
    most: Floats
    cost: int


@dataclass(eq=False)
class Frontier:
    """Partial judgments that may still lead to a larger difference, one row each.

    `cell` is the index of the cell (a pair of runs on a topic). `grades` has the grades of its
    documents, with OPEN for documents whose grade is not decided yet. `depth` is the number of
    documents (columns) decided so far. `others` has the judgments of the documents that neither run
    retrieved. `most` is an upper bound of A − B.
    """

    cell: Ints
    grades: Grades
    depth: Ints
    others: Others
    most: Floats

    def where(self, keep: Bools | Ints) -> "Frontier":
        columns = (self.cell[keep], self.grades[keep], self.depth[keep])
        return Frontier(*columns, self.others.where(keep), self.most[keep])

    @classmethod
    def joined(cls, parts: Sequence["Frontier"]) -> "Frontier":
        cell, grades, depth, least, most_others, most = (
            np.concatenate(column)
            for column in zip(
                *((p.cell, p.grades, p.depth, *p.others, p.most) for p in parts), strict=True
            )
        )
        return cls(cell, grades, depth, Others(least, most_others), most)


def in_order_of_weight(cells: Cells) -> Cells:
    """Return the cells with sorted columns: documents that separate the runs most come first."""
    in_a, in_b = cells.weights
    apart = np.abs(in_a - in_b) + (in_a + in_b) / 8
    order = np.argsort(np.where(cells.there, -apart, np.inf), axis=1, kind="stable")
    a, b = (np.take_along_axis(rank, order, axis=1) for rank in (cells.rank_a, cells.rank_b))
    return replace(cells, rank_a=a, rank_b=b)


def greatest_differences(tries: Assignments, effort: float) -> Searched:
    """Search for the largest A − B of each cell, until about `effort` documents are visited.

    The first guesses and the root of the search are evaluated even if they cost more.
    """
    price, count = tries.cost(), len(tries.cells.a)
    first = _first_guesses(tries)
    found = tries.tried(first.cell, first.grades, first.others)
    spent = int(price[first.cell].sum())
    reached, unresolved = np.full(count, np.nan), np.full(count, np.nan)
    np.fmax.at(reached, first.cell, found.value)
    frontier = _start(tries)
    while len(frontier.cell):
        best = reached[frontier.cell]
        frontier = frontier.where(np.isnan(best) | (frontier.most > best + ROUNDING))
        chosen = _best_of_each(frontier)
        children = _children(frontier.where(chosen), tries)
        cost = int(price[children.cell].sum())
        if not len(children.cell) or spent + cost > effort:
            break
        spent += cost
        frontier = frontier.where(~chosen)
        found = tries.tried(children.cell, children.grades, children.others)
        np.fmax.at(reached, children.cell, found.value)
        children.most = np.minimum(children.most, found.most)
        # Where `most` is NaN, no judgments can define the score.
        children = children.where(~np.isnan(found.most))
        ended = (children.depth == tries.cells.count[children.cell]) & (children.others.open == 0)
        np.fmax.at(unresolved, children.cell[ended], children.most[ended])
        frontier = Frontier.joined([frontier, children.where(~ended)])
    np.fmax.at(unresolved, frontier.cell, frontier.most)
    return Searched(reached, np.fmax(reached, unresolved), spent)


def _start(tries: Assignments) -> Frontier:
    """Return the root of the search, at which no grade is decided."""
    cells = tries.cells
    every, open_ = np.arange(len(cells.a)), np.full(cells.there.shape, OPEN)
    elsewhere = np.tile(cells.elsewhere.astype(np.int64)[:, None], len(tries.options) - 1)
    others = Others(np.zeros_like(elsewhere), elsewhere)
    most = tries.tried(every, open_, others).most
    return Frontier(every, open_, np.zeros(len(every), np.int64), others, most)


def _best_of_each(frontier: Frontier) -> Bools:
    """Return a mask of the partial judgments with the highest upper bounds in each cell.

    About 1,024 are selected in all, with the same maximum number (at least 1) for each cell.
    """
    order = np.lexsort((-frontier.most, frontier.cell))
    cell = frontier.cell[order]
    place = np.arange(len(cell)) - np.searchsorted(cell, cell)
    chosen = np.zeros(len(cell), np.bool_)
    chosen[order[place < max(1, AT_A_TIME // max(1, len(np.unique(cell))))]] = True
    return chosen


def _children(frontier: Frontier, tries: Assignments) -> Frontier:
    """Return the children of partial judgments: one for every option of the next document.

    Undecided documents are either retrieved by at least one run, or by neither. If the latter are
    more, the children instead decide about their numbers. There are then two children, with the
    lower and the upper half of a range of numbers. If these documents only change a divisor that is
    the same for both runs, the two children have the smallest and the largest numbers.
    """
    halved = frontier.others.open > tries.cells.count[frontier.cell] - frontier.depth
    parts = []
    if halved.any():
        split = frontier.where(halved)
        alike = tries.metric.divides_alike
        some = split.others.ends() if alike else split.others.halves()
        parts += [replace(split, others=others) for others in some]
    for option in tries.options:
        child = frontier.where(~halved)
        child.grades[np.arange(len(child.cell)), child.depth] = option
        child.depth += 1
        parts.append(child)
    return Frontier.joined(parts)


def guesses_of(columns: int, options: Ints, elsewhere: bool) -> Iterator[tuple[int, int, int]]:
    """Yield guesses of judgments that make A − B large, as triples.

    A triple has the number of documents with the highest grade, among those that A ranks higher;
    the grade of all other retrieved documents; and the index in `options` of the grade of all
    documents that neither run retrieved. `columns` is the maximum number of documents in a cell.
    """
    sizes = [0, *(1 << np.arange(int(np.log2(max(1, columns))) + 1)), columns]
    levels = range(len(options)) if elsewhere else (0,)
    return product(sizes, sorted({int(options.min()), 0}), levels)


def _first_guesses(tries: Assignments) -> Frontier:
    """Return judgments under which A − B is likely to be large.

    0, 1, 2, 4 … or all of the documents that A ranks higher get the highest grade; `guesses_of`
    has the grades of other documents.
    """
    cells, options = tries.cells, tries.options
    in_a, in_b = cells.weights
    apart = np.where(cells.there, in_a - in_b, -np.inf)
    place = np.argsort(np.argsort(-apart, axis=1, kind="stable"), axis=1)
    elsewhere, grades, others = cells.elsewhere.astype(np.int64)[:, None], [], []
    levels = np.arange(len(options) - 1)
    for size, other, level in guesses_of(place.shape[1], options, bool(elsewhere.any())):
        good = (place < size) & (apart > 0)
        grades.append(np.where(good, options.max(), other))
        others.append(np.where(levels < level, elsewhere, 0))
    cell, many = np.tile(np.arange(len(cells.a)), len(grades)), np.concatenate(others)
    start = np.zeros_like(cell)
    return Frontier(cell, np.concatenate(grades), start, Others(many, many), np.zeros(len(cell)))


def with_searched_ends(
    ends: Ends, pairs: Pairs, metric: Metric, order: Ints, effort: float
) -> Ends:
    """Return bounds tightened by a search of the pairs in this order, within the effort.

    Each pair gets at least a fiftieth of the remaining effort. The first steps for a pair (guesses,
    and the root of the search) attain most of the possible range, and are done even if they cost
    more. If these steps would cost more than ten times the remaining effort, the search ends,
    because tightening only some topics would not change the verdict on the mean. Finally, if the
    effort is enough for all pairs that stay undecided, one set of judgments is tried for each of
    these pairs, to show that the difference can be reversed.
    """
    search, whole_effort = Search.of(pairs, metric), effort
    ends = Ends(*map(np.copy, ends))  # `improve` and `reverse` write into this copy
    for place, pair in enumerate(track(order, "pairs")):
        if search.cost_of_first_steps(ends, int(pair)) > FIRST_STEPS * effort:
            break
        share = max(effort / (len(order) - place), effort / PAIRS)
        effort -= search.improve(ends, int(pair), min(share, effort))
        if effort <= 0:
            break
    if search.documents(search.unresolved(ends)) <= whole_effort:
        for topics in np.array_split(np.arange(len(pairs.judged.topics)), TOPIC_PARTS):
            search.reverse(ends, search.unresolved(ends), topics)
    return ends


@dataclass(frozen=True, eq=False)
class Search:
    """A search for tighter bounds of pairs of runs by one metric.

    `options` has the possible grades of an unjudged document (and UNJUDGED, if the metric
    distinguishes it from grade 0). `elsewhere` has the number of unjudged documents of each topic
    that can be relevant. `rows` has the retrieved documents down to the cutoff.
    """

    pairs: Pairs
    judged: JudgedRankings  # cut at the metric's cutoff
    metric: Metric
    options: Ints
    elsewhere: Floats
    rows: Retrieved

    @classmethod
    def of(cls, pairs: Pairs, metric: Metric) -> "Search":
        judged = pairs.judged
        cutoff = None if metric.judged_only else metric.cutoff
        options = metric.possible_grades(judged)
        if metric.tells_unjudged:
            options = np.concatenate([[UNJUDGED], options])
        elsewhere = unjudged_by_topic(judged).astype(np.float64)
        rows = pairs.retrieved if cutoff is None else pairs.retrieved.above(cutoff)
        return cls(pairs, judged.top(cutoff), metric, options, elsewhere, rows)

    def cost_of_first_steps(self, ends: Ends, pair: int) -> int:
        """Return an upper bound on the number of documents visited by the first steps for a pair.

        The first steps are the first guesses and the root of the search, for each topic and each
        bound (lower and upper) that is not known to be tight.
        """
        judged, topics = self.judged, np.arange(len(self.judged.topics))
        a, b = (of[pair] * len(topics) + topics for of in (self.pairs.first, self.pairs.second))
        open_ends = [
            ~np.isnan(known[pair]) & (known[pair] != reached[pair])
            for known, reached in (ends.upper(1), ends.upper(-1))
        ]
        new = judged.unjudged_count[a] + judged.unjudged_count[b]
        rows = np.diff(judged.row_start)
        known = rows[a] + rows[b] + np.diff(judged.topic_start)
        price = price_of(known, new, self.elsewhere - new)
        guesses = len(list(guesses_of(int(new.max(initial=0)), self.options, True)))
        return int((np.sum(open_ends, axis=0) * price * (guesses + 1)).sum())

    def improve(self, ends: Ends, pair: int, effort: float) -> int:
        """Search for tighter bounds of a pair, and write them into `ends`.

        Return the number of documents visited.
        """
        by_ranking = RowsByRanking.of(self.pairs, np.array([pair]), self.rows)
        found_cells = cells_of(self.pairs, np.array([pair]), by_ranking, self.elsewhere)
        sides = [(sign, cells) for cells in found_cells for sign in (1, -1)]
        spent = 0
        for place, (sign, cells) in enumerate(sides):
            known, reached = ends.upper(sign)
            at = (cells.pair, cells.topic)
            left = np.flatnonzero(~np.isnan(known[at]) & (known[at] != reached[at]))
            if not len(left) or spent >= effort:
                continue
            some = (cells if sign == 1 else cells.swapped()).where(left)
            tries = self._assignments(in_order_of_weight(some), by_ranking)
            found = greatest_differences(tries, (effort - spent) / (len(sides) - place))
            spent += found.cost
            at = (some.pair, some.topic)
            best = np.fmax(found.reached, sign * reached[at])
            reached[at] = sign * best
            known[at] = sign * np.fmax(np.fmin(found.most, sign * known[at]), best)
        return spent

    def documents(self, some: Ints) -> int:
        """Return the number of documents in both runs together, summed over `some` pairs."""
        by_run = self.judged.length.reshape(len(self.judged.runs), -1).sum(axis=1)
        return int((by_run[self.pairs.first[some]] + by_run[self.pairs.second[some]]).sum())

    def unresolved(self, ends: Ends) -> Ints:
        """Return the indices of the undecided pairs that are not known to be reversible."""
        mean = mean_of_topics(ends, is_sum=self.metric.aggregate == "sum")
        return np.flatnonzero((mean.verdict == "undecided") & ~mean.reversible)

    def reverse(self, ends: Ends, some: Ints, topics: Ints) -> None:
        """Write into `ends` differences under judgments that favour the run that is behind.

        The unjudged documents that this run ranks higher get the highest grade, and all other
        unjudged documents the lowest. `some` are indices of pairs, and `topics` those of topics.
        """
        ahead = mean_of_topics(ends, is_sum=self.metric.aggregate == "sum").value > 0
        by_ranking = RowsByRanking.of(self.pairs, some, self.rows, topics)

        def reverse_some(cells: Cells) -> None:
            for sign in (1, -1):
                side = np.flatnonzero(ahead[cells.pair] == (sign < 0))
                known, reached = ends.upper(sign)
                side = side[~np.isnan(known[cells.pair[side], cells.topic[side]])]
                if len(side):
                    favoured = (cells if sign == 1 else cells.swapped()).where(side)
                    at = (favoured.pair, favoured.topic)  # of no other block of cells
                    a, b, every = favoured.rank_a, favoured.rank_b, np.arange(len(favoured.a))
                    higher = (a > 0) & ((b == 0) | (a < b))
                    grades = np.where(higher, self.options.max(), self.options.min())
                    with np.errstate(invalid="ignore"):  # in a thread of its own
                        guessed = self._assignments(favoured, by_ranking).values(every, grades)
                        reached[at] = sign * np.fmax(guessed, sign * reached[at])

        some_cells = cells_of(self.pairs, some, by_ranking, self.elsewhere, topics, ROWS_OF_THREAD)
        deque(map_in_threads(reverse_some, some_cells, from_main=True), maxlen=0)

    def _assignments(self, cells: Cells, by_ranking: RowsByRanking) -> Assignments:
        rankings = np.unique(np.concatenate([cells.a, cells.b]))
        ties = Ties.of(self.judged, by_ranking, rankings)
        return Assignments(self.judged, ties, self.metric, cells, self.options)
