"""The scoring engine, which scores a collection in parts and returns `Scores`.

A part is a few runs whose rankings fit in the processor's caches, or a piece of a stream
(streaming.py). While one part is scored, the next is read. Only the scores stay in memory. The
scores are identical to those computed from all rankings at once. Some calls need all rankings at
once, for example metrics defined by the user and bounds under `top=K`; see `score_collection`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice

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
    is_exact_under,
    scores_of,
)
from rankwise.scores.scores import Cube, Scores
from rankwise.threads import map_in_threads

RUNS = 8  # number of runs scored at once


def score_collection(
    collection: Collection, metrics: Sequence[Metric], assumption: Possible | None
) -> Scores:
    """Score all runs on all topics, with bounds if an assumption is given."""
    needs = needs_of(metrics, assumption)
    if needs.unjudged_counts and collection.sources.are_streams:
        needs = needs._replace(unjudged_counts=collection.may_hold_several_runs())
    # All rankings are scored at once if document names or lengths are needed, if incomplete runs
    # are excluded, or if a metric is not built in. Bounds that depend on other runs also need all
    # rankings at once if the runs are streams, or if a tie may span the evaluation depth.
    at_once = needs.documents or collection.complete_runs or collection.lengths is not None
    at_once |= not all(metric.is_builtin for metric in metrics)
    spanning = needs.whole_ties and collection.depth is not None
    if needs.unjudged_counts:
        at_once |= spanning or collection.sources.are_streams
    if at_once:
        return score_judged(
            collection.judged(needs), metrics, unjudged=assumption, show_progress=True
        )
    if collection.sources.are_streams:
        from rankwise.scores.streaming import score_streams

        return score_streams(collection, metrics, assumption)
    return _score_in_batches(collection, metrics, assumption, needs)


def needs_of(metrics: Sequence[Metric], assumption: Possible | None) -> Needs:
    """Return the data beyond ranks and grades that these metrics and their bounds need."""
    whole_ties = any(metric.ties == "share" for metric in metrics)
    if assumption is None:
        return Needs(whole_ties=whole_ties)
    return Needs(
        documents=assumption.top is not None,
        unjudged_counts=any(changes_with_other_runs(assumption, metric) for metric in metrics),
        whole_ties=whole_ties,
    )


def _score_in_batches(
    collection: Collection, metrics: Sequence[Metric], assumption: Possible | None, needs: Needs
) -> Scores:
    """Score a few runs at a time, each on all topics."""
    judgments, runs = collection.judgments, collection.joined_runs(needs)
    counts = None
    if needs.unjudged_counts:  # bounds depend on all runs: all are read before the first is scored
        joined = list(runs)
        counts = unjudged_of_runs([part for _, part in joined], len(judgments.topics))
        runs = iter(joined)

    def score_batch(batch: list[JoinedRun]) -> tuple[list[tuple[Origin, TopicsOfRun]], Scores]:
        names, parts = [origin.name for origin, _ in batch], [part for _, part in batch]
        judged = rankings_of(judgments, names, parts)
        judged = replace(judged, topic_unjudged=counts)
        if needs.whole_ties:
            judged = replace(judged, depth=collection.depth)
        read = [(origin, topics_of(origin, part, judgments.topics)) for origin, part in batch]
        return read, score_judged(judged, metrics, unjudged=assumption)

    batches = iter(lambda: list(islice(runs, RUNS)), [])  # until there are no more runs
    read, scores = zip(*map_in_threads(score_batch, batches), strict=True)
    labels, notes = about_runs(list(chain(*read)), judgments.notes, judgments.topics)
    check_order(notes, metrics)
    return replace(scores[0].joined(scores, labels), input_notes=tuple(notes))


def score_judged(
    judged: JudgedRankings,
    metrics: Sequence[Metric],
    *,
    unjudged: Possible | str | None = None,
    show_progress: bool = False,
) -> Scores:
    """Return the scores of judged rankings, with bounds if `unjudged` is an assumption."""
    check_order(judged.notes, metrics)
    shape = (len(metrics), len(judged.runs), len(judged.topics))
    value = np.empty((len(metrics), judged.count))
    low, high = (np.full_like(value, np.nan) for _ in range(2))
    outer = []
    possible = Possible.parse(unjudged) if isinstance(unjudged, str) else unjudged
    open_to = judged if possible is None else possible.applied(judged)
    for place, metric in enumerate(track(metrics, "metrics") if show_progress else metrics):
        value[place] = scores_of(metric, judged)
        check_defined(metric, judged.runs, judged.topics, value[place].reshape(shape[1:]))
        if possible is None:
            continue
        found = bounds_under(possible, metric, judged, open_to)
        if found is not None:
            low[place], high[place] = found
            outer += [] if is_exact_under(possible, metric, judged, open_to) else [str(metric)]
    without = [str(m) for m in metrics if judged.gains is not None and not m.takes_gains]
    return Scores(
        tuple(metrics),
        judged.runs,
        judged.topics,
        value.reshape(shape),
        None if possible is None else low.reshape(shape),
        None if possible is None else high.reshape(shape),
        judged.present.reshape(shape[1:]),
        judged.notes,
        outer=tuple(outer),
        unjudged=None if possible is None else str(possible),
        gains_unused=tuple(without),
    )


def check_order(notes: Sequence[Note], metrics: Sequence[Metric]) -> None:
    """Raise an error if a metric needs ranks but the documents of the runs have no order."""
    sets = next((each.source for each in notes if each.kind == NO_ORDER), None)
    ranked = [str(metric) for metric in metrics if not metric.ignores_order]
    if sets is not None and ranked:
        what = f"cited documents have no order, but {ranked[0]} needs a ranking"
        raise CallError(f"{sets}: {what}. Use SetP, SetR or SetF.")


def check_defined(metric: Metric, runs: Sequence[str], topics: Sequence[str], value: Cube) -> None:
    """Raise an error if a metric is undefined on a topic for some runs and defined for others.

    The mean of a run excludes topics without a score, so runs would have means over different
    topics.
    """
    undefined = np.isnan(value)
    mixed = undefined.any(axis=0) & ~undefined.all(axis=0)
    if not mixed.any():
        return
    topic = int(mixed.argmax())
    run, other = int(undefined[:, topic].argmax()), int((~undefined[:, topic]).argmax())
    raise MetricError(
        f"{metric}: {runs[run]} has no score on topic {topics[topic]}, but {runs[other]} has a "
        "score there. Return NaN only for topics on which no run can have a score. Return the "
        "worst score for a run that found nothing."
    )
