"""Runs and judgments in the forms in which people have them, each told by its content or name."""

import json
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rankwise import CallError, InputError, read, read_qrels, read_runs, score
from rankwise.formats import trec

Write = Callable[[str, str | bytes], Path]
FILES = Path(__file__).parent / "files"  # made by the tools themselves, see README there
RANX_RUN = [("q1", "d2", 0.9), ("q1", "d1", 0.5), ("q1", "d7", 0.1)]
RANX_RUN += [("q2", "d3", 12.5), ("q2", "d1", -1.0)]
RANX_QRELS = [("q1", "d1", 2), ("q1", "d2", 1), ("q1", "d9", 0), ("q2", "d1", 1)]


def rows_of(source: Any, **options: Any) -> list[tuple[Any, ...]]:
    [run] = read_runs(source, **options)
    return run.frame.rows()


def order_of(source: Any, **options: Any) -> dict[str, list[str]]:
    """The documents of each topic by score."""
    [run] = read_runs(source, **options)
    best = run.frame.sort("score", descending=True, maintain_order=True)
    return {
        topic: part["document"].to_list()
        for (topic,), part in best.partition_by("topic", as_dict=True, maintain_order=True).items()
    }


def judged(source: Any, **options: Any) -> list[tuple[Any, ...]]:
    return read_qrels(source, **options).frame.rows()


# TREC text with comments


