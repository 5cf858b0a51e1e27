"""Rows of the page: printed figures and the figures of rankwise."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

Found = float | str
NUMBER = re.compile(r"(?P<sign>[<>≤≥])?\s*(?P<number>\d[\d,]*(\.\d+)?)")
MORE_DIGITS = 2  # than are printed, so that one sees how near it is


class PageError(Exception):
    """A difference without an explanation, or an explanation without a difference."""


@dataclass(frozen=True)
class Row:
    """What is measured; the figures as printed, a space between two; those found; a remark.

    The remark explains what differs, and must be there exactly where something does. A figure
    that `depends` on a choice the paper does not state (the order of ties) never counts as
    equal, whatever its value: the remark gives the range.
    """

    what: str
    printed: str
    found: Found | Sequence[Found]
    remark: str = ""
    depends: bool = False

    @property
    def pairs(self) -> list[tuple[str, Found]]:
        if isinstance(self.found, str | float | int):
            return [(self.printed, self.found)]
        return list(zip(self.printed.split(), self.found, strict=True))

    @property
    def differing(self) -> int:
        return sum(not self._equal(printed, found) for printed, found in self.pairs)

    def _equal(self, printed: str, found: Found) -> bool:
        return not self.depends and equal(printed, found)

    @property
    def line(self) -> str:
        """Return the row in Markdown, with differing figures in bold."""
        if bool(self.differing) != bool(self.remark):
            said = "is explained, but nothing differs" if self.remark else "is not explained"
            raise PageError(f"{self.what}: printed {self.printed}, found {self.found}: {said}.")
        found = [
            shown(value, printed) if self._equal(printed, value) else f"**{shown(value, printed)}**"
            for printed, value in self.pairs
        ]
        return f"| {self.what} | {self.printed} | {' '.join(found)} | {self.remark} |"


def equal(printed: str, found: Found) -> bool:
    """Return whether `found`, rounded to the printed digits, equals the printed figure.

    Words must be the same; a fraction must be met; with < and the like the relation must hold.

    >>> equal("0.0313", 0.03125), equal("0.6315", 0.63155), equal("RBP < 0.23", 0.2262)
    (True, False, True)
    """
    if isinstance(found, str):
        return printed == found
    if "/" in printed:
        return abs(found - Fraction(printed)) < 1e-12
    sign, number = _number(printed)
    if sign:
        above, same = found > float(number), found == float(number)
        return {"<": not above and not same, ">": above, "≤": not above, "≥": above or same}[sign]
    return rounded(found, _decimals(number)) == number


def rounded(value: float, decimals: int) -> Decimal:
    """Halves away from 0, as people round: 0.03125 is 0.0313. Beyond twelve digits is noise."""
    return Decimal(f"{value:.12g}").quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def shown(found: Found, printed: str) -> str:
    if isinstance(found, str):
        return found
    decimals = 2 if "/" in printed else _decimals(_number(printed)[1])
    if decimals or found != int(found):
        decimals += MORE_DIGITS
    digits = rounded(found, decimals)
    return f"{digits:,}" if "," in printed else f"{digits}"


def _number(printed: str) -> tuple[str, Decimal]:
    match = NUMBER.search(printed)
    if match is None:
        raise PageError(f"{printed!r} holds no number.")
    return match["sign"] or "", Decimal(match["number"].replace(",", ""))


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return -exponent
