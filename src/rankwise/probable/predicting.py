"""Predictions: scores as they would be if a pool of these runs were judged more deeply.

documents.py  the documents that the deeper pool would hold, and the pool that there is
model.py      grades drawn from a model of the judgments that there are, and scores under them
effects.py    the effect of one more relevant document on each score
result.py     Prediction: expected scores, ranges, and how likely one run is better
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
    """Predict the scores of runs if the first `top` documents of all of them were judged.

    A logistic regression learns from the current judgments how likely a document is to be
    relevant: from a reciprocal-rank fusion of all runs, in which better runs weigh more, and
    from its best rank. Judgments of the other documents are drawn from it, and all runs are
    scored under each draw. The prediction is about the first `top` documents of these runs
    and nothing else. docs/probable.md says how often its ranges held the later score.

    Parameters
    ----------
    data, runs, metrics, rel
        As for `score`. The judgments must be a pool of at least a third of these runs, of depth
        2 or more, and of at least four runs if there are others that did not contribute.
    top
        The depth of the pool to be predicted. Documents below it count as not relevant, unless
        they are judged.
    resamples
        The number of draws of judgments.
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
    """Refuse options under which the ranges were never measured."""
    for name, default in (("topics", "all"), ("undefined", "skip"), ("complete_runs", False)):
        value = getattr(collection, name)
        if value != default:
            what = "predictions are over all topics and runs"
            raise CallError(f"{what}: leave out `{name}={value!r}`.")
    for name in ("topic_groups", "lengths"):
        if getattr(collection, name) is not None:
            raise CallError(f"predictions are over all topics: leave out `{name}`.")


def is_predictable(metric: Metric) -> bool:
    """Whether draws of judgments say anything about the metric."""
    return not (metric.shares_ties or metric.is_diagnostic or metric.tells_unusable)


def check_predictable(metrics: tuple[Metric, ...], resamples: int = RESAMPLES) -> None:
    """Refuse metrics that cannot be predicted, before any work is done."""
    for metric in metrics:
        if not is_predictable(metric):
            raise CallError(f"{metric}: this metric cannot be predicted; leave it out.")
    if resamples < FEWEST_RESAMPLES:
        raise CallError(f"resamples {resamples} is too few: give {FEWEST_RESAMPLES} or more.")


def predict_judged(
    judged: JudgedRankings,
    metrics: tuple[Metric, ...],
    *,
    top: int = 100,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Prediction:
    """Predict the scores of rankings that hold the documents in the first `top` of any run."""
    documents = Documents.of(judged.cut_to_depth(), top)
    del judged  # several times as large as what is needed of it
    pool = pool_of(documents)
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
