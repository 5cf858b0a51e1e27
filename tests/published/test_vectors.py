"""Zhang, Park and Moffat, ADCS 2008: its table, its worked figures, its claims."""

import numpy as np
import pytest

from rankwise import CallError, score_gains
from rankwise.published import Published, compare_published, curve, invert, significant_ranks
from rankwise.published.published_score import MOST_RANKS, nearest_attainable, published
from rankwise.published.vectors import bounding_vectors, contribution, score_at

TABLE_1 = {
    0.5: (8, 15, 28),
    0.7: (15, 28, 54),
    0.8: (24, 45, 86),
    0.9: (51, 94, 182),
    0.95: (104, 194, 373),
    0.99: (528, 986, 1902),  # the paper prints 1,001 for the last, against its own rule
}


@pytest.mark.parametrize("p", TABLE_1)
def test_significant_ranks_are_those_of_table_1(p: float) -> None:
    found = tuple(significant_ranks(p, precision) for precision in (1e-2, 1e-4, 1e-8))
    assert found == TABLE_1[p]


def test_a_boundary_is_not_yet_below_half_the_precision() -> None:
    assert significant_ranks(0.5, 2**-3) == 5  # p^4 is exactly half of it


def test_the_worked_figures() -> None:
    # Section 2: 0.816. Section 3: printed 0.2812, which is 0.2819; rem(6) of eight ranks 0.0943.
    assert score_gains("RBP(p=0.5)", [1, 1, 0, 1, 0, 0, 0, 1]) == pytest.approx(0.816, abs=5e-4)
    so_far = score_gains("RBP(p=0.8)", [1, 0, 0, 0, 1])
    rem = contribution(0.8, 8)[6:].sum()
    assert so_far == pytest.approx(0.28192)
    assert rem == pytest.approx(0.0943, abs=1e-4)
    assert so_far + rem < 0.4  # so that r_6 must be 1


