"""sentence-transformers: predictions of its InformationRetrievalEvaluator, JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rankwise.errors import InputError
from rankwise.formats.base import File, Format, Table
from rankwise.formats.json import JSON_LINES
from rankwise.formats.json_values import by_topic
from rankwise.formats.source import Kind
from rankwise.lazy import pl


def _recognises(file: File) -> bool:
    """Whether a line is a query and its results, each a document of the corpus and its score."""
    if not file.has_json_lines or '"corpus_id"' not in file.first_line:
        return False
    try:
        found = json.loads(file.first_line)
    except (ValueError, RecursionError):
        return False
    results = found.get("results") if isinstance(found, Mapping) else None
    first = results[0] if isinstance(results, list) and results else None
    return isinstance(first, Mapping) and set(first) == {"corpus_id", "score"}


def _read(file: File, kind: Kind) -> Table:
    if kind == "qrels":
        what = "predictions of sentence-transformers are a run, and cannot be read as judgments."
        raise InputError(file.name, what)
    return JSON_LINES.read(file, kind)


PREDICTIONS = Format("predictions of sentence-transformers", _recognises, _read)


def predictions_of(frame: pl.DataFrame) -> bytes:
    """Write one line per topic from columns topic, document, score, best first."""
    lines = []
    for topic, rows in by_topic(frame):
        results = rows.select(corpus_id="document", score="score").to_dicts()
        lines.append(json.dumps({"query_id": topic, "query": topic, "results": results}) + "\n")
    return "".join(lines).encode()
