"""`calibrate`: type I error, power and coverage of significance tests on the user's scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints
from rankwise.comparison import FAMILYWISE, REPEATS, TestOptions
from rankwise.errors import (
    CallError,
    TooLittle,
    check_above_0,
    check_at_least,
    check_between,
    check_word,
    in_words,
    too_few_topics,
)
from rankwise.metrics import Metric
from rankwise.notes import Note, detail, note, warning
from rankwise.progress import track
from rankwise.results import Charted, Table
from rankwise.scores import DEFAULT_METRICS, Scores, scores_of_input
from rankwise.stats import (
    copula_uniforms,
    normal_scores_correlation,
    permuted_scores,
    quantiles,
    residual_variance,
    smallest_effect,
    tilted_weights,
)
from rankwise.vocabulary import Interval, Test
from rankwise.wording import Argument, Count

if TYPE_CHECKING:
    from rankwise.rankings import Collection, QrelsLike, RunsLike
    from rankwise.scores import MetricsLike

Source = Literal["permuted", "simulated"]
SOURCES: tuple[Source, ...] = get_args(Source)
EXPERIMENTS = 1_000
RESAMPLES = 1_999  # of each resampling test; 0.05 × (resamples + 1) is a whole number
POWER = 0.8  # of the paired t-test at the default difference
LEAST_TOPICS = 5
NOT_THE_MEAN = ("wilcoxon", "sign")
NEEDS_BASELINE = ("dunnett",)
# The interval that corresponds to a pairwise test; other pairwise tests have none.
INTERVALS: dict[str, Interval] = {"t": "t", "bootstrap": "bootstrap"}
# Order in which tests are recommended if their power does not differ significantly.
PREFERRED = ("t", "permutation", "bootstrap", "randomised-tukey", "tukey")


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Outcomes of one significance test in all experiments.

    `false` is whether any pair of equal systems was significantly different. `detected` is the
    fraction of the pairs with a true difference that were significantly different. `covered` is
    whether the intervals contained all true differences, for equal systems and for one better
    system. `covered` is empty if the test has no interval for this number of systems.
    """

    false: Bools
    detected: Floats
    covered: Bools


