"""Rules of a gate: conditions on a candidate, and their outcomes.

A rule passes, fails, or is inconclusive. A rule is inconclusive if the topics are too few to decide
it, if too many documents are unjudged, or if the numbers that it needs cannot be computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import floor, isfinite, isinf, isnan, log10, nan
from typing import Literal, TypeAlias

from rankwise.arrays import LARGEST_SCORE, NEAR
from rankwise.comparison.pairs import FEW_TOPICS
from rankwise.errors import CallError, RankwiseError, shorten
from rankwise.metrics import Metric, parse
from rankwise.results import p_of_sentence
from rankwise.wording import Argument, Count

Outcome: TypeAlias = Literal["passes", "fails", "inconclusive"]
Kind: TypeAlias = Literal["max-drop", "significant", "min", "max-empty", "max-unjudged"]
# {metric: limit}, a text such as "nDCG@10=0.01,AP=0.02", or several texts.
Limits: TypeAlias = str | Mapping[str, float] | Iterable[str]

PASSES: Outcome = "passes"
FAILS: Outcome = "fails"
INCONCLUSIVE: Outcome = "inconclusive"
POWER = 0.8  # probability for which `topics_needed` is computed


@dataclass(frozen=True)
class Numbers:
    """Numbers that a rule tests, for candidate and baseline.

    `baseline` and `candidate` are means of a metric, mean unjudged fractions (`max-unjudged`), or
    numbers of queries without results (`max-empty`). `difference` is candidate − baseline. For
    `max-drop` and `significant`, all three are over the `topics` for which both runs have a score.
    `worse` is the number of topics on which the candidate is worse, and `p` the corrected p-value.
    `low` and `high` are the limits of a confidence interval at `level`, for the difference or, if
    the rule is `min`, for the mean of the candidate. `chance` is the probability that a candidate
    exactly as good as the baseline passes, and `topics_needed` the number of topics with which this
    probability is 80 %. Numbers that a rule does not use are NaN or 0.
    """

    baseline: float
    candidate: float
    difference: float
    topics: int
    worse: int = 0
    low: float = nan
    high: float = nan
    p: float = nan
    level: float = 0.95
    chance: float = nan
    topics_needed: float = nan

    @property
    def span(self) -> str:
        """The difference with its confidence interval."""
        limits = f"{self.low:+.4f} to {self.high:+.4f}"
        return f"{self.difference:+.4f} ({100 * self.level:g} % CI {limits})"


@dataclass(frozen=True)
class Rule:
    """A condition on a metric; `kind` is the argument of `gate` that has set it.

    The limit of a `significant` rule is the level α. The metric of `max-empty` is NumRet, and the
    metric of `max-unjudged` is Judged with the cutoff.
    """

    kind: Kind
    metric: Metric
    limit: float

    @property
    def drop(self) -> str:
        """The word for a change to a worse score: "drop", or "rise" if lower is better."""
        return "rise" if self.metric.less_is_better else "drop"

    @property
    def subject(self) -> str:
        """The name of the tested number: the first words of the reason for an outcome."""
        if self.kind == "max-unjudged":
            return f"Unjudged documents in the first {self.metric.cutoff}:"
        if self.kind == "max-empty":
            return "Queries without results:"
        return str(self.metric)

    def __str__(self) -> str:
        drop, least = self.drop, "most" if self.metric.less_is_better else "least"
        return {
            "max-drop": f"{self.metric}: {drop} below {self.limit:g}",
            "significant": f"{self.metric}: no significant {drop}",
            "min": f"{self.metric}: at {least} {self.limit:g}",
            "max-empty": f"at most {self.limit:g} queries without results",
            "max-unjudged": f"at most {_percent(self.limit)} unjudged documents in the first "
            f"{self.metric.cutoff}",
        }[self.kind]

    def outcome(self, numbers: Numbers) -> tuple[Outcome, str]:
        """Return the outcome of the rule for these numbers, and the reason in words."""
        means = (numbers.baseline, numbers.candidate, numbers.difference)
        if any(abs(mean) > LARGEST_SCORE for mean in means):  # sums of squares overflow
            return INCONCLUSIVE, f"scores are larger than {LARGEST_SCORE:g}, and cannot be tested"
        if self.kind == "max-drop":
            return self._non_inferior(numbers)
        if self.kind == "significant":
            return self._significant(numbers)
        if self.kind == "min":
            return self._good_enough(numbers)
        if self.kind == "max-empty":
            few = numbers.candidate <= self.limit
            return PASSES if few else FAILS, f"{numbers.candidate:g} of {numbers.topics}"
        return self._judged_enough(numbers)

    def _non_inferior(self, numbers: Numbers) -> tuple[Outcome, str]:
        """Compare the confidence interval of the difference with the margin.

        The rule passes if the interval excludes a drop of the margin or more, and fails if it
        contains only larger drops. In all other cases the rule is inconclusive. With fewer than six
        topics the rule is inconclusive too, unless both runs have the same score on every topic.
        """
        if numbers.topics < 2:
            return INCONCLUSIVE, _too_few(numbers.topics)
        if numbers.low == numbers.high == 0:
            return PASSES, "+0.0000: the same score on every topic"
        if isnan(numbers.low) or isnan(numbers.high):
            what = f"{numbers.difference:+.4f} on each of {numbers.topics} topics"
            return INCONCLUSIVE, f"{what}: without variance there is no confidence interval"
        sign = self.metric.sign
        worst, best = sorted((sign * numbers.low, sign * numbers.high))
        larger = f"{self.drop} of more than {self.limit:g}"
        if numbers.topics < FEW_TOPICS and not worst <= -self.limit <= best:
            return INCONCLUSIVE, f"{numbers.span}: {_decide_nothing(numbers.topics)}"
        if worst > -self.limit:
            return PASSES, f"{numbers.span}: a {larger} is ruled out"
        if best < -self.limit:
            return FAILS, f"{numbers.span}: a {larger}"
        if best < 0:
            return INCONCLUSIVE, f"{numbers.span}: worse, but a {larger} is not proven"
        return INCONCLUSIVE, f"{numbers.span}: a {larger} cannot be ruled out"

    def prospect(self, numbers: Numbers) -> str:
        """Return sentences with the probability that an equally good candidate passes.

        If this probability is below 80 %, the number of topics for 80 % is added. The text is empty
        for rules other than `max-drop`, or if the probability is unknown.
        """
        if self.kind != "max-drop" or isnan(numbers.chance):
            return ""
        share = round(100 * numbers.chance)
        shown = "less than 1" if share < 1 else "more than 99" if share > 99 else str(share)
        topics = Count(numbers.topics, "topic")
        text = "a candidate as good as the baseline would pass"
        if isinf(numbers.topics_needed):
            return f"With any number of topics, {text} in {shown} % of tests."
        text = f"With {topics}, {text} in {shown} % of tests."
        if numbers.chance >= POWER:
            return text
        needed = rounded(numbers.topics_needed)
        return f"{text} To pass in {100 * POWER:g} %, it needs about {needed:,} topics."

    def _significant(self, numbers: Numbers) -> tuple[Outcome, str]:
        if numbers.topics < 2:
            return INCONCLUSIVE, _too_few(numbers.topics)
        if not numbers.worse:
            return PASSES, f"{numbers.difference:+.4f}: worse on no topic"
        if isnan(numbers.p):
            why = (
                "this test has no p-value if all differences are equal; the permutation and sign "
                "tests have one"
            )
            return INCONCLUSIVE, f"{numbers.difference:+.4f} on every topic: {why}"
        tested = f"{numbers.difference:+.4f}, {p_of_sentence(numbers.p, 4)}"
        if self.metric.sign * numbers.difference < 0 and numbers.p <= self.limit:
            if numbers.topics < FEW_TOPICS:
                return INCONCLUSIVE, f"{tested}: {_decide_nothing(numbers.topics)}"
            return FAILS, f"{tested}: a significant {self.drop}"
        return PASSES, f"{tested}: no significant {self.drop}"

    def _good_enough(self, numbers: Numbers) -> tuple[Outcome, str]:
        """Compare the mean of the candidate with the minimum (the maximum if lower is better).

        If the confidence interval contains the limit, the reason says that the outcome on other
        topics could differ.
        """
        mean, sign = numbers.candidate, self.metric.sign
        if isnan(mean):
            return INCONCLUSIVE, "no topic has a score"
        enough = sign * (mean - self.limit) >= -NEAR * abs(self.limit)
        least, wrong, right = "least", "below", "above"
        if self.metric.less_is_better:
            least, wrong, right = "most", "above", "below"
        verdict = f"at {least} {self.limit:g}" if enough else f"{wrong} {self.limit:g}"
        if isnan(numbers.low) or isnan(numbers.high):
            return (PASSES if enough else FAILS), f"{mean:.4f}: {verdict}"
        limits = f"{100 * numbers.level:g} % CI {numbers.low:.4f} to {numbers.high:.4f}"
        if numbers.low < self.limit < numbers.high:
            turned = wrong if enough else right
            verdict = f"{verdict} on these topics; on other topics it may be {turned}"
        why = f"{mean:.4f} ({limits}): {verdict}"
        return (PASSES if enough else FAILS), why

    def _judged_enough(self, numbers: Numbers) -> tuple[Outcome, str]:
        shares = {"candidate": numbers.candidate, "baseline": numbers.baseline}
        known = {name: share for name, share in shares.items() if not isnan(share)}
        shown = ", ".join(f"{name} {_percent(share)}" for name, share in known.items())
        if not known:
            return INCONCLUSIVE, "nothing is retrieved"
        allowed = f"{shown}; at most {_percent(self.limit)} is allowed"
        too_many = any(share > self.limit + NEAR for share in known.values())
        return (INCONCLUSIVE if too_many else PASSES), allowed


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


def rounded(count: float) -> int:
    """Round a count up to two significant digits; a count below 100 stays the same.

    >>> rounded(6_879), rounded(34), rounded(101)
    (6900, 34, 110)
    """
    unit = 10 ** max(floor(log10(max(count, 1))) - 1, 0)
    return int(-(-count // unit) * unit)


def _too_few(topics: int) -> str:
    there = "is one" if topics == 1 else "are none"
    return f"at least two topics with scores of both runs are needed; there {there}"


def _decide_nothing(topics: int) -> str:
    return f"{topics} topics are too few to decide; six are needed"


BETWEEN_LIMITS = re.compile(r",(?![^(]*\))(?=[^,]*=)")  # a comma outside brackets


def limits_of(limits: Limits | None, name: str) -> dict[str, float]:
    """Parse limits from a dict, from a text `nDCG@10=0.01,AP=0.02`, or from several texts.

    The result maps the name of a metric, or a cutoff, to its limit. `name` is the argument of
    `gate`, for errors.
    """
    if limits is None:
        return {}
    if isinstance(limits, Mapping):
        return {str(metric): _number(str(value), name) for metric, value in limits.items()}
    parsed: dict[str, float] = {}
    texts = [limits] if isinstance(limits, str) or not isinstance(limits, Iterable) else [*limits]
    if not all(isinstance(text, str) for text in texts):
        what = f" must be a dict or text, such as nDCG@10=0.01, not {shorten(repr(limits))}."
        raise CallError(Argument(name), what)
    for text in (part for several in texts for part in BETWEEN_LIMITS.split(several)):
        metric, equals, value = text.rpartition("=")
        if not equals or not metric.strip():
            raise CallError(Argument(name), f" {text!r} {_lacks(text.strip('= '), name)}")
        if metric.strip() in parsed:
            what = f" {text!r}: {metric.strip()} is given twice. Give only one limit."
            raise CallError(Argument(name), what)
        parsed[metric.strip()] = _number(value, name)
    return parsed


def _lacks(text: str, name: str) -> str:
    """Return the end of an error for a malformed limit: the missing part, and an example."""
    try:
        number = f"{float(text):g}"
    except ValueError:
        if name == "max_unjudged":
            return "is not of the form N=FRACTION. Write for example 10=0.2."
        return f"has no number. Write for example {text or 'nDCG@10'}=0.01."
    if name == "max_unjudged":
        depth, share = ("10", number) if float(text) <= 1 else (number, "0.2")
        return f"is not of the form N=FRACTION. Write for example {depth}={share}."
    return f"names no metric. Write for example nDCG@10={number}."


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
    max_empty: int | None,
    max_unjudged: Limits | None,
    alpha: float,
    find: Callable[[str], Metric] = parse,
) -> list[Rule]:
    """Return the rules set by the arguments of `gate`.

    `significant` has the metrics to test at level `alpha`. The function `find` returns the metric
    with a given name or alias.
    """
    rules = []
    for text, limit in limits_of(max_drop, "max_drop").items():
        if limit < 0:
            what = f" {text}={limit:g}: the allowed drop must be 0 or more."
            raise CallError(Argument("max_drop"), what)
        metric = _of_quality(find(text), "max_drop")
        if limit >= metric.greatest_difference:
            always = "so no drop is larger and the rule would always pass"
            raise _beyond_range("max_drop", text, limit, metric, always)
        rules.append(Rule("max-drop", metric, limit))
    tested = [_of_quality(metric, "significant") for metric in significant]
    rules += [Rule("significant", metric, alpha) for metric in tested]
    for text, limit in limits_of(minimum, "min").items():
        metric = find(text)
        low, high = metric.mean_range
        if metric.is_diagnostic or low <= limit <= high:
            rules.append(Rule("min", metric, limit))
            continue
        is_passed = (limit < low) != metric.less_is_better
        always = f"so the rule would always {'pass' if is_passed else 'fail'}"
        raise _beyond_range("min", text, limit, metric, always)
    if max_empty is not None:
        if max_empty < 0:
            raise CallError(Argument("max_empty"), f" must be 0 or more, not {max_empty}.")
        rules.append(Rule("max-empty", parse("NumRet"), max_empty))
    for text, limit in limits_of(max_unjudged, "max_unjudged").items():
        if not 0 <= limit <= 1:
            what = f" {text}={limit:g}: the fraction must be between 0 and 1."
            raise CallError(Argument("max_unjudged"), what)
        rules.append(Rule("max-unjudged", _judged_at(text), limit))
    if not rules:
        drop, worse = Argument("max_drop"), Argument("significant", True)
        least, empty = Argument("min"), Argument("max_empty")
        unjudged, what = Argument("max_unjudged"), "no rule is given. Give "
        raise CallError(what, drop, ", ", worse, ", ", least, ", ", empty, " or ", unjudged, ".")
    return rules


def _beyond_range(name: str, text: str, limit: float, metric: Metric, always: str) -> CallError:
    """Return an error for a limit outside the range of the metric.

    `always` says why the rule is useless. For limits that may be meant in per cent, the error
    suggests the fraction.
    """
    low, high = metric.mean_range
    what = f" {text}={limit:g}: {text} ranges from {low:g} to {high:g}, {always}."
    is_share = (low, high) == (0, 1) and 0 < limit < 100
    instead = f" Write {limit / 100:g} for {limit:g} %." if is_share else ""
    return CallError(Argument(name), what + instead)


def _of_quality(metric: Metric, name: str) -> Metric:
    if metric.is_diagnostic:
        what = f": {metric} does not measure quality and is not tested. Remove this metric."
        raise CallError(Argument(name), what)
    return metric


def _judged_at(cutoff: str) -> Metric:
    try:
        return parse(f"Judged@{cutoff}")
    except RankwiseError:
        what = f": N in N=FRACTION must be a whole number, 1 or more, not {cutoff!r}."
        raise CallError(Argument("max_unjudged"), what) from None
