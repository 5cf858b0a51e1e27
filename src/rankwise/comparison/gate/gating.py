"""`gate`: whether a candidate is worse than a baseline, as a machine-readable outcome.

rules.py has the rules and their conditions, sides.py reads and scores candidate and baseline,
movement.py finds the topics that changed most, gate_result.py has the outcome, and gate_tables.py
formats it as table, JSON, Markdown and JUnit XML.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.comparison.gate.gate_result import Gate
from rankwise.comparison.gate.movement import BASELINE, CANDIDATE, topics_that_moved
from rankwise.comparison.gate.rules import (
    PASSES,
    UNDECIDED,
    Limits,
    Numbers,
    Rule,
    limits_of,
    rules_of,
)
from rankwise.comparison.gate.sides import Sides, both_sides
from rankwise.comparison.options import FAMILYWISE, TestOptions, about_small_groups
from rankwise.comparison.pairs import pair_numbers
from rankwise.errors import CallError, check_word
from rankwise.metrics import Metric, parse, parse_all
from rankwise.notes import Note, note
from rankwise.rankings import Collection, QrelsLike, RunLike
from rankwise.scores import ALL, DEFAULT_METRICS, MetricsLike, Scores
from rankwise.stats import differences_of, moments
from rankwise.vocabulary import Interval, Test
from rankwise.wording import Argument

__all__ = ["Gate", "gate"]

FIRST, SECOND = np.array([CANDIDATE]), np.array([BASELINE])


def gate(
    data: "QrelsLike | Collection",
    baseline: "RunLike | Scores",
    candidate: "RunLike",
    *,
    max_drop: "Limits | None" = None,
    significant: bool = False,
    min: "Limits | None" = None,
    max_unjudged: "Limits | None" = None,
    metrics: "MetricsLike | None" = None,
    alpha: float = 0.05,
    test: Test = "t",
    interval: Interval = "t",
    seed: int = 0,
    moved: int = 10,
) -> Gate:
    """Decide whether a candidate may replace a baseline.

    A rule passes, fails, or is undecided: with fewer than two topics, or if too many documents
    are unjudged. The gate fails if any rule fails, and passes if all pass.

    Parameters
    ----------
    data
        Judgments; or the result of `rankwise.read` for judgments alone, with all options of
        reading. With topic groups every rule applies to all topics and to each group.
    baseline
        A run, or its scores: a table that `rankwise score --by-topic` wrote, a frame with columns
        run, topic, metric and value, or `Scores`. Documents gained and lost are then unknown.
    candidate
        A run.
    max_drop
        {metric: margin}, or text as `"nDCG@10=0.01"`: fails unless the lower limit of the
        confidence interval of candidate − baseline is above −0.01. If lower is better, the upper
        limit must be below 0.01.
    significant
        Fails if the candidate is significantly worse by one of the `metrics`.
    min
        {metric: mean}: fails if the mean of the candidate is below it (above it if lower is
        better).
    max_unjudged
        {cutoff: fraction}, or text as `"10=0.2"`: undecided if more than this fraction of the top
        10 documents of either run is unjudged.
    metrics
        The metrics that `significant` tests; by default those of `max_drop`, or the default
        metrics.
    alpha
        The significance level, with Holm's correction over all tests. Confidence intervals are
        two-sided with level 1 − alpha, not adjusted for multiple comparisons.
    test
        `t`, `wilcoxon`, `sign`, `permutation` or `bootstrap`.
    interval
        `t` or `bootstrap`.
    seed
        The random seed.
    moved
        Number of topics that changed most to show for each metric.

    Returns
    -------
    Gate
        The outcome, one row per rule, and the topics that changed most; as text, JSON, Markdown
        and JUnit XML.

    Examples
    --------
    >>> qrels = {t: {"a": 1} for t in "12345"}
    >>> old = {t: {"a": 2, "b": 1} for t in "12345"}
    >>> new = old | {"3": {"b": 2, "a": 1}}
    >>> found = gate(qrels, old, new, max_drop={"RR": 0.05})
    >>> found.outcome, found.exit_code
    ('fails', 1)
    >>> found.moved.select("topic", "baseline", "candidate").rows()
    [('3', 1.0, 0.5)]
    """
    check_word("test", test, [name for name in get_args(Test) if name not in FAMILYWISE])
    ways = TestOptions(test=test, alpha=alpha, interval=interval, family="all", seed=seed)
    tested = _tested_metrics(metrics, significant, max_drop)
    rules = rules_of(max_drop, tested, min, max_unjudged, alpha)
    if not rules:
        raise CallError(
            *("no rule is given: give ", Argument("max_drop"), ", ", Argument("significant", True)),
            *(", ", Argument("min"), " or ", Argument("max_unjudged"), "."),
        )
    collection = data if isinstance(data, Collection) else Collection(data, None)
    if collection.runs is not None:
        raise CallError("gate takes its two runs by themselves: gate(read(qrels), old, new).")
    scored = {rule.metric: False for rule in rules if rule.kind != "max-unjudged"}
    scored |= {rule.metric: True for rule in rules if rule.kind in ("max-drop", "significant")}
    cutoffs = {rule.metric.cutoff or 0 for rule in rules if rule.kind == "max-unjudged"}
    sides = both_sides(collection, baseline, candidate, scored, cutoffs)
    scores = replace(sides.scores, input_notes=()).with_groups(collection.topic_groups)
    grouping = scores.input_notes
    rows = pl.DataFrame(_Rows(rules, sides, scores, ways).all(), schema=SCHEMA)
    return Gate(
        *(scores.runs[BASELINE], scores.runs[CANDIDATE]),
        rows,
        topics_that_moved(scores, list(scored), sides.documents, moved),
        {"topics": len(scores.topics), "alpha": alpha, "test": ways.test_name, "seed": seed},
        [*_notes(scores, rules, ways), *sides.notes, *grouping],
    )


SCHEMA: dict[str, Any] = {
    **dict.fromkeys(("group", "rule", "kind", "metric"), pl.String),
    "limit": pl.Float64,
    **dict.fromkeys(("outcome", "why"), pl.String),
    **dict.fromkeys(("baseline", "candidate", "difference", "conf_low", "conf_high"), pl.Float64),
    "p": pl.Float64,
    "topics": pl.Int64,
}


def _tested_metrics(
    metrics: "MetricsLike | None", significant: bool, max_drop: "Limits | None"
) -> Sequence[Metric]:
    if not significant:
        if metrics is not None:
            tests = Argument("significant", True)
            raise CallError("metrics are what ", tests, " tests: give it too.")
        return []
    if metrics is not None:
        return parse_all(metrics)
    named = [parse(text) for text in limits_of(max_drop, "max_drop")]
    return named or parse_all(DEFAULT_METRICS)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Outcome of each rule on all topics and on each group of topics."""

    rules: Sequence[Rule]
    sides: Sides
    scores: Scores
    ways: TestOptions

    def all(self) -> list[dict[str, Any]]:
        parts = {ALL: self.scores} | self.scores.by_group
        found = [
            (group, rule, self._numbers(rule, part))
            for group, part in parts.items()
            for rule in self.rules
        ]
        p = np.array([n.p if rule.kind == "significant" else np.nan for _, rule, n in found])
        corrected = self.ways.correct(p[None])[0]
        rows = [
            _row(group, rule, numbers, value)
            for (group, rule, numbers), value in zip(found, corrected.tolist(), strict=True)
        ]
        return _without_what_holes_decide(rows)

    def _numbers(self, rule: Rule, part: Scores) -> Numbers:
        if rule.kind == "max-unjudged":
            return self._shares(rule.metric.cutoff or 0, part)
        place = part.metrics.index(rule.metric)
        if rule.kind == "min":
            return _means(part, place)
        values = part.value[place]
        limit = rule.metric.greatest_difference
        tested = self.ways.tested(values, FIRST, SECOND, limit=limit)
        ends = _ends(values, tested.low, tested.high)
        pair = pair_numbers(values, FIRST, SECOND, ends=ends, sign=rule.metric.sign)
        means = (float(pair.mean_b[0]), float(pair.mean_a[0]), float(pair.difference[0]))
        limits = (float(pair.conf_low[0]), float(pair.conf_high[0]))
        return Numbers(*means, int(pair.topics[0]), *limits, float(tested.p[0]))

    def _shares(self, cutoff: int, part: Scores) -> Numbers:
        here = np.isin(self.scores.topics, part.topics)
        shares = self.sides.unjudged[cutoff][:, here]
        mean = moments(shares).mean
        before, after = float(mean[BASELINE]), float(mean[CANDIDATE])
        topics = int(np.isfinite(shares[CANDIDATE]).sum())
        return Numbers(before, after, after - before, topics)