def test_comments_at_the_head_leave_a_run_on_the_fast_path(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_slow_path(*_: Any, **__: Any) -> None:
        raise AssertionError("read line by line")

    monkeypatch.setattr(trec, "_parse_lines", no_slow_path)
    text = "# one\n#\n#\ttwo 'quoted\" words\n1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n"
    assert rows_of(write("run", text)) == [("1", "a", 2.0), ("1", "b", 1.0)]
    assert judged(write("qrels", "# one\n1 0 a 1\n")) == [("1", "a", 1)]


def test_lines_are_counted_with_the_comments_at_the_head(write: Write) -> None:
    path = write("run", "# one\n# two\n1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n")
    with pytest.raises(
        InputError, match=rf"{path}:4: duplicate document in topic 1, first at line 3"
    ):
        read_runs(path)


def test_the_metadata_that_repro_eval_writes_are_kept_and_name_the_run() -> None:
    [run] = read_runs(FILES / "repro_eval.run")
    assert run.frame.rows() == RANX_RUN
    assert run.name == "grp1-bm25"
    assert "\nactor:" in f"\n{run.metadata_text}" and "ir_metadata" not in run.metadata_text


def test_a_run_without_metadata_has_none(write: Write) -> None:
    [run] = read_runs(write("run", "# a comment: no metadata\n1 Q0 a 1 2 t\n"))
    assert (run.name, run.metadata_text) == ("t", "")


@pytest.mark.parametrize(
    ("yaml", "tag"),
    [
        ("tag: plain", "plain"),
        ("tag: two words  # a comment", "two words"),
        ("tag: 'quoted # text'", "quoted # text"),
        ('tag:   "double"', "double"),
        ("actor:\n  tag: of the actor\ntag: own", "own"),
        ("actor:\n  tag: of the actor", "t"),
        ("tag:", "t"),
        ("tag: # nothing", "t"),
    ],
)
def test_the_tag_of_the_metadata_names_the_run(write: Write, yaml: str, tag: str) -> None:
    lines = ["ir_metadata.start", *yaml.split("\n"), "ir_metadata.end"]
    text = "".join(f"# {line}\n" for line in lines) + "1 Q0 a 1 2 t\n"
    assert read_runs(write("run", text))[0].name == tag


# Ranks and no scores


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("rank", ["rank", "Position"])
def test_a_frame_with_ranks_and_no_scores_is_ordered_by_rank(make: Any, rank: str) -> None:
    frame = make({"qid": ["1", "1", "1"], "docno": ["c", "a", "b"], rank: [3, 1, 2]})
    assert order_of(frame) == {"1": ["a", "b", "c"]}
    qrels = {"1": {"b": 1}}
    assert score(qrels, frame, "RR").value.tolist() == [[[0.5]]]
    assert score(read(qrels, frame, order="rank"), metrics="RR").value.tolist() == [[[0.5]]]


def test_csv_with_ranks_and_no_scores_is_ordered_by_rank(write: Write) -> None:
    path = write("a.csv", "user,sku,position\nu1,b,2\nu1,a,1\n")
    assert order_of(path) == {"u1": ["a", "b"]}
    bad = write("b.csv", "user,sku,position\nu1,b,first\n")
    with pytest.raises(InputError, match="is not an integer"):
        read_runs(bad)


MS_MARCO = "7\td9\t1\n7\td3\t2\n7\td5\t3\n8\td1\t1\n8\td9\t2\n"


@pytest.mark.parametrize("name", ["run.tsv", "run.txt", "run"])
def test_ms_marco_runs_are_ranks(write: Write, name: str) -> None:
    path = write(name, MS_MARCO)
    assert order_of(path) == {"7": ["d9", "d3", "d5"], "8": ["d1", "d9"]}
    [run] = read_runs(path)
    assert list(map(str, run.notes)) == [
        f"{path}: the file has three columns, which are read as topic, document and rank"
    ]
    assert order_of(path, order="rank") == order_of(path)


@pytest.mark.parametrize("sign", [",", ";", " ", "  "])
def test_three_columns_with_scores_are_a_run_and_with_grades_qrels(write: Write, sign: str) -> None:
    text = "# made by hand\n1 a 0.5\n1 b 3\n\n2 a 7\n".replace(" ", sign).replace(f"#{sign}", "# ")
    assert rows_of(write("run", text)) == [("1", "a", 0.5), ("1", "b", 3.0), ("2", "a", 7.0)]
    qrels = write("qrels", text.replace("0.5", "2"))
    assert judged(qrels) == [("1", "a", 2), ("1", "b", 3), ("2", "a", 7)]


@pytest.mark.parametrize("third", ["3 2 1", "2 1 3", "0 1 2"])
def test_numbers_that_may_be_ranks_or_scores_are_not_guessed(write: Write, third: str) -> None:
    path = write("run", "".join(f"1 d{n} {n}\n" for n in third.split()))
    with pytest.raises(InputError, match=r"not count from 1 in.* to read it as ranks"):
        read_runs(path)
    by_rank, by_score = ({"1": [f"d{n}" for n in some]} for some in (sorted(third.split()),) * 2)
    by_score["1"].reverse()
    assert order_of(path, columns="rank=3") == by_rank
    assert order_of(path, columns={"score": "3"}) == by_score


def test_a_bad_line_among_three_columns_is_named_or_dropped(write: Write) -> None:
    lines = [f"1 d{n} 0.{n}" for n in range(30)]
    path = write("run", "\n".join([*lines, "1 d77"]))
    with pytest.raises(InputError, match=rf"{path}:31: not three fields: 1 d77"):
        read_runs(path)
    [run] = read_runs(path, lenient=True)
    assert run.frame.height == 30
    assert f"{path}: skipped 1 malformed line" in map(str, run.notes)


# LETOR

LETOR = """# dumped by hand
2 qid:10032 1:0.056537 2:0.0 #docid = GX029-35-5894638 inc = 0.02 prob = 0.139842
0 qid:10032 1:0.279152 # GX030-77-6315042 the words of a title
1 qid:7 # d1
"""
LETOR_ROWS = [("10032", "GX029-35-5894638", 2), ("10032", "GX030-77-6315042", 0), ("7", "d1", 1)]


def test_letor_files_are_judgments_and_runs(write: Write) -> None:
    path = write("train.txt", LETOR)
    assert judged(path) == LETOR_ROWS
    assert rows_of(path) == LETOR_ROWS


def test_letor_without_names_of_documents_is_refused_with_its_lines(write: Write) -> None:
    path = write("train.txt", LETOR + "1 qid:7 1:0.5\n")
    with pytest.raises(InputError, match=rf"{path}:5: no document after #: 1 qid:7 1:0.5"):
        read_qrels(path)
    assert judged(path, lenient=True) == LETOR_ROWS


# JSON


def test_what_ranx_saves_is_read() -> None:
    assert rows_of(FILES / "ranx_run.json") == RANX_RUN
    assert judged(FILES / "ranx_qrels.json") == RANX_QRELS


def test_json_is_told_by_its_content(write: Write) -> None:
    text = (FILES / "ranx_run.json").read_text()
    for name in ("run", "run.txt", "run.json"):
        assert rows_of(write(name, text)) == RANX_RUN
        assert rows_of(write(name, json.dumps(json.loads(text)))) == RANX_RUN  # one line


RECORDS = [
    {"query_id": "1", "doc_id": "a", "score": 2},
    {"query_id": "1", "doc_id": "b", "score": 1},
]
NESTED = [
    {
        "qid": "1",
        "text": "words",
        "results": [{"doc_id": "a", "score": 2}, {"doc_id": "b", "score": 1}],
    },
    {"qid": "2", "text": "more", "results": []},
]
JSON_RUNS = {
    "records": RECORDS,
    "records with lists": NESTED,
    "columns": {"query-id": ["1", "1"], "corpus-id": ["a", "b"], "score": [2, 1]},
    "lists of pairs": {"1": [["a", 2], ["b", 1]]},
    "lists of records": {"1": [{"docid": "a", "score": 2}, {"docid": "b", "score": 1}]},
    "dicts": {"1": {"a": 2, "b": 1}},
}


@pytest.mark.parametrize("shape", JSON_RUNS)
def test_json_of_every_shape_gives_the_same_rows(write: Write, shape: str) -> None:
    expected = [("1", "a", 2.0), ("1", "b", 1.0)]
    assert rows_of(write("run.json", json.dumps(JSON_RUNS[shape], indent=1))) == expected
    assert rows_of(JSON_RUNS[shape]) == expected


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a"])
def test_json_lines_may_hold_a_list_of_structures(write: Write, name: str) -> None:
    path = write(name, "\n".join(json.dumps(line) for line in NESTED))
    assert rows_of(path) == [("1", "a", 2.0), ("1", "b", 1.0)]


def test_json_of_several_runs_gives_them_all(write: Write) -> None:
    runs = read_runs(write("runs.json", json.dumps({"x": {"1": {"a": 1}}, "y": {"1": {"b": 1}}})))
    assert [run.name for run in runs] == ["x", "y"]


def test_what_hugging_face_writes_is_read() -> None:
    expected = [("q1", "d1", 2), ("q1", "d2", 1), ("q2", "d1", 1)]
    assert judged(FILES / "hf_qrels.json") == expected
    columns = {"query-id": ["q1", "q1", "q2"], "corpus-id": ["d1", "d2", "d1"], "score": [2, 1, 1]}
    assert judged(columns) == expected
    assert judged(SimpleNamespace(to_polars=lambda: pl.DataFrame(columns))) == expected


def test_json_that_is_cut_short_says_where(write: Write) -> None:
    with pytest.raises(InputError, match=r"cannot be read as JSON: .*line 1 column"):
        read_runs(write("run.json", '{"1": {"a": 1'))


# Python objects

ScoredDoc = namedtuple("ScoredDoc", ["query_id", "doc_id", "score"])
Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"])


class Dataset:
    """What ir_datasets gives."""

    def qrels_iter(self) -> Iterator[Any]:
        yield Qrel("1", "a", 1, "0")
        yield Qrel("1", "b", 0, "0")

    def scoreddocs_iter(self) -> Iterator[Any]:
        yield ScoredDoc("1", "b", 2.5)
        yield ScoredDoc("1", "a", 1.5)


def test_iterables_of_named_tuples_are_read() -> None:
    data = Dataset()
    assert judged(data.qrels_iter()) == judged(list(data.qrels_iter())) == judged(data)
    assert rows_of(data.scoreddocs_iter()) == [("1", "b", 2.5), ("1", "a", 1.5)]
    assert rows_of(list(data.scoreddocs_iter())) == rows_of(data)
    assert score(data, data, "RR").value.tolist() == [[[0.5]]]
    assert score(data.qrels_iter(), {"x": data, "y": list(data.scoreddocs_iter())}, "RR").runs == (
        *("x", "y"),
    )


def test_lists_of_documents_are_runs_in_their_order_and_judgments() -> None:
    run = {"1": ["c", "a", "b"], "2": []}
    assert order_of(run) == {"1": ["c", "a", "b"]}
    assert [run.name for run in read_runs({"x": run, "y": {"1": ["a"]}})] == ["x", "y"]
    for relevant in (["a", "b"], ("a", "b"), {"a", "b"}, frozenset("ab")):
        assert sorted(judged({"1": relevant})) == [("1", "a", 1), ("1", "b", 1)]
    assert score({"1": {"a"}}, run, "RR").value.tolist() == [[[0.5]]]


def test_a_set_is_no_run() -> None:
    with pytest.raises(InputError, match="topic '1' has a set of documents, which has no order"):
        read_runs({"1": {"a", "b"}})


def test_numpy_columns_are_a_table() -> None:
    columns = {
        "qid": np.array(["1", "1"]),
        "docno": np.array(["a", "b"]),
        "score": np.array([1, 2]),
    }
    assert rows_of(columns) == [("1", "a", 1.0), ("1", "b", 2.0)]


# ir_datasets


def test_a_dataset_id_is_read_through_ir_datasets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two workers that make its folder at once are in each other's way.
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    ir_datasets = pytest.importorskip("ir_datasets")
    known = ir_datasets.registry._registered  # a name can be registered once
    monkeypatch.setattr(ir_datasets.registry, "_registered", known.copy())
    from ir_datasets.formats import TrecQrels, TrecScoredDocs
    from ir_datasets.util import LocalDownload

    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 b 1 2.5 t\n1 Q0 a 2 1.5 t\n")
    qrels = TrecQrels(LocalDownload(tmp_path / "qrels"), {0: "no", 1: "yes"})
    run = TrecScoredDocs(LocalDownload(tmp_path / "run"))
    ir_datasets.registry.register("rankwise-test", ir_datasets.Dataset(qrels, run))
    assert judged("irds:rankwise-test") == [("1", "a", 1), ("1", "b", 0)]
    assert rows_of("irds:rankwise-test") == [("1", "b", 2.5), ("1", "a", 1.5)]
    with pytest.raises(InputError, match=r"no such dataset\. Did you mean rankwise-test"):
        read_qrels("irds:rankwise-tst")
    ir_datasets.registry.register("rankwise-test-qrels", ir_datasets.Dataset(qrels))
    with pytest.raises(InputError, match="no scored documents, and so no run"):
        read_runs("irds:rankwise-test-qrels")


def test_without_ir_datasets_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ir_datasets", None)
    with pytest.raises(CallError, match=r"irds:x: needs ir_datasets: pip install ir_datasets"):
        read_qrels("irds:x")


# Names of columns


@pytest.mark.parametrize("topic", ["user", "User ID", "query id", "QueryId", "topic-id"])
@pytest.mark.parametrize("document", ["item", "SKU", "product_id", "Doc ID"])
@pytest.mark.parametrize("grade", ["rating", "gain", "judgment", "Judgement"])
def test_more_spellings_are_known(topic: str, document: str, grade: str) -> None:
    assert judged(pl.DataFrame({topic: ["1"], document: ["a"], grade: [2]})) == [("1", "a", 2)]


SHOP = "search_term,sku,name,stars\nred shoe,17,a shoe,3\nred shoe,4,a boot,1\n"
SHOP_ROWS = [("red shoe", "17", 3), ("red shoe", "4", 1)]


@pytest.mark.parametrize("name", ["shop.csv", "shop.txt"])
def test_columns_are_called_what_the_caller_says(write: Write, name: str) -> None:
    path = write(name, SHOP)
    said = {"topic": "search_term", "document": "sku", "grade": "stars"}
    assert judged(path, columns=said) == SHOP_ROWS
    text = ",".join(f"{role}={column}" for role, column in said.items())
    assert judged(path, columns=text) == SHOP_ROWS
    several = said | {"grade": ["points", "stars"]}
    assert judged(path, columns=several) == SHOP_ROWS
    records = pl.read_csv(path, infer_schema_length=0).to_dicts()
    assert judged(records, columns=said) == SHOP_ROWS


def test_columns_say_which_of_two_is_meant() -> None:
    frame = pl.DataFrame({"qid": ["1"], "docno": ["a"], "pid": ["b"], "score": [1]})
    with pytest.raises(InputError, match=r"docno, pid\. Use `columns='document="):
        read_runs(frame)
    assert rows_of(frame, columns="document=pid") == [("1", "b", 1.0)]


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ("topic", "'topic' has no column name"),
        ("topic=", "'topic=' has no column name"),
        ("topics=x", r"'topics' is not a known column.*Did you mean topic\?"),
    ],
)
def test_columns_that_cannot_be_read_say_why(columns: str, what: str) -> None:
    with pytest.raises(CallError, match=what):
        read_qrels({"1": {"a": 1}}, columns=columns)


