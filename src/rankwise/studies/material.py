"""Data of a study: the user's runs and judgments, read once."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from rankwise import Collection, JudgedRankings, Scores
from rankwise.errors import CallError, TooLittle
from rankwise.metrics import parse_all
from rankwise.notes import Note, note
from rankwise.scores import MetricsLike, score_judged

P = ParamSpec("P")
T = TypeVar("T")
ALL_TAKEN = note(
    "no-complete-run",
    "no run is complete by the paper's rule (at least 95 % of 1,000 documents per topic, and some "
    "on every topic), so all runs are used",
)


def once(
    compute: Callable[Concatenate["Material", P], T],
) -> Callable[Concatenate["Material", P], T]:
    """Cache the value of a function of the data, because several parts of a study use it."""

    @wraps(compute)
    def kept_value(data: "Material", /, *arguments: P.args, **named: P.kwargs) -> T:
        key = (compute, arguments, tuple(named.items()))
        if key not in data.values:
            data.values[key] = compute(data, *arguments, **named)
        value: T = data.values[key]
        return value

    return kept_value


@dataclass(frozen=True)
class Material:
    """Judgments and runs, the study's parameters and its seed.

    `given` has the judgments and runs as passed. With `complete_if_any`, all runs are evaluated,
    with a note, if no run is complete. `values` caches the results of functions marked with `once`.
    """

    given: Collection
    seed: int = 0
    parameters: Mapping[str, str | int | float] = field(default_factory=dict)
    complete_if_any: bool = False
    values: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def _read(self) -> tuple[Collection, JudgedRankings]:
        """Read and join the collection, with all runs if none is complete."""
        try:
            return self.given, self.given.judged()
        except TooLittle as error:
            if not self.complete_if_any:  # no part can be computed without runs
                raise CallError(*error.text, remedy=error.remedy) from None
        every = replace(self.given, complete_runs=False)
        judged = every.judged()
        return every, replace(judged, notes=(ALL_TAKEN, *judged.notes))

    @property
    def collection(self) -> Collection:
        return self._read[0]

    @property
    def judged(self) -> JudgedRankings:
        return self._read[1]

    @once
    def scores(self, *metrics: str) -> Scores:
        """Score all runs, on a copy of the rankings, so that the caches of metrics are freed."""
        return scored(replace(self.judged), metrics)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the input read so far."""
        return self.judged.notes if "_read" in self.__dict__ else ()


def scored(judged: JudgedRankings, metrics: MetricsLike, *, bounds: bool = False) -> Scores:
    """Score rankings; bounds assume that any unjudged document can be relevant (`open`)."""
    return score_judged(judged, parse_all(metrics), unjudged="open" if bounds else None)
