"""Tables with named columns, data frames, dicts and matrices give the rows that TREC text gives."""

import gzip
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankwise import InputError, read_qrels, read_runs, score
from rankwise.formats import read_matrix

Write = Callable[[str, str | bytes], Path]

TABLE = pl.DataFrame(
    {"topic": ["007", "7", "7"], "document": ["01", "01", "1e3"], "score": [1.5, -2.0, 3.0]}
)
ROWS = TABLE.rows()
CSV = TABLE.write_csv()
TSV = TABLE.write_csv(separator="\t")
JSON = TABLE.write_ndjson()


def write_table(path: Path) -> Path:
    writers: dict[str, Callable[[Path], Any]] = {
        ".parquet": TABLE.write_parquet,
        ".arrow": TABLE.write_ipc,
        ".feather": TABLE.write_ipc,
        ".ipc": TABLE.write_ipc,
        ".csv": TABLE.write_csv,
        ".tsv": lambda to: to.write_text(TSV),
        ".jsonl": TABLE.write_ndjson,
        ".ndjson": TABLE.write_ndjson,
    }
    writers[path.suffix.lower()](path)
    return path


def rows_of(source: Any) -> list[tuple[Any, ...]]:
    [run] = read_runs(source)
    assert run.frame.schema == {"topic": pl.String, "document": pl.String, "score": pl.Float64}
    return run.frame.rows()


@pytest.mark.parametrize(
    "name",
    [
        *["a.parquet", "a.arrow", "a.feather", "a.ipc", "a.csv", "a.tsv", "a.jsonl", "a.ndjson"],
        *["A.CSV", "a.Parquet", "b.2.csv", "c[1].csv", "c[1].parquet", "c*.jsonl", "d?.arrow"],
    ],
)
def test_every_kind_of_table_gives_the_same_rows(tmp_path: Path, name: str) -> None:
    assert rows_of(write_table(tmp_path / name)) == ROWS


@pytest.mark.parametrize(("name", "text"), [("a.csv", CSV), ("a.tsv", TSV), ("a.jsonl", JSON)])
def test_text_tables_may_be_compressed_or_have_a_mark_or_crlf_or_blank_lines(
    write: Write, name: str, text: str
) -> None:
    for change in (
        *[text, "\ufeff" + text, text.replace("\n", "\r\n"), text.removesuffix("\n")],
        *["\n" + text.replace("\n", "\n\n")],
    ):
        assert rows_of(write(name, change)) == ROWS
        assert rows_of(write(f"{name}.gz", gzip.compress(change.encode()))) == ROWS


def test_csv_without_known_column_names_is_trec_text(write: Write) -> None:
    assert rows_of(write("run.tsv", "7\tQ0\td\t1\t0.5\ttag\n")) == [("7", "d", 0.5)]
    assert read_qrels(write("qrels.csv", "7 0 d 1\n")).frame.rows() == [("7", "d", 1)]


def test_csv_cells_may_be_quoted(write: Write) -> None:
    text = '"topic","document","score"\n"007","a,b ""c""","1"\n'
    assert rows_of(write("a.csv", text)) == [("007", 'a,b "c"', 1.0)]


def test_beir_qrels_are_read_with_their_own_header(write: Write) -> None:
    path = write("test.tsv", "query-id\tcorpus-id\tscore\n007\t0012\t2\n7\t12\t0\n")
    assert read_qrels(path).frame.rows() == [("007", "0012", 2), ("7", "12", 0)]


@pytest.mark.parametrize(
    "columns",
    [
        ["qid", "docno", "label"],
        ["query_id", "doc_id", "relevance"],
        ["q_id", "doc_id", "score"],
        ["Topic", " Document ", "REL"],
    ],
)
def test_columns_may_have_the_names_that_others_give_them(columns: list[str]) -> None:
    frame = pl.DataFrame([["7"], ["d"], [1]], schema=columns)
    assert read_qrels(frame).frame.rows() == [("7", "d", 1)]


