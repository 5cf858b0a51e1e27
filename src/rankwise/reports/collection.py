"""The collection of a report: its pool, what each run brought, holes, what to judge next."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankwise.arrays import Floats, Ints
from rankwise.correlation import correlate
from rankwise.errors import CallError
from rankwise.judging.budget import plan_judged
from rankwise.judging.collection import Overview
from rankwise.judging.effect import plan_by_effect
from rankwise.judging.plan import JudgmentPlan
from rankwise.judging.resolution import plan_resolution
from rankwise.metrics import Metric, parse, parse_all
from rankwise.probable import is_estimable
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.possible import Possible
from rankwise.reports.columns import counts, floats
from rankwise.reports.material import Material
from rankwise.scores.engine import score_judged
from rankwise.scores.table import Scores

POOL_DEPTHS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
# The ranks at which shares are given: each stands for those since the one before.
RANKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
RECALLS = tuple(level / 10 for level in range(11))
CONTRIBUTED = 100  # the depth to which contributions of runs are counted
BUDGET = 100  # documents to judge next
OTHERWISE = "RBP(p=0.8)"  # to plan by, where no metric of the report says how good a run is
# The probable model is asked what to judge up to this many retrieved documents: a few seconds.
MOST_MODELLED = 1_000_000

Columns = dict[str, list[Any]]


class Against(NamedTuple):
    """The run that others are held against, and whether it was asked for."""

    run: str
    given: bool


def collected(
    material: Material, scores: Scores, rel: int, against: Against, seed: int
) -> dict[str, Any]:
    """Everything that the page says of the collection."""
    judged = material.seen
    seen = Overview(judged, rel=rel)
    return {
        "overview": _columns(seen.frame),
        "by_rank": _shares(judged, rel),
        "pool": _pool(material, rel),
        "contributions": _contributions(material, rel),
        "curves": floats(_curves(judged, rel)),
        "recalls": list(RECALLS),
        "agreement": _agreement(scores),
        "next": _next(judged, scores.metrics, against, seed),
    }


def _columns(frame: pl.DataFrame) -> Columns:
    return {name: column.to_list() for name, column in frame.to_dict().items()}


def _shares(judged: JudgedRankings, rel: int) -> dict[str, Any]:
    """Runs × ranks: the share of the documents there that is judged, and relevant."""
    runs, width = len(judged.runs), len(judged.topics)
    deepest = int(judged.length.max(initial=1))
    ends = [rank for rank in RANKS if rank < deepest] + [deepest]

    def counted(part: JudgedRankings) -> Ints:
        bins = np.searchsorted(ends, part.rank)
        flat = part.ranking // width * len(ends) + bins
        return np.bincount(flat, minlength=runs * len(ends)).reshape(runs, -1)

    starts = np.array([0, *ends[:-1]])
    lengths = judged.length.reshape(runs, width, 1)
    there = (np.clip(lengths, starts, ends) - starts).sum(axis=1)
    shares = {
        name: floats(counted(part) / np.maximum(there, 1))
        for name, part in (("judged", judged), ("relevant", judged.relevant(rel)))
    }
    return {"ranks": ends, "retrieved": counts(there), **shares}


def _pool(material: Material, rel: int) -> Columns:
    """For each depth, a topic: distinct documents, what of them is judged, and the overlap."""
    ranked, judged = material.ranked, material.judged
    runs, topics = len(judged.runs), len(judged.topics)
    rows = []
    for depth in POOL_DEPTHS:
        if depth > POOL_DEPTHS[0] and depth > int(ranked.rank.max(initial=0)):
            break
        document, times = np.unique(ranked.top(depth).document, return_counts=True)
        is_judged = document < len(judged.topic_grades)
        grade = judged.topic_grades[document[is_judged]]
        size = max(1, len(document))
        pairs = depth * topics * runs * (runs - 1)
        rows.append(
            {
                "depth": depth,
                "documents": len(document) / topics,
                "judged": is_judged.sum() / size,
                "relevant": (grade >= rel).sum() / topics,
                "one_run": (times == 1).sum() / size,
                "overlap": (times * (times - 1)).sum() / pairs if pairs else None,
            }
        )
    return _columns(pl.DataFrame(rows))


def _contributions(material: Material, rel: int) -> dict[str, Any]:
    """For each run what no other run has in its first 100, and how far it is judged."""
    judged, runs = material.judged, len(material.judged.runs)
    top = material.ranked.top(CONTRIBUTED)
    _, at, times = np.unique(top.document, return_inverse=True, return_counts=True)
    alone = times[at.reshape(-1)] == 1
    grades = np.append(judged.topic_grades, rel - 1)
    relevant = grades[np.minimum(top.document, len(grades) - 1)] >= rel
    retrieved = np.bincount(top.run, minlength=runs)
    return {
        "depth": CONTRIBUTED,
        "retrieved": counts(retrieved),
        "unique": counts(np.bincount(top.run[alone], minlength=runs)),
        "relevant": counts(np.bincount(top.run[relevant], minlength=runs)),
        "unique_relevant": counts(np.bincount(top.run[alone & relevant], minlength=runs)),
        "judged_to": floats(_judged_to(material.seen)),
    }


def _judged_to(judged: JudgedRankings) -> Floats:
    """For each run, in the median over topics, how many documents come before an unjudged one."""
    before = judged.place == judged.rank  # so far all are judged
    depth = np.bincount(judged.ranking[before], minlength=judged.count)
    found: Floats = np.median(depth.reshape(len(judged.runs), -1), axis=1)
    return found


def _curves(judged: JudgedRankings, rel: int) -> Floats:
    """Runs × levels of recall: the mean interpolated precision."""
    rule = f"(rel={rel})" if rel > 1 else ""
    at = score_judged(judged, parse_all([f"IPrec{rule}@{level}" for level in RECALLS]))
    return at.totals["value"].T


def _agreement(scores: Scores) -> dict[str, Any] | None:
    """Kendall's τ between the system rankings of each two metrics."""
    if len(scores.runs) < 2 or len(scores.metrics) < 2:
        return None
    found = correlate(scores)
    return {"title": found.title, "values": floats(found.values)}


