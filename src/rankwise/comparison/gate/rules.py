"""Rules of a gate: conditions on a candidate, and their outcomes.

A rule passes, fails, or is undecided. It never passes for lack of numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import Literal, TypeAlias

from rankwise.arrays import LARGEST_SCORE, NEAR
from rankwise.errors import CallError, RankwiseError
from rankwise.metrics import Metric, parse
from rankwise.results import format_p
from rankwise.wording import Argument

Outcome: TypeAlias = Literal["passes", "fails", "undecided"]
Kind: TypeAlias = Literal["max-drop", "significant", "min", "max-unjudged"]
# {metric: limit}, "nDCG@10=0.01", or several of these.
Limits: TypeAlias = str | Mapping[str, float] | Iterable[str]

PASSES: Outcome = "passes"
FAILS: Outcome = "fails"
UNDECIDED: Outcome = "undecided"
NO_INTERVAL = "the differences on {} topics are all equal, or too few to resample"


@dataclass(frozen=True)
class Numbers:
    """Numbers that a rule tests: one metric on some topics, for candidate and baseline.

    `difference` is candidate − baseline, `low` and `high` are its confidence limits, and `p` is
    the corrected p-value. Comparisons are over the topics for which both have a score.
    """

    baseline: float
    candidate: float
    difference: float
    topics: int
    low: float = nan
    high: float = nan
    p: float = nan


@dataclass(frozen=True)
class Rule:
    """A condition on a metric. The limit of `significant` is the level α."""

    kind: Kind
    metric: Metric
    limit: float

    @property
    def drop(self) -> str:
        """The word for a change for the worse."""
        return "rise" if self.metric.less_is_better else "drop"

    def __str__(self) -> str:
        drop, least = self.drop, "most" if self.metric.less_is_better else "least"
        return {
            "max-drop": f"{self.metric}: {drop} below {self.limit:g}",
            "significant": f"{self.metric}: no significant {drop}",
            "min": f"{self.metric}: at {least} {self.limit:g}",
            "max-unjudged": f"at most {self.limit:g} unjudged in the first {self.metric.cutoff}",
        }[self.kind]

    def outcome(self, numbers: Numbers) -> tuple[Outcome, str]:
        """Return the outcome and the reason."""
        means = (numbers.baseline, numbers.candidate, numbers.difference)
        if any(abs(mean) > LARGEST_SCORE for mean in means):  # sums of squares overflow
            return UNDECIDED, f"scores are larger than {LARGEST_SCORE:g}: nothing can be tested"
        if self.kind == "max-drop":
            return self._non_inferior(numbers)
        if self.kind == "significant":
            return self._significant(numbers)
        if self.kind == "min":
            return self._good_enough(numbers)
        return self._judged_enough(numbers)

    def _non_inferior(self, numbers: Numbers) -> tuple[Outcome, str]:
        """Test non-inferiority: the worse confidence limit of the difference is above −limit."""
        if numbers.topics < 2:
            return UNDECIDED, _too_few(numbers.topics)
        if numbers.low == numbers.high == 0:
            return PASSES, "the same score on every topic"
        sign = self.metric.sign
        gain = sign * numbers.difference
        if isnan(numbers.low) or isnan(numbers.high):
            without = f"{numbers.difference:+.4f}, without a confidence interval"
            if gain <= -self.limit:
                return FAILS, f"mean {self.drop} exceeds the margin: {without}"
            return UNDECIDED, f"{without}: {NO_INTERVAL.format(numbers.topics)}"
        worst, best = sorted((sign * numbers.low, sign * numbers.high))
        span = f"{numbers.difference:+.4f} ({numbers.low:+.4f} to {numbers.high:+.4f})"
        if worst > -self.limit:
            return PASSES, span
        if best < 0:
            return FAILS, f"worse: {span}"
        if gain <= -self.limit:
            return FAILS, f"mean {self.drop} exceeds the margin: {span}"
        few = f"{numbers.topics} topics are too few to rule out a {self.drop} of {self.limit:g}"
        return FAILS, f"{few}: {span}"

    def _significant(self, numbers: Numbers) -> tuple[Outcome, str]:
        if numbers.topics < 2:
            return UNDECIDED, _too_few(numbers.topics)
        if isnan(numbers.p) and self.metric.sign * numbers.difference > 0:
            return PASSES, f"{numbers.difference:+.4f} on every topic"
        if isnan(numbers.p):
            why = "this test has no p where all differences are the same; permutation and sign do"
            return UNDECIDED, f"{numbers.difference:+.4f} on every topic: {why}"
        p = format_p(numbers.p, 4)
        found = f"{numbers.difference:+.4f}, p {p if p.startswith('<') else f'= {p}'}"
        drop = self.metric.sign * numbers.difference < 0
        return (FAILS if drop and numbers.p <= self.limit else PASSES), found

    def _good_enough(self, numbers: Numbers) -> tuple[Outcome, str]:
        mean = numbers.candidate
        if isnan(mean):
            return UNDECIDED, "no topic has a score"
        enough = self.metric.sign * (mean - self.limit) >= -NEAR * abs(self.limit)
        return (PASSES if enough else FAILS), f"{mean:.4f}"

    def _judged_enough(self, numbers: Numbers) -> tuple[Outcome, str]:
        shares = {"candidate": numbers.candidate, "baseline": numbers.baseline}
        known = {name: share for name, share in shares.items() if not isnan(share)}
        shown = ", ".join(f"{name} {share:.4f}" for name, share in known.items())
        if not known:
            return UNDECIDED, "nothing is retrieved"
        holes = any(share > self.limit + NEAR for share in known.values())
        return (UNDECIDED if holes else PASSES), shown


def _too_few(topics: int) -> str:
    return f"at least two topics scored for both runs are needed; there {_are(topics)}"


def _are(count: int) -> str:
    return "is one" if count == 1 else "are none"


def limits_of(given: Limits | None, name: str) -> dict[str, float]:
    """Parse {metric: limit} from a dict, from `nDCG@10=0.01`, or from several of these."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(metric): _number(str(value), name) for metric, value in given.items()}
    found: dict[str, float] = {}
    for text in [given] if isinstance(given, str) else given:
        metric, equals, value = text.rpartition("=")
        if not equals or not metric.strip():
            example = "10=0.2" if name == "max_unjudged" else "nDCG@10=0.01"
            raise CallError(Argument(name), f" {text!r}: give it as {example}.")
        if metric.strip() in found:
            raise CallError(Argument(name), f" {text!r}: {metric.strip()} is given twice.")
        found[metric.strip()] = _number(value, name)
    return found


