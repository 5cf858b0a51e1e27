"""`rankwise published invert` and `rankwise published compare`."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from rankwise.published import invert

ARGUMENTS = ["published", "invert", "--p", "0.8", "--score", "0.4100"]


def test_invert_prints_vectors_and_ranges(rankwise: Any) -> None:
    done = rankwise(*ARGUMENTS, "--residual", "0.02", "--at", "0.5", "--at", "0.95")
    assert done.code == 0 and done.err.startswith("note: R_G and R_L are ")
    lines = done.out.splitlines()
    assert lines[0].startswith("RBP 0.41 + 0.02 at p = 0.8, rounded to 0.0001: ranks 1–45 ")
    marks = {line[:3]: line[5:] for line in lines if line.startswith(("R_G", "R_L"))}
    assert [len(vector) for vector in marks.values()] == [45, 45]
    assert set("".join(marks.values())) == set("01?")
    assert "unjudged in R'_G: 12" in done.out
    assert "inner_low" in done.out
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("topics", [1, 50])
def test_the_result_shows_the_vectors_and_the_table_of_the_command(
    rankwise: Any, topics: int
) -> None:
    done = rankwise(*ARGUMENTS, "--residual", "0.02", "--at", "0.5", "--topics", str(topics))
    found = invert(0.8, 0.41, 0.02, at=0.5, topics=topics)
    shown = repr(found).partition("\nnote:")[0]
    assert shown.split() == done.out.split()
    assert ("<pre>RBP 0.41" in found._repr_html_()) == (topics == 1)


@pytest.mark.parametrize("style", ["csv", "json"])
def test_invert_for_machines_has_all_digits(rankwise: Any, style: str) -> None:
    done = rankwise(*ARGUMENTS, "--at", "0.5", "--format", style)
    rows: list[dict[str, Any]]
    rows = (
        list(csv.DictReader(io.StringIO(done.out)))
        if style == "csv"
        else json.loads(done.out)["rows"]
    )
    names = ["p", "low", "high", "inner_low", "inner_high", "R_G", "R_L"]
    assert [list(row) for row in rows] == [names]
    assert float(rows[0]["high"]) == pytest.approx(0.79887695, abs=1e-8)


def test_the_papers_method_has_its_own_range(rankwise: Any) -> None:
    done = rankwise(*ARGUMENTS, "--at", "0.5", "--method", "paper", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(done.out))
    assert row["high"] == row["R_G"]
    assert row["low"] == row["R_L"]


def test_a_mean_has_ranges_and_no_vectors(rankwise: Any) -> None:
    done = rankwise(*ARGUMENTS, "--topics", "50")
    assert "a mean over 50 topics has no single relevance vector" in done.out
    assert "R_G" not in done.out


def test_a_residual_that_fits_no_ranks_is_noted(rankwise: Any) -> None:
    done = rankwise("published", "invert", "--p", "0.6", "--score", "0.3500", "--residual", "0.35")
    assert done.code == 0
    assert "but the residual is 0.35" in done.err


def test_few_decimals_are_noticed(rankwise: Any) -> None:
    done = rankwise("published", "invert", "--p", "0.8", "--score", "0.41")
    assert "use --precision 0.01" in done.err
    enough = rankwise("published", "invert", "--p", "0.8", "--score", "0.41", "--precision", "0.01")
    assert "decimals" not in enough.err


def test_a_residual_of_0_is_told_from_none(rankwise: Any) -> None:
    none = rankwise(*ARGUMENTS, "--at", "0.5", "--format", "json")
    zero = rankwise(*ARGUMENTS, "--at", "0.5", "--residual", "0", "--format", "json")
    given = "note: no residual is given, so unjudged documents count as not relevant\n"
    assert none.err == given + zero.err and zero.err.startswith("note: R_G and R_L are ")
    (without,), (with_0,) = json.loads(none.out)["rows"], json.loads(zero.out)["rows"]
    assert {"R'_G", "R'_L", "R''_G", "R''_L"} == set(with_0) - set(without)
    assert with_0["low"] == without["low"] and with_0["high"] > without["high"]
    assert rankwise(*ARGUMENTS, "--residual", "0").out.startswith("RBP 0.41 + 0 at p = 0.8")
    pair = ["--a", "p=0.8,score=0.4100,residual=0", "--b", "p=0.8,score=0.5000"]
    said = "no residual is given for B, so unjudged documents count as not relevant"
    assert said in " ".join(rankwise("published", "compare", *pair).out.split())


def test_graded_scores(rankwise: Any) -> None:
    done = rankwise(*ARGUMENTS, "--residual", "0", "--graded", "--at", "0.5", "--format", "json")
    assert (done.code, done.err) == (0, "")
    (row,) = json.loads(done.out)["rows"]
    assert list(row) == ["p", "low", "high", "inner_low", "inner_high"]
    assert "determine the score; gains are from 0 to 1" in rankwise(*ARGUMENTS, "--graded").out
    pair = ["--a", "p=0.5,score=0.9000,graded", "--b", "p=0.8,score=0.0500,graded=true"]
    assert rankwise("published", "compare", *pair).out.startswith("At p = 0.5, A is better:")


def test_p_0_is_the_first_document(rankwise: Any) -> None:
    done = rankwise(
        "published", "invert", "--p", "0", "--score", "1.0000", "--at", "0.5", "--format", "json"
    )
    (row,) = json.loads(done.out)["rows"]
    assert (row["low"], row["high"]) == pytest.approx((0.5, 1.0), abs=5e-5)
    assert rankwise("published", "invert", "--p", "0", "--score", "1.0000").code == 0
    done = rankwise(*ARGUMENTS, "--at", "0", "--topics", "1", "--format", "json")
    assert [json.loads(done.out)["rows"][0][end] for end in ("low", "high")] == pytest.approx(
        [0, 1]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--p", "1.2", "--score", "0.4"], "must be a number from 0 (included) to 1 (excluded)"),
        (["--p", "0.8", "--score", "1.4"], "must be between 0 and 1"),
        (["--p", "0.8", "--score", "much"], "not a number"),
        (["--p", "0.8", "--score", "0.9", "--residual", "0.2"], "score + residual is at most 1"),
        (["--p", "0.2", "--score", "0.5"], "possible values are 0.2 and 0.8"),
        (["--p", "0.9999", "--score", "0.5", "--precision", "1e-9"], "10,000 are allowed"),
        (["--p", "0.8", "--score", "0.5", "--graded", "--method", "paper"], "for graded"),
        (["--p", "0", "--score", "0.5"], "possible values are 0 and 1"),
        (
            ["--p", "0.8", "--score", "0.5", "--at", "1"],
            "must be a number from 0 (included) to 1 (excluded)",
        ),
    ],
)
def test_the_impossible_is_refused(rankwise: Any, arguments: list[str], message: str) -> None:
    done = rankwise("published", "invert", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert message in done.err


def test_the_deepest_example_fits_the_terminal(console: Any) -> None:
    done = console(
        "published", "invert", "--p", "0.99", "--score", "0.41000000", "--precision", "1e-8"
    )
    assert done.code == 0
    assert "ranks 1–1,902 determine the score" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_compare_published_says_a_sentence_and_then_why(rankwise: Any) -> None:
    done = rankwise(
        *["published", "compare", "--a", "p=0.8,score=0.41,residual=0.02"],
        *["--b", "p=0.95,score=0.33,residual=0"],
    )
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("At p = 0.8, it is undecided which is better: A scores 0.4099 to")
    assert "A_low" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_compare_published_decides_where_it_can(rankwise: Any) -> None:
    done = rankwise("published", "compare", "--a", "p=0.5,score=0.9", "--b", "p=0.8,score=0.05")
    assert done.out.startswith("At p = 0.5, A is better:")
    machine = rankwise(
        *["published", "compare", "--a", "p=0.5,score=0.9", "--b", "p=0.8,score=0.05"],
        *["--format", "json"],
    )
    assert json.loads(machine.out)["rows"][0]["verdict"] == "A"
    assert "note: At p = 0.5, A is better" in machine.err


def test_the_papers_verdict_never_comes_alone(rankwise: Any) -> None:
    done = rankwise(
        *["published", "compare", "--a", "p=0.8,score=0.43", "--b", "p=0.9,score=0.2533"],
        *["--method", "paper"],
    )
    assert "With the ranges of the paper" in done.out
    assert (
        "With ranges that hold for every ranking: At p = 0.8, it is undecided"
        in done.out.replace("\n", " ")
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--a", "p=0.8,score=0.4"], "Missing option '--b'"),
        (["--a", "p=0.8", "--b", "p=0.8,score=0.4"], "score is missing"),
        (["--a", "p=0.8,score=0.4,graded=some", "--b", "p=0.8,score=0.4"], "graded=True or"),
        (
            ["--a", "p=0.8,score=0.4,graded", "--b", "p=0.8,score=0.4", "--method", "paper"],
            "not defined for graded judgments",
        ),
    ],
)
def test_half_a_comparison_is_refused(rankwise: Any, arguments: list[str], message: str) -> None:
    done = rankwise("published", "compare", *arguments)
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize("kind", ["svg", "png", "pdf", "html"])
def test_the_curve_as_a_file(rankwise: Any, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    done = rankwise(*ARGUMENTS, "--residual", "0.02", "--chart", f"chart.{kind}")
    assert done.code == 0
    begin = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE html>"}[kind]
    assert (tmp_path / f"chart.{kind}").read_bytes().startswith(begin)


def test_both_ranges_as_a_file(rankwise: Any, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    pair = ["--a", "p=0.8,score=0.41", "--b", "p=0.95,score=0.02"]
    done = rankwise("published", "compare", *pair, "--chart", "pair.SVG")
    assert done.out.startswith("At p = 0.8, A is better")
    assert (tmp_path / "pair.SVG").read_bytes().startswith(b"<svg")


def test_without_altair_the_message_says_how_to_get_it(
    rankwise: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    done = rankwise(*ARGUMENTS, "--chart", "chart.svg")
    assert done.code == 2
    assert "pip install 'rankwise[charts]'" in done.err


def test_a_chart_of_an_unknown_kind_is_refused(rankwise: Any) -> None:
    done = rankwise(*ARGUMENTS, "--chart", "chart.gif")
    assert done.code == 2
    assert ".svg, .png, .pdf, .html or .json" in done.err


def test_a_score_is_known_once(rankwise: Any) -> None:
    implied = ["published", "implied", "-m", "RBP", "--known", "P@10=0.9"]
    done = rankwise(*implied, "--known", "P@10=0.1")
    assert done.code == 2 and "--known: P@10 is given twice. Remove one of them." in done.err
    done = rankwise(*implied, "--known", "P_10=0.1")
    assert done.code == 2 and "--known: P@10 is given twice" in done.err
    assert "0.9 has fewer decimals than the precision" in rankwise(*implied, "--notes").err
