"""`rankwise plan`."""

import json
from pathlib import Path
from typing import Any

import pytest


def test_plan_says_how_deep_to_judge(rankwise: Any) -> None:
    done = rankwise(
        "plan", "depth", "-m", "RBP(p=0.8)", "-m", "RBP(p=0.95)", "--accuracy", "0.0001"
    )
    assert done.code == 0 and done.err.startswith("note: 'left below' is the largest amount")
    assert [line.split()[2] for line in done.out.splitlines()] == ["depth", "42", "180"]


def test_plan_the_other_way_round(rankwise: Any) -> None:
    done = rankwise("plan", "depth", "-m", "RBP", "--depth", "100", "--format", "json")
    assert json.loads(done.out)["rows"][0]["greatest p"] == 0.91201


def test_plan_says_why_a_metric_has_no_depth(rankwise: Any) -> None:
    done = rankwise("plan", "depth", "-m", "AP")
    assert (done.code, done.out) == (2, "")
    assert (
        "AP has no judging depth that guarantees an accuracy: the score depends on the number of"
        in done.err
    )
    assert rankwise("plan", "depth", "-m", "AP", "--depth", "10").code == 2
    some = rankwise("plan", "depth", "-m", "AP", "-m", "RBP(p=0.8)")
    assert (some.code, some.out.split()[-4::2]) == (0, ["RBP(p=0.8)", "42"])
    assert (
        "note: AP has no judging depth that guarantees an accuracy: the score depends on "
        in some.err
    )


def write_collection(folder: Path) -> list[str]:
    (folder / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    (folder / "A.run").write_text("1 Q0 x 1 3 A\n1 Q0 b 2 2 A\n2 Q0 y 1 1 A\n")
    (folder / "B.run").write_text("1 Q0 b 1 3 B\n1 Q0 a 2 2 B\n2 Q0 y 1 1 B\n")
    return ["qrels", "A.run", "B.run"]


def test_plan_lists_what_to_judge_next(rankwise: Any, tmp_path: Path) -> None:
    files = write_collection(tmp_path)
    done = rankwise(
        "plan", "next", *files, "-m", "RBP(p=0.5)", "--budget", "2", "--notes", "--format", "csv"
    )
    assert done.code == 0
    assert done.out == "topic,document,weight,runs,best_rank\n2,y,1.0,2,1\n1,x,0.5,1,1\n"
    rows = [line.split() for line in done.err.splitlines() if not line.startswith("note: ")]
    assert rows[0] == ["judged", "residual", "score", "undecided"]
    assert rows[1] == ["0", "0.37500", "0.06250", "1"]  # three halves, 2 runs × 2 topics
    assert [row[:2] for row in rows[2:4]] == [["1", "0.12500"], ["2", "0.00000"]]
    assert "the retrieved documents judged so far (25 %)" in done.err
    apart = rankwise(
        *[
            "plan",
            "next",
            *files,
            "-m",
            "RBP(p=0.5)",
            "--budget",
            "9",
            "--separate",
            "--notes",
            "-o",
            "todo.csv",
        ]
    )
    assert (apart.code, apart.out) == (0, "")
    assert (tmp_path / "todo.csv").read_text().splitlines()[1:] == ["1,x,0.5,1,1"]
    assert "note: only 1 unjudged document could decide undecided pairs of runs" in apart.err
    assert "note: 'weight' is the largest amount that the document could add" in apart.err
    assert "the list is ordered by weight" in done.err
    assert "starts with the documents that are most useful" in apart.err


def test_plan_by_what_is_probable_takes_any_metric(rankwise: Any) -> None:
    made = ["simulate", "--topics", "12", "--systems", "5", "--depth", "30", "-o", "c"]
    assert rankwise(*made, "--pool-depth", "8").code == 0
    runs = [f"c/runs/system{number}.run" for number in range(1, 6)]
    asked = ["plan", "next", "c/qrels.txt", *runs, "--unjudged", "top=30", "--budget", "7"]
    done = rankwise(*asked, "-m", "nDCG@10", "--notes", "--format", "csv")
    assert (done.code, done.out.count("\n")) == (0, 8)
    assert done.out.startswith("topic,document,chance,resolves,runs,best_rank\n")
    assert (
        "judged  relevant  unresolved  misordered" in done.err
        and "note: the random seed is 0" in done.err
    )
    pair = rankwise(*asked, "-m", "P@5", "--pair", "system1", "system2", "--format", "csv")
    assert pair.code == 0 and pair.out.startswith("topic,document,chance,resolves,")


def test_plan_can_leave_out_incomplete_runs(rankwise: Any, tmp_path: Path) -> None:
    files = write_collection(tmp_path)
    full = (f"{topic} Q0 d{n} {n} {-n} C\n" for topic in (1, 2) for n in range(1, 1001))
    (tmp_path / "C.run").write_text("".join(full))
    asked = ["plan", "next", *files, "C.run", "-m", "P@1", "--budget", "9", "--format", "csv"]
    done = rankwise(*asked, "--complete-runs")
    assert done.out.splitlines()[1:] == ["1,d1,1.0,1,1", "2,d1,1.0,1,1"]
    assert "2 of 3 runs are excluded as incomplete (A, B)" in done.err


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("qrels A.run -m P@10", "Give --budget N"),
        ("-m P@10 --budget 5", "Missing argument 'QRELS'"),
        ("qrels -m P@10 --budget 5", "Missing argument 'RUN...'"),
        ("qrels A.run -m P@10 -m RBP --budget 5", "one metric"),
        ("qrels A.run -m AP --budget 5", "needs two runs or more; only one run is given (A)"),
        (
            "qrels A.run -m AP --budget 5 --separate",
            "--separate needs a metric with fixed",
        ),
        ("qrels A.run B.run -m AP --budget 5", "Use --holes 2 to list the unjudged documents"),
        ("qrels A.run B.run -m AP --budget 5 --pair A C", "no run is called 'C'"),
        ("qrels A.run B.run -m AP --budget 5 --pair A A", "two different runs"),
        ("qrels A.run -m P@10 --budget 5 --separate", "Give two runs or more"),
        ("qrels A.run -m P@10 --budget 0", "0"),
    ],
)
def test_plan_says_what_does_not_go_together(
    rankwise: Any, tmp_path: Path, given: str, what: str
) -> None:
    write_collection(tmp_path)
    done = rankwise("plan", "next", *given.split())
    assert (done.code, done.out) == (2, "")
    assert what in done.err and "Traceback" not in done.err


