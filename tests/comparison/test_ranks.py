"""Ranks that runs may have: by topics alone, and under any judgments of unjudged documents."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from rankwise import TestOptions, compare, read, score, simulate
from rankwise.comparison import Comparison
from rankwise.errors import CallError
from rankwise.scores import confidence

METRICS = ["P@5", "nDCG@5", "RR"]


def completed(
    qrels: dict[str, dict[str, int]], runs: dict[str, dict[str, dict[str, float]]], seed: int
) -> dict[str, dict[str, int]]:
    """Judge every retrieved document at random; as often relevant as the seed says."""
    rng = np.random.default_rng(seed)
    found = {topic: dict(grades) for topic, grades in qrels.items()}
    for run in runs.values():
        for topic, ranking in run.items():
            for document in ranking:
                grade = int(rng.random() < (seed % 5) / 4) * int(rng.integers(1, 3))
                found[topic].setdefault(document, grade)
    return found


def by_topic(frame: pl.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for topic, document, value in frame.select("topic", "document", column).iter_rows():
        found.setdefault(topic, {})[document] = value
    return found


def sets(found: Comparison, ends: str) -> np.ndarray:
    board = found.leaderboard().sort("metric", "run")
    return board.select(f"lowest_rank{ends}", f"highest_rank{ends}").to_numpy()


@pytest.mark.parametrize("seed", range(3))
def test_sets_hold_those_of_any_judgments(seed: int) -> None:
    """A law: complete judgments leave no rank that the combined set does not have."""
    data = simulate(topics=12, systems=4, depth=8, pool_depth=4, seed=seed)
    qrels = by_topic(data.qrels.frame, "grade")
    runs = {run.name: by_topic(run.frame, "score") for run in data.runs}
    ways = TestOptions(interval="bonferroni")
    partial = compare(read(qrels, runs), metrics=METRICS, test=ways)
    low, high = sets(partial, "_both").T
    own_low, own_high = sets(partial, "").T
    assert (low <= own_low).all() and (own_high <= high).all()
    assert (high - low).sum() > (own_high - own_low).sum()  # there is something unjudged
    for trial in range(5):
        judged = completed(qrels, runs, trial)
        least, most = sets(compare(read(judged, runs), metrics=METRICS, test=ways), "").T
        assert (low <= least).all() and (most <= high).all()


def test_complete_judgments_leave_the_sets_of_topics() -> None:
    data = simulate(topics=20, systems=4, depth=8, pool_depth=8, seed=1)
    runs = {run.name: by_topic(run.frame, "score") for run in data.runs}
    qrels = completed(by_topic(data.qrels.frame, "grade"), runs, 0)
    found = compare(read(qrels, runs), metrics="P@5", test=TestOptions(interval="bonferroni"))
    assert sets(found, "_both").tolist() == sets(found, "").tolist()
    assert (np.diff(sets(found, "")) < 3).any()


def test_sets_need_bounds_all_pairs_and_no_clusters() -> None:
    data = simulate(topics=12, systems=3, seed=1)
    scores = score(data.qrels, data.runs, "P@5")
    assert compare(scores).leaderboard()["lowest_rank_both"].null_count() == 3
    ways = TestOptions(clusters={"1": "a", "2": "a"})
    found = compare(read(data.qrels, data.runs), metrics="P@5", test=ways).leaderboard()
    assert found["lowest_rank_both"].null_count() == 3 and not found["lowest_rank"].null_count()
    unadjusted = compare(
        read(data.qrels, data.runs), metrics="P@5", test=TestOptions(interval="t")
    ).leaderboard()
    assert (
        unadjusted["lowest_rank"].null_count() == unadjusted["lowest_rank_both"].null_count() == 3
    )


@pytest.mark.parametrize("systems", [2, 4])
def test_score_has_the_ranks_of_the_leaderboard(systems: int) -> None:
    data = simulate(topics=20, systems=systems, seed=2)
    scores = score(data.qrels, data.runs, ["nDCG@5", "Judged@5"])
    found = confidence(scores, 0.9, ranks=True, seed=3).frame.filter(metric="nDCG@5")
    board = compare(scores, test=TestOptions(alpha=0.1, seed=3)).leaderboard()
    for name in ("lowest_rank", "highest_rank"):
        assert found.sort("run")[name].to_list() == board.sort("run")[name].to_list()
    diagnostic = confidence(scores, 0.9, ranks=True).frame.filter(metric="Judged@5")
    assert diagnostic["lowest_rank"].null_count() == systems
    with pytest.raises(CallError, match="two runs or more"):
        confidence(scores.of_runs([0]), ranks=True)
