"""`gate`: a machine-readable decision on whether a candidate may replace a baseline.

rules.py has the rules and their conditions. sides.py reads and scores candidate and baseline, and
lists the topics that changed most. gate_result.py has the result, and formats it as text, JSON,
Markdown, JUnit XML and GitHub annotations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from rankwise.comparison.comparing import test_options
from rankwise.comparison.gate.gate_result import Gate
from rankwise.comparison.gate.rules import (
    FAILS,
    INCONCLUSIVE,
    PASSES,
    POWER,
    Limits,
    Numbers,
    Rule,
    limits_of,
    rules_of,
)
from rankwise.comparison.gate.sides import (
    BASELINE,
    CANDIDATE,
    Sides,
    both_sides,
    large_drops,
    sides_of_scores,
    topics_that_moved,
)
from rankwise.comparison.options import CORRECTIONS, FAMILYWISE, TestOptions, about_small_groups
from rankwise.comparison.pairs import pair_numbers
from rankwise.errors import CallError, check_word
from rankwise.metrics import Metric, listed, parse, parse_all
from rankwise.notes import Note, note
from rankwise.rankings import Collection, QrelsLike, RunLike
from rankwise.scores import (
    ALL,
    DEFAULT_METRICS,
    MetricsLike,
    Scores,
    confidence,
)
from rankwise.stats import chance_if_equal, differences_of, moments, topics_for_chance
from rankwise.vocabulary import MeanInterval, Test
from rankwise.wording import Argument

__all__ = ["Gate", "gate"]

COUNTED = ("max-empty", "max-unjudged")  # rules that do not use scores
FIRST, SECOND = np.array([CANDIDATE]), np.array([BASELINE])


def gate(
    data: "QrelsLike | Collection | Scores",
    baseline: "RunLike | Scores",
    candidate: "RunLike",
    *,
    max_drop: "Limits | None" = None,
    significant: bool = False,
    min: "Limits | None" = None,
    max_empty: int | None = None,
    max_unjudged: "Limits | None" = None,
    metrics: "MetricsLike | None" = None,
    alpha: float = 0.05,
    test: Test | TestOptions = "t",
    seed: int = 0,
    moved: int = 10,
    inconclusive: Literal["pass", "fail"] | None = None,
) -> Gate:
    """Decide whether a candidate may replace a baseline.

    Each rule passes, fails, or is inconclusive, usually because there are too few topics or too
    many unjudged documents. The gate fails if any rule fails, passes if all rules pass, and is
    otherwise inconclusive.

    Parameters
    ----------
    data
        Judgments. To set options for reading, pass `rankwise.read(qrels, …)` without runs. With
        topic groups every rule applies to all topics and to each group. If `data` is `Scores` (see
        `read_scores`), `baseline` and `candidate` are names of its runs.
    baseline
        A run, or its saved scores: a table written by `rankwise score --by-topic`, a frame with
        columns run, topic, metric and value, or `Scores`. With saved scores, the result cannot list
        the documents that the candidate gained or lost.
    candidate
        A run.
    max_drop
        {metric: margin}, or a text such as `"nDCG@10=0.01"`. With the margin 0.01, the rule passes
        if the whole confidence interval of candidate − baseline is above −0.01, and fails if the
        whole interval is below −0.01. It is inconclusive if the interval contains −0.01, or if
        there are fewer than six topics. If lower is better, the rule passes if the whole interval
        is below +0.01, and fails if it is above +0.01.
    significant
        Whether to add a rule for each of the `metrics`, which fails if the candidate is
        significantly worse.
    min
        {metric: mean}. The rule fails if the mean of the candidate is below the given mean (above
        it if lower is better). The confidence interval in the result shows the uncertainty of the
        mean due to the sample of topics; the outcome does not depend on the interval.
    max_empty
        The rule fails if the candidate returns nothing for more queries than this number.
    max_unjudged
        {cutoff: fraction}, or a text such as `"10=0.2"`: the rule is inconclusive if more than 20 %
        of the top 10 documents of either run are unjudged, as a mean over topics. In this case,
        other rules that would pass are inconclusive too.
    metrics
        The metrics that `significant` tests. The default is the metrics of `max_drop`. Without
        `max_drop`, the default is that of `score`, or all metrics of quality in `Scores`.
    alpha
        The significance level. The p-values of all `significant` rules are corrected together by
        Holm's method. Confidence intervals are two-sided with level 1 − alpha, not adjusted for
        multiple comparisons.
    test
        `t`, `wilcoxon`, `sign`, `permutation` or `bootstrap`. Instead, `TestOptions` has more
        options, for example `interval="bootstrap"`; set `alpha` and `seed` in it too.
    seed
        The random seed.
    moved
        Maximum number of topics to list for each metric, out of those whose score changed. Topics
        for which the candidate returned no results come first, then those with the largest changes.
    inconclusive
        The exit code of an inconclusive gate: 0 for `pass`, 1 for `fail`, and 2 by default.

    Returns
    -------
    Gate
        The outcome of each rule, and the topics that changed most, with methods that write text,
        JSON, Markdown, JUnit XML and GitHub annotations.

    Examples
    --------
    >>> qrels = {t: {"a": 1} for t in "12345"}
    >>> old = {t: {"a": 2, "b": 1} for t in "12345"}
    >>> new = old | {"3": {"b": 2, "a": 1}}
    >>> found = gate(qrels, old, new, max_drop={"RR": 0.05})
    >>> found.outcome, found.exit_code
    ('inconclusive', 2)
    >>> print(found.frame["prospect"][0])
    With 5 topics, a candidate as good as the baseline would pass in 6 % of tests. To pass in \
