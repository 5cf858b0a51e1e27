"""OpenSearch's Search Relevance Workbench: judgment lists and experiment results.

Both are read in the form sent to the workbench and in the form it returns, inside the hits of a
search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwise.formats.json_values import (
    Document,
    Rated,
    Value,
    by_topic,
    judgments_frame,
    numbered,
    run_frame,
)
from rankwise.lazy import pl


def is_judgment_list(found: Any) -> bool:
    return any("judgmentRatings" in one for one in _sources(found))


def judgments(found: Value) -> pl.DataFrame:
    """Read judgments; ratings are text there, and often fractions."""
    lists = _documents(found)
    if len(lists) > 1:
        names = ", ".join(repr(one.found.get("name", "?")) for one in lists)
        raise found.wrong(
            f"holds {len(lists)} judgment lists: {names}. Give a file with one of them."
        )
    rows: list[Rated] = []
    seen: dict[tuple[str, str], float | None] = {}
    for query in lists[0]["judgmentRatings"].each():
        topic = query["query"].name()
        for rating in query["ratings"].each():
            document, value = rating["docId"].name(), rating["rating"].rating()
            # A query that is listed twice with the same ratings is one query.
            if (topic, document) not in seen or seen[topic, document] != value:
                rows.append((topic, document, value))
            seen[topic, document] = value
    return judgments_frame(rows)


def is_results(found: Any) -> bool:
    """Whether this is the result of a comparison of two configurations, or of one evaluation."""
    return any("documentIds" in one or _snapshots(one) for one in _sources(found))


def results_run(found: Value) -> pl.DataFrame:
    """Read one run per search configuration; the workbench stores the order, not the scores."""
    parts = []
    for document in _documents(found):
        if document.get("documentIds") is not None:
            listed = [(document["searchText"], document, document["documentIds"])]
        else:
            listed = [
                (result["queryText"], snapshot, snapshot["docIds"])
                for result in document["results"].each()
                for snapshot in result["snapshots"].each()
            ]
        for topic, configuration, documents in listed:
            names = [(one.name(), None) for one in documents.each()]
            run = configuration["searchConfigurationId"].name()
            ranking = run_frame(numbered(topic.name(), names))
            parts.append(ranking.select("topic", "document", "rank", run=pl.lit(run)))
    if not parts:
        raise found.wrong("holds no results.")
    return pl.concat(parts)


def _snapshots(one: Mapping[str, Any]) -> bool:
    results = one.get("results")
    first = results[0] if isinstance(results, list) and results else None
    return isinstance(first, Mapping) and "snapshots" in first


def _sources(found: Any) -> list[Mapping[str, Any]]:
    """Return the document itself, or the documents in the hits of a search."""
    if not isinstance(found, Mapping):
        return []
    hits = found.get("hits")
    inside = hits.get("hits") if isinstance(hits, Mapping) else None
    if not isinstance(inside, list):
        return [found]
    sources = [hit.get("_source") for hit in inside if isinstance(hit, Mapping)]
    return [source for source in sources if isinstance(source, Mapping)]


def _documents(found: Value) -> list[Value]:
    if "hits" not in found.found:
        return [found]
    return [hit["_source"] for hit in found["hits"]["hits"].each()]


JUDGMENT_LIST = Document("OpenSearch's judgment list", is_judgment_list, judgments)
RESULTS = Document("OpenSearch's search relevance results", is_results, run=results_run)


def judgment_list_of(frame: pl.DataFrame, name: str) -> dict[str, Any]:
    """Build a judgment list to import from columns topic, document, grade."""
    queries = []
    for topic, rows in by_topic(frame):
        ratings = [
            {"docId": document, "rating": "" if grade is None else str(grade)}
            for document, grade in rows.select("document", "grade").rows()
        ]
        queries.append({"query": topic, "ratings": ratings})
    return {"name": name, "type": "IMPORT_JUDGMENT", "judgmentRatings": queries}


def results_of(frame: pl.DataFrame) -> dict[str, Any]:
    """Build experiment results from columns run, topic, document, best first."""
    results = [
        {
            "queryText": topic,
            "snapshots": [
                {"searchConfigurationId": run, "docIds": ranking["document"].to_list()}
                for (run,), ranking in rows.partition_by(
                    "run", as_dict=True, maintain_order=True
                ).items()
            ],
        }
        for topic, rows in by_topic(frame)
    ]
    return {"type": "PAIRWISE_COMPARISON", "results": results}
