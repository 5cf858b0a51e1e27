"""The base class of all metrics."""

from typing import Self

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds import UNIT
from rankwise.errors import WrongParameter
from rankwise.metrics.gains import gain_of, possible_grades
from rankwise.metrics.identity import Named
from rankwise.rankings import JudgedRankings


class Metric(Named):
    """A pure function from judged rankings to one score per ranking.

    A subclass declares its parameters as dataclass fields, implements `compute`, and sets the
    traits (see `rankwise.metrics.traits.Traits`) that differ from the defaults. The trait `bounds`
    is an object that computes lower and upper bounds of the scores (see `rankwise.bounds`).
    """

    # The score.

    def compute(self, judged: JudgedRankings) -> Floats:
        """Return the score of each ranking; `judged` has the rankings that `view` returned."""
        raise NotImplementedError

    def view(self, judged: JudgedRankings) -> JudgedRankings:
        """Return the rankings for `compute`, cut at the cutoff.

        With `judged_only`, unjudged documents are removed first.
        """
        if self.judged_only:
            judged = judged.condensed()
        return judged.top(self.cutoff)

    def to_depth(self, judged: JudgedRankings) -> JudgedRankings:
        """Return the rankings truncated at the evaluation depth, `judged.depth`.

        With `ties=share` the rankings stay complete, because a tie group may continue below the
        depth.
        """
        return judged if judged.depth is None or self.ties == "share" else judged.cut_to_depth()

    def scores(self, judged: JudgedRankings, *, by_formula: bool = False) -> Floats:
        """Return one score per ranking; NaN if the metric is undefined for the topic.

        If the metric is defined for a topic but the formula gives NaN for a ranking, the score is
        the value of the trait `worst`. It is NaN if `worst` is None or `by_formula` is set.
        """
        judged = self.to_depth(judged)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = self.compute(self.view(judged))
        worst = None if by_formula else self.worst
        if worst is not None:
            values = np.where(np.isnan(values), worst, values)
        elif not self.needs_relevant:
            return values
        return np.where(self.is_defined(judged), values, np.nan)

    def is_defined(self, judged: JudgedRankings) -> Bools:
        """Return, per ranking, whether the metric is defined for its topic.

        All rankings of the same topic have the same value.
        """
        if not self.needs_relevant:
            return np.ones(judged.count, np.bool_)
        if type(self).counts_as_relevant is Metric.counts_as_relevant:
            return judged.judged_count(self.rel or 1) > 0  # does not depend on the cutoff

        def some_count() -> Bools:
            counts = self.counts_as_relevant(judged.topic_grades, judged)
            sums = np.concatenate([[0], np.cumsum(counts)])[judged.topic_start]
            return np.asarray((np.diff(sums) > 0)[judged.topic])

        return judged.keep_of_topics(("is_defined", self), some_count)

    # Grades.

    def at_levels_of(self, judged: JudgedRankings) -> Self:
        """Return the metric with a fractional `rel` replaced by a grade.

        Judgments with fractional grades are stored with whole grades 1, 2, …, whose gains are the
        original values. A fractional `rel` is a threshold on these gains. It is replaced by the
        lowest whole grade from 1 on whose gain is at least `rel`. If no gain is that large, it is
        replaced by a grade above all others. A metric without a fractional `rel` is returned
        unchanged.
        """
        if self.rel is None or isinstance(self.rel, int):
            return self
        grades = possible_grades(judged, self.gains)
        enough = gain_of(grades, judged, self.gains) >= self.rel
        level = int(grades[enough].min()) if enough.any() else int(grades.max()) + 1
        if (grades[~enough] > level).any():
            what = "a fractional rel needs gains that increase with the grades. Use a whole number."
            raise WrongParameter(what, source=str(self))
        return self.altered(rel=max(level, 1))

    def worth(self, grade: Ints, judged: JudgedRankings) -> Floats:
        """Return the gain of each grade.

        The gains come from the metric's own table or, if it has none, from the table of the qrels.
        A grade without an entry is its own gain; a negative grade without an entry gains 0.
        """
        return gain_of(grade, judged, self.gains)

    def lowest(self, judged: JudgedRankings) -> int:
        """Return the lowest grade that can have a positive gain: 1, or 0 with a table of gains."""
        return 1 if self.gains is None and judged.gains is None else 0

    def with_rel(self, rel: float) -> Self:
        """Return the metric with relevance threshold `rel` in place of the default threshold 1.

        A metric without a threshold, or with a threshold other than 1, is returned unchanged.
        """
        return self.altered(rel=rel) if self.rel == type(self).rel == 1 else self

    def possible_grades(self, judged: JudgedRankings) -> Ints:
        """Return the grades that an unjudged document can get.

        They are 0, `rel`, the positive grades of the qrels, and the grades of the table of gains
        (without a table, grade 1).
        """
        return possible_grades(judged, self.gains, self.rel or 0)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        """Return, for each entry of `grade`, whether documents of this grade are relevant.

        A metric with the trait `needs_relevant` is undefined for topics without relevant documents.
        """
        return grade >= (self.rel or 1)

    # Traits that follow from others; a subclass may declare them.

    @property
    def sign(self) -> int:
        """1 if higher scores are better, −1 if lower scores are better."""
        return -1 if self.less_is_better else 1

    @property
    def mean_range(self) -> tuple[float, float]:
        """Range of the scores and of their mean over topics.

        It is the class attribute `score_range`. If this attribute is None, the range is 0 to 1 for
        a metric of rankwise, and −∞ to ∞ for a user's metric.
        """
        if self.score_range is not None:
            return self.score_range
        return UNIT if self.is_builtin else (-np.inf, np.inf)

    @property
    def greatest_difference(self) -> float:
        """Largest possible difference of two scores: the width of `mean_range`."""
        low, high = self.mean_range
        return high - low

    @property
    def takes_gains(self) -> bool:
        """Whether the metric uses the qrels' table of gains if its parameter `gains` is not set."""
        return "gains" in self.parameters

    @property
    def counts_missed(self) -> bool:
        """Whether judgments of documents that a ranking did not retrieve can change its score.

        By default it is True for a metric with the trait `needs_relevant`, and for a user's metric
        that is not a sum of rank weights times gains (the trait `weighted`).
        """
        return self.needs_relevant or not (self.is_builtin or self.weighted is not None)

    @property
    def tells_unjudged(self) -> bool:
        """Whether documents judged non-relevant may count differently from unjudged documents."""
        return self.judged_only or not self.is_builtin

    # Explanations and user models.

    def contributions(self, judged: JudgedRankings) -> Floats | None:
        """Return the contribution of each judged document (row) to the score of its ranking.

        Return None if the metric does not define contributions.
        """
        return None

    def continuation(self, gain: Floats) -> Floats | None:
        """Return the continuation probability after each rank, or None if there is no user model.

        `gain[i]` is the gain, between 0 and 1, of the document at rank i + 1.
        """
        return None

    def most_below(self, depth: int) -> float | None:
        """Return an upper bound of the change of a score by documents below rank `depth`.

        Return None if no bound is known. The gains of these documents are assumed to be at most
        the largest gain in the metric's own table or, without a table, at most 1.
        """
        return None

    def ending_at_cutoff(self, going_on: Floats) -> Floats:
        """Return the continuation probabilities `going_on`, with 0 from rank k (the cutoff) on."""
        rank = np.arange(1, len(going_on) + 1)
        return np.where(rank < (self.cutoff or np.inf), going_on, 0.0)