@pytest.mark.parametrize("p", [0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
def test_both_vectors_score_what_was_published(p: float) -> None:
    scores = np.linspace(0, 1, 501)
    for precision in (1e-2, 1e-4, 1e-6):
        found = bounding_vectors(p, scores, precision=precision)
        con = contribution(p, found.greatest.shape[1])
        for bits in (found.greatest, found.least):
            assert np.abs(bits @ con - scores).max() <= precision / 2 + 1e-12


@pytest.mark.parametrize("p", [0.55, 0.7, 0.8, 0.9])
def test_the_vectors_are_lexicographically_greatest_and_least(p: float) -> None:
    ranks, precision = 14, 2.1 * p**14
    every = (np.arange(2**ranks)[:, None] >> np.arange(ranks)[::-1]) & 1  # in this very order
    con = contribution(p, ranks)
    assert significant_ranks(p, precision) == ranks
    values = 1 << np.arange(ranks)[::-1]
    for score in np.linspace(0.05, 0.95, 19):
        found = bounding_vectors(p, score, precision=precision)
        total = every @ con
        below = np.flatnonzero((total >= score - precision / 2 - 1e-12) & (total <= score + 1e-12))
        assert found.greatest[0] @ values == below.max()
        least = found.least[0] @ values
        assert abs(total[least] - score) <= precision / 2 + 1e-12
        assert least <= below.min()


def test_half_has_exactly_two_vectors() -> None:
    # Section 6: recurring 0 or 1 at the tail.
    found = invert(0.5, 0.75)
    assert found.greatest == [1, 1] + [0] * 13
    assert found.least == [1, 0] + [1] * 13


def test_choice_points_are_where_neither_constraint_binds() -> None:
    found = invert(0.8, 0.4, precision=0.01)
    assert found.ranks["choices of R_G"][:2] == [1, 2]
    forced = invert(0.8, 0.1, precision=0.01)  # 0.1 < 1 − p
    assert 1 not in forced.ranks["choices of R_G"]
    assert forced.greatest is not None
    assert forced.greatest[0] == 0


@pytest.mark.parametrize(("p", "score"), [(0.2, 0.5), (0.2, 0.81), (0.4, 0.5), (0.3, 0.2)])
def test_below_one_half_there_are_gaps(p: float, score: float) -> None:
    gap = nearest_attainable(p, score)
    assert gap is not None
    below, above = gap
    assert below < score < above
    ranks = 18
    every = (np.arange(2**ranks)[:, None] >> np.arange(ranks)) & 1
    total = every @ contribution(p, ranks)
    assert total[total < score].max() == pytest.approx(below, abs=1.01 * p**ranks)
    assert total[total > score].min() == pytest.approx(above)
    with pytest.raises(CallError, match="the nearest possible values are"):
        invert(p, score)
    for fine in (below, above):
        assert nearest_attainable(p, fine) is None


def test_below_one_half_there_is_one_vector() -> None:
    found = invert(0.2, 0.8 + 0.032 + 0.2**5, precision=1e-8)
    assert found.greatest == found.least
    assert found.greatest is not None
    assert found.greatest[:7] == [1, 0, 1, 0, 0, 1, 1]


def test_a_score_is_accepted_if_an_attainable_score_rounds_to_it() -> None:
    with pytest.raises(CallError, match="nearest possible values are"):
        invert(0.2, 0.81, precision=1e-4)
    found = invert(0.2, 0.81, precision=0.01)  # 0.808 rounds to it
    assert found.greatest is not None and found.least is not None
    for ranking in (found.greatest, found.least):
        score = 0.8 * sum(0.2**above for above, relevant in enumerate(ranking) if relevant)
        assert score == pytest.approx(0.81, abs=0.005)


def test_scores_elsewhere_are_cropped_or_extended() -> None:
    bits = np.array([[True] * 45])
    assert score_at(bits, 0.5, 1e-4, True)[0] == pytest.approx(1 - 0.5**15)
    assert score_at(bits, 0.95, 1e-4, True)[0] == pytest.approx(1 - 0.95**194)
    assert score_at(bits, 0.95, 1e-4, False)[0] == pytest.approx(1 - 0.95**45)


PANELS = [(p, s) for p in (0.2, 0.5, 0.8) for s in (0.2, 0.5, 0.8) if (p, s) != (0.2, 0.5)]


@pytest.mark.parametrize(("p", "score"), PANELS)
def test_figure_3(p: float, score: float) -> None:
    grid = [0.001, *np.linspace(0.05, 0.95, 19), p, 0.999]
    drawn = curve(Published(p, score), grid, "paper")
    start, here = drawn.row(0, named=True), drawn.row(20, named=True)
    assert here["R_G"] == pytest.approx(score, abs=1e-4)
    assert here["R_L"] == pytest.approx(score, abs=1e-4)
    if score > p:
        assert start["R_L"] > 0.99  # converging to 1 as p′ falls
    elif score < 1 - p:
        assert start["R_G"] < 0.01  # converging to 0
    end = drawn.row(21, named=True)
    assert end["high"] - end["low"] > 0.8  # all of [0, 1] comes within reach


def test_the_panel_that_figure_3_leaves_out() -> None:
    with pytest.raises(CallError, match=r"the nearest possible values are 0\.2 and 0\.8"):
        invert(0.2, 0.5)


def test_figure_2_diverges_on_both_sides() -> None:
    drawn = curve(Published(0.8, 0.41), (0.05, 0.8, 0.95), "paper")
    assert drawn["R_G"][0] > 0.9
    assert drawn["R_L"][0] < 0.1
    low, high = curve(Published(0.8, 0.41), (0.8,), "paper").select("low", "high").row(0)
    assert low == high == 0.41


@pytest.mark.parametrize("p", [0.7, 0.8, 0.9, 0.95])
def test_vectors_with_residuals(p: float) -> None:
    # Section 5: R_G and R_L score S; with their unjudged ranks they come to S + ε.
    scores, residuals = (grid.ravel() for grid in np.mgrid[0.01:0.99:49j, 0.01:0.99:49j])
    possible = scores + residuals < 0.995
    scores, residuals = scores[possible], residuals[possible]
    found = bounding_vectors(p, scores, residuals, precision=1e-4)
    con = contribution(p, found.greatest.shape[1])
    for bits, unjudged in [
        (found.greatest, found.greatest_unjudged),
        (found.least, found.least_unjudged),
    ]:
        assert not (bits & unjudged).any()
        assert np.abs(bits @ con - scores).max() <= 5e-5 + 1e-12
        assert np.abs(unjudged @ con - residuals).max() <= 5e-5 + 1e-12


def test_below_two_thirds_a_residual_may_fit_no_ranks() -> None:
    # Three kinds of documents need p ≥ 2/3: three digits, each rank worth half of what follows.
    found = bounding_vectors(0.6, 0.35, 0.35)  # rank 1, worth 0.4, can be of no kind
    con = contribution(0.6, found.greatest.shape[1])
    assert abs(found.greatest_unjudged[0] @ con - 0.35) > 0.01


def test_unjudged_ranks_go_up_in_one_and_down_in_the_other() -> None:
    # Section 5.2, and Figure 4: S and S + ε at p, the range wider than without on both sides.
    found = invert(0.8, 0.41, 0.02, at=[0.7, 0.9], method="paper")
    up, down = found.ranks["unjudged in R'_G"], found.ranks["unjudged in R'_L"]
    assert up[0] < down[0]
    bare = invert(0.8, 0.41, at=[0.7, 0.9], method="paper").frame
    assert (found.frame["high"] - found.frame["low"] > bare["high"] - bare["low"]).all()


def test_comparison_by_the_papers_rule() -> None:
    # Section 4.2: B better iff S_A < RBP(R_L, p_A), A better iff S_A > RBP(R_G, p_A).
    b = Published(0.9, 0.6)
    vectors = bounding_vectors(0.9, [0.6])
    least, most = (float(end[0]) for end in vectors.range_at(0.5))
    for score, verdict in [(least - 1e-3, "B"), (least + 1e-3, "undecided"), (most + 1e-3, "A")]:
        assert compare_published(Published(0.5, score), b, method="paper").verdict == verdict
        assert compare_published(b, Published(0.5, score), method="paper").verdict == {
            "A": "B",
            "B": "A",
        }.get(verdict, verdict)


def test_comparison_with_residuals_counts_them_on_both_sides() -> None:
    # Section 5.3: A better iff S_A > RBP(R′_G, p_A); B better iff S_A + ε_A < RBP(R_L, p_A).
    b = Published(0.9, 0.6, 0.05)
    vectors = bounding_vectors(0.9, [0.6], [0.05])
    scores = vectors.scores(0.5)
    low, high = float(scores["R_L"][0]), float(scores["R'_G"][0])
    below = Published(0.5, low - 0.02, 0.01)
    assert compare_published(below, b, method="paper").verdict == "B"
    touching = Published(0.5, low - 0.02, 0.03)
    assert compare_published(touching, b, method="paper").verdict == "undecided"
    assert compare_published(Published(0.5, high + 1e-3), b, method="paper").verdict == "A"


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        ({"p": -0.1, "score": 0.5}, "from 0 \\(included\\) to 1 \\(excluded\\)"),
        ({"p": 0.0, "score": 0.5}, "possible values are 0 and 1"),
        ({"p": 1.0, "score": 0.5}, "from 0 \\(included\\) to 1 \\(excluded\\)"),
        ({"p": float("nan"), "score": 0.5}, "from 0 \\(included\\) to 1 \\(excluded\\)"),
        ({"p": 0.8, "score": -0.1}, "between 0 and 1"),
        ({"p": 0.8, "score": 1.1}, "between 0 and 1"),
        ({"p": 0.8, "score": 0.9, "residual": 0.2}, "between 0 and 0.1 .score"),
        ({"p": 0.8, "score": 0.9, "residual": -0.1}, "between 0 and 0.1 .score"),
        ({"p": 0.8, "score": 0.4, "precision": 0}, "at least 1e-10 and below 1"),
        ({"p": 0.8, "score": 0.4, "precision": 1}, "at least 1e-10 and below 1"),
        ({"p": 0.8, "score": 0.4, "topics": 0}, "a whole number, 1 or more"),
        ({"p": 0.8, "score": 0.4, "at": 1.5}, "from 0 \\(included\\) to 1 \\(excluded\\)"),
        ({"p": 0.8, "score": 0.4, "method": "guess"}, "is not one of sound, paper"),
        (
            {"p": 0.8, "score": 0.4, "graded": True, "method": "paper"},
            "not defined for graded judgments",
        ),
    ],
)
def test_the_impossible_is_refused_with_what_is_allowed(
    arguments: dict[str, float], allowed: str
) -> None:
    with pytest.raises(CallError, match=allowed):
        invert(**arguments)  # type: ignore[arg-type]


