"""JSON documents of Elasticsearch, OpenSearch and Vespa.

A `_rank_eval` request has judgments. The response has a run and the judgments of the retrieved
documents. Responses of `_search` and `_msearch` have runs, but not the queries. Judgment lists and
experiment results of OpenSearch's Search Relevance Workbench are read from files for import, and
from the hits of a search that returned them. Vespa's labelled data is a list of queries with their
relevant documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankwise.formats.base import Details
from rankwise.formats.json_values import (
    Document,
    Ranking,
    Rated,
    Value,
    by_topic,
    has,
    json_bytes,
    rated,
)
from rankwise.lazy import pl
from rankwise.notes import note


def _response_judgments(response: Value) -> Iterator[Rated]:
    for topic, detail in response["details"].items():
        for one in detail["hits"].each():
            rating = one.get("rating")
            yield topic, one["hit"]["_id"].name(), rating.rating() if rating else None


def _response_rankings(response: Value) -> Iterator[Ranking]:
    for topic, each in response["details"].items():
        yield _ranking(topic, (one["hit"] for one in each["hits"].each()))


def _msearch_rankings(response: Value) -> Iterator[Ranking]:
    for number, one in enumerate(response["responses"].each(), 1):
        if one.get("error") is not None:
            raise one.wrong(f"is an error, not a result: {one['error'].found!r:.200}.")
        yield _ranking(str(number), one["hits"]["hits"].each())


def _is_responses(found: Any) -> bool:
    """Return whether an object is {topic: `_search` response}."""
    if not isinstance(found, Mapping) or not found:
        return False
    return all(has(response, "hits.hits[]") for response in found.values())


def _ranking(topic: str, hits: Iterable[Value]) -> Ranking:
    scored = [(hit["_id"].name(), hit.get("_score")) for hit in hits]
    # The score is null where the hits are sorted by a field.
    return Ranking(topic, [(name, score.number() if score else None) for name, score in scored])


REQUEST = Document(
    "Elasticsearch's _rank_eval request",
    lambda found: has(found, "requests.0.ratings"),
    lambda found: rated(found["requests"], "id", "ratings", "_id"),
)
RESPONSE = Document(
    "Elasticsearch's _rank_eval response",
    lambda found: has(found, "metric_score", "details"),
    _response_judgments,
    _response_rankings,
)
SEARCH = Document(
    "Elasticsearch's _search response",
    lambda found: has(found, "hits.hits[]"),
    run=lambda found: [_ranking("1", found["hits"]["hits"].each())],
    notes=(
        note("topic-unnamed", "a _search response does not name its topic; the topic is named 1"),
    ),
)
UNNAMED = "a _msearch response does not name its topics; the topics are named 1, 2, 3 …"
MSEARCH = Document(
    "Elasticsearch's _msearch response",
    lambda found: has(found, "responses.0.hits") or has(found, "responses.0.error"),
    run=_msearch_rankings,
    notes=(note("topics-unnamed", UNNAMED),),
)
RESPONSES = Document(
    "{topic: _search response}",
    _is_responses,
    run=lambda found: (_ranking(t, of["hits"]["hits"].each()) for t, of in found.items()),
)


def request_of(frame: pl.DataFrame, about: Details) -> bytes:
    """Return judgments as a `_rank_eval` request, with a simple query that users should replace."""
    index = about.required_index()
    query = {"query": {"simple_query_string": {"query": "{{topic}}"}}}
    requests = [
        {
            "id": topic,
            "template_id": "search",
            "params": {"topic": topic},
            "ratings": [{"_index": index, "_id": name, "rating": grade} for name, grade in rows],
        }
        for topic, rows in by_topic(frame, "document", "grade")
    ]
    request = {
        "templates": [{"id": "search", "template": {"source": query}}],
        "requests": requests,
        "metric": {"dcg": {"k": 10, "normalize": True}},
    }
    return json_bytes(request)


def response_of(frame: pl.DataFrame, about: Details) -> bytes:
    index = about.required_index()
    details = {
        topic: {
            "hits": [
                {"hit": {"_index": index, "_id": document, "_score": score}, "rating": None}
                for document, score in rows
            ]
        }
        for topic, rows in by_topic(frame, "document", "score")
    }
    return json_bytes({"metric_score": None, "details": details, "failures": {}})


def _in_hits(found: Any) -> list[Any]:
    """Return the stored documents in the hits of a search; otherwise, [the JSON document]."""
    if not has(found, "hits.hits[]"):
        return [found]
    return [hit["_source"] for hit in found["hits"]["hits"] if has(hit, "_source")]


def _documents(found: Value) -> list[Value]:
    if "hits" not in found.found:
        return [found]
    return [hit["_source"] for hit in found["hits"]["hits"].each()]


def _workbench_judgments(found: Value) -> Iterable[Rated]:
    """Read the workbench's judgments, whose ratings are text and often fractions."""
    lists = _documents(found)
    if len(lists) > 1:
        names = ", ".join(repr(one.found.get("name", "?")) for one in lists)
        raise found.wrong(
            f"has {len(lists)} judgment lists: {names}. Give a file with only one of them."
        )
    rows = rated(lists[0]["judgmentRatings"], "query", "ratings", "docId")
    # A query that is listed twice with the same ratings is one query.
    return dict.fromkeys(rows)


