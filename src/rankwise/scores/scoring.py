"""From judgments and runs to `Scores`: what `score` does, and what other verbs need of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import numpy as np

from rankwise.arrays import Progress
from rankwise.errors import (
    CallError,
    InputError,
    MetricError,
    check_word,
)
from rankwise.metrics import Metric, MetricLike, parse, parse_all
from rankwise.rankings.join import check_ranking, read_judged, read_judgments
from rankwise.rankings.judged import JudgedRankings, from_vectors
from rankwise.rankings.possible import Possible
from rankwise.rankings.selection import Selection
from rankwise.rankings.sources import as_streams, may_hold_several, run_loaders
from rankwise.scores.evaluation import (
    bounds_under,
    changes_with_other_runs,
    check_lengths,
    counting_undefined,
    is_exact_under,
    scores_of,
)
from rankwise.scores.table import Cube, Scores, over_common_topics
from rankwise.vocabulary import Mean, Order, Topics, Undefined

if TYPE_CHECKING:
    from rankwise.rankings.accepted import Gains, QrelsLike, RunsLike
    from rankwise.rankings.lengths import DocumentLengths
    from rankwise.rankings.selection import DocumentMap, OnlyTopics, TopicGroups

MetricsLike: TypeAlias = MetricLike | Iterable[MetricLike]
DEFAULT_METRICS = ("AP", "nDCG@10", "P@10", "RR")


def score(
    qrels: QrelsLike,
    runs: RunsLike,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    topics: Topics = "all",
    order: Order = "score",
    depth: int | None = None,
    bounds: bool = False,
    unjudged: str = "retrieved",
    gains: Gains | None = None,
    rel: float = 1,
    lenient: bool = False,
    mean: Mean = "arithmetic",
    undefined: Undefined = "skip",
    complete_runs: bool = False,
    only_topics: OnlyTopics | None = None,
    drop_self: bool = False,
    map_documents: DocumentMap | None = None,
    lengths: DocumentLengths | None = None,
    topic_groups: TopicGroups | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score runs against judgments.

    Parameters
    ----------
    qrels
        Judgments: a path (`-` is standard input), a frame, {topic: {document: grade}} or
        `Qrels`.
    runs
        One run or several: paths, frames, {topic: {document: score}} or `Run`; or
        {name: run}. An iterator of frames or of Arrow's record batches is one table that
        comes in parts, grouped by topic: it is never in memory whole.
    metrics
        Names, as `"nDCG@10"`, or metrics, one or several.
    topics
        Average over `all` judged topics, a run having an empty ranking where it lacks one,
        or over those `common` to the judgments and all runs.
    order
        What orders a ranking: `score`, `rank` or `file`.
    depth
        Look at the first so many documents only.
    bounds
        Also the lower and upper bound that unjudged documents leave.
    unjudged
        What bounds assume: `retrieved`, only documents that one of these runs retrieved can
        turn out relevant; `own`, only those of the run itself, so that other runs do not
        change its bounds, but those of AP and the like are too narrow; `open`, any can, and
        the ranking goes on below its end; `top=K`, only those that some run has in its first
        K; `extra=N` besides, N per topic that no run retrieved.
    gains
        What each grade is worth, as `{1: 1, 2: 3}`, `"1=1,2=3"` or `"3:1"`.
    rel
        The lowest grade that is relevant, also a fraction where judgments are, of the metrics
        that have one and are written without: AP is then AP(rel=2), nDCG stays as it is.
    lenient
        Drop bad lines and repeated documents, and say so in the notes.
    mean
        `arithmetic` or `geometric` (AP with it is GMAP; counts still add up).
    undefined
        Topics without a score: `skip` them in means, or count `zero`, as trec_eval does.
    complete_runs
        Leave out runs that are too short; see `rankwise.rankings.join.incomplete`.
    only_topics
        The topics to look at: names, or a file with one per line. The rest of the judgments
        and of the runs is as if it were not there.
    drop_self
        Leave out documents that are named like their topic, of runs and of judgments: there
        a topic is itself a document of the collection, as in ArguAna and Quora.
    map_documents
        Documents in place of passages, of runs that retrieve passages where documents are
        judged: {passage: document}, a file with lines `passage document`, or a regular
        expression that matches in the passage's name the document's, or whose group does, as
        `"(.*)#"`. Of the passages of a document the best counts.
    lengths
        How long documents are, for TBG (in words) and U (in characters): {document: length},
        a frame with these columns, or a file with lines `document length`.
    topic_groups
        {topic: group}, or a file with lines `topic group`: also the means of each group.
    progress
        Is called with the metrics, and gives them back one by one; only where runs are scored
        all at once, as for metrics of one's own. Else `runs` is taken one by one.

    Returns
    -------
    Scores
        Run × topic × metric, with means, notes, tables and a chart.

    Examples
    --------
    >>> result = score({"1": {"a": 1, "b": 0}}, {"1": {"a": 0.2, "b": 0.9}}, ["RR", "P@2"])
    >>> result.pivot().rows()
    [('run', 0.5, 0.5)]
    """
    wanted = parse_all(metrics, rel)
    if not wanted:
        raise CallError("no metric is given.")
    check_word("topics", topics, get_args(Topics))
    check_word("undefined", undefined, get_args(Undefined))
    check_word("mean", mean, get_args(Mean))
    check_lengths(wanted, lengths)
    reading: dict[str, Any] = {"order": order, "depth": depth, "gains": gains}
    reading |= {"lenient": lenient, "only_topics": only_topics, "drop_self": drop_self}
    reading |= {"map_documents": map_documents}
    bounded: dict[str, Any] = {"bounds": bounds, "unjudged": unjudged}
    needed: dict[str, Any] = needed_for(wanted, **bounded)
    runs, are_streams = as_streams(runs)
    if are_streams and needed["count_unjudged"]:
        runs, needed["count_unjudged"] = may_hold_several(runs)
    in_parts = all(metric.is_builtin for metric in wanted)
    in_parts &= not (needed["retrieved"] or complete_runs or lengths is not None)
    if needed["count_unjudged"]:  # of streams, and to a depth that ties may span: from whole runs
        in_parts &= not (are_streams or (needed["share_ties"] and depth is not None))
    if in_parts:
        ways = bounded | {"count_unjudged": needed["count_unjudged"]}
        scores = _score_in_parts(qrels, runs, are_streams, wanted, **ways, **reading)
    else:
        reading |= {"complete_runs": complete_runs, "lengths": lengths}
        judged = read_judged(qrels, runs, **reading, **needed)
        scores = score_judged(judged, wanted, **bounded, progress=progress)
    scores = replace(scores, averaged=mean).with_groups(topic_groups)
    scores = counting_undefined(scores, undefined)
    return scores if topics == "all" else over_common_topics(scores)


