"""Time-biased gain and U-measure against cwl_eval, which takes what each document costs."""

from random import Random
from typing import Any

import pytest
from peers import import_peer

import rankwise

import_peer("cwl")
RANKS = 40


def theirs(metric: Any, gains: list[float], costs: list[float]) -> float:
    """What a user of cwl_eval gains in all."""
    from cwl.ruler.ranking import Ranking

    metric.measure(Ranking("1", gains, costs, max_cost=max(costs), max_n=len(gains)))
    return float(metric.expected_total_utility)


@pytest.mark.parametrize("seed", range(5))
def test_cwl_eval_gains_the_same(seed: int) -> None:
    """Its U discounts a gain where the document starts, Sakai and Dou where it ends: so what it
    is given are gains one rank lower."""
    from cwl.ruler.measures.cwl_tbg import TBGCWLMetric
    from cwl.ruler.measures.cwl_umeasure import UMeasureCWLMetric

    random = Random(seed)
    names = [f"d{rank:02}" for rank in range(RANKS)]
    grades = {name: random.choice([0, 0, 1]) for name in names}
    lengths = {name: random.randrange(20, 4000) for name in names}
    run = {"1": {name: float(-rank) for rank, name in enumerate(names)}}

    clicks = [0.64 if grades[name] else 0.39 for name in names]
    times = [
        4.4 + click * (7.8 + 0.018 * lengths[name])
        for name, click in zip(names, clicks, strict=True)
    ]
    gains = [0.64 * 0.77 * grades[name] for name in names]
    ours = rankwise.score(
        rankwise.read({"1": grades}, run, lengths=lengths), metrics="TBG"
    ).value.item()
    assert ours == pytest.approx(theirs(TBGCWLMetric(halflife=224), gains, times), rel=1e-12)

    read = [200 + 0.2 * lengths[name] * grades[name] for name in names]
    ours = rankwise.score(
        rankwise.read({"1": grades}, run, lengths=lengths), metrics="U(L=132000)"
    ).value.item()
    shifted = theirs(
        UMeasureCWLMetric(L=132000),
        [0.0, *(float(grades[n]) for n in names), 0.0],
        [*read, 1.0, 1.0],
    )
    assert ours == pytest.approx(shifted, rel=1e-12)