def test_what_a_refusal_of_depth_allows_is_allowed() -> None:
    with pytest.raises(CallError, match=f"{MOST_RANKS:,} are allowed") as refused:
        Published(0.9999, 0.4, precision=1e-8)
    words = str(refused.value).split()
    finest = float(words[words.index("least") + 1])
    greatest = float(words[words.index("to") + 1])
    assert Published(0.9999, 0.4, precision=finest).depth <= MOST_RANKS
    assert Published(greatest, 0.4, precision=1e-8).depth <= MOST_RANKS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("score=0.4", "p is missing"),
        ("p=0.8", "score is missing"),
        ("p=0.8,score=x", "not a number"),
        ("p=0.8,scor=0.4", "Did you mean score"),
        ("p=0.8,p=0.8,score=0.4", "twice"),
        ("p=0.8,score=0.4,topics=1.5", "whole"),
        ("p=0.8,score=0.4,graded=2", "graded=True or graded=False"),
    ],
)
def test_text_that_is_no_published_score(text: str, message: str) -> None:
    with pytest.raises(CallError, match=message):
        published(text)


@pytest.mark.parametrize("p", [0.55, 0.7, 0.8, 0.95])
def test_when_the_first_document_is_known(p: float) -> None:
    # Section 4.1 (which writes ≤ and ≥): S < 1 − p forces r₁ = 0, S > p forces r₁ = 1.
    below = bounding_vectors(p, 1 - p - 1e-3)
    above = bounding_vectors(p, p + 1e-3)
    between = bounding_vectors(p, 0.5)
    assert not below.greatest[0, 0]
    assert above.least[0, 0]
    assert between.choices_greatest[0, 0]
    assert float(below.scores(1e-6)["R_G"][0]) == pytest.approx(0, abs=1e-5)
    assert float(above.scores(1e-6)["R_L"][0]) == pytest.approx(1, abs=1e-5)
