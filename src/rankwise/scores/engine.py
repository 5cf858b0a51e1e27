"""The scoring engine: parts of a collection in, `Scores` out.

A part is a few runs, whose rankings fit the processor's caches, or a piece of a stream
(streaming.py). While one part is scored, the next is read; only the scores are kept. They equal
the scores of all rankings at once, to the last bit. Metrics defined by the user, and bounds that
need every retrieved document, are scored on all rankings at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from rankwise.errors import CallError, MetricError
from rankwise.formats import NO_ORDER
from rankwise.metrics import Metric
from rankwise.notes import Note
from rankwise.progress import track
from rankwise.rankings import (
    Collection,
    JoinedRun,
    JudgedRankings,
    Needs,
    Origin,
    Possible,
    TopicsOfRun,
    about_runs,
    rankings_of,
    topics_of,
    unjudged_of_runs,
)
from rankwise.scores.apply_metric import (
    bounds_under,
    changes_with_other_runs,
    counting_undefined,
    is_exact_under,
    scores_of,
)
from rankwise.scores.scores import Cube, Scores, over_common_topics
from rankwise.threads import map_in_threads

RUNS = 8  # scored at a time


def score_collection(
    collection: Collection, metrics: Sequence[Metric], assumption: Possible | None
) -> Scores:
    """Score all runs on all topics, with bounds under an assumption."""
    needs = needs_of(metrics, assumption)
    if needs.unjudged_counts and collection.is_stream:
        needs = needs._replace(unjudged_counts=collection.may_hold_several_runs())
    if _is_scored_at_once(collection, metrics, needs):
        return score_judged(
            collection.judged(needs),
            metrics,
            bounds=assumption is not None,
            unjudged=str(assumption or "retrieved"),
            show_progress=True,
        )
    if collection.is_stream:
        from rankwise.scores.streaming import score_streams

        return score_streams(collection, metrics, assumption)
    return _score_in_batches(collection, metrics, assumption, needs)


def needs_of(metrics: Sequence[Metric], assumption: Possible | None) -> Needs:
    """Return the data that these metrics and bounds need."""
    whole_ties = any(metric.shares_ties for metric in metrics)
    if assumption is None:
        return Needs(whole_ties=whole_ties)
    return Needs(
        documents=assumption.top is not None,
        unjudged_counts=any(changes_with_other_runs(assumption, metric) for metric in metrics),
        whole_ties=whole_ties,
    )


def _is_scored_at_once(collection: Collection, metrics: Sequence[Metric], needs: Needs) -> bool:
    """Whether all rankings must be in memory before the first is scored."""
    if needs.documents or collection.complete_runs or collection.lengths is not None:
        return True
    if not all(metric.is_builtin for metric in metrics):
        return True
    # Unjudged documents of streams, and above a depth that ties may span: from whole runs.
    spanning = needs.whole_ties and collection.depth is not None
    return needs.unjudged_counts and (collection.is_stream or spanning)


def of_topics(scores: Scores, collection: Collection) -> Scores:
    """Apply the collection's topic options: groups, undefined topics, common topics."""
    scores = counting_undefined(scores.with_groups(collection.topic_groups), collection.undefined)
    return scores if collection.topics == "all" else over_common_topics(scores)


def _score_in_batches(
    collection: Collection, metrics: Sequence[Metric], assumption: Possible | None, needs: Needs
) -> Scores:
    """Score a few runs at a time, each on all topics."""
    judgments = collection.judgments
    origins: list[Origin] = []
    topics: list[TopicsOfRun] = []
    runs = collection.joined_runs(needs)
    counts = None
    if needs.unjudged_counts:  # bounds depend on all runs: read all before the first is scored
        every = list(runs)
        counts = unjudged_of_runs([part for _, part in every], len(judgments.topics))
        runs = iter(every)

    def batches() -> Iterator[list[JoinedRun]]:
        while batch := list(islice(runs, RUNS)):
            origins.extend(origin for origin, _ in batch)
            topics.extend(topics_of(*run, judgments.topics) for run in batch)
            yield batch

    def score_batch(batch: list[JoinedRun]) -> Scores:
        names, parts = [origin.name for origin, _ in batch], [part for _, part in batch]
        judged = replace(rankings_of(judgments, names, parts), topic_unjudged=counts)
        if needs.whole_ties:
            judged = replace(judged, depth=collection.depth)
        return score_judged(
            judged, metrics, bounds=assumption is not None, unjudged=str(assumption or "retrieved")
        )

    scores = list(map_in_threads(score_batch, batches()))
    labels, notes = about_runs(origins, topics, judgments.notes, judgments.topics)
    check_order(notes, metrics)
    return concat_runs(scores, labels, notes)


