"""Moffat and Zobel, Rank-biased precision, ACM TOIS 27(1), 2008: the figures it prints."""

import math

import numpy as np
import pytest

import rankwise
from rankwise import score_gains
from rankwise.metrics import BetaRBP, InvSq, parse
from rankwise.rankings.judged import from_vectors

# Section 3.1: "$$---$----$-----$---".
A = [int(rank in {1, 2, 6, 11, 17}) for rank in range(1, 21)]


@pytest.mark.parametrize(("total", "printed"), [(5, 0.6316), (6, 0.5263), (7, 0.4511)])
def test_section_3_1_average_precision_falls_as_more_is_relevant_elsewhere(
    total: int, printed: float
) -> None:
    """The paper also prints 0.6315 for the first."""
    assert score_gains("AP", A, judged=[1] * total) == pytest.approx(printed, abs=5e-5)


def test_section_3_1_the_sum_of_precisions() -> None:
    assert score_gains("SP", A) == pytest.approx(1 + 1 + 3 / 6 + 4 / 11 + 5 / 17)
    assert score_gains("SP", A) == pytest.approx(5 * 0.6316, abs=5 * 5e-5)


def test_section_3_1_ap_star_falls_as_more_relevant_documents_are_found() -> None:
    more = A[:17] + [1, 1, 1]
    assert score_gains("AP*", A, judged=[1] * 9) == pytest.approx(0.6316, abs=5e-5)
    assert score_gains("AP*", more, judged=[1] * 9) == pytest.approx(0.5324, abs=5e-5)
    assert score_gains("P@20", more) > score_gains("P@20", A)


def test_section_3_1_average_precision_falls_when_an_unjudged_document_is_relevant() -> None:
    ranking: list[float | None] = [1, 0, 0, 1, *[0] * 6]
    unjudged: list[float | None] = [None] * 10
    assert score_gains("AP", ranking + unjudged) == pytest.approx(0.75)
    best = max(
        score_gains("AP", [*ranking, *unjudged[:place], 1, *unjudged[place + 1 :]])
        for place in range(10)
    )
    assert best == pytest.approx(0.5909, abs=5e-5)


def test_section_3_3_shaws_combination_of_precision_and_recall() -> None:
    p, r = 5 / 20, 5 / 7
    assert score_gains("Shaw@20", A, judged=[1] * 7) == pytest.approx(1 / (1 / p + 1 / r - 1))


@pytest.mark.parametrize(
    ("k", "expected"),
    [(0, (1 + 1 + 2 / 5 + 0 + 0) / 5), (10, (1 + 1 + 12 / 15 + 8 / 15 + 3 / 15) / 5)],
)
def test_section_3_3_bpref_k_of_a(k: int, expected: float) -> None:
    """R = 5, N = 15; 0, 0, 3, 7 and 12 non-relevant documents are above the relevant ones."""
    assert score_gains(f"Bpref(k={k})", A) == pytest.approx(expected)


def test_section_3_3_bpref_k_divides_by_the_nonrelevant_where_they_are_fewer() -> None:
    assert score_gains("Bpref(k=10)", [1, 0, 1, 0, 0]) == pytest.approx((1 + 2 / 3) / 2)


def test_section_3_3_bpref_leaves_out_what_is_not_judged() -> None:
    holes: list[float | None] = [one for grade in A for one in (None, grade)]
    assert score_gains("Bpref(k=10)", holes) == score_gains("Bpref(k=10)", A)


@pytest.mark.parametrize("total", [5, 7, 30])
def test_section_3_3_q_measure_for_binary_relevance(total: int) -> None:
    ranks = [1, 2, 6, 11, 17]
    terms = [2 * found / (i + min(i, total)) for found, i in enumerate(ranks, start=1)]
    assert score_gains("Q", A, judged=[1] * total) == pytest.approx(sum(terms) / total)


def test_section_3_3_expected_search_length_without_ties() -> None:
    assert [score_gains(f"ESL(n={n})", A) for n in (1, 2, 3, 4, 5)] == [0, 0, 3, 7, 12]
    assert score_gains("ESL(n=6,give_up=500)", A) == 500


def test_section_3_3_expected_search_length_with_ties() -> None:
    """Above the tie 1 other document; in it 3 others and 2 relevant, of which s are wanted."""
    run = {"x": 2.0} | dict.fromkeys("abcde", 1.0)
    qrels = {"1": {"a": 1, "e": 1}}
    found = rankwise.score(qrels, {"1": run}, ["ESL", "ESL(n=2)"]).value
    assert found.ravel().tolist() == [1 + 3 * 1 / 3, 1 + 3 * 2 / 3]