def test_columns_that_a_table_lacks_are_refused(write: Write) -> None:
    said = "topic=searchterm,document=sku,grade=stars"
    with pytest.raises(
        InputError, match=r"no column 'searchterm' for the topic.*mean search_term\?"
    ):
        read_qrels(write("a.csv", SHOP), columns=said)


def test_columns_of_one_file_do_not_disturb_another(write: Write) -> None:
    said = "topic=search_term,document=sku,grade=stars"
    for run in ({"red shoe": {"17": 1.0}}, write("r.csv", "topic,document,score\nred shoe,17,1\n")):
        assert rows_of(run, columns=said) == [("red shoe", "17", 1.0)]


# Notes


def test_topics_without_a_judged_document_are_noted_once_a_run() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}}
    other = {topic: {"A": 1.0} for topic in qrels}
    half = {"1": {"a": 1.0}, "2": {"A": 1.0}, "3": {"A": 1.0}}
    notes = score(qrels, {"other": other, "half": half, "all": qrels}, "AP").notes
    said = [str(note) for note in notes if note.kind == "no-judged-documents"]
    what = "no retrieved document is judged"
    assert said == [
        f"other: on 3 of 3 topics, {what}. "
        "Check that the run and the qrels use the same document IDs",
        f"half: on 2 of 3 topics, {what}, so scores there may be too low",
    ]


def test_a_ranking_that_is_cut_is_not_said_to_hold_nothing_judged() -> None:
    notes = score(read({"1": {"a": 1}}, {"1": {"b": 2.0, "a": 1.0}}, depth=1), metrics="AP").notes
    assert not any(note.kind == "no-judged-documents" for note in notes)
