"""What every metric is, and what the weighted-precision metrics share."""

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, dataclass_transform

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds.base import ScoreBounds
from rankwise.bounds.ratio import Levels
from rankwise.bounds.weighted import WeightedSums
from rankwise.errors import WrongParameter
from rankwise.metrics.gains import gain_of, lowest_gaining, possible_grades
from rankwise.metrics.parameters import check, check_fields, parameter_of
from rankwise.metrics.traits import Traits
from rankwise.rankings.ideal import Ideal
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption

M = TypeVar("M")


class MetricType(type):
    """The class of metric classes: with it `nDCG @ 10` is `nDCG(cutoff=10)`."""

    def __matmul__(cls: type[M], value: float | str) -> M:
        assert issubclass(cls, Metric)
        made: M = cls(**cls.written_after_at(value))
        return made


@dataclass_transform(frozen_default=True, kw_only_default=True)
def metric(declared: type[M]) -> type[M]:
    """`dataclass(frozen=True, kw_only=True)`, without what `Metric` has for all metrics.

    How values are compared and shown need not be written for each class again: with dozens of
    classes a score of one run would wait for that as long as for the score.
    """
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(declared)


@metric
class Metric(Traits, metaclass=MetricType):
    """A pure function from judged rankings to one number for each ranking.

    Parameters are dataclass fields. A metric is a value: hashable, comparable, and
    `parse(str(metric)) == metric`; `AP(rel=2) @ 100` sets its cutoff (of IPrec the recall).
    A subclass writes `compute`, and `compute_bounds` or `bounds_on` if it knows what the
    unjudged documents could do; and it declares the traits (see `Traits`) in which it
    differs. `exact_bounds` names the assumptions under which bounds are tight, whatever the
    parameters and the grades, `sometimes_exact` those where they are if `exact_where`
    holds; elsewhere they are valid but not tight.
    """

    bounds: ClassVar[ScoreBounds[Any]] = ScoreBounds()  # the argument: see `rankwise.bounds`

    def __post_init__(self) -> None:
        check_fields(type(self).__name__, fields(self))
        for declared in fields(self):
            value = check(type(self).__name__, declared, getattr(self, declared.name))
            object.__setattr__(self, declared.name, value)

    def __str__(self) -> str:
        return self.written()

    def written(self, *, without: str | None = None) -> str:
        """As people write it; `without` one of its parameters where that is said elsewhere.

        Of RBP(p=0.8,rel=2) without p that is RBP(rel=2).
        """
        name, at = type(self).__name__, ""
        shown = []
        for declared in parameters(type(self)):
            value = getattr(self, declared.name)
            if _is_default(declared, value) and not parameter_of(declared).always:
                continue
            if declared.name == without:
                continue
            text = parameter_of(declared).show(value)
            if declared.name == self.at:
                at = f"@{text}"
            else:
                shown.append(f"{declared.name}={text}")
        return f"{name}({','.join(shown)}){at}" if shown else f"{name}{at}"

    @property
    def as_printed(self) -> str:
        """Its name for charts and papers: P⁺@10 where it is typed PPlus@10."""
        name = type(self).__name__
        return (self.printed_name or name) + str(self).removeprefix(name)

    @property
    def value_after_at(self) -> float | None:
        """The number that is written after @, a cutoff or a recall; None without one."""
        value = getattr(self, self.at, None)
        return None if value is None else float(value)

    def value_of(self, parameter: str) -> float | None:
        """The number that a parameter is set to; None where it has none, or there is none."""
        value = getattr(self, parameter) if self.takes(parameter) else None
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in cls.__dict__:  # else `dataclass` writes one for each class
            cls.__repr__ = Metric.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._values() == self._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, declared.name) for declared in fields(self))

    @property
    def record(self) -> dict[str, Any]:
        """Its name and all its parameters, defaults too, as JSON has them."""
        values = {declared: getattr(self, declared.name) for declared in parameters(type(self))}
        shown = {
            declared.name: value
            if value is None or isinstance(value, int | float | str)
            else parameter_of(declared).show(value)
            for declared, value in values.items()
        }
        return {"name": str(self), "parameters": shown}

    def __matmul__(self, value: float | str) -> Self:
        return self.altered(**self.written_after_at(value))

    @classmethod
    def written_after_at(cls, value: float | str) -> dict[str, Any]:
        """The parameter that a value after @ is for."""
        if not cls.takes(cls.at):
            name = cls.__name__
            raise WrongParameter(f"{name} takes no {cls.at}: write {name}, not {name}@{value}.")
        return {cls.at: value}

    def altered(self, **parameters: Any) -> Self:
        """The same metric with other values for some of its parameters."""
        return replace(self, **parameters)

    @property
    def shares_ties(self) -> bool:
        """Whether tied documents each weigh the mean weight of their ranks."""
        return self.ties == "share"

    def at_levels_of(self, judged: JudgedRankings) -> Self:
        """The metric as it computes: with a grade for its `rel`, if that is a fraction.

        A fraction is the lowest gain that is relevant, as of judgments that are fractions.
        """
        if self.rel is None or isinstance(self.rel, int):
            return self
        grades = possible_grades(judged, self.gains)
        enough = gain_of(grades, judged, self.gains) >= self.rel
        level = int(grades[enough].min()) if enough.any() else int(grades.max()) + 1
        if (grades[~enough] > level).any():
            what = "gains do not rise with the grades, so that none is the lowest relevant one"
            raise WrongParameter(f"{self}: {what}.")
        return self.altered(rel=max(level, 1))

    def to_depth(self, judged: JudgedRankings) -> JudgedRankings:
        return judged if self.shares_ties else judged.cut_to_depth()

    @property
    def sign(self) -> int:
        """1 where more is better, −1 where less is."""
        return -1 if self.less_is_better else 1

    def scores(self, judged: JudgedRankings) -> Floats:
        """One number for each ranking; NaN where the metric is undefined for the topic."""
        judged = self.to_depth(judged)
        values = self.by_formula(judged)
        if self.worst is None:
            return values
        values = np.where(np.isnan(values), self.worst, values)
        return np.where(self.is_defined(judged), values, np.nan)

    def by_formula(self, judged: JudgedRankings) -> Floats:
        """What the formula gives, NaN also where a run found nothing to divide by."""
        judged = self.to_depth(judged)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = self.compute(self.view(judged))
        if not self.needs_relevant:
            return values
        return np.where(self.is_defined(judged), values, np.nan)

    def is_defined(self, judged: JudgedRankings) -> Bools:
        """Whether the topic of each ranking has a score: the same for every run."""
        if not self.needs_relevant:
            return np.ones(judged.count, np.bool_)
        if type(self).counts_as_relevant is Metric.counts_as_relevant:
            return judged.judged_count(self.rel or 1) > 0  # the same for all cutoffs

        def some_count() -> Bools:
            counts = self.counts_as_relevant(judged.topic_grades, judged)
            sums = np.concatenate([[0], np.cumsum(counts)])[judged.topic_start]
            return np.asarray((np.diff(sums) > 0)[judged.topic])

        return judged.keep_of_topics(("is_defined", self), some_count)

    @classmethod
    def takes(cls, parameter: str) -> bool:
        """Whether the metric has a parameter of this name."""
        return any(declared.name == parameter for declared in fields(cls))

    @property
    def is_builtin(self) -> bool:
        """Whether it is a metric of rankwise, and not of the user's own."""
        return type(self).__module__.startswith("rankwise.")

    @property
    def weighted(self) -> "WeightedPrecision | None":
        """The metric as Σ weight(rank) × gain; None where it is no such sum."""
        return None

    @property
    def sum_of_weights(self) -> "WeightedPrecision | None":
        """The same where documents keep their ranks, so that each has a weight of its own.

        Verdicts between runs are tight then, and judgments can be planned.
        """
        return None

    @property
    def normalised(self) -> "Normalised | None":
        """The metric as such a sum over that of the best order; None where it is none."""
        return None

    def exact_form(self, judged: JudgedRankings) -> "ExactForm | None":
        """What makes verdicts between runs tight under these judgments; None where nothing does.

        A metric may have such a form only where all relevant documents gain the same.
        """
        return None

    @property
    def counts_missed(self) -> bool:
        """Whether documents that a ranking lacks can change its score, or give the topic one.

        Of a metric of anybody's own it is not known unless it says so.
        """
        return self.needs_relevant or not (self.is_builtin or self.weighted is not None)

    @property
    def tells_unjudged(self) -> bool:
        """Whether a document judged not relevant may count otherwise than one not judged."""
        return self.judged_only or not self.is_builtin

    @property
    def takes_gains(self) -> bool:
        """Whether a table of gains that the qrels have changes the score."""
        return self.takes("gains")

    def possible_grades(self, judged: JudgedRankings) -> Ints:
        """What an unjudged document can get, as far as it matters here."""
        return possible_grades(judged, self.gains, self.rel or 0)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        """Which grades give a topic a score, if the metric `needs_relevant` documents."""
        return grade >= (self.rel or 1)

    def view(self, judged: JudgedRankings) -> JudgedRankings:
        """The rankings as this metric sees them: condensed and cut, if it asks for that."""
        if self.judged_only:
            judged = judged.condensed()
        return judged.top(self.cutoff)

    def compute(self, judged: JudgedRankings) -> Floats:
        """The score of each ranking; rankings are already condensed and cut."""
        raise NotImplementedError

    def contributions(self, judged: JudgedRankings) -> Floats | None:
        """What each row adds to the score of its ranking; None where it is not such a sum."""
        return None

    def continuation(self, gain: Floats) -> Floats | None:
        """The chance that the user who is modelled goes on after each rank.

        `gain`, between 0 and 1, is that of the document at each rank. None where the metric
        has no such user.
        """
        return None

    def most_below(self, depth: int) -> float | None:
        """The most that documents below a depth can change a score; None where there is no end.

        One gains at most 1, or the greatest of the metric's gains.
        """
        return None

    def ending_at_cutoff(self, going_on: Floats) -> Floats:
        """No user goes on after the cutoff."""
        rank = np.arange(1, len(going_on) + 1)
        return np.where(rank < (self.cutoff or np.inf), going_on, 0.0)


