"""The embedded collection behaves like a TREC track."""

from pathlib import Path

import numpy as np
import pytest

import rankwise
from rankwise import CallError


@pytest.fixture(scope="module")
def made() -> rankwise.Simulated:
    return rankwise.simulate(topics=25, systems=12, depth=100, seed=3)


def test_the_same_seed_makes_the_same_collection(made: rankwise.Simulated) -> None:
    again = rankwise.simulate(topics=25, systems=12, depth=100, seed=3)
    other = rankwise.simulate(topics=25, systems=12, depth=100, seed=4)
    assert again.qrels.frame.equals(made.qrels.frame)
    assert all(a.frame.equals(b.frame) for a, b in zip(again.runs, made.runs, strict=True))
    assert not other.qrels.frame.equals(made.qrels.frame)


def test_systems_differ_in_quality_and_share_documents(made: rankwise.Simulated) -> None:
    scores = rankwise.score(made.qrels, made.runs, "AP").mean()["value"]
    assert scores.max() > 2 * scores.min()  # type: ignore[operator]
    first, second = (set(run.frame["document"]) for run in made.runs[:2])
    assert len(first & second) > 0.1 * len(first)


def test_grades_are_graded_and_documents_unjudged(made: rankwise.Simulated) -> None:
    assert set(made.qrels.frame["grade"]) == {0, 1, 2, 3}
    judged = rankwise.score(made.qrels, made.runs, ["Judged@20", "Judged"]).value.mean(axis=2)
    assert (judged[1] < judged[0]).all()
    assert judged[0].max() == 1.0  # pooled systems are judged to the pool's depth
    assert judged[0].min() < 0.9  # the others are not


def test_ties_occur(made: rankwise.Simulated) -> None:
    judged = rankwise.Collection(made.qrels, made.runs).judged()
    assert (judged.tie_last > judged.tie_first).any()


def test_what_is_written_scores_as_what_is_in_memory(
    made: rankwise.Simulated, tmp_path: Path
) -> None:
    made.write(tmp_path)
    files = sorted((tmp_path / "runs").glob("*.run"))
    read = rankwise.score(tmp_path / "qrels.txt", files, ["AP", "nDCG@10", "RR"])
    held = rankwise.score(made.qrels, made.runs, ["AP", "nDCG@10", "RR"])
    assert read.runs == held.runs
    np.testing.assert_array_equal(read.value, held.value)


def test_every_topic_has_a_relevant_document(made: rankwise.Simulated) -> None:
    assert made.truth.frame["topic"].n_unique() == 25


@pytest.mark.parametrize("wrong", [{"topics": 0}, {"systems": 0}, {"depth": 0}, {"pool_depth": 0}])
def test_nothing_cannot_be_simulated(wrong: dict[str, int]) -> None:
    with pytest.raises(CallError, match="must be a whole number, 1 or more"):
        rankwise.simulate(**wrong)
