"""`rankwise metrics discriminate`."""

import json
from pathlib import Path
from typing import Any

import pytest

from rankwise import simulate
from rankwise.cli.commands.metrics.discriminate import METHODS


@pytest.fixture
def collection(tmp_path: Path) -> list[str]:
    """QRELS RUN… of a simulated collection, in the folder of the test."""
    simulate(topics=20, systems=6, seed=2).write(tmp_path)
    return ["qrels.txt", *(f"runs/system{number}.run" for number in range(1, 7))]


@pytest.fixture
def matrix(tmp_path: Path) -> str:
    (tmp_path / "m.csv").write_text("topic,a,b,c\n1,0.1,0.2,0.9\n2,0.3,0.2,0.8\n3,0.2,0.1,0.7\n")
    return "M=m.csv"


def test_the_methods_of_the_command_are_all_there_are() -> None:
    from rankwise.experiments.discrimination import discrimination

    assert tuple(METHODS) == discrimination.METHODS


def test_tests_share_a_table(rankwise: Any, collection: list[str]) -> None:
    asked = ["--method", "t", "--method", "wilcoxon", "--alpha", "0.05", "--alpha", "0.01"]
    done = rankwise("metrics", "discriminate", *collection, "-m", "AP", *asked)
    assert (done.code, done.err) == (0, "")
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[0] == ["method", "metric", "alpha", "significant", "pairs", "percent"]
    assert [line[:3] for line in lines[1:]] == [
        ["t", "AP", "0.05"],
        ["t", "AP", "0.01"],
        ["wilcoxon", "AP", "0.05"],
        ["wilcoxon", "AP", "0.01"],
    ]


def test_methods_of_other_kinds_have_a_table_each(rankwise: Any, collection: list[str]) -> None:
    asked = ["--method", "bootstrap", "--method", "swap", "--resamples", "40", "--seed", "3"]
    done = rankwise("metrics", "discriminate", *collection, "-m", "AP", *asked)
    assert done.code == 0
    assert "the random seed is 3 (bootstrap, swap)" in done.err
    first, second = done.out.split("\n\n")
    assert first.startswith("bootstrap", first.index("\n") + 1)
    assert "% reach" in second
    rows = json.loads(
        rankwise("metrics", "discriminate", *collection, "-m", "AP", *asked, "--format", "json").out
    )["rows"]
    assert [row["method"] for row in rows] == ["bootstrap", "swap"]
    assert rows[0]["% reach"] is None
    done = rankwise("metrics", "discriminate", *collection, "-m", "AP", *asked, "-o", "both.md")
    assert done.code == 2 and "these methods have different tables" in done.err
    assert not Path("both.md").exists()


def test_notes_say_how_to_read_the_columns(rankwise: Any, collection: list[str]) -> None:
    asked = ["metrics", "discriminate", *collection, "-m", "AP"]
    done = rankwise(*asked, "--method", "error-rate", "--resamples", "40")
    for column in done.out.splitlines()[0].split("  "):
        if column.strip() in ("difference", "best", "% of best", "% reach", "sd"):
            assert f"'{column.strip()}'" in done.err
    assert "–" not in done.err
    done = rankwise(
        *["metrics", "discriminate", *collection, "-m", "RR", "--method", "disjoint-swap"],
        *["--size", "1", "--alpha", "0.0001"],
    )
    assert done.out.split()[-2] == "–"
    assert (
        "note: '–' means that the swap rate is above alpha even for the largest differences"
        in done.err
    )
    assert "difference: " not in rankwise(*asked, "--curve").err


def test_scores_stand_in_place_of_runs(rankwise: Any, matrix: str) -> None:
    done = rankwise("metrics", "discriminate", "--scores", matrix, "--method", "permutation")
    assert (done.code, done.out.split()[-3:]) == (0, ["0", "3", "0.0"])
    done = rankwise(
        "metrics", "discriminate", "--scores", matrix, "--gains", "2:1", "--gains", "1:1"
    )
    assert done.code == 2 and "--gains cannot be combined with --scores" in done.err


