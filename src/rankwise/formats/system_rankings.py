"""System rankings: a text file with one system per line, best first or with scores."""

import re
from pathlib import Path

import numpy as np

from rankwise.errors import Fault, InputError
from rankwise.formats.source import open_source
from rankwise.formats.trec import FIELD

RULE = "A line is a system, best first, or a system and its score; no system is a duplicate."


def read_order(given: str | Path) -> dict[str, float]:
    """Read {system: value}, higher is better, from lines `system`, best first, or `system score`.

    Without scores the values count down to 1, so there are no ties; equal scores are ties. Blank
    lines are skipped.
    """
    source = open_source(given)
    lines = [(number, line, re.findall(FIELD, line)) for number, line in source.lines()]
    if not lines:
        raise InputError(source.name, "is empty.")
    width = len(lines[0][2])
    values: dict[str, float] = {}
    faults = []
    for place, (number, line, parts) in enumerate(lines):
        value = _value(parts) if width == 2 else float(len(lines) - place)
        if len(parts) != width or width > 2:
            faults.append(Fault(number, f"columns: {len(parts)}", line))
        elif not np.isfinite(value):
            faults.append(Fault(number, "score is not a finite number", line))
        elif parts[0] in values:
            faults.append(Fault(number, "system is a duplicate", line))
        values[parts[0]] = value
    if faults:
        raise InputError(source.name, RULE, faults)
    return values


def _value(parts: list[str]) -> float:
    try:
        return float(parts[1])
    except (IndexError, ValueError):
        return np.nan