def parameters(metric: type[Metric]) -> "list[Field[Any]]":
    """The parameters of a metric, its own before those that its family shares."""
    return sorted(fields(metric), key=lambda field: field.name not in metric.__annotations__)


def _is_default(declared: "Field[Any]", value: Any) -> bool:
    return declared.default is not MISSING and bool(value == declared.default)


@metric
class WeightedPrecision(Metric):
    """Σ weight(rank) × gain(document): the weights do not depend on the documents.

    Score, bounds, ties and contributions follow from the weights. With `rel` the gain is
    1 or 0; a subclass that takes graded gains overrides `gain` and `greatest`.
    Bounds: the low end is the score; the high end gives every unjudged document, and what
    lies below the end if that is open, the greatest gain.
    With `ties=share` tied documents each weigh the mean weight of their ranks, which is
    the expected score over all orders of them (Moffat and Zobel 2008, Section 4.7).
    """

    bounds: ClassVar[ScoreBounds[Any]] = WeightedSums()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shares_ties and self.judged_only:
            raise WrongParameter(f"{self}: ties=share does not go with judged_only=True.")

    @property
    def weighted(self) -> "WeightedPrecision":
        return self

    @property
    def sum_of_weights(self) -> "WeightedPrecision | None":
        # Under judged_only a document that gets judged moves those below it.
        follow = self.bounds is WeightedPrecision.bounds
        return self if follow and not self.judged_only else None

    def weight(self, rank: Ints) -> Floats:
        """What a document at this rank weighs."""
        raise NotImplementedError

    @property
    def weights_fall(self) -> bool:
        """Whether, by the formula, each rank weighs less than the one above and more than 0."""
        return False

    def weight_after(self, depth: Ints) -> Floats:
        """The weight of all ranks below a depth; infinite if not known to be less."""
        return np.full(len(depth), np.inf)

    def gain(self, judged: JudgedRankings) -> Floats:
        return (judged.grade >= (self.rel or 1)).astype(np.float64)

    def greatest(self, judged: JudgedRankings) -> float:
        """The most that one document can gain."""
        return 1.0

    def view(self, judged: JudgedRankings) -> JudgedRankings:
        # A document tied with one above the cutoff shares its weight: keep them all.
        return judged if self.shares_ties else super().view(judged)

    def compute(self, judged: JudgedRankings) -> Floats:
        gaining = self.gaining(judged)
        return gaining.total(self.row_weights(gaining) * self.gain(gaining))

    def gaining(self, judged: JudgedRankings) -> JudgedRankings:
        """The rows that can gain anything."""
        return judged.relevant(lowest_gaining(judged, self.gains))

    def contributions(self, judged: JudgedRankings) -> Floats:
        return self.row_weights(judged) * self.gain(judged)

    def continuation(self, gain: Floats) -> Floats:
        """Users who see rank i with a chance in proportion to its weight."""
        weights = self.weights(len(gain) + 1)
        going_on = np.zeros(len(gain))
        return np.divide(weights[1:], weights[:-1], out=going_on, where=weights[:-1] > 0)

    def most_below(self, depth: int) -> float | None:
        greatest = 1.0 if self.gains is None else max(gain for _, gain in self.gains)
        return float(greatest * self.weight_below(np.array([depth]))[0])

    def open_weight(self, judged: JudgedRankings, unjudged: Assumption) -> Floats:
        """The weight of the unjudged documents, and of what is below the end if that is open."""
        seen = self._weight_down_to(judged.seen_length)
        open_weight = np.maximum(seen - judged.total(self.row_weights(judged)), 0.0)
        if unjudged == "open":
            open_weight += self.weight_below(judged.seen_length)
        return open_weight

    def row_weights(self, judged: JudgedRankings) -> Floats:
        """What each row weighs; tied ones alike, if the metric shares ties."""
        return self.weights_at(judged.rank, judged.tie_first, judged.tie_last, judged.depth)

    def weights_at(self, rank: Ints, tie_first: Ints, tie_last: Ints, depth: int | None) -> Floats:
        """What documents at these ranks weigh, each tied with those from first to last.

        With a `depth` the ranks below it weigh nothing, after ties are shared.
        """
        if not self.shares_ties:
            return self.weights(rank.max(initial=0))[rank - 1]
        weights = self.weights(tie_last.max(initial=0)).copy()
        if depth is not None:
            weights[depth:] = 0.0
        sums = np.concatenate([[0.0], np.cumsum(weights)])
        return (sums[tie_last] - sums[tie_first - 1]) / (tie_last - tie_first + 1)

    def weights(self, depth: int) -> Floats:
        """The weights of ranks 1 to depth; none below the cutoff."""
        ranks = np.arange(1, depth + 1)
        weights = self.weight(ranks)
        return weights if self.cutoff is None else np.where(ranks <= self.cutoff, weights, 0.0)

    def _weight_down_to(self, depth: Ints) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.weights(depth.max(initial=0)))])[depth]

    def weight_below(self, depth: Ints) -> Floats:
        """The weight of all ranks below a depth, as far as the cutoff."""
        if self.cutoff is None:
            return self.weight_after(depth)
        return self._weight_down_to(np.maximum(depth, self.cutoff)) - self._weight_down_to(depth)


