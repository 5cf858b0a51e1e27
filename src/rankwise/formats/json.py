"""JSON runs and judgments: one object per line, or one JSON document for the whole file.

A document is a list of records, or a dict such as {column: [values]} or {topic: {document: value}}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from rankwise.errors import Fault, Faults, InputError, shorten
from rankwise.formats.base import File, Format, JsonFault, Table, load_json, whole_text
from rankwise.formats.python_objects import from_mapping, from_records, wrong_value
from rankwise.formats.source import Kind
from rankwise.lazy import pl

NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
LINE_IS = "A line is a JSON object."
ODD = re.compile(rb'"\s+:|:\s*(?:true|false)\b')  # a blank after a name, or a boolean


def _parse_clean(data: bytes) -> pl.DataFrame | None:
    """Parse lines that are flat objects with the same names; return None if a line is not.

    polars accepts duplicate names, and converts lists and booleans in a text column to text.
    Therefore also return None if there are booleans, nulls, duplicate or missing names, or other
    brackets than one pair of braces per line.
    """
    brackets = data.translate(None, NO_BRACKETS)
    if ODD.search(data) or brackets != b"{}" * (len(brackets) // 2):
        return None
    try:
        table = pl.read_ndjson(data, infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        return None
    except RuntimeError:  # raised by old versions of polars for malformed lines
        return None
    flat = len(brackets) == 2 * table.height
    named = data.count(b'":') == table.height * table.width
    # Before 1.30 polars makes null of a number in a column that turns out to be text.
    return table if flat and named and not sum(table.null_count().row(0)) else None


def _read_lines(file: File, kind: Kind) -> Table:
    """Parse each line as an object; lines that are not objects are faults."""
    clean = _parse_clean(file.source.for_polars)
    if clean is not None:
        return Table(clean)
    parsed, faults = parsed_lines(file.source.lines())
    rows, lines, wrong = list[dict[str, Any]](), list[int](), list[Fault]()
    for number, record in parsed:
        if what := wrong_value(record, file.columns):
            text = shorten(json.dumps(record, ensure_ascii=False))
            wrong.append(Fault(number, what, text))
        else:
            rows.append(record)
            lines.append(number)
    faults += Faults.of(wrong)
    frame = from_records(rows, file.name, file.columns) if rows else pl.DataFrame()
    return Table(frame, np.array(lines, np.int64), faults=faults, line_is=LINE_IS)


def parsed_lines(
    lines: Iterable[tuple[int, str]],
) -> tuple[list[tuple[int, dict[str, Any]]], Faults]:
    """Return (line number, object) of lines that are JSON objects, and faults for other lines."""
    found = [(number, line, _parsed(line)) for number, line in lines]
    faults = (Fault(n, what, shorten(line)) for n, line, what in found if isinstance(what, str))
    return [(n, each) for n, _, each in found if not isinstance(each, str)], Faults.of(faults)


def each_record(file: File) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of each line; raise an error for a line without an object."""
    for number, line in file.source.lines():
        found = _parsed(line)
        if isinstance(found, str):
            fault = Faults.of([Fault(number, found, shorten(line))])
            raise InputError(file.name, LINE_IS, fault)
        yield number, found


def first_record(file: File) -> dict[str, Any] | None:
    """Return the object in the first line of a file of JSON lines; None for other files."""
    found = _parsed(file.first_line) if file.has_json_lines else None
    return found if isinstance(found, dict) else None


def _parsed(line: str) -> dict[str, Any] | str:
    """Return the object of a line, or the reason why it is malformed."""
    if "\ufffd" in line:
        return "not UTF-8 text"
    try:
        document = whole_text(load_json(line, _refuse))
    except JsonFault as error:
        return str(error)
    except ValueError:
        document = None
    return document if isinstance(document, dict) else "not a JSON object"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _read_document(file: File, kind: Kind) -> Table:
    document, named = file.json, (file.name, kind, file.columns)
    if isinstance(document, list):
        return Table(from_records(document, file.name, file.columns))
    if kind == "run" and _holds_several(document):
        parts = [
            from_mapping(run, *named).with_columns(run=pl.lit(name))
            for name, run in document.items()
        ]
        return Table(pl.concat(parts, how="vertical_relaxed"))
    return Table(from_mapping(document, *named))


def _holds_several(document: dict[str, Any]) -> bool:
    """Return whether a document has several runs: {name: {topic: {document: score}}}."""
    if not all(isinstance(run, dict) for run in document.values()):
        return False
    inner = [value for run in document.values() for value in run.values()]
    return bool(inner) and all(isinstance(value, dict) for value in inner)


JSON_LINES = Format(
    "JSON lines", lambda file: file.has_json_lines, _read_lines, (".jsonl", ".ndjson")
)
# It recognises every JSON document, so it must be after all other formats of JSON documents.
JSON = Format("JSON", lambda file: isinstance(file.json, dict | list), _read_document, (".json",))
