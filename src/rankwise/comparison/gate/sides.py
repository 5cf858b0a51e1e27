"""Candidate and baseline (the two sides) of a gate, and the topics whose scores differ most.

The candidate is a run, and the baseline a run or saved scores; or both are runs of imported scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import NEAR, Floats
from rankwise.errors import CallError, InputError, RankwiseError, did_you_mean, some_of
from rankwise.formats import JUDGMENTS, STDIN, WithColumns, is_dataset_id, read_score_rows
from rankwise.metrics import Metric, parse
from rankwise.notes import Note, note, warning
from rankwise.rankings import (
    Collection,
    JudgedRankings,
    NamedRun,
    Needs,
    Qrels,
    Run,
    TopicGroups,
    fingerprints,
    rank_rows,
)
from rankwise.scores import Scores, over_common_topics, score_judged
from rankwise.stats import differences_of
from rankwise.vocabulary import Order
from rankwise.wording import Argument, Count

BASELINE, CANDIDATE = 0, 1  # indices of the runs in `Sides.scores`
SCHEMA = {
    **{name: pl.String() for name in ("metric", "topic", "group")},
    **{name: pl.Float64() for name in ("baseline", "candidate", "difference")},
    "no_results": pl.Boolean(),
    **{name: pl.List(pl.String()) for name in ("gained", "lost", "missed")},
}


@dataclass(frozen=True)
class Drop:
    """Topics on which a metric got worse by more than `limit`, worst first.

    `limit` is half of the metric's range. If the range is infinite or unknown, `limit` is infinite
    and there are no topics.
    """

    metric: str
    limit: float
    topics: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Documents:
    """Judgments and rankings with document names.

    `runs` has the baseline and the candidate. The baseline is None if only its scores are known.
    """

    qrels: Qrels
    runs: tuple[Run | None, Run]
    order: Order
    depth: int | None

    def moved(self, metric: Metric, topic: str) -> dict[str, list[str] | None]:
        """Return relevant documents of a topic in three lists: `gained`, `lost` and `missed`.

        The top of a ranking ends at the metric's cutoff, or at `depth` if this is smaller. Gained
        documents entered the top, lost documents left it, and missed documents are not in the top
        of the candidate. Gained and lost documents are in ranking order. Missed documents are
        sorted by grade, highest first. `gained` and `lost` are None without a baseline ranking.
        """
        rows = self._judged.get((topic,))
        at_least = pl.col("grade") >= (metric.rel or 1)
        relevant = [] if rows is None else rows.filter(at_least)["document"].to_list()
        before, after = (self._first(run, topic, metric.cutoff) for run in self.runs)
        assert after is not None
        missed = _without(relevant, after)
        if before is None:
            return {"gained": None, "lost": None, "missed": missed}
        known = set(relevant)
        gained = [document for document in _without(after, before) if document in known]
        lost = [document for document in _without(before, after) if document in known]
        return {"gained": gained, "lost": lost, "missed": missed}

    @cached_property
    def _judged(self) -> dict[tuple[object, ...], pl.DataFrame]:
        ordered = self.qrels.frame.sort("grade", "document", descending=[True, False])
        return ordered.partition_by("topic", as_dict=True)

    def _first(self, run: Run | None, topic: str, cutoff: int | None) -> list[str] | None:
        if run is None:
            return None
        one = replace(run, frame=run.frame.filter(pl.col("topic") == topic))
        if one.frame.is_empty():
            return []
        ranks = rank_rows(one, self.order).all_places().rank
        documents = one.frame["document"].gather(np.argsort(ranks)).to_list()
        ends = [end for end in (cutoff, self.depth) if end is not None]
        return documents[: min(ends)] if ends else documents


def _without(documents: Sequence[str], others: Iterable[str]) -> list[str]:
    excluded = set(others)
    return [document for document in documents if document not in excluded]


def topics_that_moved(
    scores: Scores, metrics: Sequence[Metric], sides: Sides, count: int
) -> pl.DataFrame:
    """Return the `count` topics whose score changed most, for each metric.

    Topics for which the candidate returned no results are selected first, and come first. All other
    topics are sorted from the largest drop to the largest gain. Unchanged topics are not listed.
    """
    rows = []
    empty = np.isin(scores.topics, sides.no_results or ())
    for metric in metrics:
        values, gain = _gains(scores, metric)
        moved = np.flatnonzero(np.isfinite(gain) & (gain != 0))
        most = moved[np.lexsort((-np.abs(gain[moved]), ~empty[moved]))][:count]
        for place in most[np.lexsort((gain[most], ~empty[most]))].tolist():
            topic = scores.topics[place]
            row: dict[str, Any] = {"metric": str(metric), "topic": topic}
            row |= {"group": scores.groups[place] if scores.groups else None}
            row |= {"baseline": values[BASELINE][place], "candidate": values[CANDIDATE][place]}
            row |= {"difference": metric.sign * gain[place], "no_results": bool(empty[place])}
            documents = sides.documents
            rows.append(row | (documents.moved(metric, topic) if documents else {}))
    return pl.DataFrame(rows, schema=SCHEMA)


def large_drops(scores: Scores, metrics: Sequence[Metric]) -> tuple[Drop, ...]:
    """Return, per metric, the topics that got worse by more than half of the metric's range."""
    drops = []
    for metric in metrics:
        low, high = metric.score_range or ((0, 1) if metric.is_builtin else (-np.inf, np.inf))
        limit = (high - low) / 2
        _, gain = _gains(scores, metric)
        worse = np.flatnonzero(gain < -limit - NEAR)
        worst_first = worse[np.argsort(gain[worse], kind="stable")]
        topics = tuple(scores.topics[place] for place in worst_first)
        drops.append(Drop(str(metric), float(limit), topics))
    return tuple(drops)


