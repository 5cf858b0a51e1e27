"""Citations of generated answers: a run without order."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankwise
from rankwise import CallError, InputError

QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 1}}


def answer(topic: str, references: list[str], *citations: list[Any]) -> dict[str, Any]:
    sentences = [{"text": "t", "citations": each} for each in citations]
    return {"topic_id": topic, "run_id": "rag", "references": references, "answer": sentences}


ANSWERS = [answer("1", ["x", "a", "b"], [1], [2, 1], []), answer("2", ["d"], ["d"])]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    lines = [json.dumps(each) for each in ANSWERS]
    found = tmp_path / "answers.jsonl"
    found.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return found


def test_citations_are_scored_as_sets_with_bounds(path: Path) -> None:
    found = rankwise.score(QRELS, path, "SetP,SetR,SetF", bounds=True)
    assert found.runs == ("rag",)
    assert found.value[:, 0].tolist() == [[0.5, 1.0], [0.5, 1.0], [0.5, 1.0]]
    assert found.low is not None and (found.low <= found.value).all()
    assert "have no order" in " ".join(map(str, found.notes))


@pytest.mark.parametrize("metric", ["nDCG@10", "SetP,AP", "SetF@5"])
def test_metrics_of_ranks_are_refused(path: Path, metric: str) -> None:
    other = {"other": {"1": ["a"], "2": ["d"]}}
    with pytest.raises(CallError, match=r"have no order, but .* needs a ranking"):
        rankwise.score(QRELS, path, metric)
    with pytest.raises(CallError, match=r"have no order, but .* needs a ranking"):
        rankwise.compare(QRELS, {"rag": path, "other": other["other"]}, metric)


def test_the_format_of_2025_has_its_names_in_the_metadata(tmp_path: Path) -> None:
    one = ANSWERS[0] | {"metadata": {"narrative_id": "1", "run_id": "new"}}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({k: v for k, v in one.items() if k[-3:] != "_id"}) + "\n")
    [run] = rankwise.read_runs(path)
    assert run.name == "new" and run.frame["document"].to_list() == ["a", "b"]


@pytest.mark.parametrize(
    "wrong", [answer("1", ["a"], [3]), {"topic_id": "1", "references": [], "answer": [1]}]
)
def test_citations_of_nothing_are_errors_with_their_line(path: Path, wrong: dict[str, Any]) -> None:
    path.write_text(path.read_text() + json.dumps(wrong) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=":3: not an answer"):
        rankwise.read_runs(path)
    with pytest.raises(InputError, match="answers are a run"):
        rankwise.read_qrels(path)


def test_runs_without_order_are_no_rankings_to_compare_and_no_scores(path: Path) -> None:
    ranked = {"1": ["a"], "2": ["d"]}
    for qrels in (None, QRELS):
        with pytest.raises(CallError, match="have no order, but diff compares rankings"):
            rankwise.diff({"rag": path, "ranked": ranked}, "SetP", qrels=qrels)
    with pytest.raises(InputError, match=r"They are a run, .*SetP, SetR and SetF"):
        rankwise.read_scores(path)


def test_a_report_of_sets_has_no_curves_and_no_changes(path: Path, tmp_path: Path) -> None:
    ranked = {"1": ["a", "x"], "2": ["d"]}
    output = tmp_path / "report.html"
    for runs in ({"rag": path}, {"rag": path, "ranked": ranked}):
        rankwise.report(QRELS, runs, ["SetP", "SetR"], output=output)
        assert output.stat().st_size > 10_000
    with pytest.raises(CallError, match="AP needs a ranking"):
        rankwise.report(QRELS, path, ["AP"], output=output)
