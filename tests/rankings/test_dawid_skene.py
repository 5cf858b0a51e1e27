"""Dawid and Skene's model, against crowd-kit and against the truth."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankwise import Judges, read_qrels
from rankwise.rankings.judges import dawid_skene

# crowd-kit 1.4.2, DawidSkene(n_iter=2000, tol=1e-12): rows are document, judge, grade.
PEER = json.loads((Path(__file__).parent / "dawid_skene_peer.json").read_text())


@pytest.mark.parametrize("case", PEER, ids=range(len(PEER)))
def test_probabilities_are_those_of_crowd_kit(case: dict[str, Any]) -> None:
    document, judge, grade = np.array(case["rows"]).T
    number = np.unique(document, return_inverse=True)[1]
    expected = np.array(case["probabilities"])
    assert dawid_skene(number, judge, grade) == pytest.approx(expected, abs=1e-6)


def judged(seed: int) -> tuple[dict[str, dict[str, dict[str, int]]], dict[str, int]]:
    """Two good judges, and three who all take grade 1 for 0."""
    rng = np.random.default_rng(seed)
    truth = {f"d{n}": int(rng.random() < 0.5) for n in range(300)}
    judges: dict[str, dict[str, dict[str, int]]] = {}
    for name in ("good", "fair", "blind 1", "blind 2", "blind 3"):
        right = 0.97 if name == "good" else 0.9
        blind = name.startswith("blind")
        judges[name] = {
            "1": {
                document: int(grade and rng.random() < 0.25)
                if blind
                else (grade if rng.random() < right else 1 - grade)
                for document, grade in truth.items()
            }
        }
    return judges, truth


def test_judges_who_miss_most_are_outvoted() -> None:
    judges, truth = judged(1)
    right = {}
    for combine in ("majority", "dawid-skene"):
        frame = read_qrels(Judges(judges, combine)).frame
        grades = dict(frame.select("document", "grade").rows())
        right[combine] = sum(grades[d] == g for d, g in truth.items()) / len(truth)
    assert right["majority"] < 0.8 and right["dawid-skene"] > 0.93
