"""JSON: one object per line, or one document of records, columns or {topic: {document: value}}."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from rankwise.errors import Fault, Faults, shorten
from rankwise.formats.format import File, Format, Table, whole_text
from rankwise.formats.objects import from_mapping, from_records, unnested
from rankwise.formats.panics import ReaderPanic, panics_as_errors
from rankwise.formats.source import Kind
from rankwise.lazy import pl


def _is_lines(file: File) -> bool:
    return file.has_json_lines


def _read_lines(file: File, kind: Kind) -> Table:
    try:
        with panics_as_errors():
            return Table(unnested(_parse_lines(file), file.name, file.columns))
    except (pl.exceptions.PolarsError, ReaderPanic, OSError, ValueError, RuntimeError):
        return _read_each_line(file)  # what cannot be read is a RuntimeError in old versions


def _parse_lines(file: File) -> pl.DataFrame:
    table = pl.read_ndjson(file.source.for_polars, infer_schema_length=None)
    if not sum(table.null_count().row(0)):
        return table
    # Before 1.30 polars makes null of a number in a column that turns out to be text.
    rows = [json.loads(line) for _, line in file.source.lines()]
    return pl.DataFrame(rows, strict=False, infer_schema_length=None)


def _read_each_line(file: File) -> Table:
    """The objects of the lines that hold one; the other lines are faults."""
    rows: list[dict[str, Any]] = []
    faults: list[Fault] = []
    for number, line in file.source.lines():
        found = _parsed(line)
        if isinstance(found, str):
            faults.append(Fault(number, found, shorten(line)))
        else:
            rows.append(found)
    frame = from_records(rows, file.name, file.columns) if rows else pl.DataFrame()
    return Table(frame, faults=Faults.of(faults), line_is="A line is a JSON object.")


def _parsed(line: str) -> dict[str, Any] | str:
    """The object that a line holds, or what is wrong with it."""
    if "\ufffd" in line:
        return "not UTF-8 text"
    try:
        found = whole_text(json.loads(line, parse_constant=_refuse))
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else "not a JSON object"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _is_document(file: File) -> bool:
    return isinstance(file.json, dict | list)


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
    """{name: {topic: {document: score}}}: several runs."""
    if not all(isinstance(run, dict) for run in document.values()):
        return False
    inner = [value for run in document.values() for value in run.values()]
    return bool(inner) and all(isinstance(value, dict) for value in inner)


JSON_LINES = Format("JSON lines", _is_lines, _read_lines, (".jsonl", ".ndjson"))
# The last of those that look into a JSON document: whatever no other knows.
JSON = Format("JSON", _is_document, _read_document, (".json",))
