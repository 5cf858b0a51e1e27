"""Bootstrap sensitivity against loops as literal as Sakai's Figures 5 to 7, on the same draws."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from rankwise.errors import CallError
from rankwise.experiments.discrimination.sensitivity import (
    Significance,
    bootstrap_sensitivity,
    worst_area,
    worst_areas_of_draws,
)
from rankwise.progress import show_progress
from rankwise.stats.paired import drawn_topics

TOPICS, COUNT = 15, 60


@pytest.fixture
def values() -> np.ndarray:
    rng = np.random.default_rng(7)
    return rng.uniform(0, 1, (6, TOPICS)) * np.linspace(0.5, 1, 6)[:, None]


def mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def t(numbers: Sequence[float]) -> float:
    middle, n = mean(numbers), len(numbers)
    sigma = math.sqrt(sum((x - middle) ** 2 for x in numbers) / (n - 1))
    return middle / (sigma / math.sqrt(n))


def figure_5(w: Sequence[float], topic_sets: list[list[int]]) -> list[list[float]]:
    """w*b: the observed value in w for each topic of Q*b."""
    return [[w[q] for q in topic_set] for topic_set in topic_sets]


def figure_6(z: Sequence[float], samples: list[list[float]]) -> float:
    count = 0
    for w_star in samples:
        if abs(t(w_star)) >= abs(t(z)):
            count += 1
    return count / len(samples)


def figure_7(samples: list[list[float]], alpha: float) -> float:
    """The difference that one pair adds to DIFF."""
    ordered = sorted(samples, key=lambda w_star: abs(t(w_star)))
    return abs(mean(ordered[-round(len(samples) * alpha)]))


def test_figures_5_to_7_of_sakai(values: np.ndarray) -> None:
    draws = drawn_topics(TOPICS, COUNT, np.random.default_rng(1)).astype(int)
    topic_sets = [[q for q in range(TOPICS) for _ in range(draw[q])] for draw in draws]
    asl, difference = [], []
    for x in range(6):
        for y in range(x + 1, 6):
            z = [float(values[x][i] - values[y][i]) for i in range(TOPICS)]
            samples = figure_5([value - mean(z) for value in z], topic_sets)
            asl.append(figure_6(z, samples))
            difference.append(figure_7(samples, 0.1))
    found = bootstrap_sensitivity(
        values, alpha=(0.1, 0.05), count=COUNT, rng=np.random.default_rng(1)
    )
    assert found.p.tolist() == asl
    assert found.needed is not None
    assert found.needed[0] == pytest.approx(difference)
    assert found.estimated_difference(0.1) == float(f"{max(difference):.2g}")
    assert found.significant(0.1) == sum(p <= 0.1 for p in asl)
    assert 0 < found.significant(0.1) < len(asl)


def test_the_unpaired_test_draws_from_both_systems(values: np.ndarray) -> None:
    """Efron and Tibshirani's Algorithm 16.1, for the difference of geometric means."""

    def geometric(numbers: Sequence[float]) -> float:
        return math.exp(mean([math.log(max(x, 0.00001)) for x in numbers]))

    values[0, :3] = 0.0
    drawn = np.random.default_rng(1).integers(2 * TOPICS, size=(COUNT, 2 * TOPICS))
    asl, difference = [], []
    for x in range(6):
        for y in range(x + 1, 6):
            both = [*values[x], *values[y]]
            d = abs(geometric(values[x]) - geometric(values[y]))
            stars = []
            for rows in drawn:
                star = [both[i] for i in rows]
                stars.append(abs(geometric(star[:TOPICS]) - geometric(star[TOPICS:])))
            asl.append(sum(star >= d for star in stars) / COUNT)
            difference.append(sorted(stars)[-3])
    found = bootstrap_sensitivity(
        values, summary="geometric mean", count=COUNT, rng=np.random.default_rng(1)
    )
    assert found.p.tolist() == asl
    assert found.needed is not None
    assert found.needed[0] == pytest.approx(difference)


