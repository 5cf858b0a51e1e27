"""Names are text, runs have names of their own, and grades are what the gains make of them."""

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankwise import CallError, InputError, read_qrels, read_runs, score
from rankwise.errors import WrongParameter
from rankwise.rankings.loaders import distinct_names, run_loaders

Write = Callable[[str, str | bytes], Path]
ONE = {"1": {"d": 1.0}}


def names(sources: Any) -> list[str]:
    return [run.name for run in read_runs(sources)]


def test_names_that_look_like_numbers_stay_as_they_are(write: Write) -> None:
    odd = ["007", "7", "7.0", "1e3", "0x7", "+7", "-0", "nan", "null", "None", "true", "NA", "inf"]
    rows = [(topic, document) for topic in odd for document in odd]
    texts = {
        "run": "".join(f"{topic} Q0 {document} 1 1 007\n" for topic, document in rows),
        "run.messy": "".join(f" {topic}\tQ0 {document} 1 1 007\r\n" for topic, document in rows),
        "a.csv": "topic,document,score\n" + "".join(f"{t},{d},1\n" for t, d in rows),
        "a.jsonl": "".join(f'{{"topic":"{t}","document":"{d}","score":1}}\n' for t, d in rows),
    }
    for name, text in texts.items():
        [run] = read_runs(write(name, text))
        assert run.frame.select("topic", "document").rows() == rows
    assert names(write("run", texts["run"])) == ["007"]


def test_topics_that_differ_in_zeros_are_different_topics(write: Write) -> None:
    qrels = write("qrels", "007 0 01 1\n7 0 1 1\n")
    run = write("run", "007 Q0 1 1 2 t\n007 Q0 01 2 1 t\n7 Q0 01 1 2 t\n7 Q0 1 2 1 t\n")
    frame = score(qrels, run, ["RR", "NumRel"]).frame
    assert frame["topic"].unique().sort().to_list() == ["007", "7"]
    assert frame["value"].to_list() == [0.5, 0.5, 1.0, 1.0]


def test_scores_keep_the_precision_of_float64(write: Write) -> None:
    close = ["0.1234567890123456", "0.1234567890123457"]
    lines = [f"1 Q0 d{place} 1 {text} t" for place, text in enumerate(close)]
    for text in ("\n".join(lines), "\n\n".join(lines)):
        [run] = read_runs(write("run", text))
        assert run.frame["score"].to_list() == [float(score) for score in close]


def test_negative_grades_are_kept(write: Write) -> None:
    for text in ("1 0 a -1\n1 0 b -2\n", " 1 0 a -1\n1 0 b -2"):
        assert read_qrels(write("qrels", text)).frame["grade"].to_list() == [-1, -2]
    assert read_qrels({"1": {"a": -1}}).frame["grade"].to_list() == [-1]


FRACTIONS = "1 0 a 0.5\n1 0 b 1\n1 0 c 0\n1 0 d -1\n1 0 e 0.50\n"


@pytest.mark.parametrize("gains", ["0.5=0.4,1=2", "{0.5:0.4, 1:2}", {0.5: 0.4, 1: 2}])
def test_fractional_grades_are_read_where_gains_are_given(write: Write, gains: Any) -> None:
    for text in (FRACTIONS, FRACTIONS.replace(" ", "  ")):
        qrels = read_qrels(write("qrels", text), gains=gains)
        assert qrels.frame["grade"].to_list() == [1, 2, 0, -1, 1]
        assert qrels.frame.schema["grade"] == pl.Int32
        assert qrels.gains is not None
        worth = [qrels.gains[grade] for grade in qrels.frame["grade"]]
        assert worth == [0.4, 2, 0, 0, 0.4]


def test_whole_grades_stay_when_gains_are_given(write: Write) -> None:
    path = write("qrels", "1 0 a 3\n1 0 b 1\n1 0 c 0\n1 0 d -2\n")
    qrels = read_qrels(path, gains="10:3:1")
    assert qrels.frame["grade"].to_list() == [3, 1, 0, -2]
    assert qrels.gains == {3: 10, 2: 3, 1: 1, 0: 0, -2: 0}


def test_a_grade_that_the_gains_leave_out_is_named(write: Write) -> None:
    path = write("qrels", FRACTIONS)
    with pytest.raises(InputError, match=r"qrels: `gains` has no gain for grade 0\.5"):
        read_qrels(path, gains="2:1")
    with pytest.raises(InputError, match=r"qrels:2: grade 'x' is not a finite number"):
        read_qrels(write("qrels", "1 0 a 1\n1 0 b x\n"), gains="2:1")


@pytest.mark.parametrize("gains", ["", "x", "1=", "1=1,1=2", "1=-1", "1=nan", {}, "1:2,3"])
def test_gains_that_are_no_table_are_refused(gains: Any) -> None:
    with pytest.raises(WrongParameter, match="gains"):
        read_qrels({"1": {"a": 1}}, gains=gains)


def test_a_run_is_called_by_its_tag(write: Write) -> None:
    paths = [write("a.run", "1 Q0 d 1 1 bm25\n"), write("b.run", "1 Q0 d 1 1 splade\n")]
    assert names(paths) == ["bm25", "splade"]
    assert names(paths[0]) == names(str(paths[0])) == ["bm25"]


