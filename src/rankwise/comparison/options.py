"""`TestOptions`: the test, the correction and its family, and the interval of a comparison."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.comparison.pairs import pieces_of
from rankwise.errors import CallError, check_word
from rankwise.notes import Note, note, warning
from rankwise.stats import (
    DRAWS,
    Simultaneous,
    corrected,
    mean_interval,
    paired,
    randomised_tukey,
    tukey_hsd,
)
from rankwise.vocabulary import Correction, Family, Interval, Test, Zeros
from rankwise.wording import Argument, Remedy

FAMILYWISE = ("tukey", "randomised-tukey")
REPEATS = {"permutation": 10_000, "bootstrap": 1_000, "randomised-tukey": 10_000}
CORRECTIONS = {
    "none": "no correction",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "bh": "Benjamini–Hochberg",
}
ZEROS = {"drop": "zeros dropped", "pratt": "zeros as Pratt", "split": "zeros split"}
FEW_TOPICS = 5


class Tested(NamedTuple):
    """p-value and interval ends of each pair, at confidence level 1 − α."""

    p: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class TestOptions:
    """A paired test with all its options, for the argument `test` of `compare`.

    Parameters
    ----------
    test, correction, family, alpha, resamples, seed
        As for `compare`.
    interval
        `t` (the default) or `bootstrap`: the confidence interval of each difference, not
        adjusted for multiple comparisons. The Tukey tests have simultaneous intervals.
    zeros
        Wilcoxon test: topics on which two runs tie are dropped (`drop`), ranked and then dropped
        (`pratt`), or split between both signs (`split`).
    continuity
        Wilcoxon test: apply the continuity correction.
    raw_ranks
        Wilcoxon test: rank the differences without removing rounding errors.
    baseline
        A run that all others are compared with; by default all pairs are compared.
    """

    __test__ = False  # not a test case of pytest

    test: Test = "t"
    correction: Correction | None = None
    family: Family = "metric"
    alpha: float = 0.05
    interval: Interval | None = None
    zeros: Zeros = "drop"
    continuity: bool = True
    raw_ranks: bool = False
    resamples: int | None = None
    seed: int = 0
    baseline: str | None = None

    def __post_init__(self) -> None:
        for name, given, allowed in (
            ("test", self.test, get_args(Test)),
            ("correction", self.correction or "none", get_args(Correction)),
            ("family", self.family, get_args(Family)),
            ("interval", self.interval or "t", get_args(Interval)),
            ("zeros", self.zeros, get_args(Zeros)),
        ):
            check_word(name, given, allowed)
        if not 0 < self.alpha < 1:
            raise CallError(f"alpha {self.alpha:g} is not between 0 and 1, as 0.05 is.")
        if self.resamples is not None and self.resamples < 1:
            raise CallError(f"resamples {self.resamples} is not 1 or more.")
        self._check_what_goes_together()

    def _check_what_goes_together(self) -> None:
        """Raise an error for an option that has no effect with the others."""
        if self.resamples is not None and self.test not in REPEATS:
            tests = ", ".join(REPEATS)
            raise CallError(f"resamples goes with {tests}: {self.test} draws nothing.")
        if self.test in FAMILYWISE and self.correction not in (None, "none"):
            rest = "leave the correction out"
            raise CallError(f"{self.test} is familywise over all pairs by itself: {rest}.")
        if self.test in FAMILYWISE and self.interval is not None:
            own = "has simultaneous intervals of its own: leave the interval out"
            raise CallError(f"{self.test} {own}.")
        if self.family == "all" and self.applied == "none":
            none = "nothing is corrected"
            raise CallError(f"family all goes with a correction: here {none}.")
        wilcoxons = (self.zeros, self.continuity, self.raw_ranks)
        if self.test != "wilcoxon" and wilcoxons != ("drop", True, False):
            what = "zeros, continuity and raw ranks are of the Wilcoxon test"
            raise CallError(f"{what}: leave them out, or take test wilcoxon, not {self.test}.")

    @property
    def applied(self) -> Correction:
        """The correction applied."""
        if self.correction is not None:
            return self.correction
        return "none" if self.test in FAMILYWISE else "holm"

    @property
    def repeats(self) -> int:
        return self.resamples or REPEATS.get(self.test, 0)

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @property
    def test_name(self) -> str:
        """Name of the test, for a caption."""
        ranks = (
            "normal approximation of raw ranks"
            if self.raw_ranks
            else "exact up to 50 untied topics"
        )
        continuity = "" if self.continuity else "no "
        variant = f"{ZEROS[self.zeros]}, {ranks}, {continuity}continuity correction"
        return {
            "t": "paired t-test",
            "wilcoxon": f"Wilcoxon signed-rank test ({variant})",
            "sign": "sign test",
            "permutation": f"paired permutation test ({self.repeats:,} of all, or all if fewer)",
            "bootstrap": f"studentised paired bootstrap test ({self.repeats:,} draws)",
            "tukey": "Tukey's HSD after a two-way ANOVA",
            "randomised-tukey": f"randomised Tukey HSD ({self.repeats:,} permutations)",
        }[self.test]

    @property
    def interval_words(self) -> str:
        """Kind of interval, for a caption."""
        together = "simultaneous over all pairs"
        alone = "not adjusted for multiple comparisons"
        kinds = {
            "tukey": f"(Tukey's HSD), {together}",
            "randomised-tukey": f"(randomised Tukey HSD), {together}",
            "t": f"(Student's t), {alone}",
            "bootstrap": f"(studentised bootstrap, {DRAWS:,} resamples), {alone}",
        }
        return kinds[self.test if self.test in FAMILYWISE else self.interval or "t"]

    def tested(self, values: Floats, first: Ints, second: Ints) -> Tested:
        """Return the p-value and the interval of each pair; `values` is systems × topics."""
        if self.test in FAMILYWISE:
            return Tested(*self._simultaneous(values, first, second))
        draws = self.test in REPEATS or self.interval not in (None, "t")
        # What is drawn is drawn for all pairs at once; the rest need not be in memory together.
        whole = [slice(None)] if draws else pieces_of(len(first), values.shape[1])
        parts = [self._tested(values, first[some], second[some]) for some in whole]
        return Tested(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _tested(self, values: Floats, first: Ints, second: Ints) -> Tested:
        differences = paired.differences_of(values, first, second)
        ends = mean_interval(differences, 1 - self.alpha, self.interval or "t", self.rng())
        return Tested(self.p_values(values, first, second), *ends)

    def p_values(self, values: Floats, first: Ints, second: Ints) -> Floats:
        """Return the two-sided p-value of each pair; `values` is systems × topics."""
        if self.test in FAMILYWISE:
            return self._simultaneous(values, first, second).p
        differences = paired.differences_of(values, first, second)
        if self.test == "t":
            return paired.student_t(differences)
        if self.test == "sign":
            return paired.sign(differences)
        if self.test == "wilcoxon":
            return paired.wilcoxon(
                differences, zeros=self.zeros, correction=self.continuity, raw=self.raw_ranks
            )
        if self.test == "permutation":
            return paired.permutation(differences, count=self.repeats, rng=self.rng())
        # A share of 0 of the draws is no p of 0: corrected for a family it must not stay 0.
        share = paired.bootstrap(differences, count=self.repeats, rng=self.rng())
        return np.maximum(share, self.least_p)

    def _simultaneous(self, values: Floats, first: Ints, second: Ints) -> Simultaneous:
        if self.test == "tukey":
            return tukey_hsd(values, first, second, alpha=self.alpha)
        return randomised_tukey(
            values, first, second, alpha=self.alpha, count=self.repeats, rng=self.rng()
        )

    @property
    def least_p(self) -> float:
        """Smallest p-value possible with this number of permutations or resamples; 0 for other
        tests.
        """
        if self.test not in REPEATS:
            return 0.0
        return 1 / self.repeats if self.test == "bootstrap" else 1 / (1 + self.repeats)

    def too_coarse(self, family: int) -> Note | None:
        """Return a warning if no p-value can reach alpha after correction."""
        multiplied = self.applied in ("holm", "bonferroni")
        if (family if multiplied else 1) * self.least_p <= self.alpha:
            return None
        by = f", which {CORRECTIONS[self.applied]} multiplies by {family:,}" if multiplied else ""
        what = f"the smallest p of {self.repeats:,} resamples is {self.least_p:.2g}{by}"
        remedy = Remedy(Argument("resamples", 100_000), "draw more")
        text = f"no difference can be significant: {what}"
        return warning("too-few-resamples", text, remedy=remedy)

    def correct(self, p: Floats) -> Floats:
        """Correct the p-values (metrics × pairs) over the family."""
        if self.family == "metric":
            return np.array([corrected(row, self.applied) for row in p]).reshape(p.shape)
        return corrected(p.ravel(), self.applied).reshape(p.shape)

    def family_words(self, p: Floats) -> str:
        """Describe the family of the correction; `p` has the p-values of the tested metrics."""
        metrics, pairs = p.shape
        tested = int(np.isfinite(p).sum())
        if self.test in FAMILYWISE:
            return f"familywise over all pairs of runs{', metric by metric' * (metrics > 1)}"
        if tested == 0:
            return "no comparison that has a p-value"
        if self.applied == "none":
            return f"no correction for {counted(tested, 'comparison')}"
        if pairs == 1 and (self.family == "metric" or metrics == 1):
            return "one comparison" if metrics == 1 else f"not corrected across {metrics} metrics"
        name = CORRECTIONS[self.applied]
        left = p.size - tested
        missing = f" ({left} of them without a p-value, not counted)" if left else ""
        if self.family == "metric" and metrics > 1:
            each = f"{counted(pairs, 'comparison')} in each of {metrics} metrics"
            return f"{name} over {each}{missing.replace('of them', 'in all')}"
        parts = f": {counted(pairs, 'pair')} × {metrics} metrics" if metrics > 1 else ""
        return f"{name} over {counted(tested, 'comparison')}{parts}{missing}"


def about_small_groups(sizes: Mapping[str, int]) -> list[Note]:
    """Return a note on the groups of few topics, if there are any."""
    few = [name for name, size in sizes.items() if size < FEW_TOPICS]
    what = f"groups of fewer than five topics, which show little: {', '.join(few)}"
    return [note("small-groups", what)] if few else []


def counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