def test_the_paired_test_of_geometric_means_is_that_of_logarithms(values: np.ndarray) -> None:
    values[0, :3] = 0.0
    found = bootstrap_sensitivity(
        values, summary="logarithms", count=COUNT, rng=np.random.default_rng(1)
    )
    logs = np.log(np.maximum(values, 0.00001))
    same = bootstrap_sensitivity(logs, count=COUNT, rng=np.random.default_rng(1))
    assert found.p.tolist() == same.p.tolist() and 0 < found.significant(0.05) < len(found.p)


def area(scores: Sequence[float]) -> float:
    """MAP(x) over the worst x topics, averaged over x to a quarter of the topics."""
    ordered = sorted(scores)
    quarter = max(1, len(ordered) // 4)
    return mean([mean(ordered[:x]) for x in range(1, quarter + 1)])


def test_areas_are_compared_by_the_unpaired_test(values: np.ndarray) -> None:
    drawn = np.random.default_rng(1).integers(2 * TOPICS, size=(COUNT, 2 * TOPICS))
    asl, difference = [], []
    for x in range(6):
        for y in range(x + 1, 6):
            both = [*values[x], *values[y]]
            stars = []
            for rows in drawn:
                star = [both[i] for i in rows]
                stars.append(abs(area(star[:TOPICS]) - area(star[TOPICS:])))
            d = abs(area(values[x]) - area(values[y]))
            asl.append(sum(star >= d - 1e-12 for star in stars) / COUNT)
            difference.append(sorted(stars)[-3])
    found = bootstrap_sensitivity(values, summary="area", count=COUNT, rng=np.random.default_rng(1))
    assert found.p == pytest.approx(asl)
    assert found.needed is not None
    assert found.needed[0] == pytest.approx(difference)


def test_degenerate_pairs_have_an_answer() -> None:
    base = np.random.default_rng(0).uniform(0, 1, 10)
    values = np.stack([base, base, base + 0.1])
    found = bootstrap_sensitivity(values, count=100, rng=np.random.default_rng(0))
    # The same; always 0.1 apart, twice: without a variance there is no test.
    np.testing.assert_array_equal(found.p, [1.0, np.nan, np.nan])
    assert found.significant(0.05) == 0
    assert found.estimated_difference(0.05) == 0
    apart = bootstrap_sensitivity(values[1:], count=100, rng=np.random.default_rng(0))
    assert np.isnan(apart.estimated_difference(0.05))


def test_a_pair_at_alpha_itself_is_significant() -> None:
    """As in `compare`: p ≤ α."""
    pair = np.array([0]), np.array([1])
    assert Significance(np.array([0.05, 0.051]), *pair, (0.05,)).significant(0.05) == 1


def test_two_topics_are_enough() -> None:
    values = np.array([[0.1, 0.5], [0.2, 0.4]])
    found = bootstrap_sensitivity(values, count=50, rng=np.random.default_rng(0))
    assert 0 <= found.p[0] <= 1


def test_alpha_needs_as_many_resamples() -> None:
    with pytest.raises(CallError, match=r"`alpha` 0.001 needs at least 1,000 resamples"):
        bootstrap_sensitivity(np.eye(2), alpha=(0.001,), count=500, rng=np.random.default_rng(0))


def test_the_same_seed_gives_the_same_and_batches_do_not_matter(
    values: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankwise.experiments.discrimination import sensitivity

    whole = bootstrap_sensitivity(values, count=COUNT, rng=np.random.default_rng(3))
    monkeypatch.setattr(sensitivity, "RESAMPLES_AT_ONCE", 2 * COUNT)
    seen: list[int] = []

    def show(starts: Iterable[int], name: str, total: int | None) -> Iterable[int]:
        assert (name, total) == ("pairs", 8)
        for start in starts:
            seen.append(start)
            yield start

    with show_progress(show):
        parts = bootstrap_sensitivity(values, count=COUNT, rng=np.random.default_rng(3))
    assert len(seen) == 8
    assert parts.p.tolist() == whole.p.tolist()


@pytest.mark.parametrize("topics", [1, 3, 4, 50])
def test_areas_of_draws_are_those_of_the_values_drawn(topics: int) -> None:
    rng = np.random.default_rng(topics)
    values = rng.integers(0, 5, (7, 2 * topics)) / 7  # with ties
    drawn = rng.integers(2 * topics, size=(30, topics))
    found = worst_areas_of_draws(values, drawn)
    assert found.tolist() == worst_area(values[:, drawn]).tolist()
