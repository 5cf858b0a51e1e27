"""`rankwise metrics stability` and `rankwise overview`."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from rankwise.simulation import simulate


@pytest.fixture
def made(tmp_path: Path) -> list[str]:
    """QRELS RUN... of a small collection."""
    simulate(topics=4, systems=3, depth=20, pool_depth=8, seed=3).write(tmp_path / "made")
    runs = sorted((tmp_path / "made" / "runs").iterdir())
    return [str(tmp_path / "made" / "qrels.txt"), *(str(run) for run in runs)]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_by_pool_depth(rankwise: Any, made: list[str]) -> None:
    call = ["metrics", "stability", *made, "-m", "AP", "-m", "RBP(p=0.8)", "--by", "pool-depth"]
    done = rankwise(*call, "--at", "2", "--at", "5", "--bounds")
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[0].split() == [
        "metric",
        "depth",
        "value",
        "low",
        "high",
        "tau",
        "judged",
        "relevant",
    ]
    assert [line.split()[1] for line in lines[1:]] == ["2", "5", "all"] * 2
    assert max(map(len, lines)) <= 80


def test_by_sample_is_told_with_its_seed(rankwise: Any, made: list[str]) -> None:
    call = [
        "metrics",
        "stability",
        *made,
        "-m",
        "AP",
        "--by",
        "sample",
        "--at",
        "0.2",
        "--resamples",
        "3",
    ]
    done = rankwise(*call, "--seed", "4", "--format", "csv")
    assert done.err == "note: each row uses 3 random samples; the random seed is 4\n"
    low, full = rows_of(done.out)
    names = ["metric", "keep", "value", "sd", "tau", "tau sd", "judged", "relevant"]
    assert list(low) == names
    assert (low["keep"], full["keep"], full["sd"], full["tau"]) == ("0.2", "1.0", "0.0", "1.0")
    assert rankwise(*call, "--seed", "4", "--format", "csv").out == done.out
    assert rankwise(*call, "--seed", "5", "--format", "csv").out != done.out


def test_by_run(rankwise: Any, made: list[str]) -> None:
    call = [
        "metrics",
        "stability",
        *made,
        "-m",
        "AP",
        "--by",
        "pool-depth",
        "--at",
        "3",
        "--by-run",
    ]
    rows = json.loads(rankwise(*call, "--format", "json").out)["rows"]
    assert [row["depth"] for row in rows] == [3] * 3 + [None] * 3
    scores = rows_of(rankwise("score", *made, "-m", "AP", "--format", "csv").out)
    assert [row["value"] for row in rows[3:]] == [float(score["value"]) for score in scores]


def test_by_group(rankwise: Any, made: list[str]) -> None:
    Path("groups.txt").write_text("system1 A\nsystem2 A\nsystem3 B\n")
    call = ["metrics", "stability", *made, "-m", "AP", "--by", "group", "--groups", "groups.txt"]
    done = rankwise(*call, "--pool-depth", "8")
    lines = [line.split() for line in done.out.splitlines()]
    assert sorted(line[1:3] for line in lines[1:]) == [
        ["system1", "A"],
        ["system2", "A"],
        ["system3", "B"],
    ]
    assert "by 'value' and by 'without' is 0.3333. " in done.err
    Path("groups.txt").write_text("system1 A\nsystem2 A\n")
    wrong = rankwise(*call)
    assert (wrong.code, wrong.out) == (2, "")
    assert "groups.txt: 1 run has no group: system3." in wrong.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--by", "group", "--groups", "g.txt", "--at", "3"],
            "--at cannot be combined with --by group",
        ),
        (["--by", "sample", "--at", "5"], "at most 1, not 5. For 5 % write"),
        (["--by", "pool-depth", "--at", "2.5"], "--at must be whole numbers, 1 or more, not 2.5"),
    ],
)
def test_what_is_wrong_is_one_line(
    rankwise: Any, made: list[str], arguments: list[str], message: str
) -> None:
    done = rankwise("metrics", "stability", *made, *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err and done.err.count("\n") == 1


def test_overview(rankwise: Any, made: list[str]) -> None:
    done = rankwise("overview", *made, "--cutoff", "5", "--cutoff", "20")
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[0] == ["of", "runs", "documents", "judged", "relevant", "unjudged"]
    assert [line[:-5] for line in lines[1:]] == [["pool"], ["top", "5"], ["top", "20"]]
    assert lines[3][2:4] == ["3", "20.00"]
    assert "note: topics: 4, runs: 3; numbers of documents are means over topics" in done.err
    for by, count in (("topic", 4), ("run", 3), ("rank", 20)):
        table = rankwise("overview", *made, "--by", by, "--format", "csv").out
        assert len(rows_of(table)) == count


def test_runs_are_sorted_by_the_column_that_is_asked_for(rankwise: Any, made: list[str]) -> None:
    asked = ["overview", *made, "--by", "run", "--cutoff", "5", "--pool-depth", "5"]
    plain = rankwise(*asked)
    assert plain.out.split()[:5] == ["run", "judged@5", "relevant@5", "unique", "unique"]
    assert (
        "'unique' is the number of judged documents that only this run has in its first 5"
        in plain.err
    )
    rows = rows_of(rankwise(*asked, "--sort", "unique", "--format", "csv").out)
    counts = [int(row["unique"]) for row in rows]
    assert counts == sorted(counts) and len(set(counts)) > 1
    wrong = rankwise(*asked, "--sort", "uniqe")
    assert wrong.code == 2 and "Did you mean unique" in wrong.err
    assert rankwise("overview", *made, "--pool-depth", "5").code == 2


def test_each_run_is_its_own_group_without_a_file(rankwise: Any, made: list[str]) -> None:
    Path("alone.txt").write_text("system1 system1\nsystem2 system2\nsystem3 system3\n")
    asked = ["metrics", "stability", *made, "-m", "AP", "--by", "group", "--format", "csv"]
    alone = rankwise(*asked)
    assert alone.out == rankwise(*asked, "--groups", "alone.txt").out
    assert {row["group"] for row in rows_of(alone.out)} == {"system1", "system2", "system3"}


def test_overview_of_complete_runs_says_who_is_left_out(rankwise: Any, made: list[str]) -> None:
    done = rankwise("overview", *made, "--complete-runs")
    assert (done.code, done.out) == (2, "")
    assert "no run is complete" in done.err


def test_charts(rankwise: Any, made: list[str]) -> None:
    pytest.importorskip("altair")
    Path("groups.txt").write_text("system1 A\nsystem2 A\nsystem3 B\n")
    levels = ["metrics", "stability", *made, "-m", "AP", "-m", "RankEff", "--by"]
    calls = {
        "depth": [*levels, "pool-depth", "--at", "1", "--at", "4", "--bounds"],
        "sample": [*levels, "sample", "--resamples", "2"],
        "runs": [*levels, "pool-depth", "--at", "1", "--at", "4", "--by-run"],
        "one run": [*levels[:4], "-m", "AP", "--by", "pool-depth"],
        "group": [*levels, "group", "--groups", "groups.txt"],
        "overview": ["overview", *made],
    }
    for name, call in calls.items():
        assert rankwise(*call, "--chart", f"{name}.json").code == 0, name
    drawn = {name: json.loads(Path(f"{name}.json").read_text()) for name in calls}
    score, tau = drawn["depth"]["concat"]
    assert len(score["layer"]) == 2 * 3 + 1  # a band with two edges for each metric, the lines
    assert len(tau["layer"]) == 2 + 1
    assert (len(drawn["runs"]["concat"]), drawn["runs"]["columns"]) == (4, 2)
    assert len(drawn["group"]["concat"]) == 2
    data = drawn["overview"]["data"]["values"]
    assert {row["metric"] for row in data} == {"judged", "relevant"}
