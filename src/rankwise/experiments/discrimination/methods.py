"""The methods by which metrics are compared as discriminators, each by its name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias, get_args

import numpy as np

from rankwise.arrays import Floats
from rankwise.comparison.ways import REPEATS
from rankwise.errors import CallError, TooLittle, check_word
from rankwise.experiments.discrimination.error_rate import ErrorRates, error_rates
from rankwise.experiments.discrimination.extrapolation import Extrapolation, extrapolated_swaps
from rankwise.experiments.discrimination.sensitivity import Summary, bootstrap_sensitivity, place_of
from rankwise.experiments.discrimination.significance import TESTS, Significance, pair_significance
from rankwise.experiments.discrimination.swap import SwapSizes, bootstrap_swaps
from rankwise.metrics import Metric
from rankwise.vocabulary import Discriminator, Mean, SwapMethod

BOOTSTRAPS = ("bootstrap", "log-bootstrap", "area-bootstrap")
SWAPS = get_args(SwapMethod)
METHODS = get_args(Discriminator)
COUNT = 1_000
LEAST_TOPICS = 2
Outcome: TypeAlias = Significance | SwapSizes | Extrapolation | ErrorRates


class ShowProgress(Protocol):
    """Goes through batches and shows how far it is, and with what."""

    def __call__(self, things: Sequence[int], what: str) -> Iterable[int]: ...


@dataclass(frozen=True)
class Experiment:
    """A method and what it needs; see `rankwise.experiments.discrimination.result.discriminate`."""

    method: str = "bootstrap"
    alpha: tuple[float, ...] = (0.05,)
    count: int | None = None
    sizes: tuple[int, ...] = ()
    seed: int = 0
    progress: ShowProgress | None = None

    def __post_init__(self) -> None:
        check_word("method", self.method, METHODS)
        if not self.alpha:
            raise CallError("no alpha is given.")
        if self.count is not None and self.count < 1:
            raise CallError(f"count {self.count} is not 1 or more.")
        for alpha in self.alpha:
            if not 0 < alpha < 1:
                raise CallError(f"alpha {alpha:g} is not between 0 and 1, as 0.05 is.")
            if self.method in BOOTSTRAPS:
                place_of(alpha, self.count or COUNT)
        if self.sizes and self.method not in SWAPS:
            raise CallError(f"sizes of topic sets go with {', '.join(SWAPS)}.")
        if any(size < 1 for size in self.sizes):
            raise CallError(f"topic sets of {min(self.sizes)}: a set has 1 topic or more.")

    @property
    def draws(self) -> bool:
        """Whether anything is left to chance."""
        return self.method not in TESTS or TESTS[self.method] in REPEATS

    def _summary(self, averaged: Mean) -> Summary:
        """What of two systems a bootstrap method compares."""
        if self.method == "bootstrap":
            return "geometric mean" if averaged == "geometric" else "mean"
        if self.method == "log-bootstrap" and averaged != "geometric":
            raise CallError("log-bootstrap compares geometric means: give `mean='geometric'`.")
        if self.method == "area-bootstrap" and averaged == "geometric":
            raise CallError("area-bootstrap compares areas: leave out `mean='geometric'`.")
        return "logarithms" if self.method == "log-bootstrap" else "area"

    def outcome(self, metric: Metric, values: Floats, averaged: Mean) -> Outcome:
        """What the method finds for one metric; `values` are systems × topics without NaN."""
        if values.shape[1] < LEAST_TOPICS:
            have = f"{values.shape[1]} of the topics have a score of every run"
            raise TooLittle(f"{metric}: {have}; {LEAST_TOPICS} at least are needed.")
        shown = partial(self.progress, what=str(metric)) if self.progress else None
        if self.method in TESTS:
            if averaged == "geometric":
                raise CallError(f"{self.method} knows no geometric mean; bootstrap and swap do.")
            return pair_significance(
                *(values, self.method),
                alpha=self.alpha,
                count=self.count,
                seed=self.seed,
                progress=shown,
            )
        ways: dict[str, Any] = {"count": self.count or COUNT, "progress": shown}
        ways |= {"rng": np.random.default_rng(self.seed)}
        if self.method in BOOTSTRAPS:
            return bootstrap_sensitivity(
                values, summary=self._summary(averaged), alpha=self.alpha, **ways
            )
        ways |= {"averaged": averaged, "less_is_better": metric.less_is_better}
        if self.method == "swap":
            return bootstrap_swaps(values, sizes=self.sizes, **ways)
        if self.method == "disjoint-swap":
            return extrapolated_swaps(values, sizes=self.sizes, **ways)
        return error_rates(values, sizes=self.sizes, **ways)
