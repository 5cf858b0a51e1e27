"""Paired tests: against scipy pair by pair, brute force, the papers' figures and algorithms."""

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from rankwise.arrays import Floats
from rankwise.errors import CallError
from rankwise.progress import show_progress
from rankwise.stats import paired

SCIPYS = {"drop": "wilcox", "pratt": "pratt", "split": "zsplit"}


def generator() -> np.random.Generator:
    return np.random.default_rng(1)


TESTS: dict[str, Callable[[Floats], Floats]] = {
    "t": paired.student_t,
    "wilcoxon": paired.wilcoxon,
    "wilcoxon pratt": lambda d: paired.wilcoxon(d, zeros="pratt"),
    "wilcoxon split": lambda d: paired.wilcoxon(d, zeros="split", correction=False),
    "wilcoxon approximate": lambda d: paired.wilcoxon(d, exact=False),
    "wilcoxon raw": lambda d: paired.wilcoxon(d, raw=True),
    "sign": paired.sign,
    "permutation": lambda d: paired.permutation(d, count=200, rng=generator()),
    "bootstrap": lambda d: paired.bootstrap(d, count=200, rng=generator()),
}


def differences_at_random(pairs: int = 60, topics: int = 20, *, missing: float = 0.1) -> Floats:
    """With many ties and zeros, and topics left out here and there."""
    rng = np.random.default_rng(7)
    differences = rng.normal(0.4, 1, (pairs, topics)).round(1)
    differences[rng.random(differences.shape) < 0.2] = 0.0
    differences[rng.random(differences.shape) < missing] = np.nan
    return differences


def each_pair(differences: Floats, test: Callable[[Floats], Any]) -> list[float]:
    """scipy's p-value of each pair, over the topics that it has."""
    return [float(test(row[~np.isnan(row)]).pvalue) for row in differences]


def test_t_is_scipys() -> None:
    differences = differences_at_random()
    expected = each_pair(differences, lambda row: stats.ttest_1samp(row, 0))
    np.testing.assert_allclose(paired.student_t(differences), expected, rtol=1e-12)


@pytest.mark.parametrize("zeros", ["drop", "pratt", "split"])
@pytest.mark.parametrize("correction", [True, False])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_wilcoxon_is_scipys(zeros: Any, correction: bool, missing: float) -> None:
    differences = differences_at_random(missing=missing)
    expected = each_pair(
        differences,
        lambda row: stats.wilcoxon(
            row, zero_method=SCIPYS[zeros], correction=correction, method="approx"
        ),
    )
    found = paired.wilcoxon(differences, zeros=zeros, correction=correction, exact=False)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("topics", [2, 5, 12, 50])
