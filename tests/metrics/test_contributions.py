"""Contributions of documents: for metrics that are such sums they add up to the score."""

import numpy as np
import pytest
from table import EXAMPLES

import rankwise
from rankwise import parse
from rankwise.metrics import Metric
from rankwise.rankings import JudgedRankings, Needs

RNG = np.random.default_rng(11)
TOPICS = [str(number) for number in range(12)]
NAMES = [f"d{number}" for number in range(14)]
QRELS = {t: {d: int(RNG.choice([-1, 0, 0, 1, 2, 3])) for d in NAMES[:10]} for t in TOPICS}
RUNS = {
    run: {t: {d: float(RNG.integers(0, 6)) for d in RNG.permutation(NAMES)[:9]} for t in TOPICS}
    for run in ("one", "two")
}
ADDITIVE = [
    example
    for example in EXAMPLES
    if type(parse(example)).contributions is not Metric.contributions
]


@pytest.fixture(scope="module")
def judged() -> JudgedRankings:
    return rankwise.read(QRELS, RUNS).judged(Needs(whole_ties=True))


def test_there_are_metrics_to_try() -> None:
    names = {type(parse(example)).__name__ for example in ADDITIVE}
    assert len(ADDITIVE) > 40
    assert {"AP", "nDCG", "nRBP", "ScaledRBP", "Recall", "P", "RBP", "TBG", "U"} <= names


@pytest.mark.parametrize("example", ADDITIVE)
def test_contributions_add_up_to_the_score(example: str, judged: JudgedRankings) -> None:
    metric = parse(example)
    view = metric.view(metric.to_depth(judged))
    with np.errstate(divide="ignore", invalid="ignore"):
        added = metric.contributions(view)
    assert added is not None and len(added) == len(view.rank)
    scores = metric.scores(judged)
    defined = np.isfinite(scores)
    assert defined.sum() > 10 and np.abs(scores[defined]).max() > 0
    assert view.total(added)[defined] == pytest.approx(scores[defined])
