"""Scores as other tools write them, from files that the tools made (tests/formats/made)."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from rankwise import InputError, compare, gate, read_scores
from rankwise.formats import read_score_rows

MADE = Path(__file__).parent / "made"


@pytest.fixture(autouse=True, scope="module")
def _each_reader() -> None:
    """The kernel reads no score files: one reader will do."""


AP = {"bm25": {"1": 5 / 6, "2": 7 / 12, "3": 0.5, "4": 1.0}, "dense": {"1": 1.0, "2": 5 / 6}}
LEADERBOARD = {
    ("bm25", "t1", "FRACT"): 0.5,
    ("bm25", "t2", "FRACT"): 1.0,
    ("dense", "t1", "FRACT"): 0.75,
    ("dense", "t2", "FRACT"): 0.25,
    ("bm25", "t1", "COUNT"): 3,
    ("bm25", "t2", "COUNT"): 1,
    ("dense", "t1", "COUNT"): 2,
    ("dense", "t2", "COUNT"): 4,
}


def cells(path: str | Path) -> dict[tuple[str, ...], float]:
    rows = read_score_rows(MADE / path)
    assert rows is not None
    return {tuple(row[:3]): row[3] for row in rows.select("run", "topic", "metric", "value").rows()}


@pytest.mark.parametrize(
    "folder", ["trec_eval/{}.eval", "ir_measures/{}.tsv", "ir_measures/{}.jsonl"]
)
def test_one_file_per_run_is_named_by_its_file(folder: str) -> None:
    metric = "map" if "trec_eval" in folder else "AP"
    scores = read_scores([MADE / folder.format(run) for run in AP])
    assert scores.runs == ("bm25", "dense") and scores.topics == ("1", "2", "3", "4")
    found = scores.to_dict(by_topic=True)
    for run, expected in AP.items():
        for topic, value in expected.items():
            assert found[run][metric][topic] == pytest.approx(value, abs=1e-4)
    named = read_scores({"old": MADE / folder.format("bm25"), "new": MADE / folder.format("dense")})
    assert named.runs == ("old", "new") and (named.value == scores.value).all()
    assert compare(scores).frame.height == 2
    assert gate(scores, "bm25", "dense", min={metric: 0.1}).passed


@pytest.mark.parametrize("order", ["tot", "ir_measures", "rag4reports"])
def test_the_columns_of_autojudge_are_found_by_their_means(order: str) -> None:
    assert cells(f"autojudge/{order}.eval.txt") == LEADERBOARD


def test_autojudge_writes_json_lines() -> None:
    assert cells("autojudge/jsonl.eval.jsonl") == LEADERBOARD


def test_samples_of_the_evaluation_harness_are_topics() -> None:
    expected = {("dummy", f"capitals/{n}", "exact_match"): float(n == 1) for n in range(3)}
    assert cells("lm_eval/dummy/samples_capitals_2026-11-18T02-41-48.329411.jsonl") == expected
    assert cells("lm_eval") == expected
    [(_, task, metric)] = cells("lm_eval/dummy/results_2026-11-18T02-41-48.329411.json")
    assert (task, metric) == ("capitals", "exact_match")


@pytest.mark.parametrize("index", ["", "Unnamed: 0", "__index_level_0__"])
def test_the_row_numbers_of_pandas_are_no_metric(index: str, tmp_path: Path) -> None:
    """`result.to_pandas().to_csv("new.csv")` has them in its first column."""
    rows = [f"{n},Question {n}?,{n / 4}" for n in range(3)]
    (tmp_path / "new.csv").write_text("\n".join([f"{index},user_input,faithfulness", *rows]))
    assert [str(metric) for metric in read_scores(tmp_path / "new.csv").metrics] == ["faithfulness"]
    rows = [f"{n},a,q{n},{n / 4}" for n in range(3)]
    (tmp_path / "wide.csv").write_text("\n".join([f"{index},run,topic,accuracy", *rows]))
    assert [str(metric) for metric in read_scores(tmp_path / "wide.csv").metrics] == ["accuracy"]


def test_perplexities_of_the_evaluation_harness_are_of_each_document(tmp_path: Path) -> None:
    """lm_eval 0.4.13 logs [log-likelihood, length]; a task without scores per document is named."""
    folder = tmp_path / "model"
    folder.mkdir()
    record: dict[str, Any] = {"doc_id": 0, "resps": [], "arguments": {}, "filter": "none"}
    logged = {"word_perplexity": [-6.0, 3], "bits_per_byte": [-6.0, 17], "perplexity": -2.0}
    samples = folder / "samples_wiki_2026-11-18T08-37-45.131925.jsonl"
    samples.write_text(json.dumps(record | logged))
    scores = read_scores(folder)
    assert scores.to_dict(by_topic=True) == {
        "model": {
            "word_perplexity": {"wiki/0": pytest.approx(math.exp(2))},
            "bits_per_byte": {"wiki/0": pytest.approx(6 / 17 / math.log(2))},
            "perplexity": {"wiki/0": pytest.approx(math.exp(2))},
        }
    }
    assert all(metric.less_is_better for metric in scores.metrics)
    samples.write_text(json.dumps(record | {"metrics": ["bleu"], "bleu": ["a", "b"]}))
    with pytest.raises(InputError, match="has no score per document: bleu"):
        read_scores(folder)


@pytest.mark.parametrize(
    ("file", "values"), [("good.json", [1, 1, 1, 1, 0, 1]), ("bad.eval", [0, 0, 1, 1, 0, 0])]
)
def test_logs_of_inspect_ai_have_letters_for_scores(file: str, values: list[int]) -> None:
    if file.endswith(".eval"):
        pytest.importorskip("zstandard", reason="inspect_ai compresses with zstd")
    found = cells(f"inspect_ai/{file}")
    assert [topic for _, topic, metric in found if metric == "match"] == [
        "capitals/q1",
        "capitals/q2",
        "capitals/q3",
    ]
    assert {run for run, _, _ in found} == {f"mockllm/{file.partition('.')[0]}"}
    assert list(found.values()) == values


def test_epochs_of_inspect_ai_are_averaged(tmp_path: Path) -> None:
    log = json.loads((MADE / "inspect_ai" / "good.json").read_text())
    again = json.loads(json.dumps(log["samples"][0]))
    again["epoch"], again["scores"]["match"]["value"] = 2, "I"
    again["scores"]["includes"]["value"] = {"a": 0.25, "b": True}
    log["samples"].append(again)
    (tmp_path / "log.json").write_text(json.dumps(log))
    found = cells(tmp_path / "log.json")
    assert found["mockllm/good", "capitals/q1", "match"] == 0.5
    assert found["mockllm/good", "capitals/q1", "includes/a"] == 0.25
    assert found["mockllm/good", "capitals/q1", "includes/b"] == 1


def test_test_cases_of_deepeval_are_topics() -> None:
    run = "test_run_20261118_024753"
    exact = {(run, "q1", "Exact"): 1.0, (run, "q2", "Exact"): 0.0}
    length = {(run, "q1", "Length"): 0.5, (run, "q2", "Length"): 0.1}
    assert cells(f"deepeval/{run}.json") == exact | length


@pytest.mark.parametrize("file", ["out.json", "out.jsonl"])
def test_prompts_of_promptfoo_are_runs(file: str) -> None:
    found = cells(f"promptfoo/{file}")
    plain, said = "echo [{{question}}]", "echo [Say: {{question}}]"
    assert found[plain, "q1", "exact"] == 1 and found[plain, "q2", "exact"] == 0
    assert found[said, "q1", "score"] == 0.5 and found[said, "q1", "success"] == 0
    assert len(found) == 12


@pytest.mark.parametrize("file", ["ragas.csv", "ragas.jsonl"])
def test_questions_of_ragas_are_topics(file: str) -> None:
    found = cells(f"ragas/{file}")
    assert found["ragas", "Capital of France?", "id_based_context_recall"] == 1
    assert found["ragas", "Highest mountain?", "id_based_context_precision"] == 0.5
    assert len(found) == 4


def test_results_of_beir_are_means_of_data_sets() -> None:
    found = cells("beir/model/scifact.json")
    assert found["model", "scifact", "NDCG@10"] == 0.62 and len(found) == 9


def test_a_table_with_a_column_per_metric(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("run,topic,AP,words,note\na,1,0.5,3,x\nb,1,1,4,y\n")
    found = cells(tmp_path / "wide.csv")
    assert found == {
        ("a", "1", "AP"): 0.5,
        ("b", "1", "AP"): 1,
        ("a", "1", "words"): 3,
        ("b", "1", "words"): 4,
    }


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.eval", "map\t1\t0.5\nmap\t2\thigh\nmap\tall\t0.5\n", "2: value is not a number"),
        ("a.eval", "map\t1\t0.5\nmap\t2\n", "2: 2 fields, where the first line has 3"),
        ("a.eval", "x\ty\tz\t0.5\n", "the columns of topics and of measures cannot be disting"),
        ("a.eval", "map\t1\t0.5\nmap\t1\t0.7\nmap\tall\t1\n", "scores of the same run a, topic 1"),
        ("a.eval", "map\tall\t0.5\n", "has only means over topics"),
        ("a.json", '{"eval": {"task": "t", "model": "m"}, "status": "error"}', "has no samples"),
        ("a.json", '{"eval": {"task": "t", "model": "m"}, "samples": [{}]}', "no field 'id'"),
        ("a.json", '{"testCases": 3}', "testCases is 3 where a list is expected"),
        ("a.json", '{"testCases": []}', "holds no scores"),
        (
            "a.json",
            '{"testCases": [{"metricsData": [{"score": "x", "name": "A"}]}]}',
            "a number is",
        ),
        ("a.jsonl", '{"doc_id": 1, "resps": [], "arguments": []}\nx\n', "2: not a JSON object"),
        ("a.eval", "PK\x03\x04broken", "cannot be read as a zip file"),
    ],
)
def test_a_fault_is_named_with_its_place(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_scores(tmp_path / name)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(MADE / "trec_eval" / "bm25.eval", tmp_path / folder)
    files = [tmp_path / folder / "bm25.eval" for folder in ("a", "b")]
    with pytest.raises(InputError, match="two files have a score for run bm25, topic 1"):
        read_scores(files)
    assert read_scores(dict(zip("ab", files, strict=True))).runs == ("a", "b")


def test_a_run_in_columns_is_no_table_of_scores(tmp_path: Path) -> None:
    """The baseline of a gate may be a run or scores: three columns, and a column of runs."""
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d1 1\n3 0 d2 1\n")
    (tmp_path / "run.tsv").write_text("1\td1\t2\n1\td2\t1\n2\td2\t3\n2\td1\t1\n3\td2\t1\n")
    (tmp_path / "run.csv").write_text("run,topic,doc_id,score\na,1,d1,2\na,2,d1,1\na,3,d2,1\n")
    for name in ("run.tsv", "run.csv"):
        run = tmp_path / name
        assert gate(tmp_path / "qrels", run, run, max_drop={"RR": 0.1}).passed


ODD: list[Any] = [None, 3, "x", [], {}, [1], {"a": 1}, True, 1e400]


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        *["inspect_ai/good.json", "deepeval/test_run_20261118_024753.json", "promptfoo/out.json"],
        *["lm_eval/dummy/results_2026-11-18T02-41-48.329411.json", "beir/model/scifact.json"],
    ],
)
def test_no_value_in_a_document_gives_a_traceback(file: str, tmp_path: Path) -> None:
    """Every value that lies four or five names deep is replaced by odd ones."""
    document, tried = json.loads((MADE / file).read_text()), 0
    for path in _paths(document, 5 if "good" in file else 4):
        for odd in ODD:
            changed = json.loads(json.dumps(document))
            inner = changed
            for step in path[:-1]:
                inner = inner[step]
            inner[path[-1]] = odd
            (tmp_path / "odd.json").write_text(json.dumps(changed))
            tried += 1
            try:
                read_scores(tmp_path / "odd.json")
            except InputError as error:
                assert "odd.json" in str(error)
    assert tried > 100


def _paths(found: Any, depth: int) -> list[tuple[Any, ...]]:
    """Paths to values, in lists only through the first element."""
    if depth == 0 or not isinstance(found, dict | list) or not found:
        return []
    keys = list(found) if isinstance(found, dict) else [0]
    skipped = {"events", "stats", "plan", "config", "tokenUsage", "versions", "configs"}
    kept = [key for key in keys if key not in skipped]
    return [(key, *rest) for key in kept for rest in [(), *_paths(found[key], depth - 1)]]
