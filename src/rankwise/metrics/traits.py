"""Metric traits and their defaults: the properties of a metric that other packages use.

A metric declares only the traits that differ from the defaults. A parameter is declared as a field
(`cutoff: int | None = cutoff()`). Any other trait is an attribute of the class (`needs_relevant =
True`) or, if it depends on the parameters, a property. Traits computed from others are properties
of `Metric` (`counts_missed`, `tells_unjudged`, `takes_gains`) and of `FormTraits` (`weighted`,
`normalised`, …).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from rankwise.arrays import Floats, Ints
from rankwise.bounds import ScoreBounds
from rankwise.metrics.parameters import Gains

if TYPE_CHECKING:
    from rankwise.bounds import Levels
    from rankwise.metrics.average_precision import AP
    from rankwise.metrics.subtopics import OverSubtopics
    from rankwise.metrics.weighted import WeightedPrecision
    from rankwise.rankings import Ideal, JudgedRankings


class Normalised(NamedTuple):
    """A score Σ weight × gain, divided by the same sum for the best order of judged documents."""

    earned: WeightedPrecision  # the sum before the division
    ideal: Callable[[JudgedRankings], Ideal]  # with the same gains as `earned`
    # The possible gains, and for each gain the number of judged documents with at least this gain.
    levels: Callable[[JudgedRankings], Levels]


class ByCount(NamedTuple):
    """A score w n + c, where n is the number of relevant documents retrieved.

    `weight` returns w. Its arguments are the number of documents that the ranking retrieved, and R,
    the number of the topic's relevant documents. The term c may depend on the run or on R, but not
    on both. `reach` takes R and returns the last rank at which documents count towards n. This rank
    must not decrease as R grows. If `reach` is None, all ranks down to the cutoff count. If
    `corners` is set, w is the same for all runs and equals 1 / f(R), where f is linear between the
    values of R in `corners`. If `corners` is None, nothing is assumed about w.
    """

    rel: int
    weight: Callable[[Ints, Ints], Floats]
    reach: Callable[[Ints], Ints] | None = None
    corners: tuple[int, ...] | None = None


class ByFirst(NamedTuple):
    """A score that depends only on the rank of the first relevant document.

    The score never increases with the rank. `score_at` takes the rank, or infinity if no document
    down to the cutoff is relevant.
    """

    rel: int
    score_at: Callable[[Floats], Floats]


class ByFound(NamedTuple):
    """A score that depends only on three counts of documents.

    `of_counts` takes the number of relevant documents retrieved, the number of documents retrieved,
    and R, the number of documents relevant to the topic. The score of a ranking increases with the
    first count if R is fixed.
    """

    rel: int
    of_counts: Callable[[Floats, Floats, Floats], Floats]


class ByFirstAndCount(NamedTuple):
    """A score that depends only on the rank r of the first relevant document, and on R.

    R is the number of documents relevant to the topic. `score_at` takes r and R; r is infinity if
    no document down to the cutoff is relevant. For any two ranks r₁ < r₂, the difference between
    the scores at r₁ and at r₂ must be monotone on three intervals of R: smaller than r₁, from
    r₁ to r₂, and greater than r₂.
    """

    rel: int
    score_at: Callable[[Floats, Floats], Floats]


ExactForm = ByCount | ByFirst | ByFound | ByFirstAndCount


class Traits:
    """Traits of metrics, and their defaults.

    The class is not a dataclass, so its attributes are not parameters of metrics.
    """

    # Parameters that other modules use.
    cutoff: int | None = None  # number of documents from the top that count; None: all
    rel: int | None = None  # the relevance threshold; None: the metric has none
    gains: Gains | None = None  # the metric's own table from grades to gains
    max_rel: int | None = None  # the grade with the largest gain, if gains are scaled by it
    judged_only: bool = False  # condensed list: unjudged and unusable documents are removed
    ties: str = "name"  # or "share": tied documents each have the mean weight of their ranks

    # How it is written, aggregated over topics, and interpreted.
    at: ClassVar[str] = "cutoff"  # the parameter that is written after @
    printed_name: ClassVar[str] = ""  # the name in papers, if it is not the name of the class: P⁺
    aggregate: ClassVar[Literal["mean", "sum"]] = "mean"
    less_is_better: ClassVar[bool] = False  # for leaderboards, comparisons and correlations
    is_diagnostic: ClassVar[bool] = False  # describes the data, not the quality of a ranking

    # Where it is undefined. For one topic, a metric is undefined either for all runs or for none.
    needs_relevant: ClassVar[bool] = False  # undefined for a topic without relevant documents
    # What a topic lacks if the metric is undefined, in words for a note. Empty: a relevant
    # document.
    undefined_without: ClassVar[str] = ""
    # The score of a run for which `compute` returns NaN on a topic that is not undefined, for
    # example because the run retrieved no relevant document.
    worst: ClassVar[float | None] = None

    # Whether a document of negative grade counts differently from an unjudged one.
    tells_unusable: ClassVar[bool] = False

    # Values for a typical setting, for parameters without a sensible default: {"recall": 0.5}.
    typical_parameters: ClassVar[Mapping[str, float]] = MappingProxyType({})
    # The name of parameter p if the weight of all ranks below depth d is p^d; otherwise empty.
    persistence: ClassVar[str] = ""

    # Whether it scores a set of documents, so that their order has no effect.
    ignores_order: ClassVar[bool] = False

    # Whether it uses judgments by subtopic; other metrics use a document's highest grade.
    uses_subtopics: ClassVar[bool] = False

    # Whether it uses preference judgments; other metrics need a grade for each document.
    uses_preferences: ClassVar[bool] = False

    # The unit of the document lengths (`judged.lengths`) that it uses, for example "words"; empty
    # if it does not use them.
    reads_lengths: ClassVar[str] = ""

    # Whether the user wrote its trec_eval name, so that undefined topics count as 0. Set by the
    # parser, never declared.
    zero_if_undefined: ClassVar[bool] = False

    # The range of its scores. None: 0 to 1 for a metric of rankwise, not known for others.
    score_range: ClassVar[tuple[float, float] | None] = None
    # The object that computes its bounds. The two traits below are facts that bounds and verdicts
    # use.
    bounds: ClassVar[ScoreBounds[Any]] = ScoreBounds()
    # Whether moving the first relevant document of a ranking up never lowers the score, and moving
    # the last one down, or out of the ranking if it is the only one, never raises it. If lower
    # scores are better, "lowers" and "raises" change places.
    favours_the_top: ClassVar[bool] = False
    # Whether relevant documents that no ranking retrieves only divide all scores of a topic by the
    # same number. This divisor grows with the number and the grades of these documents.
    divides_alike: ClassVar[bool] = False


class FormTraits(Traits):
    """Special forms of a metric's formula; they are None unless the metric declares them."""

    @property
    def weighted(self) -> WeightedPrecision | None:
        """The metric as Σ weight(rank) × gain, or None if it does not have this form."""
        return None

    @property
    def sum_of_weights(self) -> WeightedPrecision | None:
        """The value of `weighted`, or None if judging a document changes the ranks of others.

        If it is not None, bounds of score differences between runs are exact, and judgments can be
        planned.
        """
        return None

    @property
    def normalised(self) -> Normalised | None:
        """The metric as a weighted sum divided by the same sum for the best order of documents.

        It is None if the metric does not have this form.
        """
        return None

    @property
    def mean_precision(self) -> AP | None:
        """The metric as Σ precision / divisor(R), in the form of an AP.

        It is None if the metric does not have this form.
        """
        return None

    @property
    def over_subtopics(self) -> OverSubtopics | None:
        """The metric as a mean over subtopics, or None if it does not have this form."""
        return None

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        """Return a form of the formula for which bounds of differences between runs are exact.

        Return None if the metric does not have any of these forms. Some metrics have such a form
        only if all relevant documents have the same gain.
        """
        return None