def test_exact_wilcoxon_is_scipys_where_nothing_ties(topics: int) -> None:
    differences = np.random.default_rng(topics).normal(0.3, 1, (30, topics))
    differences[: len(differences) // 2, 0] = 0.0  # dropped
    expected = each_pair(differences, lambda row: stats.wilcoxon(row[row != 0], method="exact"))
    np.testing.assert_allclose(paired.wilcoxon(differences), expected, rtol=1e-10)


def test_exact_wilcoxon_leaves_tied_pairs_to_the_approximation() -> None:
    differences = np.array([[0.1, 0.1, 0.3, -0.2], [0.1, 0.4, 0.3, 0.0]])
    exact, approximate = (paired.wilcoxon(differences, exact=exact) for exact in (True, False))
    assert exact[0] == approximate[0]
    assert exact[1] == 0.25 != approximate[1]
    kept, without = (
        paired.wilcoxon(differences, zeros="pratt", exact=exact) for exact in (True, False)
    )
    np.testing.assert_array_equal(kept, without)


def test_beyond_50_topics_wilcoxon_is_approximate() -> None:
    differences = np.random.default_rng(0).normal(0.1, 1, (2, 51))
    differences[1, 0] = np.nan
    exact, approximate = (paired.wilcoxon(differences, exact=exact) for exact in (True, False))
    assert exact[0] == approximate[0]
    assert 0 < abs(exact[1] - approximate[1]) < 0.01


def precision_at_10(pairs: int = 300, topics: int = 30) -> tuple[Floats, Floats]:
    """Differences of two P@10, as floating point has them, and the same in tenths exactly."""
    rng = np.random.default_rng(4)
    tenths = rng.integers(0, 11, (2, pairs, topics))
    first, second = tenths / 10
    return first - second, (tenths[0] - tenths[1]).astype(float)


@pytest.mark.parametrize("zeros", ["drop", "pratt", "split"])
@pytest.mark.parametrize("unit", [1.0, 1e-7, 1000.0])
def test_wilcoxon_ties_what_differs_by_rounding_error(zeros: Any, unit: float) -> None:
    """p is that of the whole numbers behind the differences, whatever the unit of the scores."""
    differences, tenths = precision_at_10()
    found = paired.wilcoxon(unit * differences, zeros=zeros)
    np.testing.assert_allclose(found, paired.wilcoxon(tenths, zeros=zeros), rtol=1e-12)
    raw = paired.wilcoxon(differences, zeros=zeros, raw=True)
    assert np.abs(raw - found).max() > 0.05  # what rounding error alone did


def test_raw_wilcoxon_is_scipys_of_the_differences_as_they_are() -> None:
    differences, _ = precision_at_10(40)
    expected = each_pair(
        differences, lambda row: stats.wilcoxon(row, correction=True, method="approx")
    )
    np.testing.assert_allclose(paired.wilcoxon(differences, raw=True), expected, rtol=1e-12)


def test_sign_is_scipys_binomial() -> None:
    differences = differences_at_random()
    expected = [
        stats.binomtest(int((row > 0).sum()), int((np.abs(row) > 0).sum())).pvalue
        for row in differences
    ]
    np.testing.assert_allclose(paired.sign(differences), expected, rtol=1e-12)


# Table IV of Moffat and Zobel, "Rank-biased precision for measurement of retrieval
# effectiveness", ACM TOIS 27(1), 2008: pairs of 61 systems with p ≤ 0.05 and p ≤ 0.01.
TABLE_IV = {"ap": (1164, 969), "p10": (1150, 915), "rr": (1000, 752)}
TABLE_IV_WILCOXON = {"ap": (1259, 1077), "p10": (1141, 897), "rr": (1020, 759)}
UNCORRECTED = {"ap": (1260, 1077), "p10": (1145, 898), "rr": (1030, 762)}
TIED = {"ap": (1260, 1079), "p10": (1153, 901), "rr": (1021, 759)}  # AP mostly by exact p
TIED_APPROXIMATE = {"ap": (1259, 1077), "p10": (1153, 901), "rr": (1021, 759)}


def differences_on(trec5: Path, metric: str) -> Floats:
    values = pl.read_csv(trec5 / f"adhoc5_{metric}.csv").to_numpy().T
    first, second = np.triu_indices(len(values), 1)
    assert len(first) == 1830
    return values[first] - values[second]


def significant(p: Floats) -> tuple[int, int]:
    return int((p <= 0.05).sum()), int((p <= 0.01).sum())


@pytest.mark.parametrize("metric", TABLE_IV)
def test_table_iv_of_moffat_and_zobel(trec5: Path, metric: str) -> None:
    differences = differences_on(trec5, metric)
    assert significant(paired.student_t(differences)) == TABLE_IV[metric]
    assert significant(paired.wilcoxon(differences, raw=True)) == TABLE_IV_WILCOXON[metric]
    uncorrected = paired.wilcoxon(differences, correction=False, raw=True)
    assert significant(uncorrected) == UNCORRECTED[metric]


@pytest.mark.parametrize("metric", TIED)
def test_without_rounding_error_table_iv_would_be_another(trec5: Path, metric: str) -> None:
    """P@10 has many ties, such as 0.3 − 0.2 and 0.2 − 0.1, which floating point breaks."""
    differences = differences_on(trec5, metric)
    assert significant(paired.wilcoxon(differences)) == TIED[metric]
    assert significant(paired.wilcoxon(differences, exact=False)) == TIED_APPROXIMATE[metric]
    rounded = paired.wilcoxon(differences.round(10))
    np.testing.assert_allclose(paired.wilcoxon(differences), rounded, rtol=1e-9)


def permutation_by_hand(row: Floats) -> float:
    given = [round(float(d), 10) for d in row if not np.isnan(d)]
    sums = [
        abs(sum(s * d for s, d in zip(signs, given, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(given))
    ]
    return sum(each >= abs(sum(given)) - 1e-9 for each in sums) / len(sums)


@pytest.mark.parametrize("topics", [2, 3, 6, 10])
def test_permutation_of_few_topics_is_exact(topics: int) -> None:
    differences = differences_at_random(8, topics)
    differences[0] = np.abs(differences[0])
    expected = [
        permutation_by_hand(row) if (~np.isnan(row)).sum() > 1 else np.nan for row in differences
    ]
    found = paired.permutation(differences, count=1_000, rng=generator())
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_permutation_counts_sums_that_are_equal_but_for_rounding() -> None:
    """0.1 + 0.2 is not 0.3 in floating point; of the 8 sums 4 are 0 and 4 are ±0.2 to ±0.6."""
    differences = np.array([[0.1, 0.2, -0.3], [0.7, -0.1, 0.2]])
    found = paired.permutation(differences, rng=generator())
    np.testing.assert_array_equal(found, [1.0, 0.5])


def test_sampled_permutation_is_near_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paired, "IN_CACHE", 3_000)  # many batches
    differences = differences_at_random(20, 12)
    exact = paired.permutation(differences, count=2**11, rng=generator())
    count = 2**11 - 1
    sampled = paired.permutation(differences, count=count, rng=generator())
    assert (exact != sampled).any()
    error = np.sqrt(exact * (1 - exact) / count)
    assert (np.abs(sampled - exact) <= 4 * error + 1 / count).all()


def test_sampled_permutation_adds_one_to_both_counts() -> None:
    p = paired.permutation(np.ones((1, 40)), count=99, rng=generator())
    assert p == [1 / 100]


@pytest.mark.parametrize(("test", "limit"), [("permutation", "IN_CACHE"), ("bootstrap", "AT_ONCE")])
def test_batches_show_their_progress_and_change_nothing(
    test: str, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int | None]] = []

    def show(steps: Iterable[int], name: str, total: int | None) -> Iterable[int]:
        seen.append((name, total))
        return steps

    differences = differences_at_random(20, 30)
    differences[0] = 0.25  # no variance
    whole = getattr(paired, test)(differences, count=100, rng=generator())
    monkeypatch.setattr(paired, limit, 30 * 7)
    with show_progress(show):
        batched = getattr(paired, test)(differences, count=100, rng=generator())
    np.testing.assert_array_equal(batched, whole)
    assert seen == [("resamples", 15)]


def sakais_figures_5_and_6(z: list[float], samples: list[list[int]]) -> tuple[float, list[float]]:
    """The ASL, and |t| of each sample of topics, step by step as Sakai (2007) prints them."""

    def t(values: list[float]) -> float:
        n = len(values)
        mean = sum(values) / n
        deviation = (sum((value - mean) ** 2 for value in values) / (n - 1)) ** 0.5
        return mean / (deviation / n**0.5)

    w = [value - sum(z) / len(z) for value in z]
    count, sizes = 0, []
    for topics in samples:
        resample = [w[topic] for topic in topics]
        sizes.append(abs(t(resample)))
        if sizes[-1] >= abs(t(z)):
            count += 1
    return count / len(samples), sizes


def test_bootstrap_is_sakais_for_the_same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paired, "AT_ONCE", 8 * 300 * 7)  # blocks of 7 pairs
    differences = np.random.default_rng(5).normal(0.25, 1, (20, 15))
    draws = paired.drawn_topics(15, 300, generator())
    samples = [np.repeat(np.arange(15), drawn.astype(int)).tolist() for drawn in draws]
    by_hand = [sakais_figures_5_and_6(row.tolist(), samples) for row in differences]
    found = paired.bootstrap(differences, count=300, rng=generator())
    np.testing.assert_allclose(found, [asl for asl, _ in by_hand], rtol=1e-12)
    assert len(set(found)) > 10
    _, t, size = paired.bootstrap_statistics(differences, draws)
    np.testing.assert_allclose(t, [sizes for _, sizes in by_hand], rtol=1e-9)
    off = differences - differences.mean(axis=1, keepdims=True)
    means = [[abs(row[sample].mean()) for sample in samples] for row in off]
    np.testing.assert_allclose(size, means, atol=1e-12)


