"""`TestOptions`: the test, correction, family and confidence interval of a comparison."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, get_args

import numpy as np

from rankwise.arguments import check_fields
from rankwise.arrays import Floats, Ints
from rankwise.comparison.pairs import FEW_TOPICS, pieces_of
from rankwise.errors import (
    CallError,
    check_above_0,
    check_at_least,
    check_between,
    check_word,
    in_words,
)
from rankwise.notes import Note, note, warning
from rankwise.rankings import TopicGroups
from rankwise.stats import (
    DRAWS,
    Estimate,
    RunVariances,
    Simultaneous,
    allow_for_runs,
    bootstrap_interval,
    cluster_values,
    corrected,
    cut_at_range,
    dunnett,
    max_t_interval,
    moments,
    paired,
    randomised_tukey,
    t_interval,
    t_interval_of,
    tukey_hsd,
)
from rankwise.vocabulary import Correction, Family, Interval, Test, Zeros
from rankwise.wording import Argument, Count, Remedy

FAMILYWISE = ("tukey", "randomised-tukey", "dunnett")
PERMUTED = ("permutation", "randomised-tukey")
CLUSTERED = ("t", "bootstrap", *PERMUTED)  # tests that support clusters of topics
REPEATS = {"permutation": 10_000, "bootstrap": 1_000, "randomised-tukey": 10_000}
CORRECTIONS = {
    "none": "no correction",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "bh": "Benjamini–Hochberg",
}
UNADJUSTED = "unadjusted for multiple comparisons"  # words of `interval_words`
ZEROS = {"drop": "zeros dropped", "pratt": "zeros by Pratt's method", "split": "zeros split"}


class Tested(NamedTuple):
    """The p-value of each pair of runs, and the confidence limits of its mean difference.

    `TestOptions.tested` describes the confidence level.
    """

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
        `max-t`: simultaneous bootstrap confidence intervals of all pairs. `bonferroni`: Student's
        t-intervals at level 1 − α / (number of pairs). `t` or `bootstrap`: Student's t-intervals or
        bootstrap intervals, unadjusted for multiple comparisons. If there are several pairs and
        their p-values are corrected, the default is `max-t`, or `bonferroni` if systems have
        several runs (`Scores.of_systems`) or topics have weights. In all other cases the default is
        `t`. Tukey's and Dunnett's tests have their own simultaneous intervals.
    zeros
        Wilcoxon test: treatment of topics on which two runs tie. The topics are dropped (`drop`),
        ranked and then dropped (`pratt`), or split between both signs (`split`).
    continuity
        Wilcoxon test: whether to apply the continuity correction.
    raw_ranks
        Wilcoxon test: whether to rank the differences without removing rounding errors.
    baseline
        The run with which all other runs are compared. By default all pairs are compared.
    margin
        Also test whether runs are equivalent within ±margin, in the unit of the metrics; see
        `Comparison.equivalence`.
    clusters
        Topics that belong together (a conversation, a document, a user, variants of one query):
        {topic: cluster} or a file with lines `topic cluster`. Means are over topics; tests and
        intervals account for the dependence of topics within clusters. A topic that is not listed
        is a cluster of its own. `test` must be t, bootstrap, permutation or randomised-tukey.
    """

    __test__ = False  # tells pytest that this is not a test case

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
    margin: float | None = None
    clusters: TopicGroups | None = None
    # Derived from the fields above: the correction that is applied, the number of permutations or
    # resamples of the test (0 if it does not resample), and whether intervals are simultaneous.
    applied: Correction = field(init=False, repr=False, compare=False)
    repeats: int = field(init=False, repr=False, compare=False)
    is_simultaneous: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_fields(self)
        has_own = self.test in FAMILYWISE
        together = has_own or self.interval in ("max-t", "bonferroni")
        repeats = (self.resamples or REPEATS[self.test]) if self.test in REPEATS else 0
        applied = self.correction or ("none" if has_own else "holm")
        vars(self).update(applied=applied, repeats=repeats, is_simultaneous=together)
        for name, given, allowed in (
            ("test", self.test, get_args(Test)),
            ("correction", self.correction or "none", get_args(Correction)),
            ("family", self.family, get_args(Family)),
            ("interval", self.interval or "t", get_args(Interval)),
            ("zeros", self.zeros, get_args(Zeros)),
        ):
            check_word(name, given, allowed)
        check_between("alpha", self.alpha)
        check_above_0("margin", self.margin)
        check_at_least("resamples", self.resamples)
        self._check_what_goes_together()

    def for_pairs(self, pairs: int, *, only_t: str = "") -> "TestOptions":
        """Return the options with the type of interval filled in, by default if none is set.

        `pairs` is the number of pairs of runs. By default, intervals are simultaneous if there are
        several pairs and the p-values are corrected for multiple comparisons, and unadjusted
        otherwise. `only_t` names a feature of the scores that only Student's t supports: several
        runs of a system, or weights of topics. Other tests and bootstrap intervals then raise an
        error.
        """
        if only_t and self.test != "t":
            test = Argument("test", self.test)
            what = f" cannot be combined with {only_t}. Use "
            raise CallError(test, what, Argument("test", "t"), ".")
        if only_t and self.interval in ("max-t", "bootstrap"):
            interval = Argument("interval", self.interval)
            what = f" cannot be combined with {only_t}. Use "
            raise CallError(interval, what, Argument("interval", "bonferroni"), ".")
        if self.interval is not None or self.test in FAMILYWISE:
            return self
        alone = pairs == 1 or self.applied == "none"
        together: Interval = "bonferroni" if only_t else "max-t"
        return replace(self, interval="t" if alone else together)

    def _check_what_goes_together(self) -> None:
        resamples = self.test in REPEATS or self.interval in ("bootstrap", "max-t")
        if self.resamples is not None and not resamples:
            tests = in_words(list(REPEATS))
            what = f" applies only to the tests {tests} and to the intervals bootstrap and max-t. "
            option = Argument("resamples")
            how = ", or use one of these tests or intervals."
            raise CallError(option, f"{what}Remove ", option, how)
        if self.test in FAMILYWISE and self.correction not in (None, "none"):
            own = " needs no correction: it controls the familywise error rate. Remove "
            raise CallError(Argument("test", self.test), own, Argument("correction"), ".")
        if self.test == "dunnett" and self.baseline is None:
            what = " compares every run with a baseline. Name it with "
            raise CallError(Argument("test", "dunnett"), what, Argument("baseline"), ".")
        if self.test in FAMILYWISE and self.interval is not None:
            own = " has its own simultaneous intervals. Remove "
            raise CallError(Argument("test", self.test), own, Argument("interval"), ".")
        if self.family == "all" and self.applied == "none":
            what = " has no effect, because no p-value is corrected. Remove "
            raise CallError(Argument("family", "all"), what, Argument("family"), ".")
        if self.clusters is not None and self.test not in CLUSTERED:
            what = " cannot be combined with clusters of topics. Use "
            instead = Argument("test", "permutation")
            raise CallError(Argument("test", self.test), what, instead, ".")
        wilcoxons = (self.zeros, self.continuity, self.raw_ranks)
        if self.test != "wilcoxon" and wilcoxons != ("drop", True, False):
            continuity = Argument("no_continuity", python="continuity")
            names = (Argument("zeros"), ", ", continuity, " and ", Argument("raw_ranks"))
            what = " apply only to the Wilcoxon test. Remove them, or use "
            raise CallError(*names, what, Argument("test", "wilcoxon"), ".")

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @property
    def test_name(self) -> str:
        """Name of the significance test, with its number of resamples, for a caption."""
        return self.named()

    def named(self, units: Sequence[int] = ()) -> str:
        """Return the name of the test, with details on its computation.

        `units` has, per metric, the number of topics or clusters on which runs differ. A
        permutation test enumerates all sign patterns if their number is at most the number of
        permutations. Without `units` this is not known, and the name mentions both possibilities.
        """
        clusters = self.clusters is not None
        if self.test == "permutation":
            exact = {2 ** max(count - 1, 0) <= self.repeats for count in units}
            signs = f"{self.repeats:,} random sign patterns"
            if exact == {True}:
                numbers = {2**count for count in units}
                every = f"all {max(numbers):,} sign patterns"
                signs = every if len(numbers) == 1 else "all sign patterns"
            elif exact != {False}:
                signs += ", or all if there are fewer"
            return f"paired permutation test ({signs}{'; one sign per cluster' * clusters})"
        if self.test == "wilcoxon":
            ranks = ", normal approximation of raw ranks" * self.raw_ranks
            no_continuity = ", no continuity correction" * (not self.continuity)
            return f"Wilcoxon signed-rank test ({ZEROS[self.zeros]}{ranks}{no_continuity})"
        of = " of clusters" * clusters
        return {
            "t": f"paired t-test{', cluster-robust' * clusters}",
            "sign": "sign test",
            "bootstrap": f"studentised paired bootstrap test ({self.repeats:,} resamples{of})",
            "tukey": "Tukey's HSD after a two-way ANOVA",
            "randomised-tukey": f"randomised Tukey HSD ({self.repeats:,} permutations{of})",
            "dunnett": "Dunnett's test after a two-way ANOVA",
        }[self.test]

    @property
    def interval_words(self) -> str:
        """Method of the confidence intervals, and whether they are simultaneous, for a caption."""
        rest = "simultaneous over all pairs" if self.is_simultaneous else UNADJUSTED
        return f"({self.interval_name}), {rest}"

    @property
    def interval_name(self) -> str:
        """Method of the confidence intervals, with its number of resamples."""
        clusters = self.clusters is not None
        of = " of clusters" * clusters
        return {
            "tukey": "Tukey's HSD",
            "randomised-tukey": "randomised Tukey HSD",
            "dunnett": "Dunnett",
            "max-t": f"max-t bootstrap, {self.draws:,} resamples{of}, seed {self.seed}",
            "t": f"Student's t{', cluster-robust' * clusters}",
            "bonferroni": f"Student's t{', cluster-robust' * clusters}, Bonferroni",
            "bootstrap": f"studentised bootstrap, {self.draws:,} resamples{of}",
        }[self.test if self.test in FAMILYWISE else self.interval or "t"]

    def tested(
        self,
        values: Floats,
        first: Ints,
        second: Ints,
        *,
        metrics: int = 1,
        limit: float = np.inf,
        clusters: Ints | None = None,
        runs: RunVariances | None = None,
    ) -> Tested:
        """Return the p-value and the confidence interval of the mean difference of each pair.

        `values` has the scores, of shape (systems, topics). `first` and `second` have the indices
        of the two systems of each pair. Intervals have level 1 − α. With family `all`, the level is
        1 − α / `metrics` for a single pair and for the intervals max-t and bonferroni. These
        intervals are thus simultaneous over all metrics. Intervals are cut off at ±`limit`, the
        largest possible difference, which does not reduce their coverage. `clusters` has the
        cluster number of each topic. `runs` has the variance between the runs of each system.
        """
        together = self.family == "all" and (self.is_simultaneous or len(first) == 1)
        alpha = self.alpha / metrics if together else self.alpha
        if self.interval == "bonferroni":
            alpha /= len(first)
        # Resampling is done for all pairs at once. Other tests process slices of the pairs, to save
        # memory.
        pieces, whole = pieces_of(len(first), values.shape[1]), [slice(None)]

        def differences(some: slice) -> Floats:
            by_topic = paired.differences_of(values, first[some], second[some])
            return by_topic if clusters is None else cluster_values(by_topic, clusters).linearised

        if self.test in FAMILYWISE:
            p, *ends = self._simultaneous(values, first, second, clusters)
        elif runs is not None:
            estimates = [
                allow_for_runs(moments(differences(some)), [first[some], second[some]], runs)
                for some in pieces
            ]
            estimate = Estimate(*map(np.concatenate, zip(*estimates, strict=True)))
            p, ends = estimate.p, [*t_interval_of(estimate, 1 - alpha)]
        else:
            at_once = whole if self.test in REPEATS else pieces
            parts = [self.p_values(values, first[some], second[some], clusters) for some in at_once]
            p, ends = np.concatenate(parts), self._intervals(differences, pieces, 1 - alpha)
        return Tested(p, *cut_at_range((ends[0], ends[1]), -limit, limit))

    @property
    def draws(self) -> int:
        """Number of resamples of a bootstrap interval.

        If the test itself resamples, the number is always 1,000. If not, it is `resamples`, by
        default 1,000.
        """
        return DRAWS if self.test in REPEATS else self.resamples or DRAWS

    def _intervals(
        self, differences: Callable[[slice], Floats], pieces: list[slice], level: float
    ) -> list[Floats]:
        """Return the lower and the upper confidence limits of the mean differences, by pair.

        `differences` returns the differences by topic of a slice of the pairs. `pieces` are the
        slices.
        """
        if self.interval == "max-t":
            blocks = partial(map, differences, pieces)
            return [*max_t_interval(blocks, level, count=self.draws, rng=self.rng())]
        if self.interval == "bootstrap":
            every = differences(slice(None))
            return [*bootstrap_interval(every, level, count=self.draws, rng=self.rng())]
        parts = [t_interval(differences(one), level) for one in pieces]
        return [np.concatenate(ends) for ends in zip(*parts, strict=True)]

    def p_values(
        self, values: Floats, first: Ints, second: Ints, clusters: Ints | None = None
    ) -> Floats:
        """Return the two-sided p-value of each pair of systems.

        `values` has the scores, of shape (systems, topics). `first` and `second` have the indices
        of the two systems of each pair. `clusters` has the cluster number of each topic.
        """
        if self.test in FAMILYWISE:
            return self._simultaneous(values, first, second, clusters).p
        differences = paired.differences_of(values, first, second)
        if clusters is not None:
            of_clusters = cluster_values(differences, clusters)
            permuted = self.test == "permutation"
            differences = of_clusters.sums if permuted else of_clusters.linearised
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
        # If no resample is as extreme as the data, p must not be 0: a correction multiplies p.
        share = paired.bootstrap(differences, count=self.repeats, rng=self.rng())
        return np.maximum(share, self.least_p)

    def _simultaneous(
        self, values: Floats, first: Ints, second: Ints, clusters: Ints | None
    ) -> Simultaneous:
        if self.test == "tukey":
            return tukey_hsd(values, first, second, alpha=self.alpha)
        if self.test == "dunnett":
            return dunnett(values, first, second, alpha=self.alpha)
        if clusters is not None:
            complete = ~np.isnan(values).any(axis=0)
            values = cluster_values(values[:, complete], clusters[complete]).sums
        return randomised_tukey(
            values, first, second, alpha=self.alpha, count=self.repeats, rng=self.rng()
        )

    @property
    def least_p(self) -> float:
        """Smallest p-value that the number of resamples allows; 0 for tests without resampling."""
        if self.test not in REPEATS:
            return 0.0
        return 1 / self.repeats if self.test == "bootstrap" else 1 / (1 + self.repeats)

    def too_coarse(self, family: int) -> Note | None:
        """Return a warning if the resamples are too few for any p-value to reach α.

        `family` is the number of p-values that are corrected together.
        """
        multiplied = self.applied in ("holm", "bonferroni") and family > 1
        if (family if multiplied else 1) * self.least_p <= self.alpha:
            return None
        by = f", which {CORRECTIONS[self.applied]} multiplies by {family:,}" if multiplied else ""
        what = f"the smallest p-value with {self.repeats:,} resamples is {self.least_p:.2g}{by}"
        remedy = Remedy(Argument("resamples", 100_000), "draw more resamples")
        text = f"no difference can be significant: {what}"
        return warning("too-few-resamples", text, remedy=remedy)

    def correct(self, p: Floats) -> Floats:
        """Correct the p-values, of shape (metrics, pairs), within each family (see `compare`)."""
        if self.family == "metric":
            return np.array([corrected(row, self.applied) for row in p]).reshape(p.shape)
        return corrected(p.ravel(), self.applied).reshape(p.shape)

    def family_words(self, p: Floats, several: str = "metrics") -> str:
        """Return a phrase with the correction and the number of p-values corrected together.

        `p` has the uncorrected p-values, of shape (metrics, pairs). `several` is the word for the
        rows of `p`: metrics, or values of a parameter.
        """
        metrics, pairs = p.shape
        tested = int(np.isfinite(p).sum())
        if self.test in FAMILYWISE:
            of = "comparisons with the baseline" if self.test == "dunnett" else "pairs of runs"
            per = ", one family per metric" * (metrics > 1)
            return f"familywise error controlled over all {of}{per}"
        if tested == 0:
            return "no p-value could be computed"
        if self.applied == "none":
            return f"no correction for {Count(tested, 'comparison')}"
        if pairs == 1 and (self.family == "metric" or metrics == 1):
            across = f"not corrected across {metrics} {several}"
            return "one comparison" if metrics == 1 else across
        name = CORRECTIONS[self.applied]
        left = p.size - tested
        missing = f" ({left} more without a p-value)" if left else ""
        if self.family == "metric" and metrics > 1:
            each = f"{Count(pairs, 'comparison')} in each of {metrics} {several}"
            missing = missing.replace("more", "of them")
            alone = f"not corrected across {metrics} {several}"
            per = "metric" if several == "metrics" else "value"
            return alone if pairs == 1 else f"{name} over {each}, one family per {per}{missing}"
        parts = f": {Count(pairs, 'pair')} × {metrics} {several}" if metrics > 1 else ""
        return f"{name} over {Count(tested, 'comparison')}{parts}{missing}"


def about_small_groups(sizes: Mapping[str, int]) -> list[Note]:
    """Return a list with a note on groups with fewer than six topics, if there are any."""
    few = [name for name, size in sizes.items() if size < FEW_TOPICS]
    what = "these groups have fewer than six topics, too few for reliable conclusions: "
    what += ", ".join(few)
    return [note("small-groups", what)] if few else []
