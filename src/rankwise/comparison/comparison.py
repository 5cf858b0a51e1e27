"""`Comparison`: the result of `compare`, and the leaderboards derived from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints, long_frame
from rankwise.comparison.comparison_notes import remarks, summaries
from rankwise.comparison.comparison_tables import (
    RANK_SETS,
    baseline_layout,
    captioned_table,
    leaderboard_layout,
    pairs_layout,
    paper_table,
    two_runs_layout,
)
from rankwise.comparison.options import FAMILYWISE, UNADJUSTED, TestOptions
from rankwise.comparison.pairs import FEW_TOPICS
from rankwise.comparison.sentences import SaysReversal, sentence_lines
from rankwise.comparison.sweep import Sweep, swept
from rankwise.errors import CallError, check_above_0, check_at_least
from rankwise.metrics import Metric
from rankwise.notes import Note, note
from rankwise.results import Result, Table, draw, format_cell
from rankwise.scores import ALL, Scores, variances_between_runs
from rankwise.stats import (
    Estimate,
    allow_for_runs,
    cluster_values,
    differences_of,
    lower_effect,
    moments,
    rank_sets,
    region_of_equivalence,
    significance_groups,
    smallest_effect,
    t_interval_of,
    topics_needed,
    tost,
)
from rankwise.vocabulary import ChartWidth, Marks
from rankwise.wording import Argument, Count

SAFEGUARD = 0.6  # confidence of the interval whose lower limit is the planned effect
NOTHING = "nothing to compare: none of these metrics measures effectiveness"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Comparison of pairs of runs, for each metric.

    `frame` has one row per `metric` and pair of runs `a` and `b`. With a baseline, `b` is the
    baseline. For two runs without a baseline, `b` is the first run. For three or more runs without
    a baseline, `a` was passed before `b`. The columns are:

    - `difference`: `mean_a` − `mean_b`. Both means are over the topics on which both runs have a
      score. `topics` is the number of these topics, and `dropped` the number of all other topics.
      `percent` is the difference in percent of `mean_b`, null unless `mean_b` is above 0.
    - `conf_low`, `conf_high`: confidence interval of the difference.
    - `effect`: effect size (Cohen's d_z), the mean difference divided by the standard deviation of
      the differences.
    - `wins`, `ties`, `losses`: number of topics on which `a` wins, ties or loses.
    - `p`: p-value. `corrected_p`: p-value corrected within its family.
    - `significant`: True if `corrected_p` is at most α and both runs have scores on at least six
      common topics. With clusters of topics, at least six clusters are also needed. Except for
      permutation tests, the effective number of clusters must be at least six too. This number is
      n² / Σ n_g², where n_g of the n topics are in cluster g.

    If the difference is the same on all topics, `effect` is null, and so are intervals and p-values
    that need the variance of the differences. Diagnostics are metrics that do not measure quality,
    such as counts. They are not tested, and have only the means (sums for counts), `difference`,
    `percent`, `topics` and `dropped`; all their other numbers are null.

    With bounds, there are more columns, which are null if the metric has no bounds:

    - `low`, `high`: bounds of the difference under the assumption about unjudged documents.
    - `verdict`: A if run `a` has the better mean under all judgments that the assumption allows, B
      if run `b` has, equal if the means are always equal, and otherwise undecided.
    - `to_resolve`: for an undecided pair, a fraction of high − low. No verdict is possible before
      further judgments have made high − low smaller by at least this fraction.
    - `gap`: 0 if the bounds are exact. If not, each bound may be too wide by up to `gap`.
    - `proven`: True if the verdict is final. False if it is undecided, but a longer search for
      bounds (a larger effort in the call of compare) might find a winner.

    The frame covers all topics. With topic groups, `by_group` has a comparison for each group.
    """

    _everyday = ("by_topic", "equivalence", "leaderboard", "power", "scores", "sentence")

    scores: Scores = field(repr=False)
    frame: pl.DataFrame
    first: Ints = field(repr=False)
    second: Ints = field(repr=False)
    options: TestOptions
    family: str
    clusters: Ints | None = field(default=None, repr=False)  # cluster number of each topic
    # For each tested metric and pair: whether there are too few topics or clusters to mark the
    # difference as significant.
    few: Bools = field(default_factory=lambda: np.zeros(0, np.bool_), repr=False)
    unjudged: str | None = None
    by_group: "Mapping[str, Comparison]" = field(default_factory=dict)
    # {metric: lower and upper bounds of the differences, each of shape (pairs, topics)}. Only for
    # two runs or with a baseline, where differences by topic are shown.
    topic_bounds: Mapping[str, tuple[Floats, Floats]] = field(default_factory=dict, repr=False)
    # {metric: for each pair, whether judgments are known under which A is better, and other
    # judgments under which B is better}.
    reversible: Mapping[str, Bools] = field(default_factory=dict, repr=False)
    # {metric: for each pair, the limits of a simultaneous confidence interval that holds for any
    # judgment of the unjudged documents}.
    over_both: Mapping[str, tuple[Floats, Floats]] = field(default_factory=dict, repr=False)
    # The word for the elements of `tested` in notes; a `Sweep` has values of a parameter.
    several: str = field(default="metrics", repr=False)

    tested: list[Metric] = field(init=False, repr=False)  # all metrics except diagnostics
    has_verdicts: bool = field(init=False, repr=False)
    # True for two runs or with a baseline: there are few pairs, so topics can be shown.
    topics_can_be_shown: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        tested = [metric for metric in self.scores.metrics if not metric.is_diagnostic]
        few = self.options.baseline is not None or len(self.scores.runs) == 2
        has_verdicts = "verdict" in self.frame.columns and bool(tested)
        vars(self).update(tested=tested, has_verdicts=has_verdicts, topics_can_be_shown=few)

    @property
    def has_ranks(self) -> bool:
        """Whether the leaderboard has confidence intervals of ranks.

        Rank intervals need simultaneous intervals of the differences of all pairs, or a comparison
        of only two runs. With a baseline there is no leaderboard.
        """
        together = self.options.is_simultaneous or len(self.first) == 1
        return self.options.baseline is None and together

    @property
    def metrics(self) -> list[str]:
        return [str(metric) for metric in self.scores.metrics]

    @property
    def diagnostics(self) -> list[Metric]:
        """Metrics that do not measure quality (counts, Judged, …). They are not tested."""
        return [metric for metric in self.scores.metrics if metric.is_diagnostic]

    @property
    def tested_rows(self) -> pl.DataFrame:
        """Rows of `frame` for all metrics except diagnostics."""
        return self.frame.filter(pl.col("metric").is_in([str(metric) for metric in self.tested]))

    @property
    def p_values(self) -> Floats:
        """The uncorrected p-values, of shape (tested metrics, pairs); NaN where there is none."""
        p = self.tested_rows["p"].fill_null(np.nan).to_numpy()
        return p.reshape(len(self.tested), len(self.first))

    @property
    def caption(self) -> str:
        """Caption for a table: metrics, numbers of runs and topics, baseline, test, correction."""
        counts = sorted(set(self.frame["topics"].to_list()))
        over = str(Count(counts[-1], "topic"))
        over = over if len(counts) == 1 else f"{counts[0]} to {over}"
        if self.clusters is not None:
            over += self.in_clusters
        baseline = f"; {self.options.baseline} is the baseline" if self.options.baseline else ""
        kind = "systems" if self.scores.repetitions else "runs"
        runs = f"{len(self.scores.runs)} {kind}"
        what = f"{', '.join(self.metrics)} of {runs} over {over}{baseline}. "
        if not self.tested:
            return f"{what}{NOTHING[0].upper()}{NOTHING[1:]}."
        test = f"Two-sided {self.test_name}, {self.family}, α = {self.options.alpha:g}."
        return what + test

    @property
    def test_name(self) -> str:
        """Name of the significance test, with its number of resamples, for a caption."""
        units = []  # per tested metric, the number of topics or clusters on which runs differ
        for metric in self.tested if self.options.test == "permutation" else []:
            values = self.scores.value[self.scores.metrics.index(metric)]
            known = np.isfinite(values)
            highest = np.where(known, values, -np.inf).max(axis=0, initial=-np.inf)
            differ = highest > np.where(known, values, np.inf).min(axis=0, initial=np.inf)
            differing = differ.nonzero()[0] if self.clusters is None else self.clusters[differ]
            units.append(len(np.unique(differing)))
        runs = ", over topics and runs of systems" if self.scores.repetitions else ""
        return self.options.named(units) + runs

    def units(self, topics: int, a: str, b: str) -> str:
        """Return a phrase with the sample size of a pair: "n = 50 topics" or "n = 1 topic".

        With clusters, their number is added. If `a` and `b` are systems with several runs each, the
        numbers of these runs are added.
        """
        sample = f"n = {topics} {'topic' if topics == 1 else 'topics'}"
        if self.clusters is not None:
            sample += self.in_clusters
        if self.scores.repetitions:
            parts = zip(self.scores.runs, self.scores.repetitions, strict=True)
            runs = {name: len(part.runs) for name, part in parts}
            sample += f"; runs: {a} {runs[a]}, {b} {runs[b]}"
        return sample

    def too_few(self, row: Mapping[str, Any]) -> str:
        """Return why a difference with a corrected p of at most α is not marked as significant.

        `row` is a row of `frame`. The result is a phrase such as "fewer than six topics". It is
        empty if the difference is significant, or if its corrected p is missing or above α.
        """
        p = row["corrected_p"]
        if row["significant"] or p is None or p > self.options.alpha:
            return ""
        if row["topics"] < FEW_TOPICS:
            return "fewer than six topics"
        counted_so = self.clusters is not None and len(np.unique(self.clusters)) >= FEW_TOPICS
        return f"fewer than six clusters{', counted by their effective number' * counted_so}"

    @property
    def in_clusters(self) -> str:
        """Phrase with the number of clusters of topics, such as " in 12 clusters".

        It is defined only for a comparison with clusters.
        """
        assert self.clusters is not None
        return f" in {Count(len(np.unique(self.clusters)), 'cluster')}"

    @property
    def header(self) -> dict[str, Any]:
        """Metadata of the scores, and the baseline, test, correction, family, alpha and seed."""
        options = self.options
        found: dict[str, Any] = {"baseline": options.baseline, "test": self.test_name}
        found |= {"correction": options.applied, "family": self.family, "alpha": options.alpha}
        return self.scores.header | found | {"seed": options.seed}

    @cached_property
    def intervals(self) -> "IntervalWords":
        """Type of the confidence intervals, and whether they are simultaneous, in words."""
        options, pairs, metrics = self.options, len(self.first), len(self.tested)
        level = f"{100 * (1 - options.alpha):g} %"
        over_all = options.family == "all" and metrics > 1
        if pairs == 1 and options.interval == "t" and over_all:
            over = f"simultaneous over {metrics} {self.several} (Bonferroni)"
            label = f"{level} simultaneous CI"
        elif options.is_simultaneous and pairs > 1:
            of = f" and {metrics} {self.several}" if over_all else " of a metric"
            over = f"simultaneous over the {pairs:,} comparisons{of * (metrics > 1)}"
            label = f"{level} simultaneous CI"
        elif pairs * (metrics if options.family == "all" else 1) > 1:
            over, label = UNADJUSTED, f"{level} CI, unadjusted"
        else:
            over, label = "", f"{level} CI"
        return IntervalWords(label, f"({options.interval_name}){f', {over}' if over else ''}")

    @property
    def notes(self) -> list[Note]:
        """Notes on significant differences, tests, intervals and bounds, and on the scores."""
        return [*summaries(self), *remarks(self)]

    def over(self, parameter: str) -> Sweep:
        """Return the comparison as a function of a parameter, such as p of RBP.

        Every metric of the comparison must have this parameter, and none may be a diagnostic. For a
        range of values, call `compare` with the metrics of
        `rankwise.metrics.vary("RBP", "p=0.5:0.95")`.
        """
        return swept(self, parameter)

    def by_topic(self) -> pl.DataFrame:
        """Return the differences by topic: metric, a, b, topic, value_a, value_b, difference.

        A comparison of two runs, or with a baseline, also has the columns `low` and `high` if
        bounds were computed: the bounds of the difference on the topic. Undefined numbers are null.
        """
        a, b = self.scores.value[:, self.first], self.scores.value[:, self.second]
        cubes = {"value_a": a, "value_b": b, "difference": a - b}
        if self.topic_bounds:
            unknown = np.full((2, *a.shape[1:]), np.nan)
            ends = [self.topic_bounds.get(metric, unknown) for metric in self.metrics]
            cubes["low"], cubes["high"] = np.stack(ends, axis=1)
        pairs, runs = pl.int_range(len(self.first), eager=True), pl.Series(self.scores.runs)
        axes = {"metric": pl.Series(self.metrics), "pair": pairs}
        frame = long_frame(axes | {"topic": pl.Series(self.scores.topics)}, cubes)
        sides = [runs.gather(side).gather(frame["pair"]) for side in (self.first, self.second)]
        names = (side.alias(name) for side, name in zip(sides, "ab", strict=True))
        return frame.select("metric", *names, pl.exclude("metric", "pair"))

    def leaderboard(self) -> pl.DataFrame:
        """Return one row per metric and run, best run first, with ranks and their uncertainty.

        Rank 1 is the best. `worse` is the number of runs that are significantly worse than the run
        of the row, and `better` the number that are significantly better. `from_rank` to `to_rank`
        is the range of ranks of the run and of the runs that do not differ significantly from it.
        `inside` is the number of runs within this range that do differ significantly from the run:
        a small difference can be significant while a larger one is not. Significance is also not
        transitive: sometimes only the best and the worst of three runs differ significantly.

        `lowest_rank` (the best) to `highest_rank` (the worst) is the confidence interval of the
        rank at level 1 − α, simultaneous for all runs. This interval is derived from simultaneous
        confidence intervals of all differences. It is null if the comparison has no simultaneous
        intervals. The interval `lowest_rank_both` to `highest_rank_both` also accounts for the
        unjudged documents. It is null without bounds, or with clusters.

        An error is raised with a baseline, or if all metrics are diagnostics.
        """
        if self.options.baseline is not None:
            what = "a leaderboard needs tests of all pairs of runs. Remove "
            raise CallError(what, Argument("baseline"), ".")
        if not self.tested:
            raise CallError(f"{NOTHING}: {', '.join(self.metrics)}.")
        parts = []
        significant = self.tested_rows["significant"].to_numpy().reshape(len(self.tested), -1)
        for metric, differ in zip(self.tested, significant, strict=True):
            means = moments(self.scores.value[self.scores.metrics.index(metric)]).mean
            groups = significance_groups(metric.sign * means, self.first, self.second, differ)
            columns = {"metric": [str(metric)] * len(means), "rank": groups.rank}
            columns |= {"run": self.scores.runs, "mean": means}
            names = ("worse", "better", "from_rank", "to_rank", "inside")
            columns |= {name: getattr(groups, name) for name in names} | self._rank_sets(metric)
            parts.append(pl.DataFrame(columns, nan_to_null=True).sort("rank"))
        return pl.concat(parts)

    def equivalence(self) -> pl.DataFrame:
        """Return, for each pair, whether the runs are equivalent within ±margin.

        The margin is an option of the comparison: `test=TestOptions(margin=0.01)`. The frame has
        one row per metric and pair, without diagnostics:

        - `p_equivalent`: p-value of the two one-sided t-tests (TOST). `corrected_p_equivalent` is
          this p-value corrected over the family, by Holm's method unless `correction` was set.
        - `p_noninferior`: one-sided p-value, not corrected. A small value shows that `a` is better
          than `b`, or worse by less than the margin.
        - `outcome`: `equivalent` if `corrected_p_equivalent` is at most α and there are at least
          six topics (or clusters), even if the difference is significant. If not, `better` or
          `worse` if `a` is significantly better or worse than `b`, and `inconclusive` in all other
          cases.
        - `prob_better`, `prob_equivalent`, `prob_worse`: Bayesian probabilities that `a` is better
          than `b` by more than the margin, that the difference is within ±margin, and that `a` is
          worse by more than the margin. ±margin is the region of practical equivalence (ROPE).
        - `tost_low`, `tost_high`: the 1 − 2α confidence interval of the difference, not adjusted
          for multiple comparisons. The interval is within ±margin if `p_equivalent` is at most α.
        """
        options, margin, parts = self.options, self.options.margin, []
        if margin is None:
            raise CallError("equivalence needs a margin. Use test=TestOptions(margin=0.01).")
        if not self.tested:
            raise CallError(f"{NOTHING}: {', '.join(self.metrics)}.")
        for metric in self.tested:
            differences, estimate = self._signed_differences(metric)
            tests = tost(differences, margin, estimate)
            shares = region_of_equivalence(differences, margin, estimate)
            low, high = t_interval_of(estimate, 1 - 2 * options.alpha)
            ends = (low, high) if metric.sign > 0 else (-high, -low)
            shares_of_three = (shares.better, shares.equivalent, shares.worse)
            parts.append([tests.p, tests.above, *shares_of_three, *ends])
        p, *columns = (np.array(column) for column in zip(*parts, strict=True))
        if options.test in FAMILYWISE:
            options = replace(options, test="t")
        corrected = options.correct(p).ravel()
        rows, signs = self.tested_rows, np.repeat([m.sign for m in self.tested], len(self.first))
        significant = rows["significant"].fill_null(False).to_numpy()
        better = signs * rows["difference"].fill_null(0.0).to_numpy() > 0
        outcome = np.select(
            [~self.few & (corrected <= options.alpha), significant & better, significant],
            ["equivalent", "better", "worse"],
            "inconclusive",
        )
        names = ["p_noninferior", "prob_better", "prob_equivalent", "prob_worse"]
        values = {"p_equivalent": p, "corrected_p_equivalent": corrected}
        values |= dict(zip([*names, "tost_low", "tost_high"], columns, strict=True))
        return rows.select("metric", "a", "b", "difference").with_columns(
            pl.lit(margin, pl.Float64).alias("margin"),
            pl.Series("outcome", outcome.tolist(), pl.String),
            *(pl.Series(name, of.ravel(), nan_to_null=True) for name, of in values.items()),
        )

    def _signed_differences(self, metric: Metric) -> tuple[Floats, Estimate]:
        """Return the differences of all pairs, and an estimate of the mean of each pair.

        The array has the shape (pairs, topics), or (pairs, clusters). A positive difference means
        that `a` is better. An estimate has a mean, a standard error and degrees of freedom.
        """
        place = self.scores.metrics.index(metric)
        values = self.scores.pseudo_values[place]
        differences = metric.sign * differences_of(values, self.first, self.second)
        if self.clusters is not None:
            differences = cluster_values(differences, self.clusters).linearised
        found = moments(differences)
        if not self.scores.repetitions:
            return differences, Estimate(found.mean, found.error, found.freedom)
        variances = variances_between_runs(self.scores, place, self.clusters)
        return differences, allow_for_runs(found, [self.first, self.second], variances)

    def _rank_sets(self, metric: Metric) -> dict[str, pl.Series]:
        """Return the columns of a metric's rank intervals, named as in RANK_SETS.

        A column has one value per run. All values are null if there are no intervals.
        """
        intervals, sets = [], list[pl.Series]()
        if self.has_ranks:
            rows = self.frame.filter(metric=str(metric))
            ends = (rows[end].fill_null(np.nan).to_numpy() for end in ("conf_low", "conf_high"))
            low, high = ends
            intervals.append((low, high))
            if str(metric) in self.over_both:
                least, most = self.over_both[str(metric)]  # NaN if no interval is known
                intervals.append((np.minimum(low, least), np.maximum(high, most)))
        for low, high in intervals:
            better = (-high, -low) if metric.less_is_better else (low, high)
            found = rank_sets(*better, self.first, self.second, len(self.scores.runs))
            sets += [pl.Series(end) for end in found]
        sets += [pl.Series([None] * len(self.scores.runs), dtype=pl.Int64)] * (4 - len(sets))
        return dict(zip(RANK_SETS, sets, strict=True))

    def power(
        self, level: float = 0.8, topics: int | None = None, difference: float | None = None
    ) -> pl.DataFrame:
        """Return, for each pair, the number of topics needed to detect the difference.

        `needed` is the smallest number of topics with which a single two-sided paired t-test at
        level α has power `level`, if the true effect size is `planned_effect`. By default, the
        planned effect is the lower limit of the 60 % confidence interval of |d_z|, the size of the
        observed effect (safeguard power analysis). The observed effect size itself is not used,
        because large observed differences tend to overestimate the true differences. If the
        interval contains 0, the planned effect is 0 and `needed` is infinite. With the argument
        `difference`, the planned effect is this difference divided by `sd`, the observed standard
        deviation of the differences.

        `smallest` is the smallest difference that the same test detects with power `level` on
        `at_topics` topics, if the standard deviation is `sd`. `at_topics` is the argument `topics`,
        by default the number of topics compared.
        """
        if not self.options.alpha < level < 1:
            what = f" must be between alpha ({self.options.alpha:g}) and 1, for example 0.8, not "
            raise CallError(Argument("power", python="level"), f"{what}{level:g}.")
        if self.scores.repetitions:
            what = "power cannot be computed for means over the runs of a system. Remove "
            raise CallError(what, Argument("systems"), ".")
        if self.clusters is not None:
            what = "power cannot be computed for clusters of topics. Remove "
            raise CallError(what, Argument("clusters"), ".")
        check_at_least("with_topics", topics, 2, python="topics")
        check_above_0("difference", difference)
        if not self.tested:
            raise CallError(f"{NOTHING}: {', '.join(self.metrics)}.")
        values = dict(zip(self.scores.metrics, self.scores.pseudo_values, strict=True))
        pairs = (differences_of(values[m], self.first, self.second) for m in self.tested)
        spread = np.concatenate([moments(differences).sd for differences in pairs])
        rows = self.tested_rows
        at = rows["topics"].to_numpy() if topics is None else np.full(len(spread), topics)
        if difference is None:
            effect = rows["effect"].fill_null(np.nan).to_numpy()
            none = ((rows["difference"] == 0) & (rows["topics"] > 1)).to_numpy()
            effect = np.where(none, 0.0, effect)  # also if the differences do not vary
            planned = lower_effect(effect, rows["topics"].to_numpy(), SAFEGUARD)
        else:
            planned = difference / np.where(spread > 0, spread, np.nan)
        needed = topics_needed(planned, self.options.alpha, level)
        smallest = smallest_effect(at, self.options.alpha, level) * spread
        return rows.select("metric", "a", "b", "difference", "effect", "topics").with_columns(
            pl.Series("sd", spread, nan_to_null=True),
            pl.Series("planned_effect", planned, nan_to_null=True),
            pl.Series("needed", needed, nan_to_null=True),
            pl.Series("at_topics", at),
            pl.Series("smallest", smallest, nan_to_null=True),
        )

    def table(self, *, digits: int = 4, pairs: bool = False) -> Table:
        """Return the comparison as a table.

        Two runs are shown side by side. For three or more runs, the table has one row per run if
        there is a baseline, and is otherwise a leaderboard. With `pairs`, or with topic groups, the
        table has one row per metric and pair of runs.
        """
        if pairs or self.by_group:
            layout = pairs_layout
        elif len(self.scores.runs) == 2:
            layout = two_runs_layout
        else:
            layout = leaderboard_layout if self.options.baseline is None else baseline_layout
        frame, right, notes = layout(self, digits)
        return captioned_table(frame, right, self.caption, notes, digits)

    def to_latex(
        self,
        *,
        digits: int = 4,
        marks: Marks | None = None,
        sort: str | None = None,
        second: bool = False,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        """Return a LaTeX table with one row per run and one column per metric.

        The best score is bold, and marks show significance. For two runs or with a baseline, a
        second table has the differences with interval and p-value, if there are at most 12
        differences. With topic groups the table has one row per pair, without marks.

        Parameters
        ----------
        digits
            Number of decimals.
        marks
            `arrows` (significantly better or worse) or `daggers` († at α, ‡ at α / 5) compare with
            the baseline, or with the first of two runs. With `letters` every run has a letter, and
            a score is marked with the letters of the runs that are significantly worse. The default
            is `arrows` for two runs or with a baseline, and otherwise `letters`. For more than 26
            runs without a baseline, the default is a leaderboard without marks.
        sort
            The metric by which rows are sorted, best run first. `given` keeps the order of the
            runs, and `baseline` puts the baseline first. The default is the first metric that is
            tested.
        second
            Whether to underline the second-best score.
        caption, label
            Caption and LaTeX label of the table. A generated description of tests and marks follows
            the caption. With an empty caption only the tabular environment is returned.
        """
        return paper_table(self, digits, marks, sort, caption, label, second=second).to_latex()

    def to_markdown(
        self,
        *,
        digits: int = 4,
        marks: Marks | None = None,
        sort: str | None = None,
        second: bool = False,
        caption: str | None = None,
    ) -> str:
        """Return the same table as `to_latex`, in Markdown."""
        return paper_table(self, digits, marks, sort, caption, second=second).to_markdown()

    def sentence(
        self, *, metric: str | None = None, digits: int = 4, flips: SaysReversal | None = None
    ) -> str:
        """Return the outcome in words that a paper can quote, for one `metric` or for all.

        For two runs, or with a baseline, the text states the mean difference with its interval, p,
        the effect size, the number of topics, and whether unjudged documents could reverse the
        difference. If `flips`, the result of `rankwise.flips`, is passed, the text also has the
        number of wrong judgments that would reverse the difference. For three or more runs without
        a baseline, the text has the number of significant differences, and the number of these
        that unjudged documents cannot reverse. The last sentences state the test, the correction,
        and the assumption about unjudged documents. The text is empty if `metric` is not among the
        tested metrics.
        """
        return " ".join(sentence_lines(self, metric, digits, flips))

    def power_table(
        self,
        level: float = 0.8,
        topics: int | None = None,
        difference: float | None = None,
        *,
        digits: int = 4,
    ) -> Table:
        """Return the result of `power` as a table."""
        over = "the present topics" if topics is None else f"{topics} topics"
        planned = "the lower limit of the 60 % confidence interval of the absolute effect size"
        if difference is not None:
            planned = f"a true difference of {difference:g} divided by sd"
        how = (
            f"'needed' is the number of topics that a paired t-test at level "
            f"{self.options.alpha:g} needs for power {level:g}, if 'planned_effect' is the true "
            f"effect size. 'planned_effect' is {planned}. 'smallest' is the smallest difference "
            f"that this test detects with {over}. 'sd' is the standard deviation of the "
            "difference over topics"
        )
        frame = self.power(level, topics, difference)
        whole = [format_cell(need, 0) for need in frame["needed"]]
        shown = frame.with_columns(pl.Series("needed", whole)).drop("at_topics")
        return Table(shown, ["needed"], notes=[note("needed", how)], digits=digits)

    def chart(self, *, width: ChartWidth | None = None) -> Any:
        """Draw the comparison (Altair).

        For two runs, or with a baseline, the chart shows the differences by topic. For three or
        more runs without a baseline, it is a heat map of every run against every other run, with
        significant differences in dark colours. If an equivalence margin is set, the chart is a
        forest plot of the mean differences and the margin, unless there are topic groups or more
        than 200 pairs.
        """
        return draw(self, width=width)

    @property
    def described(self) -> pl.DataFrame:
        """The `frame` with four more columns: test, family, alpha and interval.

        The added columns are null for metrics that are not tested. With a margin, the columns of
        `equivalence` are added too. With topic groups, the first column is `group`; the group `all`
        has all topics.
        """
        if self.by_group:
            parts = {ALL: replace(self, by_group={}), **self.by_group}.items()
            return pl.concat(
                part.described.select(pl.lit(name).alias("group"), pl.all()) for name, part in parts
            )
        about = {"test": self.test_name, "family": self.family, "alpha": self.options.alpha}
        about["interval"] = self.intervals.words
        frame = self.frame
        if self.options.margin is not None and self.tested:
            beside = self.equivalence().drop("difference")
            frame = frame.join(beside, on=["metric", "a", "b"], how="left", maintain_order="left")
        tested = pl.col("metric").is_in([str(metric) for metric in self.tested])
        return frame.with_columns(
            pl.when(tested).then(pl.lit(value)).alias(name) for name, value in about.items()
        )


class IntervalWords(NamedTuple):
    """Descriptions of the confidence intervals of a comparison."""

    label: str  # short, for a row or a column of a table or chart: "95 % CI"
    words: str  # the type of interval, and the comparisons over which it is simultaneous, if any
