"""Coefficients of agreement between judges, computed from sums over documents.

The sums are a confusion matrix for two judges, or a `Tally` for any number of judges, who need not
judge every document. For a bootstrap resample, each document is weighted by how often it occurs.
The coefficients accept arrays with leading axes (one entry per resample) before the axes of grades.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from rankwise.arrays import Floats, Ints

Weights: TypeAlias = Literal["unweighted", "linear", "quadratic"]
Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
SMALLEST_CHANCE_GAP = 1e-12  # a smaller 1 − expected agreement is rounding error
RESAMPLES_AT_ONCE = 1 << 22  # resamples × units in memory at once


class Tally(NamedTuple):
    """Sums over documents from which agreement coefficients of several judges are computed.

    Let r_k of the r judges of a document give it grade k. For grades k and l, `pairs` sums r_k (r_l
    − [k = l]) / (r (r − 1)) over the documents with at least two judges; [k = l] is 1 if k = l,
    otherwise 0. `coincidences` sums these terms times r. `shares` sums r_k / r over the documents
    with at least one judge. `documents` counts the documents with at least one judge, and `paired`
    those with at least two.
    """

    pairs: Floats
    coincidences: Floats
    shares: Floats
    documents: Floats
    paired: Floats


def tally(counts: Ints) -> Tally:
    """Return the `Tally` of each document alone, with one entry per document.

    `counts`, of shape (documents, grades), has the number of judges who gave each grade.
    """
    judges = counts.sum(axis=1).astype(np.float64)
    paired = judges > 1
    ordered = counts[:, :, None] * (counts[:, None, :] - np.eye(counts.shape[1], dtype=np.int64))
    both = np.where(paired, judges, 2.0)
    pairs = np.where(paired[:, None, None], ordered / (both * (both - 1))[:, None, None], 0.0)
    return Tally(
        pairs,
        pairs * judges[:, None, None],
        counts / np.maximum(judges, 1)[:, None],
        (judges > 0).astype(np.float64),
        paired.astype(np.float64),
    )


def add_up(values: Floats, weights: Floats) -> Floats:
    """Return Σ weight × value over the first axis of `values`, for each row of weights."""
    flat = values.reshape(len(values), -1)
    return np.asarray(weights @ flat).reshape((*weights.shape[:-1], *values.shape[1:]))


def weighted(tallies: Tally, weights: Floats) -> Tally:
    """Return weighted sums of tallies; the weights have shape (resamples, tallies).

    A weight is the number of times that a tally occurs in a resample.
    """
    return Tally(*(add_up(column, weights) for column in tallies))


def weight_matrix(grades: Floats, kind: Weights) -> Floats:
    """Return the agreement weight of each pair of grades, which is 1 for equal grades.

    For grades k and l the weight is 1 − |k − l| / range of the grades (`linear`), 1 − (|k − l| /
    range)² (`quadratic`), or 0 if k and l differ (`unweighted`).
    """
    if kind == "unweighted" or len(grades) < 2:
        return np.eye(len(grades))
    apart = np.abs(grades[:, None] - grades[None, :]) / np.ptp(grades)
    return np.asarray(1 - apart ** (1 if kind == "linear" else 2))


def raw_agreement(confusion: Floats) -> Floats:
    """Return the fraction of documents to which both judges give the same grade."""
    with np.errstate(divide="ignore", invalid="ignore"):
        equal = np.trace(confusion, axis1=-2, axis2=-1)
        return np.asarray(equal / confusion.sum(axis=(-2, -1)), dtype=np.float64)


def cohen_kappa(confusion: Floats, weights: Floats) -> Floats:
    """Return Cohen's kappa (1960), or weighted kappa (1968): (p_o − p_e) / (1 − p_e).

    p_o is the observed agreement. p_e is the agreement expected by chance, computed from how often
    each judge uses each grade. Kappa is NaN if p_e is 1, for example if both judges give the same
    grade to all documents.

    >>> table = np.array([[20.0, 5.0], [10.0, 15.0]])
    >>> float(cohen_kappa(table, np.eye(2)).round(4))
    0.4
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = confusion / confusion.sum(axis=(-2, -1), keepdims=True)
    by_chance = shares.sum(axis=-1)[..., :, None] * shares.sum(axis=-2)[..., None, :]
    observed, expected = ((table * weights).sum(axis=(-2, -1)) for table in (shares, by_chance))
    return _above_chance(observed, expected)


def fleiss_kappa(total: Tally, weights: Floats) -> Floats:
    """Return Fleiss' kappa (1971) for several judges, also weighted or with missing judgments.

    Kappa is (p_o − p_e) / (1 − p_e) with the observed agreement p_o. The expected agreement p_e is
    computed from the mean share of each grade: its share among the judgments of one document,
    averaged over documents (Gwet 2014). Kappa is NaN if p_e is 1.
    """
    observed, shares = _observed(total, weights), _shares(total)
    expected = (shares[..., :, None] * shares[..., None, :] * weights).sum(axis=(-2, -1))
    return _above_chance(observed, expected)


def gwet_ac(total: Tally, weights: Floats) -> Floats:
    """Return Gwet's AC1 (2008) of several judges, or AC2 (2014) if weighted.

    Both are (p_o − p_e) / (1 − p_e) with the observed agreement p_o, also if judgments are missing.
    The expected agreement is p_e = T Σ π_k (1 − π_k) / (q (q − 1)), where T is the sum of the
    weights, π_k the share of grade k and q the number of grades. Since p_e depends on q, pass only
    grades that some judge used. The result is NaN for q < 2.
    """
    observed, shares = _observed(total, weights), _shares(total)
    grades = shares.shape[-1]
    if grades < 2:
        return np.full(observed.shape, np.nan)
    spread = (shares * (1 - shares)).sum(axis=-1)
    return _above_chance(observed, weights.sum() * spread / (grades * (grades - 1)))


