"""Short files written by hand: one or two names per line, or a system and its score."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from rankwise.errors import CallError, Fault, InputError
from rankwise.formats.source import BLANKS, Source, open_source
from rankwise.wording import Count

COMMENT = "#"
PairsGiven: TypeAlias = str | Path | Mapping[Any, Any]
RULE = (
    "Each line has a system (best system first), or each line has a system and its score. A system "
    "may occur only once."
)


def read_names(path: str | Path, what: str) -> list[str]:
    """Read one name per line; names may contain blanks. Lines that start with # are skipped.

    An error message for an empty file calls the names `what`, for example "topic".
    """
    source = open_source(path)
    names = [line for _, line in _lines(source)]
    if not names:
        raise InputError(source.name, f"is empty. Give one {what} per line.")
    return names


def read_pairs(given: PairsGiven, first: str, second: str) -> dict[str, str]:
    """Read {first name: second name} from a mapping, or from a file with two names per line.

    Names are separated by a tab, a comma or blanks. With a tab or a comma, names may contain
    blanks. `first` and `second` are the names of the columns; a header with these is skipped.
    """
    if isinstance(given, Mapping):
        return {str(name): str(other) for name, other in given.items()}
    if not isinstance(given, str | PathLike):
        form = f"a file with lines `{first} {second}`, or a dict {{{first}: {second}}}"
        raise CallError(f"{given!r} is not a {first} table. Give {form}.")
    source = open_source(given)
    pairs: dict[str, str] = {}
    faults = []
    for place, (number, line) in enumerate(_lines(source)):
        fields = _fields(line)
        if place == 0 and [field.lower() for field in fields] == [first, second]:
            continue
        if len(fields) != 2 or not all(fields):
            faults.append(Fault(number, f"{Count(len(fields), 'field')} instead of 2", line))
        elif pairs.setdefault(*fields) != fields[1]:
            what = f"this {first} already has the {second} {pairs[fields[0]]}"
            faults.append(Fault(number, what, line))
    shape = f"A line is: {first} {second}."
    if faults:
        raise InputError(source.name, shape, faults)
    if not pairs:
        raise InputError(source.name, f"has no lines with data. {shape}")
    return pairs


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in source.lines() if not line.startswith(COMMENT))


def _fields(line: str) -> list[str]:
    if "\t" in line:
        return [field.strip() for field in line.split("\t")]
    if "," in line:
        import csv

        try:
            return [field.strip() for field in next(csv.reader([line], skipinitialspace=True))]
        except csv.Error:  # a carriage return within the line
            return [line]
    return line.split()


def read_order(given: str | Path) -> dict[str, float]:
    """Read a ranking of systems as {system: value}; higher values are better.

    Each line has a system and its score, or each line has only a system, best first. Without
    scores, the value of the last system is 1, and each earlier value is 1 more. Systems with equal
    scores are tied. Blank lines are skipped.
    """
    source = open_source(given)
    lines = [(number, line, re.findall(f"[^{BLANKS}]+", line)) for number, line in source.lines()]
    if not lines:
        raise InputError(source.name, "the file is empty.")
    width = len(lines[0][2])
    from rankwise.formats.trec import is_number  # loads much

    values: dict[str, float] = {}
    faults = []
    for place, (number, line, parts) in enumerate(lines):
        score = parts[1] if len(parts) > 1 and is_number(parts[1]) else "nan"
        value = float(score) if width == 2 else float(len(lines) - place)
        if len(parts) != width or width > 2:
            usual = width if width < 3 else "1 or 2"
            faults.append(Fault(number, f"{Count(len(parts), 'column')} instead of {usual}", line))
        elif not np.isfinite(value):
            faults.append(Fault(number, "score is not a finite number", line))
        elif parts[0] in values:
            faults.append(Fault(number, "this system occurs twice", line))
        values[parts[0]] = value
    if faults:
        raise InputError(source.name, RULE, faults)
    return values
