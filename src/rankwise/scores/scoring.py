"""`score`: computes `Scores` from judgments and runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, get_args, overload

from rankwise.errors import CallError, InputError, check_between, check_word
from rankwise.metrics import MetricLike, parse, parse_all
from rankwise.rankings import Collection, Possible, as_collection
from rankwise.scores.apply_metric import check_lengths, scores_of
from rankwise.scores.engine import score_collection
from rankwise.scores.scores import Scores, over_common_topics
from rankwise.vocabulary import Mean
from rankwise.wording import Argument

if TYPE_CHECKING:
    from rankwise.rankings import QrelsLike, RunsLike
    from rankwise.scores.confidence_intervals import Confidence

MetricsLike: TypeAlias = MetricLike | Iterable[MetricLike]
DEFAULT_METRICS: tuple[str, ...] = ("AP", "nDCG@10", "P@10", "RR")


@overload
def score(
    data: QrelsLike | Collection,
    runs: RunsLike | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
    bounds: bool = False,
    unjudged: str = "retrieved",
    mean: Mean = "arithmetic",
    confidence: None = None,
) -> Scores: ...
@overload
def score(
    data: QrelsLike | Collection,
    runs: RunsLike | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
    bounds: bool = False,
    unjudged: str = "retrieved",
    mean: Mean = "arithmetic",
    confidence: float,
) -> Confidence: ...
def score(
    data: QrelsLike | Collection,
    runs: RunsLike | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
    bounds: bool = False,
    unjudged: str = "retrieved",
    mean: Mean = "arithmetic",
    confidence: float | None = None,
) -> Scores | Confidence:
    """Score runs against judgments.

    Parameters
    ----------
    data, runs
        Judgments and runs. Instead of both, `data` may be the result of `rankwise.read`, which has
        the options for reading files.
    metrics
        One or several metrics, each a name such as `"nDCG@10"` or a `Metric`.
    rel
        Relevance threshold for metrics that are named without `rel`: with `rel=2`, AP is
        AP(rel=2). Metrics without a threshold, such as nDCG, do not change. If grades are
        fractions, `rel` may be a fraction.
    bounds
        Whether to compute a lower and an upper bound of each score. The bounds hold for all
        judgments of the unjudged documents that the assumption `unjudged` allows.
    unjudged
        The assumption of the bounds: which unjudged documents can be relevant.

        - `retrieved`: documents retrieved by at least one of these runs.
        - `top=K`: documents in the top K of at least one run.
        - `extra=N`: documents as for `retrieved`, and at most N other documents per topic.
        - `top=K,extra=N`: documents as for `top=K`, and at most N documents per topic that no run
          retrieved.
        - `open`: any document. Each ranking is taken as the top of a longer ranking.
        - `own`: documents that the run itself retrieved. The bounds then do not depend on the other
          runs, but those of AP and other recall-based metrics may be too narrow.
    mean
        `arithmetic` or `geometric`; the geometric mean of AP is GMAP. Metrics that are counts (such
        as NumRelRet) are summed over topics, not averaged.
    confidence
        A confidence level such as 0.95. With a level, the result is that of `rankwise.confidence`:
        means with confidence intervals over topics. `rankwise.confidence` has more options, and
        computes intervals from existing scores.

    Returns
    -------
    Scores
        Scores by run, topic and metric, with means, notes, tables and a chart. With `confidence`,
        the result is a `Confidence`, whose attribute `scores` has the scores.

    Examples
    --------
    >>> result = score({"1": {"a": 1, "b": 0}}, {"1": {"a": 0.2, "b": 0.9}}, ["RR", "P@2"])
    >>> result.pivot().rows()
    [('run', 0.5, 0.5)]
    """
    collection = as_collection(data, runs)
    wanted = parse_all(metrics, rel)
    check_word("mean", mean, get_args(Mean))
    if confidence is not None:
        check_between("confidence", confidence, 0.95)
    check_lengths(wanted, collection.lengths)
    if unjudged != "retrieved" and not bounds:
        what = (Argument("unjudged", unjudged), " applies only to bounds. Add ")
        raise CallError(*what, Argument("bounds", True), ".")
    scores = score_collection(collection, wanted, Possible.parse(unjudged) if bounds else None)
    scores = replace(scores, averaged=mean)
    if collection.topic_groups is not None:
        scores = scores.with_groups(collection.topic_groups)
    scores = scores.counting_undefined(collection.undefined)
    if collection.topics == "common":
        scores = over_common_topics(scores)
    if confidence is None:
        return scores
    from rankwise.scores.confidence_intervals import confidence as confidence_of

    return confidence_of(scores, confidence)


def scores_of_input(
    data: QrelsLike | Collection | Scores, runs: RunsLike | None, metrics: MetricsLike
) -> Scores:
    """Return `data` if it is `Scores`; otherwise compute scores from judgments and runs."""
    if isinstance(data, Scores):
        check_scores_alone(runs, metrics)
        return data
    return score(data, runs, metrics)


def check_scores_alone(runs: RunsLike | None, metrics: MetricsLike) -> None:
    """Raise an error if runs or metrics were passed together with `Scores`."""
    unused = ["runs"] if runs is not None else []
    unused += ["metrics"] if metrics is not DEFAULT_METRICS else []
    if unused:
        what = "cannot be combined with Scores, which are computed already"
        raise CallError(f"{unused[-1]} {what}. Remove {unused[-1]}.")


def score_gains(
    metric: MetricLike,
    vector: Sequence[float | None],
    *,
    judged: Sequence[float] | None = None,
) -> float:
    """Return the score of one ranking, given the grades (or gains) of its documents in rank order.

    An unjudged document has the grade None. If some judged documents of the topic are not in the
    ranking, pass `judged`, the grades of all judged documents. AP needs these grades to count
    relevant documents, and nDCG needs them for the ideal ranking.

    >>> round(score_gains("AP", [1, 1, 0, 0, 0, 1], judged=[1, 1, 1, 1, 1]), 4)
    0.5
    """
    from rankwise.rankings import from_vectors

    parsed = parse(metric)
    if judged is not None and not Counter(v for v in vector if v) <= Counter(judged):
        raise InputError("judged", "does not contain all grades of the ranking.")
    rankings = from_vectors([vector], None if judged is None else [judged])
    return float(scores_of(parsed, rankings)[0])