def _means(part: Scores, place: int) -> Numbers:
    """Means of a metric as in `score`, each over its own topics."""
    totals = part.totals
    before, after = (float(totals["value"][place][at]) for at in (BASELINE, CANDIDATE))
    return Numbers(before, after, after - before, int(totals["topics"][place][CANDIDATE]))


def _ends(values: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Confidence limits, which are 0 if the two runs have the same score on every topic.

    Constant differences other than 0 have no limits: their variance cannot be estimated.
    """
    found = moments(differences_of(values, FIRST, SECOND))
    same = (found.sd == 0) & (found.mean == 0)
    return np.where(same, 0.0, low), np.where(same, 0.0, high)


def _row(group: str, rule: Rule, numbers: Numbers, corrected: float) -> dict[str, Any]:
    tested = rule.kind == "significant"
    if tested:
        numbers = Numbers(**vars(numbers) | {"p": corrected})
    outcome, why = rule.outcome(numbers)
    row: dict[str, Any] = {"baseline": numbers.baseline, "candidate": numbers.candidate}
    row |= {"difference": numbers.difference, "conf_low": numbers.low, "conf_high": numbers.high}
    row |= {"p": numbers.p if tested else np.nan}
    row = {name: None if np.isnan(value) else value for name, value in row.items()}
    told: dict[str, Any] = {"group": group, "rule": str(rule), "kind": rule.kind}
    told |= {"metric": str(rule.metric)}
    told |= {"limit": rule.limit, "outcome": outcome, "why": why}
    return {**told, **row, "topics": numbers.topics}


def _without_what_holes_decide(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Make all rules on the same topics undecided if too many documents are unjudged."""
    holes = {
        row["group"]
        for row in rows
        if row["kind"] == "max-unjudged" and row["outcome"] == UNDECIDED
    }
    for row in rows:
        if row["group"] in holes and row["kind"] != "max-unjudged":
            would = "would pass" if row["outcome"] == PASSES else f"{row['outcome']} otherwise"
            if row["outcome"] != UNDECIDED:
                row["why"] = f"too much is unjudged; {would}: {row['why']}"
            row["outcome"] = UNDECIDED
    return sorted(rows, key=lambda row: row["kind"] != "max-unjudged" and row["group"] in holes)


def _notes(scores: Scores, rules: Sequence[Rule], ways: TestOptions) -> list[Note]:
    kinds = {rule.kind for rule in rules}
    percent = f"{100 * (1 - ways.alpha):g} %"
    notes = []
    if "max-drop" in kinds:
        what = f"{percent} confidence interval {ways.interval_words}"
        notes.append(note("intervals", f"in brackets: {what}"))
    if "significant" in kinds:
        count = len([rule for rule in rules if rule.kind == "significant"])
        family = count * (1 + len(scores.by_group))
        over = f"Holm over {family} comparison{'s' * (family != 1)}, α = {ways.alpha:g}"
        notes.append(note("test", f"p: two-sided {ways.test_name}, {over}"))
    if ways.repeats or ways.interval == "bootstrap":
        notes.append(note("seed", f"seed {ways.seed}"))
    less = [str(rule.metric) for rule in rules if rule.metric.less_is_better]
    names = ", ".join(dict.fromkeys(less))
    notes += [note("less-is-better", f"less is better: {names}")] if less else []
    sizes = {name: len(part.topics) for name, part in scores.by_group.items()}
    return [*notes, *about_small_groups(sizes)]
