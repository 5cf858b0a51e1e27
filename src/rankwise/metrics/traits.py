"""Metric traits and their defaults: everything that other packages may ask of a metric.

A metric declares those that differ: a parameter as a field (`cutoff: int | None = cutoff()`),
any other trait as a plain attribute of the class (`needs_relevant = True`) or, where it depends
on the parameters, as a property. Computed traits are properties of `Metric`: `counts_missed`,
`tells_unjudged`, `shares_ties`, `takes_gains`; and of `FormTraits`: `weighted`, `normalised`, …
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from rankwise.bounds import ScoreBounds
from rankwise.metrics.parameters import Gains


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