def test_sizes_go_with_disjoint_sets(rankwise: Any, collection: list[str]) -> None:
    asked = [
        "-m",
        "AP",
        "--method",
        "disjoint-swap",
        "--size",
        "4",
        "--size",
        "8",
        "--resamples",
        "20",
    ]
    done = rankwise("metrics", "discriminate", *collection, *asked, "--format", "json")
    rows = json.loads(done.out)["rows"]
    assert [row["topics"] for row in rows] == [4, 8, 20]
    assert [row["how"] for row in rows] == ["measured", "measured", "extrapolated"]
    done = rankwise("metrics", "discriminate", *collection, "--size", "4")
    assert (done.code, done.out) == (2, "")
    assert "--size applies only with --method swap, disjoint-swap or error-rate" in done.err
    done = rankwise(
        "metrics", "discriminate", *collection, "--method", "error-rate", "--size", "11"
    )
    assert done.code == 2 and "from 1 to 10" in done.err


def test_several_gains_cross_the_metrics(rankwise: Any, collection: list[str]) -> None:
    asked = ["-m", "O", "-m", "RR", "--gains", "3:2:1", "--gains", "1:1:1", "--resamples", "40"]
    done = rankwise("metrics", "discriminate", *collection, *asked, "--format", "json")
    rows = {row["metric"]: row for row in json.loads(done.out)["rows"]}
    assert list(rows) == ["O(gains={1:1,2:2,3:3})", "O(gains={1:1,2:1,3:1})", "RR"]
    assert rows["O(gains={1:1,2:2,3:3})"]["tau"] == 1
    assert -1 <= rows["O(gains={1:1,2:1,3:1})"]["tau"] <= 1
    assert rows["RR"]["tau"] is None


def test_one_table_of_gains_is_that_of_all_metrics(rankwise: Any, collection: list[str]) -> None:
    asked = ["-m", "O", "--resamples", "40", "--format", "json"]
    one, other = (
        json.loads(rankwise("metrics", "discriminate", *collection, *asked, *more).out)["rows"]
        for more in (["--gains", "9:2:1"], [])
    )
    assert [row["metric"] for row in one] == ["O"]
    assert one != other


def test_curve_and_chart(rankwise: Any, collection: list[str], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    done = rankwise(
        *["metrics", "discriminate", *collection, "-m", "AP", "--curve", "--format", "json"],
        *["--method", "t", "--chart", "asl.json"],
    )
    rows = json.loads(done.out)["rows"]
    assert len(rows) == 15
    assert rows[0].keys() == {"method", "metric", "pair", "a", "b", "p"}
    drawn = json.loads((tmp_path / "asl.json").read_text())
    assert drawn["layer"][0]["encoding"]["y"]["field"] == "p"
    done = rankwise(
        *[
            "metrics",
            "discriminate",
            *collection,
            "-m",
            "AP",
            "-m",
            "RR",
            "--curve",
            "--resamples",
            "20",
        ],
        *["--method", "swap", "--method", "disjoint-swap", "--chart", "swaps.json"],
    )
    assert done.code == 0
    drawn = json.loads((tmp_path / "swaps.json").read_text())
    assert len(drawn["vconcat"]) == 2
    assert [panel["title"] for panel in drawn["vconcat"][1]["concat"]] == ["AP", "RR"]


def test_what_is_wrong_is_one_line(rankwise: Any, collection: list[str]) -> None:
    for asked in (
        [*collection, "--method", "boot"],
        [*collection, "--alpha", "1"],
        [*collection, "--alpha", "0.0001"],
        collection[:2],
        [*collection, "-m", "AP", "--mean", "geometric", "--method", "t"],
    ):
        done = rankwise("metrics", "discriminate", *asked)
        assert (done.code, done.out) == (2, "")
        assert len(done.err.splitlines()) == 1


def test_resamples_suffice_for_alpha_or_are_refused(rankwise: Any, collection: list[str]) -> None:
    asked = ("metrics", "discriminate", *collection)
    few = ("--method", "permutation", "--resamples", "10")
    done = rankwise(*asked, *few)
    assert done.code == 2 and "alpha 0.05 needs at least" in done.err and done.out == ""
    done = rankwise(*asked, "--method", "t", "--resamples", "100")
    assert done.code == 2 and "--resamples applies only with --method bootstrap" in done.err
