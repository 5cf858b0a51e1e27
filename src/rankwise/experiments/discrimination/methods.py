"""Methods of measuring discriminative power, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, get_args

import numpy as np

from rankwise.arrays import Floats
from rankwise.comparison import REPEATS
from rankwise.errors import CallError, TooLittle, check_word
from rankwise.experiments.discrimination.error_rate import ErrorRates, error_rates
from rankwise.experiments.discrimination.extrapolation import Extrapolation, extrapolated_swaps
from rankwise.experiments.discrimination.sensitivity import Summary, bootstrap_sensitivity, place_of
from rankwise.experiments.discrimination.significance import TESTS, Significance, pair_significance
from rankwise.experiments.discrimination.swap import SwapSizes, bootstrap_swaps
from rankwise.metrics import Metric
from rankwise.progress import label_progress
from rankwise.vocabulary import Discriminator, Mean, SwapMethod
from rankwise.wording import Argument, Remedy

BOOTSTRAPS = ("bootstrap", "log-bootstrap", "area-bootstrap")
SWAPS = get_args(SwapMethod)
METHODS = get_args(Discriminator)
RESAMPLES = 1_000
LEAST_TOPICS = 2
Outcome: TypeAlias = Significance | SwapSizes | Extrapolation | ErrorRates


@dataclass(frozen=True)
class Experiment:
    """A method and its options; see `rankwise.discriminate`."""

    method: str = "bootstrap"
    alpha: tuple[float, ...] = (0.05,)
    resamples: int | None = None
    sizes: tuple[int, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        check_word("method", self.method, METHODS)
        if not self.alpha:
            raise CallError("no alpha is given.")
        if self.resamples is not None and self.resamples < 1:
            raise CallError(f"resamples {self.resamples} is not 1 or more.")
        for alpha in self.alpha:
            if not 0 < alpha < 1:
                raise CallError(f"alpha {alpha:g} is not between 0 and 1. Use for example 0.05.")
            if self.method in BOOTSTRAPS:
                place_of(alpha, self.resamples or RESAMPLES)
        if self.sizes and self.method not in SWAPS:
            raise CallError(f"sizes of topic sets apply only to {', '.join(SWAPS)}.")
        if any(size < 1 for size in self.sizes):
            raise CallError(f"topic sets of {min(self.sizes)}: a set has 1 topic or more.")

    @property
    def draws(self) -> bool:
        """Whether the method uses random numbers."""
        return self.method not in TESTS or TESTS[self.method] in REPEATS

    def _summary(self, averaged: Mean) -> Summary:
        """Return the statistic that a bootstrap method compares."""
        if self.method == "bootstrap":
            return "geometric mean" if averaged == "geometric" else "mean"
        if self.method == "log-bootstrap" and averaged != "geometric":
            remedy = Remedy(Argument("mean", "geometric"), "ask for them")
            raise CallError("log-bootstrap compares geometric means.", remedy=remedy)
        if self.method == "area-bootstrap" and averaged == "geometric":
            geometric = Argument("mean", "geometric")
            raise CallError("area-bootstrap compares areas. Remove ", geometric, ".")
        return "logarithms" if self.method == "log-bootstrap" else "area"

    def outcome(self, metric: Metric, values: Floats, averaged: Mean) -> Outcome:
        """Apply the method to one metric; `values` is systems × topics without NaN."""
        if values.shape[1] < LEAST_TOPICS:
            have = f"{values.shape[1]} of the topics have a score of every run"
            raise TooLittle(f"{metric}: {have}; {LEAST_TOPICS} at least are needed.")
        with label_progress(str(metric)):
            return self._applied(metric, values, averaged)

    def _applied(self, metric: Metric, values: Floats, averaged: Mean) -> Outcome:
        if self.method in TESTS:
            if averaged == "geometric":
                raise CallError(
                    f"{self.method} cannot be combined with the geometric mean. Use bootstrap or "
                    "swap."
                )
            return pair_significance(
                values, self.method, alpha=self.alpha, count=self.resamples, seed=self.seed
            )
        count, rng = self.resamples or RESAMPLES, np.random.default_rng(self.seed)
        if self.method in BOOTSTRAPS:
            summary = self._summary(averaged)
            return bootstrap_sensitivity(
                values, summary=summary, alpha=self.alpha, count=count, rng=rng
            )
        swap_methods: dict[str, Callable[..., Outcome]] = {
            "swap": bootstrap_swaps,
            "disjoint-swap": extrapolated_swaps,
            "error-rate": error_rates,
        }
        return swap_methods[self.method](
            values,
            sizes=self.sizes,
            count=count,
            rng=rng,
            averaged=averaged,
            less_is_better=metric.less_is_better,
        )
