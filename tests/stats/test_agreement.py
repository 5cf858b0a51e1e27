"""Coefficients of agreement, against other packages and against their definitions."""

import json
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankwise.arrays import Floats, Ints
from rankwise.stats.agreement import (
    Level,
    Tally,
    Weights,
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

PEERS = json.loads((Path(__file__).parent / "agreement_peers.json").read_text())
CASES = pytest.mark.parametrize("case", PEERS, ids=range(len(PEERS)))
KINDS: tuple[Weights, ...] = ("unweighted", "linear", "quadratic")
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def table_of(case: dict[str, Any]) -> Floats:
    return np.array([[np.nan if g is None else g for g in row] for row in case["table"]])


def counts_of(table: Floats, grades: Floats) -> Ints:
    return np.stack([(table == grade).sum(axis=1) for grade in grades], axis=1)


def total_of(table: Floats) -> tuple[Tally, Floats]:
    grades = np.unique(table[~np.isnan(table)])
    counts = counts_of(table, grades)
    return weighted(tally(counts), np.ones(len(counts))), grades


def confusion_of(table: Floats, grades: Floats) -> Floats:
    both = table[~np.isnan(table[:, :2]).any(axis=1)]
    return np.array(
        [[((both[:, 0] == a) & (both[:, 1] == b)).sum() for b in grades] for a in grades], float
    )


def test_a_document_without_a_judge_does_not_count() -> None:
    found = tally(np.array([[0, 0], [1, 0], [1, 1]]))
    assert found.documents.tolist() == [0, 1, 1] and found.paired.tolist() == [0, 0, 1]
    assert not found.shares[0].any() and not found.coincidences[:2].any()


def test_there_are_cases_with_and_without_gaps() -> None:
    gaps = [np.isnan(table_of(case)).any() for case in PEERS]
    assert sum(gaps) >= 10 and len(gaps) - sum(gaps) >= 10


@CASES
def test_krippendorff(case: dict[str, Any]) -> None:
    total, grades = total_of(table_of(case))
    for level in LEVELS:
        value = krippendorff_alpha(total.coincidences, grades, level)
        assert value == pytest.approx(case[f"alpha {level}"], abs=1e-12)


@CASES
def test_fleiss_and_gwet_as_irrcac(case: dict[str, Any]) -> None:
    total, grades = total_of(table_of(case))
    for kind in KINDS:
        weights = weight_matrix(grades, kind)
        assert fleiss_kappa(total, weights) == pytest.approx(case[f"fleiss {kind}"], abs=1e-12)
        assert gwet_ac(total, weights) == pytest.approx(case[f"gwet {kind}"], abs=1e-12)
    if "statsmodels fleiss" in case:
        value = fleiss_kappa(total, np.eye(len(grades)))
        assert value == pytest.approx(case["statsmodels fleiss"], abs=1e-12)


@CASES
def test_cohen_and_classification_as_scikit_learn(case: dict[str, Any]) -> None:
    table = table_of(case)
    grades = np.unique(table[~np.isnan(table)])
    confusion = confusion_of(table, grades)
    for kind in KINDS:
        value = cohen_kappa(confusion, weight_matrix(grades, kind))
        assert value == pytest.approx(case[f"cohen {kind}"], abs=1e-12)
    for place, numbers in enumerate(case["binary"], 1):
        expected = [np.nan if number is None else number for number in numbers]
        kappa = cohen_kappa(binary(confusion, place), np.eye(2))
        values = [kappa, *precision_recall(confusion, place)]
        assert values == pytest.approx(expected, abs=1e-12, nan_ok=True)


def alpha_by_pairs(table: Floats, distance: Any) -> float:
    """Krippendorff's alpha from its definition: mean distance of pairs within and overall."""
    units = [row[~np.isnan(row)] for row in table]
    units = [unit for unit in units if len(unit) > 1]
    values = np.concatenate(units)
    within = sum(sum(distance(a, b) for a, b in permutations(u, 2)) / (len(u) - 1) for u in units)
    overall = sum(distance(a, b) for a, b in permutations(values, 2))
    return float(1 - (within / len(values)) / (overall / (len(values) * (len(values) - 1))))


@CASES
def test_alpha_is_one_minus_the_quotient_of_mean_distances(case: dict[str, Any]) -> None:
    table = table_of(case)
    total, grades = total_of(table)
    expected = alpha_by_pairs(table, lambda a, b: (a - b) ** 2)
    assert krippendorff_alpha(total.coincidences, grades, "interval") == pytest.approx(expected)


@CASES
def test_raw_agreement_and_overrating_by_counting(case: dict[str, Any]) -> None:
    table = table_of(case)
    grades = np.unique(table[~np.isnan(table)])
    both = table[~np.isnan(table[:, :2]).any(axis=1), :2]
    confusion = confusion_of(table, grades)
    assert raw_agreement(confusion) == pytest.approx((both[:, 0] == both[:, 1]).mean())
    for grade, value in zip(grades, overrating(confusion, grades), strict=True):
        rows = both[both[:, 0] == grade]
        expected = (rows[:, 1] - grade).mean() if len(rows) else np.nan
        assert value == pytest.approx(expected, nan_ok=True)


def test_the_weights_of_resamples_are_repeated_documents() -> None:
    rng = np.random.default_rng(5)
    counts = rng.integers(0, 3, (30, 4))
    draws = rng.multinomial(30, np.full(30, 1 / 30), 6)
    added = weighted(tally(counts), draws.astype(float))
    for place, draw in enumerate(draws):
        repeated = weighted(tally(np.repeat(counts, draw, axis=0)), np.ones(draw.sum()))
        for column, expected in zip(added, repeated, strict=True):
            assert column[place] == pytest.approx(expected, abs=1e-9)


def test_kappa_is_undefined_only_where_both_give_one_grade() -> None:
    same = np.array([[7.0, 0.0], [0.0, 0.0]])
    assert np.isnan(cohen_kappa(same, np.eye(2)))
    one_judge = np.array([[7.0, 0.0], [3.0, 0.0]])
    assert cohen_kappa(one_judge, np.eye(2)) == 0
    total, grades = total_of(np.zeros((5, 3)))
    assert np.isnan(fleiss_kappa(total, np.eye(1)))
    assert np.isnan(gwet_ac(total, np.eye(1)))
    assert np.isnan(krippendorff_alpha(total.coincidences, grades, "ordinal"))


def test_perfect_agreement_is_one_everywhere() -> None:
    table = np.repeat(np.array([[0.0], [1.0], [2.0], [2.0]]), 3, axis=1)
    total, grades = total_of(table)
    for kind in KINDS:
        weights = weight_matrix(grades, kind)
        assert fleiss_kappa(total, weights) == pytest.approx(1)
        assert gwet_ac(total, weights) == pytest.approx(1)
    for level in LEVELS:
        assert krippendorff_alpha(total.coincidences, grades, level) == pytest.approx(1)


def test_a_bootstrap_of_a_mean_is_near_students_interval() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(0.4, 0.1, 40)

    def mean(draws: Floats) -> Floats:
        return (draws @ values / draws.sum(axis=1))[:, None]

    low, high = bootstrap_of_sums(mean, np.ones(40), confidence=0.95, resamples=20_000, rng=rng)
    reach = 2.0227 * values.std(ddof=1) / np.sqrt(40)
    assert low[0] == pytest.approx(values.mean() - reach, abs=0.003)
    assert high[0] == pytest.approx(values.mean() + reach, abs=0.003)


def test_intervals_need_two_topics() -> None:
    rng = np.random.default_rng(3)
    low, high = bootstrap_of_sums(
        lambda draws: draws[:, :1], np.ones(1), confidence=0.95, resamples=10, rng=rng
    )
    assert np.isnan(low).all() and np.isnan(high).all()
    low, high = bootstrap_of_sums(
        lambda draws: draws[:, :1], np.ones(2), confidence=0.95, resamples=100, rng=rng
    )
    assert low[0] <= 1 <= high[0]


def test_weights_fall_with_the_distance() -> None:
    grades = np.array([0.0, 1.0, 4.0])
    for a, b in combinations(range(3), 2):
        apart = (grades[b] - grades[a]) / 4
        assert weight_matrix(grades, "linear")[a, b] == 1 - apart
        assert weight_matrix(grades, "quadratic")[a, b] == 1 - apart**2
