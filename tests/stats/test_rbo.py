"""Rank-biased overlap against its definition, term by term, and what lists could go on to be."""

import re
from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from rankwise.arrays import Floats
from rankwise.errors import CallError
from rankwise.stats.list_similarity import (
    Overlap,
    SharedItems,
    TiedRankings,
    overlap_weights,
    overlaps_of_sums,
    pair_sums,
    rank_biased_overlap,
    tied_overlaps,
)

ITEMS = "abcdefghijklmnop"
Groups = Sequence[str]  # best first; the items of a group are tied


def overlap(one: Groups, other: Groups, p: float = 0.9, ties: str = "w") -> Overlap:
    """RBO of two lists of tie groups, best group first."""
    return rank_biased_overlap(_values(one), _values(other), p, ties)


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
    with pytest.raises(CallError, match="same number of items; they have 2 and 3"):
        rank_biased_overlap([1, 2], [1, 2, 3])
    with pytest.raises(CallError, match="ties"):
        overlap("ab", "ab", 0.9, "c")


# Rows of rbo/test.csv of https://github.com/julian-urbano/sigir2024-rbo (Corsi and Urbano, SIGIR
# 2024): two rankings, p, then extrapolated, minimum and maximum of the variants w, a and b. All
# 10,000 rows there agree to 1e-14.
CORSI_URBANO = [
    "i10 (i2 i13) i7 i3,i1 i16 i11 i15 (i5 i6 i8 i9 i12) i3 i13,0.948595058333076,"
    "0.110458925762689,0.0572499872760198,0.636103808516511,"
    "0.110458925762689,0.0572499872760198,0.639541229263778,"
    "0.110458925762689,0.0572499872760198,0.642093614494833",
    "i19 i6 (i1 i2 i7 i10 i14),(i1 i3 i4 i5 i8 i9 i11 i12 i13 i14 i15 i17),0.90853473667177,"
    "0.192779291731023,0.133964571855739,0.448022380851708,"
    "0.144164487589255,0.0937969617573461,0.404680168589444,"
    "0.17743844851766,0.117183765214278,0.43147704522337",
    "i18 (i3 i8 i9 i14 i16) i13 i7 i1,i18 i3 i8 (i9 i13 i15) i7 i14 i5 i19 i4,0.958538261164436,"
    "0.761000099619529,0.441084458009731,0.900031261251823,"
    "0.758600293755515,0.438684652145717,0.897631455387809,"
    "0.782740232295944,0.462824590686147,0.921771393928239",
    "i6 i12 (i3 i4 i5 i7 i9 i10),(i6 i10 i12 i17) i16 i4 (i3 i5 i7),0.962314773439773,"
    "0.793831988163173,0.385685013621318,0.886886319236802,"
    "0.773603958671707,0.371465342207038,0.872666647822523,"
    "0.813184253034674,0.408320530475899,0.909521836091383",
    "i17 i10 i7 (i15 i19) i16 i11 i1,i8 i14 i2 i3 i9 i16 (i4 i6) (i12 i13) i1,0.908093319855027,"
    "0.114371560035916,0.0739616248769707,0.37261577448726,"
    "0.115076420674231,0.0747010048422321,0.373603693606536,"
    "0.115506468891142,0.0751158413940264,0.37415543514438",
    "i10 i14 (i1 i2 i3 i4 i5 i6 i7),i2 (i5 i6 i7 i9 i11 i12 i13 i15 i17),0.979328001360461,"
    "0.421269118595427,0.158668697451357,0.861177581194319,"
    "0.397171774546074,0.135702019120944,0.838210902863907,"
    "0.410360035238898,0.147088580486094,0.849597464229056",
]


def named_values(text: str, items: Sequence[str]) -> Floats:
    groups = [group.strip("()").split() for group in re.findall(r"\([^)]*\)|\S+", text)]
    values = np.full(len(items), np.nan)
    for place, group in enumerate(groups):
        values[[items.index(name) for name in group]] = -place
    return values


@pytest.mark.parametrize("row", CORSI_URBANO)
def test_ties_are_treated_as_corsi_and_urbano_do(row: str) -> None:
    x, y, p, *numbers = row.split(",")
    items = sorted(set(re.findall(r"i\d+", x + y)))
    values = named_values(x, items), named_values(y, items)
    for place, ties in enumerate("wab"):
        found = rank_biased_overlap(*values, float(p), ties)
        expected = [float(number) for number in numbers[3 * place : 3 * place + 3]]
        got = [found.extrapolated, found.low, found.low + found.residual]
        assert got == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("one", "other"),
    [(["a", "bc", "d"], ["ab", "cd"]), (["abc"], ["bc", "a"]), (["ab", "cd"], "dcab")],
)
def test_a_is_the_mean_over_all_orders_of_the_ties(one: Groups, other: Groups) -> None:
    def orders(groups: Groups) -> list[str]:
        found = [""]
        for group in groups:
            found = [head + "".join(tail) for head in found for tail in permutations(group)]
        return found

    every = [overlap(x, y, 0.7) for x in orders(one) for y in orders(other)]
    assert len(every) > 2
    found = overlap(one, other, 0.7, "a")
    assert found.low == pytest.approx(np.mean([each.low for each in every]))
    assert found.extrapolated == pytest.approx(np.mean([each.extrapolated for each in every]))


def test_only_b_has_tied_rankings_equal_to_themselves() -> None:
    tied = ["ab", "cde", "f"]
    assert overlap(tied, tied, 0.8, "b").extrapolated == pytest.approx(1)
    assert overlap(tied, tied, 0.8, "w").extrapolated == pytest.approx(1)
    assert overlap(tied, tied, 0.8, "a").extrapolated < 0.95


def test_sums_over_shared_items_give_the_same_as_depth_by_depth() -> None:
    """Fifty pairs of rankings without ties, of all lengths, at once."""
    rng = np.random.default_rng(5)
    length = rng.integers(1, 30, 100)
    start = np.concatenate([[0], np.cumsum(length)])
    rank = np.arange(start[-1]) - np.repeat(start[:-1], length) + 1
    lists = [rng.permutation(40)[:size].tolist() for size in length]
    pairs, p = np.arange(50), 0.85
    rows = [
        (pair, lists[pair].index(item) + 1, lists[pair + 50].index(item) + 1)
        for pair in pairs
        for item in lists[pair]
        if item in lists[pair + 50]
    ]
    shared = SharedItems(*np.array(rows).T)
    by_depth = tied_overlaps(TiedRankings(start, rank, rank), pairs, pairs + 50, shared, p, "a")
    a, b = length[:50], length[50:]
    short, long = np.minimum(a, b), np.maximum(a, b)
    larger = np.maximum(shared.rank_a, shared.rank_b)
    low = pair_sums(shared.pair, overlap_weights(p, 30)[larger], 50)
    at_short = np.bincount(shared.pair[larger <= short[shared.pair]], minlength=50)
    both = np.bincount(shared.pair, minlength=50)
    by_sums = overlaps_of_sums(low, both, at_short, short, long, p)
    assert (short < long).sum() > 30 and (both > 3).sum() > 20
    for one, other in zip(by_depth, by_sums, strict=True):
        assert one == pytest.approx(other, abs=1e-12)
