"""Documents that stand twice are found, whichever way their keys are looked through."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rankwise.rankings import rows
from rankwise.rankings.rows import _repeats_a_key


@given(st.lists(st.integers(0, 20).map(lambda at: at << 59) | st.integers(0, 2**64 - 1)))
def test_a_key_that_stands_twice_is_found(keys: list[int]) -> None:
    """Many keys that share a place in the table among them."""
    assert _repeats_a_key(np.array(keys, np.uint64)) == (len(set(keys)) < len(keys))


@pytest.mark.parametrize("piece", [1, 1 << 18])
def test_one_repeat_among_many_keys_is_found(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(rows, "PIECE", piece)
    rng = np.random.default_rng(3)
    for _ in range(50):
        keys = rng.integers(0, 2**64, 3_000, np.uint64)
        assert not _repeats_a_key(keys)
        one, other = rng.choice(len(keys), 2, replace=False)
        keys[one] = keys[other]
        assert _repeats_a_key(keys)
