"""`rankwise diff`, as people call it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

Call = Callable[..., Any]
OLD = "1 Q0 a 1 3 old\n1 Q0 b 2 2 old\n2 Q0 a 1 2 old\n2 Q0 b 2 1 old\n"
NEW = "1 Q0 b 1 3 new\n1 Q0 a 2 2 new\n2 Q0 a 1 2 new\n2 Q0 b 2 1 new\n"
QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n"


@pytest.fixture
def files(rankwise: Call, tmp_path: Path) -> list[str]:
    assert callable(rankwise)  # it changes to this folder
    (tmp_path / "old.run").write_text(OLD)
    (tmp_path / "new.run").write_text(NEW)
    (tmp_path / "qrels.txt").write_text(QRELS)
    return ["old.run", "new.run"]


def test_two_tables_and_a_sentence(rankwise: Call, files: list[str]) -> None:
    done = rankwise("diff", *files, "-m", "RR,P@2", "--notes")
    assert done.code == 0, done.err
    lines = [line.split() for line in done.out.splitlines()]
    assert ["changed@1", "0.5000", "–", "–", "–", "–", "2"] in lines
    assert ["RR", "0.2500", "0.2500", "0.5000", "1", "1", "exact"] in lines
    assert ["P@2", "0.0000", "0.0000", "0.0000", "–", "0", "exact"] in lines
    limit = "Under any binary judgments, old and new differ in mean RR over 2 topics by at most "
    assert f"note: {limit}" in done.err
    assert "old and new are identical on 1 of 2 topics" in done.err


def test_only_bounds_that_differ_are_shown(rankwise: Call, tmp_path: Path) -> None:
    for name, docs in (("old", "abc"), ("new", "acd")):
        lines = [f"1 Q0 {d} 1 {9 - n} {name}\n" for n, d in enumerate(docs)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    done = rankwise("diff", "old.run", "new.run", "--notes")
    head, *rows = (line.split() for line in done.out.split("\n\n")[0].splitlines())
    assert head[-5:] == ["bound", "low", "bound", "high", "topics"]
    for row in rows:
        low, high = row[-3:-1]
        assert (low < high) if row[0].startswith("RB") else low == high == "–"
    assert (
        "'bound low' and 'bound high' are the lowest and the highest possible mean of RBO"
        in done.err
    )
    long = "".join(f"1 Q0 d{n} 1 {200 - n} long\n" for n in range(200))
    for name, text in (("old", long), ("new", long.replace(" d3 ", " x "))):
        (tmp_path / f"{name}.run").write_text(text)
    assert "bound" not in rankwise("diff", "old.run", "new.run").out.split("\n\n")[0]


def test_the_gate_needs_no_judgments(rankwise: Call, files: list[str]) -> None:
    passed = rankwise("diff", *files, "-m", "RR", "--max", "0.25")
    assert passed.code == 0
    assert passed.err.splitlines()[-1] == (
        "rankwise diff: RR: passes: no matter how the unjudged documents are judged, the mean "
        "difference is at most 0.2500, which is within 0.25"
    )
    failed = rankwise("diff", *files, "-m", "RR,P@2", "--max", "0.1")
    assert failed.code == 1
    assert "the mean difference is 0.2500, above" in failed.err
    assert "P@2: passes" in failed.err and "changed@1" in failed.out
    assert rankwise("diff", "old.run", "lacking.run", "--max", "0.1").code == 2


def test_judgments_narrow_the_bounds(rankwise: Call, files: list[str]) -> None:
    done = rankwise("diff", *files, "--qrels", "qrels.txt", "-m", "RR", "--max", "0.2")
    assert done.code == 1 and "nRMSE" in done.out
    row = done.out.splitlines()[-1].split()
    assert row[:4] == ["RR", "-0.2500", "-0.2500", "-0.2500"]


def test_every_format_has_all_numbers(rankwise: Call, files: list[str]) -> None:
    read = json.loads(rankwise("diff", *files, "-m", "RR", "--format", "json").out)
    assert read["command"] == "diff" and read["topics"] == 2 and read["p"] == 0.9
    assert read["metrics"][0]["name"] == "RR"
    table = pl.read_csv(rankwise("diff", *files, "-m", "RR", "--format", "csv").out.encode())
    assert table["measure"].to_list() == [row["measure"] for row in read["rows"]]
    assert rankwise("diff", *files, "-o", "all.parquet").code == 0
    assert pl.read_parquet("all.parquet").columns == table.columns
    for style in ("latex", "markdown"):
        done = rankwise("diff", *files, "-m", "RR", "--format", style)
        assert done.code == 0 and "RBO (p = 0.9)" in done.out and "MED" in done.out


def test_topics_that_changed_and_their_lists(rankwise: Call, files: list[str]) -> None:
    done = rankwise("diff", *files, "--topic", "1", "--format", "csv")
    assert done.out.splitlines() == ["rank,old,in_new,new,in_old", "1,a,2,b,2", "2,b,1,a,1"]
    done = rankwise("diff", *files, "--changed", "1", "--measure", "RBO", "--format", "csv")
    assert len(done.out.splitlines()) == 2 and done.out.splitlines()[1].startswith("old,new,1,")
    done = rankwise("diff", *files, "--changed", "1", "--rows", "1", "--measure", "RBO")
    assert done.out.splitlines()[2:] == ["", "topic 1", "rank  old  in_new  new  in_old"] + [
        "   1  a         2  b         2"
    ]
    rows = pl.read_csv(rankwise("diff", *files, "--by-topic", "--format", "csv").out.encode())
    assert set(rows["topic"]) == {1, 2}
    done = rankwise("diff", *files, "--topic", "7")
    assert done.code == 2 and "there is no topic '7'" in done.err


def test_charts_are_written(rankwise: Call, files: list[str]) -> None:
    assert rankwise("diff", *files, "--chart", "churn.json").code == 0
    assert "Changed rankings by depth" in Path("churn.json").read_text()
    assert rankwise("diff", *files, "--topic", "1", "--chart", "slopes.svg").code == 0
    assert "Topic 1" in Path("slopes.svg").read_text()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--by-topic", "--topic", "1"], "--topic cannot be combined with --by-topic"),
        (["--qrels", "qrels.txt", "--highest-grade", "2"], "--highest-grade cannot be"),
        (["--measure", "overlap"], "overlap needs a depth"),
        (["--advanced", "old.run", "new.run"], "needs judgments"),
        (["--p", "1"], "--p must be between 0 and 1"),
    ],
)
def test_what_does_not_go_is_said(
    rankwise: Call, files: list[str], more: list[str], message: str
) -> None:
    done = rankwise("diff", *files, *more)
    assert done.code == 2 and message in done.err


@pytest.mark.usefixtures("files")
def test_one_run_and_the_same_run_twice(rankwise: Call) -> None:
    assert "diff needs two runs" in rankwise("diff", "old.run").err
    assert "is given twice" in rankwise("diff", "old.run", "old.run").err
    done = rankwise("diff", "a=old.run", "b=old.run", "--max", "0")
    assert done.code == 0 and done.err.count("a and b are identical on all 2 topics") == 1


@pytest.mark.usefixtures("files")
def test_runs_with_nothing_in_common(rankwise: Call) -> None:
    Path("other.run").write_text("9 Q0 a 1 3 other\n")
    done = rankwise("diff", "old.run", "other.run")
    assert done.code == 2
    assert (
        "old: no topic in common with other. Topics of old: 1, 2. Topics of other: 9." in done.err
    )