def test_runs_with_the_same_tag_are_called_by_their_files(write: Write) -> None:
    paths = [write(name, "1 Q0 d 1 1 mine\n") for name in ("a.run", "b.txt")]
    other = write("c.run", "1 Q0 d 1 1 other\n")
    assert names([*paths, other]) == ["a", "b", "other"]


def test_runs_of_five_fields_are_called_by_their_files(write: Write) -> None:
    for text in ("1 Q0 d 1 0.5\n1 Q0 e 2 0.25\n", "1  Q0\td 1 0.5\r\n1 Q0 e 2 0.25"):
        [run] = read_runs(write("bm25.v2.run", text))
        assert run.name == "bm25.v2"
        assert run.frame["score"].to_list() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a.run", "a"),
        ("a.txt", "a"),
        ("a", "a"),
        ("a.run.gz", "a"),
        ("a.txt.zst", "a"),
        ("a.tsv.xz", "a"),
        ("input.bm25", "input.bm25"),
        (".run", ".run"),
    ],
)
def test_a_file_lends_its_name_without_what_says_its_format(
    write: Write, file: str, name: str
) -> None:
    [found] = names(write(file, "1 Q0 d 1 0.5\n"))
    assert found.endswith(name)
    assert Path(found).name == name


def test_files_of_the_same_name_are_called_by_their_paths(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "a.run" for folder in ("x", "y")]
    for path in paths:
        path.parent.mkdir()
        path.write_text("1 Q0 d 1 1 same\n")
    assert names(paths) == [str(path) for path in paths]


@pytest.mark.parametrize(
    "runs",
    [
        [("x", "a.run"), ("x", "b.run"), ("a", "c.run")],
        [("a", "x.run"), ("b", "a.run"), ("b", "c.run")],
        [("x", "a.run"), ("x", "d/a.run"), ("a.run", "b.run"), ("a", "c.run")],
    ],
)
def test_the_file_of_one_run_may_be_called_like_the_tag_of_another(
    runs: list[tuple[str, str]],
) -> None:
    found = distinct_names(runs)
    assert len(set(found)) == len(runs)
    for name, (tag, file) in zip(found, runs, strict=True):
        assert name in {tag, Path(file).stem, file}


def test_the_same_run_twice_is_refused(write: Write) -> None:
    path = write("a.run", "1 Q0 d 1 1 t\n")
    with pytest.raises(CallError, match=r"a\.run' is given twice"):
        read_runs([path, path])
    with pytest.raises(
        CallError, match=r"two runs are named 'run'. Give each run its own name: {name: run, …}"
    ):
        read_runs([ONE, ONE])


def test_runs_in_a_dict_have_the_names_given(write: Write) -> None:
    path = write("a.run", "1 Q0 d 1 1 tag\n")
    frame = pl.DataFrame({"topic": ["1"], "document": ["d"], "score": [1.0]})
    assert names({"x": path, "y": frame, "z": ONE}) == ["x", "y", "z"]
    assert names({"z": ONE, "x": path}) == ["z", "x"]
    assert names(ONE) == ["run"]
    [again] = read_runs({"new": read_runs(path)[0]})
    assert again.name == "new"


def test_a_named_run_that_is_empty_is_the_one_blamed() -> None:
    with pytest.raises(InputError, match=r"^bad: there are no rows"):
        read_runs({"bad": {}, "good": ONE})


@pytest.mark.parametrize("column", ["run", "tag", "system", "run_id"])
def test_a_frame_with_a_column_of_runs_holds_several(column: str) -> None:
    frame = pl.DataFrame(
        {column: ["b", "a", "b"], "qid": ["1", "1", "2"], "docno": ["d"] * 3, "score": [1, 2, 3]}
    )
    runs = read_runs(frame)
    assert [run.name for run in runs] == ["b", "a"]
    assert runs[0].frame.rows() == [("1", "d", 1.0), ("2", "d", 3.0)]
    assert runs[1].frame.rows() == [("1", "d", 2.0)]


def test_standard_input_without_tags_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 d 1 0.5\n")))
    assert names("-") == ["standard input"]


@pytest.mark.parametrize("nothing", [[], (), iter([])])
def test_no_run_at_all_is_refused(nothing: Any) -> None:
    with pytest.raises(CallError, match="no run is given"):
        read_runs(nothing)


@pytest.mark.parametrize("given", [3, None])
def test_what_is_no_list_of_runs_is_refused(given: Any) -> None:
    with pytest.raises(CallError, match="cannot be read as"):
        read_runs(given)


def test_runs_are_fetched_one_by_one(write: Write) -> None:
    fetched = []

    def sources() -> Iterator[Path]:
        for name in ("a", "b"):
            fetched.append(name)
            yield write(name, "1 Q0 d 1 0.5\n")

    runs = (run for loader in run_loaders(sources()) for run in loader.read())
    assert next(runs).name == "a"
    assert fetched == ["a"]
    assert next(runs).name == "b"
