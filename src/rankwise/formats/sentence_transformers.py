"""sentence-transformers: predictions of its InformationRetrievalEvaluator, JSON lines."""

import json

import polars as pl

from rankwise.formats.json_values import by_topic


def predictions_of(frame: pl.DataFrame) -> bytes:
    """A line for each topic, from columns topic, document, score, best first."""
    lines = []
    for topic, rows in by_topic(frame):
        results = rows.select(corpus_id="document", score="score").to_dicts()
        lines.append(json.dumps({"query_id": topic, "query": topic, "results": results}))
    return ("\n".join(lines) + "\n").encode()
