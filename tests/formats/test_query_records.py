"""Runs as pipelines write them: a record per query with a list of documents."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankwise import read_qrels, read_runs, report, score
from rankwise.errors import InputError

MADE = Path(__file__).parent / "made"
QRELS = {"q1": {"d1": 1}, "q2": {"d3": 1}}
RECORDS: list[dict[str, Any]] = [
    {
        "question": "How does bread rise?",
        "query_id": "q1",
        "contexts": [
            {"id": "d2", "score": 0.9, "text": "Cats sleep."},
            {"id": "d1", "score": 0.8, "text": "Bread rises\nwith yeast."},
        ],
        "answer": "with yeast",
    },
    {"question": "When does rain fall?", "query_id": "q2", "contexts": []},
]


def rows(given: Any, **options: Any) -> list[tuple[str, str, float]]:
    [run] = read_runs(given, **options)
    return run.frame.rows()


def changed(record: int, **fields: Any) -> list[dict[str, Any]]:
    return [{**one, **(fields if at == record else {})} for at, one in enumerate(RECORDS)]


def written(folder: Path, records: Any, name: str) -> Path:
    path = folder / name
    lines = name.endswith("l") and isinstance(records, list)
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["run.json", "run.jsonl", "memory", "polars", "by topic"])
def test_records_are_read_from_files_and_from_python(tmp_path: Path, name: str) -> None:
    given: Any = RECORDS
    if name.startswith("run"):
        given = written(tmp_path, RECORDS, name)
    elif name == "polars":
        given = pl.DataFrame(RECORDS)
    elif name == "by topic":
        given = {one["query_id"]: one["contexts"] for one in RECORDS}
    assert rows(given) == [("q1", "d2", 0.9), ("q1", "d1", 0.8)]
    scores = score(QRELS, given, "RR")
    assert scores.frame.select("topic", "value").rows() == [("q1", 0.5), ("q2", 0.0)]


def test_runs_of_records_have_the_names_of_a_dict() -> None:
    assert [run.name for run in read_runs({"old": RECORDS, "new": RECORDS})] == ["old", "new"]


def test_a_list_without_scores_is_in_order_of_rank() -> None:
    records = changed(0, contexts=[{"id": "d9"}, {"id": "d1"}, {"id": "d5"}])
    assert [document for _, document, _ in rows(records)] == ["d9", "d1", "d5"]
    assert score(QRELS, records, "RR").frame["value"].to_list() == [0.5, 0.0]


@pytest.mark.parametrize(
    ("contexts", "message"),
    [
        (
            [{"id": "d1"}, {"text": "x"}],
            r"record 1: contexts\[1\]\.id is not the name of a document",
        ),
        ([{"id": "d1"}, {"id": None}], r"contexts\[1\]\.id is not the name"),
        ([{"id": "d1"}, {"id": True}], r"contexts\[1\]\.id is not the name"),
        ([{"id": "d1", "score": 1}, {"id": "d2"}], r"contexts\[1\]: the score is missing"),
        ([{"id": "d1", "score": "high"}], r"contexts\[0\]: the score is 'high', and must be"),
        ([{"id": "d1"}, {"id": "d1"}], r"record 1: duplicate document in topic q1"),
        (None, "record 1: contexts is not a list"),
        ([{"id": "a", "doc_id": "b"}], r"contexts\.doc_id and contexts\.id may each be the docum"),
        ([{"id": "a"}, {"metadata": {"id": "b"}}], r"columns='document=contexts\.id'"),
        ([{"text": "a"}], "no list has documents with an ID.*document=LIST.NAME"),
        ([{"id": "a", "score": 0.1}, {"id": "b", "score": 0.2}], "rises along the lists, as dist"),
    ],
)
def test_what_is_wrong_or_ambiguous_is_one_message(contexts: Any, message: str) -> None:
    others = [{"query_id": "q3", "contexts": [{"id": "x", "score": 1}] if contexts is None else []}]
    with pytest.raises(InputError, match=message):
        read_runs([*changed(0, contexts=contexts), *others])


def test_lenient_drops_the_document_and_not_its_query() -> None:
    records = changed(0, contexts=[{"text": "x"}, {"id": "d1"}, {"id": "d1"}])
    assert [row[:2] for row in rows(records, lenient=True)] == [("q1", "d1")]


def test_a_topic_twice_and_two_lists_are_errors() -> None:
    with pytest.raises(InputError, match="record 3: topic q1 twice, first at record 1"):
        read_runs([*RECORDS, RECORDS[0]])
    with pytest.raises(InputError, match=r"contexts\.id and sources\.id may each be the document"):
        read_runs(changed(0, sources=[{"id": "d7"}]))
    records = [{**one, "sources": [{"id": "d7"}]} for one in RECORDS[:1]]
    read = rows(records, columns="document=sources.id")
    assert read == [("q1", "d7", -1.0)]


def test_a_malformed_line_is_named_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    good = '{"id": "q1", "contexts": [{"id": "d1"}]}'
    path.write_text(f'{good}\n{{"id": "q2"\n{{"id": "q3", "error": "timeout"}}\n')
    with pytest.raises(InputError, match=r"run\.jsonl:2: not a JSON object(?s:.*)3: contexts is n"):
        read_runs(path)
    assert rows(path, lenient=True) == [("q1", "d1", -1.0)]


@pytest.mark.parametrize(
    ("columns", "documents"),
    [
        ("rank=contexts", ["a", "b"]),
        ("score=contexts.score", ["b", "a"]),
    ],
)
def test_columns_say_what_orders_a_list(columns: str, documents: list[str]) -> None:
    records = changed(0, contexts=[{"id": "a", "score": 0.1}, {"id": "b", "score": 0.2}])
    best_first = sorted(rows(records, columns=columns), key=lambda row: -row[2])
    assert [document for _, document, _ in best_first] == documents


def test_nested_names_reach_anything(tmp_path: Path) -> None:
    document = {
        "config": {"k": 2},
        "out": [
            {"meta": {"number": 7}, "found": {"keys": ["a", "b"], "weights": [3, 2]}},
            {"meta": {"number": 8}, "found": {"keys": [], "weights": []}},
        ],
    }
    path = written(tmp_path, document, "run.json")
    columns = "topic=out.meta.number,document=out.found.keys,score=out.found.weights"
    assert rows(path, columns=columns) == [("7", "a", 3.0), ("7", "b", 2.0)]
    short = {**document, "out": [{"meta": {"number": 7}, "found": {"keys": [1], "weights": []}}]}
    with pytest.raises(InputError, match="have 1 and 0 elements"):
        read_runs(written(tmp_path, short, "short.json"), columns=columns)
    with pytest.raises(InputError, match=r"no record has a value for topic=out\.meta\.nr"):
        read_runs(path, columns=columns.replace("number", "nr"))


def test_results_of_langchain_and_llama_index() -> None:
    files = {"documents": "context", "with_scores": "results", "dumped": "source_documents"}
    read = []
    for name, field in files.items():
        path = MADE / "langchain" / f"{name}.json"
        with pytest.raises(InputError, match=rf"{field}\.id and {field}\.metadata\.doc_id may"):
            read_runs(path)
        read.append(rows(path, columns=f"document={field}.metadata.doc_id"))
    assert [[row[:2] for row in one] for one in read] == [[row[:2] for row in read[0]]] * 3
    assert {row[1] for row in read[0]} == {"d1", "d2", "d3"}
    assert max(row[2] for row in read[1]) > 0 > max(row[2] for row in read[0])
    nodes = rows(MADE / "llama_index" / "nodes.jsonl")
    assert [round(row[2], 1) for row in nodes] == [0.9, 0.8, 0.7] * 2
    assert nodes[0][:2] == ("q1", "d1")


@pytest.mark.parametrize("name", ["ragas.jsonl", "ragas.csv"])
def test_ragas_has_a_run_and_its_judgments(name: str) -> None:
    path = MADE / "ragas" / name
    judged = read_qrels(path).frame.rows()
    assert judged[0] == ("Capital of France?", "d1", 1)
    assert score(path, path, "P@2").frame["value"].to_list() == [0.5] * len({r[0] for r in judged})


def test_a_run_read_as_judgments_is_refused() -> None:
    records = changed(0, contexts=[{"id": "d1"}])
    with pytest.raises(InputError, match="no field of contexts has the grade"):
        read_qrels(records)
    assert read_qrels(records, columns="document=contexts.id").frame.rows() == [("q1", "d1", 1)]


def test_texts_of_records_show_in_the_report(tmp_path: Path) -> None:
    path = written(tmp_path, RECORDS, "run.json")
    made = report(QRELS, {"a": path, "b": RECORDS}, "RR", output=tmp_path / "report.html")
    texts = made.data["texts"]
    assert {name: texts[name] for name in ("topics", "documents")} == {
        "topics": {"q1": "How does bread rise?", "q2": "When does rain fall?"},
        "documents": {"d1": "Bread rises with yeast.", "d2": "Cats sleep."},
    }
