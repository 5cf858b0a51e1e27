"""What is pickled says the same in another process, whatever its hash seed."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from table import EXAMPLES

import rankwise
from rankwise.scores.engine import score_judged

NAMES = ("AP", "nDCG@10", "RBP(p=0.8)")
RESCORE = """
import pickle, sys
import rankwise
with open(sys.argv[1], "rb") as file:
    sides, metrics = pickle.load(file)
for qrels, runs in sides:
    print(*rankwise.score(qrels, runs, metrics).value.ravel().tolist())
"""


@pytest.fixture
def used() -> rankwise.Simulated:
    """A collection whose judgments and runs have been joined, so that all is cached."""
    made = rankwise.simulate(topics=4, systems=3, depth=30)
    assert all(run.stretches for run in (made.qrels, *made.runs))  # what is cached
    rankwise.compare(made.qrels, made.runs, NAMES)
    assert "stretches" in vars(made.qrels)
    assert "stretches" in vars(made.runs[0])
    return made


def values_of(qrels: Any, runs: Any) -> list[float]:
    return rankwise.score(qrels, runs, NAMES).value.ravel().tolist()


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_scores_are_the_same_in_a_process_with_another_hash_seed(
    used: rankwise.Simulated, tmp_path: Path, seed: str
) -> None:
    fresh = rankwise.simulate(topics=4, systems=3, depth=30)
    sides = [(used.qrels, fresh.runs), (fresh.qrels, used.runs), (used.qrels, used.runs)]
    kept = tmp_path / "kept"
    kept.write_bytes(pickle.dumps((sides, [rankwise.parse(name) for name in NAMES])))
    done = subprocess.run(
        [sys.executable, "-c", RESCORE, kept],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [[float(value) for value in line.split()] for line in done.stdout.splitlines()]
    assert lines == [values_of(used.qrels, used.runs)] * 3


@pytest.mark.slow
def test_scores_are_the_same_in_processes_that_are_spawned(used: rankwise.Simulated) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        fresh = rankwise.simulate(topics=4, systems=3, depth=30)
        sides = [(used.qrels, fresh.runs), (fresh.qrels, used.runs), (used.qrels, used.runs)]
        several = pool.starmap(rankwise.score, [(*side, NAMES) for side in sides])
    for found in several:
        assert found.value.ravel().tolist() == values_of(used.qrels, used.runs)


def test_runs_and_judgments_travel_with_their_fields_only(used: rankwise.Simulated) -> None:
    for rows in (used.qrels, *used.runs):
        for other in (pickle.loads(pickle.dumps(rows)), copy.copy(rows), copy.deepcopy(rows)):
            assert vars(other).keys() == type(rows).__dataclass_fields__.keys()
            assert other.frame.equals(rows.frame)
            assert other.notes == rows.notes


def test_judged_rankings_scores_and_comparisons_can_be_pickled(used: rankwise.Simulated) -> None:
    judged = rankwise.Collection(used.qrels, used.runs).judged()
    scores = rankwise.score(used.qrels, used.runs, NAMES, bounds=True)
    score_judged(judged, scores.metrics)  # fills what it keeps
    other = pickle.loads(pickle.dumps(judged))
    assert score_judged(other, scores.metrics).value.tolist() == scores.value.tolist()

    again = pickle.loads(pickle.dumps(scores))
    assert again.metrics == scores.metrics
    for name in ("value", "low", "high"):
        np.testing.assert_array_equal(getattr(again, name), getattr(scores, name))

    found = rankwise.compare(used.qrels, used.runs, NAMES)
    same = pickle.loads(pickle.dumps(found))
    assert same.frame.equals(found.frame)
    assert (same.caption, same.notes) == (found.caption, found.notes)
    assert same.leaderboard().equals(found.leaderboard())


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_metric_can_be_pickled(name: str) -> None:
    metric = rankwise.parse(name)
    assert pickle.loads(pickle.dumps(metric)) == metric