def test_table_i_what_each_document_contributes_to_average_precision() -> None:
    shares = parse("AP").contributions(from_vectors([A]))
    assert shares is not None
    printed = [0.3633, 0.1633, 0.0633, 0.0299, 0.0118]
    assert shares[shares > 0] == pytest.approx(printed, abs=6e-5)
    totals = [1.8164, 0.8164, 0.3164, 0.1497, 0.0588]
    assert 5 * shares[shares > 0] == pytest.approx(totals, abs=6e-5)


@pytest.mark.parametrize(
    ("p", "total", "printed"),
    [(0.5, 1.5322, 0.7661), (0.8, 2.2632, 0.4526), (0.95, 3.7626, 0.1881)],
)
def test_table_ii_rbp_of_a(p: float, total: float, printed: float) -> None:
    found = score_gains(f"RBP(p={p})", A)
    assert found == pytest.approx(printed, abs=5e-5)
    assert found / (1 - p) == pytest.approx(total, abs=1e-4)


@pytest.mark.parametrize(
    ("p", "weights"),
    [
        (0.5, [1, 0.5, 0.0313, 0.0010, 0.0000]),
        (0.8, [1, 0.8, 0.3277, 0.1074, 0.0281]),
        (0.95, [1, 0.95, 0.7738, 0.5987, 0.4401]),
    ],
)
def test_table_ii_weights(p: float, weights: list[float]) -> None:
    metric = parse(f"RBP(p={p})")
    found = metric.weight(np.array([1, 2, 6, 11, 17])) / (1 - p)  # type: ignore[attr-defined]
    assert found == pytest.approx(weights, abs=6e-5)


def test_section_4_2_five_relevant_documents_at_p_95() -> None:
    assert 0.22 < score_gains("RBP(p=0.95)", [1] * 5) < 0.23


def test_section_4_3_reciprocal_rank_of_the_nth_relevant_document() -> None:
    ranks = [1, 2, 6, 11, 17]
    assert [score_gains(f"RR(n={n + 1})", A) for n in range(5)] == [1 / rank for rank in ranks]
    assert score_gains("RR(n=6)", A) == 0


def test_section_4_3_damped_reciprocal_rank() -> None:
    assert score_gains("RR(k=2)", [0, 0, 1, 1]) == 1 / (2 + 3)
    assert score_gains("RR(k=2)", [0, 0, 0]) == 0


@pytest.mark.parametrize(("p", "printed"), [(0.5, 0.7661), (0.8, 0.4526), (0.95, 0.1881)])
def test_section_4_3_two_equal_persistences_make_rbp(p: float, printed: float) -> None:
    assert score_gains(f"RBP2(p1={p},p2={p})", A) == pytest.approx(printed, abs=5e-5)
    assert score_gains(f"RBP2(p1={p},p2={p})", A) == pytest.approx(score_gains(f"RBP(p={p})", A))


@pytest.mark.parametrize(("p1", "p2"), [(0.5, 0.8), (0.9, 0.3)])
def test_section_4_3_gain_per_document_seen_with_two_persistences(p1: float, p2: float) -> None:
    views, gained, seen = 1.0, 0.0, 0.0
    for grade in A + [0] * 1000:
        gained, seen = gained + views * grade, seen + views
        views *= p1 if grade else p2
    assert score_gains(f"RBP2(p1={p1},p2={p2})", A) == pytest.approx(gained / seen)


@pytest.mark.parametrize(
    ("p", "low", "high", "digits"),
    [(0.5, 0.7661, 0.7663, 4), (0.8, 0.447, 0.489, 3), (0.95, 0.17, 0.60, 2)],
)
def test_section_4_4_residuals(p: float, low: float, high: float, digits: int) -> None:
    ranking = [None if rank in {13, 14, 17} else grade for rank, grade in enumerate(A, start=1)]
    rbp = parse(f"RBP(p={p})")
    found = rbp.bounds.of(rbp, from_vectors([ranking]), "open")
    assert found is not None
    assert round(float(found[0][0]), digits) == low
    assert round(float(found[1][0]), digits) == high
    residual = p**20 + (1 - p) * (p**12 + p**13 + p**16)
    assert found[1][0] - found[0][0] == pytest.approx(residual)
    assert score_gains(f"RBPResidual(p={p})", ranking) == pytest.approx(residual)


def test_section_4_4_the_tail_of_rbp_below_depth_d_is_p_to_the_d() -> None:
    for depth in (1, 10, 100):
        rbp = parse("RBP(p=0.8)")
        found = rbp.bounds.of(rbp, from_vectors([[0] * depth]), "open")
        assert found is not None
        assert found[1][0] == pytest.approx(0.8**depth)
    assert score_gains("RBPResidual(p=0.8)", [0] * 20) == pytest.approx(0.012, abs=5e-4)