def _workbench_rankings(found: Value) -> list[Ranking]:
    """Read a run per search configuration; the workbench stores the order, not the scores."""
    rankings = []
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
            names: list[tuple[str, None]] = [(one.name(), None) for one in documents.each()]
            run = configuration["searchConfigurationId"].name()
            rankings.append(Ranking(topic.name(), [*names], run))
    if not rankings:
        raise found.wrong("holds no results.")
    return rankings


JUDGMENT_LIST = Document(
    "OpenSearch's judgment list",
    lambda found: any(has(one, "judgmentRatings") for one in _in_hits(found)),
    _workbench_judgments,
)
RESULTS = Document(
    "OpenSearch's search relevance results",  # of one configuration, or a comparison of two
    lambda found: any(
        has(one, "documentIds") or has(one, "results.0.snapshots") for one in _in_hits(found)
    ),
    run=_workbench_rankings,
)


def judgment_list_of(frame: pl.DataFrame, about: Details) -> bytes:
    """Return a judgment list, for import into the Search Relevance Workbench."""
    queries = []
    for topic, rows in by_topic(frame, "document", "grade"):
        ratings = [
            {"docId": name, "rating": "" if grade is None else str(grade)} for name, grade in rows
        ]
        queries.append({"query": topic, "ratings": ratings})
    judgments = {"name": about.name, "type": "IMPORT_JUDGMENT", "judgmentRatings": queries}
    return json_bytes(judgments)


def results_of(frame: pl.DataFrame, _: Details) -> bytes:
    """Return runs as experiment results of the Search Relevance Workbench."""
    results = []
    for topic, rows in by_topic(frame, "run", "document"):
        documents: dict[str, list[str]] = {}
        for run, document in rows:
            documents.setdefault(run, []).append(document)
        snapshots = [{"searchConfigurationId": run, "docIds": of} for run, of in documents.items()]
        results.append({"queryText": topic, "snapshots": snapshots})
    return json_bytes({"type": "PAIRWISE_COMPARISON", "results": results})


def _vespa_judgments(found: Value) -> Iterator[Rated]:
    """Read Vespa's judgments; a document without a score has grade 1, as in pyvespa."""
    for query in found.each():
        topic = query["query_id"].name()
        for document in query["relevant_docs"].each():
            score = document.get("score")
            yield topic, document["id"].name(), score.number() if score else 1.0


LABELLED_DATA = Document(
    "Vespa's labelled data",
    lambda found: has(found, "0.query_id", "0.relevant_docs"),
    _vespa_judgments,
)


def labelled_data_of(frame: pl.DataFrame, _: Details) -> bytes:
    """Return labelled data for Vespa; the user must fill in the query texts."""
    data = []
    for topic, rows in by_topic(frame, "document", "grade"):
        relevant = [{"id": document, "score": grade} for document, grade in rows]
        data.append({"query_id": topic, "query": topic, "relevant_docs": relevant})
    return json_bytes(data)