def test_bootstrap_leaves_missing_topics_out_of_the_resamples() -> None:
    differences = np.random.default_rng(5).normal(0.25, 1, (6, 15))
    differences[:, 14] = np.nan  # for all pairs: as if the topic were not there
    whole = paired.bootstrap(differences[:, :14], count=300, rng=generator())
    found = paired.bootstrap(differences, count=300, rng=generator())
    np.testing.assert_array_equal(found, whole)
    differences[0, 3] = np.nan
    draws = paired.drawn_topics(14, 300, generator())
    assert (draws.sum(axis=1) == 14).all()
    left = np.delete(differences[:1, :14], 3, axis=1)
    samples = [
        np.repeat(np.arange(13), np.delete(drawn, 3).astype(int)).tolist() for drawn in draws
    ]
    asl, sizes = sakais_figures_5_and_6(left[0].tolist(), samples)
    _, t, _ = paired.bootstrap_statistics(differences[:1, :14], draws)
    np.testing.assert_allclose(t[0], sizes, rtol=1e-9)
    assert paired.bootstrap(differences, count=300, rng=generator())[0] == asl


def test_bootstrap_and_t_agree_for_normal_differences() -> None:
    differences = np.random.default_rng(3).normal(0.2, 1, (50, 60))
    found = paired.bootstrap(differences, count=4_000, rng=generator())
    assert np.abs(found - paired.student_t(differences)).max() < 0.05