PYTERRIER = {  # what its transformers return: docid is a number of the index, query the words
    "qid": ["1", "1"],
    "docid": [17, 4],
    "docno": ["d1", "d2"],
    "rank": [0, 1],
    "score": [2.5, 1.5],
    "query": ["chemical reactions", "chemical reactions"],
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_the_results_of_pyterrier_are_read_by_the_names_of_documents(
    make: Callable[[Any], Any],
) -> None:
    frame = make(PYTERRIER)
    assert rows_of(frame) == [("1", "d1", 2.5), ("1", "d2", 1.5)]
    qrels = make({"qid": ["1"], "docno": ["d1"], "label": [1]})
    assert score(qrels, frame, "RR").value.tolist() == [[[1.0]]]


def test_a_score_beside_a_grade_is_not_the_grade() -> None:
    frame = pl.DataFrame({"qid": ["1"], "docno": ["d"], "score": [7.5], "label": [2]})
    assert read_qrels(frame).frame.rows() == [("1", "d", 2)]
    assert rows_of(frame) == [("1", "d", 7.5)]


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        (["qid", "doc_id", "docno", "score"], "2 columns may be the document: doc_id, docno"),
        (["qid", "docid", "doc_id", "score"], "2 columns may be the document: docid, doc_id"),
        (["qid", "docno", "DocNo", "score"], "2 columns may be the document: docno, DocNo"),
        (["qid", "docid", "docno", "pid", "score"], "2 columns may be the document: docno, pid"),
        (["qid", "topic", "query", "doc", "score"], "2 columns may be the topic: qid, topic"),
        (["qid", "docno", "score", "sim"], "2 columns may be the score: score, sim"),
        (["qid", "docno", "score", "run", "tag"], "2 columns may be the run: run, tag"),
    ],
)
def test_two_candidates_for_a_column_are_refused_by_name(columns: list[str], what: str) -> None:
    frame = pl.DataFrame([["1"] for _ in columns], schema=columns)
    with pytest.raises(InputError, match=re.escape(f"the run: {what}. Use `")):
        read_runs(frame)


def test_a_column_that_is_not_there_is_named_with_what_is(write: Write) -> None:
    with pytest.raises(InputError) as caught:
        read_runs(write("a.csv", "qid,docno,scor\n1,d,2\n"))
    for part in ("a.csv", "no column for the score", "qid, docno, scor", "Did you mean scor?"):
        assert part in str(caught.value)


def test_json_lines_may_change_their_mind_about_types_late(write: Write) -> None:
    lines = [f'{{"qid": {topic}, "docid": "d", "score": 1}}' for topic in range(150)]
    lines.append('{"qid": "007", "docid": "d", "score": 1.5}')
    rows = rows_of(write("a.jsonl", "\n".join(lines)))
    assert rows[0] == ("0", "d", 1.0)
    assert rows[-1] == ("007", "d", 1.5)