@dataclass(frozen=True, eq=False)
class Experiments:
    """Settings of the experiments for one metric; see `calibrate`.

    `count` is the number of experiments with each of the two sources of scores.
    """

    tests: tuple[Test, ...]
    alpha: float
    systems: int
    topics: int
    difference: float
    count: int
    seed: int

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        first, second = np.triu_indices(self.systems, 1)
        return first, second

    def outcomes(self, values: Floats, source: Source) -> dict[str, Outcomes]:
        """Apply all tests to scores drawn from `values`, of shape (runs, topics)."""
        rng = np.random.default_rng([self.seed, SOURCES.index(source)])
        draw = self._permuted if source == "permuted" else self._simulated(values)
        drawn = [draw(values, rng) for _ in range(self.count)]
        # Shape (experiments, systems, topics): all systems equal, and the first system better.
        equal, shifted = (np.array(part) for part in zip(*drawn, strict=True))
        return {test: self._outcome(test, equal, shifted) for test in track(self.tests, source)}

    def _permuted(self, values: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        runs = rng.choice(len(values), self.systems, replace=False)
        chosen = np.arange(values.shape[1])
        if self.topics != len(chosen):
            chosen = rng.choice(len(chosen), self.topics, replace=self.topics > len(chosen))
        equal = permuted_scores(values[np.ix_(runs, chosen)], rng)
        shifted = equal.copy()
        shifted[0] += self.difference
        return equal, shifted

    def _simulated(self, values: Floats) -> Any:
        """Return a function that draws scores of equal systems, and with one better system."""
        tilted = [tilted_weights(row, self.difference) for row in values]
        able = [run for run, weights in enumerate(tilted) if weights is not None]
        if not able:
            what = f" {self.difference:g} is too large for these scores. Use a smaller difference."
            raise CallError(Argument("difference"), what)
        even = np.full(values.shape[1], 1 / values.shape[1])

        def draw_one(values: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
            runs = rng.choice(len(values), self.systems, replace=False)
            model = int(rng.choice(able))  # the run whose distribution all systems have
            correlation = normal_scores_correlation(values[runs])
            uniforms = copula_uniforms(correlation, self.topics, rng)
            equal = quantiles(values[model], even, uniforms)
            shifted = equal.copy()
            weights = tilted[model]
            assert weights is not None
            shifted[0] = quantiles(values[model], weights, uniforms[0])
            return equal, shifted

        return draw_one

    def _outcome(self, test: Test, equal: Floats, shifted: Floats) -> Outcomes:
        differs = self.pairs[0] == 0
        p, covered = self._tested(test, equal, np.zeros(len(differs)))
        false = np.asarray((p <= self.alpha).any(axis=1))
        p, also = self._tested(test, shifted, np.where(differs, self.difference, 0.0))
        detected = (p[:, differs] <= self.alpha).mean(axis=1)
        return Outcomes(false, detected, np.concatenate([covered, also]))

    def _tested(self, test: Test, drawn: Floats, truth: Floats) -> tuple[Floats, Bools]:
        """Return corrected p-values (experiments × pairs), and whether intervals cover `truth`.

        The second array has one entry per experiment. It is empty if the test has no interval.
        """
        resamples = RESAMPLES if test in REPEATS else None
        # Familywise tests have intervals of their own.
        interval = None if test in FAMILYWISE else INTERVALS.get(test, "t")
        options = TestOptions(
            test=test, alpha=self.alpha, interval=interval, resamples=resamples, seed=self.seed
        )
        if test in FAMILYWISE:
            results = [options.tested(values, *self.pairs) for values in drawn]
            p, low, high = (np.array(part) for part in zip(*results, strict=True))
            return p, np.asarray(((low <= truth) & (truth <= high)).all(axis=1))
        # All systems of all experiments in one table, and the pairs of each experiment in it.
        together = drawn.reshape(-1, drawn.shape[2])
        start = self.systems * np.arange(self.count)[:, None]
        first, second = (np.ravel(start + side) for side in self.pairs)
        shape = (self.count, len(truth))
        if test not in INTERVALS or self.systems > 2:
            p = options.p_values(together, first, second).reshape(shape)
            return options.correct(p), np.zeros(0, np.bool_)
        done = options.tested(together, first, second)
        low, high = done.low.reshape(shape), done.high.reshape(shape)
        covered = np.asarray(((low <= truth) & (truth <= high)).all(axis=1))
        return options.correct(done.p.reshape(shape)), covered


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Charted):
    """Error rates of significance tests, measured on scores that resemble the data.

    `frame` has one row per metric, source and test. Of the experiments with equal systems, `type_1`
    is the fraction in which any pair was significantly different. In the experiments with one
    better system, `power` is the fraction of true differences that were significant. `coverage` is
    the fraction of all experiments whose confidence intervals contain all true differences;
    `coverage` is null if the test has no interval. Each rate has a standard error.

    `source` is the method by which the scores of an experiment are generated. For `permuted`, the
    scores of each topic are permuted among the runs. For `simulated`, scores are drawn from a
    Gaussian copula fitted to the runs.

    `chart` draws each rate ± two standard errors.
    """

    _everyday = ("recommendation", "sentence")

    metrics: tuple[Metric, ...]
    settings: tuple[Experiments, ...]  # of each metric
    outcomes: tuple[dict[Source, dict[str, Outcomes]], ...] = field(repr=False)  # of each metric
    found_notes: tuple[Note, ...] = ()

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric, source of scores and test, with the error rates and the power.

        Each rate has a standard error. `Calibration` describes the columns.
        """
        rows: list[dict[str, Any]] = [
            {"metric": str(metric), "source": source, "test": test}
            | _rate("type_1", one.false)
            | _rate("power", one.detected)
            | _rate("coverage", one.covered)
            for metric, by_source in zip(self.metrics, self.outcomes, strict=True)
            for source, by_test in by_source.items()
            for test, one in by_test.items()
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def header(self) -> dict[str, Any]:
        one = self.settings[0]
        by_metric = dict(zip(map(str, self.metrics), self.settings, strict=True))
        return {
            "metrics": [metric.record for metric in self.metrics],
            "alpha": one.alpha,
            "systems": one.systems,
            "topics": {name: each.topics for name, each in by_metric.items()},
            "difference": {name: each.difference for name, each in by_metric.items()},
            "experiments": one.count,
            "seed": one.seed,
        }

    @property
    def caption(self) -> str:
        one = self.settings[0]
        sizes = sorted({each.topics for each in self.settings})
        topics = " or ".join(map(str, sizes))
        return (
            f"{one.count:,} experiments with {one.systems} systems on {topics} topics, "
            f"alpha {one.alpha:g}, seed {one.seed}"
        )

    @property
    def notes(self) -> list[Note]:
        several = self.settings[0].systems > 2
        error = self.frame.select(pl.max_horizontal(pl.selectors.ends_with("_se"))).max().item()
        differences = ", ".join(
            f"{one.difference:.4f} for {metric}"
            for metric, one in zip(self.metrics, self.settings, strict=True)
        )
        family = " in any pair (Holm, or the test's own correction)" if several else ""
        text = (
            "'type_1' is the fraction of experiments in which equal systems differ "
            f"significantly{family}. 'power' is the fraction of true differences ({differences}) "
            "that are significant. 'coverage' is the fraction of experiments in which all "
            "confidence intervals contain the true differences"
        )
        of = "the standard errors of 'type_1', 'power' and 'coverage'"
        settings = f"{self.caption}; {of} are at most {error:.3f}"
        advice = " ".join(self.sentence(str(metric)) for metric in self.metrics)
        found = [note("settings", settings), note("recommendation", advice)]
        return [*found, detail("columns", text), *self.found_notes]

    def sentence(self, metric: str | None = None) -> str:
        """Return the recommended significance test in words, for a metric (default: the first)."""
        names = [str(one) for one in self.metrics]
        if metric is not None:
            check_word("metric", metric, names)
        place = 0 if metric is None else names.index(metric)
        return _recommended(names[place], self.settings[place], self.outcomes[place])

    @property
    def recommendation(self) -> dict[str, str | None]:
        """Recommended test of each metric; None if no test of the mean keeps its level.

        All tests except `wilcoxon` and `sign` test the mean. A test keeps its level if its type I
        error is not significantly above alpha.
        """
        best = map(_best, self.settings, self.outcomes)
        return dict(zip(map(str, self.metrics), best, strict=True))

    def table(self, *, digits: int = 4) -> Table:
        """Return a table with one row per metric, source and test, without the standard errors."""
        columns = ["metric", "source", "test", "type_1", "power", "coverage"]
        return Table(self.frame.select(columns), digits=min(digits, 3), caption=self.caption)


def calibrate(
    data: QrelsLike | Collection | Scores,
    runs: RunsLike | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    tests: Sequence[Test] | None = None,
    systems: int = 2,
    topics: int | None = None,
    difference: float | None = None,
    alpha: float = 0.05,
    experiments: int = EXPERIMENTS,
    seed: int = 0,
) -> Calibration:
    """Measure type I error, power and coverage of significance tests on scores like yours.

    Each experiment draws some of the runs at random and makes them equal in one of two ways.
    `permuted`: the scores of each topic are permuted among the runs. `simulated`: topics are drawn
    from a Gaussian copula fitted to the runs, and all systems have the score distribution of one
    run. To measure power, one system is made better by `difference`: permuted scores are shifted,
    and the simulated distribution is exponentially tilted, which keeps scores within their range.

    A test keeps its level if the fraction of experiments in which equal systems differ
    significantly is not significantly above `alpha`. Among the tests of the mean that keep their
    level, no test has significantly more power on simulated scores than the recommended test. If
    several tests qualify, the first of t, permutation, bootstrap, randomised-tukey and tukey is
    recommended.

    Parameters
    ----------
    data, runs, metrics
        As for `score`; `data` may also be `Scores`. There must be at least as many runs as
        `systems`.
    tests
        Tests to try; by default every test that needs no baseline. With two systems the default has
        no Tukey tests, because they equal the t-test and the permutation test.
    systems
        Number of systems in each experiment. With more than two, p-values are corrected (Holm, or
        by the test itself), and `type_1` is the familywise error rate.
    topics
        Number of topics in each experiment; by default as many as in the data.
    difference
        True difference of means. By default the difference for which a paired t-test has power
        0.8, but at most half of the largest difference between a run's mean score and the score on
        its best topic.
    alpha
        The significance level.
    experiments, seed
        Number of experiments for each way of making the systems equal, and the random seed.

    Returns
    -------
    Calibration
        One row per metric, source (`permuted` or `simulated`) and test, and a recommendation.

    Examples
    --------
    >>> from rankwise import simulate
    >>> made = simulate(topics=20, systems=4, seed=1)
    >>> found = calibrate(made.qrels, made.runs, "AP", tests=["t", "sign"], experiments=50)
    >>> found.frame.columns[:4]
    ['metric', 'source', 'test', 'type_1']
    """
    asked = _tests(tests, systems)
    check_at_least("systems", systems, 2)
    check_at_least("experiments", experiments, 2)
    check_at_least("topics", topics, LEAST_TOPICS)
    check_between("alpha", alpha)
    check_above_0("difference", difference)
    scores = scores_of_input(data, runs, metrics)
    settings, outcomes = [], []
    notes = list(scores.notes)
    for metric, values in zip(scores.metrics, scores.value, strict=True):
        table = _distinct(metric, values, systems, notes)
        size = topics or table.shape[1]
        deviation = np.sqrt(2 * residual_variance(table).two_way)
        detectable = float(smallest_effect(size, alpha, POWER)[0] * deviation)
        room = float((table.max(axis=1) - table.mean(axis=1)).max())
        shift = difference or min(detectable, room / 2)
        setting = Experiments(asked, alpha, systems, size, shift, experiments, seed)
        settings.append(setting)
        outcomes.append({source: setting.outcomes(table, source) for source in SOURCES})
    return Calibration(scores.metrics, tuple(settings), tuple(outcomes), tuple(notes))


def _tests(tests: Sequence[Test] | None, systems: int) -> tuple[Test, ...]:
    offered = [test for test in get_args(Test) if test not in NEEDS_BASELINE]
    if tests is None:
        return tuple(test for test in offered if systems > 2 or test not in FAMILYWISE)
    for test in tests:
        check_word("test", test, offered)
    if not tests:
        raise CallError("no test is given. Give at least one.")
    return tuple(dict.fromkeys(tests))


def _distinct(metric: Metric, values: Floats, systems: int, notes: list[Note]) -> Floats:
    """Return the scores of distinct runs, on the topics for which every run has a score."""
    table = values[:, np.isfinite(values).all(axis=0)]
    if table.shape[1] < LEAST_TOPICS:
        raise too_few_topics(metric, table.shape[1], LEAST_TOPICS)
    distinct = np.unique(table, axis=0)
    if len(distinct) < systems:
        raise TooLittle(
            f"the experiments need {systems} runs with different {metric} scores; there "
            f"{'is' if len(distinct) == 1 else 'are'} {len(distinct)} (runs with the same scores "
            "on every topic count once). Give more runs."
        )
    if len(distinct) < len(table):
        same = "with the same scores as another run on every topic"
        count = Count(len(table) - len(distinct), f"run {same} is", f"runs {same} are")
        notes.append(note("identical-runs", count, " excluded", metric=metric))
    if table.shape[1] < values.shape[1]:
        out = f"{values.shape[1] - table.shape[1]} of {values.shape[1]}"
        text = f"topics on which a run has no score are excluded ({out} topics)"
        notes.append(warning("topics-undefined", text, metric=metric))
    return distinct


def _rate(name: str, outcomes: Floats | Bools) -> dict[str, Any]:
    """Return a fraction and its standard error over experiments; None without outcomes."""
    if not len(outcomes):
        return {name: None, f"{name}_se": None}
    error = float(outcomes.std(ddof=1) / np.sqrt(len(outcomes)))
    return {name: float(outcomes.mean()), f"{name}_se": error}


def _more_power(one: Floats, other: Floats) -> bool:
    """Return whether a test detects significantly more true differences than another test.

    `one` and `other` are the fractions detected in each experiment. The comparison is paired by
    experiment (two-sided, 5 %).
    """
    gain = one - other
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    return bool(gain.mean() > 1.96 * error)


def _holding(settings: Experiments, outcomes: dict[Source, dict[str, Outcomes]]) -> list[str]:
    """Return the tests whose type I error is not significantly above alpha with either source."""
    alpha = settings.alpha
    # One-sided test at 2.5 %.
    most = alpha + 1.96 * np.sqrt(alpha * (1 - alpha) / settings.count)
    false = {test: [outcomes[source][test].false for source in SOURCES] for test in settings.tests}
    return [test for test, both in false.items() if all(each.mean() <= most for each in both)]


def _best(settings: Experiments, outcomes: dict[Source, dict[str, Outcomes]]) -> str | None:
    """Return the recommended test, or None if no test of the mean keeps its level.

    No other test of the mean that keeps its level has significantly more power. The first of
    several suitable tests in the order of `PREFERRED` is returned.
    """
    power = {test: one.detected for test, one in outcomes["simulated"].items()}
    able = [test for test in _holding(settings, outcomes) if test not in NOT_THE_MEAN]
    ordered = sorted(able, key=lambda test: (*PREFERRED, test).index(test))
    unbeaten = [
        test for test in ordered if not any(_more_power(power[o], power[test]) for o in ordered)
    ]
    return unbeaten[0] if unbeaten else None


def _recommended(
    metric: str, settings: Experiments, outcomes: dict[Source, dict[str, Outcomes]]
) -> str:
    best, alpha = _best(settings, outcomes), settings.alpha
    simulated = outcomes["simulated"]
    loose = [test for test in settings.tests if test not in _holding(settings, outcomes)]
    above = ""
    if loose:
        where = "on permuted scores, simulated scores or both"
        above = f" The type I error of {in_words(loose)} is significantly above {alpha:g} {where}."
    if best is None:
        none = "no test is recommended, because no test of the mean keeps the level"
        if set(settings.tests) <= set(NOT_THE_MEAN):
            return f"{metric}: no test is recommended, because none of these tests the mean.{above}"
        return f"{metric}: {none} {alpha:g}.{above}"
    rates = " and ".join(
        f"{outcomes[source][best].false.mean():.3f} on {source} scores" for source in SOURCES
    )
    power = simulated[best].detected
    text = (
        f"{metric}: the recommended test is {best}. Its type I error is {rates}, not significantly "
        f"above {alpha:g} (one-sided test at 2.5 %). Its power on simulated scores is "
        f"{100 * power.mean():.0f} % for a true difference of {settings.difference:.4f}."
    )
    mean = [test for test in settings.tests if test not in (*NOT_THE_MEAN, *loose, best)]
    equal = [test for test in mean if not _more_power(power, simulated[test].detected)]
    text += f" The power of {in_words(equal)} is not significantly lower." if equal else ""
    others = [
        test
        for test in settings.tests
        if test in NOT_THE_MEAN and _more_power(simulated[test].detected, power)
    ]
    if others:
        powers = ", ".join(f"{100 * simulated[test].detected.mean():.0f} %" for test in others)
        do = "do" if len(others) > 1 else "does"
        more = f"{in_words(others)} detected significantly more differences ({powers})"
        text += f" {more}, but {do} not test the mean."
    return text + above
