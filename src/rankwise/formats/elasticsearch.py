"""Elasticsearch and OpenSearch: `_rank_eval` requests and responses, `_search`, `_msearch`.

A `_rank_eval` request has judgments; its response has a run and the judgments of its documents.
Responses of `_search` and `_msearch` have runs, without the queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankwise.formats.json_values import (
    Document,
    Listed,
    Rated,
    Value,
    by_topic,
    judgments_frame,
    numbered,
    run_frame,
)
from rankwise.lazy import pl
from rankwise.notes import note


def is_rank_eval_request(found: Any) -> bool:
    first = _first(found, "requests")
    return isinstance(first, Mapping) and "ratings" in first


def request_judgments(request: Value) -> pl.DataFrame:
    rows: list[Rated] = []
    for one in request["requests"].each():
        topic = one["id"].name()
        rows += [(topic, r["_id"].name(), r["rating"].rating()) for r in one["ratings"].each()]
    return judgments_frame(rows)


def is_rank_eval_response(found: Any) -> bool:
    return isinstance(found, Mapping) and "metric_score" in found and "details" in found


def response_run(response: Value) -> pl.DataFrame:
    rows: list[Listed] = []
    for topic, detail in response["details"].items():
        rows += numbered(topic, [_hit(one["hit"]) for one in detail["hits"].each()])
    return run_frame(rows)


def response_judgments(response: Value) -> pl.DataFrame:
    rows: list[Rated] = []
    for topic, detail in response["details"].items():
        for one in detail["hits"].each():
            rating = one.get("rating")
            rows.append((topic, one["hit"]["_id"].name(), rating.rating() if rating else None))
    return judgments_frame(rows)


def is_search_response(found: Any) -> bool:
    hits = found.get("hits") if isinstance(found, Mapping) else None
    return isinstance(hits, Mapping) and isinstance(hits.get("hits"), list)


def search_run(response: Value) -> pl.DataFrame:
    """Read one ranking; its topic is named 1, because the response does not name it."""
    return run_frame(numbered("1", _hits(response)))


def is_msearch_response(found: Any) -> bool:
    first = _first(found, "responses")
    return isinstance(first, Mapping) and ("hits" in first or "error" in first)


def msearch_run(response: Value) -> pl.DataFrame:
    """Read rankings; topics are named 1, 2, 3 … in the order of the requests."""
    rows: list[Listed] = []
    for at, one in enumerate(response["responses"].each()):
        if one.get("error") is not None:
            raise one.wrong(f"is an error, not a result: {one['error'].found!r:.200}.")
        rows += numbered(str(at + 1), _hits(one))
    return run_frame(rows)


def is_responses(found: Any) -> bool:
    """Whether this is {topic: `_search` response}, as collected by a loop over topics."""
    if not isinstance(found, Mapping) or not found:
        return False
    return all(map(is_search_response, found.values()))


def responses_run(responses: Value) -> pl.DataFrame:
    rows: list[Listed] = []
    for topic, response in responses.items():
        rows += numbered(topic, _hits(response))
    return run_frame(rows)


def _hits(response: Value) -> list[tuple[str, float | None]]:
    return [_hit(hit) for hit in response["hits"]["hits"].each()]


def _hit(hit: Value) -> tuple[str, float | None]:
    score = hit.get("_score")  # null where the hits are sorted by a field
    return hit["_id"].name(), score.number() if score else None


def _first(found: Any, key: str) -> Any:
    inside = found.get(key) if isinstance(found, Mapping) else None
    return inside[0] if isinstance(inside, list) and inside else None


REQUEST = Document("Elasticsearch's _rank_eval request", is_rank_eval_request, request_judgments)
RESPONSE = Document(
    "Elasticsearch's _rank_eval response", is_rank_eval_response, response_judgments, response_run
)
SEARCH = Document(
    "Elasticsearch's _search response",
    is_search_response,
    run=search_run,
    notes=(note("topic-unnamed", "a _search response does not name its topic; it is named 1"),),
)
MSEARCH = Document(
    "Elasticsearch's _msearch response",
    is_msearch_response,
    run=msearch_run,
    notes=(
        note(
            "topics-unnamed",
            "a _msearch response does not name its topics; they are named 1, 2, 3 …",
        ),
    ),
)
RESPONSES = Document("{topic: _search response}", is_responses, run=responses_run)


def request_of(frame: pl.DataFrame, index: str) -> dict[str, Any]:
    """Build a `_rank_eval` request from columns topic, document, grade.

    The query is written once, in a template, to be replaced by the user's own.
    """
    query = {"query": {"simple_query_string": {"query": "{{topic}}"}}}
    requests = [
        {
            "id": topic,
            "template_id": "search",
            "params": {"topic": topic},
            "ratings": [
                {"_index": index, "_id": document, "rating": grade}
                for document, grade in rows.select("document", "grade").rows()
            ],
        }
        for topic, rows in by_topic(frame)
    ]
    return {
        "templates": [{"id": "search", "template": {"source": query}}],
        "requests": requests,
        "metric": {"dcg": {"k": 10, "normalize": True}},
    }


def response_of(frame: pl.DataFrame, index: str) -> dict[str, Any]:
    """Build a `_rank_eval` response from columns topic, document, score, best first."""
    details = {
        topic: {
            "hits": [
                {"hit": {"_index": index, "_id": document, "_score": score}, "rating": None}
                for document, score in rows.select("document", "score").rows()
            ]
        }
        for topic, rows in by_topic(frame)
    }
    return {"metric_score": None, "details": details, "failures": {}}