def krippendorff_alpha(coincidences: Floats, grades: Floats, level: Level) -> Floats:
    """Return Krippendorff's alpha (2004): 1 − observed / expected disagreement.

    Documents with fewer than two judges are ignored. The disagreement of two grades is the square
    of a distance: 1 (nominal), the number of judgments between the two grades plus half of the
    judgments at the two grades (ordinal), or the difference of the grades (interval). Alpha is NaN
    if the expected disagreement is 0.
    """
    each = coincidences.sum(axis=-1)
    total = each.sum(axis=-1)
    distance = _distances(each, grades, level)
    observed = (coincidences * distance).sum(axis=(-2, -1))
    expected = (each[..., :, None] * each[..., None, :] * distance).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - (total - 1) * observed / expected, np.nan)


def precision_recall(confusion: Floats, threshold: int) -> tuple[Floats, Floats, Floats]:
    """Return precision, recall and F1 of the judge in the columns against the judge in the rows.

    Grades from index `threshold` on are relevant. A value is NaN if its denominator is 0.
    """
    both = confusion[..., threshold:, threshold:].sum(axis=(-2, -1))
    retrieved = confusion[..., :, threshold:].sum(axis=(-2, -1))
    relevant = confusion[..., threshold:, :].sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return both / retrieved, both / relevant, 2 * both / (retrieved + relevant)


def binary(confusion: Floats, threshold: int) -> Floats:
    """Return the 2 × 2 confusion matrix of two classes of grades.

    The first class has the grades before index `threshold`, the second class all other grades.
    """
    parts = (slice(None, threshold), slice(threshold, None))
    cells = [
        confusion[..., rows, columns].sum(axis=(-2, -1)) for rows in parts for columns in parts
    ]
    return np.stack(cells, axis=-1).reshape(*confusion.shape[:-2], 2, 2)


def overrating(confusion: Floats, grades: Floats) -> Floats:
    """Return the mean grade difference, column judge − row judge, for each grade of the row judge.

    The row judge is the judge in the rows of `confusion`. The difference is NaN for a grade that
    the row judge did not give.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return (confusion * (grades[None, :] - grades[:, None])).sum(axis=-1) / confusion.sum(-1)


def bootstrap_of_sums(
    statistic: Callable[[Floats], Floats],
    sizes: Floats,
    *,
    confidence: float,
    resamples: int,
    rng: np.random.Generator,
    clusters: bool = True,
) -> tuple[Floats, Floats]:
    """Return the lower and upper limits of a bootstrap interval of a function of sums.

    `statistic` takes an array of shape (resamples, units) with the number of times each unit is
    drawn, and returns an array of shape (resamples, values). With `clusters` units are topics,
    drawn with equal probabilities. Without `clusters` units are kinds of documents, such as cells
    of a confusion matrix, and `sizes` has the number of documents of each kind.

    The limits are percentiles corrected for bias (Efron 1981). For few topics the percentile
    interval is too narrow. With `clusters` the interval over n topics is therefore expanded
    (Hesterberg 2015): Student's quantile times √(n / (n − 1)) replaces the normal quantile. Values
    that are undefined in a resample are ignored. The limits are NaN with fewer than two topics
    (without `clusters`, documents).
    """
    from scipy.special import ndtri, stdtrit

    units = len(sizes)
    total = units if clusters else int(sizes.sum())
    tail = (1 - confidence) / 2
    chances = np.full(units, 1 / units) if clusters else sizes / sizes.sum()
    value = statistic(np.ones((1, units)) if clusters else sizes[None, :])[0]
    if total < 2:
        return np.full(len(value), np.nan), np.full(len(value), np.nan)
    step = max(1, RESAMPLES_AT_ONCE // units)
    draws = [
        statistic(rng.multinomial(total, chances, min(step, resamples - start)).astype(np.float64))
        for start in range(0, resamples, step)
    ]
    reach = np.sqrt(units / (units - 1)) * stdtrit(units - 1, tail) if clusters else ndtri(tail)
    return _corrected_percentiles(np.concatenate(draws), value, float(reach))


def _corrected_percentiles(draws: Floats, value: Floats, reach: float) -> tuple[Floats, Floats]:
    """Return the quantiles of `draws` at levels Φ(2z + `reach`) and Φ(2z − `reach`).

    Φ(z) is the fraction of draws below `value`; draws equal to `value` count half.
    """
    from scipy.special import ndtr, ndtri

    ends = np.full((2, len(value)), np.nan)
    for place in range(len(value)):
        known = draws[np.isfinite(draws[:, place]), place]
        if not known.size or np.isnan(value[place]):
            continue
        below = (known < value[place]).mean() + (known == value[place]).mean() / 2
        z = ndtri(np.clip(below, 1 / len(known), 1 - 1 / len(known)))
        ends[:, place] = np.quantile(known, ndtr([2 * z + reach, 2 * z - reach]))
    return ends[0], ends[1]


def _observed(total: Tally, weights: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((total.pairs * weights).sum(axis=(-2, -1)) / total.paired)


def _shares(total: Tally) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(total.shares / np.asarray(total.documents)[..., None])


def _above_chance(observed: Floats, expected: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (observed - expected) / (1 - expected)
    return np.where(1 - expected > SMALLEST_CHANCE_GAP, value, np.nan)


def _distances(each: Floats, grades: Floats, level: Level) -> Floats:
    if level == "nominal":
        return 1 - np.eye(len(grades))
    if level == "interval":
        return np.asarray((grades[:, None] - grades[None, :]) ** 2)
    # Number of judgments up to the middle of each grade: differences count the judgments between.
    middle = np.cumsum(each, axis=-1) - each / 2
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)
