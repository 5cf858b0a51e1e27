"""Quepid's exports (basic, book, snapshot and detailed CSV, JSON, LTR, RRE) and imports.

Topics are named by their query texts, because Quepid matches imports by the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rankwise.errors import Fault, Faults, InputError
from rankwise.formats.base import Details, File, Format, Table
from rankwise.formats.columns import FOLDED, fold
from rankwise.formats.json_values import (
    Document,
    Ranking,
    Rated,
    Value,
    by_topic,
    has,
    json_bytes,
    judgments_frame,
)
from rankwise.formats.source import Kind
from rankwise.formats.tables import header_of, read_csv
from rankwise.formats.trec import is_number
from rankwise.lazy import pl
from rankwise.notes import note
from rankwise.wording import Count

BASIC = ["query", "docid", "rating"]
# Columns that a book does not have: after the query and the document, it has only names of judges.
KNOWN_COLUMNS = frozenset().union(*(FOLDED[r] for r in ("grade", "score", "rank", "run", "judge")))
# Column names of a snapshot and a detailed export, and the standard names.
RANKED = {"Query Text": "topic", "Doc ID": "document", "Doc Position": "rank"}
NO_RUN = "Quepid's {} has judgments, and cannot be read as a run. Use a snapshot."
NO_JUDGMENTS = "Quepid's snapshot has a run, not judgments. Use the basic csv."
SNAPSHOT_PATHS = ("docs{}", "queries")
GROUPS = ("topics", "query_groups")  # of RRE
LTR_IS = "A line is: rating qid:NUMBER # document query."
# `3 qid:1 # 1370 star trek`: no features, the query after the document.
LTR_LINE = re.compile(r"(?P<rating>\S+)\s+qid:\S+\s+#\s*(?P<document>\S+)\s+(?P<topic>\S.*)")


def _read_basic(file: File, kind: Kind) -> Table:
    if kind == "run":
        raise InputError(file.name, NO_RUN.format("basic csv"))
    return _rated(read_csv(file))


def _rated(given: Table) -> Table:
    """Select the rows that have a document and a rating; Quepid also exports other rows."""
    columns = {"query": "topic", "docid": "document", "rating": "grade"}
    table = _without_guard(given.frame).rename(columns)
    rated = table.select(
        pl.all_horizontal(pl.col("document", "grade").fill_null("").str.strip_chars() != "")
    ).to_series()
    left_out = table.height - int(rated.sum())
    rows = Count(left_out, "row has", "rows have")
    unrated = note("unrated", rows, " no rating; documents without a rating count as unjudged")
    notes = (unrated,) if left_out else ()
    lines = given.numbers[rated.to_numpy()]
    return replace(given, frame=table.filter(rated), lines=lines, notes=notes)


def _is_book(file: File) -> bool:
    """Return whether the columns are `query`, `docid`, and then a column per judge."""
    header = header_of(file)
    others = [fold(name) for name in header[2:]]
    return header[:2] == BASIC[:2] and bool(others) and not KNOWN_COLUMNS & set(others)


def _read_book(file: File, kind: Kind) -> Table:
    """Read a book (ratings of several judges, one column per judge); empty cells are unrated."""
    if kind == "run":
        raise InputError(file.name, NO_RUN.format("book"))
    given = read_csv(file)
    table = _without_guard(given.frame).rename({"query": "topic", "docid": "document"})
    keys = ["topic", "document", "line"]
    long = table.with_columns(line=pl.Series(given.numbers)).unpivot(
        index=keys, variable_name="judge", value_name="grade"
    )
    rated = long.filter(pl.col("grade").fill_null("") != "")
    return replace(given, frame=rated.drop("line"), lines=rated["line"].to_numpy())


def _without_guard(table: pl.DataFrame) -> pl.DataFrame:
    """Remove the blank that Quepid writes before text that looks like a spreadsheet formula."""
    return table.with_columns(pl.col(pl.String).str.strip_chars())


def _is_ranked(file: File) -> bool:
    header = header_of(file)
    return set(RANKED) <= set(header) and bool({"Snapshot Name", "Case Name"} & set(header))


def _read_ranked(file: File, kind: Kind) -> Table:
    """Read a snapshot, which names the run, or a detailed export, which also has ratings."""
    given = read_csv(file)
    table = given.frame
    if kind == "qrels":
        if "Rating" not in table.columns:
            raise InputError(file.name, NO_JUDGMENTS)
        rated = table.select(query="Query Text", docid="Doc ID", rating="Rating")
        return _rated(replace(given, frame=rated))
    name = "Snapshot Name" if "Snapshot Name" in table.columns else "Case Name"
    table = _without_guard(table.select(name, *RANKED)).rename(RANKED | {name: "run"})
    found = table["document"].fill_null("") != ""  # a query that found nothing is listed too
    return replace(given, frame=table.filter(found), lines=given.numbers[found.to_numpy()])


def _read_ltr(file: File, kind: Kind) -> Table:
    if kind == "run":
        what = "Quepid's LTR export has judgments, and cannot be read as a run."
        raise InputError(file.name, what)
    rows: list[Rated] = []
    faults = []
    for number, line in file.source.lines():
        found = LTR_LINE.fullmatch(line)
        if found is None or not is_number(found["rating"]):
            faults.append(Fault(number, "not a rated document", line))
        else:
            rows.append((found["topic"], found["document"], float(found["rating"])))
    return Table(judgments_frame(rows), faults=Faults.of(faults), line_is=LTR_IS)


BOOK_CSV = Format("Quepid's book csv", _is_book, _read_book)
BASIC_CSV = Format("Quepid's basic csv", lambda file: header_of(file) == BASIC, _read_basic)
RANKED_CSV = Format("Quepid's snapshot or detailed csv", _is_ranked, _read_ranked)
LTR = Format(
    "Quepid's LTR", lambda file: LTR_LINE.fullmatch(file.first_line) is not None, _read_ltr
)


def _is_ratings(found: Any) -> bool:
    """Return whether a JSON document has ratings in one of three forms that Quepid writes."""
    forms = [
        ("queries.0.ratings", "queries.0.query"),
        ("queries.0.ratings", "queries.0.query_text"),
        ("ratings.0.query_text", "ratings.0.doc_id"),
    ]
    return any(has(found, *paths) for paths in forms) and not has(found, *SNAPSHOT_PATHS)


def _ratings(found: Value) -> Iterator[Rated]:
    if "queries" not in found.found:
        for one in found["ratings"].each():
            if one.get("doc_id") is None and one.get("rating") is None:
                continue  # a query that has no document yet
            name, rating = one["doc_id"].name(), one["rating"].rating()
            yield one["query_text"].name(), name, rating
        return
    for query in found["queries"].each():
        topic = (query.get("query") or query["query_text"]).name()
        listed = query.get("ratings")
        if listed is None:
            continue
        if isinstance(listed.found, Mapping):
            yield from ((topic, name, rating.rating()) for name, rating in listed.items())
        else:
            yield from ((topic, r["doc_id"].name(), r["rating"].rating()) for r in listed.each())


def _snapshot_rankings(found: Value) -> Iterator[Ranking]:
    """Read a snapshot from Quepid's API, which lists documents by query number, best first."""
    topics = {q["query_id"].name(): q["query_text"].name() for q in found["queries"].each()}
    for number, documents in found["docs"].items():
        if number in topics:  # otherwise the query has been deleted since
            names = [(document["id"].name(), None) for document in documents.each()]
            yield Ranking(topics[number], [*names], found["name"].name())


