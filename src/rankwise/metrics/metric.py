"""The class of all metrics."""

from typing import Self

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds import UNIT
from rankwise.errors import WrongParameter
from rankwise.metrics.gains import gain_of, possible_grades
from rankwise.metrics.identity import Named
from rankwise.rankings import JudgedRankings


class Metric(Named):
    """A pure function from judged rankings to one number for each ranking.

    A subclass has its parameters as dataclass fields, writes `compute`, and declares the traits
    (see `Traits`) in which it differs. `bounds` names the argument that gives lower and upper
    bounds of its scores (see `rankwise.bounds`).
    """

    # The score.

    def compute(self, judged: JudgedRankings) -> Floats:
        """Return the score of each ranking; rankings are already condensed and cut."""
        raise NotImplementedError

    def view(self, judged: JudgedRankings) -> JudgedRankings:
        """Return the rankings as the metric sees them: condensed and cut, if it asks for that."""
        if self.judged_only:
            judged = judged.condensed()
        return judged.top(self.cutoff)

    def to_depth(self, judged: JudgedRankings) -> JudgedRankings:
        """Return the rankings down to the depth of the evaluation; shared ties need the rest."""
        return judged if self.shares_ties else judged.cut_to_depth()

    def scores(self, judged: JudgedRankings) -> Floats:
        """Return one number for each ranking; NaN where the metric is undefined for the topic."""
        judged = self.to_depth(judged)
        values = self.by_formula(judged)
        if self.worst is None:
            return values
        values = np.where(np.isnan(values), self.worst, values)
        return np.where(self.is_defined(judged), values, np.nan)

    def by_formula(self, judged: JudgedRankings) -> Floats:
        """Return the formula's values: NaN also where a run found nothing to divide by."""
        judged = self.to_depth(judged)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = self.compute(self.view(judged))
        if not self.needs_relevant:
            return values
        return np.where(self.is_defined(judged), values, np.nan)

    def is_defined(self, judged: JudgedRankings) -> Bools:
        """Return whether the topic of each ranking has a score: the same for every run."""
        if not self.needs_relevant:
            return np.ones(judged.count, np.bool_)
        if type(self).counts_as_relevant is Metric.counts_as_relevant:
            return judged.judged_count(self.rel or 1) > 0  # the same for all cutoffs

        def some_count() -> Bools:
            counts = self.counts_as_relevant(judged.topic_grades, judged)
            sums = np.concatenate([[0], np.cumsum(counts)])[judged.topic_start]
            return np.asarray((np.diff(sums) > 0)[judged.topic])

        return judged.keep_of_topics(("is_defined", self), some_count)

    # Grades.

    def at_levels_of(self, judged: JudgedRankings) -> Self:
        """Return the metric with a grade for its `rel`, if that is a fraction.

        A fraction is the lowest gain that is relevant, for judgments that are fractions.
        """
        if self.rel is None or isinstance(self.rel, int):
            return self
        grades = possible_grades(judged, self.gains)
        enough = gain_of(grades, judged, self.gains) >= self.rel
        level = int(grades[enough].min()) if enough.any() else int(grades.max()) + 1
        if (grades[~enough] > level).any():
            what = "gains do not rise with the grades, so that none is the lowest relevant one"
            raise WrongParameter(f"{what}.", source=str(self))
        return self.altered(rel=max(level, 1))

    def with_rel(self, rel: float) -> Self:
        """Return the metric with this relevance threshold, unless it was given its own."""
        return self.altered(rel=rel) if self.rel == type(self).rel == 1 else self

    def possible_grades(self, judged: JudgedRankings) -> Ints:
        """Return the grades that an unjudged document can get, as far as the metric sees them."""
        return possible_grades(judged, self.gains, self.rel or 0)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        """Return which grades give a topic a score, if the metric `needs_relevant` documents."""
        return grade >= (self.rel or 1)

    # Traits that follow from others; a subclass may declare them.

    @property
    def sign(self) -> int:
        """1 if higher is better, −1 if lower is better."""
        return -1 if self.less_is_better else 1

    @property
    def mean_range(self) -> tuple[float, float]:
        """Range of its scores, and therefore of their mean; infinite where it is not known."""
        if self.score_range is not None:
            return self.score_range
        return UNIT if self.is_builtin else (-np.inf, np.inf)

    @property
    def greatest_difference(self) -> float:
        """Largest possible difference of two scores; infinite where it is not known."""
        low, high = self.mean_range
        return high - low

    @property
    def shares_ties(self) -> bool:
        """Whether tied documents each weigh the mean weight of their ranks."""
        return self.ties == "share"

    @property
    def is_builtin(self) -> bool:
        """Whether it is a metric of rankwise, not a user's own."""
        return type(self).__module__.startswith("rankwise.")

    @property
    def takes_gains(self) -> bool:
        """Whether a table of gains that the qrels have changes the score."""
        return self.takes("gains")

    @property
    def counts_missed(self) -> bool:
        """Whether documents that a ranking lacks can change its score, or give the topic one.

        True for a user's own metric unless it declares otherwise.
        """
        return self.needs_relevant or not (self.is_builtin or self.weighted is not None)

    @property
    def tells_unjudged(self) -> bool:
        """Whether a document judged not relevant may count differently from an unjudged one."""
        return self.judged_only or not self.is_builtin

    # Explanations and user models.

    def contributions(self, judged: JudgedRankings) -> Floats | None:
        """Return what each row adds to the score of its ranking; None if the score is not a sum."""
        return None

    def continuation(self, gain: Floats) -> Floats | None:
        """Return the probability that the user goes on after each rank; None without a user model.

        `gain`, between 0 and 1, is the gain of the document at each rank.
        """
        return None

    def most_below(self, depth: int) -> float | None:
        """Return the most that documents below a depth can change a score; None if unlimited.

        A document gains at most 1, or the greatest of the metric's gains.
        """
        return None

    def ending_at_cutoff(self, going_on: Floats) -> Floats:
        """Return the probabilities to go on with 0 from the cutoff on."""
        rank = np.arange(1, len(going_on) + 1)
        return np.where(rank < (self.cutoff or np.inf), going_on, 0.0)