def _gains(scores: Scores, metric: Metric) -> tuple[Floats, Floats]:
    """Return the scores of both runs, and the improvement by the candidate on each topic.

    An improvement is positive where the candidate is better, also if lower scores are better.
    """
    values = scores.value[scores.metrics.index(metric)]
    change = differences_of(values, np.array([CANDIDATE]), np.array([BASELINE]))[0]
    return values, metric.sign * change


@dataclass(frozen=True, eq=False)
class Sides:
    """Scores of both sides; the runs of `scores` are the baseline and the candidate.

    `unjudged[cutoff]` has the unjudged fraction of the documents down to the cutoff, of shape (2,
    topics). The fraction is NaN if no document is retrieved, and for saved scores. `no_results` are
    the judged topics for which the candidate returned no document. `no_results` and `documents` are
    None if both sides are imported scores.
    """

    scores: Scores
    documents: Documents | None
    unjudged: dict[int, Floats]
    no_results: tuple[str, ...] | None
    notes: list[Note]
    groups: TopicGroups | None = None


def both_sides(
    collection: Collection,
    baseline: Any,
    candidate: Any,
    metrics: Mapping[Metric, bool],
    cutoffs: set[int],
) -> Sides:
    """Score both sides by the metrics, and compute unjudged fractions at the cutoffs.

    `metrics` maps each metric to True if a rule compares the two sides by this metric. Saved scores
    of the baseline must have these metrics; other metrics may be missing.
    """
    if collection.runs is not None:
        raise CallError(
            "the collection has runs already, but gate takes the runs as arguments. Use "
            "gate(read(qrels), old, new)."
        )
    judgments = collection.qrels_by_name()
    rows = _saved(baseline)
    after = _one_run(collection, candidate, "candidate")
    before = None if rows is not None else _one_run(collection, baseline, "baseline")
    runs = [after] if before is None else _distinct(before, after)
    whole_ties = any(metric.ties == "share" for metric in metrics)
    read = Collection(judgments, runs, order=collection.order, depth=collection.depth)
    judged = read.judged(Needs(whole_ties=whole_ties))
    scores = score_judged(judged, list(metrics)).counting_undefined(collection.undefined)
    scores = scores if collection.topics == "all" else over_common_topics(scores)
    notes = scores.notes  # the result has the topics without results of the candidate
    notes = [n for n in notes if n.kind != "topics-missing" or n.runs != (scores.runs[-1],)]
    if rows is not None:
        is_zero = collection.undefined == "zero"
        scores, more = _with_saved(rows, scores, metrics, zero=is_zero)
        notes += [*more, *_changed_judgments(rows, judgments)]
    documents = Documents(judgments, (before, after), collection.order, collection.depth)
    kept = np.isin(judged.topics, scores.topics)
    shares = {cutoff: _unjudged_shares(judged, cutoff)[:, kept] for cutoff in cutoffs}
    empty = judged.length.reshape(len(runs), -1)[-1] == 0
    no_results = tuple(np.array(judged.topics, object)[empty])
    return Sides(scores, documents, shares, no_results, notes, collection.topic_groups)


