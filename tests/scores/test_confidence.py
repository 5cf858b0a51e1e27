"""Confidence intervals of means, alone and joined with what judgments could change."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankwise
from rankwise import compare, confidence, gate, parse, score
from rankwise.errors import CallError
from rankwise.scores.scores import Scores

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
    for at, row in enumerate(confidence(scores, 0.9).frame.to_dicts()):
        kept = np.isfinite(scores.value[0, at])

        def ends(cube: np.ndarray, at: int = at, kept: np.ndarray = kept) -> tuple[float, float]:
            x = cube[0, at, kept]
            return stats.t.interval(0.9, len(x) - 1, x.mean(), stats.sem(x))

        assert row["topics"] == kept.sum()
        assert (row["conf_low"], row["conf_high"]) == pytest.approx(ends(scores.value))
        assert row["both_low"] <= min(ends(cube)[0] for cube in (scores.low, scores.high))
        assert row["both_high"] >= max(ends(cube)[1] for cube in (scores.low, scores.high))
        assert row["both_low"] <= row["conf_low"] and row["conf_high"] <= row["both_high"]
        topics, judgments = row["conf_high"] - row["conf_low"], row["high"] - row["low"]
        assert row["wider"] == ("topics" if topics >= judgments else "judgments")


def test_joined_ends_are_the_interval_itself_where_all_is_judged() -> None:
    scores = given()
    row = confidence(replace(scores, low=scores.value, high=scores.value)).frame.row(1, named=True)
    assert (row["both_low"], row["both_high"]) == pytest.approx((row["conf_low"], row["conf_high"]))
    assert row["wider"] == "topics"


def test_counts_are_sums_and_geometric_means_are_of_logarithms() -> None:
    plain = confidence(given("AP")).frame.row(0, named=True)
    added = confidence(given("NumRet")).frame.row(0, named=True)
    assert added["conf_low"] == pytest.approx(11 * plain["conf_low"])
    scores = replace(given(), averaged="geometric")
    row = confidence(scores).frame.row(1, named=True)
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
    with pytest.raises(CallError, match="confidence 95 is not between 0 and 1"):
        confidence(given(), 95)
    with pytest.raises(CallError, match="is not one of t, bootstrap"):
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


def test_an_interval_beyond_what_scores_can_be_is_said() -> None:
    """RR 0.9833 of 30 topics: the upper limit of Student's t is 1.0174."""
    qrels, run = ranked_first(29, 30)
    found = confidence(score(qrels, run, ["RR", "P@1", "SearchLength", "P@2"]))
    rows = {row["metric"]: row for row in found.frame.iter_rows(named=True)}
    assert rows["RR"]["conf_high"] == pytest.approx(1.0174, abs=1e-4)
    notes = [note for note in map(str, found.notes) if "beyond the possible range" in note]
    assert notes == [
        "RR: 1 of 1 confidence intervals extend beyond the possible range of its means, 0 to 1",
        "P@1: 1 of 1 confidence intervals extend beyond the possible range of its means, 0 to 1",
        "SearchLength: 1 of 1 confidence intervals extend beyond the possible range of its means, "
        "0 upwards",
    ]
    inside = confidence(score(*ranked_first(15, 30), ["RR", "P@1", "DCG"]))
    assert not any("beyond" in note for note in map(str, inside.notes))


def test_intervals_of_differences_beyond_what_they_can_be_are_said() -> None:
    qrels, best = ranked_first(3, 3)
    lost = {topic: {f"x{n}": 9.0 - n for n in range(9)} for topic in qrels} | {"2": best["2"]}
    compared = compare(qrels, {"best": best, "lost": lost}, ["RR", "NumRelRet"], test="t")
    said = "RR: 1 of 1 confidence intervals extend beyond the possible range of its differences, "
    assert f"{said}-1 to 1" in map(str, compared.notes)
    passed = gate(qrels, lost, best, max_drop="RR=0.9")
    assert f"{said}-1 to 1" in map(str, passed.notes)
    equal = gate(qrels, best, best, max_drop="RR=0.9")
    assert not any("beyond" in note for note in map(str, equal.notes))


def test_score_with_a_level_returns_the_intervals_of_confidence() -> None:
    made = rankwise.simulate(topics=6, systems=2, seed=3)
    scores = rankwise.score(made.qrels, made.runs, ["AP", "RR"], bounds=True)
    intervals = rankwise.score(made.qrels, made.runs, ["AP", "RR"], bounds=True, confidence=0.9)
    assert intervals.frame.equals(rankwise.confidence(scores, 0.9).frame)
    assert intervals.level == 0.9 and intervals.scores.frame.equals(scores.frame)
    with pytest.raises(rankwise.CallError, match="confidence 95 is not between 0 and 1"):
        rankwise.score(made.qrels, made.runs, "AP", confidence=95)
