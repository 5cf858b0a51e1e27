"""Generated answers of TREC's RAG track: the documents that they cite, as a run without order."""

from __future__ import annotations

import json
from typing import Any

from rankwise.errors import InputError
from rankwise.formats.base import NO_ORDER, File, Format, Table
from rankwise.formats.source import Kind
from rankwise.lazy import pl
from rankwise.notes import note

TOPICS = ("topic_id", "narrative_id", "qid")


def _recognises(file: File) -> bool:
    """Whether a line is an answer with its references."""
    line = file.first_line
    return line.startswith("{") and '"references"' in line and '"answer"' in line


def _read(file: File, kind: Kind) -> Table:
    if kind == "qrels":
        raise InputError(file.name, "answers cannot be read as judgments: they are a run.")
    rows: list[dict[str, Any]] = []
    for number, line in file.source.lines():
        try:
            answer = json.loads(line)
            about = answer.get("metadata", {}) | answer
            topic = next(str(about[name]) for name in TOPICS if name in about)
            documents = _cited(answer)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, StopIteration):
            what = "is no answer with a topic_id, references and citations"
            form = "{topic_id, run_id, references: [document], answer: [{text, citations: [0]}]}"
            raise InputError(file.name, f"line {number} {what}. A line is {form}.") from None
        name = about.get("run_id")
        rows += [
            {"topic": topic, "document": document, "score": float(-place)}
            | ({} if name is None else {"run": str(name)})
            for place, document in enumerate(documents)
        ]
    if not rows:
        raise InputError(file.name, "no answer cites a document.")
    text = "documents that answers cite, as sets: metrics of ranks are refused"
    return Table(pl.DataFrame(rows), notes=(note(NO_ORDER, text),))


def _cited(answer: dict[str, Any]) -> list[str]:
    """Return the documents that sentences cite, each once; a number is a place in `references`."""
    references = answer["references"]
    cited = [one for sentence in answer["answer"] for one in sentence.get("citations") or []]
    if any(isinstance(one, int) and not 0 <= one < len(references) for one in cited):
        raise IndexError
    documents = [references[one] if isinstance(one, int) else one for one in cited]
    return list(dict.fromkeys(map(str, documents)))


ANSWERS = Format("answers of TREC's RAG track", _recognises, _read)
