"""`diff` without judgments: the largest difference of every metric, by every way to judge."""

from itertools import product

import numpy as np
import pytest
from table import LAWS

import rankwise
from rankwise.metrics import parse

HIGHEST = 3
RUNS = {"x": ["a", "b", "c"], "y": ["c", "d"]}
DOCUMENTS = "abcd"
EXAMPLES = [
    example
    for _, laws in sorted(LAWS.items())
    for example in laws.examples[:2]
    if not parse(example).is_diagnostic
]


def largest(example: str) -> tuple[float, float]:
    """Return the smallest and largest difference y − x; a document may also stay unjudged."""
    ways = list(product([None, *range(HIGHEST + 1)], repeat=len(DOCUMENTS)))
    qrels = {
        str(at): {"z": 0} | {d: g for d, g in zip(DOCUMENTS, way, strict=True) if g is not None}
        for at, way in enumerate(ways)
    }
    runs = {name: dict.fromkeys(qrels, ranking) for name, ranking in RUNS.items()}
    scores = rankwise.score(rankwise.read(qrels, runs, undefined="zero"), metrics=example)
    change = np.nan_to_num(scores.value[0, 1] - scores.value[0, 0])
    assert len(change) == len(ways) == 5**4
    return float(change.min()), float(change.max())


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES)
def test_no_judgments_exceed_the_bounds_and_exact_ones_are_reached(example: str) -> None:
    runs = {name: {"1": ranking} for name, ranking in RUNS.items()}
    found = rankwise.diff(runs, example, measures="RBO", highest_grade=HIGHEST)
    [ends] = found.bounds.values()
    low, high = largest(example)
    assert ends.low[0, 0] <= low + 1e-9 and high - 1e-9 <= ends.high[0, 0]
    limit = found.limit()
    if limit.gap == 0:
        assert limit.mean == pytest.approx(max(-low, high), abs=1e-9)
