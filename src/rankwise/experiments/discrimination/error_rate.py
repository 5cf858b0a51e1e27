"""Error rates of Ahlgren and Grönqvist: swap rates in narrow bins, with mean scores.

Ahlgren and Grönqvist, "Evaluation of retrieval effectiveness with incomplete relevance data:
Theoretical and experimental comparison of three measures", IP&M 44(1), 2008 (online 2007), Tables
5 to 7.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.experiments.discrimination.draws import best_of, overall_means
from rankwise.experiments.discrimination.swap import FINE, SwapRates, disjoint_swaps
from rankwise.vocabulary import Mean


@dataclass(frozen=True, eq=False)
class ErrorRates:
    """Swap rates in 101 bins of 0.002, at each size of topic sets, and the systems' means.

    `means` are over all topics.
    """

    measured: tuple[SwapRates, ...]
    means: Floats
    less_is_better: bool = False

    def summary(self, alpha: float) -> list[dict[str, Any]]:
        """Return a row of Table 5 for each size. Its σ, “standard deviation”, is the variance.

        δ is cumulative: the smallest δ for which at most the fraction α of all differences of at
        least δ are swaps.
        """
        return [self._row(rates, alpha) for rates in self.measured]

    def _row(self, rates: SwapRates, alpha: float) -> dict[str, Any]:
        best = best_of(self.means, self.less_is_better)
        delta = rates.needed_overall(alpha)
        return {
            "topics": rates.size,
            "best": best,
            "difference": delta,
            "% of best": 100 * delta / best if best else float("nan"),
            "variance": float(self.means.var()),
            "sd": float(self.means.std()),
            "% reach": 100 * rates.reached(delta),
        }

    def curve(self, runs: Sequence[str]) -> pl.DataFrame:
        return pl.concat([rates.curve(runs) for rates in self.measured])


def error_rates(
    values: Floats,
    *,
    sizes: Sequence[int] = (),
    count: int = 1_000,
    rng: np.random.Generator,
    averaged: Mean = "arithmetic",
    less_is_better: bool = False,
) -> ErrorRates:
    """Swap rates on `count` pairs of disjoint sets of these sizes (default: half of the topics)."""
    measured = tuple(
        disjoint_swaps(
            values,
            size,
            count=count,
            bins=FINE,
            rng=rng,
            averaged=averaged,
            less_is_better=less_is_better,
        )
        for size in dict.fromkeys(sizes or [values.shape[1] // 2])
    )
    return ErrorRates(measured, overall_means(values, averaged), less_is_better)
