"""Runs without judgments: rankings whose documents are all unjudged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rankwise.errors import InputError, some_of
from rankwise.formats import File
from rankwise.lazy import pl
from rankwise.native import Joining, JudgmentText, judgments_of, run_of_text
from rankwise.rankings.collection import Collection
from rankwise.rankings.documents import Retrieved, UnjudgedOfRun
from rankwise.rankings.join import about_self, judged_runs, rankings_of
from rankwise.rankings.join_run import Join
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.judgments import Judgments, topic_order
from rankwise.rankings.loaders import Loader, distinct_names
from rankwise.rankings.run import Qrels

if TYPE_CHECKING:
    from rankwise.rankings.types import Gains

# An artificial topic with the grades that documents can get. No topic in a file has this name.
GRADES_TOPIC = "\n"
NO_DOCUMENT = "\n"  # placeholder document for topics without judgments


def rank_without_judgments(
    collection: Collection, highest_grade: int = 1, *, whole_ties: bool = False
) -> tuple[JudgedRankings, list[UnjudgedOfRun]]:
    """Return rankings of runs for which there are no judgments, and the documents of each run.

    The topics are those of the runs. Every document is unjudged, and can get the grades from 0 to
    `highest_grade`. If `highest_grade` is more than 1, or the collection has gains, an artificial
    topic is appended (GRADES_TOPIC), which no run has. In it, one document has each of the grades
    from 1 on. With `whole_ties`, rankings are not cut to the evaluation depth.
    """
    loaders, topics = _with_topics(list(collection.loaders()))
    cut = None if whole_ties else collection.depth
    while True:
        judgments = _judgments(topic_order(topics), highest_grade, collection.gains)
        join = Join(judgments, collection.order, cut, unjudged=True)
        parts = list(judged_runs(join, loaders))
        others = {topic for _, run in parts for topic in run.unknown_topics}
        if not others:
            break
        topics |= others  # other files have more topics: join again
    origins, runs = [origin for origin, _ in parts], [run for _, run in parts]
    labels = distinct_names([(origin.name, origin.file) for origin in origins])
    rankings = rankings_of(judgments, labels, runs)
    unjudged = [run.unjudged for run in runs if run.unjudged is not None]
    retrieved = Retrieved.unnamed(judgments.names, unjudged)
    depth = collection.depth if whole_ties else None
    for label, run in zip(labels, runs, strict=True):
        if not run.present.any():
            raise InputError(label, "has no document.")
    notes = about_self([origin.name for origin in origins if origin.holds_self])
    notes += [note for origin in origins for note in origin.notes]
    return replace(rankings, retrieved=retrieved, depth=depth, notes=tuple(notes)), unjudged


def _with_topics(loaders: Sequence[Loader]) -> tuple[list[Loader], set[str]]:
    """Return loaders that can be read again, and the topics known so far.

    Of the files that the kernel can read, only the first is read here, because the other files
    usually have the same topics. Runs of other sources are read once, and stay in memory.
    """
    topics: set[str] = set()
    known: list[Loader] = []
    text, has_text = _without_judgments([GRADES_TOPIC]), False
    for loader in loaders:
        is_text = isinstance(loader.given, File) and loader.given.may_be_trec
        if text is not None and is_text and has_text:
            known.append(loader)
            continue
        found = None
        if text is not None and is_text:
            found = run_of_text(loader.given.source, Joining(text.lookup, "file"))
        if found is not None:
            topics.update(found.unknown_topics)
            known.append(loader)
            has_text = True
            continue
        for run in loader.read():
            topics.update(run.stretches[1])
            known.append(Loader(run, run.name, partial(list, [run])))
    return known, topics


def _without_judgments(topics: Sequence[str]) -> JudgmentText | None:
    """Return the kernel's hash table for topics without judgments; None without the kernel."""
    return judgments_of({topic: {NO_DOCUMENT: 0} for topic in topics})


def _judgments(topics: Sequence[str], highest_grade: int, gains: Gains | None) -> Judgments:
    """Return judgments that have these topics, but no documents except those of GRADES_TOPIC."""
    from rankwise.rankings.reading import read_qrels

    grades = {f"{grade}": grade for grade in range(1, highest_grade + 1)}
    qrels = read_qrels({GRADES_TOPIC: grades}, gains=gains)
    if highest_grade == 1 and gains is None:
        qrels = Qrels(qrels.frame.clear())
    else:
        topics = [*topics, GRADES_TOPIC]
    return Judgments(
        [GRADES_TOPIC],
        np.zeros(qrels.frame.height, np.int64),
        qrels.frame["grade"].to_numpy().astype(np.int64),
        lambda: qrels,
        topics=topics,
        gains=qrels.gains,
        text=_without_judgments(topics),
    )


def check_common_topics(judged: JudgedRankings) -> None:
    """Raise an error if any two of the runs have no topic in common."""
    present = judged.present.reshape(len(judged.runs), -1)
    shared = present.astype(np.int64) @ present.T.astype(np.int64)
    if shared.all():
        return
    a, b = (int(place) for place in np.argwhere(shared == 0)[0])
    names = pl.Series(judged.topics, dtype=pl.String)
    own, other = (some_of(names.filter(present[run]).to_list(), 2) for run in (a, b))
    one, another = judged.runs[a], judged.runs[b]
    raise InputError(
        one,
        f"no topic in common with {another}. Topics of {one}: {own}. Topics of "
        f"{another}: {other}. Check that both use the same topic IDs.",
    )
