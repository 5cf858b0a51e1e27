"""Metric traits and their defaults: everything that other packages may ask of a metric.

A metric declares those that differ: a parameter as a field (`cutoff: int | None = cutoff()`),
any other trait as a plain attribute of the class (`needs_relevant = True`) or, where it depends
on the parameters, as a property. Computed traits are properties of `Metric`: `counts_missed`,
`tells_unjudged`, `shares_ties`, `takes_gains`; and of `FormTraits`: `weighted`, `normalised`, …
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
    """Sum of weight × gain, divided by that of the topic's judged documents in the best order."""

    earned: WeightedPrecision
    ideal: Callable[[JudgedRankings], Ideal]  # by the same gains
    levels: Callable[[JudgedRankings], Levels]  # these gains, and how many judged reach each


class ByCount(NamedTuple):
    """Σ weight over the relevant documents that are retrieved, plus what R does not change.

    `weight` takes the number of documents that a ranking retrieved, and R, the number of the
    topic's relevant documents. `reach` takes R and gives the last rank that counts, which does
    not fall as R grows; None: all ranks down to the cutoff. What is added may depend on the run
    or on R, not on both. `corners` says that the weight is the same in all runs, and is one over
    a function of R that is linear between these R; None: it may be anything.
    """

    rel: int
    weight: Callable[[Ints, Ints], Floats]
    reach: Callable[[Ints], Ints] | None = None
    corners: tuple[int, ...] | None = None


class ByFirst(NamedTuple):
    """Score that depends only on the rank of the first relevant document, and falls with it.

    `score_at` takes that rank, or infinity where there is none down to the cutoff.
    """

    rel: int
    score_at: Callable[[Floats], Floats]


class ByFound(NamedTuple):
    """Score that depends only on three counts, and rises with the first for any given R.

    `of_counts` takes the relevant documents retrieved, how many were retrieved, and R.
    """

    rel: int
    of_counts: Callable[[Floats, Floats, Floats], Floats]


class ByFirstAndCount(NamedTuple):
    """Score that depends only on the rank r of the first relevant document and on R.

    `score_at` takes both, r being infinity if there is none down to the cutoff. For any two ranks
    the difference of scores is monotone in R between the points where R passes one of them.
    """

    rel: int
    score_at: Callable[[Floats, Floats], Floats]


ExactForm = ByCount | ByFirst | ByFound | ByFirstAndCount


class Traits:
    """Default traits. Not a dataclass: an attribute here is not a parameter of every metric."""

    # Parameters by which others read, cut and compare.
    cutoff: int | None = None  # how many documents from the top count; None: all
    rel: int | None = None  # the relevance threshold; None: the metric has none
    gains: Gains | None = None  # a table of its own from grades to gains
    max_rel: int | None = None  # the grade that gains the most, where gains are scaled by it
    judged_only: bool = False  # unjudged documents are left out of the ranking first
    ties: str = "name"  # or "share": tied documents each have the mean weight of their ranks

    # How it is written, summed up and read.
    at: ClassVar[str] = "cutoff"  # the parameter that is written after @
    printed_name: ClassVar[str] = ""  # in papers, where it is not the name of the class: P⁺
    aggregate: ClassVar[Literal["mean", "sum"]] = "mean"
    less_is_better: ClassVar[bool] = False  # for leaderboards, comparisons and correlations
    is_diagnostic: ClassVar[bool] = False  # says how much there was to measure, not how good it is

    # Where it is undefined: for a topic, of all runs, or for none.
    needs_relevant: ClassVar[bool] = False  # undefined for a topic without any
    # The score of a run that found nothing, if `compute` gives it none: NaN is for topics.
    worst: ClassVar[float | None] = None

    # Whether a document of negative grade counts differently from an unjudged one.
    tells_unusable: ClassVar[bool] = False

    # Values for a typical setting, of parameters for which no default would do: {"recall": 0.5}.
    typical_parameters: ClassVar[Mapping[str, float]] = MappingProxyType({})
    # The parameter p, if the weight of all ranks below depth d is p^d.
    persistence: ClassVar[str] = ""

    # Whether it scores a set of documents: their order changes nothing.
    ignores_order: ClassVar[bool] = False

    # Whether it looks at judgments by subtopic; others see a document's highest grade.
    uses_subtopics: ClassVar[bool] = False

    # Whether it looks at preference judgments; others need a grade for each document.
    uses_preferences: ClassVar[bool] = False

    # In what unit it takes the lengths of documents (`judged.lengths`), as "words"; if it does.
    reads_lengths: ClassVar[str] = ""

    # Whether it was asked for by a name of trec_eval, which counts undefined topics as 0. Set by
    # the parser, never declared.
    zero_if_undefined: ClassVar[bool] = False

    # The range of its scores. None: 0 to 1 for a metric of rankwise, not known for others.
    score_range: ClassVar[tuple[float, float] | None] = None
    # What is known of its bounds: the argument, and two facts that arguments and verdicts ask for.
    bounds: ClassVar[ScoreBounds[Any]] = ScoreBounds()
    # Moving its first relevant document up never lowers a score, and moving its last one down,
    # or out of the ranking if it is the only one, never raises it (less is better: the reverse).
    favours_the_top: ClassVar[bool] = False
    # Whether relevant documents that no ranking has only divide all scores of a topic by the same
    # number, the greater the more there are and the better they are.
    divides_alike: ClassVar[bool] = False


class FormTraits(Traits):
    """Forms of a metric on which verdicts, plans and reversals rest; none unless declared."""

    @property
    def weighted(self) -> WeightedPrecision | None:
        """The metric as Σ weight(rank) × gain; None if it is no such sum."""
        return None

    @property
    def sum_of_weights(self) -> WeightedPrecision | None:
        """The same where documents keep their ranks: verdicts are tight, and plans possible."""
        return None

    @property
    def normalised(self) -> Normalised | None:
        """The metric as such a sum over that of the best order; None if it is no such ratio."""
        return None

    @property
    def mean_precision(self) -> AP | None:
        """The metric as Σ precision / divisor(R); None if it is no such mean."""
        return None

    @property
    def over_subtopics(self) -> OverSubtopics | None:
        """The metric as a mean over subtopics; None if it is no such mean."""
        return None

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        """Return the form that makes verdicts tight under these judgments; None if there is none.

        Some metrics have one only where all relevant documents gain the same.
        """
        return None