def concat_runs(parts: Sequence[Scores], labels: Sequence[str], notes: Sequence[Note]) -> Scores:
    """Concatenate batches of runs, with names that are unique over all of them."""
    first = parts[0]
    columns: dict[str, Any] = {
        name: np.concatenate([part.cubes[name] for part in parts], axis=1) for name in first.cubes
    }
    outer = {name for part in parts for name in part.outer}
    return replace(
        first,
        **columns,
        runs=tuple(labels),
        present=np.concatenate([part.present for part in parts]),
        input_notes=tuple(notes),
        outer=tuple(str(metric) for metric in first.metrics if str(metric) in outer),
    )


def score_judged(
    judged: JudgedRankings,
    metrics: Sequence[Metric],
    *,
    bounds: bool = False,
    unjudged: str = "retrieved",
    show_progress: bool = False,
) -> Scores:
    """Score judged rankings."""
    check_order(judged.notes, metrics)
    shape = (len(metrics), len(judged.runs), len(judged.topics))
    value = np.empty((len(metrics), judged.count))
    low, high = (np.full_like(value, np.nan) for _ in range(2))
    outer = []
    possible = Possible.parse(unjudged)
    open_to = possible.applied(judged) if bounds else judged
    for place, metric in enumerate(track(metrics, "metrics") if show_progress else metrics):
        value[place] = scores_of(metric, judged)
        check_defined(metric, judged.runs, judged.topics, value[place].reshape(shape[1:]))
        found = bounds_under(possible, metric, judged, open_to) if bounds else None
        if found is not None:
            low[place], high[place] = found
            outer += [] if is_exact_under(possible, metric, judged, open_to) else [str(metric)]
    without = [str(m) for m in metrics if judged.gains is not None and not m.takes_gains]
    return Scores(
        tuple(metrics),
        judged.runs,
        judged.topics,
        value.reshape(shape),
        low.reshape(shape) if bounds else None,
        high.reshape(shape) if bounds else None,
        judged.present.reshape(shape[1:]),
        judged.notes,
        outer=tuple(outer),
        unjudged=str(possible) if bounds else None,
        gains_unused=tuple(without),
    )


def check_order(notes: Sequence[Note], metrics: Sequence[Metric]) -> None:
    """Refuse metrics of ranks for runs that are sets."""
    sets = next((each.source for each in notes if each.kind == NO_ORDER), None)
    ranked = [str(metric) for metric in metrics if not metric.ignores_order]
    if sets is not None and ranked:
        what = f"cited documents have no order, and {ranked[0]} needs one"
        raise CallError(f"{sets}: {what}. Use SetP, SetR or SetF.")


def check_defined(metric: Metric, runs: Sequence[str], topics: Sequence[str], value: Cube) -> None:
    """Raise an error if a topic is undefined for some runs only: it would favour those runs."""
    undefined = np.isnan(value)
    mixed = undefined.any(axis=0) & ~undefined.all(axis=0)
    if not mixed.any():
        return
    topic = int(mixed.argmax())
    run, other = int(undefined[:, topic].argmax()), int((~undefined[:, topic]).argmax())
    raise MetricError(
        f"{metric}: {runs[run]} has no score on topic {topics[topic]}, where "
        f"{runs[other]} has one. NaN is only for topics on which no run can have a score. Give a "
        "run that found nothing the worst score."
    )
