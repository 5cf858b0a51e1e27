"""Significance groups: against a plain loop over systems."""

import numpy as np

from rankwise.stats.multiple_comparisons import significance_groups


def test_groups_are_those_of_a_plain_loop() -> None:
    rng = np.random.default_rng(1)
    for size in (1, 2, 5, 40):
        means = rng.random(size)
        first, second = np.triu_indices(size, 1)
        significant = rng.random(len(first)) < 0.5
        found = significance_groups(means, first, second, significant)
        differ = {
            frozenset(pair) for pair in zip(first[significant], second[significant], strict=True)
        }
        order = sorted(range(size), key=lambda system: -means[system])
        for system in range(size):
            apart = [other for other in order if frozenset((system, other)) in differ]
            same = [rank for rank, other in enumerate(order, 1) if other not in apart]
            worse = sum(means[other] < means[system] for other in apart)
            inside = [rank for rank in range(same[0], same[-1] + 1) if rank not in same]
            assert [column[system] for column in found] == [
                *(order.index(system) + 1, worse, len(apart) - worse),
                *(same[0], same[-1], len(inside)),
            ]


def test_a_mean_that_is_not_there_comes_last() -> None:
    found = significance_groups(
        np.array([np.nan, 0.2]), np.array([0]), np.array([1]), np.array([False])
    )
    assert found.rank.tolist() == [2, 1]
    assert found.to_rank.tolist() == [2, 2]
