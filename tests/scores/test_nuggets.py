"""Nugget assignments of generated answers become scores."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import rankwise
from rankwise import CallError, InputError

Nugget = dict[str, Any]


def nugget(importance: str, assignment: str | None = None) -> Nugget:
    return {"text": "t", "importance": importance, "assignment": assignment}


def write(path: Path, answers: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(answer) + "\n" for answer in answers), encoding="utf-8")
    return path


def scored(path: Path) -> dict[str, float]:
    found = rankwise.read_scores(path)
    return {str(metric): float(found.value[at, 0, 0]) for at, metric in enumerate(found.metrics)}


def test_scores_are_those_that_nuggetizer_printed(tmp_path: Path) -> None:
    """The assignments of nuggetizer's own test, and the four scores it expects."""
    nuggets = [nugget("vital", "support"), nugget("okay", "partial_support")]
    found = scored(write(tmp_path / "a.jsonl", [{"qid": "q1", "nuggets": nuggets}]))
    printed = {"strict_vital_score": 1.0, "strict_all_score": 0.5}
    printed |= {"vital_score": 1.0, "all_score": 0.75}
    assert {name: found[name] for name in printed} == printed
    assert found["weighted_score"] == pytest.approx(1.25 / 1.5)
    assert found["strict_weighted_score"] == pytest.approx(1 / 1.5)


def test_bounds_hold_every_assignment_and_are_attained(tmp_path: Path) -> None:
    for importance in product(["vital", "okay"], repeat=3):
        known = [nugget(importance[0], "partial_support")]
        unassigned = [nugget(each) for each in importance[1:]]
        path = write(tmp_path / "a.jsonl", [{"qid": "1", "nuggets": known + unassigned}])
        found = rankwise.read_scores(path)
        assert found.low is not None and found.high is not None
        every = []
        for way in product(["support", "partial_support", "not_support"], repeat=2):
            judged = [nugget(i, a) for i, a in zip(importance[1:], way, strict=True)]
            other = write(tmp_path / "b.jsonl", [{"qid": "1", "nuggets": known + judged}])
            every.append(rankwise.read_scores(other).value[:, 0, 0])
        for at in range(len(found.metrics)):
            ends = [found.low[at, 0, 0], found.high[at, 0, 0]]
            values = [each[at] for each in every]
            assert ends == pytest.approx([min(values), max(values)], nan_ok=True)


def test_a_missing_answer_scores_0_and_a_topic_without_vital_nuggets_has_no_vital_score(
    tmp_path: Path,
) -> None:
    one = [nugget("okay", "support")]
    answers = [{"qid": q, "run_id": "a", "nuggets": one} for q in ("1", "2")]
    first = write(tmp_path / "a.jsonl", answers)
    second = write(tmp_path / "b.jsonl", [answers[0] | {"run_id": "b"}])
    found = rankwise.read_scores([first, second])
    assert found.runs == ("a", "b")
    assert found.to_dict()["b"]["all_score"] == 0.5
    assert found.to_dict()["a"]["vital_score"] is None
    assert any(each.kind == "no-answer" for each in found.notes)


def test_answers_are_compared_like_any_scores(tmp_path: Path) -> None:
    grades = ["support", "not_support"]
    runs = {
        name: write(
            tmp_path / f"{name}.jsonl",
            [
                {"qid": str(q), "nuggets": [nugget("vital", grades[(q * step) % 2])]}
                for q in range(12)
            ],
        )
        for name, step in (("even", 1), ("all", 2))
    }
    scores = rankwise.read_scores(list(runs.values()))
    assert scores.runs == ("even", "all")
    compared = rankwise.compare(scores)
    assert compared.frame.filter(compared.frame["metric"] == "vital_score").height == 1


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"qid": "1", "nuggets": [{"importance": "high"}]}', "neither vital nor okay"),
        (
            '{"qid": "1", "nuggets": [{"importance": "okay", "assignment": "yes"}]}',
            "is not one of support",
        ),
        ('{"qid": "1", "run": "x"}', "not an answer with qid and nuggets"),
        ('{"nuggets": []}', "no qid: "),
    ],
)
def test_what_is_no_assignment_is_an_error_with_its_line(
    tmp_path: Path, line: str, what: str
) -> None:
    path = tmp_path / "a.jsonl"
    good = json.dumps({"qid": "0", "nuggets": [nugget("okay", "support")]})
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"a\.jsonl:2: .*{what}"):
        rankwise.read_scores(path)


def test_nuggets_and_other_scores_are_not_mixed(tmp_path: Path) -> None:
    one = write(tmp_path / "a.jsonl", [{"qid": "1", "nuggets": [nugget("okay", "support")]}])
    other = tmp_path / "b.csv"
    other.write_text("run,topic,metric,value\nx,1,all_score,0.5\n", encoding="utf-8")
    with pytest.raises(CallError, match="cannot be combined with other scores"):
        rankwise.read_scores([one, other])


def test_an_assignment_that_failed_is_none(tmp_path: Path) -> None:
    """nuggetizer writes `failed` where its model did not answer, and counts it as no support."""
    nuggets = [nugget("vital", "support"), nugget("vital", "failed")]
    found = rankwise.read_scores(write(tmp_path / "a.jsonl", [{"qid": "1", "nuggets": nuggets}]))
    assert found.low is not None and found.high is not None
    assert found.value[0, 0, 0] == found.low[0, 0, 0] == 0.5 and found.high[0, 0, 0] == 1


def test_nuggets_are_no_run_and_no_judgments(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [{"qid": "1", "nuggets": [nugget("okay", "support")]}])
    for qrels, run in (({"1": {"d": 1}}, path), (path, {"1": ["d"]})):
        with pytest.raises(InputError, match=r"nugget assignments.*as scores: give it to compare"):
            rankwise.score(qrels, run, "AP")


def test_compare_shows_how_far_unassigned_nuggets_change_a_difference(tmp_path: Path) -> None:
    given = {"old": ["support", None, "not_support"], "new": ["support", "support", None]}
    paths = [
        write(
            tmp_path / f"{run}.jsonl",
            [{"qid": str(q), "nuggets": [nugget("vital", a) for a in ways]} for q in range(3)],
        )
        for run, ways in given.items()
    ]
    scores = rankwise.read_scores(paths)
    [about] = [str(each) for each in rankwise.compare(scores).notes if each.kind == "nuggets"]
    assert "the difference new − old can be +0.0000 to +0.6667 (all_score)" in about
    third = write(tmp_path / "third.jsonl", [{"qid": "0", "nuggets": [nugget("okay")]}])
    several = rankwise.compare(rankwise.read_scores([*paths, third]))
    [about] = [str(each) for each in several.notes if each.kind == "nuggets"]
    assert "the mean of a run can be higher by up to 0.3333 (all_score)" in about
    assert not any("qrels" in str(each) for each in several.notes)
