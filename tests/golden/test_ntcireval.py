"""The metrics of NTCIREVAL against pyNTCIREVAL, on random graded rankings."""

import random
from typing import Any

import pytest
from peers import import_peer

from rankwise import score_gains

theirs = import_peer("pyNTCIREVAL.metrics")

GAINS = [1, 2, 3]  # of relevance levels 1, 2, 3


def peers(levels: list[int]) -> dict[str, Any]:
    """Our name of a metric, and theirs for a topic with so many documents of each level."""
    return {
        "AP": theirs.AP(levels, GAINS, None),
        "RR": theirs.RR(),
        "Q": theirs.QMeasure(levels, GAINS, 1.0),
        "Q(beta=2)": theirs.QMeasure(levels, GAINS, 2.0),
        "O": theirs.OMeasure(levels, GAINS, 1.0),
        "P-measure": theirs.PMeasure(levels, GAINS, 1.0),
        "P-plus": theirs.PPlusMeasure(levels, GAINS, 1.0),
        "NCUguP": theirs.NCUguP(levels, GAINS, GAINS),
        "NCUguBR": theirs.NCUguBR(levels, GAINS, GAINS, 1.0),
        "NCUrbP": theirs.NCUrbP(levels, GAINS, 0.95),
        "NCUrbBR": theirs.NCUrbBR(levels, GAINS, 0.95, 1.0),
        "ERR(stop=linear,max_rel=3)": theirs.ERR(levels, GAINS),
        "nERR(stop=linear,max_rel=3)@10": theirs.nerr.nERR(levels, GAINS, 10),
        "nDCG(b=2)@10": theirs.ndcg.nDCG(levels, GAINS, 2.0, 10),
        "MSnDCG@10": theirs.MSnDCG(levels, GAINS, 10),
        "P@10": theirs.Precision(10),
        "Hit@10": theirs.Hit(10),
        f"RBP(p=0.95,gains={{1:{1 / 3},2:{2 / 3},3:1}})": theirs.RBP(levels, GAINS, 0.95),
    }


@pytest.mark.parametrize("seed", range(40))
def test_all_agree(seed: int) -> None:
    rng = random.Random(seed)
    ranking = [rng.choice([0, 0, 0, 1, 2, 3]) for _ in range(rng.randint(1, 15))]
    pool = ranking + [rng.choice([0, 1, 2, 3]) for _ in range(rng.randint(0, 6))] + [1]
    levels = [pool.count(level) for level in range(4)]
    labelled = [(f"d{place}", level) for place, level in enumerate(ranking)]
    for name, peer in peers(levels).items():
        ours = score_gains(name, ranking, judged=pool)
        assert ours == pytest.approx(peer.compute(labelled), abs=1e-12), name
