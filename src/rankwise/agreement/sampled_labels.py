"""Estimates from expert labels of a sample of documents with known inclusion probabilities.

For a metric that is a sum of weights, the mean score of a run is a sum over documents of weight ×
gain / number of topics. The cheap labels give this sum with the gains of the cheap judge. Hájek's
estimator (stats/prediction_powered.py) corrects the sum by the expert labels. No model of the
expert grade is needed. If the probabilities are right, the estimate is approximately unbiased even
with a poor cheap judge.
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
from rankwise.wording import Argument

if TYPE_CHECKING:
    from rankwise.rankings import QrelsLike

CELLS = 1 << 22  # maximum size of an array of combinations of runs × sampled documents
FEWEST = 10  # sampled documents that contribute to a run's score; with fewer, an error
FEW = 30  # with fewer, a warning
UNLIKELY = 5.0  # standard deviations by which the sample size may differ from the expected size


def estimates_by_design(
    expert: Floats,
    cheap: Floats,
    total: Floats,
    probability: Floats,
    size: int,
    combinations: Floats,
    alpha: float,
) -> pl.DataFrame:
    """Return estimates of linear combinations of the runs' mean scores.

    `expert` and `cheap` have weight × gain / number of topics for each run and sampled document,
    under the labels of either judge. `total` has the sum of the cheap values of each run over all
    `size` documents. Each row of `combinations` has one coefficient per run.
    """
    from scipy.special import stdtrit

    step, parts = max(1, CELLS // max(expert.shape[1], 1)), []
    for start in range(0, len(combinations), step):
        some = combinations[start : start + step]
        u, v, every = some @ expert, some @ cheap, some @ total
        with_cheap = sampled_total(u, v, every, probability, size)
        alone = sampled_total(u, np.zeros_like(v), np.zeros(len(u)), probability, size)
        # Only documents that contribute to a score give evidence of how much the labels differ.
        counting = ((u != 0) | (v != 0)).sum(axis=1)
        quantile = stdtrit(np.maximum(counting - 1, 1), 1 - alpha / 2)
        reach, own_reach = quantile * with_cheap.error, quantile * alone.error
        own = (alone.value, alone.value - own_reach, alone.value + own_reach)
        parts.append(estimates_frame(with_cheap.value, reach, with_cheap.weight, own, every))
    return pl.concat(parts)


def estimates_frame(
    value: Floats, reach: Floats, weight: Floats, expert: Sequence[Floats], cheap: Floats
) -> pl.DataFrame:
    """Return a frame with the columns of `CheapScores.frame`; the interval is `value` ± `reach`.

    `expert` has three arrays: the scores under expert labels alone, and the limits of their
    intervals.
    """
    columns = {"value": value, "low": value - reach, "high": value + reach, "weight": weight}
    names = ("expert", "expert_low", "expert_high")
    columns |= dict(zip(names, expert, strict=True))
    return pl.DataFrame(columns | {"cheap": cheap}).fill_nan(None)


def inclusion_probabilities(
    inclusion: float | QrelsLike, labels: Labels, sampled: Bools, size: int
) -> Floats:
    """Return the inclusion probability of each document in the mask `sampled`.

    Raise an error if a probability is missing or not in (0, 1], or if a single probability for all
    documents does not fit the sample size. `size` is the number of documents in the population.
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
            " to predict the expert grades by a model.",
        )


def design_estimates(
    labels: Labels, rejudging: Rejudging, metrics: Sequence[Metric], inclusion: float | QrelsLike
) -> tuple[list[Callable[[Floats, float], pl.DataFrame]], list[Note]]:
    """Return, for each metric, a function that computes estimates; also return notes.

    The function takes the last two arguments of `estimates_by_design`, `combinations` and `alpha`.
    All documents with an expert label must have a cheap label.
    """
    has_expert, has_cheap = labels.judged
    notes: list[Note] = []
    size = int(has_cheap.sum())
    by_row = np.ones(len(labels.places))
    by_row[has_expert] = inclusion_probabilities(inclusion, labels, has_expert, size)
    row = rejudging.row
    codes, everything = np.flatnonzero(has_expert[row]), np.flatnonzero(has_cheap[row])
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
                f"{metric}: for at least one run, only {fewest} of the documents that the expert "
                f"judged contribute to the score; at least {FEWEST} are needed for intervals that "
                "can be trusted. Let the expert judge more documents."
            )
    if fewest < FEW:
        text = (
            f"for at least one run, only {fewest} of the documents that the expert judged "
            "contribute to the score; the intervals of this run may be too narrow."
        )
        notes.append(warning("few-expert-labels", text))
    return estimates, notes


def _values(
    labels: Labels, rejudging: Rejudging, metric: Metric, judge: int, codes: Ints
) -> Floats:
    """Return weight × gain / number of topics under the labels of a judge, runs × `codes`.

    A code is the index of a document in the arrays of `rejudging.rejudged`.
    """
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
