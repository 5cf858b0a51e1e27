"""Scores put together are those of one call, notes included."""

from typing import Any

import numpy as np
import pytest
from calls import call, same_scores

import rankwise
from rankwise import CallError, Scores, score

MADE = rankwise.simulate(topics=6, systems=4, seed=5)
METRICS = ["AP", "nDCG@10", "RBP(p=0.8)", "NumRet", "AP(rel=3)"]


@pytest.mark.parametrize("unjudged", ["own", "open"])
def test_over_runs(unjudged: str) -> None:
    frame = MADE.runs[1].frame
    short = rankwise.Run(frame.filter(frame["topic"] != "2"), name="short")  # lacks a topic
    runs = [MADE.runs[0], short, *MADE.runs[2:]]
    parts = [score(MADE.qrels, run, METRICS, bounds=True, unjudged=unjudged) for run in runs]
    whole = score(MADE.qrels, runs, METRICS, bounds=True, unjudged=unjudged)
    assert any("returned nothing" in note for note in map(str, whole.notes))
    same_scores(Scores.concat(parts), whole)


@pytest.mark.parametrize(
    ("unjudged", "metric", "refused"),
    [
        *[(unjudged, "AP", True) for unjudged in ("retrieved", "extra=2", "top=5")],
        *[(unjudged, "nDCG@10", True) for unjudged in ("retrieved", "top=5")],
        *[("top=5", "RBP(p=0.8)", True), ("retrieved", "RBP(p=0.8)", False)],
        *[("own,extra=2", "AP", False), ("open", "AP", False), ("retrieved", "RR", False)],
    ],
)
def test_bounds_of_runs_that_one_call_would_change_are_refused(
    unjudged: str, metric: str, refused: bool
) -> None:
    ways: Any = {"bounds": True, "unjudged": unjudged}
    made = rankwise.simulate(topics=6, systems=4, depth=10, pool_depth=2, seed=5)
    parts = [call(score, made.qrels, run, metric, **ways) for run in made.runs]
    whole = call(score, made.qrels, made.runs, metric, **ways)
    if refused:
        with pytest.raises(
            CallError, match=r"depend on all runs of the call\. Score all runs in one call"
        ):
            Scores.concat(parts)
        ends = np.concatenate([[part.low, part.high] for part in parts], axis=2)
        assert (ends != np.array([whole.low, whole.high])).any()
    else:
        same_scores(Scores.concat(parts), whole)


def test_over_topics_in_any_order() -> None:
    qrels, run = {}, {}
    for number in range(12, 0, -1):
        qrels[str(number)] = {"a": number % 3, "b": 2}
        run[str(number)] = {"a": 1.0, "x": 0.5, "b": 0.1}
    parts = [
        score({topic: qrels[topic]}, {topic: run[topic]}, ["AP", "AP(rel=2)"], bounds=True)
        for topic in qrels
    ]
    same_scores(Scores.concat(parts), score(qrels, run, ["AP", "AP(rel=2)"], bounds=True))


def test_gains_and_what_they_do_not_reach() -> None:
    parts = [
        score(rankwise.read(MADE.qrels, run, gains="1:0.6:0.3"), metrics=METRICS)
        for run in MADE.runs
    ]
    whole = score(rankwise.read(MADE.qrels, MADE.runs, gains="1:0.6:0.3"), metrics=METRICS)
    assert any(
        note.startswith("AP, ") and note.endswith("not its grade") for note in map(str, whole.notes)
    )
    for name in ("value", "present"):
        np.testing.assert_array_equal(getattr(Scores.concat(parts), name), getattr(whole, name))
    assert Scores.concat(parts).notes == whole.notes


def test_what_does_not_fit_is_said() -> None:
    one, other = (score(MADE.qrels, run, "AP") for run in MADE.runs[:2])
    with pytest.raises(CallError, match="run system1 is in more than one of the scores to combine"):
        Scores.concat([one, one])
    with pytest.raises(CallError, match="different metrics"):
        Scores.concat([one, score(MADE.qrels, MADE.runs[1], "RR")])
    with pytest.raises(CallError, match="no scores"):
        Scores.concat([])
    some = score({"1": {"a": 1}}, {"1": {"a": 1}}, "AP")
    with pytest.raises(CallError, match="neither the same topics nor the same runs"):
        Scores.concat([other, some])