def sides_of_scores(
    scores: Scores, baseline: Any, candidate: Any, metrics: Sequence[Metric], cutoffs: set[int]
) -> Sides:
    """Return the two sides from imported scores; `baseline` and `candidate` are names of runs."""
    if cutoffs:
        what = " needs rankings, but only scores are given. Give judgments and runs, or remove "
        raise CallError(Argument("max_unjudged"), what, Argument("max_unjudged"), ".")
    places = []
    for side, name in (("baseline", baseline), ("candidate", candidate)):
        if not isinstance(name, str) or name not in scores.runs:
            near = did_you_mean(str(name), scores.runs)
            listed = near or f" Runs: {some_of(scores.runs, 8)}."
            raise CallError(f"the {side} {name!r} is not a run of the scores.{listed}")
        places.append(scores.runs.index(name))
    kept = [scores.metrics.index(metric) for metric in metrics]
    both = replace(scores, low=None, high=None).of_metrics(kept).of_runs(places)
    return Sides(both, None, {}, None, scores.notes)


def _one_run(collection: Collection, given: Any, side: str) -> Run:
    runs = replace(collection, runs=given).runs_by_name()
    if len(runs) != 1:
        names = some_of([run.name for run in runs])
        what = f"the {side} must be one run, and {len(runs)} are given: {names}."
        raise CallError(what)
    return runs[0]


def _distinct(before: Run, after: Run) -> list[Run]:
    """Return both runs with distinct names.

    The names are the runs' own names, the names of their files, or "baseline" and "candidate".
    """
    names = ("baseline", "candidate")
    for some in ((before.file, after.file), (before.name, after.name)):
        if some[0] and some[1] and some[0] != some[1]:
            names = some
    return [replace(before, name=names[0]), replace(after, name=names[1])]


def _saved(given: Any) -> pl.DataFrame | None:
    """Return the rows of saved scores (run, topic, metric, value), or None for a run."""
    if isinstance(given, Scores):
        return given.frame.select("run", "topic", "metric", "value")
    if isinstance(given, NamedRun):
        rows = _saved(given.given)
        is_one = rows is not None and rows["run"].n_unique() == 1
        return rows.with_columns(run=pl.lit(given.name)) if rows is not None and is_one else rows
    if isinstance(given, WithColumns):
        return _saved(given.given)
    if isinstance(given, Run):
        return None
    if isinstance(given, str) and (given == STDIN or is_dataset_id(given)):
        return None
    rows = read_score_rows(given, may_be_run=True)
    return rows if rows is None or "metric" in rows.columns else None


