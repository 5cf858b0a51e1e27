"""Confidence intervals: against scipy one by one, and their coverage by simulation."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankwise.stats.intervals import (
    bootstrap_interval,
    mean_interval,
    moments,
    patterns,
    t_interval,
    t_interval_within,
)

NORMAL, SKEWED = "normal", "skewed"


def drawn(shape: str, rows: int, topics: int, seed: int) -> tuple[np.ndarray, float]:
    """Samples, and the mean that they were drawn from."""
    rng = np.random.default_rng(seed)
    if shape == NORMAL:
        return rng.normal(0.3, 0.2, (rows, topics)), 0.3
    return rng.beta(0.6, 1.8, (rows, topics)), 0.25


def test_the_t_interval_is_scipys_and_leaves_nan_out() -> None:
    values, _ = drawn(SKEWED, 20, 12, 1)
    values[np.random.default_rng(2).random(values.shape) < 0.2] = np.nan
    low, high = t_interval(values, 0.9)
    for row, *ends in zip(values, low, high, strict=True):
        kept = row[np.isfinite(row)]
        expected = stats.t.interval(0.9, len(kept) - 1, kept.mean(), stats.sem(kept))
        assert ends == pytest.approx(expected)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("topics", [2, 3, 10])
def test_ends_within_bounds_hold_every_corner_and_are_hardly_wider(
    topics: int, confidence: float
) -> None:
    """Brute force over all ways to set each topic to its low or its high."""
    rng = np.random.default_rng(topics)
    low = rng.random((40, topics))
    high = low + rng.random((40, topics)) * rng.choice([0.0, 0.01, 0.1, 1], (40, topics))
    found = np.stack(t_interval_within(low, high, confidence))
    corners = np.arange(2**topics)[:, None] >> np.arange(topics) & 1
    x = np.where(corners, high[:, None], low[:, None])
    reach = stats.t.ppf((1 + confidence) / 2, topics - 1) * x.std(axis=2, ddof=1)
    reach /= np.sqrt(topics)
    exact = np.stack([(x.mean(axis=2) - reach).min(axis=1), (x.mean(axis=2) + reach).max(axis=1)])
    slack = np.array([[1], [-1]]) * (exact - found) / (exact[1] - exact[0])
    assert slack.min() > -1e-9
    assert slack.max() < (0.25 if topics < 10 else 0.01)


def slow_bootstrap(row: np.ndarray, draws: np.ndarray, confidence: float) -> tuple[float, float]:
    """Efron and Tibshirani, section 12.5, draw by draw."""
    n, ts = len(row), []
    for counts in draws:
        again = np.repeat(row, counts)
        error = again.std() / np.sqrt(n - 1)
        shift = again.mean() - row.mean()
        ts.append(0.0 if abs(shift) < 1e-12 else shift / error if error > 1e-9 else shift * np.inf)
    ts.sort()
    error = row.std(ddof=1) / np.sqrt(n)
    tail = (1 - confidence) / 2
    lower, upper = ts[int(np.ceil(tail * len(ts))) - 1], ts[int(np.ceil((1 - tail) * len(ts))) - 1]
    return row.mean() - upper * error, row.mean() - lower * error


def test_the_bootstrap_interval_is_that_of_a_plain_loop() -> None:
    values, _ = drawn(SKEWED, 5, 9, 3)
    found = bootstrap_interval(values, 0.9, count=400, rng=np.random.default_rng(4))
    draws = np.random.default_rng(4).multinomial(9, np.full(9, 1 / 9), 400)
    for row, *ends in zip(values, *found, strict=True):
        assert ends == pytest.approx(slow_bootstrap(row, draws, 0.9))


def test_rows_with_other_topics_are_each_resampled_over_their_own() -> None:
    values, _ = drawn(SKEWED, 3, 20, 5)
    holes = values.copy()
    holes[1, :8] = np.nan
    low, high = bootstrap_interval(holes, 0.9, rng=np.random.default_rng(6))
    alone = bootstrap_interval(values[1:2, 8:], 0.9, rng=np.random.default_rng(7))
    assert np.isfinite(low).all() and np.isfinite(high).all()
    width = alone[1][0] - alone[0][0]  # other draws, so nearly the same
    assert high[1] - low[1] == pytest.approx(width, rel=0.25)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize(("method", "shape", "topics"), [
    ("t", NORMAL, 10), ("bootstrap", NORMAL, 50), ("bootstrap", SKEWED, 50),
])  # fmt: skip
def test_the_interval_holds_the_mean_as_often_as_it_says(
    method: str, shape: str, topics: int, confidence: float
) -> None:
    """Within four Monte Carlo errors, and for the bootstrap a hundredth for its own error."""
    repeats = 3000 if method == "t" else 1500
    values, mean = drawn(shape, repeats, topics, 8)
    rng = np.random.default_rng(9)
    if method == "t":
        low, high = t_interval(values, confidence)
    else:  # draws of their own: shared ones would fail or hold together
        parts = [
            bootstrap_interval(some, confidence, count=500, rng=rng)
            for some in np.split(values, 30)
        ]
        low, high = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    coverage = ((low <= mean) & (mean <= high)).mean()
    error = np.sqrt(confidence * (1 - confidence) / repeats)
    slack = 0.0 if method == "t" else 0.01
    assert abs(coverage - confidence) < 4 * error + slack


@pytest.mark.parametrize("method", ["t", "bootstrap"])
@pytest.mark.parametrize("scale", [2.0**-60, 2.0**40])
def test_the_unit_of_the_values_is_nothing(method: Any, scale: float) -> None:
    """A threshold that is not in the unit of what it is compared with would show."""
    values = np.random.default_rng(3).random((4, 12))
    ends = np.array(mean_interval(values, 0.9, method, np.random.default_rng(1)))
    scaled = np.array(mean_interval(values * scale, 0.9, method, np.random.default_rng(1)))
    np.testing.assert_allclose(scaled / scale, ends, rtol=1e-9)
    assert np.isfinite(ends).all()


def test_degenerate_rows_have_a_stated_answer() -> None:
    nan = np.nan
    values = np.array([[0.1, 0.1, 0.1], [0.5, nan, nan], [nan, nan, nan], [0.1 + 0.2, 0.3, nan]])
    for method in ("t", "bootstrap"):
        low, high = mean_interval(values, 0.95, method, np.random.default_rng(0))
        assert np.isnan([low, high]).all()  # one value, one topic, none; one but for rounding
    assert moments(values).sd.tolist()[0] == 0.0
    assert moments(values).sd[3] == 0.0  # equal but for rounding
    assert np.isnan(t_interval_within(values[:1], values[:1], 0.95)).all()
    open_ = t_interval_within(values[:1], values[:1] + np.array([0.0, 0.0, 0.1]), 0.95)
    assert np.isfinite(open_).all()
    few = np.array([[0.1, 0.7]])
    assert np.isnan(bootstrap_interval(few, 0.95, rng=np.random.default_rng(0))).all()


@pytest.mark.parametrize(("confidence", "place"), [(0.95, 25), (0.99, 5), (0.9, 50)])
def test_the_ends_are_at_the_place_that_efron_and_tibshirani_count(
    confidence: float, place: int
) -> None:
    """Of 1,000 t* the 25th and the 975th; (1 − 0.95) / 2 is a little more than 0.025."""
    row = np.random.default_rng(3).random(12)
    draws = np.random.default_rng(0).multinomial(12, np.full(12, 1 / 12), 1_000)
    error = row.std(ddof=1) / np.sqrt(12)
    resamples = [np.repeat(row, draw) for draw in draws]
    t = np.sort([(x.mean() - row.mean()) / (x.std(ddof=1) / np.sqrt(12)) for x in resamples])
    low, high = bootstrap_interval(row[None], confidence, rng=np.random.default_rng(0))
    assert low[0] == pytest.approx(row.mean() - t[1_000 - place - 1] * error)
    assert high[0] == pytest.approx(row.mean() - t[place - 1] * error)


def test_rows_with_the_same_topics_are_one_group_and_no_rows_are_none() -> None:
    kept = np.array([[True, False, True], [False, True, True], [True, False, True]])
    found = [(rows.tolist(), topics.tolist()) for rows, topics in patterns(kept)]
    assert sorted(found) == [([0, 2], [0, 2]), ([1], [1, 2])]
    assert list(patterns(kept[:0])) == []
