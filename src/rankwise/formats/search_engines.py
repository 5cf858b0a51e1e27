"""JSON documents of Elasticsearch, OpenSearch and Vespa.

A `_rank_eval` request has judgments; its response has a run and the judgments of its documents.
Responses of `_search` and `_msearch` have runs, but not the queries. Judgment lists and experiment
results of OpenSearch's Search Relevance Workbench are read both as they are sent to the workbench
and as it returns them (inside the hits of a search). Vespa's labelled data is a list of queries,
each with the documents relevant to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankwise.formats import json_values
from rankwise.formats.json_values import Document, Rated, Value, by_topic, has, judgments_frame
from rankwise.lazy import pl
from rankwise.notes import note


def _request_judgments(request: Value) -> pl.DataFrame:
    return judgments_frame(json_values.rated(request["requests"], "id", "ratings", "_id"))


def _response_judgments(response: Value) -> pl.DataFrame:
    rows: list[Rated] = []
    for topic, detail in response["details"].items():
        for one in detail["hits"].each():
            rating = one.get("rating")
            rows.append((topic, one["hit"]["_id"].name(), rating.rating() if rating else None))
    return judgments_frame(rows)


def _response_run(response: Value) -> pl.DataFrame:
    details = response["details"].items()
    return _run_of((topic, [one["hit"] for one in each["hits"].each()]) for topic, each in details)


def _search_run(response: Value) -> pl.DataFrame:
    return _run_of([("1", response["hits"]["hits"].each())])


def _msearch_run(response: Value) -> pl.DataFrame:
    rankings = []
    for at, one in enumerate(response["responses"].each()):
        if one.get("error") is not None:
            raise one.wrong(f"is an error, not a result: {one['error'].found!r:.200}.")
        rankings.append((str(at + 1), one["hits"]["hits"].each()))
    return _run_of(rankings)


def _is_responses(found: Any) -> bool:
    """Return whether this is {topic: `_search` response}, as collected by a loop over topics."""
    if not isinstance(found, Mapping) or not found:
        return False
    return all(has(response, "hits.hits[]") for response in found.values())


def _responses_run(responses: Value) -> pl.DataFrame:
    return _run_of((topic, each["hits"]["hits"].each()) for topic, each in responses.items())


def _run_of(rankings: Iterable[tuple[str, Iterable[Value]]]) -> pl.DataFrame:
    """Build a run from topics and their hits."""
    rows: list[json_values.Listed] = []
    for topic, hits in rankings:
        ranking = []
        for hit in hits:
            score = hit.get("_score")  # null where the hits are sorted by a field
            ranking.append((hit["_id"].name(), score.number() if score else None))
        rows += json_values.numbered(topic, ranking)
    return json_values.run_frame(rows)


REQUEST = Document(
    "Elasticsearch's _rank_eval request",
    lambda found: has(found, "requests.0.ratings"),
    _request_judgments,
)
RESPONSE = Document(
    "Elasticsearch's _rank_eval response",
    lambda found: has(found, "metric_score", "details"),
    _response_judgments,
    _response_run,
)
SEARCH = Document(
    "Elasticsearch's _search response",
    lambda found: has(found, "hits.hits[]"),
    run=_search_run,
    notes=(note("topic-unnamed", "a _search response does not name its topic; it is named 1"),),
)
UNNAMED = "a _msearch response does not name its topics; they are named 1, 2, 3 …"
MSEARCH = Document(
    "Elasticsearch's _msearch response",
    lambda found: has(found, "responses.0.hits") or has(found, "responses.0.error"),
    run=_msearch_run,
    notes=(note("topics-unnamed", UNNAMED),),
)
RESPONSES = Document("{topic: _search response}", _is_responses, run=_responses_run)


def request_of(frame: pl.DataFrame, index: str) -> dict[str, Any]:
    """Build a `_rank_eval` request from columns topic, document, grade.

    The template has one query, which users replace by their own.
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


def _in_hits(found: Any) -> list[Any]:
    """Return a list of the JSON document itself, or of the documents in the hits of a search."""
    if not has(found, "hits.hits[]"):
        return [found]
    return [hit["_source"] for hit in found["hits"]["hits"] if has(hit, "_source")]


def _documents(found: Value) -> list[Value]:
    if "hits" not in found.found:
        return [found]
    return [hit["_source"] for hit in found["hits"]["hits"].each()]


def _workbench_judgments(found: Value) -> pl.DataFrame:
    """Read the workbench's judgments, whose ratings are text and often fractions."""
    lists = _documents(found)
    if len(lists) > 1:
        names = ", ".join(repr(one.found.get("name", "?")) for one in lists)
        raise found.wrong(
            f"holds {len(lists)} judgment lists: {names}. Give a file with one of them."
        )
    rows = json_values.rated(lists[0]["judgmentRatings"], "query", "ratings", "docId")
    # A query that is listed twice with the same ratings is one query.
    return judgments_frame(list(dict.fromkeys(rows)))


def _workbench_run(found: Value) -> pl.DataFrame:
    """Read a run per search configuration; the workbench stores the order, not the scores."""
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
            ranking = json_values.run_frame(json_values.numbered(topic.name(), names))
            parts.append(ranking.select("topic", "document", "rank", run=pl.lit(run)))
    if not parts:
        raise found.wrong("holds no results.")
    return pl.concat(parts)


def _is_workbench_run(found: Any) -> bool:
    """Return whether this is a comparison of two configurations, or an evaluation of one."""
    one_of = ("documentIds", "results.0.snapshots")
    return any(has(one, path) for one in _in_hits(found) for path in one_of)


JUDGMENT_LIST = Document(
    "OpenSearch's judgment list",
    lambda found: any(has(one, "judgmentRatings") for one in _in_hits(found)),
    _workbench_judgments,
)
RESULTS = Document("OpenSearch's search relevance results", _is_workbench_run, run=_workbench_run)


def judgment_list_of(frame: pl.DataFrame, name: str) -> dict[str, Any]:
    """Build a judgment list for import from columns topic, document, grade."""
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
    results = []
    for topic, rows in by_topic(frame):
        rankings = rows.partition_by("run", as_dict=True, maintain_order=True).items()
        snapshots = [
            {"searchConfigurationId": run, "docIds": ranking["document"].to_list()}
            for (run,), ranking in rankings
        ]
        results.append({"queryText": topic, "snapshots": snapshots})
    return {"type": "PAIRWISE_COMPARISON", "results": results}


def _vespa_judgments(found: Value) -> pl.DataFrame:
    """Read Vespa's judgments; a document without a score has grade 1, as in pyvespa."""
    rows: list[Rated] = []
    for query in found.each():
        topic = query["query_id"].name()
        for document in query["relevant_docs"].each():
            score = document.get("score")
            rows.append((topic, document["id"].name(), score.number() if score else 1.0))
    return judgments_frame(rows)


LABELLED_DATA = Document(
    "Vespa's labelled data",
    lambda found: has(found, "0.query_id", "0.relevant_docs"),
    _vespa_judgments,
)


def labelled_data_of(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Write columns topic, document, grade; the query texts must be filled in."""
    data = []
    for topic, rows in by_topic(frame):
        pairs = rows.select("document", "grade").rows()
        relevant = [{"id": document, "score": grade} for document, grade in pairs]
        data.append({"query_id": topic, "query": topic, "relevant_docs": relevant})
    return data
