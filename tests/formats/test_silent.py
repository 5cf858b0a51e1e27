"""Values that a library would take for something else: errors that name the row and the column."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rankwise import InputError, read_qrels, read_runs
from rankwise.formats import json as json_format

ROWS: list[dict[str, Any]] = [
    {"qid": "1", "docid": f"d{place}", "score": 9 - place} for place in range(6)
]


def lines_of(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def changed(**values: Any) -> list[dict[str, Any]]:
    """All rows, the fifth with other values."""
    return [row | values if place == 4 else row for place, row in enumerate(ROWS)]


ODD = [
    ({"docid": ["d4"]}, "column docid has a list, which cannot be a document"),
    ({"docid": {"id": "d4"}}, "column docid has an object, which cannot be a document"),
    ({"qid": ["1"]}, "column qid has a list, which cannot be a topic"),
    ({"score": True}, "column score has true, which cannot be a score"),
    ({"score": [1]}, "column score has a list, which cannot be a score"),
    ({"docid": False}, "column docid has false, which cannot be a document"),
]


@pytest.mark.parametrize(("values", "what"), ODD)
def test_an_odd_value_in_one_line_of_many_is_named(
    tmp_path: Path, values: dict[str, Any], what: str
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(lines_of(changed(**values)))
    with pytest.raises(InputError, match=rf"a\.jsonl:5: {what}"):
        read_runs(path)
    assert read_runs(path, lenient=True)[0].frame.height == 5
    document = tmp_path / "a.json"
    document.write_text(json.dumps(changed(**values)))
    for given in (document, changed(**values)):
        with pytest.raises(InputError, match=f"record 5: {what}"):
            read_runs(given)


@pytest.mark.parametrize(
    "text",
    [
        '{"qid": "1", "docid": "d9", "score": 1, "score": 2}',
        '{"qid":"1","docid":"d9","score" :1,"score":2}',
        '{"qid": "1", "docid": "d9", "docid": "d8", "score": 2}',
        '{"qid": "1", "docid": "d9", "score": 2, "more": {"a": 1, "a": 2}}',
    ],
)
def test_a_name_that_stands_twice_in_a_line_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(lines_of(ROWS) + text + "\n")
    with pytest.raises(InputError, match=r"a\.jsonl:7: an object has the name '.*' twice"):
        read_runs(path)
    assert read_runs(path, lenient=True)[0].frame.height == 6


def test_flat_lines_take_the_fast_way_and_others_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(lines_of(ROWS))
    assert json_format._parse_clean(path.read_bytes()) is not None
    fast = read_runs(path)[0].frame
    monkeypatch.setattr(json_format, "_parse_clean", lambda _: None)
    assert read_runs(path)[0].frame.equals(fast)


def test_names_with_brackets_quotes_and_colons_are_names(tmp_path: Path) -> None:
    names = ['a{b"', "[x]", 'say ":" twice', "urn:a:b", "back\\slash\\"]
    path = tmp_path / "a.jsonl"
    path.write_text(lines_of([{"qid": "1", "docid": name, "score": 1} for name in names]))
    assert read_runs(path)[0].frame["document"].to_list() == names


def test_records_in_a_list_are_looked_into(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    inner = [{"docid": "a", "score": 2}, {"docid": "b", "score": 1}]
    path.write_text(lines_of([{"qid": "1", "hits": inner}, {"qid": "2", "hits": inner}]))
    assert read_runs(path)[0].frame.height == 4
    inner[1]["score"] = True
    path.write_text(lines_of([{"qid": "1", "hits": inner[:1]}, {"qid": "2", "hits": inner}]))
    with pytest.raises(InputError, match=r"2: hits\[1\]: the score is True"):
        read_runs(path)


def test_the_words_of_a_query_may_be_an_object_where_another_column_names_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(lines_of([row | {"query": {"text": "x"}} for row in ROWS]))
    assert read_runs(path)[0].frame.height == 6


def test_true_is_no_score_in_a_dict() -> None:
    for true in (True, np.True_):
        with pytest.raises(InputError, match=r"document 'b' of topic '1' has .* as its score"):
            read_runs({"1": {"a": 1.5, "b": true}})
    assert read_qrels({"1": {"a": True, "b": False}}).frame["grade"].to_list() == [1, 0]


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
def test_a_column_of_truths_is_no_score(make: Any) -> None:
    frame = make({"qid": ["1", "1"], "docid": ["a", "b"], "score": [True, False]})
    with pytest.raises(InputError, match="column score has true or false"):
        read_runs(frame)


@pytest.mark.parametrize("column", ["docid", "score"])
def test_an_odd_value_in_one_row_of_a_frame_is_named(column: str) -> None:
    columns: dict[str, list[Any]] = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    columns[column][3] = ["x"] if column == "docid" else True
    for given in (pd.DataFrame(columns), columns):
        with pytest.raises(InputError, match=rf"column {column} has lists .* in row 4\."):
            read_runs(given)


def test_quepid_ratings_of_another_spelling_are_not_lost(tmp_path: Path) -> None:
    ratings: list[dict[str, Any]] = [{"query_text": "q", "doc_id": "a", "rating": 1}]
    ratings += [{"query_text": "new", "doc_id": None, "rating": None}]
    path = tmp_path / "ratings.json"
    path.write_text(json.dumps({"ratings": ratings}))
    assert read_qrels(path).frame.rows() == [("q", "a", 1)]
    ratings += [{"query_text": "q", "docid": "b", "rating": 2}]
    path.write_text(json.dumps({"ratings": ratings}))
    with pytest.raises(InputError, match=r"ratings\[2\] has no field 'doc_id'"):
        read_qrels(path)
