"""Standardised scores: against a plain loop."""

from statistics import NormalDist, mean, stdev

import numpy as np
import pytest

from rankwise.stats.standardising import standardised


def test_scores_stand_to_the_reference_topic_by_topic() -> None:
    rng = np.random.default_rng(1)
    values, reference = rng.random((4, 6)), rng.random((7, 6))
    reference[2, 3] = np.nan
    z, phi = (standardised(values, reference, scale) for scale in ("z", "normal"))
    for system in range(4):
        for topic in range(6):
            others = [x for x in reference[:, topic].tolist() if x == x]
            expected = (values[system, topic] - mean(others)) / stdev(others)
            assert z[system, topic] == pytest.approx(expected)
            assert phi[system, topic] == pytest.approx(NormalDist().cdf(expected))


def test_a_topic_that_tells_nothing_has_no_score() -> None:
    reference = np.array([[0.1 + 0.2, 0.5, 0.2], [0.3, np.nan, 0.4]])
    found = standardised(np.array([[0.9, 0.9, 0.3]]), reference, "z")
    assert np.isnan(found[0, :2]).all()
    assert found[0, 2] == pytest.approx(0.0)
