"""Rank-biased alignment and recall against rbstar, and against all that rankings could become."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from rankwise.stats.list_similarity import (
    Aligned,
    SharedItems,
    TiedRankings,
    rank_biased_alignment,
    rank_biased_recall,
)

Groups = Sequence[str]  # best first; the items of a group are tied

# By package rbstar (https://github.com/rankbiased/rbstar, at its newest commit in November 2026):
# two rankings, p, the lower bounds of RBA and of RBR with the second as the set. Its upper
# bounds are not these: see docs/decisions.md.
RBSTAR = [
    ("a b c d e", "b a c d f", 0.8, 0.5881708763999662, 0.5903999999999998),
    ("a b c", "d e f g", 0.9, 0.0, 0.0),
    ("a bc d", "ab cd e f", 0.7, 0.7526687325822885, 0.7599),
    ("a b c d e f g h", "h g f e d c b a", 0.95, 0.3342663120552238, 0.33657956871093775),
    ("abc d", "d e", 0.5, 0.1767766952966369, 0.0625),
]


def rankings(*lists: Groups) -> tuple[TiedRankings, SharedItems]:
    """The first two lists, as a pair."""
    first, last, length = [], [], []
    for groups in lists:
        rank = 1
        for group in groups:
            first += [rank] * len(group)
            last += [rank + len(group) - 1] * len(group)
            rank += len(group)
        length.append(rank - 1)
    names = ["".join(groups) for groups in lists]
    rows = [(0, names[0].index(x) + 1, names[1].index(x) + 1) for x in names[0] if x in names[1]]
    shared = np.array(rows, np.int64).reshape(-1, 3).T
    start = np.concatenate([[0], np.cumsum(length)])
    return TiedRankings(start, np.array(first), np.array(last)), SharedItems(*shared)


def aligned(one: Groups, other: Groups, p: float) -> Aligned:
    tied, shared = rankings(one, other)
    return rank_biased_alignment(tied, np.array([0]), np.array([1]), shared, p)


def recalled(one: Groups, other: Groups, p: float) -> Aligned:
    tied, shared = rankings(one, other)
    return rank_biased_recall(tied, np.array([0]), np.array([1]), shared, p)


@pytest.mark.parametrize(("one", "other", "p", "rba", "rbr"), RBSTAR)
def test_lower_bounds_are_those_of_rbstar(
    one: str, other: str, p: float, rba: float, rbr: float
) -> None:
    assert aligned(one.split(), other.split(), p).low == pytest.approx([rba])
    assert aligned(other.split(), one.split(), p).low == pytest.approx([rba])
    assert recalled(one.split(), other.split(), p).low == pytest.approx([rbr])


@pytest.mark.parametrize(
    ("one", "other"), [("abc", "bad"), ("ab", "cd"), ("a", "cba"), ("abcd", "ca")]
)
def test_no_continuation_leaves_the_bounds_and_one_reaches_the_upper(one: str, other: str) -> None:
    """Both rankings continue with the items of both and one more, in every order, then alike."""
    p, pool = 0.8, sorted({*one, *other, "z"})
    rba, rbr, found_rba, found_rbr = aligned(one, other, p), recalled(one, other, p), [], []
    for first in permutations([item for item in pool if item not in one]):
        for second in permutations([item for item in pool if item not in other]):
            x, y = [*one, *first], [*other, *second]
            weights = [(1 - p) * p ** ((x.index(item) + y.index(item)) / 2) for item in pool]
            found_rba.append(sum(weights) + p ** len(pool))
        found_rbr.append(sum((1 - p) * p ** [*one, *first].index(item) for item in other))
    assert min(found_rba) >= rba.low - 1e-12 and min(found_rbr) >= rbr.low - 1e-12
    assert max(found_rba) == pytest.approx(rba.high[0])
    assert max(found_rbr) == pytest.approx(rbr.high[0])


def test_identical_rankings_have_nothing_but_their_tail_open() -> None:
    found = aligned("abcd", "abcd", 0.9)
    assert found.low == pytest.approx([1 - 0.9**4]) and found.high == pytest.approx([1])
    tied = aligned(["ab", "cd"], ["ab", "cd"], 0.9)
    assert tied.low == pytest.approx([1 - 0.9**4])
