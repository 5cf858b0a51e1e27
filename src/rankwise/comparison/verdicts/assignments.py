"""Judgments of the unjudged documents, tried: the scores of two runs under many at once."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints
from rankwise.comparison.verdicts.cells import Cells
from rankwise.comparison.verdicts.contents import Contents
from rankwise.metrics import Metric
from rankwise.rankings.judged import ROW_COLUMNS, JudgedRankings
from rankwise.rankings.lengths import Lengths
from rankwise.scores.evaluation import bounds_with_elsewhere, scores_of

Grades = npt.NDArray[np.int64]
OPEN = -2  # not yet judged here
UNJUDGED = -1  # stays unjudged
LOOKS = 10  # at each document, for its score, its bounds and the order of all


class Tried(NamedTuple):
    """What some judgments come to: the difference as they are, and the most that it can be."""

    value: Floats
    most: Floats


@dataclass(frozen=True, eq=False)
class Assignments:
    """Tries judgments of the documents of cells; `judged` is cut where the metric is.

    Columns are the documents of the cells, then some of those elsewhere, alike to both runs;
    `beyond` counts, for each cell, those that have no column.
    """

    judged: JudgedRankings
    contents: Contents  # for the ties
    metric: Metric
    cells: Cells
    beyond: Ints

    def tried(self, cell: Ints, grades: Grades) -> Tried:
        """Of judgments of some cells, a row each: a grade, UNJUDGED or OPEN for each column."""
        built = self._built(cell, grades)
        count = len(cell)
        a, b = scores_of(self.metric, built).reshape(2, -1)[:, :count]
        low, high = (
            end.reshape(2, -1)[:, :count]
            for end in bounds_with_elsewhere(built, self.metric, "retrieved")
        )
        done = ~((grades == OPEN) & self.cells.there[cell]).any(axis=1) & (self.beyond[cell] == 0)
        return Tried(a - b, np.where(done, a - b, high[0] - low[1]))

    def cost(self) -> Ints:
        """How many documents are looked at to try one, for each cell."""
        rows = np.diff(self.judged.row_start)
        known = np.diff(self.judged.topic_start)[self.cells.topic]
        new = 2 * self.cells.there.sum(axis=1)
        return LOOKS * (rows[self.cells.a] + rows[self.cells.b] + known + new)

    def _built(self, cell: Ints, grades: Grades) -> JudgedRankings:
        """One topic per assignment, and one without a ranking that holds every grade there is."""
        judged, count = self.judged, len(cell)
        there, width = self.cells.there[cell], count + 1
        given = there & (grades >= 0)
        columns, length, elsewhere = [], [], []
        sides = ((self.cells.a, self.cells.rank_a), (self.cells.b, self.cells.rank_b))
        for run, (rankings, ranks) in enumerate(sides):
            which, rows = _rows(judged, rankings[cell])
            at, column = np.nonzero(given & (ranks[cell] > 0))
            which = np.concatenate([which, at])
            rank = np.concatenate([judged.rank[rows], ranks[cell][at, column]])
            grade = np.concatenate([judged.grade[rows], grades[at, column]])
            ties = self.contents.ties(rankings[cell][which], rank)
            columns.append(np.stack([run * width + which, rank, grade, *ties]))
            length.append(np.append(judged.length[rankings[cell]], 0))
            lacking = (there & (grades < 0) & (ranks[cell] == 0)).sum(axis=1)
            elsewhere.append(np.append(lacking + self.beyond[cell], 0))
        table = np.concatenate(columns, axis=1)
        table = table[:, np.lexsort((table[1], table[0]))]
        topic_grades, start = self._topics(cell, given, grades)
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

    def _lengths(self, cell: Ints) -> Lengths | None:
        """Of the documents of the two runs, and of the topic without a ranking none."""
        if self.judged.lengths is None:
            return None
        rankings = (np.append(of[cell], 0) for of in (self.cells.a, self.cells.b))
        return self.judged.lengths.where_rankings(np.concatenate(list(rankings)))

    def _topics(self, cell: Ints, given: Bools, grades: Grades) -> tuple[Ints, Ints]:
        """The judged grades of each topic, highest first, and where each topic starts."""
        judged = self.judged
        size = np.diff(judged.topic_start)[self.cells.topic[cell]]
        which = np.repeat(np.arange(len(cell)), size)
        place = np.arange(len(which)) - np.repeat(np.cumsum(size) - size, size)
        known = judged.topic_grades[judged.topic_start[self.cells.topic[cell]][which] + place]
        at, column = np.nonzero(given)
        every = np.unique(judged.topic_grades)
        topic = np.concatenate([which, at, np.full(len(every), len(cell))])
        grade = np.concatenate([known, grades[at, column], every])
        order = np.lexsort((-grade, topic))
        start = np.concatenate([[0], np.cumsum(np.bincount(topic, minlength=len(cell) + 1))])
        return grade[order], start.astype(np.int64)


def _rows(judged: JudgedRankings, ranking: Ints) -> tuple[Ints, Ints]:
    """The judged rows of each of these rankings: which of these, and the row."""
    size = np.diff(judged.row_start)[ranking]
    which = np.repeat(np.arange(len(ranking)), size)
    place = np.arange(len(which)) - np.repeat(np.cumsum(size) - size, size)
    return which, judged.row_start[ranking][which] + place
