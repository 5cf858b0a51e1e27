"""Every format that has a place for runs or judgments gives back what was written."""

from pathlib import Path

import polars as pl
import pytest

from rankwise import CallError, InputError, convert, read_qrels, read_runs, score, simulate
from rankwise.formats.writers import WRITERS
from rankwise.judging import pool, write_template

MADE = simulate(topics=3, systems=2, seed=1)
FRACTIONS = {"one": {"a": 0.5, "b": 0.0}, "two": {"007": 1.0}}
SUFFIX = {"jsonl": ".jsonl", "sentence-transformers": ".jsonl"}
OF_JUDGMENTS = [name for name, writer in WRITERS.items() if writer.judgments]
OF_RUNS = [name for name, writer in WRITERS.items() if writer.runs]


def written(given: object, folder: Path, form: str, kind: str) -> Path:
    path = folder / f"out{SUFFIX.get(form, '.x')}"
    index = "made" if form == "elasticsearch" else None
    convert(given, path, kind=kind, format=form, index=index)  # type: ignore[arg-type]
    return path


@pytest.mark.parametrize("form", OF_JUDGMENTS)
def test_judgments_come_back(form: str, tmp_path: Path) -> None:
    path = written(MADE.qrels, tmp_path, form, "qrels")
    order = ["topic", "document"]
    assert read_qrels(path).frame.sort(order).equals(read_qrels(MADE.qrels).frame.sort(order))


@pytest.mark.parametrize("form", [name for name in OF_JUDGMENTS if name != "elasticsearch"])
def test_fractions_come_back(form: str, tmp_path: Path) -> None:
    qrels = read_qrels(written(FRACTIONS, tmp_path, form, "qrels"))
    assert qrels.gains == read_qrels(FRACTIONS).gains == {0: 0, 1: 0.5, 2: 1}
    order = ["topic", "document"]
    assert qrels.frame.sort(order).equals(read_qrels(FRACTIONS).frame.sort(order))


@pytest.mark.parametrize("form", OF_RUNS)
def test_runs_score_the_same_when_they_come_back(form: str, tmp_path: Path) -> None:
    run = MADE.runs[0]
    path = written(run, tmp_path, form, "run")
    before = score(MADE.qrels, run, ["AP", "nDCG@10", "RBP"])
    after = score(MADE.qrels, path, ["AP", "nDCG@10", "RBP"])
    assert (before.value == after.value).all()
    if WRITERS[form].holds_scores:
        order = ["topic", "document"]
        [again] = read_runs(path)
        assert again.frame.sort(order).equals(run.frame.sort(order))


@pytest.mark.parametrize("form", [name for name in OF_RUNS if WRITERS[name].holds_several])
def test_formats_that_hold_several_runs_give_them_back(form: str, tmp_path: Path) -> None:
    path = written(MADE.runs, tmp_path, form, "run")
    assert [run.name for run in read_runs(path)] == [run.name for run in MADE.runs]


def test_a_format_for_one_run_refuses_several(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="trec holds one run, and 2 are given: "):
        convert(MADE.runs, tmp_path / "out.run", kind="run")


def test_the_name_of_the_file_says_the_format(tmp_path: Path) -> None:
    for name, start in {"q.csv": "topic,document,grade\n", "q.json": "{", "q.txt": ""}.items():
        convert(MADE.qrels, tmp_path / name)
        assert (tmp_path / name).read_text().startswith(start)
        assert read_qrels(tmp_path / name).frame.height == MADE.qrels.frame.height
    convert(MADE.qrels, tmp_path / "q.csv.gz")
    assert read_qrels(tmp_path / "q.csv.gz").frame.height == MADE.qrels.frame.height


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    said = convert(MADE.runs[0], tmp_path / "x", kind="run", format="quepid")
    assert str(said[-1]) == "the format quepid stores the order of documents, not their scores"


def test_what_could_be_either_must_be_said(tmp_path: Path) -> None:
    given = {"1": {"a": 1, "b": 0}}
    with pytest.raises(InputError, match=r"as a run and as judgments\. Use `kind='run'`"):
        convert(given, tmp_path / "out.csv")
    with pytest.raises(CallError, match="standard input can be read only once"):
        convert("-", tmp_path / "out.csv")
    # A column that only one of the two has tells.
    graded = pl.DataFrame({"topic": ["1"], "document": ["a"], "grade": [1]})
    ranked = pl.DataFrame({"topic": ["1"], "document": ["a"], "rank": [1], "score": [1]})
    assert str(convert(graded, tmp_path / "out.csv")[-1]).startswith("wrote 1 judgment")
    assert str(convert(ranked, tmp_path / "out.csv")[-1]).startswith("wrote 1 run")


@pytest.mark.parametrize(
    ("form", "given", "what"),
    [
        ("elasticsearch", {"1": {"a": 0.5}}, "elasticsearch holds whole grades only"),
        ("elasticsearch", {"1": {"a": 1}}, "that has the documents. Use `index='NAME'`"),
        (
            "mteb",
            {"1": {"a": 1}},
            "mteb holds runs, .* Formats for judgments: trec, csv, ",
        ),
        (
            "trec",
            {"red shoes": {"a": 1}},
            "not possible in TREC files. Use another format, for example csv",
        ),
        ("quepid-jsn", {"1": {"a": 1}}, "Did you mean quepid-json"),
    ],
)
def test_what_a_format_has_no_place_for_is_refused(
    form: str, given: dict[str, dict[str, float]], what: str, tmp_path: Path
) -> None:
    with pytest.raises(CallError, match=what):
        convert(given, tmp_path / "out", kind="qrels", format=form)
    assert not (tmp_path / "out").exists()


def test_a_template_lists_what_is_to_be_judged(tmp_path: Path) -> None:
    pairs = pool({"one": {"red shoes": {"b": 2, "a": 1}}}, 2)
    write_template(pairs, tmp_path / "ratings.csv", format="quepid")
    text = (tmp_path / "ratings.csv").read_text()
    assert text == "query,docid,rating\nred shoes,a,\nred shoes,b,\n"
    # Filled in, it is read as judgments.
    (tmp_path / "ratings.csv").write_text(text.replace("a,\n", "a,3\n"))
    assert read_qrels(tmp_path / "ratings.csv").frame.rows() == [("red shoes", "a", 3)]
    for form in ("quepid-json", "elasticsearch", "opensearch"):
        write_template(pairs, tmp_path / "ratings.json", format=form, index="shop")
        with pytest.raises(InputError, match="no rows"):
            read_qrels(tmp_path / "ratings.json")
    with pytest.raises(CallError, match="rre cannot hold documents without a grade"):
        write_template(pairs, tmp_path / "x", format="rre")
