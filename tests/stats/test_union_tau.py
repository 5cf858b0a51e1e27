"""Kendall's tau of the union against scipy's tau, and the example of the paper."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from rankwise.stats import list_similarity
from rankwise.stats.list_similarity import SharedItems, inversions, tau_of_union


def shared_of(pairs: list[tuple[list[int], list[int]]]) -> SharedItems:
    rows = [
        (place, one.index(item) + 1, other.index(item) + 1)
        for place, (one, other) in enumerate(pairs)
        for item in other
        if item in one
    ]
    return SharedItems(*np.array(rows, np.int64).reshape(-1, 3).T)


def test_the_example_of_breuer_et_al() -> None:
    """d1 d2 d3 and d1 d2 d4: the places in the union are 1 2 3 and 1 2 4."""
    pair = ([1, 2, 3], [1, 2, 4])
    assert tau_of_union(np.array([3]), np.array([3]), shared_of([pair])) == [1.0]


def test_rankings_without_a_common_item_have_no_tau() -> None:
    """Their places in the union are 1 2 3 and 4 5 6: in the same order, whatever they hold."""
    pairs = [([1, 2, 3], [4, 5, 6]), ([1, 2, 3], [3, 2, 1])]
    tau = tau_of_union(np.array([3, 3]), np.array([3, 3]), shared_of(pairs))
    assert np.isnan(tau[0]) and tau[1] == -1


@pytest.mark.parametrize("at_a_time", [64, 1 << 20])
def test_it_is_the_tau_of_places_in_the_union(
    at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_similarity, "AT_A_TIME", at_a_time)
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 45, (200, 2))
    pairs = [
        (rng.permutation(50)[:one].tolist(), rng.permutation(50)[:other].tolist())
        for one, other in sizes
    ]
    found = tau_of_union(sizes[:, 0], sizes[:, 1], shared_of(pairs))
    defined = 0
    for (one, other), tau in zip(pairs, found, strict=True):
        union, size = (
            [*one, *(item for item in other if item not in one)],
            min(len(one), len(other)),
        )
        if size < 2:
            assert np.isnan(tau)
            continue
        if not set(one) & set(other):
            assert np.isnan(tau)
            continue
        places = [[union.index(item) for item in some[:size]] for some in (one, other)]
        assert tau == pytest.approx(kendalltau(*places).statistic, abs=1e-12)
        defined += 1
    assert defined > 150


def test_inversions_of_long_rows() -> None:
    rng = np.random.default_rng(1)
    rows = np.array([rng.permutation(128) for _ in range(5)], np.int32)
    expected = [sum((row[at] > row[at + 1 :]).sum() for at in range(128)) for row in rows]
    assert inversions(rows).tolist() == expected
