"""The rankings of a report: the tops of all runs side by side, and who found what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.arrays import Ints
from rankwise.reports.columns import counts
from rankwise.reports.material import Material, Ranked

MOST_CELLS = 600_000  # runs × topics × depth: beyond, rankings are shown less deep
LEAST_DEPTH = 5
MOST_BYTES = 5_000_000  # of names and ranks: beyond, the rankings of later topics are left out
SMALL = "so that the page stays small"


@dataclass(frozen=True)
class Shown:
    """The rankings that are shown, topic by topic, and what was cut."""

    depth: int
    topics: list[dict[str, Any]]
    notes: list[str]


def shown_rankings(material: Material, topics: Sequence[int], top: int, rel: int) -> Shown:
    """The first documents of every run for these topics, as many as fit."""
    runs = len(material.judged.runs)
    fits = max(LEAST_DEPTH, MOST_CELLS // max(1, runs * len(topics)))
    depth, notes = min(top, fits), []
    if depth < top:
        notes.append(f"rankings are shown to depth {depth}, not {top}, {SMALL}")
    by_topic = _by_topic(material.ranked, len(material.judged.topics))
    entries: list[dict[str, Any]] = []
    size = 0
    for topic in topics:
        entry, bytes_taken = _entry(material, by_topic[topic], topic, depth, rel)
        size += bytes_taken
        if size > MOST_BYTES and entries:
            what = f"rankings are shown for the first {len(entries)} of {len(topics)} topics"
            notes.append(f"{what}, {SMALL}")
            break
        entries.append(entry)
    return Shown(depth, entries, notes)


def _by_topic(ranked: Ranked, topics: int) -> list[Ranked]:
    order = np.argsort(ranked.topic, kind="stable")
    starts = np.searchsorted(ranked.topic[order], np.arange(topics + 1))
    return [ranked.where(order[starts[at] : starts[at + 1]]) for at in range(topics)]


def _entry(
    material: Material, ranked: Ranked, topic: int, depth: int, rel: int
) -> tuple[dict[str, Any], int]:
    """Documents: the relevant ones, best first, then what else is in some run's top."""
    judged, runs = material.judged, len(material.judged.runs)
    start, end = judged.topic_start[topic : topic + 2]
    relevant = int((judged.topic_grades[start:end] >= rel).sum())
    ours = np.arange(start, start + relevant)  # judgments stand highest grade first
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
        "grades": _grades(judged.topic_grades, documents),
        "relevant": relevant,
        "judged": int(end - start),
        "top": counts(cells),
        "found": counts(found),
    }
    return entry, sum(len(name) + 6 for name in names) + 3 * (cells.size + found.size)


def _grades(grades: Ints, documents: Ints) -> list[int | None]:
    """The grade of each document by its number; None where it is unjudged."""
    return [int(grades[one]) if one < len(grades) else None for one in documents.tolist()]
