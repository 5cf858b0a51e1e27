"""Scores of two runs, computed at once for many trial judgments of the unjudged documents."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints, joined_ranges
from rankwise.comparison.verdicts.pair_documents import Cells, RowsByRanking
from rankwise.metrics import Metric
from rankwise.rankings import ROW_COLUMNS, JudgedRankings
from rankwise.scores import bounds_with_elsewhere, scores_of
from rankwise.threads import map_in_threads

if TYPE_CHECKING:
    from rankwise.rankings import Lengths

Grades = npt.NDArray[np.int64]
OPEN = -2  # the trial has not yet decided the grade of the document
UNJUDGED = -1  # the document stays unjudged
LOOKS = 10  # number of times a document is visited: for its score, its bounds and sorting
MOST_LOOKS = LOOKS << 16  # maximum number of visits in one table of rankings: 12 MB per thread


class Tried(NamedTuple):
    """Score differences A − B of two runs on a topic under trial judgments.

    `value` is A − B if the documents marked OPEN stay unjudged. `most` is an upper bound of A − B
    over all judgments of these documents.
    """

    value: Floats
    most: Floats


class Others(NamedTuple):
    """Judgments of the documents that neither run retrieved, as ranges of numbers of documents.

    An option is a possible grade, or staying unjudged. For each option except the first, the number
    of documents that get this option or a higher one is between `least` and `most`. Both arrays
    have one row per trial and one column per option. Numbers do not increase from one option to the
    next.
    """

    least: Ints
    most: Ints

    @property
    def judged(self) -> Ints:
        """Per option, the number of documents that certainly get exactly this option."""
        above = np.concatenate([self.most[:, 1:], np.zeros_like(self.most[:, :1])], axis=1)
        return np.maximum(self.least - above, 0)

    @property
    def open(self) -> Ints:
        """Number of documents whose option is not yet decided, for each trial."""
        return np.asarray(self.most[:, :1].sum(axis=1) - self.judged.sum(axis=1))

    def where(self, keep: Bools | Ints) -> "Others":
        return Others(self.least[keep], self.most[keep])

    def ends(self) -> tuple["Others", "Others"]:
        """Return two alternatives: the smallest and the largest number for each option."""
        return Others(self.least, self.least), Others(self.most, self.most)

    def halves(self) -> tuple["Others", "Others"]:
        """Return two alternatives: the lower and the upper half of the widest range of numbers."""
        rows, wide = np.arange(len(self.least)), (self.most - self.least).argmax(axis=1)
        middle = ((self.least + self.most)[rows, wide] // 2)[:, None]
        place, wide = np.arange(self.least.shape[1]), wide[:, None]
        fewer = np.where(place >= wide, np.minimum(self.most, middle), self.most)
        more = np.where(place <= wide, np.maximum(self.least, middle + 1), self.least)
        return Others(self.least, fewer), Others(more, self.most)


@dataclass(frozen=True, eq=False)
class Ties:
    """The first and the last rank of the tie group at each rank, for some rankings."""

    start: Ints  # of each of these rankings: its position in `ranks`; 0 for other rankings
    ranks: Ints  # of shape (2, ranks): the first and the last rank of the tie group

    @classmethod
    def of(cls, judged: JudgedRankings, by_ranking: RowsByRanking, rankings: Ints) -> "Ties":
        """Return the ties of some `rankings`, from their judged and their unjudged documents."""
        length, start = judged.length[rankings], np.zeros(judged.count, np.int64)
        start[rankings] = np.cumsum(length) - length
        ranks = np.zeros((2, int(length.sum())), np.int64)
        which, rows = judged.rows_of(rankings)
        at = start[rankings[which]] + judged.rank[rows] - 1
        ranks[:, at] = judged.tie_first[rows], judged.tie_last[rows]
        which, rows = by_ranking.rows_of(rankings)
        at = start[rankings[which]] + by_ranking.rank[rows] - 1
        unjudged, number = by_ranking.rows, by_ranking.order[rows]
        ranks[:, at] = unjudged.tie_first[number], unjudged.tie_last[number]
        return cls(start, ranks)

    def at(self, ranking: Ints, rank: Ints) -> Ints:
        return self.ranks[:, self.start[ranking] + rank - 1]


@dataclass(frozen=True, eq=False)
class Assignments:
    """Scoring of the cells (pairs of runs on a topic) in `cells` under trial judgments.

    A trial gives each document of a cell an option: a possible grade, or UNJUDGED. `options` has
    the options in increasing order, with UNJUDGED first if the metric distinguishes it from grade
    0. For documents that neither run retrieved, only the number of documents with each option
    matters. `judged` has the rankings, cut at the metric's cutoff.
    """

    judged: JudgedRankings
    ties: Ties
    metric: Metric
    cells: Cells
    options: Ints

    def tried(self, cell: Ints, grades: Grades, others: "Others") -> Tried:
        """Return the score difference A − B of a cell under each trial.

        Row i of `grades` is a trial for the cell with index `cell[i]`. Each column is a document:
        its value is a possible grade, UNJUDGED, or OPEN if the trial has not decided the grade.
        `others` has the judgments of documents that neither run retrieved, one row per trial.
        """
        block = np.cumsum(self.cost()[cell]) // MOST_LOOKS
        pieces = np.split(np.arange(len(cell)), np.flatnonzero(np.diff(block)) + 1)

        @np.errstate(invalid="ignore")  # infinity − infinity, in a thread of its own
        def tried(some: Ints) -> Tried:
            rows, given, rest = cell[some], grades[some], others.where(some)
            built, metric = self._built(rows, given, rest), self.metric
            scores = (scores_of(metric, built), *bounds_with_elsewhere(built, metric, "retrieved"))
            now, low, high = (each.reshape(2, -1)[:, : len(rows)] for each in scores)
            done = ~((given == OPEN) & self.cells.there[rows]).any(axis=1) & (rest.open == 0)
            value = now[0] - now[1]
            return Tried(value, np.where(done, value, high[0] - low[1]))

        parts = zip(*map_in_threads(tried, pieces, from_main=True), strict=True)
        return Tried(*(np.concatenate(column) for column in parts))

    def values(self, cell: Ints, grades: Grades) -> Floats:
        """Return A − B for trials that decide all retrieved documents of a cell.

        Row i of `grades` is a trial for the cell with index `cell[i]`. Documents that neither run
        retrieved stay unjudged.
        """
        none = np.zeros((len(cell), len(self.options) - 1), np.int64)
        built = self._built(cell, grades, Others(none, none))
        a, b = scores_of(self.metric, built).reshape(2, -1)[:, : len(cell)]
        return np.asarray(a - b)

    def cost(self) -> Ints:
        """Return the number of documents visited by one trial, for each cell."""
        rows = np.diff(self.judged.row_start)
        known = np.diff(self.judged.topic_start)[self.cells.topic]
        known = known + rows[self.cells.a] + rows[self.cells.b]
        return price_of(known, self.cells.count, self.cells.elsewhere)

    def _built(self, cell: Ints, grades: Grades, others: "Others") -> JudgedRankings:
        """Return rankings with one topic per trial, and an additional topic that has every grade.

        The additional topic has no ranking. It ensures that the judgments have the same set of
        grades as the original ones, because some metrics depend on this set.
        """
        judged, count = self.judged, len(cell)
        there, width = self.cells.there[cell], count + 1
        given = there & (grades >= 0)
        columns, length, elsewhere = [], [], []
        sides = ((self.cells.a, self.cells.rank_a), (self.cells.b, self.cells.rank_b))
        for run, (rankings, ranks) in enumerate(sides):
            which, rows = judged.rows_of(rankings[cell])
            at, column = np.nonzero(given & (ranks[cell] > 0))
            which = np.concatenate([which, at])
            rank = np.concatenate([judged.rank[rows], ranks[cell][at, column]])
            grade = np.concatenate([judged.grade[rows], grades[at, column]])
            ties = self.ties.at(rankings[cell][which], rank)
            columns.append(np.stack([run * width + which, rank, grade, *ties]))
            length.append(np.append(judged.length[rankings[cell]], 0))
            lacking = (there & (grades < 0) & (ranks[cell] == 0)).sum(axis=1)
            elsewhere.append(np.append(lacking + others.open, 0))
        table = np.concatenate(columns, axis=1)
        table = table[:, np.lexsort((table[1], table[0]))]
        topic_grades, start = self._topics(cell, given, grades, others.judged)
        return replace(
            judged,
            runs=("A", "B"),
            topics=tuple(map(str, range(width))),
            **dict(zip(ROW_COLUMNS, table, strict=True)),
            length=np.concatenate(length),
            present=np.concatenate(length) > 0,
            topic=np.tile(np.arange(width), 2),
            topic_grades=topic_grades,
            topic_start=start,
            judgment=None,
            uncut=None,
            retrieved=None,
            elsewhere=np.concatenate(elsewhere),
            lengths=self._lengths(cell),
        )

    def _lengths(self, cell: Ints) -> "Lengths | None":
        """Return the lengths (in words, for example) of the documents of both runs, or None."""
        if self.judged.lengths is None:
            return None
        rankings = (np.append(of[cell], 0) for of in (self.cells.a, self.cells.b))
        return self.judged.lengths.where_rankings(np.concatenate(list(rankings)))

    def _topics(self, cell: Ints, given: Bools, grades: Grades, others: Ints) -> tuple[Ints, Ints]:
        """Return the judged grades of each trial's topic, highest first, and the topics' starts."""
        judged, topic = self.judged, self.cells.topic[cell]
        size = np.diff(judged.topic_start)[topic]
        which, known = joined_ranges(judged.topic_start[topic], size)
        at, column = np.nonzero(given)
        every = judged.keep_of_topics("grades", lambda: np.unique(judged.topic_grades))
        many, levels = others.ravel(), others.shape[1]
        of, new = np.repeat(np.arange(len(cell)), levels), np.tile(self.options[1:], len(cell))
        topic = np.concatenate([which, at, np.repeat(of, many), np.full(len(every), len(cell))])
        grade = np.concatenate(
            [judged.topic_grades[known], grades[at, column], np.repeat(new, many), every]
        )
        order = np.lexsort((-grade, topic))
        start = np.concatenate([[0], np.cumsum(np.bincount(topic, minlength=len(cell) + 1))])
        return grade[order], start.astype(np.int64)


def price_of(known: Ints, new: Ints, elsewhere: Floats) -> Ints:
    """Return the number of documents visited in a trial.

    `known` is the number of judged documents, `new` the number of unjudged documents in the two
    runs, and `elsewhere` the number of all other unjudged documents that may be relevant.
    """
    return LOOKS * (known + 2 * new + np.maximum(elsewhere, 0).astype(np.int64))
