"""Metrics that depend on the rank and the grade of the first relevant document."""

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds import FirstByGrade, FirstByGradeOverBest
from rankwise.metrics.gains import possible_grades
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import Gains, cutoff, flag, penalties
from rankwise.metrics.registry import register
from rankwise.rankings import JudgedRankings


class WeightedReciprocal(Metric):
    """Metrics with a penalty β > 1 for each grade, smaller for better grades: WRR and NWRR."""

    beta: Gains = penalties()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def possible_grades(self, judged: JudgedRankings) -> Ints:
        return possible_grades(judged, self.beta)

    def penalty(self, grade: Ints) -> Floats:
        """Return 1 / β of each grade.

        A grade that is not in the table has the β of the next lower grade in it. If the table has
        no lower grade, 0 is returned.
        """
        table = dict(self.beta)
        found = np.zeros(len(grade))
        for level, beta in sorted(table.items()):
            found[grade >= level] = 1 / beta
        return found

    def reciprocal(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(1)
        first = rows.place == 1
        return rows.total(np.where(first, 1 / (rows.rank - self.penalty(rows.grade)), 0.0))


@register()
class WRR(WeightedReciprocal):
    """Weighted reciprocal rank: 1 / (r − 1/β(grade)) for the first relevant document.

    r is the rank and `grade` the grade of this document. `beta` gives the penalty of each grade, by
    default {1:4,2:3,3:2}. The score is 0 if no relevant document is retrieved.

    Use it as the numerator of NWRR. Do not average it over topics, because its largest possible
    value depends on the best grade of the topic.
    Eguchi et al., NTCIR-3, 2003; Sakai 2007.

    >>> score_gains("WRR", [0, 0, 3])
    0.4
    """

    score_range = (0.0, np.inf)
    bounds = FirstByGrade()

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.reciprocal(judged)


@register()
class NWRR(WeightedReciprocal):
    """WRR divided by its largest value for the topic, (1 − 1/β(best)) / (r − 1/β(grade)).

    r is the rank and `grade` the grade of the first relevant document. `best` is the highest grade
    of the topic's judged documents.

    Use it when the rank of the first relevant document matters more than its grade: with any
    `beta`, a partly relevant document at rank 1 scores more than the best document at rank 2.
    Sakai, IPSJ Digital Courier 3, 2007.

    >>> score_gains("NWRR", [0, 0, 3])
    0.2
    """

    needs_relevant = True
    favours_the_top = True
    bounds = FirstByGradeOverBest()

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.reciprocal(judged) * (1 - self.penalty(self.best_grade(judged)))

    def best_grade(self, judged: JudgedRankings) -> Ints:
        """Return the highest judged grade of each ranking's topic."""
        best = np.zeros(len(judged.topics), np.int64)
        filled = np.diff(judged.topic_start) > 0
        best[filled] = judged.topic_grades[judged.topic_start[:-1][filled]]
        return best[judged.topic]
