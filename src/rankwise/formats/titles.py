"""Texts of topics and documents, to be shown in reports.

A file of texts has TREC topics (`<top> <num> Number: 401 <title> …`), lines `name TAB text`, JSON
lines, or a table with a header (csv, tsv, parquet, Arrow).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from rankwise.errors import Fault, InputError
from rankwise.formats.base import File
from rankwise.formats.columns import SPELLINGS
from rankwise.formats.source import open_source
from rankwise.formats.tables import ARROW, PARQUET, header_of, read_csv

NAMES = ["id", "_id", "number", "num"]
TEXTS = ["title", "text", "query", "question", "contents", "body", "abstract"]
SAYS = re.compile(r"<num>\s*(?:Number:)?\s*(\S+).*?<title>\s*(?:Topic:)?\s*([^<]*)", re.S | re.I)


def read_texts(
    path: str | Path, kind: Literal["topic", "document"], wanted: Collection[str]
) -> dict[str, str]:
    """Read the texts of the `wanted` names as {name: text}; white space is normalised.

    If a row has several texts, such as a title and a body, they are joined: title — body.
    """
    file = File(open_source(path))
    if not file.first_line:
        raise InputError(file.name, "the file is empty.")
    names = {str(name) for name in wanted}
    found, other = dict[str, str](), ""
    for name, text in _all(file, kind):
        if name in names:
            found[name] = " ".join(text.split())
        other = other or name
    if not found:
        what = f"has no text for any {kind} of the report. It has a text for {other!r}"
        example = f"the {kind}s of the report are named for example {sorted(names)[0]!r}"
        raise InputError(file.name, f"{what}; {example}.")
    return found


def _all(file: File, kind: str) -> Iterable[tuple[str, str]]:
    if file.first_line.lstrip().lower().startswith(("<top", "<?xml", "<!doctype")):
        return _trec_topics(file)
    if file.has_json_lines:
        return _of_rows(file, kind, _json_lines(file))
    for form in (PARQUET, ARROW):
        if form.recognises(file):
            return _of_rows(file, kind, form.read(file, "run").frame.iter_rows(named=True))
    if _named(header_of(file), [*SPELLINGS[kind], *NAMES]):
        rows = read_csv(file).sound(file.name)
        return _of_rows(file, kind, rows.iter_rows(named=True))
    return _tabbed(file)


def _trec_topics(file: File) -> Iterator[tuple[str, str]]:
    text = file.source.data.decode("utf-8", "replace")
    for part in re.split(r"<top\b", text, flags=re.I)[1:]:
        if said := SAYS.search(part):
            yield said[1], said[2]


def _json_lines(file: File) -> Iterator[Mapping[str, Any]]:
    for number, line in file.source.lines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            fault = Fault(number, "not a JSON object", line)
            raise InputError(file.name, "A line is a JSON object.", [fault])
        yield row


def _tabbed(file: File) -> Iterator[tuple[str, str]]:
    for number, line in file.source.lines():
        name, tab, text = line.partition("\t")
        if not tab:
            fault = Fault(number, "the line has no tab", line)
            remedy = "Give TREC topics, lines `name TAB text`, JSON lines or a table."
            raise InputError(file.name, remedy, [fault])
        yield name.strip(), text


def _of_rows(file: File, kind: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for row in rows:
        name = _named(row, [*SPELLINGS[kind], *NAMES])
        texts = [column for column in _all_named(row, TEXTS) if column != name]
        if name is None or not texts:
            names = ", ".join([*NAMES, SPELLINGS[kind][0]])
            what = (
                f"needs a column of names ({names}) and a column of texts ({', '.join(TEXTS)}). "
                f"Columns: {', '.join(row)}."
            )
            raise InputError(file.name, what)
        yield str(row[name]), " — ".join(str(row[text]) for text in texts if row[text])


def _named(columns: Iterable[str], spellings: list[str]) -> str | None:
    """Return the column whose name comes first in `spellings`, or None."""
    return next(iter(_all_named(columns, spellings)), None)


def _all_named(columns: Iterable[str], spellings: list[str]) -> list[str]:
    by_name = {column.strip().lower(): column for column in columns}
    return [by_name[name] for name in spellings if name in by_name]