@pytest.mark.parametrize(("p", "depth"), [(0.5, 14), (0.8, 42), (0.95, 180)])
def test_section_4_4_depth_for_four_digits(p: float, depth: int) -> None:
    assert score_gains(f"RBPResidual(p={p})", [0] * depth) < 0.0001
    assert score_gains(f"RBPResidual(p={p})", [0] * (depth - 1)) > 0.0001


def test_section_4_4_depth_100_gives_four_digits_up_to_p_91() -> None:
    assert score_gains("RBPResidual(p=0.91)", [0] * 100) < 0.0001
    assert score_gains("RBPResidual(p=0.92)", [0] * 100) > 0.0001


@pytest.mark.parametrize(("depth", "printed"), [(100, 21.79), (1000, 123.99)])
def test_section_4_6_dcg_grows_without_limit_and_rbp_does_not(depth: int, printed: float) -> None:
    everything = [1] * depth
    assert score_gains("DCG(b=2)", everything) == pytest.approx(printed, abs=5e-3)
    assert score_gains("SDCG(b=2)@1000", everything) == pytest.approx(printed / 123.99, abs=1e-4)
    assert score_gains("RBP(p=0.95)", everything) == pytest.approx(1 - 0.95**depth)


def test_section_4_6_dcg_to_other_bases() -> None:
    terms = [1, 1, 1, 1 / math.log(4, 3), 1 / math.log(5, 3)]
    assert score_gains("DCG(b=3)", [1] * 5) == pytest.approx(sum(terms))


@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
def test_section_4_7_tied_documents_share_the_weight_of_their_ranks(p: float) -> None:
    """Ranks k = 2 to k + j − 1 = 4 are tied, and one of the three is relevant."""
    run = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}
    expected = (1 - p) * (p + p**2 + p**3) / 3
    for relevant in "bcd":
        found = rankwise.score({"1": {relevant: 1}}, {"1": run}, f"RBP(p={p},ties=share)").value
        assert found.item() == pytest.approx(expected)


def test_zhang_park_moffat_2008_rbp_of_two_short_rankings() -> None:
    """Zhang, Park and Moffat print 0.2812 for the second: a misprint."""
    assert score_gains("RBP(p=0.5)", [1, 1, 0, 1, 0, 0, 0, 1]) == pytest.approx(0.816, abs=5e-4)
    assert score_gains("RBP(p=0.8)", [1, 0, 0, 0, 1]) == pytest.approx(0.2819, abs=5e-5)


@pytest.mark.parametrize(("alpha", "beta"), [(1, 1), (4, 1.5), (0.5, 2), (30, 8)])
def test_rbp_over_a_beta_distribution_is_the_integral_of_rbp(alpha: float, beta: float) -> None:
    """Carterette, Kanoulas and Yilmaz (2011): the mean over users of each user's RBP."""
    from scipy.integrate import quad
    from scipy.stats import beta as distribution

    ranking = [1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]

    def of_user(p: float) -> float:
        return float(sum((1 - p) * p**above for above, gain in enumerate(ranking) if gain))

    expected, _ = quad(lambda p: of_user(p) * distribution.pdf(p, alpha, beta), 0, 1, limit=200)
    found = score_gains(f"BetaRBP(alpha={alpha},beta={beta})", ranking)
    assert found == pytest.approx(expected, abs=1e-6)


def test_rbp_over_all_p_alike_is_invsq() -> None:
    uniform, squares = BetaRBP(), InvSq()
    ranks = np.arange(1, 2001)
    assert uniform.weight(ranks) == pytest.approx(squares.weight(ranks), rel=1e-14)
    assert uniform.weight_after(ranks) == pytest.approx(squares.weight_after(ranks), rel=1e-14)


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (4.0, 1.5), (0.3, 2.5)])
def test_far_down_the_weights_of_betarbp_go_on_as_above(alpha: float, beta: float) -> None:
    """Near the top they are multiplied out; from 65,537 on they come of logarithms."""
    metric = BetaRBP(alpha=alpha, beta=beta)
    depth = np.arange(65_000, 66_000)
    after = metric.weight_after(depth)
    steps = (alpha + depth) / (alpha + beta + depth)
    assert after[1:] / after[:-1] == pytest.approx(steps[:-1], rel=1e-9)
    assert after[0] == metric.weight_after(depth[:1]).item()  # alone, or beside what is far down
