"""Confidence intervals of means, alone and joined with what judgments could change."""

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
from scipy import stats

import rankwise
from rankwise import compare, confidence, gate, parse, score
from rankwise.errors import CallError, InputError
from rankwise.scores.scores import Scores
from rankwise.stats.intervals import logit_interval_of, moments
from rankwise.vocabulary import MeanInterval

TOPICS = 12


def given(metric: str = "AP", seed: int = 1) -> Scores:
    """Two runs with scores, lows and highs; topic 2 undefined for the first."""
    value = np.random.default_rng(seed).random((1, 2, TOPICS))
    value[0, 0, 1] = np.nan
    return Scores(
        (parse(metric),),
        ("x", "y"),
        tuple(str(topic) for topic in range(TOPICS)),
        value,
        value * 0.5,
        value + np.linspace(0, 1, TOPICS),
        np.ones((2, TOPICS), np.bool_),
    )


def test_intervals_are_those_of_scipy_and_bounds_join_them() -> None:
    scores = given()
    assert scores.low is not None and scores.high is not None
    for at, row in enumerate(confidence(scores, 0.9, interval="t").frame.to_dicts()):
        kept = np.isfinite(scores.value[0, at])

        def ends(cube: np.ndarray, at: int = at, kept: np.ndarray = kept) -> tuple[float, float]:
            x = cube[0, at, kept]
            return stats.t.interval(0.9, len(x) - 1, x.mean(), stats.sem(x))

        assert row["topics"] == kept.sum()
        assert (row["conf_low"], row["conf_high"]) == pytest.approx(ends(scores.value))
        assert row["both_low"] <= min(ends(cube)[0] for cube in (scores.low, scores.high))
        assert row["both_high"] >= min(1, max(ends(cube)[1] for cube in (scores.low, scores.high)))
        assert row["both_low"] <= row["conf_low"] and row["conf_high"] <= row["both_high"]
        topics, judgments = row["conf_high"] - row["conf_low"], row["high"] - row["low"]
        assert row["wider"] == ("topics" if topics >= judgments else "judgments")


def test_joined_ends_are_the_interval_itself_where_all_is_judged() -> None:
    scores = given()
    judged = replace(scores, low=scores.value, high=scores.value)
    row = confidence(judged, interval="t").frame.row(1, named=True)
    assert (row["both_low"], row["both_high"]) == pytest.approx((row["conf_low"], row["conf_high"]))
    assert row["wider"] == "topics"


def test_counts_are_sums_and_geometric_means_are_of_logarithms() -> None:
    plain = confidence(given("AP"), interval="t").frame.row(0, named=True)
    added = confidence(given("NumRet")).frame.row(0, named=True)
    assert added["conf_low"] == pytest.approx(11 * plain["conf_low"])
    scores = replace(given(), averaged="geometric")
    row = confidence(scores, interval="t").frame.row(1, named=True)
    logs = np.log(scores.value[0, 1])
    expected = stats.t.interval(0.95, 11, logs.mean(), stats.sem(logs))
    assert (row["conf_low"], row["conf_high"]) == pytest.approx(np.exp(expected))
    assert row["conf_low"] < row["value"] < row["conf_high"]


def test_unknown_and_infinite_bounds_stay_so() -> None:
    scores = given()
    assert scores.low is not None and scores.high is not None
    unknown = replace(scores, low=np.full_like(scores.low, np.nan))
    row = confidence(unknown).frame.row(1, named=True)
    assert (row["both_low"], row["wider"]) == (None, None)
    high = scores.high.copy()
    high[0, 1, 3] = np.inf
    assert confidence(replace(scores, high=high)).frame.row(1, named=True)["both_high"] == np.inf


def test_without_bounds_and_with_one_topic() -> None:
    found = score({"1": {"a": 1}}, {"1": {"a": 1}}, "RR")
    [row] = confidence(found, interval="bootstrap").frame.to_dicts()
    assert (row["value"], row["conf_low"], row["conf_high"]) == (1, None, None)
    assert "both_low" not in row


def test_a_seed_makes_the_bootstrap_the_same_again() -> None:
    one, again, other = (confidence(given(), interval="bootstrap", seed=s) for s in (1, 1, 2))
    assert one.frame.equals(again.frame) and not one.frame.equals(other.frame)


def test_what_cannot_be_asked_for_is_said() -> None:
    with pytest.raises(CallError, match="`level` must be between 0 and 1"):
        confidence(given(), 95)
    with pytest.raises(CallError, match="is not one of logit, t, bootstrap"):
        confidence(given(), interval="z")  # type: ignore[arg-type]


