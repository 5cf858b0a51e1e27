"""Corrections: worked examples, and the definitions step by step."""

from typing import Any, get_args

import numpy as np
import pytest
from scipy import stats

from rankwise.errors import CallError
from rankwise.stats.multiple_comparisons import corrected
from rankwise.vocabulary import Correction

METHODS = get_args(Correction)

# Benjamini and Hochberg, JRSS B 57(1), 1995, section 3.2: fifteen p-values; at 0.05 four
# are discoveries by their method, three by Bonferroni's, whose bound is 0.0033.
FIFTEEN = np.array(
    [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    + [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
)


def test_the_example_of_benjamini_and_hochberg() -> None:
    found = {method: int((corrected(FIFTEEN, method) <= 0.05).sum()) for method in METHODS}
    assert found == {"none": 9, "bonferroni": 3, "holm": 3, "bh": 4}


def test_a_worked_example() -> None:
    """m = 4. Holm: 4 × 0.01, 3 × 0.02 = 2 × 0.03, 0.04 after these 0.06."""
    p = np.array([0.03, 0.01, 0.04, 0.02])
    np.testing.assert_allclose(corrected(p, "none"), p)
    np.testing.assert_allclose(corrected(p, "bonferroni"), [0.12, 0.04, 0.16, 0.08])
    np.testing.assert_allclose(corrected(p, "holm"), [0.06, 0.04, 0.06, 0.06])
    np.testing.assert_allclose(corrected(p, "bh"), [0.04, 0.04, 0.04, 0.04])


def rejected(p: list[float], method: str, alpha: float) -> set[int]:
    """The places of the rejected ones, by the procedure as its inventors put it."""
    m, order = len(p), sorted(range(len(p)), key=p.__getitem__)
    if method in ("none", "bonferroni"):
        return {i for i in range(m) if p[i] <= (alpha if method == "none" else alpha / m)}
    if method == "holm":  # from the smallest, until the first that is too large
        out: set[int] = set()
        for step, i in enumerate(order):
            if p[i] > alpha / (m - step):
                break
            out.add(i)
        return out
    fit = [k for k in range(1, m + 1) if p[order[k - 1]] <= k * alpha / m]
    return set(order[: max(fit, default=0)])


@pytest.mark.parametrize("method", METHODS)
def test_at_any_alpha_the_procedure_rejects_the_same(method: Any) -> None:
    rng = np.random.default_rng(4)
    for size in (1, 2, 7, 30):
        p = rng.random(size).round(2) ** 2
        p[size // 2] = p[0]
        found = corrected(p, method)
        for alpha in (0.0012345, 0.0123456, 0.0512345, 0.1234567, 0.41234567):
            assert set(np.flatnonzero(found <= alpha)) == rejected(p.tolist(), method, alpha)


def test_benjamini_hochberg_is_scipys() -> None:
    p = np.random.default_rng(4).random(50) ** 2
    np.testing.assert_allclose(corrected(p, "bh"), stats.false_discovery_control(p))


@pytest.mark.parametrize("method", METHODS)
def test_order_is_kept_and_nothing_exceeds_1(method: Any) -> None:
    p = np.random.default_rng(4).random(50)
    found = corrected(p, method)
    assert (np.diff(found[np.argsort(p)]) >= 0).all()
    assert (found >= p).all()
    assert found.max() <= 1


@pytest.mark.parametrize("method", METHODS)
def test_nan_stays_and_does_not_count(method: Any) -> None:
    p = np.random.default_rng(4).random(9)
    found = corrected(np.insert(p, [0, 4, 9], np.nan), method)
    assert np.isnan(found[[0, 5, 11]]).all()
    np.testing.assert_array_equal(found[~np.isnan(found)], corrected(p, method))
    assert np.isnan(corrected(np.full(3, np.nan), method)).all()
    assert corrected(np.empty(0), method).shape == (0,)


@pytest.mark.parametrize("method", METHODS)
def test_one_test_needs_no_correction_and_what_is_given_is_not_changed(method: Any) -> None:
    p = np.array([0.03])
    corrected(p, method)[0] = 1
    assert corrected(p, method) == p == 0.03


def test_an_unknown_correction_is_told() -> None:
    with pytest.raises(CallError, match=r"none, bonferroni, holm, bh\. Did you mean holm\?"):
        corrected(np.array([0.1]), "hollm")  # type: ignore[arg-type]