def test_holes_are_listed_by_rank(rankwise: Any, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n2 0 d 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n2 Q0 c 1 2 r\n2 Q0 d 2 1 r\n")
    asked = ["plan", "next", "q", "r", "--format", "csv", "--holes"]
    done = rankwise(*asked, "2")
    assert done.out == "topic,document,best_rank,runs,found_by\n2,c,1,1,r\n1,b,2,1,r\n"
    assert "2 unjudged documents are in the first 2 of at least one run (2 topics)" in done.err
    assert rankwise(*asked, "1").out.count("\n") == 2
    (tmp_path / "t").write_text("1\n")
    done = rankwise(
        "plan", "next", "q", "r", "--holes", "2", "--only-topics", "t", "--format", "csv"
    )
    assert done.out.splitlines()[1:] == ["1,b,2,1,r"]
    for wrong in (("q", "r", "--holes", "2", "-m", "P@2"), ("--holes", "2"), ()):
        assert rankwise("plan", "next", *wrong).code == 2


def test_topics_from_a_variance(rankwise: Any) -> None:
    done = rankwise("plan", "topics", "--variance", "AP=0.02", "--difference", "0.1", "--notes")
    assert done.code == 0
    assert done.out.split() == (
        ["metric", "design", "goal", "variance", "topics"]
        + ["AP", "t-test", "0.1000", "0.0200", "34"]
    )
    assert "paired t-test of two systems" in done.err


def test_topics_from_runs_and_from_their_scores(rankwise: Any) -> None:
    made = ("simulate", "-o", "made", "--topics", "12", "--systems", "4", "--seed", "1")
    assert rankwise(*made, "--depth", "30", "--pool-depth", "10").code == 0
    runs = sorted(map(str, Path("made/runs").iterdir()))
    scored = ("score", "made/qrels.txt", *runs, "-m", "AP", "--by-topic", "-o", "scores.csv")
    assert rankwise(*scored).code == 0
    goals = ("--difference", "0.1", "--width", "0.1", "--margin", "0.05", "--format", "csv")
    one = rankwise("plan", "topics", "made/qrels.txt", *runs, "-m", "AP", *goals)
    other = rankwise("plan", "topics", "--scores", "scores.csv", *goals)
    assert one.code == 0 and one.out == other.out
    assert one.out.count("\n") == 6
    traded = rankwise(
        *("plan", "topics", "made/qrels.txt", *runs, "-m", "AP", "--budget", "500"),
        *("--pool-depths", "5,10", "--format", "json"),
    )
    assert [row["depth"] for row in json.loads(traded.out)["rows"]] == [5, 10]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--difference", "0.1"], "there is no data to estimate the variance. Give"),
        (["--variance", "0.1"], "the goal of the plan is missing"),
        (["--variance", "x", "--width", "0.1"], "--variance x is not a number"),
        (
            ["--variance", "0.1", "--variance", "AP=1", "--width", "1"],
            "is given several times, and a value has no metric",
        ),
        (["--budget", "10"], "--budget needs rankings"),
        (["--budget", "10", "--width", "0.1"], "--width cannot be combined with --budget"),
        (["--width", "0.1", "--pool-depths", "1"], "--pool-depths applies only with --budget"),
    ],
)
def test_wrong_requests_for_topics_are_one_line(
    rankwise: Any, arguments: list[str], message: str
) -> None:
    done = rankwise("plan", "topics", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err and done.err.count("\n") == 1


def test_an_empty_plan_prints_no_header(rankwise: Any, tmp_path: Path) -> None:
    files = write_collection(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 x 0\n2 0 c 1\n2 0 y 0\n")
    asked = ("plan", "next", *files)
    for what in (("-m", "RBP(p=0.5)", "--budget", "2"), ("--holes", "2")):
        done = rankwise(*asked, *what)
        assert (done.code, done.out) == (0, "")
        assert "judged" in done.err and "residual" not in done.err
        assert rankwise(*asked, *what, "--format", "csv").out.startswith("topic,document")
