"""JSON whose lists or objects lie deep in each other: refused, in no time."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from rankwise import InputError, read_runs
from rankwise.formats.base import DEEPEST, is_deep

ROW = {"qid": "1", "docid": "a", "score": 1}


def nested(depth: int, kind: type) -> Any:
    found: Any = 1
    for _ in range(depth):
        found = {"a": found, "b": 1} if kind is dict else [1, found]
    return found


@pytest.mark.parametrize("kind", [dict, list])
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
@pytest.mark.parametrize("depth", [80, 800, 20_000])
def test_what_is_too_deep_is_refused_at_once(
    tmp_path: Path, name: str, kind: type, depth: int
) -> None:
    opening, closing = ('{"a":', "}") if kind is dict else ("[", "]")
    deep = json.dumps(ROW)[:-1] + f', "more": {opening * depth}1{closing * depth}}}'
    flat = json.dumps(ROW | {"docid": "b"})
    path = tmp_path / name
    path.write_text(f"{flat}\n{deep}\n" if name == "a.jsonl" else f"[{flat}, {deep}]")
    start = time.process_time()
    with pytest.raises(InputError, match="nested more than 64 deep"):
        read_runs(path)
    assert time.process_time() - start < 5  # polars: 11 s and more for 800
    if name == "a.jsonl":
        assert read_runs(path, lenient=True)[0].frame["document"].to_list() == ["b"]


@pytest.mark.parametrize("kind", [dict, list])
def test_depth_is_counted(kind: type) -> None:
    for depth, deep in ((0, False), (DEEPEST, False), (DEEPEST + 1, True)):
        found = nested(depth, kind)
        inner = {"a": 1} if not depth else found
        assert is_deep(inner) == deep


def test_brackets_in_names_are_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    names = ["[" * 100, "{" * 100]
    path.write_text("".join(json.dumps(ROW | {"docid": name}) + "\n" for name in names))
    assert read_runs(path)[0].frame["document"].to_list() == names
