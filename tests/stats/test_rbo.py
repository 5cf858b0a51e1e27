"""Rank-biased overlap against its definition, term by term, and what lists could go on to be."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from rankwise.arrays import Floats
from rankwise.errors import CallError
from rankwise.stats.rbo import Overlap, rank_biased_overlap

ITEMS = "abcdefghijklmnop"
Groups = Sequence[str]  # best first; the items of a group are tied


def overlap(one: Groups, other: Groups, p: float = 0.9) -> Overlap:
    """Of two lists of groups of items, best first; a group is tied."""
    return rank_biased_overlap(_values(one), _values(other), p)


def _values(groups: Groups) -> Floats:
    values = np.full(len(ITEMS), np.nan)
    for place, group in enumerate(groups):
        values[[ITEMS.index(item) for item in group]] = len(groups) - place
    return values


def top(groups: Sequence[Sequence[str]], depth: int) -> set[str]:
    """All items whose group begins at the depth or before: Webber et al. on ties."""
    found: set[str] = set()
    rank = 1
    for group in groups:
        if rank <= depth:
            found |= set(group)
        rank += len(group)
    return found


def slow_overlap(
    one: Sequence[Sequence[str]], other: Sequence[Sequence[str]], p: float, depth: int
) -> float:
    """The definition down to a depth, with lists that are long enough."""
    total = 0.0
    for d in range(1, depth + 1):
        first, second = top(one, d), top(other, d)
        total += p ** (d - 1) * 2 * len(first & second) / (len(first) + len(second))
    return (1 - p) * total


def distinct(groups: Groups, mark: str, depth: int) -> list[list[str]]:
    """The list, going on with items that no other list has."""
    return [*([*group] for group in groups), *([f"{mark}{d}"] for d in range(depth))]


def test_by_hand() -> None:
    """abc and bac at p = 0.5: the agreement is 0, 1, 1."""
    found = overlap("abc", "bac", 0.5)
    assert found.extrapolated == pytest.approx(0.5 * (0 + 0.5 + 0.25) + 0.125)
    tail = 3 * (np.log(2) - 0.5 - 0.5**2 / 2 - 0.5**3 / 3)  # 3 in common at every depth from 4 on
    assert found.low == pytest.approx(0.5 * (0 + 0.5 + 0.25) + tail)
    assert found.low + found.residual == pytest.approx(0.5)


def test_the_same_and_nothing_in_common() -> None:
    same = overlap("abcd", "abcd", 0.8)
    assert same.extrapolated == pytest.approx(1) and same.low + same.residual == pytest.approx(1)
    apart = overlap("ab", "cd", 0.8)
    assert apart.low == 0 and apart.extrapolated == 0
    # At best c d follow a b in one and a b follow c d in the other: 0, 0, 2/3, 1, 1 …
    assert apart.residual == pytest.approx(0.2 * (0.64 * 2 / 3) + 0.8**3)


@pytest.mark.parametrize("p", [0.3, 0.9])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("abcdef", "fbacgh"),
        ("abcdef", "ba"),
        ("cab", "abcdefgh"),
        (["a", "bc", "d"], ["ab", "cd"]),
        (["abc"], ["a", "bd", "e", "fg"]),
    ],
)
def test_low_is_the_definition_with_nothing_more_in_common(
    one: Groups, other: Groups, p: float
) -> None:
    depth = 600
    expected = slow_overlap(distinct(one, "x", depth), distinct(other, "y", depth), p, depth)
    assert overlap(one, other, p).low == pytest.approx(expected, abs=1e-10)
    assert overlap(other, one, p) == pytest.approx(overlap(one, other, p), abs=1e-12)


@pytest.mark.parametrize(
    ("one", "other"),
    [("abc", "bad"), ("ab", "cd"), ("a", "bac"), (["ab"], ["c", "a"]), ("ab", ["cd", "a"])],
)
def test_no_way_of_going_on_leaves_the_bounds_and_the_best_reaches_the_high_end(
    one: Groups, other: Groups
) -> None:
    """Every way of going on with the items of both and two more; then both go on alike."""
    p = 0.8
    found = overlap(one, other, p)
    pool = sorted({item for group in [*one, *other] for item in group} | {"y", "z"})
    scores = []
    for first in permutations([item for item in pool if item not in "".join(one)]):
        for second in permutations([item for item in pool if item not in "".join(other)]):
            long = [*one, *first], [*other, *second]
            scores.append(slow_overlap(*long, p, len(pool)) + p ** len(pool))
    assert min(scores) >= found.low - 1e-12
    assert max(scores) == pytest.approx(found.low + found.residual, abs=1e-9)
    assert found.low <= found.extrapolated <= found.low + found.residual


def test_extrapolated_uneven_lists_by_equation_32() -> None:
    """S = ab (s = 2), T = bcad (l = 4): X = 0, 1, 2, 2; so X_s = 1 and X_l = 2."""
    p, s, long, x = 0.9, 2, 4, [0, 1, 2, 2]
    first = sum(x[d - 1] / d * p**d for d in range(1, long + 1))
    second = sum(x[s - 1] * (d - s) / (s * d) * p**d for d in range(s + 1, long + 1))
    ends = ((x[-1] - x[s - 1]) / long + x[s - 1] / s) * p**long
    expected = (1 - p) / p * (first + second) + ends
    assert overlap("ab", "bcad", p).extrapolated == pytest.approx(expected)


def test_edges() -> None:
    assert np.isnan(overlap("", "abc")).all()
    with pytest.raises(CallError, match="between 0 and 1"):
        overlap("ab", "ab", 1)
    with pytest.raises(CallError, match="same items"):
        rank_biased_overlap([1, 2], [1, 2, 3])
