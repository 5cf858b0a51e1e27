"""Rankings of a report: the top documents of all runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.notes import Note, note
from rankwise.reporting.material import Material, Ranked
from rankwise.reporting.packing import counts

MOST_CELLS = 600_000  # limit of runs × topics × depth; above it rankings are shown less deep
LEAST_DEPTH = 5
MOST_BYTES = 5_000_000  # limit for names and ranks; rankings of later topics are left out
SMALL = "so that the page stays small"


@dataclass(frozen=True)
class Shown:
    """Displayed rankings by topic, and notes on what was cut."""

    depth: int
    topics: list[dict[str, Any]]
    notes: list[Note]


def shown_rankings(
    material: Material, topics: Sequence[int], top: int, levels: Sequence[int]
) -> Shown:
    """Return the top documents of every run for these topics, as many as fit.

    `levels` are the relevance thresholds, one for each metric.
    """
    runs = len(material.judged.runs)
    fits = max(LEAST_DEPTH, MOST_CELLS // max(1, runs * len(topics)))
    depth, notes = min(top, fits), list[Note]()
    if depth < top:
        what = f"rankings are shown to depth {depth}, not {top}, {SMALL}"
        notes.append(note("rankings-cut", what))
    needed = _needed(material, depth, min(levels))
    by_topic = _by_topic(needed, len(material.judged.topics))
    entries: list[dict[str, Any]] = []
    size = 0
    for topic in topics:
        entry, bytes_taken = _entry(material, by_topic[topic], topic, depth, levels)
        size += bytes_taken
        if size > MOST_BYTES and entries:
            what = f"rankings are shown for the first {len(entries)} of {len(topics)} topics"
            notes.append(note("rankings-cut", f"{what}, {SMALL}"))
            break
        entries.append(entry)
    return Shown(depth, entries, notes)


def _needed(material: Material, depth: int, level: int) -> Ranked:
    """Return the first documents of every run, and the relevant ones at all ranks."""
    grades = material.judged.topic_grades
    is_relevant = np.zeros(len(material.names), np.bool_)
    is_relevant[: len(grades)] = grades >= level
    rows = material.retrieved.where(lambda rows: (rows.rank <= depth) | is_relevant[rows.code])
    return Ranked.of(rows)


def _by_topic(ranked: Ranked, topics: int) -> list[Ranked]:
    order = np.argsort(ranked.topic, kind="stable")
    starts = np.searchsorted(ranked.topic[order], np.arange(topics + 1))
    return [ranked.where(order[starts[at] : starts[at + 1]]) for at in range(topics)]


def _entry(
    material: Material, ranked: Ranked, topic: int, depth: int, levels: Sequence[int]
) -> tuple[dict[str, Any], int]:
    """Return the entry of a topic, and its approximate size in bytes.

    It lists the documents that are relevant by any metric, best first, and then the other documents
    in the top of any run.
    """
    judged, runs = material.judged, len(material.judged.runs)
    start, end = judged.topic_start[topic : topic + 2]
    by_metric = [int((judged.topic_grades[start:end] >= level).sum()) for level in levels]
    relevant = max(by_metric)
    ours = np.arange(start, start + relevant)  # judgments are ordered by grade, highest first
    top = ranked.top(depth)
    documents = np.concatenate([ours, np.setdiff1d(top.document, ours)])
    order = np.argsort(documents, kind="stable")
    place = order[np.searchsorted(documents[order], top.document)]
    cells = np.zeros((runs, depth), np.int64)
    cells[top.run, top.rank - 1] = place + 1
    is_ours = (ranked.document >= start) & (ranked.document < start + relevant)
    found = np.zeros((relevant, runs), np.int64)
    hits = ranked.where(is_ours)
    found[hits.document - start, hits.run] = hits.rank
    names = material.names.gather(documents).to_list()
    entry = {
        "documents": names,
        "grades": [material.label_of(one) for one in documents.tolist()],
        "relevant": by_metric,
        "judged": int(end - start),
        "top": counts(cells),
        "found": counts(found),
    }
    return entry, sum(len(name) + 6 for name in names) + 3 * (cells.size + found.size)
