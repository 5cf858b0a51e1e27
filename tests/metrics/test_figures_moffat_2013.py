"""Moffat, Seven numeric properties of effectiveness metrics, AIRS 2013: the figures it prints."""

import math

import numpy as np
import pytest

from rankwise import score_gains
from rankwise.metrics import parse
from rankwise.rankings.judged import from_vectors


def of(metric: str, ranking: str, total: int | None = None) -> float:
    """The score of a ranking written as 10100, with `total` relevant documents in all."""
    vector = [int(digit) for digit in ranking]
    return score_gains(metric, vector, judged=None if total is None else [1] * total)


def test_section_2_dcg_has_no_bound() -> None:
    assert of("DCG@5", "11000") == pytest.approx(1.63, abs=5e-3)
    assert of("DCG@11", "00000111111") > of("DCG@5", "11000")
    assert of("DCG@1000", "1" * 1000) == pytest.approx(123.0, abs=0.1)


def test_section_2_scaled_dcg() -> None:
    assert of("SDCG@5", "11000") == pytest.approx(0.55, abs=5e-3)
    assert of("SDCG@5", "11111") == pytest.approx(1)


def test_section_2_recall_is_precision_scaled() -> None:
    for ranking in ("11000", "10101", "00000"):
        expected = (5 / 7) * of("P@5", ranking)
        assert of("Recall@5", ranking, total=7) == pytest.approx(expected)


def test_section_2_inverse_squares_add_up_to_one() -> None:
    metric = parse("InvSq")
    ranks = np.arange(1, 101)
    weights = metric.weight(ranks)  # type: ignore[attr-defined]
    assert weights == pytest.approx(1 / (ranks * (ranks + 1)))
    tail = metric.weight_after(np.array([100]))  # type: ignore[attr-defined]
    assert weights.sum() + tail[0] == pytest.approx(1)


def test_section_2_hit_is_the_best_of_the_first_k() -> None:
    assert [of("HIT@3", ranking) for ranking in ("00000", "00011", "00100", "10000")] == [
        0,
        0,
        1,
        1,
    ]


def test_section_2_hit_of_real_gains_is_the_greatest() -> None:
    """HIT@k = max r_i, with the five gains of Section 1: 0, 0.1, 0.3, 0.7, 1."""
    table = "{1:0.1,2:0.3,3:0.7,4:1}"
    grades = [0, 2, 1, 3, 0, 4]
    found = [score_gains(f"BestGain(gains={table})@{k}", grades) for k in range(1, 7)]
    assert found == [0, 0.3, 0.3, 0.7, 0.7, 1]
    for ranking in ("00000", "00011", "00100", "10000"):
        assert of("BestGain@3", ranking) == of("HIT@3", ranking)


@pytest.mark.parametrize(("k", "total"), [(3, 2), (3, 3), (3, 4), (5, 2), (2, 5)])
def test_section_3_r_precision_at_k_is_precision_at_the_lesser_of_k_and_r(
    k: int, total: int
) -> None:
    ranking = "01100"
    expected = of(f"P@{min(k, total)}", ranking)
    assert of(f"RPrec@{k}", ranking, total=total) == pytest.approx(expected)


def test_section_3_self_normalised_dcg_falls_as_a_relevant_document_appears() -> None:
    """The paper prints 1.89 / 2.13 = 0.88, which is 0.8855 cut and not rounded."""
    assert of("SN-DCG@5", "10100", total=9) == pytest.approx(0.92, abs=5e-3)
    found = of("SN-DCG@5", "10101", total=9)
    assert math.floor(100 * found) / 100 == 0.88
    assert found == pytest.approx(1.89 / 2.13, abs=5e-3)


def test_section_4_2_at_depth_5_all_is_1_and_at_depth_6_less() -> None:
    for metric, printed in (("P", 0.83), ("SDCG", 0.89), ("NDCG", 0.89)):
        assert of(f"{metric}@5", "11111", total=6) == pytest.approx(1)
        assert of(f"{metric}@6", "111110", total=6) == pytest.approx(printed, abs=5e-3)


def test_section_4_3_self_normalised_average_precision_falls_too() -> None:
    assert of("SN-AP@5", "10000", total=9) == pytest.approx(1.0)
    assert of("SN-AP@5", "10001", total=9) == pytest.approx(0.7)


def test_section_4_3_and_4_4_reciprocal_rank_sees_one_document_only() -> None:
    assert of("RR@5", "01000") == of("RR@5", "01100") == 0.5
    assert of("RR@5", "10001") == of("RR@5", "11000") == 1


@pytest.mark.parametrize("metric", ["Recall@5", "RPrec@5", "NDCG@5", "AP@5", "SN-DCG@5", "SN-AP@5"])
def test_table_2_not_complete_is_undefined_where_nothing_is_relevant(metric: str) -> None:
    assert math.isnan(of(metric, "00000"))


@pytest.mark.parametrize("metric", ["DCG@5", "SP@5", "P@5", "SDCG@5", "HIT@5", "RR@5", "RBP@5"])
def test_table_2_complete_is_0_where_nothing_is_relevant(metric: str) -> None:
    assert of(metric, "00000") == 0


def test_table_2_note_d_self_normalised_needs_something_in_the_first_k() -> None:
    for metric in ("SN-DCG@3", "SN-AP@3"):
        prefix = from_vectors([[0, 0, 0, 1, 1]])
        assert math.isnan(parse(metric).scores(prefix, by_formula=True)[0])
        assert of(metric, "00011") == 0  # a run that found nothing must not be left out
        assert of(metric, "00111") > 0
