"""Metrics over subtopics against what ndeval printed for judgments and a run of our own."""

from pathlib import Path

import pytest

import rankwise

QRELS = """\
1 1 a 1
1 1 b 1
1 1 c 0
1 2 a 0
1 2 b 2
1 2 d 1
1 3 c 1
1 3 e 1
2 1 a 0
2 2 a 1
2 2 b 1
2 1 c 1
3 1 a 1
3 2 b 0
"""
RANKINGS = {"1": "xbaecd", "2": "baxyzc", "3": "xya"}
# pyndeval 0.0.8; ndeval 4.5 prints the same to six digits.
PRINTED = {
    "ERR_IA@5": [0.3671205244578922, 0.4538577912254161, 0.24205748865355523],
    "ERR_IA@20": [0.3847187017192209, 0.5109545257208402, 0.24044918857451303],
    "nERR_IA@5": [0.5244956772334295, 0.75, 0.3333333333333333],
    "alpha_DCG@3": [0.34985453458064564, 0.45661122946679317, 0.3471101642656545],
    "alpha_nDCG@5": [0.6492890176403037, 0.6993694869720468, 0.5],
    "alpha_nDCG@20": [0.7034288768298903, 0.888747738037333, 0.5],
    "NRBP": [0.32421875, 0.48046875, 0.1875],
    "nNRBP": [0.47701149425287354, 0.7884615384615384, 0.25],
    "AP_IA": [0.44166666666666665, 0.5833333333333334, 0.3333333333333333],
    "P_IA@5": [0.3333333333333333, 0.2, 0.2],
    "StRecall@2": [0.6666666666666666, 0.5, 0.0],
    "StRecall@20": [1.0, 1.0, 1.0],
}
# With alpha 0.2 and beta 0.8.
OTHERS = {
    "alpha_nDCG(alpha=0.2)@5": [0.6518449898190931, 0.7409137613996861, 0.5],
    "NRBP(alpha=0.2,beta=0.8)": [0.38565887999999987, 0.35418239999999995, 0.23039999999999997],
    "nNRBP(alpha=0.2,beta=0.8)": [0.7936778884147304, 0.8510726643598616, 0.6400000000000001],
    "ERR_IA(alpha=0.2)@5": [0.306533863764894, 0.3839290937810799, 0.18282337799099044],
}


@pytest.fixture
def qrels(tmp_path: Path) -> str:
    path = tmp_path / "diversity.qrels"
    path.write_text(QRELS, encoding="utf-8")
    return str(path)


def test_scores_are_those_of_ndeval(qrels: str) -> None:
    run = {topic: list(documents) for topic, documents in RANKINGS.items()}
    scores = rankwise.score(qrels, run, list(PRINTED))
    for metric, values in zip(PRINTED, scores.value[:, 0], strict=True):
        assert values == pytest.approx(PRINTED[metric], abs=1e-12), metric


def test_other_parameters_are_those_of_ndeval(qrels: str) -> None:
    run = {topic: list(documents) for topic, documents in RANKINGS.items()}
    scores = rankwise.score(qrels, run, list(OTHERS))
    for metric, values in zip(OTHERS, scores.value[:, 0], strict=True):
        assert values == pytest.approx(OTHERS[metric], abs=1e-12), metric


def test_names_of_ndeval_are_ours() -> None:
    names = {"alpha-nDCG@10": "alpha_nDCG@10", "MAP-IA": "AP_IA", "strec@5": "StRecall@5"}
    names |= {"P-IA@10": "P_IA@10", "I_rec@10": "StRecall@10", "nERR-IA@20": "nERR_IA@20"}
    names |= {
        "NRBP": "NRBP",
        "nNRBP": "nNRBP",
        "nRBP(p=0.5)": "nRBP(p=0.5)",
        "D-nDCG@10": "D_nDCG@10",
    }
    assert {name: str(rankwise.parse(name)) for name in names} == names
    assert type(rankwise.parse("NRBP")) is not type(rankwise.parse("nRBP"))
