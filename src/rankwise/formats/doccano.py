"""doccano's exports: JSON lines with labels, one file per annotator.

The names of topics and documents are in the metadata that was imported with the texts. A label is
a grade, such as 0, 1 or 2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from rankwise.errors import Fault, Faults, InputError, shorten
from rankwise.formats.base import File, Format, Table
from rankwise.formats.python_objects import from_records
from rankwise.formats.source import Kind
from rankwise.formats.trec import is_number
from rankwise.notes import note
from rankwise.wording import Count

LINE_IS = (
    "A line has one label, which is a grade, "
    'such as {"topic": "1", "document": "a", "label": ["2"]}.'
)
KEYS = {"id", "text", "label"}


def _object(line: str) -> Mapping[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None


def _recognises(file: File) -> bool:
    """Return whether the first line is a text with a list of labels."""
    if not file.has_json_lines or '"label"' not in file.first_line:
        return False
    found = _object(file.first_line)
    return found is not None and found.keys() >= KEYS and isinstance(found["label"], list)


def _read(file: File, kind: Kind) -> Table:
    if kind == "run":
        raise InputError(file.name, "an export of doccano has labels, and cannot be read as a run.")
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    faults: list[Fault] = []
    unlabelled = 0
    for number, line in file.source.lines():
        record = _object(line)
        labels = None if record is None else record.get("label")
        if record is None or not isinstance(labels, list):
            faults.append(Fault(number, "not a labelled text", shorten(line)))
        elif not labels:
            unlabelled += 1
        elif len(labels) > 1:
            faults.append(Fault(number, f"{len(labels)} labels", shorten(line)))
        elif not is_number(labels[0]):
            faults.append(Fault(number, f"label {labels[0]!r} is not a grade", shorten(line)))
        else:
            plain = {name: value for name, value in record.items() if name not in KEYS}
            rows.append({**plain, "label": float(labels[0])})
            lines.append(number)
    counted = Faults.of(faults)
    if not rows and not faults:
        raise InputError(file.name, "holds no label.")
    texts = Count(unlabelled, "text has", "texts have")
    text = note("unlabelled", texts, " no label; documents without a label count as unjudged")
    frame = from_records(rows, file.name, file.columns)
    notes = (text,) if unlabelled else ()
    return Table(frame, np.array(lines, np.int64), notes=notes, faults=counted, line_is=LINE_IS)


LABELS = Format("doccano's export", _recognises, _read)
