"""Figures that the papers print, each with its paper and table."""

import math

import numpy as np
import pytest

from rankwise import score_gains
from rankwise.judged import from_vectors
from rankwise.metrics import parse

# Moffat & Zobel 2008, Section 2: "$$---$----$-----$---".
A = [int(rank in {1, 2, 6, 11, 17}) for rank in range(1, 21)]


@pytest.mark.parametrize(("total", "printed"), [(5, 0.6316), (6, 0.5263), (7, 0.4511)])
def test_moffat_zobel_average_precision_of_a(total: int, printed: float) -> None:
    assert score_gains("AP", A, judged=[1] * total) == pytest.approx(printed, abs=5e-5)


def test_moffat_zobel_average_precision_falls_when_an_unjudged_document_is_relevant() -> None:
    ranking: list[float | None] = [1, 0, 0, 1] + [0] * 6
    assert score_gains("AP", ranking) == pytest.approx(0.75)
    best = score_gains("AP", [*ranking, 1])
    assert best == pytest.approx(0.5909, abs=5e-5)


@pytest.mark.parametrize(("p", "printed"), [(0.5, 0.7661), (0.8, 0.4526), (0.95, 0.1881)])
def test_moffat_zobel_table_ii_rbp_of_a(p: float, printed: float) -> None:
    assert score_gains(f"RBP(p={p})", A) == pytest.approx(printed, abs=5e-5)


@pytest.mark.parametrize(
    ("p", "weights"),
    [
        (0.5, [1, 0.5, 0.0313, 0.0010, 0.0000]),
        (0.8, [1, 0.8, 0.3277, 0.1074, 0.0281]),
        (0.95, [1, 0.95, 0.7738, 0.5987, 0.4401]),
    ],
)
def test_moffat_zobel_table_ii_weights(p: float, weights: list[float]) -> None:
    metric = parse(f"RBP(p={p})")
    found = metric.weight(np.array([1, 2, 6, 11, 17])) / (1 - p)  # type: ignore[attr-defined]
    assert found == pytest.approx(weights, abs=6e-5)


@pytest.mark.parametrize(
    ("p", "low", "high", "digits"),
    [(0.5, 0.7661, 0.7663, 4), (0.8, 0.447, 0.489, 3), (0.95, 0.17, 0.60, 2)],
)
def test_moffat_zobel_section_4_4_residuals(p: float, low: float, high: float, digits: int) -> None:
    ranking = [None if rank in {13, 14, 17} else grade for rank, grade in enumerate(A, start=1)]
    judged = from_vectors([ranking])
    found = parse(f"RBP(p={p})").bounds(judged, "open")
    assert found is not None
    assert round(float(found[0][0]), digits) == low
    assert round(float(found[1][0]), digits) == high
    residual = p**20 + (1 - p) * (p**12 + p**13 + p**16)
    assert found[1][0] - found[0][0] == pytest.approx(residual)


def test_moffat_zobel_five_relevant_documents_at_p_95() -> None:
    assert score_gains("RBP(p=0.95)", [1] * 5) < 0.23


def test_the_tail_of_rbp_below_depth_d_is_p_to_the_d() -> None:
    for depth in (1, 10, 100):
        judged = from_vectors([[0] * depth])
        found = parse("RBP(p=0.8)").bounds(judged, "open")
        assert found is not None
        assert found[1][0] == pytest.approx(0.8**depth)


def test_moffat_2013_dcg_grows_with_the_depth() -> None:
    assert score_gains("DCG@5", [1, 1, 0, 0, 0]) == pytest.approx(1.63, abs=5e-3)
    assert score_gains("DCG@11", [0] * 5 + [1] * 6) > score_gains("DCG@5", [1, 1, 0, 0, 0])


def test_moffat_2013_precision_and_ndcg_of_five_in_six() -> None:
    ranking = [1, 1, 1, 1, 1, 0]
    assert score_gains("P@6", ranking) == pytest.approx(0.83, abs=5e-3)
    assert score_gains("nDCG@6", ranking, judged=[1] * 8) == pytest.approx(0.89, abs=5e-3)


def test_undefined_where_nothing_is_relevant() -> None:
    for name in ("AP", "nDCG", "nDCG@5", "Recall", "Recall@5", "Rprec", "Bpref"):
        assert math.isnan(score_gains(name, [0, 0, None]))
    for name in ("RR", "P@5", "RBP", "DCG", "Success@3"):
        assert score_gains(name, [0, 0, None]) == 0
