"""Sakai, On the properties of evaluation metrics for finding one highly relevant document,
IPSJ Digital Courier 3, 2007: the figures it prints.

Grades 3, 2 and 1 are its S, A and B, and worth 3, 2 and 1.
"""

import itertools

import pytest

from rankwise import score_gains

S, A, B = 3, 2, 1
ONE_OF_EACH = [S, A, B]  # Topic 3 of Figure 3
X, Y, Z = [B, 0], [0, S], [B, S]  # its systems


def test_figure_2_nwrr_does_not_see_how_many_relevant_documents_there_are() -> None:
    for topic in ([S], [S, S, S], [S, S, S, A, B]):
        assert score_gains("NWRR", [0, 0, S], judged=topic) == pytest.approx(1 / 5)


def test_figure_2_o_measure_does() -> None:
    assert score_gains("O", [0, 0, S], judged=[S]) == pytest.approx(2 / 3)
    for topic in ([S, S, S], [S, S, S, S, A]):
        assert score_gains("O", [0, 0, S], judged=topic) == pytest.approx(1 / 3)


def test_section_3_2_wrr_is_bounded_by_the_best_grade() -> None:
    assert score_gains("WRR", [0, 0, S]) == pytest.approx(1 / (3 - 1 / 2))
    for grade, beta in ((S, 2), (A, 3), (B, 4)):
        assert score_gains("WRR", [grade]) == pytest.approx(1 / (1 - 1 / beta))
        assert score_gains("NWRR", [grade]) == pytest.approx(1)


def test_section_3_2_o_measure_is_reciprocal_rank_down_to_rank_r() -> None:
    """In a binary environment, and above it further down."""
    for first in range(1, 9):
        ranking = [0] * (first - 1) + [1]
        found = score_gains("O", ranking, judged=[1] * 4)
        if first <= 4:
            assert found == pytest.approx(1 / first)
        else:
            assert found > 1 / first


def test_section_3_2_with_small_gains_o_measure_is_like_reciprocal_rank() -> None:
    tiny = "gains={1:0.000001,2:0.000002,3:0.000003}"
    for ranking in (X, Y, [0, 0, A]):
        found = score_gains(f"O({tiny})", ranking, judged=ONE_OF_EACH)
        assert found == pytest.approx(score_gains("RR", ranking), abs=1e-5)


def test_figure_3_o_measure_of_the_three_systems() -> None:
    found = [score_gains("O", system, judged=ONE_OF_EACH) for system in (X, Y, Z)]
    assert found == pytest.approx([0.50, 0.57, 0.50], abs=5e-3)


def test_figure_3_other_gains_prefer_x() -> None:
    """gain(S) = 2, gain(A) = 1.5, gain(B) = 1."""
    x, y = (
        score_gains("O(gains={1:1,2:1.5,3:2})", system, judged=ONE_OF_EACH) for system in (X, Y)
    )
    assert x == pytest.approx((1 + 1) / (2 + 1))
    assert y == pytest.approx((2 + 1) / (3.5 + 2))


def test_figure_3_for_nwrr_x_is_better_than_y_whatever_the_penalties() -> None:
    for best, middle, least in itertools.combinations([1.01, 2, 3, 4, 50, 1000], 3):
        metric = f"NWRR(beta={{1:{least},2:{middle},3:{best}}})"
        x, y, z = (score_gains(metric, system, judged=ONE_OF_EACH) for system in (X, Y, Z))
        assert x == z > y


def test_section_3_3_p_measure_of_the_three_systems() -> None:
    found = [score_gains("P-measure", system, judged=ONE_OF_EACH) for system in (X, Y, Z)]
    assert found == pytest.approx([0.50, 0.57, 0.86], abs=5e-3)


def test_section_3_3_the_inverse_of_the_ideal() -> None:
    inverse = ONE_OF_EACH[::-1]
    assert score_gains("P-measure", inverse) == pytest.approx(1)
    assert score_gains("P-plus", inverse) == pytest.approx((2 / 4 + 5 / 7 + 1) / 3)
    assert score_gains("P-plus", inverse) == pytest.approx(0.74, abs=5e-3)


@pytest.mark.parametrize("system", [X, Y, [0, S, B], [A, A, 0]])
def test_section_3_3_all_three_agree_where_nothing_is_above_the_preferred_rank(
    system: list[float],
) -> None:
    topic = [S, A, A, B]
    first, *others = (score_gains(name, system, judged=topic) for name in ("O", "P-measure", "P+"))
    assert others == pytest.approx([first, first])


def test_appendix_topic_020_one_document_at_rank_913() -> None:
    """NTCIR-3 Chinese: 10 S, 6 A, 36 B.

    The paper adds 3 × 10 + 2 × 6 + 36 up to 48; it is 78. Both round to the 0.004 printed.
    """
    topic = [S] * 10 + [A] * 6 + [B] * 36
    for name in ("O", "P-measure", "P-plus"):
        found = score_gains(name, [0] * 912 + [S], judged=topic)
        assert found == pytest.approx((3 + 1) / (78 + 913))
        assert round(found, 3) == 0.004


def test_appendix_topic_034_with_the_preferred_document_at_rank_424() -> None:
    """NTCIR-5 Japanese: 5 S, 288 A, 61 B; down to rank 424 1 S, 137 A, 29 B, the first at 2.

    P⁺ = 0.454 depends on where the others are, which the paper does not say.
    """
    topic = [S] * 5 + [A] * 288 + [B] * 61
    ranking = [0, B] + [A] * 137 + [B] * 28
    ranking += [0] * (423 - len(ranking)) + [S]
    assert score_gains("P-measure", ranking, judged=topic) == pytest.approx(0.440, abs=5e-4)
    expected = (306 + 167) / (652 + 424)
    assert score_gains("P-measure", ranking, judged=topic) == pytest.approx(expected)
    assert score_gains("O", ranking, judged=topic) == pytest.approx(0.250)


def test_section_3_1_q_measure_is_the_mean_blended_ratio() -> None:
    """BR(1) = (1 + 1) / (3 + 1), BR(3) = (4 + 2) / (6 + 3), and A is not retrieved."""
    found = score_gains("Q", [B, 0, S], judged=ONE_OF_EACH)
    assert found == pytest.approx(((1 + 1) / (3 + 1) + (4 + 2) / (6 + 3)) / 3)
