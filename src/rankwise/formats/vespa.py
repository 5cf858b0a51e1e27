"""Vespa's labelled data: a list of queries, each with the documents relevant to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwise.formats.json_values import Document, Rated, Value, by_topic, judgments_frame
from rankwise.lazy import pl


def is_labelled_data(found: Any) -> bool:
    first = found[0] if isinstance(found, list) and found else None
    return isinstance(first, Mapping) and {"query_id", "relevant_docs"} <= first.keys()


def judgments(found: Value) -> pl.DataFrame:
    """Read judgments; a document without a score has 1, as in pyvespa."""
    rows: list[Rated] = []
    for query in found.each():
        topic = query["query_id"].name()
        for document in query["relevant_docs"].each():
            score = document.get("score")
            rows.append((topic, document["id"].name(), score.number() if score else 1.0))
    return judgments_frame(rows)


LABELLED_DATA = Document("Vespa's labelled data", is_labelled_data, judgments)


def labelled_data_of(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Write columns topic, document, grade; the query texts must be filled in."""
    data = []
    for topic, rows in by_topic(frame):
        pairs = rows.select("document", "grade").rows()
        relevant = [{"id": document, "score": grade} for document, grade in pairs]
        data.append({"query_id": topic, "query": topic, "relevant_docs": relevant})
    return data