def test_counts_add_up_where_other_means_are_geometric() -> None:
    """They were multiplied: 1 × 2 × 1 relevant documents retrieved are 4, not 2."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "c": 1}, "3": {"b": 1}}
    run = {"1": {"a": 3, "b": 2}, "2": {"c": 2, "a": 1}, "3": {"b": 1}}
    asked = ["NumRelRet", "AP"]
    plain, found = (
        score(qrels, run, asked, mean=mean, bounds=True) for mean in ("arithmetic", "geometric")
    )
    assert found.mean().row(0) == plain.mean().row(0)
    assert found.mean()["value"].to_list() == pytest.approx([4, 1])
    assert confidence(found).frame.row(0) == confidence(plain).frame.row(0)


def ranked_first(found: int, topics: int) -> tuple[Any, Any]:
    """Judgments, and a run that has the relevant document first in some topics, else second."""
    names = [str(topic) for topic in range(topics)]
    qrels = {topic: {"a": 1} for topic in names}
    run = {
        topic: {"a": 2.0, "b": 1.0} if place < found else {"b": 2.0, "a": 1.0}
        for place, topic in enumerate(names)
    }
    return qrels, run


def test_no_interval_of_a_mean_leaves_the_range_of_the_metric() -> None:
    """RR 0.9833 of 30 topics: the upper limit of Student's t is 1.0174."""
    qrels, run = ranked_first(29, 30)
    scores = score(qrels, run, ["RR", "P@1", "SearchLength", "P@2"], bounds=True)
    for interval in get_args(MeanInterval)[:2]:  # the bootstrap has none here
        rows = confidence(scores, interval=interval).frame.rows_by_key(
            "metric", named=True, unique=True
        )
        for end in ("conf", "both"):
            assert 0 <= rows["RR"][f"{end}_low"] < rows["RR"]["value"]
            assert rows["RR"]["value"] < rows["RR"][f"{end}_high"] <= 1
            assert rows["SearchLength"][f"{end}_low"] >= 0
        assert (rows["RR"]["conf_high"] == 1) == (interval != "logit")
    geometric = confidence(replace(scores, averaged="geometric")).frame
    assert geometric.filter(metric="RR")["conf_high"][0] < 1


def test_the_logit_interval_is_students_t_of_the_logit() -> None:
    """By the delta method; the range of another metric may be 0 to 2, or have no end."""
    values = np.random.default_rng(1).random((3, 12))
    found = moments(values)
    low, high = logit_interval_of(found, 0.9, 0.0, np.array([1.0, 2.0, np.inf]))
    for row, most in enumerate((1.0, 2.0)):
        mean = found.mean[row] / most
        error = found.error[row] / most / (mean * (1 - mean))
        ends = stats.t.interval(0.9, 11, np.log(mean / (1 - mean)), error)
        expected = [most / (1 + np.exp(-end)) for end in ends]
        assert [low[row], high[row]] == pytest.approx(expected)
    plain = stats.t.interval(0.9, 11, found.mean[2], found.error[2])
    assert (low[2], high[2]) == pytest.approx(plain)


def test_no_interval_of_a_difference_leaves_its_range() -> None:
    qrels, best = ranked_first(3, 3)
    lost = {topic: {f"x{n}": 9.0 - n for n in range(9)} for topic in qrels} | {"2": best["2"]}
    compared = compare(qrels, {"best": best, "lost": lost}, ["RR", "NumRelRet"], test="t")
    row = compared.frame.row(0, named=True)
    assert (row["conf_low"], row["conf_high"] > 0) == (-1, True)
    passed = gate(qrels, lost, best, max_drop="RR=0.9")
    assert passed.frame["conf_high"].to_list() == [1]


def test_score_with_a_level_returns_the_intervals_of_confidence() -> None:
    made = rankwise.simulate(topics=6, systems=2, seed=3)
    scores = rankwise.score(made.qrels, made.runs, ["AP", "RR"], bounds=True)
    intervals = rankwise.score(made.qrels, made.runs, ["AP", "RR"], bounds=True, confidence=0.9)
    assert intervals.frame.equals(rankwise.confidence(scores, 0.9).frame)
    assert intervals.level == 0.9 and intervals.scores.frame.equals(scores.frame)
    with pytest.raises(rankwise.CallError, match="`confidence` must be between 0 and 1"):
        rankwise.score(made.qrels, made.runs, "AP", confidence=95)


def test_intervals_have_the_scores_of_topics_and_say_where_scores_are() -> None:
    scores = given()
    intervals = confidence(scores)
    assert intervals.by_topic().equals(scores.by_topic())
    with pytest.raises(InputError, match="a value of type Confidence cannot be read"):
        compare(intervals)  # type: ignore[arg-type]
