"""Measures of reproducibility, against scipy and by hand; repro_eval is in similarity."""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from rankwise.stats.reproduction import (
    delta_relative_improvement,
    effect_ratio,
    normalised_rmse,
    rmse,
    unpaired_t,
)

NAN = np.nan


def test_errors_by_hand() -> None:
    old, new = np.array([[0.5, 0.2, NAN]]), np.array([[0.4, 0.2, 0.9]])
    assert rmse(old, new) == pytest.approx([np.sqrt(0.01 / 2)])
    # The largest errors are 0.5 and 0.8.
    assert normalised_rmse(old, new) == pytest.approx([np.sqrt(0.01 / (0.25 + 0.64))])
    assert rmse(old, old) == [0] and normalised_rmse(old, old) == [0]


def test_the_unpaired_test_is_scipys() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random((4, 9)), rng.random((4, 9))
    assert unpaired_t(first, second) == pytest.approx(ttest_ind(first, second, axis=1).pvalue)
    first[0, :4] = NAN
    expected = ttest_ind(first[0, 4:], second[0]).pvalue
    assert unpaired_t(first, second)[0] == pytest.approx(expected)


def test_edges_of_the_unpaired_test() -> None:
    flat = np.full((1, 4), 0.3)
    assert unpaired_t(flat, flat) == [1.0]
    assert np.isnan(unpaired_t(flat, flat + 0.1)).all()
    assert np.isnan(unpaired_t(flat[:, :1], flat[:, :1] + 0.1)).all()


def test_effects_by_hand() -> None:
    baseline, advanced = np.array([[0.2, 0.4]]), np.array([[0.4, 0.6]])
    new_baseline, new_advanced = np.array([[0.1, 0.3]]), np.array([[0.2, 0.4]])
    four = (baseline, advanced, new_baseline, new_advanced)
    assert effect_ratio(*four) == pytest.approx([0.5])
    assert delta_relative_improvement(*four) == pytest.approx([0.2 / 0.3 - 0.1 / 0.2])
    assert effect_ratio(baseline, advanced, baseline, advanced) == pytest.approx([1])
    assert np.isnan(effect_ratio(baseline, baseline, baseline, advanced)).all()
    zero = np.zeros((1, 2))
    assert np.isnan(delta_relative_improvement(zero, advanced, baseline, advanced)).all()
