"""Frames as text; most of it is tested through the commands that print them."""

from typing import Any

import polars as pl
import pytest

from rankwise.metrics.descriptions import catalogue
from rankwise.results.tables import latex_text, rendered


def latex(frame: pl.DataFrame, **how: str) -> list[str]:
    return rendered(frame, "latex", **how).decode().splitlines()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "set_as"),
    [
        ("Δ′", "$\\Delta$$'$"),
        ("P⁺ → Σ βᵏ", "P$^{+}$ $\\rightarrow$ $\\Sigma$ $\\beta$$^{k}$"),
        ("4–9, a … b ≥ c ≠ d", r"4--9, a \ldots{} b $\geq$ c $\neq$ d"),
        (
            "a_b & 5 % | <x> \\ ^~",
            r"a\_b \& 5 \% $|$ $<$x$>$ \textbackslash{} \^{}\textasciitilde{}",
        ),
        ("Grönqvist", "Grönqvist"),  # pdflatex reads letters of UTF-8
    ],
)
def test_symbols_are_set_without_packages(text: str, set_as: str) -> None:
    assert latex_text(text) == set_as


def test_the_catalogue_holds_nothing_that_pdflatex_does_not_know() -> None:
    left = {character for line in latex(catalogue()) for character in line if ord(character) > 127}
    assert left <= set("öäü")


def test_a_negative_number_has_a_minus_and_a_word_its_hyphen() -> None:
    frame = pl.DataFrame({"run": ["bm-25", "-1"], "AP": [-0.5, 0.25], "value": ["↓-0.1", "4-9"]})
    lines = latex(frame)
    assert r"bm-25 & $-$0.5000 & $\downarrow$$-$0.1 \\" in lines
    assert r"-1 & 0.2500 & 4-9 \\" in lines
    assert lines[0] == r"% needs \usepackage{booktabs}"
    page = rendered(frame.to_dict(as_series=False), "html").decode()
    assert ">bm-25<" in page and ">-1<" in page and ">−0.5000<" in page and ">4-9<" in page


def test_sentences_of_a_caption_start_with_capitals() -> None:
    caption = "AP of 2 runs. worse: by Moffat et al. in 2007. p is that of t"
    lines = latex(pl.DataFrame({"AP": [0.5]}), caption=caption)
    assert lines[2] == r"\caption{AP of 2 runs. Worse: by Moffat et al. in 2007. p is that of t}"
    assert lines[3] == r"\label{tab:rankwise}"


def test_where_there_is_no_room_names_of_columns_take_two_lines() -> None:
    columns: dict[str, list[Any]] = {
        "run": ["bm25"],
        "probable_low": [0.25],
        "probable_high": [0.5],
    }
    wide = "run   probable_low  probable_high\nbm25        0.2500         0.5000\n"
    assert rendered(columns, "table", width=33).decode() == wide
    high = "      probable_  probable_\nrun         low       high\nbm25     0.2500     0.5000\n"
    assert rendered(columns, "table", width=32).decode() == high


def test_where_that_is_not_enough_columns_go_below_each_other() -> None:
    columns: dict[str, list[Any]] = {
        "run": ["bm25"],
        "probable_low": [0.25],
        "probable_high": [0.5],
    }
    found = rendered(columns, "table", width=20).decode()
    assert found.split("\n\n") == [
        "      probable_\nrun         low\nbm25     0.2500",
        "      probable_\nrun        high\nbm25     0.5000\n",
    ]


def test_only_the_columns_that_name_the_rows_are_repeated() -> None:
    columns: dict[str, list[Any]] = {
        "rank": [1],
        "run": ["bm25"],
        "mean, at most": [0.25],
        "low": [0.1],
        "high": [0.5],
        "verdict": ["undecided"],
    }
    assert rendered(columns, "table", width=34).decode().split("\n\n") == [
        "              mean,\nrank  run   at most\n   1  bm25   0.2500",
        "rank  run      low    high\n   1  bm25  0.1000  0.5000",
        "rank  run   verdict\n   1  bm25  undecided\n",
    ]


def test_a_name_that_its_cells_have_room_for_stays_in_one_line() -> None:
    columns: dict[str, list[Any]] = {
        "new − old": ["effect size (d_z)"],
        "mean reciprocal rank": [0.25],
    }
    found = rendered(columns, "table", width=36).decode()
    assert found.splitlines() == [
        "                              mean",
        "new − old          reciprocal rank",
        "effect size (d_z)           0.2500",
    ]