80 %, it needs about 160 topics.
    >>> found.moved.select("topic", "baseline", "candidate").rows()
    [('3', 1.0, 0.5)]
    """
    check_word("inconclusive", inconclusive or "pass", ["pass", "fail"])
    options = _options(test, alpha, seed)
    # Returns the metric with a name or an alias. Imported scores may have metrics of their own.
    find = (lambda name: data[name].metrics[0]) if isinstance(data, Scores) else parse
    tested = _tested_metrics(data, metrics, significant, max_drop, find)
    rules = rules_of(max_drop, tested, min, max_empty, max_unjudged, options.alpha, find)
    compared = {rule.metric: rule.kind in ("max-drop", "significant") for rule in reversed(rules)}
    scored = {rule.metric: compared[rule.metric] for rule in rules if rule.kind not in COUNTED}
    cutoffs = {rule.metric.cutoff or 0 for rule in rules if rule.kind == "max-unjudged"}
    if isinstance(data, Scores):
        if max_empty is not None:
            what = " counts empty rankings; scores have no rankings. Give judgments and runs."
            raise CallError(Argument("max_empty"), what)
        sides = sides_of_scores(data, baseline, candidate, list(scored), cutoffs)
    else:
        collection = data if isinstance(data, Collection) else Collection(data, None)
        sides = both_sides(collection, baseline, candidate, scored, cutoffs)
    scores = replace(sides.scores, input_notes=()).with_groups(sides.groups)
    rows = pl.DataFrame(_Rows(rules, sides, scores, options).all(), schema=SCHEMA)
    return Gate(
        scores.runs[BASELINE],
        scores.runs[CANDIDATE],
        rows,
        topics_that_moved(scores, list(scored), sides, moved),
        large_drops(scores, [metric for metric, both in scored.items() if both]),
        sides.no_results,
        {
            "topics": len(scores.topics),
            "alpha": options.alpha,
            "test": options.test_name,
            "seed": options.seed,
        },
        [*_notes(scores, rules, options, rows), *sides.notes, *scores.input_notes],
        inconclusive,
    )


SCHEMA: dict[str, Any] = {
    **dict.fromkeys(("group", "rule", "kind", "metric"), pl.String),
    "limit": pl.Float64,
    **dict.fromkeys(("outcome", "why"), pl.String),
    **dict.fromkeys(("baseline", "candidate", "difference", "conf_low", "conf_high"), pl.Float64),
    "p": pl.Float64,
    "topics": pl.Int64,
    "chance": pl.Float64,
    "topics_needed": pl.Float64,
    "prospect": pl.String,
}


def _options(test: Test | TestOptions, alpha: float, seed: int) -> TestOptions:
    """Return the options of the tests; p-values of all rules are corrected together."""
    options = test_options(test, None, None, "metric", alpha, None, seed)
    check_word("test", options.test, [name for name in get_args(Test) if name not in FAMILYWISE])
    check_word("interval", options.interval or "t", ["t", "bootstrap"])
    unused = (options.baseline, options.margin, options.clusters)
    if any(each is not None for each in unused):
        what = "TestOptions of a gate must not have baseline, margin or clusters. Remove them."
        raise CallError(what)
    return replace(options, interval=options.interval or "t", family="all")


def _tested_metrics(
    data: object,
    metrics: "MetricsLike | None",
    significant: bool,
    max_drop: "Limits | None",
    find: Callable[[str], Metric],
) -> Sequence[Metric]:
    if not significant:
        if metrics is not None:
            tests, of_tests = Argument("significant", True), Argument("metrics")
            if max_drop:
                instead = (" or remove ", of_tests, ".")
            else:
                some = "nDCG@10" if isinstance(data, Scores) else parse_all(metrics)[0]
                instead = (" or use ", Argument("max_drop"), f" {some}=0.02 instead.")
            raise CallError(of_tests, " applies only with ", tests, ". Add ", tests, ",", *instead)
        return []
    dropped = [find(text) for text in limits_of(max_drop, "max_drop")]
    if isinstance(data, Scores):
        if metrics is not None:
            # Not parsed: imported scores may have metrics that rankwise does not know.
            return [find(name.strip()) for one in listed(metrics) for name in str(one).split(",")]
        return dropped or [metric for metric in data.metrics if not metric.is_diagnostic]
    if metrics is not None:
        return parse_all(metrics)
    return dropped or parse_all(DEFAULT_METRICS)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Computation of the outcome of each rule, on all topics and on each topic group."""

    rules: Sequence[Rule]
    sides: Sides
    scores: Scores
    options: TestOptions

    def all(self) -> list[dict[str, Any]]:
        parts = {ALL: replace(self.scores, groups=())} | self.scores.by_group
        numbers_of_rules = [
            (group, rule, self._numbers(rule, part))
            for group, part in parts.items()
            for rule in self.rules
        ]
        p = np.array(
            [n.p if rule.kind == "significant" else np.nan for _, rule, n in numbers_of_rules]
        )
        corrected = self.options.correct(p[None])[0]
        rows = [
            _row(group, rule, replace(numbers, p=value))
            for (group, rule, numbers), value in zip(
                numbers_of_rules, corrected.tolist(), strict=True
            )
        ]
        # If too many documents are unjudged, a rule on the same topics that would pass is
        # inconclusive. A rule that fails still fails.
        shares = [row for row in rows if row["kind"] == "max-unjudged"]
        unjudged = {row["group"] for row in shares if row["outcome"] == INCONCLUSIVE}
        for row in rows:
            if row["group"] in unjudged and row["kind"] != "max-unjudged":
                if row["outcome"] == PASSES:
                    row["why"] += ", but too many documents are unjudged for the rule to pass"
                    row["outcome"] = INCONCLUSIVE
                elif row["outcome"] == FAILS:
                    row["why"] += ", and too many documents are unjudged"
        return sorted(rows, key=lambda r: r["kind"] != "max-unjudged" and r["group"] in unjudged)

    def _numbers(self, rule: Rule, part: Scores) -> Numbers:
        if rule.kind == "max-unjudged":
            return self._shares(rule.metric.cutoff or 0, part)
        if rule.kind == "max-empty":
            empty = len(set(self.sides.no_results or ()) & set(part.topics))
            return Numbers(np.nan, empty, np.nan, len(part.topics))
        if rule.kind == "min":
            return self._means(part[str(rule.metric)])
        values = part.value[part.metrics.index(rule.metric)]
        limit = rule.metric.greatest_difference
        tested = self.options.tested(values, FIRST, SECOND, limit=limit)
        pair = pair_numbers(values, FIRST, SECOND, sign=rule.metric.sign)
        moment = moments(differences_of(values, FIRST, SECOND))
        # If both runs have the same score on every topic, the interval is 0 to 0. Any other
        # constant difference has no interval, because its variance cannot be estimated.
        same = moment.sd[0] == moment.mean[0] == 0
        numbers = Numbers(
            baseline=float(pair.mean_b[0]),
            candidate=float(pair.mean_a[0]),
            difference=float(pair.difference[0]),
            topics=int(pair.topics[0]),
            worse=int(pair.losses[0]),
            low=0.0 if same else float(tested.low[0]),
            high=0.0 if same else float(tested.high[0]),
            p=float(tested.p[0]),
            level=1 - self.options.alpha,
        )
        sd = float(moment.sd[0])
        if rule.kind != "max-drop" or not 0 < sd < np.inf:
            return numbers
        # An equally good candidate is assumed to have the same standard deviation of differences.
        margin, alpha = rule.limit / sd, self.options.alpha
        chance = chance_if_equal(margin, numbers.topics, alpha)
        needed = topics_for_chance(margin, alpha, POWER)
        return replace(numbers, chance=chance, topics_needed=needed)

    def _means(self, part: Scores) -> Numbers:
        """Return the mean of each run over its own topics, as in `score`.

        The confidence interval is that of the candidate's mean.
        """
        options = self.options
        kind: MeanInterval = "bootstrap" if options.interval == "bootstrap" else "logit"
        frame = confidence(part, 1 - options.alpha, interval=kind, seed=options.seed).frame
        columns = frame.select("run", "value", "topics", "conf_low", "conf_high")
        means = {run: numbers for run, *numbers in columns.fill_null(np.nan).rows()}
        before, *_ = means[part.runs[BASELINE]]
        after, topics, low, high = means[part.runs[CANDIDATE]]
        return Numbers(
            before, after, after - before, topics, low=low, high=high, level=1 - options.alpha
        )

    def _shares(self, cutoff: int, part: Scores) -> Numbers:
        here = np.isin(self.scores.topics, part.topics)
        shares = self.sides.unjudged[cutoff][:, here]
        mean = moments(shares).mean
        before, after = float(mean[BASELINE]), float(mean[CANDIDATE])
        topics = int(np.isfinite(shares[CANDIDATE]).sum())
        return Numbers(before, after, after - before, topics)


