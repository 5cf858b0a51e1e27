"""Swap methods against loops as literal as the papers' algorithms, on the same draws."""

from typing import Any

import numpy as np
import pytest

from rankwise.errors import CallError
from rankwise.experiments.discrimination.swap import (
    COARSE,
    FINE,
    Averaging,
    SwapRates,
    bootstrap_swaps,
    disjoint_pairs,
    disjoint_swaps,
    error_rates,
    extrapolated_swaps,
    swap_rates,
    tallied,
    with_replacement,
)


@pytest.fixture
def values() -> np.ndarray:
    """Eight systems of which some are close, one twice, on 24 topics; scores of 0.1 steps."""
    rng = np.random.default_rng(3)
    quality = np.array([0.2, 0.25, 0.3, 0.3, 0.4, 0.5, 0.55])
    scores = rng.beta(2 * quality[:, None], 2 * (1 - quality[:, None]), (7, 24)).round(1)
    return np.concatenate([scores, scores[:1]])


def topics_of(tally: np.ndarray) -> list[int]:
    return [topic for topic, times in enumerate(tally) for _ in range(times)]


def figure_4(
    values: np.ndarray, sets: Any, width: float, number: int
) -> tuple[list[int], list[int]]:
    """Figure 4 of Sakai (2007), word for word: BIN is of |D|; not > 0 is a swap."""
    count, swap_count = [0] * number, [0] * number
    for x in range(len(values)):
        for y in range(x + 1, len(values)):
            for one, other in zip(*sets, strict=True):
                q, q_prime = topics_of(one), topics_of(other)
                d = round(sum(values[x][t] - values[y][t] for t in q) / len(q), 9)
                d_prime = round(sum(values[x][t] - values[y][t] for t in q_prime) / len(q), 9)
                place = min(int(round(abs(d) / width, 6)), number - 1)
                count[place] += 1
                if d * d_prime > 0:
                    continue
                swap_count[place] += 1
    return count, swap_count


def test_figure_4_of_sakai(values: np.ndarray) -> None:
    rng = np.random.default_rng(0)
    sets = (with_replacement(24, 24, 40, rng), with_replacement(24, 24, 40, rng))
    (found,) = bootstrap_swaps(values, count=40, rng=np.random.default_rng(0)).measured
    count, swap_count = figure_4(values, sets, *COARSE)
    assert found.comparisons.tolist() == count
    assert found.swaps.tolist() == swap_count
    assert found.size == 24
    by_hand = [[values[s][topics_of(t)].mean() for part in sets for t in part] for s in range(8)]
    assert found.best == pytest.approx(np.max(by_hand))


def test_disjoint_sets_count_opposite_orders_only(values: np.ndarray) -> None:
    sets = disjoint_pairs(24, 12, 30, np.random.default_rng(5))
    found = disjoint_swaps(values, 12, count=30, bins=FINE, rng=np.random.default_rng(5))
    count, swaps = [0] * 101, [0] * 101
    for x in range(8):
        for y in range(x + 1, 8):
            for one, other in zip(*sets, strict=True):
                before, after = (
                    round(sum(values[x][t] - values[y][t] for t in topics_of(tally)) / 12, 9)
                    for tally in (one, other)
                )
                place = min(int(round(abs(before) / 0.002, 6)), 100)
                count[place] += 1
                swaps[place] += (before < 0 < after) or (after < 0 < before)
    assert found.comparisons.tolist() == count
    assert found.swaps.tolist() == swaps


def test_disjoint_sets_are_disjoint_and_of_their_size() -> None:
    one, other = disjoint_pairs(11, 5, 200, np.random.default_rng(1))
    assert (one.sum(axis=1) == 5).all() and (other.sum(axis=1) == 5).all()
    assert ((one + other) <= 1).all()
    with pytest.raises(CallError, match="`sizes` must be from 1 to 5"):
        disjoint_pairs(11, 6, 1, np.random.default_rng(1))


def test_draws_with_replacement_count_topics() -> None:
    tallies = with_replacement(6, 9, 500, np.random.default_rng(1))
    assert tallies.shape == (500, 6)
    assert (tallies.sum(axis=1) == 9).all()
    assert tallies.max() > 1
    assert tallied(np.array([[0, 2, 2], [1, 1, 1]]), 3).tolist() == [[1, 0, 2], [0, 3, 0]]


def test_geometric_means_of_sets() -> None:
    tallies = np.array([[1, 1, 0], [0, 2, 1]])
    found = Averaging("geometric").of_sets(np.array([[0.25, 1.0, 0.0]]), tallies)
    assert found == pytest.approx(np.array([[0.5, 1e-5 ** (1 / 3)]]))


RATES = SwapRates(0.01, 50, np.array([10, 10, 10, 0, 10]), np.array([4, 0, 1, 0, 0]), 0.5)


def test_the_difference_needed_is_that_from_which_on_every_bin_keeps_to_the_rate() -> None:
    assert RATES.rates.tolist()[:3] == [0.4, 0.0, 0.1]
    assert np.isnan(RATES.rates[3])
    assert RATES.needed(0.05) == 0.03  # bin 1 has none, but bin 2 has more again
    assert RATES.needed(0.1) == 0.01
    assert RATES.reached(0.03) == 0.25
    assert np.isnan(SwapRates(0.01, 5, np.array([4]), np.array([4]), 1.0).needed(0.05))
    assert np.isnan(RATES.reached(float("nan")))


