"""Rankings of a report: the top documents of all runs side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankwise.notes import Note, note
from rankwise.rankings import JudgedRankings, RowsByCode
from rankwise.reporting.packing import counts

MOST_CELLS = 600_000  # limit of runs × topics × depth; above it, fewer ranks are shown
LEAST_DEPTH = 5
MOST_FINDERS = 10  # largest number of runs listed for a document to judge
MOST_BYTES = 5_000_000  # limit for names and ranks; rankings of later topics are excluded
SMALL = "to keep the page small"


def shown_rankings(
    judged: JudgedRankings,
    topics: Sequence[int],
    top: int,
    levels: Sequence[int],
    fractions: Mapping[int, float],
) -> tuple[dict[str, Any], list[Note]]:
    """Return the top documents of every run, for as many of these topics as fit, and notes.

    `levels` has the relevance threshold of each metric. `fractions` maps the whole numbers that
    stand for fractional grades to these grades.
    """
    runs, retrieved = len(judged.runs), judged.retrieved
    assert retrieved is not None
    fits = max(LEAST_DEPTH, MOST_CELLS // max(1, runs * len(topics)))
    depth, notes = min(top, fits), list[Note]()
    if depth < top:
        what = f"rankings are shown to depth {depth}, not {top}, {SMALL}"
        notes.append(note("rankings-cut", what))
    is_relevant = np.zeros(retrieved.codes, np.bool_)
    is_relevant[: retrieved.judgments] = judged.topic_grades >= min(levels)
    needed = retrieved.where(lambda rows: (rows.rank <= depth) | is_relevant[rows.code]).by_code
    order = np.argsort(needed.topic, kind="stable")
    starts = np.searchsorted(needed.topic[order], np.arange(len(judged.topics) + 1))
    entries: list[dict[str, Any]] = []
    size = 0
    for topic in topics:
        entry, bytes_taken = _entry(
            judged,
            needed.only(order[starts[topic] : starts[topic + 1]]),
            topic,
            depth,
            levels,
            fractions,
        )
        size += bytes_taken
        if size > MOST_BYTES and entries:
            what = f"rankings are shown for the first {len(entries)} of {len(topics)} topics"
            notes.append(note("rankings-cut", f"{what}, {SMALL}"))
            break
        entries.append(entry)
    return {"depth": depth, "topics": entries}, notes


def _entry(
    judged: JudgedRankings,
    ranked: RowsByCode,
    topic: int,
    depth: int,
    levels: Sequence[int],
    fractions: Mapping[int, float],
) -> tuple[dict[str, Any], int]:
    """Return the entry of a topic, and its approximate size in bytes.

    The entry lists the documents that are relevant by at least one metric, highest grade first, and
    then the other documents in the top `depth` of at least one run. `top` has the list position of
    each document by run and rank, from 1, and `found` the rank of each relevant document by run; 0
    means that there is none.
    """
    runs, retrieved = len(judged.runs), judged.retrieved
    assert retrieved is not None
    start, end = judged.topic_start[topic : topic + 2]
    by_metric = [int((judged.topic_grades[start:end] >= level).sum()) for level in levels]
    relevant = max(by_metric)
    ours = np.arange(start, start + relevant)  # judgments are ordered by grade, highest first
    top = ranked.only(np.flatnonzero(ranked.rank <= depth))
    documents = np.concatenate([ours, np.setdiff1d(top.code, ours)])
    order = np.argsort(documents, kind="stable")
    place = order[np.searchsorted(documents[order], top.code)]
    cells = np.zeros((runs, depth), np.int64)
    cells[top.run, top.rank - 1] = place + 1
    found = np.zeros((relevant, runs), np.int64)
    hits = ranked.only(np.flatnonzero((ranked.code >= start) & (ranked.code < start + relevant)))
    found[hits.code - start, hits.run] = hits.rank
    names = retrieved.names.gather(documents).to_list()
    grades = [
        int(judged.topic_grades[code]) if code < retrieved.judgments else None
        for code in documents.tolist()
    ]
    entry = {
        "documents": names,
        "grades": [None if grade is None else fractions.get(grade, grade) for grade in grades],
        "relevant": by_metric,
        "judged": int(end - start),
        "top": counts(cells),
        "found": counts(found),
    }
    return entry, sum(len(name) + 6 for name in names) + 3 * (cells.size + found.size)


def add_planned(
    judged: JudgedRankings,
    rankings: dict[str, Any],
    topics: Sequence[str],
    plans: Iterable[dict[str, Any]],
) -> None:
    """Append the documents of judging plans to the documents of their topics.

    The page can then show these documents, also if they are below the depth of its rankings. Each
    plan gets its `finders`: for each document, [run, rank] of the runs that rank it highest.
    """
    entries = dict(zip(topics, rankings["topics"], strict=False))
    for plan in plans:
        planned = plan["documents"]
        plan["finders"] = _finders(judged, planned["topic"], planned["document"])
        for topic, document in zip(planned["topic"], planned["document"], strict=True):
            entry = entries.get(topic)
            if entry is not None and document not in entry["documents"]:
                entry["documents"].append(document)
                entry["grades"].append(None)


def _finders(
    judged: JudgedRankings, topics: Sequence[str], documents: Sequence[str]
) -> list[list[list[int]]]:
    """Return [run, rank] of up to `MOST_FINDERS` runs for each unjudged document, best first."""
    retrieved = judged.retrieved
    assert retrieved is not None
    codes = np.flatnonzero(retrieved.names.is_in(list(set(documents))).to_numpy())
    codes = codes[codes >= retrieved.judgments]
    rows = retrieved.where(lambda rows: np.isin(rows.code, codes)).by_code
    found: dict[tuple[str, str], list[list[int]]] = {}
    names = retrieved.names.gather(rows.code).to_list()
    columns = (rows.topic.tolist(), rows.run.tolist(), rows.rank.tolist())
    for name, topic, run, rank in zip(names, *columns, strict=True):
        found.setdefault((judged.topics[topic], name), []).append([run, rank])
    return [
        sorted(found.get(each, []), key=lambda one: one[1])[:MOST_FINDERS]
        for each in zip(topics, documents, strict=True)
    ]