def _is_rre(found: Any) -> bool:
    groups = [f"{outer}.0.{inner}" for outer in GROUPS for inner in ("query_groups", "queries")]
    return any(has(found, path) for path in ("queries.0.placeholders", *groups))


def _rre_judgments(found: Value) -> Iterator[Rated]:
    """Read ratings of the Rated Ranking Evaluator, as written by Quepid or by RRE."""
    for query, relevant in _rre_queries(found):
        placeholders = dict(query["placeholders"].items())
        if "$query" in placeholders:
            topic = placeholders["$query"].name()
        else:
            topic = " ".join(value.name() for value in placeholders.values())
        for key, value in relevant.items():  # {document: {gain: 2}}, or {2: [documents]}
            if isinstance(value.found, Mapping):
                yield topic, key, value["gain"].number()
            else:
                gain = Value(key, value.source, value.place).number()
                yield from ((topic, one.name(), gain) for one in value.each())


def _rre_queries(found: Value) -> list[tuple[Value, Value]]:
    """Return each query with its relevant documents or, without these, those of its group."""
    listed = []
    for key in GROUPS:
        for one in found.each_of(key):
            listed += _rre_queries(one)
    for query in found.each_of("queries"):
        relevant = query.get("relevant_documents") or found.get("relevant_documents")
        listed += [] if relevant is None else [(query, relevant)]
    return listed


RATINGS = Document("Quepid's ratings", _is_ratings, _ratings)
SNAPSHOT = Document(
    "Quepid's snapshot", lambda found: has(found, *SNAPSHOT_PATHS), run=_snapshot_rankings
)
RRE = Document("ratings of the Rated Ranking Evaluator", _is_rre, _rre_judgments)


def basic_csv_of(frame: pl.DataFrame, _: Details) -> bytes:
    """Return judgments as CSV with columns query, docid and rating."""
    return frame.select(query="topic", docid="document", rating="grade").write_csv().encode()


def snapshot_csv_of(frame: pl.DataFrame, _: Details) -> bytes:
    """Return runs as CSV with snapshots, for Quepid's import."""
    columns = {
        "Snapshot Name": pl.col("run"),
        "Snapshot Time": pl.lit("1970-01-01T00:00:00.000Z"),
        "Case ID": pl.lit(1),  # Quepid replaces it by its own
        "Query Text": pl.col("topic"),
        "Doc ID": pl.col("document"),
        "Doc Position": pl.col("rank"),
    }
    return frame.select(**columns).write_csv().encode()


def ltr_of(frame: pl.DataFrame, _: Details) -> bytes:
    """Return judgments as lines `rating qid:number # document query`."""
    numbers: dict[str, int] = {}
    lines = [
        f"{grade:g} qid:{numbers.setdefault(topic, len(numbers) + 1)} # {document} {topic}\n"
        for topic, document, grade in frame.select("topic", "document", "grade").rows()
    ]
    return "".join(lines).encode()


def ratings_of(frame: pl.DataFrame, _: Details) -> bytes:
    """Return judgments as JSON for Quepid's API."""
    pairs = frame.select(query_text="topic", doc_id="document", rating="grade")
    return json_bytes({"ratings": pairs.to_dicts()})


def rre_of(frame: pl.DataFrame, _: Details) -> bytes:
    """Return judgments as JSON for Quepid and RRE: for each query, the documents of each grade."""
    queries = []
    for topic, rows in by_topic(frame, "document", "grade"):
        by_grade: dict[str, list[str]] = {}
        for document, grade in rows:
            by_grade.setdefault(str(grade), []).append(document)
        queries.append({"placeholders": {"$query": topic}, "relevant_documents": by_grade})
    about = {"id_field": "id", "index": "index", "template": "template.json"}
    return json_bytes(about | {"queries": queries})