def _with_saved(
    rows: pl.DataFrame, scores: Scores, needed: Mapping[Metric, bool], *, zero: bool
) -> tuple[Scores, list[Note]]:
    """Insert the saved scores of the baseline before the scores of the candidate; return notes too.

    A topic without a saved score is excluded from comparisons. A saved score that is null counts as
    0 if `zero`, and is otherwise excluded too. Saved scores must have each metric that `needed`
    maps to True.
    """
    [name, *others] = rows["run"].unique(maintain_order=True).to_list()
    if others:
        what = (
            f"a baseline is one run, but there are {len(others) + 1}: {some_of([name, *others])}."
        )
        raise InputError("the saved scores", f"{what} Save the scores of one run.")
    value = np.full((len(scores.metrics), len(scores.topics)), np.nan)
    for place, metric in enumerate(scores.metrics):
        of_metric = _rows_of(rows, metric, needed=needed[metric])
        saved = dict(of_metric.select("topic", "value").rows())
        known = [saved.get(topic, np.nan) for topic in scores.topics]
        value[place] = [(0.0 if zero else np.nan) if one is None else one for one in known]
    present = np.isin(scores.topics, rows["topic"].to_numpy())
    if not present.any():
        some_saved, judged = some_of(rows["topic"].to_list(), 2), some_of(scores.topics, 2)
        what = f"no topic in common with the qrels. Topics of the scores: {some_saved}. Topics of "
        raise InputError("the saved scores", f"{what}the qrels: {judged}.")
    notes = []
    if gone := set(rows["topic"]) - set(scores.topics):
        one = "topic of the saved scores has no judgments and is"
        several = "topics of the saved scores have no judgments and are"
        notes.append(note("saved-topics", Count(len(gone), one, several), " excluded"))
    if new := int((~present).sum()):
        have = "has no saved score and is" if new == 1 else "have no saved scores and are"
        text = f"{new:,} of {len(present):,} judged topics {have} excluded"
        notes.append(note("new-topics", text))
    candidate = scores.runs[0]
    both = (name, candidate) if name != candidate else ("baseline", "candidate")
    value = np.concatenate([value[:, None], scores.value], axis=1)
    there = np.stack([np.ones_like(present), scores.present[0]])
    return replace(scores, runs=both, value=value, present=there), notes


def _changed_judgments(rows: pl.DataFrame, judgments: Qrels) -> list[Note]:
    """Return a warning if judgments of topics have changed since the scores were saved.

    Scores saved without fingerprints of the judgments give no warning.
    """
    if JUDGMENTS not in rows.columns:
        return []
    saved = dict(rows.select("topic", JUDGMENTS).drop_nulls().rows())
    now = fingerprints(judgments)
    changed = [topic for topic in saved if topic in now and now[topic] != saved[topic]]
    if not changed:
        return []
    count = f"{len(changed):,} of {len(saved):,} topics"
    what = f"the judgments of {count} have changed since the baseline's scores were saved"
    todo = "Give the baseline as a run, or save its scores again with the current judgments."
    topics = f"{'topic' if len(changed) == 1 else 'topics'} {some_of(changed)}"
    return [warning("judgments-changed", f"{what} ({topics}). {todo}")]


def _rows_of(rows: pl.DataFrame, metric: Metric, *, needed: bool) -> pl.DataFrame:
    """Return the saved rows of a metric; the rows may name the metric by an alias.

    If the metric is missing, no rows are returned, or an error is raised if it is `needed`.
    """
    known = rows["metric"].unique(maintain_order=True).to_list()
    name = next((name for name in known if name == str(metric) or _is(metric, name)), None)
    if name is None and needed:
        its = some_of(known, 8)
        what = f"no scores of {metric}. Metrics: {its}. Use one of them."
        raise InputError("the saved scores", what)
    return rows.clear() if name is None else rows.filter(pl.col("metric") == name)


def _is(metric: Metric, name: str) -> bool:
    try:
        return parse(name) == metric
    except RankwiseError:
        return False


def _unjudged_shares(judged: JudgedRankings, cutoff: int) -> Floats:
    """Return the unjudged fraction of each ranking's top documents, of shape (2, topics).

    The first row is the baseline, NaN for saved scores; the second is the candidate.
    """
    top = judged.cut_to_depth().top(cutoff)
    share = np.where(top.length > 0, top.unjudged_count / np.maximum(top.length, 1), np.nan)
    by_run = share.reshape(len(judged.runs), -1)
    return np.concatenate([np.full_like(by_run, np.nan), by_run])[-2:]
