"""`plan_topics` and `plan_budget`: number of topics, and its trade-off with pool depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.errors import (
    CallError,
    TooLittle,
    check_above_0,
    check_at_least,
    check_between,
    too_few_topics,
)
from rankwise.judging.cutting import Cuttable
from rankwise.metrics import Metric, parse, parse_all
from rankwise.notes import Note, detail, note, warning
from rankwise.progress import track
from rankwise.rankings import Collection, Needs, as_collection
from rankwise.results import Result, Table
from rankwise.scores import (
    DEFAULT_METRICS,
    Scores,
    check_shared_ties,
    score_judged,
    scores_of_input,
)
from rankwise.stats import (
    ResidualVariance,
    anova_topics,
    dense_ranks,
    equivalence_topics,
    expected_width,
    kendall,
    residual_variance,
    smallest_effect,
    t_test_topics,
    width_topics,
)
from rankwise.wording import Argument

if TYPE_CHECKING:
    from rankwise.rankings import QrelsLike, RunsLike
    from rankwise.scores import MetricsLike

CAUTIOUS = 0.8416  # standard normal quantile at 0.8
DEPTHS = (1, 2, 5, 10, 20, 30, 50, 100)
FEW_TOPICS = 10  # a pilot with fewer topics gives a warning
AGREES = 0.9  # two system rankings with at least this tau count as the same (Voorhees 2001)
ONE_RUN = "an estimate of variances needs two runs or more; there is only one."


@dataclass(frozen=True)
class TopicGoals:
    """Requirements of the topic set to be designed; the fields are arguments of `plan_topics`."""

    difference: float | None = None
    width: float | None = None
    margin: float | None = None
    systems: int | None = None
    alpha: float = 0.05
    power: float = 0.8

    def __post_init__(self) -> None:
        goals = {"difference": self.difference, "width": self.width, "margin": self.margin}
        for name, value in goals.items():
            option = "interval_width" if name == "width" else name
            check_above_0(option, value, python=name)
        if all(value is None for value in goals.values()):
            difference, margin = Argument("difference"), Argument("margin")
            width = Argument("interval_width", python="width")
            what = ("the goal of the plan is missing. Give ", difference, " (to be detected), ")
            raise CallError(*what, width, " (of the interval) or ", margin, " (of equivalence).")
        check_between("alpha", self.alpha)
        check_between("power", self.power, 0.8)
        if self.power <= self.alpha:
            low = f" must be above alpha ({self.alpha:g}), for example 0.8, not {self.power:g}."
            raise CallError(Argument("power"), low)
        check_at_least("systems", self.systems, 2)


@dataclass(frozen=True, eq=False, repr=False)
class TopicPlan(Result):
    """Number of topics needed for each metric and experimental design.

    `frame` has metric and design. `goal` is the difference to detect, the width of the confidence
    interval, or the margin of equivalence. `systems` is the number of systems in an ANOVA.
    `variance` is the residual variance of a score within a system; a difference between two systems
    has twice this variance. `topics` is the number of topics needed, null if the variance is 0.
    `cautious` is the number of topics needed if the variance is at its upper 80 % confidence limit,
    null if the variance was not estimated from a pilot.
    """

    frame: pl.DataFrame = field(repr=False)
    goals: TopicGoals
    metrics: tuple[Metric, ...] = ()
    pilot: tuple[int, int] | None = None  # systems and topics
    found_notes: tuple[Note, ...] = ()

    @property
    def header(self) -> dict[str, Any]:
        goals = {"alpha": self.goals.alpha, "power": self.goals.power}
        pilot = None if self.pilot is None else {"runs": self.pilot[0], "topics": self.pilot[1]}
        return goals | {"metrics": [metric.record for metric in self.metrics], "pilot": pilot}

    @property
    def caption(self) -> str:
        levels = f"alpha {self.goals.alpha:g}, power {self.goals.power:g}"
        if self.pilot is None:
            return f"Topics needed ({levels}; variance as given)"
        return f"Topics needed ({levels}; pilot: {self.pilot[0]} runs, {self.pilot[1]} topics)"

    @property
    def notes(self) -> list[Note]:
        power = f"with power {self.goals.power:g}"
        meaning = {
            "t-test": "number of topics with which a paired t-test of two systems detects a "
            f"difference as large as 'goal' {power}",
            "two-way ANOVA": "number of topics with which an F-test, paired by topic, detects a "
            f"difference as large as 'goal' between the best and the worst system {power}",
            "one-way ANOVA": "number of topics for an F-test without pairing by topic (Sakai's "
            "design)",
            "interval": "number of topics with which the confidence interval of a difference is "
            "expected to be as narrow as 'goal'",
            "equivalence": "number of topics with which two equal systems are shown to differ by "
            f"less than 'goal' {power} (TOST)",
        }
        used = [name for name in meaning if name in self.frame["design"].to_list()]
        text = ". ".join(f"'{name}' gives the {meaning[name]}" for name in used)
        notes = [detail("designs", text)]
        if self.pilot is not None:
            what = "'cautious' is the number of topics needed if the true variance is as large as "
            what += "the upper 80 % confidence limit of its estimate"
            notes.append(detail("cautious", what))
        return [*notes, *self.found_notes]

    def table(self, *, digits: int = 4) -> Table:
        """Return `frame` as a table, without columns that are empty."""
        frame = self.frame
        full = [column.name for column in frame if column.null_count() < len(column)]
        return Table(frame.select(full), digits=digits, caption=self.caption)


def plan_topics(
    data: QrelsLike | Collection | Scores | None = None,
    runs: RunsLike | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    difference: float | None = None,
    width: float | None = None,
    margin: float | None = None,
    systems: int | None = None,
    variance: float | Mapping[str, float] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> TopicPlan:
    """Compute the number of topics for a power, an interval width or an equivalence margin.

    The method is topic set size design (Sakai, Information Retrieval Journal 19, 2016). The
    variances come from a pilot (at least two runs on some topics) or from `variance`. Paired
    designs use the residual variance of a two-way ANOVA, which excludes the variance between
    topics. Sakai's one-way ANOVA has a residual variance that includes the variance between topics.

    Parameters
    ----------
    data, runs, metrics
        A pilot experiment, as judgments, runs and metrics in the form that `score` accepts. `data`
        may also be `Scores`.
    difference
        Difference to be detected: between two systems by a paired t-test, and, if there are more
        than two `systems`, between the best and the worst by a two-way and a one-way ANOVA.
    width
        Expected width of the confidence interval of a difference between two systems.
    margin
        Equivalence margin: two equal systems are to be shown equivalent within ± margin.
    systems
        Number of systems of an ANOVA. The default is the number of runs of the pilot, or 2 without
        a pilot.
    variance
        Instead of a pilot: the residual variance of scores within systems, one number or
        `{metric: variance}`. The variance of a difference is twice as large.
    alpha, power
        Significance level and power. Confidence intervals have level 1 − alpha.

    Returns
    -------
    TopicPlan
        One row per metric and design.

    Examples
    --------
    >>> plan_topics(difference=0.1, variance=0.02).frame.select("design", "topics").rows()
    [('t-test', 34)]
    """
    goals = TopicGoals(difference, width, margin, systems, alpha, power)
    if variance is not None:
        if data is not None or runs is not None:
            what = " cannot be combined with judgments, runs or scores. Remove one of them."
            raise CallError(Argument("variances", python="variance"), what)
        return _from_variances(goals, variance, metrics)
    if data is None:
        what = "there is no data to estimate the variance. Give judgments and runs, scores, or "
        raise CallError(what, Argument("variances", python="variance"), ".")
    scores = scores_of_input(data, runs, metrics)
    if len(scores.runs) < 2:
        raise TooLittle(ONE_RUN)
    rows: list[dict[str, Any]] = []
    notes = list(scores.notes)
    for metric, values in zip(scores.metrics, scores.value, strict=True):
        table = _complete(metric, values)
        if table.shape[1] < FEW_TOPICS:
            few = (
                f"the pilot has only {table.shape[1]} topics, so the variance is a rough estimate."
            )
            notes.append(warning("small-pilot", few, metric=metric))
        residual = residual_variance(table)
        rows += _rows(goals, str(metric), residual, systems or len(scores.runs))
        if not residual.two_way > 0:
            same = "differences between runs are the same on every topic. Without variance, "
            text = f"{same}the number of topics needed cannot be computed."
            notes.append(warning("no-variance", text, metric=metric))
    pilot = (len(scores.runs), len(scores.topics))
    return TopicPlan(_frame(rows), goals, scores.metrics, pilot, tuple(notes))


def _complete(metric: Metric, values: Floats) -> Floats:
    """Return the scores on the topics for which every run has a score.

    An error is raised if there are fewer than two of these topics.
    """
    table = values[:, np.isfinite(values).all(axis=0)]
    if table.shape[1] < 2:
        raise too_few_topics(metric, table.shape[1], 2)
    return table


def _from_variances(
    goals: TopicGoals, variance: float | Mapping[str, float], metrics: MetricsLike
) -> TopicPlan:
    named = dict(variance) if isinstance(variance, Mapping) else None
    if named is None:
        parsed: Sequence[Metric] = () if metrics is DEFAULT_METRICS else parse_all(metrics)
        assert isinstance(variance, int | float)
        named = {str(metric): float(variance) for metric in parsed} or {"": float(variance)}
    elif metrics is not DEFAULT_METRICS:
        what = (" already names the metrics. Remove ", Argument("metrics"), ".")
        raise CallError(Argument("variances", python="variance"), *what)
    rows: list[dict[str, Any]] = []
    for name, value in named.items():
        check_above_0("variances", value, python="variance")
        rows += _rows(goals, name, ResidualVariance(value, value, 0, 0), goals.systems or 2)
    return TopicPlan(_frame(rows), goals, tuple(map(parse, filter(None, named))))


def _rows(
    goals: TopicGoals, metric: str, residual: ResidualVariance, systems: int
) -> Iterator[dict[str, Any]]:
    """Yield a row of `TopicPlan.frame` for each design with a goal in `goals`.

    An ANOVA has a row only if there are more than two systems.
    """
    alpha, power = goals.alpha, goals.power
    levels = {"alpha": alpha, "power": power}
    range_of_systems = goals.difference if systems > 2 else None
    designs: list[tuple[str, float | None, Callable[[float, float], float]]] = [
        ("t-test", goals.difference, lambda g, v: t_test_topics(g, 2 * v, **levels)),
        (
            "two-way ANOVA",
            range_of_systems,
            lambda g, v: anova_topics(g, v, systems, paired=True, **levels),
        ),
        (
            "one-way ANOVA",
            range_of_systems,
            lambda g, v: anova_topics(g, v, systems, paired=False, **levels),
        ),
        ("interval", goals.width, lambda g, v: width_topics(g, 2 * v, alpha=alpha)),
        ("equivalence", goals.margin, lambda g, v: equivalence_topics(g, 2 * v, **levels)),
    ]
    for design, goal, topics in designs:
        if goal is None:
            continue
        one_way = design == "one-way ANOVA"
        variance = residual.one_way if one_way else residual.two_way
        error = residual.one_way_error if one_way else residual.two_way_error
        high = variance * float(np.exp(CAUTIOUS * error))
        counts = [topics(goal, v) if v > 0 else np.inf for v in (variance, high)]
        needed = [int(count) if np.isfinite(count) else None for count in counts]
        yield {
            "metric": metric or None,
            "design": design,
            "goal": goal,
            "systems": systems if "ANOVA" in design else None,
            "variance": variance,
            "topics": needed[0],
            "cautious": needed[1] if error > 0 else None,
        }


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    whole = dict.fromkeys(("systems", "topics", "cautious"), pl.Int64)
    text, real = dict.fromkeys(("metric", "design"), pl.String), pl.Float64
    return pl.DataFrame(rows, schema_overrides=text | whole | {"goal": real, "variance": real})


@dataclass(frozen=True, eq=False, repr=False)
class BudgetPlan(Result):
    """Trade-off between the number of topics and the pool depth, for one budget of judgments.

    `frame` has one row per metric and pool depth:

    - `documents`: mean number of documents in the pool of a topic.
    - `topics`: number of topics that the budget allows at this depth.
    - `variance`: residual variance of scores under the judgments of this pool.
    - `difference`: smallest difference that a paired t-test of two systems detects with the
      requested power.
    - `width`: expected width of the confidence interval of a difference between two systems.
    - `tau`: Kendall's tau between the system rankings under this pool and under all judgments.
    - `budget_needed`: number of judgments needed to detect the requested difference at this depth;
      null if no difference was requested or `variance` is 0.

    `difference` and `width` are null if `topics` is below 2 or `variance` is 0.
    """

    _header = ("budget", "alpha", "power", "metrics", "difference")

    frame: pl.DataFrame = field(repr=False)
    budget: int
    alpha: float
    power: float
    difference: float | None
    metrics: tuple[Metric, ...]
    pilot: tuple[int, int]
    found_notes: tuple[Note, ...] = ()

    @property
    def caption(self) -> str:
        levels = f"alpha {self.alpha:g}, power {self.power:g}"
        pilot = f"pilot: {self.pilot[0]} runs, {self.pilot[1]} topics"
        return f"Topics against pool depth for {self.budget:,} judgments ({levels}; {pilot})"

    @property
    def notes(self) -> list[Note]:
        notes = []
        for metric in self.metrics:
            rows = self.frame.filter(pl.col("metric") == str(metric), pl.col("tau") >= AGREES)
            best = rows.drop_nulls("difference").sort("difference").head(1)
            if best.height:
                depth, topics, least = best.select("depth", "topics", "difference").row(0)
                what = f"depth {depth} with {topics:,} topics detects the smallest difference"
                among = (
                    "Only pool depths are considered whose system ranking agrees with that of all "
                )
                text = f"{what} ({least:.4f}). {among}judgments (tau of {AGREES:g} or more)."
                notes.append(note("best", text, metric=metric))
        text = (
            "'documents' is the mean number of documents in the pool of a topic. 'difference' is "
            f"the smallest difference that a paired t-test detects with power {self.power:g}. "
            "'width' is the expected width of the confidence interval of a difference. 'tau' is "
            "the rank correlation of the system rankings under this pool and under all judgments"
        )
        return [*notes, detail("columns", text), *self.found_notes]

    def table(self, *, digits: int = 4) -> Table:
        """Return `frame` as a table, without `budget_needed` if no difference was requested."""
        frame = self.frame if self.difference is not None else self.frame.drop("budget_needed")
        frame = frame.with_columns(pl.col("documents").round(1))
        return Table(frame, digits=digits, caption=self.caption)


def plan_budget(
    data: QrelsLike | Collection,
    runs: RunsLike | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    budget: int,
    depths: Sequence[int] = DEPTHS,
    difference: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> BudgetPlan:
    """Compare pool depths for one budget: many topics with shallow pools, or few with deep pools.

    At each depth, judged documents outside the pool of the runs are treated as unjudged, and the
    residual variance (see `plan_topics`) is computed from the scores under the remaining judgments.
    The number of topics is the budget divided by the mean size of the pool of a topic, rounded
    down. An undefined score, such as AP on a topic without a relevant document in the pool, counts
    as 0.

    Parameters
    ----------
    data, runs, metrics
        A pilot experiment, in the form that `score` accepts. Its judgments must be at least as deep
        as the deepest pool.
    budget
        Number of judgments.
    depths
        Pool depths.
    difference
        Also compute the number of judgments needed to detect this difference at each depth.
    alpha, power
        Significance level and power of the paired t-test.

    Returns
    -------
    BudgetPlan
        One row per metric and depth: number of topics, smallest detectable difference, width of the
        confidence interval of a difference, and Kendall's tau between the system rankings under
        the judgments in the pool and under all judgments.
    """
    check_at_least("budget", budget)
    if not depths or min(depths) < 1:
        what = " must be whole numbers, 1 or more."
        raise CallError(Argument("pool_depths", python="depths"), what)
    TopicGoals(difference or 1.0, alpha=alpha, power=power)
    wanted = tuple(parse_all(metrics))
    collection = as_collection(data, runs)
    check_shared_ties(wanted, collection.depth)
    collection.check_all_topics("a plan for a budget")
    cuttable = Cuttable.of(collection)
    if len(cuttable.whole.runs) < 2:
        raise TooLittle(ONE_RUN)
    pooled = replace(collection, depth=max(depths), lengths=None).judged(Needs(documents=True))
    rows_of_pool, topics = pooled.retrieved, len(pooled.topics)
    assert rows_of_pool is not None
    # Mean number of documents in the pool of a judged topic.
    sizes = {n: float(rows_of_pool.above(n).distinct(topics).mean()) for n in depths}
    entered = cuttable.pool_depth()
    full = score_judged(cuttable.ranked, wanted)
    rows: list[dict[str, Any]] = []
    for depth in track(sorted(set(depths)), "pool depths"):
        scores = score_judged(cuttable.where(entered <= depth), wanted)
        for number, metric in enumerate(wanted):
            means = [np.nan_to_num(one.value[number]).mean(axis=1) for one in (full, scores)]
            tau = kendall(dense_ranks(means[0]), dense_ranks(means[1]))
            table = _complete(metric, np.nan_to_num(scores.value[number]))
            two_way = residual_variance(table).two_way
            cost = {"metric": str(metric), "depth": depth, "documents": sizes[depth]}
            rows.append(cost | _at_depth(sizes[depth], two_way, budget, difference, alpha, power))
            rows[-1]["tau"] = float(tau)
    order = pl.Enum([str(metric) for metric in wanted])
    frame = pl.DataFrame(rows).sort(pl.col("metric").cast(order), maintain_order=True)
    columns = ["metric", "depth", "documents", "topics", "variance", "difference", "width", "tau"]
    frame = frame.select(*columns, "budget_needed").fill_nan(None)
    pilot = (len(full.runs), len(full.topics))
    return BudgetPlan(frame, budget, alpha, power, difference, wanted, pilot, tuple(full.notes))


def _at_depth(
    documents: float, variance: float, budget: int, goal: float | None, alpha: float, power: float
) -> dict[str, Any]:
    """Return the columns of `BudgetPlan` for one pool depth, except depth, documents and tau."""
    topics = int(budget // documents)
    enough = topics >= 2 and variance > 0
    effect = float(smallest_effect(topics, alpha, power)[0]) if enough else np.nan
    needed = None
    if goal is not None and variance > 0:
        count = t_test_topics(goal, 2 * variance, alpha=alpha, power=power)
        needed = round(count * documents) if np.isfinite(count) else None
    return {
        "topics": topics,
        "variance": variance,
        "difference": effect * float(np.sqrt(2 * variance)),
        "width": expected_width(topics, 2 * variance, alpha=alpha) if enough else np.nan,
        "budget_needed": needed,
    }
