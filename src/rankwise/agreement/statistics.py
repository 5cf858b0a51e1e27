"""Statistics of agreement of judges, with confidence intervals over topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl

from rankwise.agreement.labels import GAP, Labels
from rankwise.arrays import Floats, Ints
from rankwise.stats import (
    Tally,
    add_up,
    binary,
    bootstrap_of_sums,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    overrating,
    precision_recall,
    raw_agreement,
    tally,
    weight_matrix,
    weighted,
)

Total = TypeVar("Total")  # total counts, from which the statistics are computed
UNWEIGHTED = np.eye(2)
SCHEMA = {
    **dict.fromkeys(["statistic", "first", "second"], pl.String),
    **dict.fromkeys(["grade", "value", "low", "high", "naive_low", "naive_high"], pl.Float64),
    **dict.fromkeys(["documents", "topics"], pl.Int64),
}


class Resampling(NamedTuple):
    """Settings of the bootstrap for confidence intervals."""

    confidence: float
    resamples: int
    seed: int

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


class Statistic(NamedTuple):
    """Name of a statistic, and its grade or relevance threshold if it has one."""

    name: str
    grade: float | None = None


def statistics_frame(labels: Labels, resampling: Resampling) -> pl.DataFrame:
    """Return a frame with one row per statistic of agreement.

    There are statistics of all judges together, of each pair of judges with documents in common,
    and of each judge compared with all other judges.
    """
    judges = range(len(labels.judges))
    rows = [*_rows_of_all(labels, resampling)]
    for first, second in combinations(judges, 2):
        if labels.both(first, second).any():
            rows += _rows_of_pair(labels, first, second, resampling)
    for judge in judges:
        rows += _rows_of_judge(labels, judge, resampling)
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").fill_nan(None)


# Statistics of two judges, computed from their confusion matrix.


def pair_statistics(confusion: Floats, grades: Floats) -> dict[Statistic, Floats]:
    """Return the statistics of two judges from their confusion matrices (… × grades × grades).

    Rows of a matrix are grades of the first judge, and columns are grades of the second judge. The
    first judge is the reference of precision, recall and overrating.
    """
    kinds = {kind: weight_matrix(grades, kind) for kind in ("unweighted", "linear", "quadratic")}
    statistics = {
        Statistic("agreement"): raw_agreement(confusion),
        Statistic("kappa"): cohen_kappa(confusion, kinds["unweighted"]),
        Statistic("kappa linear"): cohen_kappa(confusion, kinds["linear"]),
        Statistic("kappa quadratic"): cohen_kappa(confusion, kinds["quadratic"]),
    }
    thresholds = list(enumerate(grades.tolist()))[1:]
    for place, threshold in thresholds:
        kappa = cohen_kappa(binary(confusion, place), UNWEIGHTED)
        statistics[Statistic("kappa at", threshold)] = kappa
    for place, threshold in thresholds:
        values = precision_recall(confusion, place)
        for name, value in zip(("precision at", "recall at", "F1 at"), values, strict=True):
            statistics[Statistic(name, threshold)] = value
    by_grade = overrating(confusion, grades)
    totals = confusion.sum(axis=-1)
    shares = totals / totals.sum(axis=-1, keepdims=True)
    statistics[Statistic("overrating")] = np.where(totals > 0, shares * by_grade, 0.0).sum(axis=-1)
    for place, grade in enumerate(grades.tolist()):
        statistics[Statistic("overrating of", grade)] = by_grade[..., place]
    return statistics


def _rows_of_pair(
    labels: Labels, first: int, second: int, resampling: Resampling
) -> Iterator[tuple[object, ...]]:
    tables = labels.confusion(first, second)
    tables = tables[tables.sum(axis=(1, 2)) > 0]
    total, size = tables.sum(axis=0), len(labels.grades)
    rows = _with_intervals(
        partial(pair_statistics, grades=labels.grades),
        total,
        lambda draws: add_up(tables, draws),
        len(tables),
        lambda draws: draws.reshape(-1, size, size),
        total.ravel(),
        resampling,
    )
    tables_by_threshold: list[tuple[float | None, Floats]] = [(None, total)]
    for place, grade in list(enumerate(labels.grades.tolist()))[1:]:
        tables_by_threshold.append((grade, binary(total, place)))
    # Per threshold, whether at least one of the judges gives the same grade to all documents.
    is_constant = {
        grade: min((table.sum(axis=axis) > 0).sum() for axis in (0, 1)) < 2
        for grade, table in tables_by_threshold
    }
    names = (labels.judges[first], labels.judges[second])
    for statistic, numbers in rows:
        if statistic.name.startswith("kappa") and is_constant[statistic.grade]:
            numbers = [np.nan] * 5  # kappa would be 0 for any grades of the other judge
        yield (statistic.name, *names, statistic.grade, *numbers, int(total.sum()), len(tables))


# Statistics of any number of judges, who need not judge all documents.


def all_statistics(total: Tally, grades: Floats) -> dict[Statistic, Floats]:
    """Return the statistics of all judges together, from a tally of their grades."""
    kinds = {kind: weight_matrix(grades, kind) for kind in ("unweighted", "linear", "quadratic")}
    statistics = {Statistic("Fleiss' kappa"): fleiss_kappa(total, kinds["unweighted"])}
    for level in ("nominal", "ordinal", "interval"):
        alpha = krippendorff_alpha(total.coincidences, grades, level)
        statistics[Statistic(f"alpha {level}")] = alpha
    statistics[Statistic("AC1")] = gwet_ac(total, kinds["unweighted"])
    statistics[Statistic("AC2 linear")] = gwet_ac(total, kinds["linear"])
    statistics[Statistic("AC2 quadratic")] = gwet_ac(total, kinds["quadratic"])
    return statistics


def _rows_of_all(labels: Labels, resampling: Resampling) -> Iterator[tuple[object, ...]]:
    counts = labels.counts()
    several = counts.sum(axis=1) > 1
    counts, topic = counts[several], labels.topic[several]
    grades_used = (counts > 0).any(axis=0)
    counts, grades = counts[:, grades_used], labels.grades[grades_used]
    kinds, kind = np.unique(counts, axis=0, return_inverse=True)
    tallies, topics = tally(kinds), np.unique(topic, return_inverse=True)[1]
    by_topic = np.zeros((int(topics.max()) + 1, len(kinds)))
    np.add.at(by_topic, (topics, kind.ravel()), 1)
    of_topics, sizes = weighted(tallies, by_topic), by_topic.sum(axis=0)
    rows = _with_intervals(
        partial(all_statistics, grades=grades),
        weighted(tallies, sizes),
        partial(weighted, of_topics),
        len(by_topic),
        partial(weighted, tallies),
        sizes,
        resampling,
    )
    for statistic, numbers in rows:
        yield (statistic.name, None, None, None, *numbers, len(counts), len(by_topic))


def _rows_of_judge(
    labels: Labels, judge: int, resampling: Resampling
) -> Iterator[tuple[object, ...]]:
    """Yield the statistic `differs`: the mean share of other judges who gave another grade."""
    own = labels.places[:, judge]
    others = np.delete(labels.places, judge, axis=1)
    judged = others != GAP
    kept = (own != GAP) & judged.any(axis=1)
    if not kept.any():
        return
    differ = (judged & (others != own[:, None])).sum(axis=1)[kept] / judged.sum(axis=1)[kept]
    topic: Ints = np.unique(labels.topic[kept], return_inverse=True)[1]
    sums = np.stack([np.bincount(topic, differ), np.bincount(topic).astype(np.float64)], axis=1)
    values, sizes = np.unique(differ, return_counts=True)
    kinds = np.stack([values, np.ones(len(values))], axis=1)
    rows = _with_intervals(
        lambda total: {Statistic("differs"): total[..., 0] / total[..., 1]},
        np.array([differ.sum(), len(differ)]),
        lambda draws: draws @ sums,
        len(sums),
        lambda draws: draws @ kinds,
        sizes.astype(float),
        resampling,
    )
    for statistic, numbers in rows:
        name, documents = labels.judges[judge], int(kept.sum())
        yield (statistic.name, name, None, None, *numbers, documents, len(sums))


def _with_intervals(
    statistics: Callable[[Total], dict[Statistic, Floats]],
    total: Total,
    of_topics: Callable[[Floats], Total],
    topics: int,
    of_kinds: Callable[[Floats], Total],
    sizes: Floats,
    how: Resampling,
) -> Iterator[tuple[Statistic, list[float]]]:
    """Yield each statistic with its value and the limits of two bootstrap intervals.

    The first interval is from resampled topics, the second (naive) from resampled documents. A kind
    of documents has the same grades. `of_topics` and `of_kinds` return total counts, given how
    often each topic, or each kind of documents, was drawn. `sizes` has the number of documents of
    each kind.
    """

    def values(total: Total) -> Floats:
        return np.stack(list(statistics(total).values()), axis=-1)

    drawn = partial(bootstrap_of_sums, confidence=how.confidence, resamples=how.resamples)
    ends = [
        *drawn(lambda draws: values(of_topics(draws)), np.ones(topics), rng=how.rng),
        *drawn(lambda draws: values(of_kinds(draws)), sizes, rng=how.rng, clusters=False),
    ]
    for place, (statistic, value) in enumerate(statistics(total).items()):
        yield statistic, [float(value), *(float(end[place]) for end in ends)]