def _score_in_parts(
    qrels: Any,
    runs: Any,
    are_streams: bool,
    metrics: Sequence[Metric],
    *,
    order: Order,
    depth: int | None,
    gains: Any,
    lenient: bool,
    only_topics: Any,
    drop_self: bool,
    map_documents: Any,
    bounds: bool,
    unjudged: str,
    count_unjudged: bool,
) -> Scores:
    """Scores of streams piece by piece, of other runs a few at a time."""
    check_ranking(order, depth)
    Possible.parse(unjudged)
    taken = Selection.of(only_topics, drop_self, map_documents)
    loaders = taken.of_runs(run_loaders(runs, order=order, lenient=lenient), order)
    ways: Any = {"order": order, "depth": depth, "bounds": bounds, "unjudged": unjudged}
    if not are_streams:
        from rankwise.scores.batches import score_batches

        judgments = read_judgments(qrels, gains=gains, lenient=lenient, taken=taken)
        return score_batches(judgments, loaders, metrics, **ways, count_unjudged=count_unjudged)
    from rankwise.rankings.by_topic import JudgmentsByTopic
    from rankwise.scores.streams import score_streams

    by_topic = JudgmentsByTopic.read(qrels, gains, lenient, taken)
    return score_streams(by_topic, loaders, metrics, **ways)


