"""Size limits of decompressed input."""

import os
import re

from rankwise.errors import CallError, InputError
from rankwise.wording import Argument, Remedy

GIGABYTE = 1 << 30
# Runs and judgments shrink to a fifth or a tenth; what shrinks to a hundredth is no text of ours,
# unless it is small.
MOST_TIMES = 100
MOST = 64 << 20
SETTING = "RANKWISE_MAX_SIZE"
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": GIGABYTE, "T": 1 << 40}


def parse_size(text: str) -> int:
    """Parse a number of bytes, as 500M or 20G.

    >>> parse_size("20G")
    21474836480
    """
    found = re.fullmatch(r"(\d{1,9})\s*([KMGT]?)B?", text.strip().upper())
    if found is None:
        raise CallError(Argument("max_size"), f" {text!r} is not a size: give it as 500M or 20G.")
    return int(found[1]) * UNITS[found[2]]


def most_bytes(packed: int) -> int:
    """Return the largest decompressed size allowed for a compressed input of this size."""
    given = os.environ.get(SETTING)
    return parse_size(given) if given else max(MOST, MOST_TIMES * packed)


def check_expansion(source: str, size: int, most: int) -> None:
    if size > most:
        unit = next(unit for unit in "TGMK" if most >= UNITS[unit] or unit == "K")
        what = f"expands to more than {most / UNITS[unit]:,.0f} {unit}B, and is not read further."
        argument = Argument("max_size", "20G", python=f"{SETTING}=20G")
        raise InputError(source, what, remedy=Remedy(argument, "allow more"))
