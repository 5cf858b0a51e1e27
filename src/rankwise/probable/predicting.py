"""Predictions of scores under a deeper pool of these runs.

documents.py has the documents of the deeper pool and the judged pool, model.py draws grades from
a model of the existing judgments and scores them, effects.py computes the effect of one more
relevant document on each score, and prediction.py has the result.
"""

from typing import TYPE_CHECKING

import numpy as np

from rankwise.errors import CallError
from rankwise.metrics import Metric, parse_all
from rankwise.probable.documents import Documents, pool_of, score_with_bounds
from rankwise.probable.model import draw_scores
from rankwise.probable.prediction import Prediction
from rankwise.rankings import Collection, JudgedRankings, Needs, as_collection
from rankwise.scores import DEFAULT_METRICS, MetricsLike
from rankwise.wording import Argument

if TYPE_CHECKING:
    from rankwise.rankings import QrelsLike, RunsLike

__all__ = ["Prediction", "check_predictable", "is_predictable", "predict", "predict_judged"]

RESAMPLES = 100
FEWEST_RESAMPLES = 20


def predict(
    data: "QrelsLike | Collection",
    runs: "RunsLike | None" = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
    top: int = 100,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Prediction:
    """Predict the scores of runs if the top `top` documents of all of them were judged.

    A logistic regression, fitted to the current judgments, predicts the relevance of a document
    from a reciprocal-rank fusion of all runs, in which better runs weigh more, and from its best
    rank. Judgments of the unjudged documents are drawn from it, and all runs are scored under each
    draw. The prediction covers only the top `top` documents of these runs. docs/probable.md
    reports the measured coverage of its ranges.

    Parameters
    ----------
    data, runs, metrics, rel
        As for `score`. The judgments must be a pool of depth 2 or more. Either all of these runs
        contributed to it, or at least four of them and at least a third.
    top
        Depth of the predicted pool. Documents below it count as not relevant, unless judged.
    resamples
        Number of draws of judgments.
    seed
        The random seed.

    Returns
    -------
    Prediction
        One row per run and metric: value, expected, probable_low and probable_high.

    Examples
    --------
    >>> from rankwise import simulate
    >>> made = simulate(topics=6, systems=4, depth=20, pool_depth=20, seed=1)
    >>> found = predict(made.qrels, made.runs, "AP", top=20, resamples=20)
    >>> found.frame.columns
    ['run', 'metric', 'value', 'expected', 'probable_low', 'probable_high']
    """
    collection = as_collection(data, runs)
    _check_collection(collection)
    wanted = tuple(parse_all(metrics, rel))
    check_predictable(wanted, resamples)
    needs = Needs(documents=True, within=top)
    return predict_judged(collection.judged(needs), wanted, top=top, resamples=resamples, seed=seed)


def _check_collection(collection: Collection) -> None:
    """Refuse options for which the coverage of the ranges was not measured."""
    for name, default in (("topics", "all"), ("undefined", "skip"), ("complete_runs", False)):
        value = getattr(collection, name)
        if value != default:
            what = "predictions are over all topics and runs. Remove "
            raise CallError(what, Argument(name, value), ".")
    for name in ("topic_groups", "lengths"):
        if getattr(collection, name) is not None:
            raise CallError("predictions are over all topics. Remove ", Argument(name), ".")


def is_predictable(metric: Metric) -> bool:
    """Whether the model applies to the metric."""
    return not (metric.shares_ties or metric.is_diagnostic or metric.tells_unusable)


def check_predictable(metrics: tuple[Metric, ...], resamples: int = RESAMPLES) -> None:
    """Refuse metrics that cannot be predicted, before any work is done."""
    for metric in metrics:
        if not is_predictable(metric):
            raise CallError(f"{metric}: this metric cannot be predicted. Remove it.")
    if resamples < FEWEST_RESAMPLES:
        raise CallError(f"resamples {resamples} is too few. Give {FEWEST_RESAMPLES} or more.")


def _check_both_kinds(documents: Documents) -> None:
    """Refuse judgments without a relevant document, or without another."""
    relevant = documents.grade[documents.is_judged] > 0
    if relevant.all() or not relevant.any():
        kind = "relevant" if relevant.any() else "not relevant"
        raise CallError(
            f"all {len(relevant):,} judged documents are {kind}: a prediction needs both kinds to "
            "learn from."
        )


def predict_judged(
    judged: JudgedRankings,
    metrics: tuple[Metric, ...],
    *,
    top: int = 100,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Prediction:
    """Predict the scores of rankings that include the top `top` documents of all runs."""
    documents = Documents.of(judged.cut_to_depth(), top)
    del judged  # several times as large as what is needed of it
    pool = pool_of(documents)
    _check_both_kinds(documents)
    scores = score_with_bounds(documents, metrics)
    drawn = draw_scores(
        documents,
        metrics,
        documents.is_judged,
        documents.unjudged,
        draws=resamples,
        rng=np.random.default_rng(seed),
    )
    longest = int(documents.rejudged.judged.length.max(initial=1))
    return Prediction(scores, documents, pool, drawn, min(top, longest), seed)
