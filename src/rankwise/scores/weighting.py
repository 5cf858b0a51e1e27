"""`weight_topics`: scores weighted by topic, for example by the frequency of queries."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from rankwise.arrays import Floats
from rankwise.errors import CallError, InputError, some_of
from rankwise.formats import read_pairs
from rankwise.notes import note, warning
from rankwise.scores.imported import given_like
from rankwise.scores.scores import Scores
from rankwise.wording import Argument, Count, Remedy

TopicWeights: TypeAlias = Mapping[str, float] | str | Path
FEW = 6  # smallest effective number of topics without a warning


def weight_topics(scores: Scores, weights: TopicWeights) -> Scores:
    """Return scores with weighted topics, for example by the frequency of queries.

    Each score x is multiplied by w / mean weight, where w is the weight of its topic. The mean of
    these products over topics is the weighted mean Σ w x / Σ w. Topics on which a metric is
    undefined are not in these sums. Tests and confidence intervals use the jackknife standard error
    of the weighted mean and the effective number of topics, (Σ w)² / Σ w². docs/statistics.md has
    the measured coverage of these intervals. A topic of weight 0 is excluded. Weighted AP is named
    weighted(AP). The result has no bounds (`low`, `high`).

    Parameters
    ----------
    scores
        Scores, as returned by `score` or `read_scores`.
    weights
        {topic: weight}, or a file with lines `topic weight`. Every topic needs a weight, 0 or
        more; at least one weight must be above 0.

    Returns
    -------
    Scores
        The weighted scores.

    Examples
    --------
    >>> from rankwise import score
    >>> found = score({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1}, "2": {"b": 1}}, "RR")
    >>> weight_topics(found, {"1": 3, "2": 1}).mean()["value"].to_list()
    [0.75]
    """
    if scores.averaged == "geometric":
        geometric = Argument("mean", "geometric")
        what = " cannot be combined with "
        raise CallError(Argument("weights"), what, geometric, ". Remove one of them.")
    if scores.groups:
        groups = Argument("topic_groups")
        what = " cannot be combined with "
        raise CallError(Argument("weights"), what, groups, ". Remove one of them.")
    if scores.added.any():
        metric = scores.metrics[int(scores.added.argmax())]
        raise CallError(
            f"{metric} is a sum over topics and cannot be weighted. Remove this metric."
        )
    of_topics = _weights_of(weights, scores.topics)
    weighted = of_topics > 0
    excluded = int((~weighted).sum())
    scores, of_topics = scores.where_topics(weighted), of_topics[weighted]
    defined = scores.defined
    if (defined != defined[:, :1]).any():
        what = "weights need scores of all runs on the same topics, but some scores are missing."
        raise CallError(what, remedy=Remedy(Argument("undefined", "zero"), "count them as 0"))
    counts = np.maximum(defined.sum(axis=2, keepdims=True), 1)
    mean = (defined * of_topics).sum(axis=2, keepdims=True) / counts
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = of_topics / mean[:, :1]
        value = np.where(defined, scores.value * relative, np.nan)
    effective = of_topics.sum() ** 2 / (of_topics**2).sum()
    text = f"weighted means over {Count(len(scores.topics), 'topic')} are about as precise as "
    text += f"unweighted means over {effective:.1f} topics (Kish's effective sample size)"
    without = Count(excluded, "topic with weight 0 is", "topics with weight 0 are")
    text += f". {without} excluded" if excluded else ""
    about = (warning if effective < FEW else note)("weights", text)
    return replace(
        scores,
        metrics=tuple(given_like(f"weighted({metric})", metric) for metric in scores.metrics),
        value=value,
        low=None,
        high=None,
        outer=(),
        unjudged=None,
        repetitions=(),
        relative_weights=relative,
        input_notes=(*scores.input_notes, about),
    )


def _weights_of(weights: TopicWeights, topics: tuple[str, ...]) -> Floats:
    """Return the weight of each topic; raise an error for invalid or missing weights."""
    source = str(weights) if isinstance(weights, str | Path) else "the weights"
    table = weights if isinstance(weights, Mapping) else read_pairs(weights, "topic", "weight")
    known = {str(topic): weight for topic, weight in table.items()}
    if missing := [topic for topic in topics if topic not in known]:
        what = (
            f"no weight for {len(missing)} of {len(topics)} topics: {some_of(missing)}. Add the "
            "missing weights."
        )
        raise InputError(source, what)
    numbers = []
    for topic in topics:
        try:
            numbers.append(float(known[topic]))
        except (TypeError, ValueError):
            numbers.append(np.nan)
        if not 0 <= numbers[-1] < np.inf:
            what = f"the weight of topic {topic} is {known[topic]!r}. Weights must be 0 or more."
            raise InputError(source, what)
    if not sum(numbers):
        raise InputError(source, "all weights are 0. At least one weight must be above 0.")
    return np.array(numbers)
