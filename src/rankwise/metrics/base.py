"""What every metric is, and what the weighted-precision metrics share."""

from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np

from rankwise.judged import Floats, Ints, JudgedRankings
from rankwise.metrics.parameters import Gains, check, parameter_of

Unjudged = Literal["retrieved", "open"]
Bounds = tuple[Floats, Floats]


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A pure function from judged rankings to one number for each ranking.

    Parameters are dataclass fields. A metric is a value: hashable, comparable, and
    `parse(str(metric)) == metric`. A subclass writes `compute`, and `compute_bounds` if
    it knows what the unjudged documents could do.
    """

    at: ClassVar[str] = "cutoff"  # the parameter that is written after @
    aggregate: ClassVar[Literal["mean", "sum"]] = "mean"
    needs_relevant: ClassVar[bool] = False  # undefined for a topic without any

    def __post_init__(self) -> None:
        for declared in fields(self):
            value = check(type(self).__name__, declared, getattr(self, declared.name))
            object.__setattr__(self, declared.name, value)

    def __str__(self) -> str:
        name, at = type(self).__name__, ""
        shown = []
        for declared in fields(self):
            value = getattr(self, declared.name)
            if _is_default(declared, value) and not parameter_of(declared).always:
                continue
            text = parameter_of(declared).show(value)
            if declared.name == self.at:
                at = f"@{text}"
            else:
                shown.append(f"{declared.name}={text}")
        return f"{name}({','.join(shown)}){at}" if shown else f"{name}{at}"

    def scores(self, judged: JudgedRankings) -> Floats:
        """One number for each ranking; NaN where the metric is undefined."""
        view = self.view(judged)
        return self._defined(view, self.compute(view))

    def bounds(self, judged: JudgedRankings, unjudged: Unjudged = "retrieved") -> Bounds | None:
        """The least and the greatest score that the unjudged documents leave possible.

        `retrieved`: only documents of this ranking can turn out to be relevant. `open`:
        the ranking also goes on below its end. None where the bounds are not known.
        """
        if getattr(self, "judged_only", False):
            return None  # a document that gets judged would enter the condensed list
        view = self.view(judged)
        found = self.compute_bounds(view, unjudged)
        if found is None:
            return None
        low, high = found
        return self._defined(view, low), self._defined(view, high)

    def view(self, judged: JudgedRankings) -> JudgedRankings:
        """The rankings as this metric sees them: condensed and cut, if it asks for that."""
        if getattr(self, "judged_only", False):
            judged = judged.condensed()
        return judged.top(getattr(self, "cutoff", None))

    def compute(self, judged: JudgedRankings) -> Floats:
        """The score of each ranking; rankings are already condensed and cut."""
        raise NotImplementedError

    def compute_bounds(self, judged: JudgedRankings, unjudged: Unjudged) -> Bounds | None:
        """As `compute`, for the least and the greatest score."""
        return None

    def _defined(self, judged: JudgedRankings, values: Floats) -> Floats:
        if not self.needs_relevant:
            return values
        some = judged.judged_count(getattr(self, "rel", 1)) > 0
        return np.where(some, values, np.nan)


def _is_default(declared: "Field[Any]", value: Any) -> bool:
    return declared.default is not MISSING and bool(value == declared.default)


def gain_of(grade: Ints, judged: JudgedRankings, gains: Gains | None) -> Floats:
    """What each grade is worth: by the metric's table, by the qrels', or the grade itself.

    Negative grades (unusable documents) and grades that a table leaves out are worth 0.
    """
    table = dict(gains) if gains is not None else judged.gains
    if table is None:
        return np.maximum(grade, 0).astype(np.float64)
    worth = np.zeros(len(grade))
    for level, gain in table.items():
        worth[grade == level] = gain
    return worth


def greatest_gain(judged: JudgedRankings, gains: Gains | None) -> float:
    """The most that a document can be worth: the best of the table, or of the grades seen."""
    table = dict(gains) if gains is not None else judged.gains
    if table is not None:
        return max(table.values())
    return float(max(1, judged.topic_grades.max(initial=1)))


@dataclass(frozen=True, kw_only=True)
class WeightedPrecision(Metric):
    """Σ weight(rank) × gain(document): the weights do not depend on the documents.

    Score and bounds follow from the weights. With `rel` the gain is 1 or 0; a subclass
    that takes graded gains overrides `gain` and `greatest`.
    """

    def weight(self, rank: Ints) -> Floats:
        """What a document at this rank weighs."""
        raise NotImplementedError

    def weight_after(self, depth: Ints) -> Floats:
        """The weight of all ranks below a depth; infinite if not known to be less."""
        return np.full(len(depth), np.inf)

    def gain(self, judged: JudgedRankings) -> Floats:
        return (judged.grade >= getattr(self, "rel", 1)).astype(np.float64)

    def greatest(self, judged: JudgedRankings) -> float:
        return 1.0

    def compute(self, judged: JudgedRankings) -> Floats:
        return judged.total(self.weight(judged.rank) * self.gain(judged))

    def compute_bounds(self, judged: JudgedRankings, unjudged: Unjudged) -> Bounds:
        low = self.compute(judged)
        open_weight = self.weight_down_to(judged.length) - judged.total(self.weight(judged.rank))
        open_weight = np.maximum(open_weight, 0.0)
        if unjudged == "open":
            open_weight += self._weight_below(judged.length)
        return low, low + self.greatest(judged) * open_weight

    def weight_down_to(self, depth: Ints) -> Floats:
        """The weight of ranks 1 to depth."""
        ranks = np.arange(1, depth.max(initial=0) + 1)
        return np.concatenate([[0.0], np.cumsum(self.weight(ranks))])[depth]

    def _weight_below(self, depth: Ints) -> Floats:
        cutoff: int | None = getattr(self, "cutoff", None)
        if cutoff is None:
            return self.weight_after(depth)
        return self.weight_down_to(np.full(len(depth), cutoff)) - self.weight_down_to(depth)
