"""The average distance measure, against a plain loop."""

import random

import pytest

import rankwise
from rankwise.errors import CallError, InputError
from rankwise.scores.distance import average_distance

GIVEN = random.Random(3)
DOCUMENTS = [f"d{number}" for number in range(12)]
QRELS = {
    topic: {name: GIVEN.choice([-1, 0, 1, 2, 3]) for name in GIVEN.sample(DOCUMENTS, 7)}
    for topic in ("1", "2", "10")
}
RUNS = {
    run: {t: {n: GIVEN.random() for n in GIVEN.sample(DOCUMENTS, 6)} for t in ("1", "10")}
    for run in ("a", "b")
}


def by_loop(judged: dict[str, int], scores: dict[str, float], scaled: bool) -> float:
    low, high = min(scores.values(), default=0), max(scores.values(), default=1)
    usable = {name: grade for name, grade in judged.items() if grade >= 0}
    total = 0.0
    for name, grade in usable.items():
        estimate = scores.get(name, low if scaled else 0.0)
        if scaled:
            estimate = (estimate - low) / (high - low) if name in scores else 0.0
        total += abs(estimate - grade / 3)
    return 1 - total / len(usable)


@pytest.mark.parametrize("scaled", [False, True])
def test_it_is_one_minus_the_mean_distance(scaled: bool) -> None:
    found = average_distance(QRELS, RUNS, scaled=scaled)
    assert found.runs == ("a", "b") and set(found.topics) == set(QRELS)
    for at, run in enumerate(found.runs):
        for place, topic in enumerate(found.topics):
            wanted = by_loop(QRELS[topic], RUNS[run].get(topic, {}), scaled)
            assert found.value[0, at, place] == pytest.approx(wanted, abs=1e-12)


def test_fractions_are_what_they_are() -> None:
    found = average_distance({"1": {"a": 0.5, "b": 0.25}}, {"1": {"a": 0.5, "b": 0.75}})
    assert found.value.tolist() == [[[0.75]]]


def test_one_score_for_all_is_the_highest_when_scaled() -> None:
    found = average_distance({"1": {"a": 1, "b": 0}}, {"1": {"a": 7, "b": 7}}, scaled=True)
    assert found.value.tolist() == [[[0.5]]]


def test_scores_that_estimate_nothing_are_refused() -> None:
    with pytest.raises(CallError, match=r"document a of topic 1 has the score 7; .*scaled=True"):
        average_distance({"1": {"a": 1}}, {"1": {"a": 7}})


def test_other_verbs_take_it() -> None:
    compared = rankwise.compare(average_distance(QRELS, RUNS))
    assert compared.frame["metric"].to_list() == ["ADM"]


def test_a_run_of_other_topics_is_refused_and_one_that_lacks_some_is_named() -> None:
    with pytest.raises(InputError, match="run: has no topic in common with the qrels"):
        average_distance(QRELS, {"other": {"a": 0.5}})
    strange = average_distance(QRELS, {"1": {"another name": 0.5}})
    assert any("none of its documents is judged: 1 of 1" in note for note in strange.notes)
    found = average_distance(QRELS, RUNS)
    assert any("lack the same 1 of 3 topics" in note for note in found.notes)
    assert found.present.tolist() == [[t != "2" for t in found.topics]] * 2
