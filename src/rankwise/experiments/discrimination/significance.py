"""Significance tests as a measure of discriminative power: the number of significant pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import polars as pl

from rankwise.arrays import Floats, Ints
from rankwise.comparison import REPEATS, TestOptions
from rankwise.vocabulary import Test

# The bootstrap is Sakai's here, which gives more than a p.
TESTS: dict[str, Test] = {name: name for name in get_args(Test) if name != "bootstrap"}


@dataclass(frozen=True, eq=False)
class Significance:
    """The p-value (or ASL) of each pair of systems: `first[i]` against `second[i]`.

    `needed` (α × pairs), from the bootstrap only, is the smallest significant difference of each
    pair at each of `alpha`.
    """

    p: Floats
    first: Ints
    second: Ints
    alpha: tuple[float, ...]
    needed: Floats | None = None

    def significant(self, alpha: float) -> int:
        """Count the pairs with p ≤ α; an undefined p does not count."""
        return int((self.p <= alpha).sum())

    def estimated_difference(self, alpha: float) -> float:
        """Largest of the differences needed, to two significant figures."""
        if self.needed is None:
            return float("nan")
        greatest = np.fmax.reduce(self.needed[self.alpha.index(alpha)])  # NaN if all are
        return float(f"{greatest:.2g}")

    def summary(self, alpha: float) -> list[dict[str, Any]]:
        """Count the significant pairs at α, and estimate the difference required."""
        pairs, significant = len(self.p), self.significant(alpha)
        row = {"significant": significant, "pairs": pairs, "percent": 100 * significant / pairs}
        if self.needed is not None:
            row["difference"] = self.estimated_difference(alpha)
        return [row]

    def curve(self, runs: Sequence[str]) -> pl.DataFrame:
        """ASL curve: pairs by decreasing p-value, with their position."""
        order = np.argsort(-self.p, kind="stable")
        names = pl.Series(runs)
        return pl.DataFrame(
            {
                "pair": np.arange(1, len(order) + 1),
                "a": names.gather(self.first[order]),
                "b": names.gather(self.second[order]),
                "p": self.p[order],
            }
        )


def pair_significance(
    values: Floats,
    method: str,
    *,
    alpha: Sequence[float] = (0.05,),
    count: int | None = None,
    seed: int = 0,
) -> Significance:
    """Test every pair of systems, two-sided; `values` is systems × topics without NaN.

    The tests are those of `compare` with its defaults. The two Tukey tests control the familywise
    error over all pairs; the others test each pair without correction.
    """
    test = TESTS[method]
    repeats = count if test in REPEATS else None
    first, second = np.triu_indices(len(values), 1)
    p = TestOptions(test=test, resamples=repeats, seed=seed).p_values(values, first, second)
    return Significance(p, first, second, tuple(alpha))