def _row(group: str, rule: Rule, numbers: Numbers) -> dict[str, Any]:
    outcome, why = rule.outcome(numbers)
    columns = ["baseline", "candidate", "difference", "low", "high", "p", "chance", "topics_needed"]
    known = {name: getattr(numbers, name) for name in columns}
    known = {name: value if np.isfinite(value) else None for name, value in known.items()}
    known["conf_low"], known["conf_high"] = known.pop("low"), known.pop("high")
    about: dict[str, Any] = {"group": group, "rule": str(rule), "kind": rule.kind}
    about |= {"metric": str(rule.metric), "limit": rule.limit, "outcome": outcome}
    about |= {"why": f"{rule.subject} {why}", "prospect": rule.prospect(numbers)}
    return {**about, **known, "topics": numbers.topics}


def _notes(
    scores: Scores, rules: Sequence[Rule], options: TestOptions, rows: pl.DataFrame
) -> list[Note]:
    percent = f"{100 * (1 - options.alpha):g} %"
    notes = []
    of_drops = rows.filter(kind="max-drop")
    if (of_drops["conf_high"] > of_drops["conf_low"]).any():
        text = f"'{percent} CI' is the confidence interval {options.interval_words}"
        notes.append(note("intervals", text))
    if family := rows.filter(kind="significant").height:
        correction = CORRECTIONS[options.applied]
        several = f"{correction} over {family} comparisons, " if family > 1 else ""
        over = f"{several}α = {options.alpha:g}"
        text = f"'p' is the p-value of the two-sided {options.test_name}, {over}"
        notes.append(note("test", text))
    if options.repeats or options.interval == "bootstrap":
        notes.append(note("seed", f"the random seed is {options.seed}"))
    less = [str(rule.metric) for rule in rules if rule.metric.less_is_better]
    names = ", ".join(dict.fromkeys(less))
    notes += [note("less-is-better", f"lower scores are better for {names}")] if less else []
    sizes = {name: len(part.topics) for name, part in scores.by_group.items()}
    return [*notes, *about_small_groups(sizes)]