class Normalised(NamedTuple):
    """Σ weight × gain, divided by that of the topic's judged documents in the best order."""

    earned: WeightedPrecision
    ideal: Callable[[JudgedRankings], Ideal]  # by the same gains
    levels: Callable[[JudgedRankings], Levels]  # these gains, and how many judged reach each


class ByCount(NamedTuple):
    """Σ weight over the relevant documents that are retrieved, plus what R does not change.

    `weight` takes the number of documents that a ranking retrieved, and R, the number of the
    topic's relevant documents. `reach` takes R and gives the last rank that counts, which does
    not fall as R grows; None: all ranks down to the cutoff. What is added may depend on the run
    or on R, not on both.
    """

    rel: int
    weight: Callable[[Ints, Ints], Floats]
    reach: Callable[[Ints], Ints] | None = None


class ByFirst(NamedTuple):
    """A score that only the rank of the first relevant document gives, and that falls with it.

    `score_at` takes that rank, or infinity where there is none down to the cutoff.
    """

    rel: int
    score_at: Callable[[Floats], Floats]


class ByFound(NamedTuple):
    """A score of three counts alone, which rises with the first for any given R.

    `of_counts` takes the relevant documents retrieved, how many were retrieved, and R.
    """

    rel: int
    of_counts: Callable[[Floats, Floats, Floats], Floats]


class ByFirstAndCount(NamedTuple):
    """A score that the rank r of the first relevant document gives, and R.

    `score_at` takes both, r being infinity where there is none down to the cutoff. Of any two
    ranks the difference of scores neither turns from rising to falling as R grows nor back,
    but where R passes one of them.
    """

    rel: int
    score_at: Callable[[Floats, Floats], Floats]


ExactForm = ByCount | ByFirst | ByFound | ByFirstAndCount
