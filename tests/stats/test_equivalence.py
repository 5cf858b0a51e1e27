"""Equivalence and the region of practical equivalence, against statsmodels, pingouin, baycomp."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankwise.stats.equivalence import region_of_equivalence, tost
from rankwise.stats.intervals import t_interval

PEERS = json.loads(Path(__file__).with_name("statistics_peers.json").read_text())
MARGIN = PEERS["margin"]


def differences() -> np.ndarray:
    return np.array([np.array(PEERS["x"]) - np.array(PEERS["y"])])


def test_tost_is_that_of_statsmodels_and_pingouin() -> None:
    found = tost(differences(), MARGIN)
    p, above, below = PEERS["statsmodels ttost_paired(x, y, -margin, margin)"]
    assert found.p[0] == pytest.approx(p, rel=1e-9)
    assert (found.above[0], found.below[0]) == pytest.approx((above, below), rel=1e-9)
    peer = PEERS["pingouin tost(x, y, margin, paired=True)"]
    assert found.p[0] == pytest.approx(peer, rel=1e-9)


def test_the_posterior_is_that_of_baycomp() -> None:
    """baycomp has y − x, and first the side where x is larger."""
    found = region_of_equivalence(differences(), MARGIN)
    expected = PEERS["baycomp Posterior(mean(y - x), var / n, n - 1, margin).probs()"]
    ours = [float(share[0]) for share in (found.better, found.equivalent, found.worse)]
    assert ours == pytest.approx(expected, rel=1e-9)


def test_equivalence_is_an_interval_of_1_minus_2_alpha_within_the_margin() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(0, 0.05, (200, 1)) + rng.normal(0, 0.1, (200, 30))
    low, high = t_interval(rows, 0.9)
    within = (low >= -0.05) & (high <= 0.05)
    assert (tost(rows, 0.05).p <= 0.05).tolist() == within.tolist()
    assert 0 < within.sum() < 200


def test_at_the_margin_equivalence_is_shown_in_5_percent() -> None:
    """True difference at the edge of the margin: the level of the test, with 4,000 samples."""
    rows = np.random.default_rng(4).normal(0.05, 0.1, (4_000, 50))
    assert (tost(rows, 0.05).p <= 0.05).mean() == pytest.approx(0.05, abs=0.012)


def test_edges() -> None:
    rows = np.array([[0.0] * 5, [0.1] * 5, [0.1, np.nan, np.nan, np.nan, np.nan]])
    found = tost(rows, 0.2)
    assert found.p[0] == 0 and np.isnan(found.p[1:]).all()
    one, part = np.array([[0.1, 0.0, -0.1, 0.05]]), np.array([[0.1, 0.0, np.nan, -0.1, 0.05]])
    assert tost(one, 0.2).p == pytest.approx(tost(part, 0.2).p)
    test = stats.ttest_1samp(one[0], -0.2, alternative="greater")
    assert tost(one, 0.2).above[0] == pytest.approx(test.pvalue)
