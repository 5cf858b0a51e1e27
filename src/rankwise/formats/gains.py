"""Tables that map grades to gains: parsing and formatting."""

import math
import re
from collections.abc import Mapping

from rankwise.errors import WrongParameter
from rankwise.wording import Argument

GAINS = Argument("gains")
ALLOWED = (
    "Write GRADE=GAIN for each grade, for example 1=1,2=3. Or write only the gains, from the "
    "highest grade down to grade 1, for example 3:1."
)


def parse_gains(given: str | Mapping[float, float]) -> dict[float, float]:
    """Parse a table of gains, as {grade: gain}, from a mapping or from text.

    In text with colons only, such as "3:2:1", the gains are from the highest grade down to grade 1.

    >>> parse_gains("3:2:1")
    {1: 1, 2: 2, 3: 3}
    >>> parse_gains("0=0, 0.5=0.4, 1=1")
    {0: 0, 0.5: 0.4, 1: 1}
    """
    pairs = list(given.items()) if isinstance(given, Mapping) else _pairs(given)
    table = {_number(grade, given): _number(gain, given) for grade, gain in pairs}
    if not table or len(table) != len(pairs):
        raise WrongParameter(GAINS, f" {given!r}: no grade, or the same grade twice. {ALLOWED}")
    if min(table.values()) < 0:
        raise WrongParameter(GAINS, f" {given!r}: a gain is negative. Gains must be 0 or more.")
    return dict(sorted(table.items()))


def _pairs(text: str) -> list[tuple[str, str]]:
    inner = text.strip().removeprefix("{").removesuffix("}")
    parts = [part.strip() for part in inner.split(",")]
    if len(parts) == 1 and "=" not in inner and not text.strip().startswith("{"):
        levels = inner.split(":")
        return [(str(len(levels) - place), gain) for place, gain in enumerate(levels)]
    split = [re.split(r"[:=]", part) for part in parts]
    if any(len(pair) != 2 for pair in split):
        raise WrongParameter(GAINS, f" {text!r} is not a table of gains. {ALLOWED}")
    return [(grade, gain) for grade, gain in split]


def _number(value: object, given: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # anything else is refused below
    except (TypeError, ValueError):
        raise WrongParameter(GAINS, f" {given!r}: {value!r} is not a number. {ALLOWED}") from None
    if not math.isfinite(number):
        raise WrongParameter(GAINS, f" {given!r}: {value!r} is not a finite number.")
    return int(number) if number.is_integer() else number


def show_gains(table: Mapping[float, float]) -> str:
    """Format a table of gains as in the name of a metric.

    >>> show_gains({1: 1, 2: 0.5})
    '{1:1,2:0.5}'
    """
    return "{" + ",".join(f"{grade:g}:{gain!r}" for grade, gain in table.items()) + "}"
