"""Trial judgments of unjudged documents: scores of two runs under many judgments at once."""

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
OPEN = -2  # not judged so far in this trial
UNJUDGED = -1  # stays unjudged
LOOKS = 10  # number of times a document is visited, for its score, its bounds and sorting
MOST_LOOKS = LOOKS << 16  # in one table of rankings: about 12 MB per thread


class Tried(NamedTuple):
    """A − B under trial judgments.

    `value` is A − B if the OPEN documents stay unjudged. `most` is an upper bound of A − B over all
    judgments of the OPEN documents.
    """

    value: Floats
    most: Floats


class Others(NamedTuple):
    """Numbers of documents that neither run retrieved and that get each option or a higher one.

    An option is a possible grade, or staying unjudged. Each number is between `least` and `most`,
    which have one row per set of judgments and one column per option except the first. Neither
    array increases from one option to the next.
    """

    least: Ints
    most: Ints

    @property
    def judged(self) -> Ints:
        """Per option, the number of documents that get exactly this option in all alternatives."""
        above = np.concatenate([self.most[:, 1:], np.zeros_like(self.most[:, :1])], axis=1)
        return np.maximum(self.least - above, 0)

    @property
    def open(self) -> Ints:
        """Number of documents whose option is still undecided."""
        return np.asarray(self.most[:, :1].sum(axis=1) - self.judged.sum(axis=1))

    def where(self, keep: Bools | Ints) -> "Others":
        return Others(self.least[keep], self.most[keep])

    def ends(self) -> tuple["Others", "Others"]:
        """Return two alternatives: as few documents of each option as possible, and as many."""
        return Others(self.least, self.least), Others(self.most, self.most)

    def halves(self) -> tuple["Others", "Others"]:
        """Return two alternatives, each with half of the range of the least certain number."""
        rows, wide = np.arange(len(self.least)), (self.most - self.least).argmax(axis=1)
        middle = ((self.least + self.most)[rows, wide] // 2)[:, None]
        place, wide = np.arange(self.least.shape[1]), wide[:, None]
        fewer = np.where(place >= wide, np.minimum(self.most, middle), self.most)
        more = np.where(place <= wide, np.maximum(self.least, middle + 1), self.least)
        return Others(self.least, fewer), Others(more, self.most)


@dataclass(frozen=True, eq=False)
class Ties:
    """The first and the last rank of the tie group at each rank of some rankings."""

    start: Ints  # position of each of these rankings in `ranks`; undefined for other rankings
    ranks: Ints  # of shape (2, ranks): the first and the last rank of the tie group

    @classmethod
    def of(cls, judged: JudgedRankings, by_ranking: RowsByRanking, rankings: Ints) -> "Ties":
        """Return the ties of some rankings, from their judged and their unjudged documents."""
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
    """Trial judgments of the documents in `cells`; `judged` is cut at the metric's cutoff.

    `options` has the possible grades in increasing order, with UNJUDGED first if it counts
    differently from grade 0. Of documents that neither run retrieved, only the number that gets
    each option matters.
    """

    judged: JudgedRankings
    ties: Ties
    metric: Metric
    cells: Cells
    options: Ints

    def tried(self, cell: Ints, grades: Grades, others: "Others") -> Tried:
        """Return the score difference A − B of a topic under each trial.

        Row i of `grades` is one trial for `cell[i]`, a pair of runs on a topic. It has one column
        per document: a possible grade, UNJUDGED, or OPEN if the trial does not decide it yet.
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
        """Return A − B under trial judgments of all retrieved documents.

        Documents that neither run retrieved are left unjudged.
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

        The additional topic has no ranking. It keeps the set of grades that a metric can see.
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
        """Return the lengths of the two runs' documents, or None if lengths are not known."""
        if self.judged.lengths is None:
            return None
        rankings = (np.append(of[cell], 0) for of in (self.cells.a, self.cells.b))
        return self.judged.lengths.where_rankings(np.concatenate(list(rankings)))

    def _topics(self, cell: Ints, given: Bools, grades: Grades, others: Ints) -> tuple[Ints, Ints]:
        """Return the judged grades of each topic, highest first, and the start of each topic."""
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
    runs, and `elsewhere` the number of all other documents.
    """
    return LOOKS * (known + 2 * new + np.maximum(elsewhere, 0).astype(np.int64))
