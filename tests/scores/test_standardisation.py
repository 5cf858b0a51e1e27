"""Standardised scores: against reference runs, topic by topic."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from rankwise import score, standardise
from rankwise.errors import CallError
from rankwise.scores.imported import scores_from_matrices
from rankwise.stats.standardising import standardised

SYSTEMS = pl.DataFrame(
    {"topic": ["1", "2", "3"], "a": [0.1, 0.5, 0.3], "b": [0.3, 0.5, 0.9], "c": [0.8, 0.5, 0.0]}
)


def test_runs_are_their_own_reference_unless_others_are_given() -> None:
    scores = scores_from_matrices({"AP": SYSTEMS})
    own = standardise(scores, scale="z")
    assert own.value[0, :, [0, 2]].mean(axis=1) == pytest.approx([0, 0], abs=1e-12)
    assert [str(metric) for metric in own.metrics] == ["z(AP)"]
    others = scores_from_matrices({"AP": SYSTEMS.select("topic", "b", "c")})
    against = standardise(scores, others)
    expected = standardised(scores.value[0], others.value[0])
    assert against.value[0] == pytest.approx(expected, nan_ok=True)
    assert [str(metric) for metric in against.metrics] == ["std(AP)"]


def test_a_topic_that_all_reference_runs_score_the_same_is_left_out_and_said() -> None:
    found = standardise(scores_from_matrices({"AP": SYSTEMS}))
    assert np.isnan(found.value[0, :, 1]).all()
    assert found.mean()["topics"].to_list() == [2, 2, 2]
    said = "AP: 1 topic is excluded, because all reference runs have the same score there"
    assert said in map(str, found.notes)


def test_reference_topics_are_matched_by_name() -> None:
    scores = scores_from_matrices({"AP": SYSTEMS})
    turned = scores_from_matrices({"AP": SYSTEMS.reverse().head(2)})  # topics 3 and 2
    found = standardise(scores, turned, scale="z").value[0]
    assert np.isnan(found[:, :2]).all()
    assert found[:, 2] == pytest.approx(standardise(scores, scale="z").value[0, :, 2])


def test_bounds_are_dropped() -> None:
    runs = {"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"b": 1}}}
    found = standardise(score({"1": {"a": 1}}, runs, "RR", bounds=True))
    assert found.low is None and found.high is None


def test_what_cannot_be_standardised_is_said() -> None:
    scores = scores_from_matrices({"AP": SYSTEMS})
    one = scores_from_matrices({"AP": SYSTEMS.select("topic", "a")})
    with pytest.raises(CallError, match="two reference runs or more"):
        standardise(one)
    with pytest.raises(CallError, match="different metrics"):
        standardise(scores, scores_from_matrices({"RR": SYSTEMS}))
    with pytest.raises(CallError, match="no topic in common"):
        standardise(scores, replace(scores, topics=("7", "8", "9")))
    with pytest.raises(CallError, match="geometric"):
        standardise(replace(scores, averaged="geometric"))
    with pytest.raises(CallError, match="is not one of normal, z"):
        standardise(scores, scale="Z")  # type: ignore[arg-type]
