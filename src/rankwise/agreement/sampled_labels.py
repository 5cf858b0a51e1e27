"""Estimates from expert labels of a sample of documents with known inclusion probabilities.

For a metric that is a sum of weights, the mean score of a run is a total over documents: weight
times gain, divided by the number of topics. The cheap labels give a total of cheap gains. The
expert labels correct this total by Hájek's estimator (stats/prediction_powered.py). No model of
the expert grade is needed. If the probabilities are right, the estimate is approximately unbiased
even if the cheap judge is poor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankwise.agreement.labels import Labels, Rejudging
from rankwise.agreement.reversals import Changes
from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError, TooLittle
from rankwise.metrics import Metric
from rankwise.notes import Note, warning
from rankwise.rankings import read_qrels, stacked
from rankwise.stats import sampled_total
from rankwise.wording import Argument, Count

if TYPE_CHECKING:
    from rankwise.rankings import QrelsLike

CELLS = 1 << 22  # combinations of runs × sampled documents at a time
FEWEST = 10  # sampled documents that count for a run: with fewer, an error
FEW = 30  # with fewer, a warning
UNLIKELY = 5.0  # standard deviations by which the size of the sample may differ from the expected


def estimates_by_design(
    expert: Floats,
    cheap: Floats,
    total: Floats,
    probability: Floats,
    size: int,
    combinations: Floats,
    alpha: float,
) -> pl.DataFrame:
    """Return the estimates of combinations of runs from the terms of each run's score.

    `expert` and `cheap` have the terms of each run and sampled document: weight × gain / number of
    topics. `total` has the sums of each run's cheap terms over all `size` documents.
    """
    from scipy.special import stdtrit

    step, parts = max(1, CELLS // max(expert.shape[1], 1)), []
    for start in range(0, len(combinations), step):
        some = combinations[start : start + step]
        u, v, every = some @ expert, some @ cheap, some @ total
        with_cheap = sampled_total(u, v, every, probability, size)
        alone = sampled_total(u, np.zeros_like(v), np.zeros(len(u)), probability, size)
        # Only documents with a nonzero term give evidence of how much the labels differ.
        counting = ((u != 0) | (v != 0)).sum(axis=1)
        quantile = stdtrit(np.maximum(counting - 1, 1), 1 - alpha / 2)
        reach, own_reach = quantile * with_cheap.error, quantile * alone.error
        own = (alone.value, alone.value - own_reach, alone.value + own_reach)
        parts.append(estimates_frame(with_cheap.value, reach, with_cheap.weight, own, every))
    return pl.concat(parts)


def estimates_frame(
    value: Floats, reach: Floats, weight: Floats, expert: Sequence[Floats], cheap: Floats
) -> pl.DataFrame:
    """Return a frame of estimates (see `CheapScores`): value ± `reach`, and scores by each judge.

    `expert` has the values from expert labels alone, and their lower and upper limits.
    """
    columns = {"value": value, "low": value - reach, "high": value + reach, "weight": weight}
    names = ("expert", "expert_low", "expert_high")
    columns |= dict(zip(names, expert, strict=True))
    return pl.DataFrame(columns | {"cheap": cheap}).fill_nan(None)


def inclusion_probabilities(
    inclusion: float | QrelsLike, labels: Labels, sampled: Bools, size: int
) -> Floats:
    """Return the inclusion probability of each document in the mask `sampled`.

    An error is raised if one is missing, or if a single probability does not fit the number of
    sampled documents. `size` is the number of documents from which they were sampled.
    """
    count = int(sampled.sum())
    if isinstance(inclusion, int | float):
        if not 0 < inclusion <= 1:
            what = f" {inclusion:g} is not a probability above 0 and at most 1."
            raise CallError(Argument("inclusion"), what)
        expected = inclusion * size
        if abs(count - expected) > UNLIKELY * np.sqrt(expected * (1 - inclusion)) + 1:
            raise CallError(
                Argument("inclusion"),
                f" {inclusion:g} does not fit the judgments: the expert would have judged about "
                f"{expected:,.0f} of {size:,} documents, but judged {count:,}. Give the "
                "probability with which documents were sampled.",
            )
        return np.full(count, float(inclusion))
    columns = None if isinstance(inclusion, Mapping) else {"grade": "probability"}
    rows = stacked({"inclusion": read_qrels(inclusion, columns=columns)})
    wanted = labels.frame.filter(pl.Series(sampled))
    joined = wanted.join(rows, on=["topic", "document"], how="left", maintain_order="left")
    bad = joined.filter(pl.col("grade").is_null() | (pl.col("grade") <= 0) | (pl.col("grade") > 1))
    if bad.height:
        topic, document, probability = bad.select("topic", "document", "grade").row(0)
        of = "" if probability is None else f", where it is {probability:g}"
        raise CallError(
            Argument("inclusion"),
            f" has no probability above 0 and at most 1 for {bad.height:,} of the {count:,} "
            f"documents that the expert judged, for example document {document} of topic {topic}"
            f"{of}. Give the probability for each document that was sampled.",
        )
    return joined["grade"].to_numpy().astype(np.float64)


def check_sums_of_weights(metrics: Sequence[Metric]) -> None:
    """Raise an error for metrics that are not a sum of rank weights."""
    others = [str(metric) for metric in metrics if metric.sum_of_weights is None]
    if others:
        raise CallError(
            Argument("inclusion"),
            " applies only to metrics that are sums of rank weights, such as P@10, RBP and DCG@10, "
            f"and not to {', '.join(others)}. Remove ",
            Argument("inclusion"),
            "; a model then predicts the expert grades.",
        )


def design_estimates(
    labels: Labels, rejudging: Rejudging, metrics: Sequence[Metric], inclusion: float | QrelsLike
) -> tuple[list[Callable[[Floats, float], pl.DataFrame]], list[Note]]:
    """Return, for each metric, a function that computes estimates, and notes on the sample.

    The function takes combinations of runs and alpha, see `estimates_by_design`.
    """
    has_expert, has_cheap = labels.judged
    notes: list[Note] = []
    outside = int((has_expert & ~has_cheap).sum())
    if outside:
        count = Count(outside, "document has", "documents have")
        text = " an expert judgment but no cheap judgment, and is excluded."
        if outside > 1:
            text = " an expert judgment but no cheap judgment, and are excluded."
        notes.append(warning("no-cheap-label", count, text))
    sampled, size = has_expert & has_cheap, int(has_cheap.sum())
    by_row = np.ones(len(labels.places))
    by_row[sampled] = inclusion_probabilities(inclusion, labels, sampled, size)
    row = rejudging.row
    codes, everything = np.flatnonzero(sampled[row]), np.flatnonzero(has_cheap[row])
    fewest, estimates = size, list[Callable[[Floats, float], pl.DataFrame]]()
    for metric in metrics:
        expert, cheap = (
            _values(labels, rejudging, metric, judge, some)
            for judge, some in ((0, codes), (1, everything))
        )
        at = np.searchsorted(everything, codes)
        sides = (expert, cheap[:, at], cheap.sum(axis=1))
        estimates.append(partial(estimates_by_design, *sides, by_row[row[codes]], len(everything)))
        counting = ((expert != 0) | (cheap[:, at] != 0)).sum(axis=1)
        fewest = min(fewest, int(counting.min(initial=size)))
        if fewest < FEWEST:
            raise TooLittle(
                f"{metric}: for some run, only {fewest} of the documents that the expert judged "
                f"contribute to the score; at least {FEWEST} are needed for intervals that can be "
                "trusted. Let the expert judge more documents."
            )
    if fewest < FEW:
        text = (
            f"for some run, only {fewest} of the documents that the expert judged contribute to "
            "the score; the intervals of this run may be too narrow."
        )
        notes.append(warning("few-expert-labels", text))
    return estimates, notes


def _values(
    labels: Labels, rejudging: Rejudging, metric: Metric, judge: int, codes: Ints
) -> Floats:
    """Return weight × gain / number of topics under the labels of a judge, runs × codes."""
    _, grade = labels.grades_of(judge, rejudging.row)
    changes = Changes(rejudging, np.maximum(grade, 0), one_step=False)
    form = metric.at_levels_of(changes.real).sum_of_weights
    assert form is not None
    weights, gain = changes.weights(form), changes.worth(form)[changes.place]
    column = np.full(len(grade), -1)
    column[codes] = np.arange(len(codes))
    judged = rejudging.rejudged.judged
    table = np.zeros((len(judged.runs), len(codes)))
    by_run = changes.by_run(column[rejudging.rejudged.code] >= 0, weights)
    for run, (code, weight) in enumerate(by_run):
        table[run, column[code]] = weight * gain[code]
    return table / max(len(judged.topics), 1)
