"""Coefficients against scipy, plain loops, hand-worked examples and their authors' figures."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from scipy import stats

from rankwise.arrays import Floats
from rankwise.errors import CallError
from rankwise.stats.correlation import (
    dense_ranks,
    fisher_interval,
    kendall,
    kendall_p,
    least_significant_tau,
    sakai_least_tau,
    spearman,
    spearman_p,
    tau_and_tau_ap,
    tau_ap,
)

# The examples of ircor, the package of Urbano and Marrero: x, y, and both with ties.
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
    ),
]


def slow_kendall(x: Floats, y: Floats, ties: str) -> float:
    concordant = discordant = tied_x = tied_y = 0
    for i, j in combinations(range(len(x)), 2):
        sign = np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
        concordant += sign > 0
        discordant += sign < 0
        tied_x += x[i] == x[j]
        tied_y += y[i] == y[j]
    pairs = len(x) * (len(x) - 1) / 2
    divisor = pairs if ties == "a" else np.sqrt((pairs - tied_x) * (pairs - tied_y))
    return (concordant - discordant) / divisor


def slow_tau_ap(truth: Mapping[int, float], order: Sequence[int]) -> float:
    """Yilmaz, Aslam and Robertson (2008), for orders without ties: places, best first."""
    total = 0.0
    for i in range(1, len(order)):
        rightly = [other for other in order[:i] if truth[other] > truth[order[i]]]
        total += len(rightly) / i
    return 2 / (len(order) - 1) * total - 1


def orders_of(values: Floats) -> Iterator[tuple[int, ...]]:
    """All orders of the places, best first, that the values allow."""
    for order in permutations(range(len(values))):
        if all(values[a] >= values[b] for a, b in pairwise(order)):
            yield order


def slow_tau_ap_a(x: Floats, y: Floats) -> float:
    """The mean over all orders of what is tied, in both."""
    found = []
    for true_order in orders_of(x):
        truth = {place: -rank for rank, place in enumerate(true_order)}
        found += [slow_tau_ap(truth, order) for order in orders_of(y)]
    return float(np.mean(found))


def slow_half_of_tau_ap_b(x: Floats, y: Floats) -> float:
    terms = []
    for i in range(len(y)):
        above = [j for j in range(len(y)) if y[j] > y[i]]
        if above:
            terms.append(sum(x[j] > x[i] for j in above) / len(above))
    return float(2 * np.mean(terms) - 1)


@pytest.fixture
def tied() -> tuple[np.ndarray, np.ndarray]:
    """One order and 40 others of 12 systems, with many ties."""
    rng = np.random.default_rng(7)
    return rng.integers(0, 6, 12).astype(float), rng.integers(0, 5, (5, 8, 12)).astype(float)


def test_kendall_is_scipys_and_the_loops(tied: tuple[np.ndarray, np.ndarray]) -> None:
    x, many = tied
    for ties in ("a", "b"):
        found = kendall(x, many, ties=ties)
        assert found.shape == (5, 8)
        for place in np.ndindex(5, 8):
            assert found[place] == pytest.approx(slow_kendall(x, many[place], ties), abs=1e-12)
            if ties == "b":
                expected = stats.kendalltau(x, many[place]).statistic
                assert found[place] == pytest.approx(expected, abs=1e-12)


def test_tau_of_each_row_is_scipys() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.random((2, 4, 12)).round(1), rng.random((2, 4, 12)).round(1)
    expected = [stats.kendalltau(a, b).statistic for a, b in zip(x[0], y[0], strict=True)]
    found = kendall(x, y)
    assert found.shape == (2, 4) and found[0] == pytest.approx(expected)
    assert np.isnan(kendall(np.ones((1, 3)), np.arange(3.0)[None])).all()
    assert np.isnan(kendall(np.array([[1, np.nan, 2]]), np.arange(3.0)[None])).all()


def test_spearman_is_scipys(tied: tuple[np.ndarray, np.ndarray]) -> None:
    x, many = tied
    found = spearman(x, many)
    for place in np.ndindex(5, 8):
        expected = stats.spearmanr(x, many[place])
        assert found[place] == pytest.approx(expected.statistic, abs=1e-12)
        assert spearman_p(found[place], 12) == pytest.approx(expected.pvalue, abs=1e-12)
    assert spearman_p(1.0, 12) == 0 and np.isnan(spearman_p(1.0, 2))


def test_the_test_of_tau_is_scipys(tied: tuple[np.ndarray, np.ndarray]) -> None:
    x, many = tied
    found = kendall_p(x, many)
    for place in np.ndindex(5, 8):
        assert found[place] == stats.kendalltau(x, many[place]).pvalue
    assert np.isnan(kendall_p([1.0], [1.0])) and np.isnan(kendall_p([1, 1, 1], [1, 2, 3]))
    assert np.isnan(kendall_p([1.0], [[1.0], [2.0]])).tolist() == [True, True]
    assert np.isnan(kendall_p([1, 2, 3], [[1, np.nan, 3]])).all()


@pytest.mark.parametrize("systems", [2, 3, 4, 5, 6])
def test_the_p_of_few_systems_is_the_share_of_all_orders(systems: int) -> None:
    """Two systems are in the same order half of the time: tau = 1 says nothing, p is 1."""
    x = np.arange(systems)
    orders = np.array(list(permutations(x)))
    taus = kendall(x, orders)
    p = np.array([(np.abs(taus) >= abs(tau) - 1e-9).mean() for tau in taus])
    assert kendall_p(x, orders) == pytest.approx(p)
    for alpha in (0.01, 0.05, 0.1):
        significant = taus[(p <= alpha) & (taus > 0)]
        least = significant.min() if significant.size else np.inf
        assert least_significant_tau(systems, alpha) == pytest.approx(least)


def test_the_least_significant_tau_is_scipys_beyond() -> None:
    for n in (9, 20, 33):
        least = least_significant_tau(n, 0.01)
        discordant = round((1 - least) * n * (n - 1) / 4)
        for pairs, below in ((discordant, True), (discordant + 1, False)):
            order: list[int] = []
            left = pairs  # the order has this many discordant pairs
            for size in range(1, n + 1):
                back = min(left, size - 1)
                order.insert(size - 1 - back, size)
                left -= back
            found = stats.kendalltau(np.arange(n), np.argsort(order))
            assert (found.pvalue <= 0.01) == below


def test_sakais_test_of_tau_is_his() -> None:
    """Sakai (2007): over 30 systems, significant at 0.01 above 0.34."""
    assert sakai_least_tau(30, 0.01) == pytest.approx(0.332, abs=5e-4)
    z = sakai_least_tau(61, 0.05) / np.sqrt((4 * 61 + 10) / (9 * 61 * 60))
    assert 2 * stats.norm.sf(z) == pytest.approx(0.05)


def test_tau_ap_by_hand() -> None:
    """The truth is a b c d. For b a c d: C/(i − 1) is 0, 1, 1; for a b d c: 1, 1, 2/3."""
    assert tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(2 / 3 * (0 + 1 + 1) - 1)
    assert tau_ap([4, 3, 2, 1], [4, 3, 1, 2]) == pytest.approx(2 / 3 * (1 + 1 + 2 / 3) - 1)
    assert tau_ap([4, 3, 2, 1], [1, 2, 3, 4]) == pytest.approx(-1)
    # a, then b and c tied, then d: the mean of 1 and of a c b d, whose terms are 1, 1/2, 1.
    assert tau_ap([4, 3, 2, 1], [3, 2, 2, 1]) == pytest.approx((1 + 2 / 3 * 2.5 - 1) / 2)


@pytest.mark.parametrize("sizes", [(6, 6), (3, 6), (6, 3), (2, 3), (1, 4), (4, 1)])
def test_tau_ap_a_is_the_mean_over_all_orders(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(11)
    for _ in range(4):
        x, y = (rng.integers(0, size, 5).astype(float) for size in sizes)
        assert tau_ap(x, y) == pytest.approx(slow_tau_ap_a(x, y), abs=1e-12)


def test_tau_ap_b_is_the_loops(tied: tuple[np.ndarray, np.ndarray]) -> None:
    x, many = tied
    found = tau_ap(x, many, ties="b")
    for place in np.ndindex(5, 8):
        y = many[place]
        expected = (slow_half_of_tau_ap_b(x, y) + slow_half_of_tau_ap_b(y, x)) / 2
        assert found[place] == pytest.approx(expected, abs=1e-12)
        assert tau_ap(y, x, ties="b") == pytest.approx(expected, abs=1e-12)
    assert tau_ap(x, x, ties="b") == pytest.approx(1)


@pytest.mark.parametrize(
    ("example", "untied", "tied_a", "untied_b", "tied_b"),
    [
        (0, 0.8519, 0.7454, 0.8333, 0.7321),
        (1, 0.2504, 0.2692, 0.2880, 0.297),
        (2, -0.6971, -0.5558, -0.668, -0.7047),
    ],
)
def test_tau_ap_has_the_figures_of_ircor(
    example: int, untied: float, tied_a: float, untied_b: float, tied_b: float
) -> None:
    """Those of the tests of ircor 1.0 by Urbano and Marrero, to their four decimals."""
    x, y, x_tied, y_tied = IRCOR[example]
    assert tau_ap(x, y) == pytest.approx(untied, abs=6e-5)
    assert tau_ap(x, y_tied) == pytest.approx(tied_a, abs=6e-5)
    assert tau_ap(x, y, ties="b") == pytest.approx(untied_b, abs=6e-5)
    assert tau_ap(x_tied, y_tied, ties="b") == pytest.approx(tied_b, abs=6e-5)


def test_what_is_undefined_is_nan() -> None:
    flat, order, gap = [1.0] * 4, [4.0, 3, 2, 1], [4.0, np.nan, 2, 1]
    for coefficient in (kendall, spearman, lambda x, y: tau_ap(x, y, ties="b")):
        assert np.isnan(coefficient(flat, order)) and np.isnan(coefficient(order, flat))
    for coefficient in (kendall, spearman, tau_ap):
        rows = coefficient(order, [gap, order])
        assert np.isnan(rows[0]) and rows[1] == pytest.approx(1)
        assert np.isnan(coefficient(gap, order))
        assert np.isnan(coefficient([1.0], [1.0]))
    assert kendall(order, flat, ties="a") == 0 and tau_ap(order, flat) == pytest.approx(0)


def test_other_lengths_are_refused() -> None:
    with pytest.raises(CallError, match=r"they are \(3,\) and \(2,\)"):
        kendall([1, 2, 3], [1, 2])


def test_the_noise_of_adding_up_is_no_difference() -> None:
    sums = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.5]
    assert sums[0] != sums[1]
    assert dense_ranks(sums).tolist() == [1, 1, 0]
    assert dense_ranks([[np.inf, 1, -np.inf], [np.nan, 2, 1]])[0].tolist() == [2, 1, 0]
    assert dense_ranks([[np.nan, 2, 1]])[0, 1:].tolist() == [1, 0]
    assert np.isnan(dense_ranks([np.nan, np.nan])).all() and dense_ranks([]).size == 0


def slow_half_tied_tau_ap(truth: Floats, other: Floats) -> float:
    """Mean over the items of the other ranking with one above: agreement of those above."""
    agreements = []
    for item in range(len(truth)):
        shares = {
            each: 0.5 if other[each] == other[item] else float(other[each] > other[item])
            for each in range(len(truth))
            if each != item
        }
        if sum(shares.values()) > 0:
            agreed = sum(s * np.sign(truth[each] - truth[item]) for each, s in shares.items())
            agreements.append(agreed / sum(shares.values()))
    return float(np.mean(agreements))


def test_both_coefficients_of_many_rows_are_those_of_each() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.random((30, 8)), rng.random((30, 8))
    tau, by_top = tau_and_tau_ap(x, y)
    for row in range(len(x)):
        assert tau[row] == pytest.approx(kendall(x[row], y[row]))
        assert by_top[row] == pytest.approx(tau_ap(x[row], y[row]))
    x, y = np.round(x, 1), np.round(y, 1)
    tau, by_top = tau_and_tau_ap(x, y)
    for row in range(len(x)):
        assert tau[row] == pytest.approx(stats.kendalltau(x[row], y[row]).statistic)
        assert by_top[row] == pytest.approx(slow_half_tied_tau_ap(x[row], y[row]))
    assert np.isnan(tau_and_tau_ap(np.ones((1, 4)), y[:1, :4])[0])
    assert np.array(tau_and_tau_ap(x, x * (1 + 1e-15)))[0] == pytest.approx(1)  # rounding is a tie


def test_the_fisher_interval_is_symmetric_on_its_scale() -> None:
    rng = np.random.default_rng(4)
    draws = np.tanh(rng.normal(0.6, 0.1, (200, 2)))
    draws[:5, 0] = [np.nan, 1.0, -1.0, np.inf, -np.inf]  # left out
    value = np.array([0.55, 0.4])
    low, high = fisher_interval(value, draws, 12, 0.9)
    for place, kept in enumerate((draws[5:, 0], draws[:, 1])):
        reach = stats.t.ppf(0.95, 11) * np.arctanh(kept).std(ddof=1)
        assert np.arctanh(low[place]) == pytest.approx(np.arctanh(value[place]) - reach)
        assert np.arctanh(high[place]) == pytest.approx(np.arctanh(value[place]) + reach)


def test_the_fisher_interval_is_undefined_at_one_and_without_spread() -> None:
    draws = np.tanh(np.random.default_rng(6).normal(0.6, 0.1, (50, 4)))
    draws[:, 2] = 0.3
    draws[1:, 3] = np.nan
    ends = fisher_interval(np.array([1.0, np.nan, 0.3, 0.5]), draws, 12, 0.95)
    assert all(np.isnan(end).all() for end in ends)
    ends = fisher_interval(np.array([0.5]), draws[:, :1], 1, 0.95)
    assert all(np.isnan(end).all() for end in ends)
    ends = fisher_interval(np.array([0.5]), draws[:, :1], 2, 0.95)
    assert all(np.isfinite(end).all() for end in ends)