FRAMES: Mapping[str, Callable[[], Any]] = {
    "polars": lambda: TABLE,
    "polars, lazy": TABLE.lazy,
    "polars, categorical": lambda: TABLE.with_columns(pl.col("topic").cast(pl.Categorical)),
    "pandas": TABLE.to_pandas,
    "pandas, objects": lambda: TABLE.to_pandas().astype({"topic": object}),
    "pandas, an index": lambda: TABLE.to_pandas().set_index(pd.Index([5, 5, 4])),
    "Arrow": TABLE.to_arrow,
    "Arrow, a batch": lambda: TABLE.to_arrow().to_batches()[0],
    "Arrow, a dictionary": lambda: pa.table(
        {
            "topic": pa.array(["007", "7", "7"]).dictionary_encode(),
            "document": pa.array(["01", "01", "1e3"], pa.large_string()),
            "score": pa.array([1.5, -2, 3], pa.float32()),
        }
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_gives_the_same_rows(kind: str) -> None:
    assert rows_of(FRAMES[kind]()) == ROWS


def test_frames_with_numbers_for_names_give_text() -> None:
    frame = pd.DataFrame({"qid": [7], "docno": [12], "score": [1]})
    assert rows_of(frame) == [("7", "12", 1.0)]
    mixed = pd.DataFrame({"qid": pd.Series([7, "x"], dtype=object), "docno": "d", "score": 1})
    assert rows_of(mixed) == [("7", "d", 1.0), ("x", "d", 1.0)]


def test_names_that_became_fractions_are_refused() -> None:
    frame = pd.DataFrame({"qid": [7, None], "docno": ["a", "b"], "score": [1, 2]})
    with pytest.raises(InputError, match="column qid has decimal numbers"):
        read_runs(frame)


@pytest.mark.parametrize("document", [["a", "list"], b"\xff"])
def test_a_column_of_another_nature_is_refused(document: Any) -> None:
    frame = pl.DataFrame({"qid": ["1"], "docno": [document], "score": [1.0]})
    with pytest.raises(InputError, match=r"column docno has .* cannot be a document"):
        read_runs(frame)


def test_reading_does_not_change_the_frame() -> None:
    frame = pd.DataFrame({"qid": [7], "docno": ["d"], "score": [1]})
    before = frame.copy()
    read_runs(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_dicts_of_dicts_are_runs_and_qrels() -> None:
    run = {"007": {"01": 1.5}, "7": {"01": np.float32(-2), "1e3": 3}}
    assert rows_of(run) == ROWS
    qrels = {"007": {"01": 2}, 7: {"01": np.int64(-1), "b": 1.0, "c": True}, "8": {}}
    assert read_qrels(qrels).frame.rows() == [
        *[("007", "01", 2), ("7", "01", -1), ("7", "b", 1), ("7", "c", 1)]
    ]


def test_dicts_that_hold_something_else_are_refused() -> None:
    with pytest.raises(InputError, match="topic '8' has a list instead of documents"):
        read_runs({"7": {"d": 1.0}, "8": ["d"]})
    with pytest.raises(InputError, match="topic 7: the document ID 12"):
        read_runs({"7": {12: 1.0}})
    with pytest.raises(InputError, match=r"row 2: score 'x' is not a finite number: 7, e, x"):
        read_runs({"7": {"d": 1.0, "e": "x"}})
    with pytest.raises(InputError, match="no rows"):
        read_qrels({})


@pytest.mark.parametrize("first", [1, np.int64(1), 1.0])
@pytest.mark.parametrize("half", [0.5, np.float32(0.5), Decimal("0.5")])
def test_a_fraction_among_whole_grades_is_a_grade_of_its_own_not_cut(first: Any, half: Any) -> None:
    qrels = read_qrels({"7": {"d": first, "e": half}})
    assert qrels.frame["grade"].to_list() == [2, 1]
    assert qrels.gains == {1: 0.5, 2: 1}


def test_a_decimal_column_of_grades_is_not_cut() -> None:
    columns = {"qid": ["7", "7"], "docno": ["d", "e"]}
    whole = pl.DataFrame({**columns, "rel": [Decimal("1.0"), Decimal("2.0")]})
    assert read_qrels(whole).frame["grade"].to_list() == [1, 2]
    assert read_qrels(whole).gains is None
    halves = pl.DataFrame({**columns, "rel": [Decimal("1.0"), Decimal("0.5")]})
    assert read_qrels(halves).gains == {1: 0.5, 2: 1}


@pytest.mark.parametrize("given", [3, None, 2.5, object()])
def test_what_is_neither_path_nor_frame_nor_dict_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=f"{type(given).__name__} cannot be read. Give a path"):
        read_qrels(given)
    with pytest.raises(InputError, match=f"{type(given).__name__} cannot be read. Give a path"):
        read_runs([given])


def test_a_matrix_has_topics_and_systems(write: Write) -> None:
    expected = {"topic": ["007", "8"], "a": [1.0, 0.5], "b": [2.0, 1e-3]}
    text = "topic,a,b\n007,1,2\n8,.5,1e-3\n"
    contents: dict[str, str | bytes] = {
        "m.csv": text,
        "m[1].csv": text,
        "mark.csv": "\ufeff" + text.replace("\n", "\r\n"),
        "blank.csv": "\n" + text + "\n\n",
        "m.tsv": text.replace(",", "\t"),
        "m.txt": text.replace(",", "\t"),
        "m.csv.gz": gzip.compress(text.encode()),
        "unnamed.csv": text.removeprefix("topic"),
        "qid.csv": text.replace("topic", "Query_ID"),
    }
    for name, content in contents.items():
        assert read_matrix(write(name, content)).to_dict(as_series=False) == expected


def test_an_empty_cell_is_an_undefined_score(write: Write) -> None:
    matrix = read_matrix(write("m.csv", "topic,a,b\n1,,2\n2,NA,3\n3,nan,4\n4,1,5\n"))
    assert matrix["a"].is_nan().to_list() == [True, True, True, False]


def test_a_matrix_without_topic_names_numbers_them(write: Write) -> None:
    matrix = read_matrix(write("m.csv", "a,b\n1,2\n3,4\n"))
    assert matrix.to_dict(as_series=False) == {
        "topic": ["1", "2"],
        "a": [1.0, 3.0],
        "b": [2.0, 4.0],
    }


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["m.csv: the file is empty."]),
        ("topic,a\n", ["m.csv: has no scores"]),
        ("topic\n1\n", ["m.csv: has no scores"]),
        ("topic,a,a\n1,2,3\n", ["two columns called 'a'"]),
        ("topic,a\n1,2\n1,3\n", ["m.csv:3: this topic occurs twice: 1"]),
        ("topic,a\n,2\n", ["m.csv:2: topic is missing"]),
        ("topic,a\n1,2\n\n2,inf\n", ["m.csv:4: score of a is not a finite number: inf"]),
        ("topic,a,b\n1,2\n", ["m.csv:2: 2 fields instead of 3: 1,2"]),
        ("topic,a\n1,2,3\n", ["m.csv:2: 3 fields instead of 2: 1,2,3"]),
        ("topic,a,b\n1,x,2\n2,1,-inf\n", ["m.csv:2: score of a", ": x\n", "m.csv:3: score of b"]),
    ],
)
def test_a_faulty_matrix_says_where(write: Write, text: str, parts: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        read_matrix(write("m.csv", text))
    for part in parts:
        assert part in str(caught.value)
