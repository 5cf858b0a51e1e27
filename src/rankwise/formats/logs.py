"""Search logs: the last rank seen in each search, and the ranks of relevant documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from rankwise.errors import Fault, Faults, InputError, did_you_mean
from rankwise.formats.base import File, Table
from rankwise.formats.source import open_source
from rankwise.formats.tables import read_csv
from rankwise.wording import Argument, Remedy

T = TypeVar("T")
DEEPEST_RANK = 10**9


class SearchLog(NamedTuple):
    """For each search, the `last` rank seen and, if requested, the ranks of relevant documents."""

    last: list[int]
    relevant: list[list[int]] | None


def read_log(path: str, column: str = "rank", relevant: str | None = None) -> SearchLog:
    """Read a log from a csv file with a header, or from standard input (`-`).

    The column `column` has the last rank that the user saw in a search. The column `relevant` has
    the ranks of the relevant documents.
    """
    file = File(open_source(path))
    rows = read_csv(file)
    rows.sound(file.name)
    for name in [column, *([] if relevant is None else [relevant])]:
        if name not in rows.frame.columns:
            names = rows.frame.columns
            near = f" Columns: {', '.join(names)}.{did_you_mean(name, names)}"
            remedy = Remedy(Argument("column" if name == column else "relevant"), "name it")
            raise InputError(file.name, f"has no column {name!r}.{near}", remedy=remedy)
    last = _parsed(rows, file.name, column, _rank, "a rank (a whole number, 1 or more)")
    if not last:
        raise InputError(file.name, "has a header but no rows.")
    if relevant is None:
        return SearchLog(last, None)
    what = "ranks (whole numbers, 1 or more) separated by spaces, for example 1 4 7"
    return SearchLog(last, _parsed(rows, file.name, relevant, _ranks, what))


def _parsed(
    rows: Table, source: str, column: str, parse: Callable[[str], T | None], kind: str
) -> list[T]:
    values: list[T] = []
    faults: list[Fault] = []
    for line, text in zip(rows.numbers.tolist(), rows.frame[column].to_list(), strict=True):
        value = parse((text or "").strip())
        if value is None:
            faults.append(Fault(line, f"column {column!r} must have {kind}", text or "(empty)"))
        else:
            values.append(value)
    if faults:
        raise InputError(source, "", Faults.of(faults))
    return values


def _rank(text: str) -> int | None:
    if not text.isascii() or not text.isdigit() or len(text) > len(str(DEEPEST_RANK)):
        return None
    rank = int(text)
    return rank if 1 <= rank <= DEEPEST_RANK else None


def _ranks(text: str) -> list[int] | None:
    ranks = [_rank(part) for part in text.replace(",", " ").split()]
    return None if None in ranks else [rank for rank in ranks if rank is not None]
