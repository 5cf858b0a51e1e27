"""Functions that declare a parameter of a metric: a dataclass field with allowed values.

Cutoffs may be at most 10,000,000. The absolute value of any other number may be at most 1e12.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, field
from typing import Any, NamedTuple

from rankwise.errors import WrongParameter
from rankwise.formats import parse_gains, show_gains
from rankwise.wording import Argument

Gains = tuple[tuple[float, float], ...]

# Larger cutoffs make no sense in a ranking, and some would overflow or exhaust the memory.
DEEPEST_CUTOFF = 10_000_000
LARGEST = 1e12  # limit of all other numbers, in absolute value


class TooLarge(ValueError):
    """A number beyond the limit of all parameters; the message states this limit."""


class Parameter(NamedTuple):
    """Default, allowed values and notation of a metric's parameter.

    `allowed` describes the values in words, for error messages. `convert` returns the value to
    store, or raises an exception if the value is not allowed. `show` returns the value as text, for
    the metric's name.
    """

    default: Any  # MISSING: the parameter is required
    allowed: str
    convert: Callable[[Any], Any]
    show: Callable[[Any], str] = repr
    always: bool = False  # whether the metric's name also shows the default


def _declare(parameter: Parameter) -> Any:
    return field(default=parameter.default, metadata={"parameter": parameter})


def between(
    low: float, high: float, default: Any = MISSING, *, always: bool = False, from_low: bool = False
) -> Any:
    """Declare a number between `low` and `high`, both excluded. `from_low` includes `low`.

    With `always` the metric's name also shows the default.
    """
    if from_low:
        allowed = f"a number from {low} (included) to {high} (excluded)"
        return _number_where(lambda number: low <= number < high, allowed, default, always=always)
    allowed = f"a number between {low} and {high}, both excluded"
    return _number_where(lambda number: low < number < high, allowed, default, always=always)


def above(low: float, default: Any = MISSING) -> Any:
    """Declare a number greater than `low`."""
    return _number_where(lambda number: number > low, f"a number greater than {low}", default)


def at_least(low: float, default: Any = MISSING) -> Any:
    """Declare a number that is at least `low`."""
    return _number_where(lambda number: number >= low, f"a number, {low} or more", default)


def number(default: Any = MISSING) -> Any:
    """Declare a finite number."""
    return _number_where(math.isfinite, "a number", default)


def share(default: Any = MISSING) -> Any:
    """Declare a number from 0 to 1, both included."""
    return _number_where(lambda number: 0 <= number <= 1, "a number from 0 to 1", default)


def whole(low: int, default: Any = MISSING, most: float = LARGEST) -> Any:
    """Declare a whole number from `low` to `most`, both included."""

    def convert(value: Any) -> int:
        found = int(value)
        if found > most:
            raise TooLarge(f"at most {most:,.0f}")
        if isinstance(value, bool) or found != float(value) or found < low:
            raise ValueError
        return found

    return _declare(Parameter(default, f"a whole number, {low} or more", convert))


def cutoff(*, required: bool = False) -> Any:
    """Declare a cutoff k: only the first k documents count.

    The default is None, no cutoff. With `required` there is no default.
    """
    return whole(1, MISSING if required else None, DEEPEST_CUTOFF)


def rel() -> Any:
    """Declare a relevance threshold: a whole number is a grade, a fraction is a gain.

    `Metric.at_levels_of` replaces a fraction by a grade before the metric is computed.
    """
    allowed = "a number above 0, the lowest grade that counts as relevant"
    return _number_where(lambda number: number > 0, allowed, 1)


def flag(default: bool = False) -> Any:
    """Declare a flag, True or False."""
    words = {"true": True, "false": False}

    def convert(value: Any) -> bool:
        if isinstance(value, bool):
            return value
        if str(value).lower() not in words:
            raise ValueError
        return words[str(value).lower()]

    return _declare(Parameter(default, "True or False", convert))


def choice(*words: str, default: Any = MISSING) -> Any:
    """Declare a parameter that is one of `words`."""

    def convert(value: Any) -> str:
        if value not in words:
            raise ValueError
        return str(value)

    return _declare(Parameter(default, "one of " + ", ".join(words), convert))


def check_norm(metric: object, norm: str, cutoff: int | None) -> None:
    """Raise an error if `norm` is "min" but there is no cutoff."""
    if norm == "min" and cutoff is None:
        name = type(metric).__name__
        what = "norm=min limits the divisor to the cutoff, and needs a cutoff"
        raise WrongParameter(f"{what}. Write {name}(norm=min)@10.", source=str(metric))


def ties() -> Any:
    """Declare how tied documents count: ordered by name, or each with the mean weight."""
    return choice("name", "share", default="name")


def gains() -> Any:
    """Declare a table of gains, {grade: gain}. By default there is no table."""

    def convert(value: Any) -> Gains:
        if isinstance(value, tuple):
            value = dict(value)
        if not isinstance(value, str | Mapping):
            raise ValueError
        table = parse_gains(value)
        if any(grade < 0 < gain for grade, gain in table.items()):
            what = "a negative grade cannot have a gain above 0."
            raise WrongParameter(Argument("gains"), f" {show_gains(table)}: {what}")
        return tuple(table.items())

    allowed = "a table {grade:gain,…} such as {1:1,2:3}, or 3:2:1, gains from the top grade down"
    return _declare(Parameter(None, allowed, convert, _show_table))


def _show_table(table: Gains) -> str:
    return show_gains(dict(table))


def another_metric(parse: Callable[[Any], Any], default: str) -> Any:
    """Declare a parameter that is itself a metric. `parse` converts a name to a metric."""
    return _declare(Parameter(default, "a metric, for example nDCG@10", parse, str, always=True))


def text(default: str) -> Any:
    """Declare a parameter whose value is any text."""
    return _declare(Parameter(default, "a text", str))


def penalties() -> Any:
    """Declare a table of penalties, {grade: penalty}. Each penalty must be above 1."""

    def convert(value: Any) -> Gains:
        table = parse_gains(dict(value) if isinstance(value, tuple) else value)
        if min(table.values()) <= 1:
            raise ValueError
        return tuple(table.items())

    allowed = "a table {grade:penalty,…} with penalties above 1, such as {1:4,2:3,3:2}"
    default = ((1, 4), (2, 3), (3, 2))
    return _declare(Parameter(default, allowed, convert, _show_table))


def _number_where(
    is_allowed: Callable[[float], bool], allowed: str, default: Any, *, always: bool = False
) -> Any:
    """Declare a number that satisfies `is_allowed`; `allowed` describes the condition in words."""

    def convert(value: Any) -> float:
        number = float(value)
        if isinstance(value, bool) or not math.isfinite(number):
            raise ValueError
        if not is_allowed(number):
            raise ValueError
        if abs(number) > LARGEST:
            limit = f"{LARGEST:,.0f}"
            raise TooLarge(f"at most {limit}" if number > 0 else f"at least -{limit}")
        return int(number) if number.is_integer() else number

    return _declare(Parameter(default, allowed, convert, always=always))
