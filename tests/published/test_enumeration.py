"""Every ranking of 16 documents: the sound range always holds it, the paper's does not.

Zhang, Park and Moffat (2008), section 4.1: "these two values represent the extremes that can
arise from any other members of R". They do not.
"""

from itertools import product

import numpy as np
import pytest

from rankwise.published.outer import outer_range
from rankwise.published.vectors import bounding_vectors, contribution

pytestmark = pytest.mark.slow

DOCUMENTS = 16
PRECISION = 1e-6
RANKINGS = (np.arange(2**DOCUMENTS)[:, None] >> np.arange(DOCUMENTS)[::-1]) & 1

# For each p and p′: how many of the 65,536 rankings lie outside the paper's range, and by how
# much at most. The largest over all is stated in docs/inversion.md.
OUTSIDE = {
    (0.5, 0.7): (0, 0.0006),
    (0.5, 0.8): (65535, 0.0092),
    (0.5, 0.9): (65535, 0.1094),
    (0.5, 0.95): (65535, 0.3406),
    (0.7, 0.5): (0, 0.0),
    (0.7, 0.8): (0, 0.0007),
    (0.7, 0.9): (5054, 0.067),
    (0.7, 0.95): (56429, 0.2044),
    (0.8, 0.5): (0, 0.0),
    (0.8, 0.7): (0, 0.0),
    (0.8, 0.9): (393, 0.0283),
    (0.8, 0.95): (10975, 0.0928),
    (0.9, 0.5): (0, 0.0),
    (0.9, 0.7): (0, 0.0),
    (0.9, 0.8): (8, 0.0057),
    (0.9, 0.95): (475, 0.0136),
    (0.95, 0.5): (0, 0.0),
    (0.95, 0.7): (0, 0.0),
    (0.95, 0.8): (9, 0.0061),
    (0.95, 0.9): (38, 0.0053),
}


def scores(p: float) -> np.ndarray:
    return RANKINGS @ contribution(p, DOCUMENTS)


@pytest.mark.parametrize(("p", "at"), OUTSIDE)
def test_the_sound_range_holds_every_ranking(p: float, at: float) -> None:
    score, truth = scores(p), scores(at)
    for decided in (0, 4):
        low, high = outer_range(p, at, score, score, decided)
        assert (low <= truth).all()
        assert (truth <= high).all()


@pytest.mark.parametrize(("p", "at"), OUTSIDE)
def test_the_papers_range_does_not(p: float, at: float) -> None:
    count, largest = outside(p, at)
    assert (count, round(largest, 4)) == OUTSIDE[p, at]


def outside(p: float, at: float) -> tuple[int, float]:
    """How many rankings leave the paper's range by more than rounding, and the largest step."""
    score, truth = scores(p), scores(at)
    beyond = np.empty_like(score)
    for part in np.array_split(np.arange(len(score)), 8):
        low, high = bounding_vectors(p, score[part], precision=PRECISION).range_at(at)
        beyond[part] = np.maximum(low - truth[part], truth[part] - high)
    # The vectors themselves are exact to half the precision at p; that may weigh more at p′.
    return int((beyond > 1e-3).sum()), float(beyond.max())


@pytest.mark.parametrize(("p", "at"), [(0.8, 0.5), (0.9, 0.8), (0.7, 0.9), (0.5, 0.95)])
def test_the_sound_range_holds_every_ranking_with_unjudged_documents(p: float, at: float) -> None:
    kinds = np.array(list(product((0, 1, 2), repeat=9)))  # other, relevant, unjudged
    con, worth = contribution(p, 9), contribution(at, 9)
    score, most = (kinds == 1) @ con, (kinds > 0) @ con
    low, high = outer_range(p, at, score, most)
    assert (low <= (kinds == 1) @ worth).all()
    assert ((kinds > 0) @ worth <= high).all()


@pytest.mark.parametrize(("p", "at", "largest"), [(0.5, 0.9, 0.67), (0.95, 0.5, 0.376)])
def test_the_largest_distance_between_the_two_methods(p: float, at: float, largest: float) -> None:
    score = scores(p)
    low, high = outer_range(p, at, score, score)
    apart = []
    for part in np.array_split(np.arange(len(score)), 8):
        least, most = bounding_vectors(p, score[part], precision=PRECISION).range_at(at)
        apart += [(least - low[part]).max(), (high[part] - most).max()]
    assert round(float(max(apart)), 4) == largest


def greatest_within(values: np.ndarray, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """The maximum of values[start:stop] for many stretches at once: a table of powers of two."""
    table = [values]
    while 2 ** len(table) <= len(values):
        half = 2 ** (len(table) - 1)
        table.append(np.maximum(table[-1][:-half], table[-1][half:]))
    level = np.log2(stop - start).astype(int)
    found = np.empty(len(start))
    for place, maxima in enumerate(table):
        here = level == place
        found[here] = np.maximum(maxima[start[here]], maxima[stop[here] - 2**place])
    return found


@pytest.mark.parametrize(
    ("p", "at", "violated"),
    [
        *[(0.8, 0.7, True), (0.9, 0.8, True), (0.95, 0.8, True)],
        *[(0.8, 0.6, False), (0.8, 0.5, False), (0.9, 0.5, False)],
    ],
)
def test_where_the_greatest_of_16_documents_is_not_the_best(
    p: float, at: float, violated: bool
) -> None:
    """Among all rankings of 16 documents that score S ± 0.001, for each S that one of them has."""
    order = np.argsort(scores(p))
    score, truth = scores(p)[order], scores(at)[order]
    start, stop = (np.searchsorted(score, score + step) for step in (-0.001, 0.001))
    first = greatest_within(order.astype(float), start, stop).astype(int)  # numbered by the bits
    best = greatest_within(truth, start, stop)
    assert bool((best > scores(at)[first] + 1e-9).any()) == violated
