"""Simultaneous intervals, Dunnett's test and sets of ranks, against peers and by simulation."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankwise.stats.multiple_comparisons import (
    dunnett,
    dunnett_critical_value,
    dunnett_survival,
    max_t_interval,
    rank_sets,
)
from rankwise.stats.paired import differences_of, student_t
from rankwise.stats.power import lower_effect

PEERS = json.loads(Path(__file__).with_name("statistics_peers.json").read_text())


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.mark.parametrize(("freedom", "expected"), [
    (5, [2.57, 3.03, 3.29, 3.48, 3.62]),
    (20, [2.09, 2.38, 2.54, 2.65, 2.73, 2.80, 2.86, 2.90, 2.95]),
])  # fmt: skip
def test_critical_values_are_those_of_dunnetts_table(freedom: int, expected: list[float]) -> None:
    """C. W. Dunnett, Biometrics 20(3), 1964: two-sided, 5 %."""
    found = [dunnett_critical_value(0.05, k + 1, freedom) for k in range(len(expected))]
    assert np.round(found, 2).tolist() == expected


def test_dunnetts_p_is_scipys() -> None:
    """scipy.stats.dunnett, which samples the distribution, of 4 groups of 12: 44 degrees."""
    peer = PEERS["scipy dunnett(*groups[1:], control=groups[0])"]
    found = dunnett_survival(np.array(peer["statistic"]), 3, 44)
    assert found == pytest.approx(peer["p"], abs=5e-4)


def test_dunnett_of_two_systems_is_the_paired_t_test() -> None:
    values = rng().random((2, 15))
    first, second = np.array([1]), np.array([0])
    found = dunnett(values, first, second)
    assert found.p == pytest.approx(student_t(differences_of(values, first, second)))
    test = stats.ttest_rel(values[1], values[0]).confidence_interval(0.95)
    assert (found.low[0], found.high[0]) == pytest.approx((test.low, test.high))


def test_dunnetts_statistic_is_that_of_a_two_way_analysis() -> None:
    """By least squares with a column for each system and for each topic."""
    values = rng().random((4, 9))
    first, second = np.array([0, 2, 3]), np.array([1, 1, 1])
    systems, topics = (at.ravel() for at in np.indices(values.shape))
    columns = [systems == s for s in range(4)] + [topics == t for t in range(1, 9)]
    design = np.array(columns, float).T
    fit, rest, *_ = np.linalg.lstsq(design, values.ravel(), rcond=None)
    error = np.sqrt(2 * rest[0] / 24 / 9)
    t = np.abs(fit[first] - fit[second]) / error
    assert dunnett(values, first, second).p == pytest.approx(dunnett_survival(t, 3, 24))


def test_intervals_of_dunnett_exclude_0_where_p_is_at_most_alpha() -> None:
    values = rng().random((6, 12)) + np.linspace(0, 0.5, 6)[:, None]
    found = dunnett(values, np.arange(1, 6), np.zeros(5, int), alpha=0.1)
    excludes = (found.low > 0) | (found.high < 0)
    assert excludes.tolist() == (found.p <= 0.1).tolist()
    assert 0 < excludes.sum() < 5


def test_all_max_t_intervals_hold_together() -> None:
    """Simultaneous intervals hold all 28 differences in about 95 % of samples, others do not."""
    draw = rng()
    truth = np.linspace(0, 0.2, 8)
    first, second = np.triu_indices(8, 1)
    gaps = truth[first] - truth[second]
    held = 0
    for _ in range(400):
        values = truth[:, None] + draw.normal(0, 0.2, (8, 25)) + draw.normal(0, 0.2, 25)
        low, high = max_t_interval(differences_of(values, first, second), 0.95, count=500, rng=draw)
        held += bool(((low <= gaps) & (gaps <= high)).all())
    assert 0.91 < held / 400 < 0.99


def test_max_t_allows_for_the_number_and_the_correlation_of_pairs() -> None:
    """Copies of one pair are one comparison; more pairs have wider intervals."""
    rows = rng().normal(0.1, 0.2, (40, 50))

    def width(some: np.ndarray) -> float:
        low, high = max_t_interval(some, 0.95, rng=rng())
        return float(high[0] - low[0])

    alone = width(rows[:1])
    assert width(np.repeat(rows[:1], 30, axis=0)) == pytest.approx(alone)
    assert alone < width(rows[:5]) < width(rows)
    low, high = stats.t.interval(0.95, 49, rows[0].mean(), stats.sem(rows[0]))
    assert alone == pytest.approx(high - low, rel=0.15)


def test_max_t_leaves_topics_out_and_needs_variance() -> None:
    rows = rng().normal(0.1, 0.2, (3, 12))
    missing = np.concatenate([rows, np.full((3, 4), np.nan)], axis=1)
    ends = [max_t_interval(one, 0.9, rng=rng()) for one in (rows, missing)]
    assert ends[0][0] == pytest.approx(ends[1][0])
    missing[0, :3] = np.nan
    assert np.isfinite(max_t_interval(missing, 0.9, rng=rng())).all()
    assert np.isnan(max_t_interval(np.ones((2, 5)), 0.9, rng=rng())).all()
    rows[1] = 0.0  # identical runs: the interval of the others' lower quartile
    low, high = max_t_interval(rows, 0.9, rng=rng())
    assert low[1] == -high[1] < 0


def test_rank_sets_hold_what_the_intervals_show() -> None:
    """Against all orders of four systems that agree with what is shown."""
    from itertools import permutations

    first, second = np.triu_indices(4, 1)
    seen = 0
    for _ in range(60):
        truth = rng().permutation(4) + rng().random(4)
        gaps = truth[first] - truth[second]
        reach = np.random.default_rng(seen).random(6) * 3
        low, high = gaps - reach, gaps + reach
        lowest, highest = rank_sets(low, high, first, second, 4)
        ranks = []
        for order in permutations(range(1, 5)):  # rank of each system
            rank = np.array(order)
            wrong = ((low > 0) & (rank[first] > rank[second])) | (
                (high < 0) & (rank[first] < rank[second])
            )
            ranks += [] if wrong.any() else [rank]
        possible = np.array(ranks)
        assert (lowest <= possible.min(axis=0)).all() and (highest >= possible.max(axis=0)).all()
        seen += 1
    assert seen == 60
    one, other, zero = np.array([0]), np.array([1]), np.zeros(1)
    for touching in (
        rank_sets(zero, zero + 1, one, other, 2),
        rank_sets(-1 - zero, zero, one, other, 2),
    ):
        assert [ends.tolist() for ends in touching] == [[1, 1], [2, 2]]  # 0 is not excluded
    unknown = np.full(6, np.nan)
    assert [ends.tolist() for ends in rank_sets(unknown, unknown, first, second, 4)] == [
        [1] * 4,
        [4] * 4,
    ]


def test_the_lower_limit_of_an_effect_is_that_of_the_noncentral_t() -> None:
    effects, topics = np.array([0.9, 0.5, -0.5, 0.3]), np.array([20, 34, 34, 200])
    found = lower_effect(effects, topics, 0.6)
    for effect, size, limit in zip(np.abs(effects), topics, found, strict=True):
        tail = stats.nct.sf(effect * np.sqrt(size), size - 1, limit * np.sqrt(size))
        assert tail == pytest.approx(0.2, abs=1e-6)
    assert lower_effect([0.0, 0.05], 30, 0.6).tolist() == [0, 0]
    assert np.isnan(lower_effect([np.nan, 0.5], [30, 1], 0.6)).all()