def needed_for(metrics: Sequence[Metric], bounds: bool, unjudged: str) -> dict[str, bool]:
    """What must be read of rankings for these metrics and bounds: keywords of `read_judged`."""
    possible = Possible.parse(unjudged)
    pooled = bounds and possible.top is not None
    counted = any(changes_with_other_runs(possible, metric) for metric in metrics)
    sharing = any(metric.shares_ties for metric in metrics)
    return {"retrieved": pooled, "count_unjudged": bounds and counted, "share_ties": sharing}


def scores_of_input(
    given: QrelsLike | Scores, runs: RunsLike | None, metrics: MetricsLike, **scoring: Any
) -> Scores:
    """Scores as they are given, or made from qrels and runs as `score` does."""
    if isinstance(given, Scores):
        check_scores_alone(runs, metrics, **scoring)
        return given
    return score(given, check_runs(runs), metrics, **scoring)


def check_runs(runs: RunsLike | None) -> RunsLike:
    if runs is None:
        raise CallError("no run is given; give qrels and runs, or Scores.")
    return runs


def check_scores_alone(runs: RunsLike | None, metrics: MetricsLike, **scoring: Any) -> None:
    """That nothing is asked of scores which had to be asked when they were made."""
    from inspect import signature

    known = signature(score).parameters
    given = [name for name, value in scoring.items() if value != known[name].default]
    given += ["metrics"] if metrics is not DEFAULT_METRICS else []
    given += ["runs"] if runs is not None else []
    if given:
        raise CallError(f"{given[-1]} goes with qrels: Scores are given, which are made already.")


def score_judged(
    judged: JudgedRankings,
    metrics: Sequence[Metric],
    *,
    bounds: bool = False,
    unjudged: str = "retrieved",
    progress: Progress | None = None,
) -> Scores:
    """Score rankings that are already judged."""
    shape = (len(metrics), len(judged.runs), len(judged.topics))
    value = np.empty((len(metrics), judged.count))
    low, high = (np.full_like(value, np.nan) for _ in range(2))
    outer = []
    possible = Possible.parse(unjudged)
    open_to = possible.applied(judged) if bounds else judged
    for place, metric in enumerate(progress(metrics) if progress else metrics):
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


def check_defined(metric: Metric, runs: Sequence[str], topics: Sequence[str], value: Cube) -> None:
    """A topic is undefined for all runs, or for none: a run that fails must not profit."""
    undefined = np.isnan(value)
    mixed = undefined.any(axis=0) & ~undefined.all(axis=0)
    if not mixed.any():
        return
    topic = int(mixed.argmax())
    run, other = int(undefined[:, topic].argmax()), int((~undefined[:, topic]).argmax())
    raise MetricError(
        f"{metric}: {runs[run]} has no score on topic {topics[topic]}, where "
        f"{runs[other]} has one. NaN is for topics that no run can have a score on; "
        "a run that found nothing gets the worst score."
    )


def score_gains(
    metric: MetricLike,
    vector: Sequence[float | None],
    *,
    judged: Sequence[float] | None = None,
) -> float:
    """The score of one ranking given as the grades (or gains) of its documents.

    None is an unjudged document. `judged` holds the grades of all judged documents of
    the topic, where the ranking does not hold them all: the R of AP, the ideal of nDCG.

    >>> round(score_gains("AP", [1, 1, 0, 0, 0, 1], judged=[1, 1, 1, 1, 1]), 4)
    0.5
    """
    parsed = parse(metric)
    if judged is not None and sorted(v for v in vector if v) != _among(vector, judged):
        raise InputError("judged", "lacks grades that the ranking holds.")
    rankings = from_vectors([vector], None if judged is None else [judged])
    return float(scores_of(parsed, rankings)[0])


def _among(vector: Sequence[float | None], judged: Sequence[float]) -> list[float]:
    """The positive grades of the ranking that the judgments hold, each as often as they do."""
    left = list(judged)
    found = []
    for value in sorted(v for v in vector if v):
        if value in left:
            left.remove(value)
            found.append(value)
    return found
