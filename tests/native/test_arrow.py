"""Tables through the kernel and without it: the same arrays, or the same error."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from calls import read_judged
from hypothesis import given, settings, strategies as st
from kernels import Taken, check_alike, outcome

from rankwise.native import feeding, kernel

pytestmark = pytest.mark.skipif(kernel() is None, reason="the kernel was not built")

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "a-name-of-more-than-twelve-bytes": 1}}
LONG = "a-name-of-more-than-twelve-bytes"
ROWS = {
    "topic": ["1", "1", "2", "2", "9"],
    "document": ["b", "a", LONG, "é文", "x"],
    "score": [2.5, 1.5, 0.5, 0.5, 1.0],
}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Taken:
    return Taken(monkeypatch)


def with_types(topic: pa.DataType, document: pa.DataType, score: pa.DataType) -> pa.Table:
    types = {"topic": topic, "document": document, "score": score}
    columns = {name: pa.array(ROWS[name]) for name in types}
    columns["score"] = pa.array([5.0, 4.0, 3.0, 3.0, 1.0])
    return pa.table(
        {
            name: column.dictionary_encode().cast(types[name])
            if isinstance(types[name], pa.DictionaryType)
            else column.cast(types[name])
            for name, column in columns.items()
        }
    )


TEXTS = [
    *(pa.string(), pa.large_string(), pa.string_view()),
    *(pa.dictionary(index, pa.string()) for index in (pa.int8(), pa.uint16(), pa.int64())),
    pa.dictionary(pa.int32(), pa.large_string()),
]
NUMBERS = [
    *(pa.float32(), pa.float64(), pa.int8(), pa.uint8(), pa.int16(), pa.uint16()),
    *(pa.int32(), pa.uint32(), pa.int64(), pa.uint64()),
]


@pytest.mark.parametrize("text", TEXTS, ids=str)
def test_texts_of_every_layout_are_taken(taken: Taken, text: pa.DataType) -> None:
    table = with_types(text, text, pa.float64())
    views = with_types(pa.string_view(), pa.string_view(), pa.float64())
    for retrieved in (False, True):
        found = check_alike(QRELS, table, retrieved=retrieved)
        assert found == outcome(lambda: read_judged(QRELS, views, retrieved=retrieved))  # noqa: B023
    assert found["rank"] == [1, 2, 2] and (taken.clean, taken.left) == (4, 0)


@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_scores_of_every_width_are_taken(taken: Taken, number: pa.DataType) -> None:
    assert check_alike(QRELS, with_types(pa.string(), pa.string(), number))["rank"] == [1, 2, 2]
    assert (taken.clean, taken.left) == (1, 0)


@pytest.mark.parametrize("number", NUMBERS[2:], ids=str)
def test_whole_numbers_are_names(taken: Taken, number: pa.DataType) -> None:
    signed = pa.types.is_signed_integer(number)
    documents = [0, 7, 100, -128 if signed else 5]
    qrels = {"3": {str(name): 1 for name in documents}}
    columns = {"topic": pa.array([3] * 4, number), "document": pa.array(documents, number)}
    table = pa.table({**columns, "score": [4, 3, 2, 1]})
    assert check_alike(qrels, table)["rank"] == [1, 2, 3, 4]
    assert taken.clean == 1


@pytest.mark.parametrize("name", [2**63 - 1, -(2**63)])
def test_the_largest_whole_numbers_are_names(taken: Taken, name: int) -> None:
    frame = pl.DataFrame({"topic": [name], "document": [name], "score": [1.0]})
    assert check_alike({str(name): {str(name): 1}}, frame)["rank"] == [1]
    assert taken.clean == 1


FORMS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "polars, lazy": lambda frame: frame.lazy(),
    "polars, in chunks": lambda frame: pl.concat([frame[:2], frame[2:]], rechunk=False),
    "pandas": lambda frame: frame.to_pandas(),
    "pandas, objects": lambda frame: frame.to_pandas().astype({"topic": object}),
    "pandas, categories": lambda frame: frame.to_pandas().astype({"topic": "category"}),
    "pandas, an index": lambda frame: frame.to_pandas().set_index(pd.Index([3, 1, 4, 1, 5])),
    "pyarrow": lambda frame: frame.to_arrow(),
    "pyarrow, in chunks": lambda frame: pa.concat_tables(
        [frame[:1].to_arrow()] + [frame[1:].to_arrow()]
    ),
    "categories": lambda frame: frame.with_columns(pl.col("topic").cast(pl.Categorical)),
    "an enumeration": lambda frame: frame.with_columns(
        pl.col("topic").cast(pl.Enum(["9", "2", "1"]))
    ),
    "other names": lambda frame: frame.rename({"topic": "qid", "document": "docno"}),
    "ranks in place of scores": lambda frame: frame.select(
        "topic", "document", rank=pl.Series([1, 2, 1, 2, 1])
    ),
    "a run's name": lambda frame: frame.with_columns(run=pl.lit("bm25")),
    "a slice": lambda frame: pl.concat([frame, frame])[5:],
    "other columns": lambda frame: frame.with_columns(text=pl.lit([1, 2])),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_frames_of_every_kind_are_taken(taken: Taken, form: Callable[..., Any]) -> None:
    found = check_alike(QRELS, form(pl.DataFrame(ROWS)), retrieved=True)
    assert sorted(found["grade"]) == [0, 1, 1] and (taken.clean, taken.left) == (1, 0)


@pytest.mark.parametrize("order", ["score", "rank", "file"])
@pytest.mark.parametrize("depth", [None, 1])
def test_orders_and_depths_are_alike(taken: Taken, order: Any, depth: int | None) -> None:
    frame = pl.DataFrame({**ROWS, "rank": [2, 1, 1, 1, 1]})
    assert isinstance(check_alike(QRELS, frame, order=order, depth=depth, retrieved=True), dict)
    assert (taken.clean, taken.left) == (1, 0)


UNCLEAN: dict[str, dict[str, Any]] = {
    "a null in the topics": {"topic": ["1", None, "2", "2", "9"]},
    "a null in the documents": {"document": ["b", "a", None, "c", "x"]},
    "a null in the scores": {"score": [1.0, None, 1.0, 1.0, 1.0]},
    "an empty topic": {"topic": ["1", "", "2", "2", "9"]},
    "an empty document": {"document": ["b", "", "c", "d", "x"]},
    "NaN": {"score": [1.0, float("nan"), 1.0, 1.0, 1.0]},
    "infinite": {"score": [1.0, float("inf"), 1.0, 1.0, 1.0]},
    "a document twice": {"document": ["b", "b", "c", "d", "x"]},
    "a topic in two places": {"topic": ["1", "2", "1", "2", "9"]},
    "scores as text": {"score": ["1", "2", "3", "4", "5"]},
    "fractions as names": {"topic": [1.5, 1.5, 2.5, 2.5, 3.5]},
    "truths": {"score": [True, False, True, True, False]},
    "lists": {"document": [["b"], ["a"], ["c"], ["d"], ["x"]]},
    "dates": {"topic": pd.to_datetime(["2020-01-01"] * 5)},
    "two runs": {"run": ["a", "a", "b", "b", "b"]},
    "a run without a name": {"run": ["a", "a", "", "", "a"]},
    "two columns of topics": {"query_id": ["1", "1", "2", "2", "9"]},
    "a line end, and documents are wanted": {"document": ["b", "two\nlines", "c", "d", "x"]},
}


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("columns", UNCLEAN.values(), ids=UNCLEAN)
def test_odd_tables_are_left_to_the_reader(
    taken: Taken, columns: dict[str, Any], lenient: bool
) -> None:
    check_alike(QRELS, pl.DataFrame({**ROWS, **columns}), lenient=lenient, retrieved=True)
    assert taken.clean == 0


def test_no_rows_and_no_column() -> None:
    for frame in (pl.DataFrame(ROWS).clear(), pl.DataFrame({"a": [1]}), pl.DataFrame()):
        assert check_alike(QRELS, frame)[0] == "InputError"


def test_a_document_named_like_its_topic_is_noticed() -> None:
    qrels, rows = {"a": {"a": 1, "b": 1}}, {"topic": ["a", "a"], "document": ["b", "a"]}
    found = check_alike(qrels, pl.DataFrame({**rows, "score": [2, 1]}))
    without = check_alike(qrels, pl.DataFrame({**rows, "document": ["b", "c"], "score": [2, 1]}))
    assert len(found["notes"]) == len(without["notes"]) + 1


def write_parquet(frame: pl.DataFrame, path: Path) -> None:
    frame.write_parquet(path, row_group_size=100)


def write_arrow(frame: pl.DataFrame, path: Path) -> None:
    frame.write_ipc(path)


FILES = {"a.parquet": write_parquet, "a.arrow": write_arrow}


def random_rows(seed: int, topics: int = 60, depth: int = 20) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    order = rng.permutation(topics)
    documents = np.concatenate([rng.permutation(40)[:depth] for _ in range(topics)])
    return pl.DataFrame(
        {
            "topic": np.repeat(order, depth).astype(str),
            "document": [f"{'document-' if d % 2 else 'd'}{d:05}" for d in documents],
            "score": rng.integers(0, 9, topics * depth) / 8,
        }
    )


def random_qrels(topics: int = 60) -> pl.DataFrame:
    names = [f"{'document-' if d % 2 else 'd'}{d:05}" for d in range(15)]
    pairs = [(str(topic), name) for topic in range(0, topics, 2) for name in names]
    grades = [place % 3 for place in range(len(pairs))]
    return pl.DataFrame(pairs, ["topic", "document"], orient="row").with_columns(
        grade=pl.Series(grades)
    )


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("size", [16, 100, 1 << 18])
def test_files_are_read_slice_by_slice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: Taken, name: str, size: int
) -> None:
    frame, qrels = random_rows(1), random_qrels()
    monkeypatch.setattr(feeding, "SLICE", size)
    monkeypatch.setattr(feeding, "TAIL", 7)
    monkeypatch.setattr(feeding, "PIECES_OF_TABLE", 10**6)
    FILES[name](frame, tmp_path / name)
    of_file = check_alike(qrels, tmp_path / name, retrieved=True)
    of_frame = check_alike(qrels, {"a": frame}, retrieved=True)
    of_table = check_alike(qrels, {"a": frame.to_arrow()}, retrieved=True)
    assert of_file == of_frame == of_table and len(of_file["rank"]) > 100
    assert (taken.clean, taken.left) == (3, 0)


def test_tables_and_text_give_the_same(tmp_path: Path, taken: Taken) -> None:
    frame, qrels = random_rows(2), random_qrels()
    lines = "".join(f"{topic} Q0 {name} 0 {score!r} t\n" for topic, name, score in frame.rows())
    (tmp_path / "t.run").write_text(lines)
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in qrels.rows()))
    text = check_alike(tmp_path / "qrels.txt", {"a": tmp_path / "t.run"}, retrieved=True)
    assert text == check_alike(qrels, {"a": frame}, retrieved=True)
    assert taken.clean == 2


@pytest.mark.parametrize("damage", [lambda data: data[:-30], lambda data: data[:9], lambda _: b""])
def test_damaged_files_are_told_by_the_reader(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    buffer = BytesIO()
    random_rows(3).write_parquet(buffer)
    (tmp_path / "a.parquet").write_bytes(damage(buffer.getvalue()))
    assert check_alike(random_qrels(), tmp_path / "a.parquet")[0] == "InputError"


def test_pages_that_are_damaged_are_told_by_the_reader(tmp_path: Path) -> None:
    """The footer is sound, so it is a slice that cannot be read."""
    buffer = BytesIO()
    random_rows(3).write_parquet(buffer, compression="zstd")
    data = bytearray(buffer.getvalue())
    data[40:400] = bytes(360)
    (tmp_path / "a.parquet").write_bytes(data)
    assert check_alike(random_qrels(), tmp_path / "a.parquet")[0] == "InputError"


def test_runs_that_were_read_keep_their_name_and_notes(taken: Taken) -> None:
    import rankwise

    frame = pl.DataFrame({**ROWS, "run": ["bm25"] * 5})
    [run] = rankwise.read_runs(frame)
    found = check_alike(QRELS, [run])
    assert found["runs"] == ("bm25",) and taken.clean == 1


def test_relations_of_duckdb_are_taken(taken: Taken) -> None:
    frame = pl.DataFrame(ROWS)
    relation = duckdb.sql("SELECT * FROM frame")
    assert check_alike(QRELS, relation)["rank"] == check_alike(QRELS, frame)["rank"]
    assert taken.clean == 2


@pytest.mark.parametrize(
    "qrels",
    [
        {"grade": [1, 0, 2]},
        {"grade": [1, None, 2]},
        {"grade": [1.0, 0.5, 2.0]},
        {"grade": [1, 0, 2**40]},
        {"document": ["a", "a", "c"]},
        {"document": ["a", "", "c"]},
        {"grade": [True, False, True]},
        {"topic": [1, 2, 1]},
        {"subtopic": ["1", "2", "1"], "document": ["a", "b", "a"], "topic": ["1", "1", "1"]},
    ],
    ids=str,
)
def test_frames_of_judgments_are_read_alike(qrels: dict[str, Any]) -> None:
    rows = {"topic": ["1", "1", "2"], "document": ["a", "b", "c"], "grade": [1, 0, 2]}
    frame = pl.DataFrame({**rows, **qrels})
    for judgments in (frame, frame.to_arrow(), frame.to_pandas()):
        check_alike(judgments, pl.DataFrame(ROWS))


names = st.sampled_from(["1", "2", "é", LONG, f"{LONG}2", "1" * 12, "1" * 13, "", "a\nb"])
numbers = st.integers(-3, 3)
scores = st.floats(-2, 2) | st.sampled_from([float("nan"), 0.0, -0.0])


@st.composite
def columns(draw: st.DrawFn, rows: int) -> dict[str, pa.Array]:
    """Topics that most often stand together, documents that most often differ, and scores."""
    whole = draw(st.booleans())
    topic = draw(st.lists(numbers if whole else names, min_size=rows, max_size=rows))
    topic = sorted(topic, key=str) if draw(st.integers(0, 3)) else topic
    document: list[Any] = [f"{LONG if place % 2 else 'd'}{place}" for place in range(rows)]
    if rows and not draw(st.integers(0, 3)):
        document[draw(st.integers(0, rows - 1))] = draw(st.none() | names)
    if draw(st.booleans()):
        document = list(range(rows))
    score: list[float | None] = draw(st.lists(scores, min_size=rows, max_size=rows))
    if rows and not draw(st.integers(0, 5)):
        score[draw(st.integers(0, rows - 1))] = None
    arrays = {"topic": pa.array(topic), "document": pa.array(document), "score": pa.array(score)}
    for name in ("topic", "document"):
        if pa.types.is_string(arrays[name].type):
            kind = draw(st.sampled_from([*TEXTS[:3], None]))
            arrays[name] = (
                arrays[name].dictionary_encode() if kind is None else arrays[name].cast(kind)
            )
    if arrays["score"].type == pa.float64() and draw(st.booleans()):
        arrays["score"] = arrays["score"].cast(pa.float32(), safe=False)
    return arrays


@pytest.mark.slow
def test_any_table_is_read_alike(taken: Taken) -> None:
    check_any_table()
    assert taken.clean > 20 and taken.left > 20


@settings(max_examples=200, deadline=None)
@given(
    data=st.data(),
    rows=st.integers(0, 12),
    lenient=st.booleans(),
    order=st.sampled_from(["score", "file"]),
    retrieved=st.booleans(),
    form=st.sampled_from(["pyarrow", "polars", "batches", "slice"]),
)
def check_any_table(
    data: st.DataObject, rows: int, lenient: bool, order: Any, retrieved: bool, form: str
) -> None:
    table = pa.table(data.draw(columns(rows)))
    if form == "slice":
        table = pa.concat_tables([table, table]).combine_chunks().slice(rows // 2, rows)
    if form == "batches":
        table = pa.Table.from_batches(table.to_batches(max_chunksize=3), table.schema)
    frame: Any = pl.from_arrow(table) if form == "polars" else table
    qrels = {"1": {"d0": 1, f"{LONG}1": 2, "3": 1}, "2": {"d2": 1, "2": 0}, LONG: {"d4": 1, "é": 1}}
    check_alike(qrels, {"a": frame}, lenient=lenient, order=order, retrieved=retrieved)
