"""`rankwise report` writes one page, or nothing and says why."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from rankwise.simulation import simulate


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    simulate(topics=4, systems=3, depth=20, pool_depth=5, seed=1).write(tmp_path)
    return ["qrels.txt", *(f"runs/system{number}.run" for number in (1, 2, 3))]


def data_of(page: Path) -> dict[str, Any]:
    found = re.search(r' id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)
    assert found is not None
    return json.loads(found[1])


def test_a_report_says_how_it_was_made(rankwise: Any, files: list[str], tmp_path: Path) -> None:
    options = ("--baseline", "system2", "-m", "AP,RR", "--test", "sign", "--seed", "7")
    done = rankwise("report", *files, "-o", "r.html", *options)
    assert (done.code, done.out) == (0, "")
    assert re.search(r"^wrote r\.html \(\d\.\d MB\)$", done.err, re.M)
    made = data_of(tmp_path / "r.html")["made"]
    asked = {"--metric": "AP, RR", "--test": "sign", "--seed": 7}
    assert made["options"] | asked == made["options"]
    assert {"rankwise", "Python", "polars"} <= made["versions"].keys()
    for entry, name in zip(made["files"], files, strict=True):
        content = (tmp_path / name).read_bytes()
        sum_of_file = hashlib.sha256(content).hexdigest()
        assert entry == {"file": Path(name).name, "bytes": len(content), "sha256": sum_of_file}


def test_a_page_made_by_a_command_speaks_of_its_options(
    rankwise: Any, files: list[str], tmp_path: Path
) -> None:
    """Also the judgments of a second judge have a checksum, and notes on them no folder."""
    (tmp_path / "folder").mkdir()
    lines = (tmp_path / "qrels.txt").read_text().splitlines()
    halves = "".join(
        f"{line} 0 {doc} {int(grade) / 2}\n" for line, _, doc, grade in map(str.split, lines)
    )
    (tmp_path / "folder" / "llm.qrels").write_text(halves)
    judged = ("--judge", "llm=folder/llm.qrels", "--judges", "mean")
    done = rankwise("report", *files, *judged, "-m", "AP,nDCG@10", "-o", "r.html")
    assert done.code == 0, done.err
    data = data_of(tmp_path / "r.html")
    said = [*data["notes"], *data["judges"]["notes"]]
    assert any(note.startswith("llm.qrels: ") and "Use --gains to" in note for note in said)
    assert not any("folder" in note or "`" in note for note in said)
    assert [one["file"] for one in data["made"]["files"][:2]] == ["qrels.txt", "llm.qrels"]
    assert "lenient" not in data["made"]["options"] and not data["made"]["options"]["--lenient"]


def test_a_report_is_called_html(rankwise: Any, files: list[str], tmp_path: Path) -> None:
    done = rankwise("report", *files, "-o", "r.txt")
    assert done.code == 2 and "r.txt: a report is an HTML file." in done.err
    assert not (tmp_path / "r.txt").exists()
    assert rankwise("report", *files, "-o", "r.htm", "-m", "AP").code == 0


def test_titles_and_texts_come_from_files(rankwise: Any, files: list[str], tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tfirst topic\n2\tsecond\n")
    document = (tmp_path / "runs" / "system1.run").read_text().split()[2]
    (tmp_path / "texts.jsonl").write_text(json.dumps({"id": document, "text": "x" * 999}) + "\n")
    given = ("--topics-file", "topics.tsv", "--documents", "texts.jsonl")
    assert rankwise("report", *files, *given).code == 0
    texts = data_of(tmp_path / "report.html")["texts"]  # the default of -o
    assert texts["topics"] == {"1": "first topic", "2": "second"}
    assert texts["documents"] == {document: "x" * 399 + "…"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "no/r.html"], "there is no folder no"),
        (["-o", "r.html", "--baseline", "sytem2"], "Did you mean system2"),
        (["-o", "r.html", "--mean", "geometric"], "No such option"),
        (["-o", "r.html", "--topics-file", "none.txt"], "none.txt"),
        (["-o", "r.html", "-m", "nGCD"], "Did you mean nDCG"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(
    rankwise: Any, files: list[str], tmp_path: Path, options: list[str], message: str
) -> None:
    done = rankwise("report", *files, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err and "Traceback" not in done.err
    assert not (tmp_path / "r.html").exists()


def test_columns_and_names_of_runs_are_those_that_are_given(rankwise: Any, tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("search_term,code,stars\n1,a,1\n2,b,0\n")
    (tmp_path / "r.csv").write_text("search_term,code,score\n1,a,3\n2,b,1\n")
    names = "topic=search_term,document=code,grade=stars"
    done = rankwise("report", "q.csv", "ours=r.csv", "-o", "x.html", "--columns", names)
    assert done.code == 0, done.err
    found = data_of(tmp_path / "x.html")
    assert found["runs"] == ["ours"]
    assert [entry["file"] for entry in found["made"]["files"]] == ["q.csv", "r.csv"]


def test_a_report_is_made_from_scores(rankwise: Any, files: list[str], tmp_path: Path) -> None:
    rankwise("score", *files, "-m", "AP,RR", "--by-topic", "-o", "scores.csv")
    done = rankwise("report", "--scores", "scores.csv", "-o", "r.html", "--baseline", "system2")
    assert done.code == 0, done.err
    data = data_of(tmp_path / "r.html")
    assert data["runs"][data["baseline"]] == "system2" and data["judged"] is None
    assert [entry["file"] for entry in data["made"]["files"]] == ["scores.csv"]
    assert [entry["range"] for entry in data["metrics"]] == [[0, 1], [0, 1]]
    for option in (["--probable"], ["--top", "5"], ["--unjudged", "open"], ["--rel", "2"]):
        done = rankwise("report", "--scores", "scores.csv", "-o", "no.html", *option)
        assert done.code == 2 and f"{option[0]} cannot be" in done.err
    assert not (tmp_path / "no.html").exists()
