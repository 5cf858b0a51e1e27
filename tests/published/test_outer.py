"""The sound range: outer bounds hold, inner ends are attained, means obey both."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from rankwise import CallError
from rankwise.published import Published, compare_published, invert, significant_ranks
from rankwise.published.inner import Search, inner
from rankwise.published.outer import filled_from_top, outer, outer_range
from rankwise.published.vectors import bounding_vectors, contribution

PERSISTENCES = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
PAIRS = [(p, at) for p in PERSISTENCES for at in PERSISTENCES if p != at]


def test_the_counterexample_of_facts() -> None:
    # At p = .9, S = 0.2533 ± 0.001, the greatest of 16 documents scores 0.4006 at p′ = .8,
    # another 0.4304: the paper's claim (section 4.1) is false.
    greatest = np.array([int(bit) for bit in "1100000010000001"])
    better = np.array([int(bit) for bit in "1011000000000000"])
    for bits, score in [(greatest, 0.4006), (better, 0.4304)]:
        assert bits @ contribution(0.9, 16) == pytest.approx(0.2533, abs=0.001)
        assert bits @ contribution(0.8, 16) == pytest.approx(score, abs=5e-5)
    found = invert(0.9, 0.2533, precision=0.002, at=0.8).frame.row(0, named=True)
    assert found["R_G"] < 0.4304 <= round(found["inner_high"], 4) <= found["high"]


@pytest.mark.parametrize(("p", "at"), [(p, at) for p, at in PAIRS if at < p or p == 0.9])
def test_filling_is_the_linear_programme(p: float, at: float) -> None:
    from scipy.optimize import linprog

    ranks = 60
    price, worth = contribution(p, ranks), contribution(at, ranks)
    # The last variable is the whole tail, which weighs p^60 and p′^60.
    price, worth = np.append(price, p**ranks), np.append(worth, at**ranks)
    for score in (0.0, 0.1, 0.41, 0.8, 1.0):
        from_bottom = 1 - float(filled_from_top(p, at, 1 - score))
        ends = sorted([from_bottom, float(filled_from_top(p, at, score))])
        for sign, end in [(1, ends[0]), (-1, ends[1])]:
            best = linprog(sign * worth, A_eq=[price], b_eq=[score], bounds=(0, 1))
            # The solver's tolerance at p weighs more at p′ > p.
            assert sign * best.fun == pytest.approx(end, abs=1e-6 if at < p else 1e-3)


@pytest.mark.parametrize(("p", "at"), PAIRS)
def test_filling_is_concave_or_convex(p: float, at: float) -> None:
    filled = filled_from_top(p, at, np.linspace(0, 1, 1001))
    bend = np.diff(filled, 2)
    assert (np.diff(filled) >= -1e-12).all()
    assert (bend <= 1e-9).all() if at < p else (bend >= -1e-9).all()


@pytest.mark.parametrize(("p", "at"), PAIRS)
def test_random_long_rankings_stay_within(p: float, at: float) -> None:
    rng = np.random.default_rng(5)
    bits = rng.random((2000, 300)) < rng.random((2000, 1)) ** 2
    score, truth = bits @ contribution(p, 300), bits @ contribution(at, 300)
    for decided in (0, 6):
        low, high = outer_range(p, at, score, score, decided)
        assert (low <= truth).all()
        assert (truth <= high).all()


@pytest.mark.parametrize("residual", [None, 0.0, 0.02, 0.2])
@pytest.mark.parametrize("topics", [None, 1, 25])
@pytest.mark.parametrize(("p", "at"), [pair for pair in PAIRS if pair[0] >= 0.5])
def test_the_inner_range_lies_within_the_outer(
    p: float, at: float, topics: int | None, residual: float | None
) -> None:
    tried = 0
    for score in (0.0, 0.05, 0.41, 0.75):
        published = Published(p, score, residual, topics=topics)
        low, high = outer(published, at)
        inner_low, inner_high = inner(published, at, budget=100)
        if p == 0.5 and residual and inner_low is None and inner_high is None:
            continue  # two binary expansions with ones in the same places do not fit together
        assert inner_low is not None
        assert inner_high is not None
        assert low - 1e-9 <= inner_low <= inner_high <= high + 1e-9
        tried += 1
    assert tried == 4 or (p == 0.5 and tried >= 1)


@pytest.mark.parametrize(("p", "at"), [(0.9, 0.8), (0.8, 0.5), (0.7, 0.9), (0.5, 0.95)])
def test_what_the_search_finds_is_a_ranking_with_that_score(p: float, at: float) -> None:
    for score in np.linspace(0.02, 0.98, 25):
        found = Search(p, at, score - 5e-5, score + 5e-5).best()
        assert found is not None
        bits = np.zeros(1000)
        for start, stop in found.relevant:
            bits[start:stop] = 1
        assert abs(bits @ contribution(p, 1000) - score) <= 5e-5 + 1e-9
        assert bits @ contribution(at, 1000) == pytest.approx(found.worth, abs=1e-9)


@pytest.mark.parametrize(("p", "at"), [(0.8, 0.7), (0.9, 0.8), (0.8, 0.9), (0.95, 0.5)])
def test_the_inner_range_reaches_every_ranking_of_16(p: float, at: float) -> None:
    every = (np.arange(2**16)[:, None] >> np.arange(16)) & 1
    total, truth = every @ contribution(p, 16), every @ contribution(at, 16)
    for score in (0.1, 0.2533, 0.41, 0.5):
        like = truth[np.abs(total - score) <= 0.001]
        low, high = inner(Published(p, score, precision=0.002), at)
        assert low is not None
        assert high is not None
        assert low <= like.min() + 1e-9
        assert like.max() <= high + 1e-9


def test_one_topic_has_a_narrower_range_than_a_mean() -> None:
    for at in (0.5, 0.7, 0.9, 0.95):
        either, one = outer(Published(0.8, 0.41), at), outer(Published(0.8, 0.41, topics=1), at)
        assert either[0] <= one[0] <= one[1] <= either[1]
    assert outer(Published(0.9, 0.05, topics=1), 0.5)[1] < 0.1  # 0.05 < 1 − p: rank 1 is not
    assert outer(Published(0.9, 0.05), 0.5)[1] > 0.25  # in half of the topics it may be


@pytest.mark.parametrize(("p", "at"), PAIRS)
def test_means_of_simulated_topics_stay_within(p: float, at: float) -> None:
    rng = np.random.default_rng(11)
    for _ in range(50):
        topics = int(rng.integers(2, 60))
        # Topics as unlike as can be: some all relevant for a stretch, some not at all.
        first = rng.integers(0, 40, (topics, 1)) * (rng.random((topics, 1)) < rng.random())
        bits = (np.arange(400) < first) ^ (rng.random((topics, 400)) < rng.random() * 0.2)
        score, truth = ((bits @ contribution(q, 400)).mean() for q in (p, at))
        low, high = outer(Published(p, float(score), topics=topics), at)
        assert low <= truth <= high


def test_the_range_of_a_mean_is_attained_as_topics_grow() -> None:
    gaps = []
    for topics in (2, 10, 100):
        mean = Published(0.8, 0.41, precision=1e-8, topics=topics)
        (low, high), (inner_low, inner_high) = outer(mean, 0.5), inner(mean, 0.5)
        assert inner_low is not None
        assert inner_high is not None
        gaps.append((high - low) - (inner_high - inner_low))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-3


def test_a_mean_may_lie_where_no_single_score_can() -> None:
    low, high = outer(Published(0.2, 0.5, topics=10), 0.5)
    assert 0 < low < high < 1


def test_verdicts_rest_on_ranges_that_hold() -> None:
    sound = compare_published("p=0.8,score=0.43", "p=0.9,score=0.2533,precision=0.002")
    assert sound.verdict == "undecided"
    clear = compare_published("p=0.5,score=0.01,residual=0.01", "p=0.8,score=0.95")
    assert clear.verdict == "B"
    assert clear.sentence.startswith("At p = 0.5, B is better: A scores 0.0")


def test_where_p_is_the_same_the_scores_decide() -> None:
    assert compare_published("p=0.8,score=0.42", "p=0.8,score=0.41").verdict == "A"
    assert compare_published("p=0.8,score=0.4100", "p=0.8,score=0.41005").verdict == "undecided"
    held = compare_published("p=0.8,score=0.42", "p=0.8,score=0.41,residual=0.05")
    assert held.verdict == "undecided"


def test_the_deepest_example_is_answered() -> None:
    found = invert(0.99, 0.41, 0.02, precision=1e-8)
    assert found.greatest is not None
    assert len(found.greatest) == 1902


# Gains from 0 to 1.


@pytest.mark.parametrize(("p", "at"), PAIRS)
@pytest.mark.parametrize("topics", [None, 1, 7])
def test_graded_gains_attain_the_range(p: float, at: float, topics: int | None) -> None:
    """Filled ranks, the last in part, are the vector; the linear program above has no better."""
    for score in (0.0, 0.05, 0.41, 0.75, 1.0):
        published = Published(p, score, topics=topics, graded=True)
        assert inner(published, at) == pytest.approx(outer(published, at), abs=1e-8)
    gains = np.minimum(
        np.maximum((0.41005 - (1 - p ** np.arange(400))) / contribution(p, 400), 0), 1
    )
    assert gains @ contribution(p, 400) == pytest.approx(0.41005)
    ends = outer(Published(p, 0.41, graded=True), at) if at < p else (0, 0)
    assert at > p or gains @ contribution(at, 400) == pytest.approx(ends[1], abs=1e-9)


@pytest.mark.parametrize(("p", "at"), PAIRS)
def test_random_graded_rankings_stay_within(p: float, at: float) -> None:
    rng = np.random.default_rng(6)
    for _ in range(200):
        gains = rng.random(300) ** rng.integers(1, 20)
        unjudged = rng.random(300) < rng.random() ** 3
        known = np.where(unjudged, 0.0, gains)
        (low, high), (least, most) = (
            (known @ contribution(q, 300), (known + unjudged) @ contribution(q, 300))
            for q in (p, at)
        )
        score, residual = round(float(low), 4), round(float(high - low), 4)
        published = Published(p, score, residual, graded=True)
        ends = outer(published, at)
        assert ends[0] <= least <= most <= ends[1]
        found = inner(published, at)
        assert found[0] is None or ends[0] - 1e-9 <= found[0]
        assert found[1] is None or found[1] <= ends[1] + 1e-9


def test_graded_ends_with_a_residual_are_attained_where_whole_documents_weigh_it() -> None:
    """Ranks 1 and 3 unjudged: 0.2 + 0.128; the gains fill what is left from the top."""
    published = Published(0.8, 0.25, 0.328, precision=1e-8, graded=True)
    _, high = inner(published, 0.5)
    assert high == pytest.approx(outer(published, 0.5)[1], abs=1e-6)
    found = [
        inner(Published(0.8, s, r, graded=True), at)
        for s in (0.1, 0.4)
        for r in (0.05, 0.3)
        for at in (0.5, 0.95)
    ]
    assert all(low is not None and high is not None for low, high in found)


def test_graded_scores_have_no_gaps_and_ranges_as_wide_as_any() -> None:
    low, high = outer(Published(0.2, 0.5, topics=1, graded=True), 0.5)
    assert 0 < low < high < 1
    for at in (0.5, 0.9):
        graded, binary = (
            outer(Published(0.8, 0.41, topics=1, graded=g), at) for g in (True, False)
        )
        assert graded[0] <= binary[0] <= binary[1] <= graded[1]
    with pytest.raises(CallError, match="not defined for graded judgments"):
        invert(0.8, 0.41, graded=True, method="paper")


# p = 0: the first document.


@pytest.mark.parametrize("other", [0.3, 0.5, 0.8, 0.95])
def test_p_0_against_all_rankings(other: float) -> None:
    every = (np.arange(2**12)[:, None] >> np.arange(12)) & 1
    first, truth = every[:, 0], every @ contribution(other, 12)
    for score in (0, 1):
        low, high = outer(Published(0, score, topics=1), other)
        like = truth[first == score]
        assert low <= like.min() and like.max() <= high
        # Rankings go on: a tail of relevant documents adds p′^12.
        assert (low, high) == pytest.approx((like.min(), like.max() + other**12), abs=1e-4)
        assert inner(Published(0, score, topics=1), other) == pytest.approx((low, high), abs=1e-4)
    for ranking in every[::37]:
        printed = float(ranking @ contribution(other, 12))
        low, high = outer(Published(other, printed, precision=1e-8, topics=1), 0)
        assert low <= ranking[0] <= high
        found = inner(Published(other, printed, precision=1e-8, topics=1), 0)
        assert found[0] is not None and found[1] is not None
        assert low - 1e-9 <= found[0] <= ranking[0] <= found[1] <= high + 1e-9


def test_p_0_of_means_and_comparisons() -> None:
    published = Published(0, 0.3, 0.1, topics=10)
    assert outer(published, 0.5) == pytest.approx((0.15, 0.7), abs=1e-4)
    assert inner(published, 0.5) == pytest.approx((0.15, 0.7), abs=1e-4)
    assert inner(Published(0, 0.35, topics=10), 0.5) == (None, None)  # no 3.5 topics of 10
    assert compare_published("p=0,score=1", "p=0.8,score=0.1").verdict == "A"
    assert compare_published("p=0,score=1", "p=0.8,score=0.25").verdict == "undecided"
    assert significant_ranks(0, 1e-4) == 1


def test_a_residual_of_0_is_rounded_and_none_is_not() -> None:
    none, zero = Published(0.8, 0.41), Published(0.8, 0.41, 0.0)
    assert (none.highest, zero.highest) == pytest.approx((0.41005, 0.4101))
    assert (str(none), str(zero)) == ("RBP 0.41 at p = 0.8", "RBP 0.41 + 0 at p = 0.8")
    for at in (0.5, 0.95):
        assert outer(none, at)[0] == outer(zero, at)[0] and outer(none, at)[1] < outer(zero, at)[1]
    # Unjudged from rank 46 on they weigh 0.8^45 at p = 0.8 and print as 0, but 0.1 at 0.95.
    bits = np.arange(400) == 0
    score, unjudged = bits @ contribution(0.8, 400), np.arange(400) >= 45
    assert round(float(unjudged @ contribution(0.8, 400)), 4) == 0
    all_relevant = (bits | unjudged) @ contribution(0.95, 400)
    assert all_relevant <= outer(Published(0.8, float(score), 0.0, topics=1), 0.95)[1]


EDGES = [0.0, 1e-300, 0.001, 0.2, 0.49999, 0.5, 0.50001, 0.8, 0.99, 0.999, 1 - 1e-16]


def test_whatever_is_allowed_gets_an_answer() -> None:
    answered, reached = [], []

    @settings(max_examples=200, deadline=None)
    @given(data=st.data())
    def law(data: st.DataObject) -> None:
        between = st.floats(0, 1, exclude_max=True)
        p, at = (data.draw(between | st.sampled_from(EDGES)) for _ in range(2))
        score = data.draw(st.floats(0, 1) | st.sampled_from([0.0, 1.0, p, 1 - p]))
        try:
            published = Published(
                p,
                score,
                data.draw(st.none() | st.just(0.0) | st.floats(0, 1 - score)),
                data.draw(st.sampled_from([0.5, 0.01, 1e-4, 1e-8])),
                data.draw(st.sampled_from([None, 1, 2, 50])),
                data.draw(st.booleans()),
            )
        except CallError:
            return
        try:
            low, high = outer(published, at)
        except CallError as error:  # see the next test
            assert published.residual is not None and "no ranking of one topic" in str(error)
            return
        assert 0 <= low <= high <= 1
        inner_low, inner_high = inner(published, at, budget=50)
        assert inner_low is None or low - 1e-9 <= inner_low
        assert inner_high is None or inner_high <= high + 1e-9
        answered.append(published)
        reached.append(inner_low is not None)

    law()
    assert len(answered) >= 50 and sum(reached) >= 25


def test_a_score_and_a_residual_that_no_ranking_has_are_an_error() -> None:
    """At p = 0.5 the score needs ranks 1 to 3 and 5 to 10, so no ranks that weigh 1/64 are left."""
    weights = 0.5 ** np.arange(1, 16)
    rest = weights[-1]
    pairs = 0
    for bits in product((0, 1), repeat=15):
        score = float(np.dot(weights, bits))
        if -rest - 5e-5 <= score - 0.9366432 <= 5e-5:
            free = weights[np.array(bits) == 0]
            sums = (np.array(list(product((0, 1), repeat=len(free)))) @ free) + score
            pairs += int(((sums + rest >= 0.9521682) & (sums <= 0.9523682)).sum())
    assert pairs == 0
    published = Published(0.5, 0.9366432, 0.015625, topics=1)
    with pytest.raises(CallError, match="no ranking of one topic has score"):
        outer(published, 0.75)
    assert (
        outer(replace(published, topics=2), 0.75)[0] < outer(replace(published, topics=2), 0.75)[1]
    )


def test_the_vectors_of_the_paper_are_within_the_sound_range() -> None:
    scores = np.linspace(0.01, 0.99, 99)
    for p, at in [(0.8, 0.5), (0.95, 0.8), (0.9, 0.7)]:
        low, high = outer_range(p, at, scores - 5e-5, scores + 5e-5)
        for end in bounding_vectors(p, scores).range_at(at):
            assert (low - 1e-4 <= end).all()  # what cropping takes away
            assert (end <= high).all()
