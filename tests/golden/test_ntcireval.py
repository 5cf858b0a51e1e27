"""The metrics of NTCIREVAL: against pyNTCIREVAL, and against what NTCIREVAL itself printed."""

import random
from typing import Any

import pytest
from peers import import_peer

from rankwise import score_gains
from rankwise.metrics.aliases import NTCIREVAL

theirs = import_peer("pyNTCIREVAL.metrics")

GAINS = [1, 2, 3]  # of relevance levels 1, 2, 3


def peers(levels: list[int]) -> dict[str, Any]:
    """Our name of a metric, and theirs for a topic with so many documents of each level."""
    return {
        "AP": theirs.AP(levels, GAINS, None),
        "AP(norm=min)@5": theirs.AP(levels, GAINS, 5),
        "Q(norm=min)@5": theirs.QMeasure(levels, GAINS, 1.0, 5),
        "Q(norm=min)@1000": theirs.QMeasure(levels, GAINS, 1.0, 1000),
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


# What ntcir_eval (version of May 2020) printed for `compute -g 1:2:3 -cutoffs 3,5,1000`, for a
# ranking of levels - 1 0 2 - 3 0 of a topic that also has two documents of level 1.
RANKING, POOL = [None, 1, 0, 2, None, 3, 0], [3, 1, 1, 0, 2, 0, 1]
GAINED = "gains={1:0.3333333333333333,2:0.6666666666666666,3:1}"
PRINTED = {
    "RR": 0.5,
    "O": 0.2857,
    "P-measure": 0.6429,
    "P-plus": 0.4610,
    "AP": 0.3,
    "Q": 0.2766,
    "NCUrbP": 0.3152,
    "NCUrbBR": 0.2868,
    "NCUrbIE": 0.6061,
    f"RBP(p=0.95,{GAINED})": 0.0831,
    "ERR(stop=linear,max_rel=3)": 0.2656,
    "EBR(max_rel=3)": 0.4227,
    "iRBU(max_rel=3)": 0.8700,
}
PRINTED_AT = {  # ranks 3, 5 and 1000
    "AP(norm=min)": (0.1667, 0.2, 0.3),
    "Q(norm=min)": (0.0952, 0.1481, 0.2766),
    "nDCG(b=2)": (0.1776, 0.3048, 0.4817),
    "MSnDCG": (0.1325, 0.2675, 0.4590),
    "P": (0.3333, 0.4, 0.0030),
    f"RBP(p=0.95,{GAINED})": (0.0158, 0.0444, 0.0831),
    "nRBP(p=0.95)": (0.1637, 0.3565, 0.6671),
    "ERR(stop=linear,max_rel=3)": (0.1250, 0.2188, 0.2656),
    "nERR(stop=linear,max_rel=3)": (0.1519, 0.2628, 0.3191),
    "EBR(max_rel=3)": (0.0714, 0.2419, 0.4227),
    "nEBR(max_rel=3)": (0.0788, 0.2553, 0.4462),
    "iRBU(max_rel=3)": (0.2450, 0.6052, 0.8700),
    "niRBU(max_rel=3)": (0.2737, 0.6476, 0.9310),
    "Success": (1, 1, 1),
}
PRINTED |= {
    f"{name}@{cutoff}": value
    for name, values in PRINTED_AT.items()
    for cutoff, value in zip((3, 5, 1000), values, strict=True)
}


@pytest.mark.parametrize("name", PRINTED)
def test_what_ntcireval_printed(name: str) -> None:
    assert score_gains(name, RANKING, judged=POOL) == pytest.approx(PRINTED[name], abs=0.5001e-4)


def test_ntcirevals_own_names_with_four_digits_give_its_numbers() -> None:
    tried = 0
    for theirs, ours in NTCIREVAL.items():
        ours = ours.replace("linear", "linear,max_rel=3").replace("nDCG", "MSnDCG")
        at = PRINTED_AT["nDCG(b=2)" if theirs == "nDCG" else ours.replace("MSnDCG(b", "nDCG(b")]
        for cutoff, value in zip((3, 5, 1000), at, strict=True):
            name = f"{theirs}@{cutoff:04}"
            if cutoff < 1000:  # which has four digits in any case
                found = score_gains(name, RANKING, judged=POOL)
                assert found == pytest.approx(value, abs=0.5001e-4), name
                tried += 1
    assert tried == 2 * len(NTCIREVAL) > 0
