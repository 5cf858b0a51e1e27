"""`rankwise metrics correlate`, as people call it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from rankwise.correlation.correlation import COEFFICIENTS
from rankwise.vocabulary import CoefficientName

Call = Callable[..., Any]


@pytest.fixture
def collection(rankwise: Call) -> str:
    rankwise("simulate", "-o", "c", "--topics", "4", "--systems", "12", "--seed", "5")
    return "c/qrels.txt"


def runs() -> list[str]:
    return [str(path) for path in sorted(Path("c/runs").iterdir())]


def test_a_matrix_for_people_and_rows_for_machines(rankwise: Call, collection: str) -> None:
    done = rankwise(
        "metrics", "correlate", collection, *runs(), "-m", "AP", "-m", "RR", "-m", "P@5"
    )
    assert done.code == 0, done.err
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[0] == ["kendall", "AP", "RR", "P@5"] and len(lines) == 4
    assert "12 systems; without ties, values of 0.58 or more are significant" in done.err
    assert float(lines[1][2]) < 1
    done = rankwise(
        "metrics", "correlate", collection, *runs(), "-m", "AP", "-m", "RR", "--format", "json"
    )
    [row] = json.loads(done.out)["rows"]
    assert row["coefficient"] == "kendall" and row["n"] == 12
    assert f"{row['value']:.4f}" == lines[1][2]


def test_a_small_p_is_not_0(rankwise: Call, collection: str) -> None:
    asked = ["metrics", "correlate", collection, *runs(), "-m", "AP", "-m", "nDCG"]
    assert rankwise(*asked).out.split()[-2] == "<0.0001"
    assert 0 < float(rankwise(*asked, "--format", "csv").out.split(",")[-2]) < 0.0001
    swaps = rankwise(*asked, "--swaps", "--digits", "1")
    assert swaps.code == 0 and "p′" in swaps.out


def test_a_tied_order_and_itself(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "p").write_text("x\ny\nz\n")
    (tmp_path / "B").write_text("y 0.5\nx 0.5\nz 0.1\n")
    (tmp_path / "C").write_text("y\nx\nz\n")
    asked = ["metrics", "correlate", "--orders", "--coefficient", "tau-ap"]
    done = rankwise(*asked, "p", "B", "C", "--notes")
    assert (
        "the coefficient of a system ranking with itself is below 1 if the ranking has ties"
        in done.err
    )
    assert float(done.out.splitlines()[2].split()[2]) < 1
    assert "with itself" not in rankwise(*asked, "p", "C").err


def test_other_judgments(rankwise: Call, collection: str) -> None:
    lines = Path(collection).read_text().splitlines(keepends=True)
    Path("half.txt").write_text("".join(lines[::2]))
    done = rankwise(
        *["metrics", "correlate", collection, *runs(), "-m", "AP", "--with-qrels", "half.txt"],
        *["--coefficient", "rbo", "--format", "csv"],
    )
    assert done.out.splitlines()[0] == "first,second,coefficient,value,low,residual,n"
    assert done.out.splitlines()[1].startswith("qrels.txt,half.txt,rbo,")
    done = rankwise("metrics", "correlate", collection, "-", "--with-qrels", "half.txt")
    assert done.code == 2 and "standard input (-) does not allow. Give files." in done.err


def test_swaps_most_significant_first(rankwise: Call, collection: str) -> None:
    done = rankwise(
        "metrics", "correlate", collection, *runs(), "--swaps", "--rows", "2", "--alpha", "0.9"
    )
    assert done.code == 0, done.err
    header, *rows = done.out.splitlines()
    assert header.split() == ["first", "ahead", "Δ", "p", "second", "ahead′", "Δ′", "p′", "sig."]
    assert len(rows) <= 2 and all(len(row) <= 80 for row in rows)
    assert "pairs of systems are in a different order in two rankings" in done.err


def test_orders(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "A.txt").write_text("x\ny\nz\n\n")
    (tmp_path / "B.txt").write_text("y 0.5\nx\t0.5\nz 0.1\n")
    done = rankwise("metrics", "correlate", "--orders", "A.txt", "B.txt", "--format", "csv")
    assert done.code == 0, done.err
    assert done.out.splitlines()[1].startswith("A.txt,B.txt,kendall,0.8164965809")
    assert (
        "some systems are tied: 2 of 3 in B.txt; tau-b is normalised by the pairs that are not tied"
        in done.err
    )
    done = rankwise("metrics", "correlate", "--orders", "A.txt", "B.txt", "--swaps")
    assert done.code == 0 and done.out.split() == ["first", "ahead", "second", "ahead′"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x\ny\nq\n", "A.txt lacks q; B.txt lacks z."),
        ("", "B.txt: the file is empty"),
        ("x 1\ny\nz 2\n", "B.txt:2: 1 column instead of 2: y"),
        ("x 1\ny one\nz 2\n", "B.txt:2: score is not a finite number: y one"),
        ("x\ny\nx\n", "B.txt:3: this system occurs twice: x"),
        ("x 1 2\n", "B.txt:1: 3 columns instead"),
    ],
)
def test_orders_that_are_wrong(rankwise: Call, tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "A.txt").write_text("x\ny\nz\n")
    (tmp_path / "B.txt").write_text(text)
    done = rankwise("metrics", "correlate", "--orders", "A.txt", "B.txt")
    assert done.code == 2 and what in done.err and "Traceback" not in done.err


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (["--orders", "A.txt", "B.txt", "-m", "AP"], "--metric cannot be combined with --orders"),
        (
            ["--scores", "AP=ap.csv", "--with-qrels", "q"],
            "--with-qrels cannot be combined with --scores",
        ),
        (["--orders", "A.txt", "A.txt"], "A.txt is given twice"),
        (["--orders", "A.txt", "nope.txt"], "nope.txt: no such file"),
        (["--orders", "A.txt", "B.txt", "--p", "0.8"], "--p applies only with --coefficient rbo"),
    ],
)
def test_calls_that_are_wrong(rankwise: Call, tmp_path: Path, args: list[str], what: str) -> None:
    (tmp_path / "A.txt").write_text("x\ny\nz\n")
    done = rankwise("metrics", "correlate", *args)
    assert done.code == 2 and what in done.err


def test_the_chart_has_a_cell_for_each_pair(rankwise: Call, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    for name, text in {"A": "x\ny\n", "B": "y\nx\n", "flat": "x 1\ny 1\n"}.items():
        (tmp_path / name).write_text(text)
    done = rankwise("metrics", "correlate", "--orders", "A", "B", "flat", "--chart", "tau.json")
    assert done.code == 0, done.err
    drawn = json.loads((tmp_path / "tau.json").read_text())
    [cells] = drawn["datasets"].values() if "datasets" in drawn else [drawn["data"]["values"]]
    assert len(cells) == 9
    assert {"row": "A", "column": "B", "value": -1, "shown": "-1.00"} in cells
    assert {"row": "A", "column": "flat", "value": None, "shown": "–"} in cells


def test_the_help_names_the_coefficients_there_are() -> None:
    assert list(COEFFICIENTS) == list(get_args(CoefficientName))