def _number(text: str, name: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise CallError(Argument(name), f" {text!r} is not a finite number.")
    return number


def rules_of(
    max_drop: Limits | None,
    significant: Iterable[Metric],
    minimum: Limits | None,
    max_unjudged: Limits | None,
    alpha: float,
) -> list[Rule]:
    """Return all rules, in the order of display."""
    rules = []
    for text, limit in limits_of(max_drop, "max_drop").items():
        if limit < 0:
            what = f" {text}={limit:g}: how much it may drop is 0 or more."
            raise CallError(Argument("max_drop"), what)
        rules.append(Rule("max-drop", _of_quality(parse(text), "max_drop"), limit))
    tested = [_of_quality(metric, "significant") for metric in significant]
    rules += [Rule("significant", metric, alpha) for metric in tested]
    for text, limit in limits_of(minimum, "min").items():
        rules.append(Rule("min", parse(text), limit))
    for text, limit in limits_of(max_unjudged, "max_unjudged").items():
        if not 0 <= limit <= 1:
            what = f" {text}={limit:g}: a share is between 0 and 1."
            raise CallError(Argument("max_unjudged"), what)
        rules.append(Rule("max-unjudged", _judged_at(text), limit))
    return rules


def _of_quality(metric: Metric, name: str) -> Metric:
    if metric.is_diagnostic:
        what = "says how much there was to measure, not how good a run is"
        raise CallError(Argument(name), f" {metric}: it {what}.")
    return metric


def _judged_at(cutoff: str) -> Metric:
    try:
        return parse(f"Judged@{cutoff}")
    except RankwiseError:
        what = f" {cutoff!r} is no cutoff: give it as 10=0.2."
        raise CallError(Argument("max_unjudged"), what) from None
