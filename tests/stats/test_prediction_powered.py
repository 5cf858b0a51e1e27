"""Prediction-powered means, against ppi-python and against expert values alone."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from rankwise.stats import powered_mean

PEERS = json.loads((Path(__file__).parent / "ppi_peers.json").read_text())


@pytest.mark.parametrize("case", PEERS, ids=range(len(PEERS)))
def test_value_and_interval_as_ppi_python(case: dict[str, Any]) -> None:
    """ppi-python divides by n in variances, and takes the normal quantile."""
    y, f, new = (np.array([case[name]]) for name in ("y", "f", "new"))
    found = powered_mean(y, f, new, ddof=0)
    assert found.value[0] == pytest.approx(case["value"], abs=1e-12)
    reach = norm.ppf(0.975) * found.error[0]
    assert found.value[0] - reach == pytest.approx(case["low"], abs=1e-12)
    assert found.value[0] + reach == pytest.approx(case["high"], abs=1e-12)


def test_a_cheap_judge_that_is_wrong_gets_no_weight() -> None:
    rng = np.random.default_rng(0)
    y = rng.random((1, 30))
    found = powered_mean(y, 1 - y, rng.random((1, 200)))
    assert found.weight[0] == 0 and found.value[0] == pytest.approx(y.mean())
    constant = powered_mean(y, np.ones((1, 30)), np.ones((1, 50)))
    assert constant.weight[0] == 0 and constant.error[0] == pytest.approx(y.std(ddof=1) / 30**0.5)


def test_a_good_cheap_judge_narrows_the_interval() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random((50, 300))
    cheap = truth + rng.normal(0.2, 0.05, truth.shape)
    found = powered_mean(truth[:, :30], cheap[:, :30], cheap[:, 30:])
    alone = truth[:, :30].std(axis=1, ddof=1) / 30**0.5
    assert (found.error < 0.6 * alone).all()
    assert np.abs(found.value - truth.mean(axis=1)).mean() < 0.02
