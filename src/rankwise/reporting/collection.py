"""Collection section of a report: the pool, contributions of runs, and judging plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import Floats, Ints
from rankwise.correlation import correlate
from rankwise.errors import CallError
from rankwise.formats import NO_ORDER
from rankwise.judging import JudgmentPlan, Overview, plan_judged, plan_resolution
from rankwise.metrics import Metric, parse, parse_all
from rankwise.probable import is_predictable, predict_judged
from rankwise.rankings import JudgedRankings, Possible
from rankwise.reporting.packing import counts, floats
from rankwise.reporting.probable import doubts
from rankwise.reporting.provenance import requested_by
from rankwise.scores import Scores, score_judged

POOL_DEPTHS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
# Ranks at which shares are shown; each covers the ranks since the previous one.
RANKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
RECALLS = tuple(level / 10 for level in range(11))
CONTRIBUTED = 100  # depth to which contributions of runs are counted
BUDGET = 100  # number of documents to judge next
OTHERWISE = "DCG@100"  # metric of the plan if no metric of the report has a plan
# The predictive model plans for up to this many retrieved documents. Ten runs of TREC-8 have
# 500,000.
MOST_MODELLED = 1_000_000
BEST = 10  # with more documents, the model plans for this number of the best runs

Columns = dict[str, list[Any]]


def collected(
    judged: JudgedRankings, scores: Scores, rel: int, baseline: str | None, seed: int
) -> dict[str, Any]:
    """Return the data of the view Collection; `baseline` is the requested run, or None."""
    seen = judged.cut_to_depth()
    return {
        "overview": _columns(Overview(seen, rel=rel).frame),
        "by_rank": _shares(seen, rel),
        "pool": _pool(seen, rel),
        "contributions": _contributions(seen, rel),
        "curves": floats(_curves(seen, rel)),
        "recalls": list(RECALLS),
        "agreement": agreement_of_metrics(scores),
        "next": _plans(judged, scores, baseline, seed),
    }


def _columns(frame: pl.DataFrame) -> Columns:
    return {name: column.to_list() for name, column in frame.to_dict().items()}


def _shares(judged: JudgedRankings, rel: int) -> dict[str, Any]:
    """Return the fractions of judged and of relevant documents, of shape (runs, ranks).

    The value at a rank is for all ranks since the previous rank in `RANKS`.
    """
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


def _pool(judged: JudgedRankings, rel: int) -> Columns:
    """Return documents per topic, judged fraction and overlap of runs, for each pool depth."""
    runs, topics, retrieved = len(judged.runs), len(judged.topics), judged.retrieved
    assert retrieved is not None
    columns = [(piece.code, piece.rank) for piece in retrieved.pieces()]
    code, rank = (np.concatenate(of, dtype=np.int32) for of in zip(*columns, strict=True))
    retrieved_by = np.zeros(retrieved.codes, np.int64)  # runs that have each document
    rows, above = [], 0
    for depth in POOL_DEPTHS:
        if depth > POOL_DEPTHS[0] and depth > int(rank.max(initial=0)):
            break
        here = (rank > above) & (rank <= depth)
        retrieved_by += np.bincount(code[here], minlength=len(retrieved_by))
        above, document = depth, np.flatnonzero(retrieved_by)
        times, is_judged = retrieved_by[document], document < len(judged.topic_grades)
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


def _contributions(judged: JudgedRankings, rel: int) -> dict[str, Any]:
    """Return, per run, counts of documents in its top 100, and its judged depth.

    Counts are over all topics together. Unique documents are not in the top 100 of any other run.
    The judged depth is the median over topics of the number of documents above the first unjudged
    document.
    """
    runs = len(judged.runs)
    assert judged.retrieved is not None
    top = judged.retrieved.above(CONTRIBUTED).by_code
    _, at, times = np.unique(top.code, return_inverse=True, return_counts=True)
    alone = times[at.reshape(-1)] == 1
    grades = np.append(judged.topic_grades, rel - 1)
    relevant = grades[np.minimum(top.code, len(grades) - 1)] >= rel
    all_judged = judged.place == judged.rank  # all documents so far are judged
    judged_to = np.bincount(judged.ranking[all_judged], minlength=judged.count)
    return {
        "depth": CONTRIBUTED,
        "retrieved": counts(np.bincount(top.run, minlength=runs)),
        "unique": counts(np.bincount(top.run[alone], minlength=runs)),
        "relevant": counts(np.bincount(top.run[relevant], minlength=runs)),
        "unique_relevant": counts(np.bincount(top.run[alone & relevant], minlength=runs)),
        "judged_to": floats(np.median(judged_to.reshape(runs, -1), axis=1)),
    }


def _curves(judged: JudgedRankings, rel: int) -> Floats:
    """Return the mean interpolated precision, of shape (runs, recall levels).

    All values are NaN if the runs are sets, which have no order.
    """
    if any(note.kind == NO_ORDER for note in judged.notes):
        return np.full((len(judged.runs), len(RECALLS)), np.nan)
    rule = f"(rel={rel})" if rel > 1 else ""
    at = score_judged(judged, parse_all([f"IPrec{rule}@{level}" for level in RECALLS]))
    return at.totals["value"].T


def agreement_of_metrics(scores: Scores) -> dict[str, Any] | None:
    """Return Kendall's τ between the system rankings of each pair of metrics.

    Return None for a single run or a single metric.
    """
    if len(scores.runs) < 2 or len(scores.metrics) < 2:
        return None
    found = correlate(scores)
    return {"title": found.title, "values": floats(found.values)}


def _plans(
    judged: JudgedRankings, scores: Scores, baseline: str | None, seed: int
) -> dict[str, Any]:
    """Return judging plans, and for each metric the index of its plan, or None if it has no plan.

    For a metric with fixed weights, documents are planned by weight; for other metrics that can be
    predicted, by the predictive model. With many retrieved documents, the model plans only for the
    best runs and by a single metric. If the model fails, or if no metric has a plan, documents are
    planned by the weights of DCG@100.
    """
    assert judged.retrieved is not None
    many = judged.retrieved.count > MOST_MODELLED
    plans: list[dict[str, Any]] = []
    places: list[int | None] = []
    for metric in scores.metrics:
        if metric.sum_of_weights is None:
            modelled = any(plan["way"] == "probable" for plan in plans)
            if not is_predictable(metric) or (many and modelled):
                places.append(None)
                continue
        places.append(len(plans))
        plans.append(_plan(judged, scores, metric, baseline, seed))
    if not plans:
        why = f"{scores.metrics[0]} does not measure effectiveness"
        plans = [_plan(judged, scores, parse(OTHERWISE), baseline, seed) | {"why": why}]
    return {"plans": plans, "places": places, "budget": BUDGET}


def _plan(
    judged: JudgedRankings, scores: Scores, metric: Metric, baseline: str | None, seed: int
) -> dict[str, Any]:
    """Return the plan for a metric or, if the model fails, for DCG@100 with the reason (`why`)."""
    seen, why, way, plan = judged.cut_to_depth(), "", "weight", None
    runs = list[str]()
    if metric.sum_of_weights is None:
        try:
            plan, runs = _by_model(seen, scores, metric, baseline, seed)
            way = "probable"
        except CallError as error:
            why, metric = f"there is no plan by {metric}: {error.reason}", parse(OTHERWISE)
    plan = plan or plan_judged(seen, metric, BUDGET)
    own = (*(note for note in plan.notes if note not in seen.notes), *plan.progress_notes)
    expected, doubtful = None, list[str]()
    if way == "probable":
        expected, doubtful = _expected(judged, scores, metric, seed)
    return {
        "metric": str(metric),
        "way": way,
        "why": why,
        "runs": runs,
        "expected": expected,
        "doubts": doubtful,
        "documents": _columns(plan.frame),
        "course": _columns(plan.progress),
        "open_pairs": [list(pair) for pair in plan.open_pairs],
        "reversals": [list(pair) for pair in plan.expected_reversals],
        "notes": [note.said(requested_by.get().wording) for note in own],
    }


def _expected(
    judged: JudgedRankings, scores: Scores, metric: Metric, seed: int
) -> tuple[list[float] | None, list[str]]:
    """Return the expected means of two runs under the model, and warnings about the prediction.

    The means are None if there are not exactly two runs, if the prediction fails, or if its current
    means differ from the scores, which are then over other topics.
    """
    if len(scores.runs) != 2:
        return None, []
    try:
        predicted = predict_judged(judged, (metric,), seed=seed)
    except CallError:  # the judgments allow a plan, but not a prediction
        return None, []
    [now] = predicted.scores.totals["value"]
    shown = scores.totals["value"][scores.metrics.index(metric)]
    if not np.allclose(now, shown, atol=1e-9):
        return None, []
    return predicted.expected[0].tolist(), doubts(predicted)


def _by_model(
    judged: JudgedRankings, scores: Scores, metric: Metric, baseline: str | None, seed: int
) -> tuple[JudgmentPlan, list[str]]:
    """Return the plan by the predictive model, and the runs for which it is made.

    The list of runs is empty if the plan is for all runs.
    """
    assert judged.retrieved is not None
    if len(judged.runs) < 2:
        raise CallError("the plan needs two runs or more; there is only one.")
    names: list[str] = []
    if judged.retrieved.count > MOST_MODELLED:
        best = set(scores.best_first[:BEST])
        best |= {scores.runs.index(baseline)} if baseline is not None else set()
        judged = of_runs(judged, sorted(best))
        names = list(judged.runs)
    top = Possible.parse("top=100")
    plan = plan_resolution(judged, metric, BUDGET, possible=top, baseline=baseline, seed=seed)
    return plan, names


def of_runs(judged: JudgedRankings, runs: Sequence[int]) -> JudgedRankings:
    """Return the rankings of some runs, with their retrieved documents."""
    table = judged.retrieved
    assert table is not None
    number = np.full(len(judged.runs), -1, np.int32)
    number[list(runs)] = np.arange(len(runs))
    few = judged.where_runs((number >= 0).tolist())
    rows = table.of_runs(number >= 0).by_code
    return replace(few, retrieved=replace(table, rows=rows._replace(run=number[rows.run])))
