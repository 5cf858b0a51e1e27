"""Effects of disagreement on systems: the same rankings scored with the grades of two judges.

The scores use only the documents that both judges judged. All other documents are unjudged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankwise.agreement.labels import Labels, Rejudging
from rankwise.agreement.reversals import layers
from rankwise.agreement.statistics import Resampling
from rankwise.arrays import CANCELLATION, Bools, Floats, Ints
from rankwise.comparison import compare
from rankwise.metrics import Metric
from rankwise.scores import Scores, score_judged, scores_of
from rankwise.stats import corrected, fisher_interval, student_t, t_interval, tau_and_tau_ap
from rankwise.vocabulary import Undefined

COEFFICIENTS = ("tau", "tau-AP", "Pearson")
CELLS_AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class PairOfJudges:
    """The scores of all runs under two judges, on the documents that both judged.

    `reference` and `other` have the same runs, metrics and topics.
    """

    names: tuple[str, str]
    reference: Scores = field(repr=False)
    other: Scores = field(repr=False)
    rejudging: Rejudging = field(repr=False)
    # A code is the index of a document in the arrays of `rejudging.rejudged`.
    known: Bools = field(repr=False)  # mask of the codes that both judged
    grades: tuple[Ints, Ints] = field(repr=False)  # grade of each code by each judge; 0 if unknown

    @classmethod
    def of(
        cls,
        rejudging: Rejudging,
        labels: Labels,
        pair: tuple[int, int],
        metrics: Sequence[Metric],
        undefined: Undefined,
    ) -> PairOfJudges:
        """Score all runs under the two judges with the indices `pair`."""
        known = labels.both(*pair)[rejudging.row]
        alternatives = rejudging.rejudged.alternatives(known)
        topics = np.bincount(rejudging.rejudged.topic, known, len(alternatives.base.topics)) > 0
        grades, scores = [], []
        for judge in pair:
            grades.append(np.where(known, labels.grades_of(judge, rejudging.row)[1], 0))
            every = score_judged(alternatives.graded(grades[-1]), metrics)
            scores.append(every.where_topics(topics).counting_undefined(undefined))
        names = (labels.judges[pair[0]], labels.judges[pair[1]])
        return cls(names, scores[0], scores[1], rejudging, known, (grades[0], grades[1]))

    def values(self, place: int) -> tuple[Floats, Floats]:
        """Return the scores of the metric at index `place` under each judge, runs × topics.

        Scores of metrics for which lower is better are negated. Topics on which at least one score
        is undefined are excluded.
        """
        metric = self.reference.metrics[place]
        both = [metric.sign * scores.value[place] for scores in (self.reference, self.other)]
        defined = np.isfinite(both[0]).all(axis=0) & np.isfinite(both[1]).all(axis=0)
        return both[0][:, defined], both[1][:, defined]


def _scores_by_metric(
    pairs: Sequence[PairOfJudges],
) -> Iterator[tuple[PairOfJudges, Metric, Floats, Floats]]:
    """Yield each pair of judges and metric, with the scores under both judges (runs × topics)."""
    for pair in pairs:
        for place, metric in enumerate(pair.reference.metrics):
            yield pair, metric, *pair.values(place)


def _labelled(pair: PairOfJudges, metric: Metric, columns: Mapping[str, Any]) -> pl.DataFrame:
    """Return a frame whose first columns name the two judges and the metric."""
    first, second = pair.names
    labels = {"metric": str(metric), "first": first, "second": second}
    names = [pl.lit(name, pl.String).alias(label) for label, name in labels.items()]
    return pl.DataFrame(columns).fill_nan(None).select(*names, pl.all())


def correlations(pairs: Sequence[PairOfJudges], how: Resampling) -> pl.DataFrame:
    """Return tau-b, tau-AP and Pearson's r of the runs' mean scores under two judges.

    The reference of tau-AP is the first judge. Intervals are from a bootstrap over topics.
    """
    parts = []
    for pair, metric, first, second in _scores_by_metric(pairs):
        topics = first.shape[1]
        if len(first) < 2 or not topics:
            continue

        def of_draws(draws: Floats, a: Floats = first, b: Floats = second) -> Floats:
            means = [draws @ side.T / draws.sum(axis=1, keepdims=True) for side in (a, b)]
            return _coefficients(*means)

        values = of_draws(np.ones((1, topics)))[0]
        drawn = how.rng.multinomial(topics, np.full(topics, 1 / topics), how.resamples)
        draws = of_draws(drawn.astype(np.float64))
        low, high = fisher_interval(values, draws, topics, how.confidence)
        columns = {"statistic": COEFFICIENTS, "value": values, "low": low, "high": high}
        parts.append(_labelled(pair, metric, columns | {"topics": np.full(len(values), topics)}))
    names = ["metric", "first", "second", "statistic", "value", "low", "high", "topics"]
    return pl.concat(parts) if parts else pl.DataFrame(schema=names)


def _coefficients(first: Floats, second: Floats) -> Floats:
    """Return tau-b, tau-AP and Pearson's r of mean scores under two judges, resamples × 3.

    `first` and `second` have the mean scores of runs, resamples × runs.
    """
    centred = [side - side.mean(axis=1, keepdims=True) for side in (first, second)]
    spread = np.sqrt((centred[0] ** 2).sum(axis=1) * (centred[1] ** 2).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        pearson = (centred[0] * centred[1]).sum(axis=1) / spread
    step = max(1, CELLS_AT_ONCE // first.shape[1] ** 2)
    ranked = [
        tau_and_tau_ap(first[start : start + step], second[start : start + step])
        for start in range(0, len(first), step)
    ]
    tau, tau_ap = (np.concatenate(values) for values in zip(*ranked, strict=True))
    return np.stack([tau, tau_ap, pearson], axis=1)


def system_ranks(pairs: Sequence[PairOfJudges]) -> pl.DataFrame:
    """Return the mean score and the rank of each run under two judges.

    `change` is the first rank minus the second rank. Runs are sorted by the absolute change of
    their rank, the largest first.
    """
    parts = []
    for pair, metric, first, second in _scores_by_metric(pairs):
        means = [side.mean(axis=1) for side in (first, second)]
        ranks = []
        for mean in means:
            above = mean[None, :] - mean[:, None] > CANCELLATION * np.abs(mean).max(initial=0)
            ranks.append(1 + above.sum(axis=1))
        columns = {
            "run": pair.reference.runs,
            "first_score": metric.sign * means[0],
            "second_score": metric.sign * means[1],
            "first_rank": ranks[0],
            "second_rank": ranks[1],
            "change": ranks[0] - ranks[1],
        }
        moved = pl.col("change").abs()
        frame = _labelled(pair, metric, columns)
        parts.append(frame.sort(moved, descending=True, maintain_order=True))
    return pl.concat(parts)


def significant_differences(pairs: Sequence[PairOfJudges], alpha: float) -> pl.DataFrame:
    """Return pairs of runs that differ significantly under at least one of two judges.

    The tests are paired t-tests, corrected (Holm) within each metric and judge. `outcome` is
    confirmed (significant under both judges, same sign), reversed (significant under both, opposite
    signs), or denied (significant under one judge only, named by `significant_under`).
    """
    parts = []
    for pair in pairs:
        sides = [
            compare(scores, alpha=alpha).frame.select(
                *(["metric", "a", "b"] if side == "first" else []),
                pl.col("difference").alias(f"{side}_difference"),
                pl.col("corrected_p").alias(f"{side}_p"),
                pl.col("significant").fill_null(False).alias(f"{side}_significant"),
            )
            for side, scores in (("first", pair.reference), ("second", pair.other))
        ]
        both = pl.concat(sides, how="horizontal")  # the same pairs of runs in the same order
        parts.append(both.with_columns(first=pl.lit(pair.names[0]), second=pl.lit(pair.names[1])))
    one, two = pl.col("first_significant"), pl.col("second_significant")
    opposite = pl.col("first_difference") * pl.col("second_difference") < 0
    reversed_sign = pl.when(one & two & opposite).then(pl.lit("reversed"))
    outcome = reversed_sign.when(one & two).then(pl.lit("confirmed")).otherwise(pl.lit("denied"))
    under = pl.when(one & two).then(pl.lit("both")).when(one).then("first").otherwise("second")
    columns = ["metric", "first", "second", "a", "b"]
    columns += ["first_difference", "first_p", "second_difference", "second_p"]
    significant = pl.concat(parts).filter(one | two)
    return significant.select(
        *columns,
        under.alias("significant_under"),
        outcome.alias("outcome"),
        opposite.alias("opposite_sign"),
    )


def favoured_runs(pairs: Sequence[PairOfJudges], alpha: float) -> pl.DataFrame:
    """Estimate how much the second judge favours each run, relative to all runs.

    `favour` is the score under the second judge minus the score under the first, minus the mean of
    this difference over all runs. Intervals and tests use Student's t over topics. p-values are
    corrected (Holm) over the runs.
    """
    parts = []
    for pair, metric, first, second in _scores_by_metric(pairs):
        if len(first) > 1:
            relative = (second - first) - (second - first).mean(axis=0)
            low, high = t_interval(relative, 1 - alpha)
            p = student_t(relative)
            columns = {"run": pair.reference.runs, "favour": relative.mean(axis=1), "low": low}
            columns |= {"high": high, "p": p, "corrected_p": corrected(p, "holm")}
            parts.append(_labelled(pair, metric, columns))
    frame = pl.concat(parts).sort(pl.col("favour").abs(), descending=True)
    return frame.sort("first", "second", "metric", maintain_order=True)


def effects_of_disagreements(pairs: Sequence[PairOfJudges], labels: Labels) -> pl.DataFrame:
    """Return the effect on scores of each label on which two judges disagree, largest first.

    `effect` is the mean over runs of the absolute change of the mean score if only this label of
    the first judge is replaced by the second judge's label.
    """
    parts = []
    for pair in pairs:
        codes = np.flatnonzero(pair.known & (pair.grades[0] != pair.grades[1]))
        rows = pair.rejudging.row[codes]
        places = [labels.judges.index(name) for name in pair.names]
        grades = [labels.grades[labels.places[rows, place]] for place in places]
        names = {name: labels.frame[name].gather(rows) for name in ("topic", "document")}
        both = {"first_grade": grades[0], "second_grade": grades[1]}
        for place, metric in enumerate(pair.reference.metrics):
            effects = _effects(pair, metric, place, codes)
            frame = _labelled(pair, metric, {**names, **both, "effect": effects})
            parts.append(frame.sort("effect", descending=True, maintain_order=True))
    return pl.concat(parts)


def _effects(pair: PairOfJudges, metric: Metric, place: int, codes: Ints) -> Floats:
    """Return the column `effect` of `effects_of_disagreements` for the judgments `codes`.

    Topics are independent, so one judgment of each topic is changed at a time.
    """
    rejudged = pair.rejudging.rejudged
    alternatives = rejudged.alternatives(pair.known)
    runs, topics = len(rejudged.judged.runs), len(rejudged.judged.topics)

    def scores(grade: Ints) -> Floats:
        by_topic = scores_of(metric, alternatives.graded(grade)).reshape(runs, topics)
        return np.where(np.isnan(by_topic), 0.0, by_topic)

    base = scores(pair.grades[0])
    averaged = max(pair.values(place)[0].shape[1], 1)
    effects = np.zeros(len(codes))
    for some in layers(rejudged.topic[codes]):
        grade = pair.grades[0].copy()
        grade[codes[some]] = pair.grades[1][codes[some]]
        change = np.abs(scores(grade) - base).mean(axis=0)
        effects[some] = change[rejudged.topic[codes[some]]] / averaged
    return np.where(effects > CANCELLATION, effects, 0.0)