def _next(
    judged: JudgedRankings, metrics: Sequence[Metric], against: Against, seed: int
) -> dict[str, Any]:
    plan, way = _planned(judged, metrics, against, seed)
    course = plan.course_table()
    return {
        "metric": str(plan.metric),
        "way": way,
        "follows": plan.metric == metrics[0],
        "documents": _columns(plan.frame),
        "course": _columns(plan.course),
        "notes": [*plan.notes[len(judged.notes) :], *course.notes],
    }


def _planned(
    judged: JudgedRankings, metrics: Sequence[Metric], against: Against, seed: int
) -> tuple[JudgmentPlan, str]:
    """By the first metric that can be planned for, as `plan_judgments` does where that is quick.

    A sum of weights goes by weight; others by the probable model, or, where the runs are too
    many for it or the judgments are no pool, by what each document by itself would do.
    """
    fit = [one for one in metrics if one.sum_of_weights is not None or is_estimable(one)]
    metric = (fit or [parse(OTHERWISE)])[0]
    if metric.sum_of_weights is not None:
        return plan_judged(judged, metric, BUDGET), "weight"
    assert judged.retrieved is not None
    if len(judged.runs) > 1 and len(judged.retrieved.code) <= MOST_MODELLED:
        given = against.run if against.given else None
        top = Possible.parse("top=100")
        with suppress(CallError):  # no pool to learn from
            return plan_resolution(
                *(judged, metric, BUDGET), possible=top, baseline=given, seed=seed
            ), "probable"
    baseline = against.run if len(judged.runs) > 1 else None
    return plan_by_effect(judged, metric, BUDGET, baseline), "effect"
