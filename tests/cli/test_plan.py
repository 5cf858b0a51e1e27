"""`rankwise plan`."""

import json
from typing import Any


def test_plan_says_how_deep_to_judge(rankwise: Any) -> None:
    done = rankwise("plan", "-m", "RBP(p=0.8)", "-m", "RBP(p=0.95)", "--accuracy", "0.0001")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[2] for line in done.out.splitlines()] == ["depth", "42", "180"]


def test_plan_the_other_way_round(rankwise: Any) -> None:
    done = rankwise("plan", "-m", "RBP", "--depth", "100", "--format", "json")
    assert json.loads(done.out)[0]["greatest p"] == 0.91201


def test_plan_says_why_a_metric_has_no_depth(rankwise: Any) -> None:
    done = rankwise("plan", "-m", "AP")
    assert (done.code, done.out) == (2, "")
    assert "AP has no depth for an accuracy: it divides by" in done.err
    assert rankwise("plan", "-m", "AP", "--depth", "10").code == 2
