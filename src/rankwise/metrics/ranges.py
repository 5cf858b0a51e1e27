"""Metrics over a range of one parameter, for example RBP for p from 0.5 to 0.95."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import chain
from typing import NamedTuple, TypeAlias

from rankwise.errors import WrongParameter, shorten
from rankwise.metrics.grammar import listed, with_parameter
from rankwise.metrics.metric import Metric
from rankwise.metrics.registry import MetricLike
from rankwise.wording import Argument

OVER = Argument("over")
FORM = "Write it as p=0.5:0.95, p=0.5:0.95:0.05 (from : to : step) or p=0.5,0.8,0.95"
MOST = 1000  # maximum number of values; each value is one more metric to compute
INTERVALS = 9  # minimum number of intervals if no step is given
RangeLike: TypeAlias = "str | Mapping[str, Sequence[float]]"


class Range(NamedTuple):
    """The name of a metric's parameter, and the values for which a metric is computed."""

    parameter: str
    values: tuple[float, ...]

    @classmethod
    def parse(cls, over: RangeLike) -> "Range":
        """Parse `p=0.5:0.95`, `p=0.5:0.95:0.05` (with a step), `p=0.5,0.8`, or {"p": [0.5, 0.8]}.

        Both ends are included, for any step. The default step is 1, 2 or 5 times a power of ten,
        and gives from 10 to 24 values. If both ends are whole numbers more than 1 apart, as for
        cutoffs, the default step is at least 1, and may give fewer values.

        >>> Range.parse("p=0.5:0.95").values
        (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
        >>> Range.parse("cutoff=5:20:10")
        Range(parameter='cutoff', values=(5, 15, 20))
        """
        if isinstance(over, str):
            parameter, equals, text = "".join(over.split()).partition("=")
            if not (parameter and equals and text):
                raise WrongParameter(OVER, f" {shorten(repr(over))} is not a range. {FORM}.")
            return cls(parameter, tuple(map(_as_int_or_float, _values(text, over))))
        if len(over) != 1:
            what = f" has {len(over)} parameters: {', '.join(map(str, over))}. Give exactly one."
            raise WrongParameter(OVER, what)
        [(parameter, values)] = over.items()
        if not values:
            raise WrongParameter(OVER, f" has no value for {parameter}. Give at least one.")
        return cls(parameter, tuple(values))


def vary(metrics: MetricLike | Iterable[MetricLike], over: RangeLike) -> list[Metric]:
    """Return every metric with every value of a parameter, sorted by metric.

    Functions that take names of metrics accept these metrics too. `compare(...).over(parameter)`
    shows the score differences between runs as a function of the parameter.

    Parameters
    ----------
    metrics
        Metrics, or names that do not set the parameter: `RBP`, `nDCG(dcg=exp-log2)`.
    over
        The range: `p=0.5:0.95` or `cutoff=10:100:10`, both ends included; `p=0.5,0.8`; or
        {"p": [0.5, 0.8]}.

    Examples
    --------
    >>> vary("RBP", "p=0.5:0.9:0.2")
    [RBP(p=0.5), RBP(p=0.7), RBP(p=0.9)]
    >>> vary(["P", "nDCG"], {"cutoff": [5, 10]})
    [P@5, P@10, nDCG@5, nDCG@10]
    """
    parameter, values = Range.parse(over)
    metrics_by_value = [
        [metric for one in listed(metrics) for metric in with_parameter(one, parameter, value)]
        for value in values
    ]
    metrics_by_metric = zip(*metrics_by_value, strict=True)
    return list(dict.fromkeys(chain.from_iterable(metrics_by_metric)))


def _values(text: str, given: str) -> list[Decimal]:
    ends = text.split(":")
    try:
        numbers = [Decimal(part) for part in (ends if len(ends) > 1 else text.split(","))]
    except InvalidOperation:
        numbers = []
    if not numbers or not all(number.is_finite() for number in numbers) or len(ends) > 3:
        raise WrongParameter(OVER, f" {shorten(repr(given))} is not a range. {FORM}.")
    return numbers if len(ends) == 1 else _steps(numbers, given)


def _steps(numbers: list[Decimal], given: str) -> list[Decimal]:
    """Return the values of a range; `numbers` are its two ends and, optionally, the step."""
    low, high, *steps = numbers
    if not low < high:
        what = f" {given!r}: the end {high} is not above the start {low}. {FORM}."
        raise WrongParameter(OVER, what)
    step = steps[0] if steps else _usual_step(low, high)
    if not step > 0:
        raise WrongParameter(OVER, f" {given!r}: the step {step} is not above 0. Increase it.")
    if (high - low) / step > MOST:
        what = f" {given!r} has more than {MOST:,} values. Use a larger step."
        raise WrongParameter(OVER, what)
    found = [low + number * step for number in range(int((high - low) / step) + 1)]
    return found if found[-1] == high else [*found, high]


def _usual_step(low: Decimal, high: Decimal) -> Decimal:
    """Return the largest step (1, 2 or 5 × a power of ten) for at least INTERVALS intervals.

    Between whole numbers more than 1 apart the step is at least 1.
    """
    span = high - low
    power = Decimal(10) ** (span / INTERVALS).adjusted()
    found = max(step * power for step in (1, 2, 5) if step * power * INTERVALS <= span)
    whole = _is_whole(low) and _is_whole(high) and span > 1
    return max(found, Decimal(1)) if whole else found


def _is_whole(number: Decimal) -> bool:
    return number == number.to_integral_value()


def _as_int_or_float(number: Decimal) -> float:
    return int(number) if _is_whole(number) else float(number)