def test_the_cumulative_difference_looks_at_all_beyond() -> None:
    assert RATES.rates_from[:3] == pytest.approx([5 / 40, 1 / 30, 1 / 20])
    assert RATES.needed_overall(0.05) == 0.01


def test_equal_systems_are_swaps_only_by_sakai() -> None:
    same = np.full((3, 8), 0.5)
    (found,) = bootstrap_swaps(same, count=10, rng=np.random.default_rng(0)).measured
    assert found.rates[0] == 1
    assert np.isnan(found.needed())
    disjoint = disjoint_swaps(same, 4, count=10, rng=np.random.default_rng(0))
    assert disjoint.swaps.sum() == 0
    assert disjoint.needed() == 0


def test_differences_at_an_edge_belong_to_the_bin_above_it() -> None:
    values = np.array([[0.3, 0.3], [0.2, 0.2]])  # 0.3 − 0.2 < 0.1 in binary
    sets = (np.array([[1, 0]]), np.array([[0, 1]]))
    found = swap_rates(values, sets, bins=(0.1, 3))
    assert found.comparisons.tolist() == [0, 1, 0]


def test_the_fit_of_the_extrapolation_is_weighted_least_squares(values: np.ndarray) -> None:
    values = values + 0.05 * np.random.default_rng(9).random(values.shape)
    found = extrapolated_swaps(values, sizes=[12, 3, 6], count=200, rng=np.random.default_rng(2))
    assert [one.size for one in found.measured] == [3, 6, 12]
    assert found.topics == 24
    for place in range(3):
        swaps = np.array([one.swaps[place] for one in found.measured])
        rates = np.array([one.rates[place] for one in found.measured])
        assert (swaps > 0).all()
        slope, intercept = np.polyfit([3, 6, 12], np.log(rates), 1, w=np.sqrt(swaps))
        assert found.slope[place] == pytest.approx(slope)
        assert found.intercept[place] == pytest.approx(intercept)
        assert found.rates[place] == pytest.approx(min(0.5, np.exp(intercept + 24 * slope)))


def test_a_bin_with_swaps_at_one_size_keeps_its_own_rate() -> None:
    rng = np.random.default_rng(4)
    far = np.stack([rng.uniform(0, 0.3, 20), rng.uniform(0.7, 1, 20)])
    found = extrapolated_swaps(far, count=50, rng=np.random.default_rng(0))
    assert [one.size for one in found.measured] == [2, 4, 6, 8, 10]
    assert found.rates[-1] == 0  # all comparisons are there, and no swap
    assert np.isnan(found.rates[:-1]).all()
    assert found.needed() == 0
    row = found.summary(0.05)[-1]
    assert (row["topics"], row["how"], row["% reach"]) == (20, "extrapolated", 100)


def test_one_size_is_measured_and_not_extrapolated(values: np.ndarray) -> None:
    found = extrapolated_swaps(values, sizes=[6], count=50, rng=np.random.default_rng(0))
    assert [row["how"] for row in found.summary(0.05)] == ["measured"]
    assert set(found.curve([])["topics"]) == {6}
    assert np.isnan(found.slope).all()


def test_more_topics_swap_less() -> None:
    rng = np.random.default_rng(8)
    values = np.linspace(0.3, 0.5, 12)[:, None] + 0.2 * rng.standard_normal((12, 60))
    found = extrapolated_swaps(values, count=300, rng=np.random.default_rng(0))
    half, quarter = found.measured[-1], found.measured[1]
    assert found.needed() < half.needed() < 0.2
    assert (half.rates < quarter.rates)[5:15].all()


def test_error_rates_hold_means_of_all_topics(values: np.ndarray) -> None:
    found = error_rates(values, count=200, rng=np.random.default_rng(0))
    [row] = found.summary(0.1)
    means = values.mean(axis=1)
    assert row["topics"] == 12
    assert row["best"] == pytest.approx(means.max())
    assert row["variance"] == pytest.approx(means.var())
    assert row["sd"] == pytest.approx(means.std())
    assert row["difference"] > 0
    assert row["% of best"] == pytest.approx(100 * row["difference"] / means.max())


def test_several_sizes_are_several_rows() -> None:
    """Larger topic sets need a smaller difference; all have the means of all topics."""
    rng = np.random.default_rng(5)
    values = rng.uniform(0, 0.4, (8, 24)) + np.linspace(0, 0.3, 8)[:, None]
    found = error_rates(values, sizes=[3, 12], count=300, rng=np.random.default_rng(0))
    rows = found.summary(0.05)
    assert [row["topics"] for row in rows] == [3, 12]
    assert rows[0]["best"] == rows[1]["best"] and rows[0]["variance"] == rows[1]["variance"]
    assert rows[0]["difference"] > rows[1]["difference"]
    drawn = bootstrap_swaps(values, sizes=[3, 24], count=300, rng=np.random.default_rng(0))
    assert [one.size for one in drawn.measured] == [3, 24]
    assert drawn.curve([]).height == 2 * drawn.measured[0].curve().height
