"""How to compare: the test, the correction and its family, the interval, in one value."""

from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

import numpy as np

from rankwise.errors import CallError, did_you_mean
from rankwise.stats import paired
from rankwise.stats.anova import Progress, randomised_tukey, tukey_hsd
from rankwise.stats.corrections import Correction, corrected
from rankwise.stats.intervals import Interval
from rankwise.stats.paired import Floats, Ints
from rankwise.stats.signed_ranks import Zeros

Test = Literal["t", "wilcoxon", "sign", "permutation", "bootstrap", "tukey", "randomised-tukey"]
Family = Literal["all", "metric"]
FAMILYWISE = ("tukey", "randomised-tukey")
REPEATS = {"permutation": 10_000, "bootstrap": 1_000, "randomised-tukey": 10_000}
CORRECTIONS = {
    "none": "no correction",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "bh": "Benjamini–Hochberg",
}
ZEROS = {"drop": "zeros dropped", "pratt": "zeros as Pratt", "split": "zeros split"}


class Asked(TypedDict, total=False):
    """The keywords that `compare` and `compare_scores` share; see Ways."""

    baseline: str | None
    test: Test
    correction: Correction | None
    family: Family
    alpha: float
    interval: Interval
    zeros: Zeros
    continuity: bool
    count: int | None
    seed: int
    progress: Progress | None


@dataclass(frozen=True)
class Ways:
    """How pairs are compared; `Asked` has the same names.

    `baseline`: a run that all others are compared with; else all pairs. `correction`:
    holm unless said otherwise, and none for the two Tukey tests, which are familywise by
    themselves. `family`: what is corrected together, `all` that is printed or each
    `metric` by itself. The confidence of the intervals is 1 − `alpha`, and no family
    widens them. `zeros` and `continuity` are Wilcoxon's. `count`: how many permutations or
    draws (10,000, bootstrap 1,000).
    """

    baseline: str | None = None
    test: Test = "t"
    correction: Correction | None = None
    family: Family = "all"
    alpha: float = 0.05
    interval: Interval = "t"
    zeros: Zeros = "drop"
    continuity: bool = True
    count: int | None = None
    seed: int = 0
    progress: Progress | None = None

    def __post_init__(self) -> None:
        for name, given, allowed in (
            ("test", self.test, get_args(Test)),
            ("correction", self.correction or "none", get_args(Correction)),
            ("family", self.family, get_args(Family)),
            ("interval", self.interval, get_args(Interval)),
            ("zeros", self.zeros, get_args(Zeros)),
        ):
            if given not in allowed:
                near = did_you_mean(given, allowed)
                raise CallError(f"{name} {given!r} is not one of {', '.join(allowed)}.{near}")
        if not 0 < self.alpha < 1:
            raise CallError(f"alpha {self.alpha:g} is not between 0 and 1, as 0.05 is.")
        if self.count is not None and self.count < 1:
            raise CallError(f"count {self.count} is not 1 or more.")
        if self.count is not None and self.test not in REPEATS:
            raise CallError(f"count goes with {', '.join(REPEATS)}: {self.test} draws nothing.")
        if self.test in FAMILYWISE and self.correction not in (None, "none"):
            rest = "leave the correction out"
            raise CallError(f"{self.test} is familywise over all pairs by itself: {rest}.")

    @property
    def applied(self) -> Correction:
        """The correction that is applied."""
        if self.correction is not None:
            return self.correction
        return "none" if self.test in FAMILYWISE else "holm"

    @property
    def repeats(self) -> int:
        return self.count or REPEATS.get(self.test, 0)

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @property
    def test_name(self) -> str:
        """The test in the words of a caption."""
        variant = f"{ZEROS[self.zeros]}, {'' if self.continuity else 'no '}continuity correction"
        return {
            "t": "paired t-test",
            "wilcoxon": f"Wilcoxon signed-rank test ({variant})",
            "sign": "sign test",
            "permutation": f"paired permutation test ({self.repeats:,} of all, or all if fewer)",
            "bootstrap": f"studentised paired bootstrap test ({self.repeats:,} draws)",
            "tukey": "Tukey's HSD after a two-way ANOVA",
            "randomised-tukey": f"randomised Tukey HSD ({self.repeats:,} permutations)",
        }[self.test]

    def p_values(self, values: Floats, first: Ints, second: Ints) -> Floats:
        """A p-value for each pair, two-sided; `values` are systems × topics."""
        if self.test == "tukey":
            return tukey_hsd(values, first, second)
        if self.test == "randomised-tukey":
            return randomised_tukey(
                *(values, first, second),
                count=self.repeats,
                rng=self.rng(),
                progress=self.progress,
            )
        differences = paired.differences_of(values, first, second)
        if self.test == "t":
            return paired.student_t(differences)
        if self.test == "sign":
            return paired.sign(differences)
        if self.test == "wilcoxon":
            return paired.wilcoxon(differences, zeros=self.zeros, correction=self.continuity)
        if self.test == "permutation":
            return paired.permutation(differences, count=self.repeats, rng=self.rng())
        # A share of 0 of the draws is no p of 0: corrected for a family it must not stay 0.
        share = paired.bootstrap(differences, count=self.repeats, rng=self.rng())
        return np.maximum(share, self.least_p)

    @property
    def least_p(self) -> float:
        """The least p that so many permutations or draws can give; 0 for the other tests."""
        return {"permutation": 1 / (1 + self.repeats), "bootstrap": 1 / max(self.repeats, 1)}.get(
            self.test, 0.0
        )

    def too_coarse(self, family: int) -> str | None:
        """That nothing can be significant in a family of this size, if so."""
        if self.applied not in ("holm", "bonferroni") or family * self.least_p <= self.alpha:
            return None
        name = CORRECTIONS[self.applied]
        return (
            f"no difference can be significant: the least p of {self.repeats:,} repeats is "
            f"{self.least_p:.2g}, which {name} multiplies by {family:,}; give a greater count, "
            "or another test"
        )

    def correct(self, p: Floats) -> Floats:
        """The p-values of metrics × pairs, corrected over the family."""
        if self.family == "metric":
            return np.stack([corrected(row, self.applied) for row in p])
        return corrected(p.ravel(), self.applied).reshape(p.shape)

    def family_words(self, p: Floats) -> str:
        """What the correction was applied to."""
        metrics, pairs = p.shape
        tested = int(np.isfinite(p).sum())
        if self.test in FAMILYWISE:
            return f"familywise over all pairs of runs{', metric by metric' * (metrics > 1)}"
        if tested == 0:
            return "no comparison that has a p-value"
        if self.applied == "none":
            return f"no correction for {counted(tested, 'comparison')}"
        name = CORRECTIONS[self.applied]
        if self.family == "metric" and metrics > 1:
            return f"{name} over {counted(pairs, 'comparison')} in each of {metrics} metrics"
        parts = f": {counted(pairs, 'pair')} × {metrics} metrics" if metrics > 1 else ""
        left = p.size - tested
        missing = f" ({left} of them without a p-value, not counted)" if left else ""
        return f"{name} over {counted(tested, 'comparison')}{parts}{missing}"


def counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
