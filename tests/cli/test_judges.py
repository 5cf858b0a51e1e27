"""`rankwise judges`, as people call it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


@pytest.fixture
def judged(rankwise: Call) -> list[str]:
    """A simulated collection, and a second judge who calls every fifth document relevant."""
    rankwise("simulate", "-o", "c", "--topics", "8", "--systems", "3", "--seed", "2")
    lines = Path("c/qrels.txt").read_text().splitlines()
    rows = [line.split() for line in lines]
    other = [f"{t} 0 {d} {1 if n % 5 == 0 else g}" for n, (t, _, d, g) in enumerate(rows)]
    Path("llm.txt").write_text("\n".join(other) + "\n")
    return ["human=c/qrels.txt", "llm=llm.txt"]


def test_coefficients_with_two_intervals(rankwise: Call, judged: list[str]) -> None:
    done = rankwise("judges", "agree", *judged)
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].split() == [
        "statistic",
        "value",
        "95",
        "%",
        "CI",
        "(topics)",
        "naive",
        "CI",
    ]
    assert "Krippendorff's alpha, nominal" in done.out
    assert "judged by both" in done.err and "bootstrap over topics" in done.err


def test_runs_are_all_files_up_to_the_next_option(rankwise: Call, judged: list[str]) -> None:
    runs = [str(path) for path in sorted(Path("c/runs").iterdir())]
    asked = [
        "judges",
        "agree",
        *judged,
        "--runs",
        *runs,
        "-m",
        "AP",
        "--show",
        "ranks",
        "--format",
        "json",
    ]
    done = rankwise(*asked)
    assert done.code == 0, done.err
    assert [row["run"] for row in json.loads(done.out)["rows"]] != []
    assert len(json.loads(done.out)["rows"]) == len(runs)
    done = rankwise(
        "judges", "agree", *judged, "--runs", *runs, "-m", "AP", "--show", "differences"
    )
    assert done.code == 0 and "significant under human. Under " in done.err


def test_gains_map_the_grades_of_one_judge(rankwise: Call, judged: list[str]) -> None:
    text = Path("llm.txt").read_text().splitlines()
    moved = [" ".join([*line.split()[:3], str(10 * int(line.split()[3]))]) for line in text]
    Path("ten.txt").write_text("\n".join(moved) + "\n")
    plain = rankwise("judges", "agree", *judged, "--format", "csv")
    mapped = rankwise(
        *["judges", "agree", judged[0], "llm=ten.txt", "--format", "csv"],
        *["--gains", "llm:10=1,20=2,30=3,40=4"],
    )
    assert mapped.code == 0, mapped.err
    assert mapped.out == plain.out
    done = rankwise("judges", "agree", judged[0], "llm=ten.txt", "--gains", "lm:10=1")
    assert done.code == 2 and "no judge is called lm. Judges: human, llm" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["llm.txt"], "two judges or more are needed; only one is given"),
        (["llm.txt", "llm.txt"], "llm.txt is given twice"),
        (["llm.txt", "c/qrels.txt", "-m", "AP"], "--metric applies only with --runs RUN...."),
        (
            ["c/runs/system1.run", "llm.txt"],
            "a qrels file is expected here. Give runs with --runs.",
        ),
        (["llm.txt", "c/qrels.txt", "--runs", "llm.txt"], "a run is expected here"),
        (
            ["llm.txt", "other.txt"],
            "no document is judged by two judges; the judges share no topic",
        ),
        (["llm.txt", "scale.txt"], "the grades of the judges are on different scales"),
        (["llm.txt", "c/qrels.txt", "--show", "ranks"], "needs runs"),
    ],
)
@pytest.mark.usefixtures("judged")
def test_bad_input_gets_a_message(rankwise: Call, arguments: list[str], message: str) -> None:
    lines = [line.split() for line in Path("llm.txt").read_text().splitlines()]
    Path("other.txt").write_text("".join(f"x{t} 0 {d} {g}\n" for t, _, d, g in lines))
    Path("scale.txt").write_text("".join(f"{t} 0 {d} {int(g) * 25}\n" for t, _, d, g in lines))
    done = rankwise("judges", "agree", *arguments)
    assert done.code == 2 and message in done.err and "Traceback" not in done.err


def test_a_sentence_has_the_statistics_to_report(rankwise: Call, judged: list[str]) -> None:
    sentence = rankwise("judges", "agree", *judged).err.splitlines()[0]
    for word in ("raw agreement ", "Cohen's kappa ", "Krippendorff's ordinal alpha ", "95 % CI"):
        assert word in sentence
    assert "raw agreement" not in rankwise("judges", "agree", *judged, "--show", "confusion").err
    assert "raw agreement" not in rankwise("judges", "agree", *judged, "--format", "csv").err


def test_a_confusion_matrix_is_of_two_judges(rankwise: Call, judged: list[str]) -> None:
    shown = ("judges", "agree", *judged, "c/truth.txt", "--show", "confusion")
    done = rankwise(*shown)
    assert done.code == 2 and "Traceback" not in done.err
    assert "--show confusion needs two judges; there are 3: human, llm, truth." in done.err
    assert rankwise(*shown, "--format", "csv").code == 0  # one row per pair of judges and grades
    for other in ("labels", "grades", "judges"):
        assert rankwise(*shown[:-1], other).code == 0


def test_each_view_names_the_method_of_its_intervals(rankwise: Call, judged: list[str]) -> None:
    runs = [str(path) for path in sorted(Path("c/runs").iterdir())]
    bootstrap, naive, t = "bootstrap over topics", "The naive intervals", "Student's t over topics"
    for show, said in {
        "labels": {bootstrap, naive},
        "grades": {bootstrap, naive},
        "systems": {bootstrap},
        "favours": {t},
        "ranks": set(),
    }.items():
        done = rankwise(
            "judges", "agree", *judged, "--show", show, "--notes", "-m", "AP", "--runs", *runs
        )
        assert {text for text in (bootstrap, naive, t) if text in done.err} == said, show


def test_gains_that_lack_a_grade_name_the_judge(rankwise: Call, judged: list[str]) -> None:
    done = rankwise("judges", "agree", *judged, "--gains", "llm:1=0")
    assert done.code == 2 and "llm: --gains has no gain for grade 2" in done.err


def test_charts_are_written(rankwise: Call, judged: list[str]) -> None:
    runs = [str(path) for path in sorted(Path("c/runs").iterdir())]
    for show in ("labels", "grades", "systems"):
        done = rankwise(
            *[
                "judges",
                "agree",
                *judged,
                "--show",
                show,
                "--chart",
                f"{show}.svg",
                "-m",
                "AP",
                "--runs",
            ],
            *runs,
        )
        assert done.code == 0, done.err
        assert Path(f"{show}.svg").read_text().startswith("<svg")


def test_a_table_with_a_column_of_judges(rankwise: Call, judged: list[str]) -> None:
    rows = ["query,doc,label,who"]
    for name, file in (one.split("=") for one in judged):
        for line in Path(file).read_text().splitlines():
            topic, _, document, grade = line.split()
            rows.append(f"{topic},{document},{grade},{name}")
    Path("labels.csv").write_text("\n".join(rows) + "\n")
    done = rankwise("judges", "agree", "labels.csv", "--columns", "judge=who", "--format", "csv")
    assert done.code == 0, done.err
    assert done.out == rankwise("judges", "agree", *judged, "--format", "csv").out


def test_flips_of_a_comparison(rankwise: Call, judged: list[str]) -> None:
    runs = ["c/runs/system1.run", "c/runs/system3.run"]
    asked = ["judges", "flips", "c/qrels.txt", *runs, "-m", "P@5"]
    done = rankwise(*asked, "--errors", judged[1].partition("=")[2])
    assert done.code == 0, done.err
    assert "judgments would have to be wrong to reverse the difference" in done.err
    assert "random errors reversed the difference in none of 200 simulations" in done.err
    assert done.out.splitlines()[0].split()[-4:] == ["wrong", "judgments", "of", "chance"]
    rows = json.loads(rankwise(*asked, "--format", "json").out)["rows"]
    listed = rankwise(*asked, "--documents", "--format", "json")
    assert len(json.loads(listed.out)["rows"]) == rows[0]["at_most"] == rows[0]["at_least"]
    one = json.loads(rankwise(*asked, "--step", "one", "--format", "json").out)["rows"]
    assert one[0]["at_least"] is None or one[0]["at_least"] >= rows[0]["at_least"]


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--resamples", "5"], "--resamples applies only with --errors RATE|QRELS"),
        (["--errors", "2"], "must be an error rate between 0 and 1"),
        (["--errors", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_wrong_options_of_flips(rankwise: Call, options: list[str], message: str) -> None:
    runs = ["c/runs/system1.run", "c/runs/system2.run"]
    done = rankwise("judges", "flips", "c/qrels.txt", *runs, "-m", "P@5", *options)
    assert done.code == 2 and message in done.err and "Traceback" not in done.err


def test_scores_by_judge_and_under_combined_judgments(rankwise: Call, judged: list[str]) -> None:
    asked = [judged[0], "c/runs/system1.run", "-m", "P@5", "--judge", judged[1]]
    done = rankwise("judges", "scores", *asked)
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].split() == ["metric", "run", "human", "llm", "spread"]
    *_, human, llm, spread = done.out.splitlines()[1].split()
    assert float(spread) == pytest.approx(abs(float(human) - float(llm)), abs=1e-4)
    for name, value in (("c/qrels.txt", human), ("llm.txt", llm)):
        alone = rankwise("score", name, "c/runs/system1.run", "-m", "P@5")
        assert alone.out.splitlines()[-1].split()[1] == value
    done = rankwise("score", *asked)
    assert done.code == 2 and "Use --judges majority" in done.err and "majority, mean" in done.err
    best = rankwise("score", *asked, "--judges", "max")
    assert best.code == 0 and float(best.out.splitlines()[-1].split()[1]) >= max(
        float(human), float(llm)
    )
    done = rankwise("judges", "scores", "llm.txt", "c/runs/system1.run")
    assert done.code == 2 and "two judges or more" in done.err


def test_cheap_labels_beside_expert_ones(rankwise: Call) -> None:
    rankwise("simulate", "-o", "c", "--topics", "30", "--systems", "3", "--seed", "2")
    lines = Path("c/qrels.txt").read_text().splitlines(keepends=True)
    Path("human.txt").write_text("".join(line for line in lines if int(line.split()[0]) <= 12))
    runs = [str(path) for path in sorted(Path("c/runs").iterdir())]
    asked = ["judges", "cheap", "human.txt", "c/qrels.txt", *runs, "-m", "P@5"]
    done = rankwise(*asked)
    assert done.code == 0, done.err
    assert "expert only" in done.out and "The expert judged 12 of 30 topics" in done.err
    rows = json.loads(rankwise(*asked, "--differences", "--format", "json").out)["rows"]
    assert len(rows) == 3 and {"difference", "low", "high", "significant"} <= set(rows[0])
    rows = json.loads(rankwise(*asked, "--baseline", runs[0], "--format", "json").out)
    assert len(rows["rows"]) == 2  # --baseline implies --differences
    done = rankwise(*asked, "--by", "documents")
    assert done.code == 0 and "A model predicts the missing expert grades" in done.err
    done = rankwise(*asked, "--by", "topics", "--inclusion", "0.5")
    assert done.code == 2 and "apply to documents, not to topics. Remove --by topics." in done.err
    done = rankwise("judges", "cheap", "c/qrels.txt", "human.txt", *runs, "-m", "P@5")
    assert done.code == 2 and "CHEAP has judgments of only" in done.err


def test_labels_to_buy_from_the_expert_judge(rankwise: Call) -> None:
    rankwise("simulate", "-o", "c", "--topics", "30", "--systems", "3", "--seed", "2")
    lines = Path("c/qrels.txt").read_text().splitlines(keepends=True)
    Path("human.txt").write_text("".join(lines[::4]))
    runs = [str(path) for path in sorted(Path("c/runs").iterdir())]
    asked = ["plan", "next", "human.txt", *runs, "-m", "P@5", "--cheap", "c/qrels.txt"]
    done = rankwise(*asked, "--budget", "7", "--format", "csv")
    assert done.code == 0, done.err
    assert len(done.out.splitlines()) == 8 and "pairs of runs are undecided" in done.err
    done = rankwise(*asked, "--budget", "7", "--holes", "3")
    assert done.code == 2 and "--holes cannot be combined with --cheap" in done.err


def test_few_resamples_and_lost_grades_are_named(rankwise: Any, tmp_path: Path) -> None:
    for name, grade in (("one", -1), ("two", 1)):
        lines = [
            f"{topic} 0 {document} {grade if document == 'a' else 0}\n"
            for topic in range(8)
            for document in "abc"
        ]
        (tmp_path / name).write_text("".join(lines))
    done = rankwise(
        "judges", "agree", "one", "two", "--resamples", "10", "--gains", "1=2", "--notes"
    )
    assert done.code == 0
    assert "10 resamples are too few for 95 % intervals" in done.err
    assert "one: --gains maps negative grades to 0" in done.err and "two: --gains" not in done.err
