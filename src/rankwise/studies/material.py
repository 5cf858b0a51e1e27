"""What a study works on: somebody's runs and judgments, read once."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from rankwise.metrics import parse_all
from rankwise.rankings.join import read_judged
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.table import Scores, score_judged

T = TypeVar("T")


@dataclass(frozen=True)
class Material:
    """Judgments and runs, the study's parameters and its seed.

    `scoring` holds what `rankwise.score` takes: order, depth, gains, lenient, complete_runs.
    """

    qrels: Any
    runs: Any
    seed: int = 0
    parameters: Mapping[str, str | int | float] = field(default_factory=dict)
    scoring: Mapping[str, Any] = field(default_factory=dict)
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returned when it was first called for this key: parts share their work."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept

    @cached_property
    def judged(self) -> JudgedRankings:
        return read_judged(self.qrels, self.runs, **self.scoring)

    def scores(self, *metrics: str) -> Scores:
        return self.once(metrics, lambda: score_judged(self.judged, parse_all(metrics)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the input gave cause to say, as far as it was read."""
        return self.judged.notes if "judged" in self.__dict__ else ()