@pytest.mark.parametrize("test", TESTS)
def test_identical_runs_have_p_1(test: str) -> None:
    rows = np.zeros((2, 30))
    rows[1, :20] = np.nan
    np.testing.assert_array_equal(TESTS[test](rows), [1.0, 1.0])


@pytest.mark.parametrize("test", TESTS)
def test_fewer_than_two_topics_have_no_p(test: str) -> None:
    rows = np.array([[0.1, np.nan, np.nan], [np.nan, np.nan, np.nan], [0.1, 0.2, np.nan]])
    found = TESTS[test](rows)
    np.testing.assert_array_equal(np.isnan(found), [True, True, False])
    assert np.isnan(TESTS[test](rows[:, :1])).all()
    assert np.isnan(TESTS[test](rows[:, :0])).all()
    assert TESTS[test](rows[:0]).shape == (0,)


@pytest.mark.parametrize("test", TESTS)
def test_constant_differences(test: str) -> None:
    """However they are rounded: without a variance t has no p; the others need none."""
    constant = np.array([[0.3 - 0.2, 0.2 - 0.1, 0.9 - 0.8, 0.1, 0.7 - 0.6]] * 2)
    constant[1] = 0.1
    found = TESTS[test](constant)
    if test in ("t", "bootstrap"):
        assert np.isnan(found).all()
    elif test in ("sign", "permutation"):
        assert found[0] == 2 * 0.5**5
    else:
        assert (found < 0.07).all()


@pytest.mark.parametrize("test", TESTS)
def test_topics_that_all_pairs_miss_are_as_if_not_there(test: str) -> None:
    whole = differences_at_random(5, 9, missing=0)
    wide = np.full((5, 12), np.nan)
    wide[:, [0, 1, 2, 4, 5, 6, 8, 9, 11]] = whole
    np.testing.assert_allclose(TESTS[test](wide), TESTS[test](whole), rtol=1e-12)


@pytest.mark.parametrize("test", TESTS)
def test_the_order_of_two_runs_does_not_matter(test: str) -> None:
    differences = differences_at_random()
    np.testing.assert_allclose(TESTS[test](differences), TESTS[test](-differences), rtol=1e-12)


@pytest.mark.parametrize("test", TESTS)
def test_what_is_given_is_not_changed(test: str) -> None:
    differences = differences_at_random()
    before = differences.copy()
    TESTS[test](differences)
    np.testing.assert_array_equal(differences, before)


def test_wrong_calls_are_told() -> None:
    differences = np.ones((1, 3))
    with pytest.raises(CallError, match="is not one of drop, pratt, split"):
        paired.wilcoxon(differences, zeros="prat")  # type: ignore[arg-type]
    with pytest.raises(CallError, match="`resamples` must be a whole number, 1 or more, not 0"):
        paired.permutation(differences, count=0, rng=generator())
    with pytest.raises(CallError, match="`resamples` must be a whole number, 1 or more, not 0"):
        paired.bootstrap(differences, count=0, rng=generator())


def test_as_much_up_as_down_is_no_difference_to_the_bootstrap() -> None:
    """The mean of these is 0 on paper and 1e-17 in binary: every resample is as large."""
    even = np.array([[0.2, -0.1, 0.0, 0.0, 0.2, 0.0, -0.1, -0.2]])
    assert even.sum() != 0
    assert paired.bootstrap(even, count=200, rng=np.random.default_rng(3)).tolist() == [1.0]
    assert paired.student_t(even).tolist() == [1.0]


def test_scores_that_differ_by_rounding_error_are_no_difference() -> None:
    values = np.array([[0.1 + 0.2, 0.7, 0.5], [0.3, 0.1 + 0.6, np.nan]])
    found = paired.differences_of(values, np.array([0]), np.array([1]))
    assert found[0, :2].tolist() == [0.0, 0.0]
    assert np.isnan(found[0, 2])
    assert paired.student_t(found).tolist() == [1.0]


def test_the_difference_of_one_topic_is_constant_and_that_of_none_is_nothing() -> None:
    one = np.array([[0.3, np.nan], [-0.3, np.nan], [0.0, np.nan], [np.nan, np.nan]])
    found = paired.studentised(one)
    assert np.isnan(found[:2]).all() and found[2:].tolist() == [0.0, 0.0]
