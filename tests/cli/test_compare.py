"""`rankwise compare`, and the options of `score` that it shares: what a reader sees."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankwise import simulate

Call = Callable[..., Any]
TWO = ("compare", "qrels.txt", "runs/system1.run", "runs/system2.run")
SWEEP = ("metrics", "sweep", *TWO[1:])


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    simulate(topics=12, systems=4, seed=1).write(tmp_path)


@pytest.fixture
def every(tmp_path: Path) -> tuple[str, ...]:
    runs = sorted(path.name for path in (tmp_path / "runs").iterdir())
    return ("compare", "qrels.txt", *(f"runs/{name}" for name in runs))


def test_two_runs_stand_side_by_side(rankwise: Call) -> None:
    done = rankwise(*TWO, "-m", "P@10", "-m", "RBP(p=0.8)")
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[0].split() == ["system2", "−", "system1", "P@10", "RBP(p=0.8)"]
    assert [line.split("  ")[0] for line in lines][-1] == "unjudged documents"
    assert max(map(len, lines)) <= 80
    sentence, interval = done.err.splitlines()
    assert sentence.startswith("system2 (") and "in P@10: difference" in sentence
    assert "Test: paired t-test, not corrected across 2 metrics, α = 0.05." in sentence
    assert sentence.endswith(
        "Bounds assume that an unjudged document can be relevant only if at least one of the given "
        "runs retrieved it."
    )
    assert interval == "note: intervals are 95 % confidence intervals (Student's t)"
    every = rankwise(*TWO, "-m", "P@10", "-m", "RBP(p=0.8)", "--notes").err.splitlines()
    assert "in P@10: difference" in every[0] and "in RBP(p=0.8): difference" in every[1]
    in_file = rankwise(*TWO, "-m", "P@10", "-m", "RBP(p=0.8)", "-o", "t.tex").err.splitlines()
    assert in_file[:2] == every[:2] and in_file[-1] == "wrote t.tex"


def test_more_runs_have_a_sentence_and_a_note_and_all_notes_on_request(
    rankwise: Call, every: tuple[str, ...]
) -> None:
    done = rankwise(*every, "-m", "AP", "-m", "RR")
    *first, wide, caption, more = done.err.splitlines()
    assert len(first) == 2
    assert wide.startswith("warning: ") and "confidence interval that contains 0" in wide
    assert caption.startswith("note: AP, RR of 4 runs over 12 topics.")
    said = rankwise(*every, "-m", "AP", "-m", "RR", "--notes").err.splitlines()
    assert said[:2] == first
    in_ap, in_rr, bounds, *notes = said[2:]
    assert "differences in AP are significant" in in_ap and "in RR are significant" in in_rr
    assert bounds.startswith("Bounds assume that ")
    assert all(line.startswith("note: ") for line in notes[1:])
    assert notes[:2] == [wide, caption]
    # No note repeats a sentence.
    text = " ".join(said)
    assert "number of significant differences (of 6)" not in text
    assert text.lower().count("bounds assume that") == text.count("paired t-test") == 1
    assert more == f"{len(notes)} more notes: use --notes"


def test_two_runs_are_compared_as_new_minus_old(rankwise: Call) -> None:
    turned = (TWO[0], TWO[1], *TWO[:1:-1], "-m", "AP")
    there, back = rankwise(*TWO, "-m", "AP").out, rankwise(*turned).out
    assert there.startswith("system2 − system1") and back.startswith("system1 − system2")
    [row] = json.loads(rankwise(*turned, "--format", "json").out)["rows"]
    assert (row["a"], row["b"]) == ("system1", "system2")
    assert row["difference"] == pytest.approx(row["mean_a"] - row["mean_b"])
    assert row["difference"] > 0


def test_diagnostics_stand_beside_without_a_mark(rankwise: Call, every: tuple[str, ...]) -> None:
    asked = ("-m", "Unjudged@10", "-m", "AP", "-m", "NumRelRet")
    two = rankwise(*TWO, *asked).out.splitlines()
    assert two[0].split()[-5:] == ["system1", "Unjudged@10", "AP", "NumRelRet", "(sum)"]
    significant = next(line for line in two if line.startswith("significant")).split()[-3:]
    assert (significant[0], significant[2]) == ("–", "–")
    assert two[1].split()[-1].isdigit()

    board = rankwise(*every, *asked)
    names = ["rank", "run", "AP", "worse", "better", "n.s. ranks", "ranks (95 %)"]
    names.append("with unjudged")
    assert board.out.splitlines()[0].split() == (
        " ".join([*names, "Unjudged@10", "NumRelRet (sum)"]).split()
    )
    assert "Holm over 6 comparisons, α" in board.err

    base = rankwise(*every, *asked, "--baseline", "system3")
    marked = [line for line in base.out.splitlines() if "↑" in line or "↓" in line]
    assert marked and all(line.count("↑") + line.count("↓") == 1 for line in marked)
    runs = [line.split()[0] for line in base.out.splitlines()[1:]]
    assert runs == [line.split()[1] for line in board.out.splitlines()[1:]]  # by AP

    rows = json.loads(rankwise(*every, *asked, "--format", "json").out)["rows"]
    assert {row["test"] for row in rows if row["metric"] != "AP"} == {None}


@pytest.mark.parametrize("options", [(), ("--baseline", "system2"), ("--pairs",)])
def test_diagnostics_alone_are_nothing_to_compare(
    rankwise: Call, every: tuple[str, ...], options: tuple[str, ...]
) -> None:
    done = rankwise(*every, "-m", "Unjudged@10", "-m", "NumRet", *options)
    assert done.code == 0
    assert "Nothing to compare: none of these metrics measures effectiveness." in done.err
    assert "significant" not in done.out + done.err
    assert not set(done.out) & set("↑↓")
    for refused in (
        rankwise(*every, "-m", "NumRet", "--chart", "x.svg"),
        rankwise("plan", "power", *every[1:], "-m", "NumRet"),
    ):
        assert (refused.code, refused.out) == (2, "")


def test_a_baseline_marks_the_others(rankwise: Call, every: tuple[str, ...]) -> None:
    done = rankwise(*every, "-m", "AP", "-m", "P@10", "--baseline", "system3")
    lines = done.out.splitlines()
    assert next(line for line in lines if "system1" in line).split()[1].startswith("↑")
    assert sum("system3 (baseline)" in line for line in lines) == 1
    assert (
        "↑ (↓) marks a score that is significantly better (worse) than that of system3" in done.err
    )
    one = rankwise(*every, "-m", "AP", "--baseline", "system3").out.splitlines()
    header = ["run", "AP", "difference", "%", "conf_low", "conf_high", "effect"]
    header += ["wins/ties/losses", "p", "corrected_p", "low", "high", "guaranteed"]
    assert one[0].split() == header
    explained = rankwise(*every, "-m", "AP", "--baseline", "system3", "--notes").err
    for name in ("difference' is", "wins/ties/losses' are", "low' and 'high' are"):
        assert f"'{name} " in explained
    assert "'guaranteed' says " in explained
    assert "A guarantee is not a significance test" in explained


def test_several_runs_have_a_sentence_on_the_first_place(
    rankwise: Call, every: tuple[str, ...]
) -> None:
    asked = ("-m", "AP,P@10,RR")
    said = rankwise(*every, *asked).err.splitlines()
    ap, p10 = (line for line in said if "first of" in line)
    assert ap.startswith("system1 is first of 4 runs by AP: 0.")
    assert "significant" in ap and "first place" in ap + p10
    assert rankwise(*every, *asked, "--notes").err.count("first of") == 3
    assert "first of" not in rankwise(*every, *asked, "--baseline", "system1").err
    assert "first place" not in rankwise(*every, *asked, "--no-bounds").err


def test_all_runs_make_a_leaderboard(rankwise: Call, every: tuple[str, ...]) -> None:
    done = rankwise(*every, "-m", "AP", "--test", "tukey")
    lines = done.out.splitlines()
    head = "rank run AP worse better n.s. ranks ranks (95 %) with unjudged"
    assert lines[0].split() == head.split()
    assert [line.split()[0] for line in lines[1:]] == ["1", "2", "3", "4"]
    assert "familywise error controlled over all pairs of runs, α = 0.05" in done.err
    header = json.loads(rankwise(*every, "-m", "AP", "--test", "tukey", "--format", "json").out)
    [summary] = [each["text"] for each in header["notes"] if each["kind"] == "summary"]
    assert "4 of 6 differences are significant; none of these is guaranteed" in summary


def test_pairs_and_machines_get_every_pair(rankwise: Call, every: tuple[str, ...]) -> None:
    asked = (*every, "-m", "AP", "-m", "P@10")
    assert len(rankwise(*asked, "--pairs").out.splitlines()) == 1 + 12
    rows = json.loads(rankwise(*asked, "--format", "json").out)["rows"]
    assert len(rows) == 12
    assert list(rows[0]) == [
        *["metric", "a", "b", "mean_a", "mean_b", "difference", "percent", "conf_low", "conf_high"],
        *["effect", "wins", "ties", "losses", "topics", "dropped", "p", "corrected_p"],
        *["significant", "low", "high", "verdict", "to_resolve", "gap", "proven"],
        *["test", "family", "alpha", "interval"],
    ]
    assert (
        "verdict"
        not in json.loads(rankwise(*asked, "--no-bounds", "--format", "json").out)["rows"][0]
    )


def test_latex_is_ready_for_a_paper(rankwise: Call, every: tuple[str, ...]) -> None:
    text = rankwise(*every, "-m", "AP", "--baseline", "system3", "--format", "latex").out
    needs, begin, caption, label, *_ = text.splitlines()
    assert (needs, begin) == ("% needs \\usepackage{booktabs}", "\\begin{table}")
    assert caption.startswith("\\caption{AP of 4 runs over 12 topics; system3 is the baseline.")
    assert label == "\\label{tab:rankwise}"
    assert "Holm over 3 comparisons, $\\alpha$ = 0.05." in text
    assert "\\toprule" in text and "$\\uparrow$" in text and "<" not in text.replace("$<$", "")
    assert not set(text) & set("↑↓α×≤−–")


def test_power_says_how_many_topics_it_takes(rankwise: Call) -> None:
    asked = ("plan", "power", *TWO[1:], "-m", "AP")
    done = rankwise(*asked, "--power", "0.9", "--with-topics", "100")
    header, row = (line.split() for line in done.out.splitlines())
    assert header[-2:] == ["needed", "smallest"]
    assert int(row[-2]) > 12 and float(row[-1]) > 0
    assert "for power 0.9, if 'planned_effect' is the true effect size" in done.err
    assert "the smallest difference that this test detects with 100 topics" in done.err
    stated = rankwise(*asked, "--difference", "0.1")
    assert "'planned_effect' is a true difference of 0.1 divided by sd. " in stated.err
    for options, message in (
        (("--difference", "0"), "--difference must be above 0"),
        (("--power", "0.01"), "--power must be between alpha (0.05) and 1"),
        (("--with-topics", "1"), "--with-topics must be 2 or more"),
    ):
        wrong = rankwise(*asked, *options)
        assert wrong.code == 2 and message in wrong.err
    based = rankwise("plan", "power", "qrels.txt", *TWO[2:], "-m", "AP", "--baseline", "system1")
    assert based.out.splitlines()[1].split()[1:3] == ["system2", "system1"]


def test_matrices_have_no_verdict(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "ap.csv").write_text("topic,a,b\n1,0.5,0.25\n2,0.5,0.5\n3,0.75,0.25\n")
    done = rankwise("compare", "--scores", "AP=ap.csv", "--test", "wilcoxon", "--zeros", "pratt",
                    "--no-continuity")  # fmt: skip
    assert "unjudged" not in done.out
    variant = "zeros by Pratt's method, no continuity correction"
    assert f"Wilcoxon signed-rank test ({variant})" in done.err
    raw = rankwise("compare", "--scores", "AP=ap.csv", "--test", "wilcoxon", "--raw-ranks")
    assert "normal approximation of raw ranks" in raw.err
    assert rankwise("compare", "--scores", "AP=ap.csv", "--unjudged", "open").code == 2


def test_the_heat_map_heeds_that_less_is_better(
    rankwise: Call, every: tuple[str, ...], tmp_path: Path
) -> None:
    pytest.importorskip("altair")
    assert rankwise(*every, "-m", "SearchLength", "-m", "NumRet", "--chart", "x.json").code == 0
    drawn = json.loads((tmp_path / "x.json").read_text())  # one panel: NumRet is not tested
    order = drawn["layer"][0]["encoding"]["y"]["sort"]
    board = rankwise(*every, "-m", "SearchLength").out.splitlines()[1:]
    assert order == [line.split()[1] for line in board]
    means = [float(line.split()[2]) for line in board]
    assert means == sorted(means) and len(set(means)) == 4


def test_the_heat_map_has_every_pair_both_ways(
    rankwise: Call, every: tuple[str, ...], tmp_path: Path
) -> None:
    pytest.importorskip("altair")
    done = rankwise(*every, "-m", "AP", "-m", "P@10", "--chart", "pairs.json")
    assert done.code == 0
    drawn = json.loads((tmp_path / "pairs.json").read_text())
    assert [len(panel["data"]["values"]) for panel in drawn["vconcat"]] == [12, 12]
    cells = {(c["row"], c["column"]): c for c in drawn["vconcat"][0]["data"]["values"]}
    there, back = cells["system1", "system3"], cells["system3", "system1"]
    assert there["difference"] == -back["difference"] > 0
    assert there["comparison"].startswith("better") and back["comparison"].startswith("worse")


@pytest.mark.parametrize(("options", "message"), [
    (("--baseline", "sytem1"), "--baseline sytem1: no run has this name. Did you mean system1"),
    (("--test", "tukey", "--correction", "holm"), "--test tukey needs no correction"),
    (("--width", "column"), "--width applies only with --chart FILE. Add --chart FILE, or"),
    (("--test", "tukey", "--interval", "t"), "--test tukey has its own simultaneous intervals"),
    (("--raw-ranks",), "--zeros, --no-continuity and --raw-ranks apply only to the Wilcoxon test"),
    (("--alpha", "5"), "--alpha must be between 0 and 1"),
    (("--mean", "geometric"), "No such option"),  # the tests are of arithmetic means
    (("--no-bounds", "--unjudged", "open"), "--unjudged cannot be combined with --no-bounds"),
])  # fmt: skip
def test_what_is_wrong_is_said_in_a_line(
    rankwise: Call, options: tuple[str, ...], message: str
) -> None:
    done = rankwise(*TWO, "-m", "AP", *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1].startswith(f"rankwise: {message}")


def test_one_run_is_no_comparison(rankwise: Call) -> None:
    done = rankwise(*TWO[:3], "-m", "AP")
    assert (done.code, done.out) == (2, "")
    assert "needs two runs or more; only one run is given (system1)" in done.err


def test_scores_can_be_standardised(rankwise: Call, every: tuple[str, ...]) -> None:
    asked = ("score", *every[1:], "-m", "AP")
    done = rankwise(*asked, "--standardise", "normal", "--format", "json")
    values = {row["run"]: row["value"] for row in json.loads(done.out)["rows"]}
    assert values["system1"] > 0.5 > values["system4"]
    assert sum(values.values()) / 4 == pytest.approx(0.5, abs=0.05)
    reference = ("--reference", "runs/system1.run", "--reference", "runs/system2.run")
    other = rankwise(*asked, *reference)
    assert other.out.split()[1] == "std(AP)"
    assert "standard deviation of 2 reference runs" in other.err
    assert rankwise(*asked, "--standardise", "z", "--bounds").code == 2
    assert "z(AP)" in rankwise(*every, "-m", "AP", "--standardise", "z").out


def test_means_can_have_confidence_intervals(rankwise: Call, tmp_path: Path) -> None:
    asked = ("score", *TWO[1:3], "-m", "RBP(p=0.8)", "--confidence", "0.9")
    header = rankwise(*asked).out.splitlines()[0].split()
    assert header == ["run", "metric", "value", "conf_low", "conf_high", "topics"]
    both = rankwise(*asked, "--bounds", "--interval", "bootstrap", "--seed", "7")
    assert both.out.splitlines()[0].split() == [
        *["run", "metric", "value", "low", "high", "conf_low", "conf_high", "both_low"],
        *["both_high", "topics", "wider"],
    ]
    assert (
        "note: 'conf_low' to 'conf_high' is the 90 % confidence interval of the mean over topics "
        "(studentised bootstrap, seed 7)" in both.err
    )
    rankwise(*asked, "--by-topic", "-o", "scores.parquet")
    frame = pl.read_parquet(tmp_path / "scores.parquet")
    assert frame.height == 13 and frame["conf_low"].null_count() == 12
    assert rankwise(*asked[:-1], "95").code == 2


def test_how_likely_one_run_is_better(rankwise: Call, tmp_path: Path) -> None:
    simulate(topics=12, systems=6, seed=1).write(tmp_path / "six")
    runs = [f"six/runs/system{number}.run" for number in range(1, 7)]
    every = ("plan", "predict", "six/qrels.txt", *runs, "-m", "AP", "--pairs")
    done = rankwise(*every, "--unjudged", "top=40", "--format", "csv")
    lines = done.out.splitlines()
    columns = "metric,a,b,expected,better,significant"
    assert lines[0] == columns and len(lines) == 1 + 15
    assert "the first 40 documents of each" in done.err
    assert "random seed is 0" in rankwise(*every, "--notes").err
    assert "better" in rankwise(*every).out
    wrong = rankwise(*every, "--unjudged", "open")
    assert wrong.code == 2 and "--unjudged open does not name a pool depth. Use top=K" in wrong.err
    alone = rankwise(*every[:-1], "--alpha", "0.1")
    assert alone.code == 2 and "--alpha applies only with --pairs" in alone.err


def test_effort_makes_bounds_tight(rankwise: Call) -> None:
    wide = rankwise(*TWO, "-m", "AP", "--effort", "0", "--format", "json")
    tight = rankwise(*TWO, "-m", "AP", "--format", "json")
    gaps = [json.loads(done.out)["rows"][0]["gap"] for done in (wide, tight)]
    assert gaps[0] > gaps[1]
    assert "differences are valid but not tight" in wide.err
    wrong = rankwise(*TWO, "-m", "AP", "--effort", "5", "--no-bounds")
    assert wrong.code == 2 and "--effort cannot be combined with --no-bounds" in wrong.err


def test_a_baseline_is_a_name_or_a_file(rankwise: Any, tmp_path: Path) -> None:
    simulate(topics=4, systems=3, depth=10, pool_depth=5, seed=1).write(tmp_path / "c")
    runs = [f"c/runs/system{number}.run" for number in (1, 2, 3)]
    asked = ("-m", "AP", "--no-bounds", "--format", "csv", "--baseline")
    by_name = rankwise("compare", "c/qrels.txt", *runs, *asked, "system2")
    assert by_name.code == 0 and by_name.out.count("system2") == 2
    assert rankwise("compare", "c/qrels.txt", *runs, *asked, runs[1]).out == by_name.out
    alone = rankwise("compare", "c/qrels.txt", runs[0], runs[2], *asked, runs[1])  # it joins them
    assert alone.out == by_name.out
    renamed = rankwise("compare", "c/qrels.txt", runs[0], runs[2], *asked, f"old={runs[1]}")
    assert renamed.out == by_name.out.replace("system2", "old")
    named = [runs[0], f"old={runs[1]}", runs[2]]  # it is there under another name
    assert rankwise("compare", "c/qrels.txt", *named, *asked, runs[1]).out == renamed.out


def test_a_baseline_is_named_by_its_file_if_the_tag_differs(rankwise: Any, tmp_path: Path) -> None:
    simulate(topics=4, systems=3, depth=10, pool_depth=5, seed=1).write(tmp_path / "c")
    folder = tmp_path / "c" / "runs"
    (folder / "system2.run").rename(folder / "bm25.run")  # its tag stays system2
    asked = ("-m", "AP", "--no-bounds", "--format", "csv", "--baseline")
    for runs in ((f"c/runs/{name}.run" for name in ("bm25", "system1", "system3")), ("c/runs",)):
        command = ("compare", "c/qrels.txt", *runs, *asked)
        by_tag = rankwise(*command, "system2")
        assert by_tag.code == 0
        for name in ("bm25", "bm25.run"):
            assert rankwise(*command, name).out == by_tag.out
        assert "no run has this name" in rankwise(*command, "bm26").err
    # A tag comes first, and a name given on the command line is the name.
    (folder / "system1.run").rename(folder / "system3.txt")
    both = rankwise("compare", "c/qrels.txt", "c/runs", *asked, "system3")
    assert both.code == 0 and ",system3," in both.out.splitlines()[1]
    renamed = ("c/runs/system3.run", "old=c/runs/bm25.run")
    assert "old" in rankwise("compare", "c/qrels.txt", *renamed, *asked, "bm25").out
    # Runs with equal tags are named by their files.
    text = (folder / "system3.run").read_text().replace("system3", "system2")
    (folder / "system3.run").write_text(text)
    files = ("c/runs/bm25.run", "c/runs/system3.run", "c/runs/system3.txt")
    alike = rankwise("compare", "c/qrels.txt", *files, *asked, "bm25.run")
    assert alike.code == 0 and ",bm25," in alike.out.splitlines()[1]


def test_a_range_has_a_row_for_each_value(rankwise: Call, tmp_path: Path) -> None:
    done = rankwise(*SWEEP, "-m", "RBP", "--over", "p=0.5:0.9:0.2", "--chart", "p.svg")
    lines = done.out.splitlines()
    assert lines[0].split()[:6] == ["a", "b", "value", "mean_a", "mean_b", "difference"]
    runs = ("system2", "system1")
    assert [tuple(line.split()[:3]) for line in lines[1:]] == [
        (*runs, value) for value in ("0.5", "0.7", "0.9")
    ]
    assert done.err.startswith("note: RBP for p from 0.5 to 0.9 of 2 runs over 12 topics.")
    assert (tmp_path / "p.svg").stat().st_size > 1000


def test_a_range_in_csv_has_all_columns(rankwise: Call) -> None:
    done = rankwise(*SWEEP, "-m", "nDCG,P", "--over", "cutoff=5,10", "--format", "csv")
    frame = pl.read_csv(done.out.encode())
    assert frame.select("metric", "value").rows() == [
        *[("nDCG", 5.0), ("nDCG", 10.0), ("P", 5.0), ("P", 10.0)]
    ]
    assert {"conf_low", "low", "verdict"} <= set(frame.columns)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--over", "p=0.5:0.9"], "Missing option '-m'"),
        (["-m", "RBP"], "Missing option '--over'"),
        (["-m", "RBP", "--over", "p=half"], "is not a range. Write it as p=0.5:0.95"),
    ],
)
def test_wrong_ranges(rankwise: Call, given: list[str], message: str) -> None:
    done = rankwise(*SWEEP, *given)
    assert done.code == 2 and message in done.err


def test_clusters_come_from_a_file_or_a_column_of_the_scores(
    rankwise: Call, tmp_path: Path
) -> None:
    (tmp_path / "clusters.txt").write_text("".join(f"{t} c{t % 6}\n" for t in range(1, 13)))
    done = rankwise(*TWO, "-m", "AP", "--no-bounds", "--clusters", "clusters.txt")
    assert done.code == 0 and "(n = 12 topics in 6 clusters)" in done.err
    assert "dependence of topics within clusters (6 clusters of 2 topics)" in done.err
    by_topic = ("score", "qrels.txt", *TWO[2:], "-m", "AP", "--by-topic", "-o", "scores.csv")
    assert rankwise(*by_topic).code == 0
    scores = pl.read_csv(tmp_path / "scores.csv").filter(pl.col("topic") != "all")
    number = scores["topic"].cast(pl.Int64) % 6
    scores.with_columns(number.alias("user")).write_csv(tmp_path / "long.csv")
    wide = scores.select("run", "topic", number.alias("user"), pl.col("value").alias("AP"))
    wide.write_csv(tmp_path / "wide.csv")
    for table in ("long.csv", "wide.csv"):  # a number in a wide table is no metric
        of_column = rankwise("compare", "--scores", table, "--clusters", "user")
        assert of_column.out == done.out and of_column.err == done.err
    wrong = rankwise("compare", "--scores", "long.csv", "--clusters", "session")
    assert wrong.code == 2 and "no column 'session'. Columns: run, topic" in wrong.err
    scores.with_columns(user="run").write_csv(tmp_path / "twice.csv")
    twice = rankwise("compare", "--scores", "twice.csv", "--clusters", "user")
    assert twice.code == 2 and "topic 1 has two values of user: system" in twice.err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--test", "sign"], "cannot be combined with clusters of topics. Use --test permutation."),
        (["--test", "tukey"], "tukey cannot be combined with clusters"),
    ],
)
def test_options_that_do_not_go_with_clusters(
    rankwise: Call, tmp_path: Path, given: list[str], message: str
) -> None:
    (tmp_path / "clusters.txt").write_text("1 a\n2 a\n")
    done = rankwise(*TWO, "-m", "AP", "--clusters", "clusters.txt", *given)
    assert done.code == 2 and message in done.err


def test_the_interval_of_a_mean_allows_for_clusters(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "clusters.txt").write_text("".join(f"{t} c{t % 6}\n" for t in range(1, 13)))
    asked = ("score", "qrels.txt", "runs/system1.run", "-m", "AP", "--clusters", "clusters.txt")
    done = rankwise(*asked, "--confidence", "0.95")
    assert done.code == 0 and "cluster-robust: 6 clusters" in done.err
    assert rankwise(*asked) == done  # --clusters implies --confidence 0.95
    both = rankwise(*asked, "--confidence", "0.95", "--bounds")
    assert both.code == 2 and "--bounds cannot be combined with --clusters" in both.err


def test_systems_have_several_runs(rankwise: Call, tmp_path: Path, every: tuple[str, ...]) -> None:
    listed = "".join(f"system{n} {'old' if n < 3 else 'new'}\n" for n in range(1, 5))
    (tmp_path / "systems.txt").write_text(listed)
    asked = ("-m", "AP", "--systems", "systems.txt")
    done = rankwise(*every, *asked)
    assert done.code == 0 and done.out.startswith("new − old")
    said = "standard deviation of the mean score between the runs of a system is 0.0402 for old"
    assert said in done.err
    assert "(n = 12 topics; runs: new 2, old 2)" in done.err
    table = rankwise("score", *every[1:], *asked)
    assert table.out.split()[:6] == ["run", "metric", "value", "sd_runs", "runs", "topics"]
    assert "'sd_runs' is the standard deviation of the mean scores of a system's runs" in table.err
    based = rankwise(*every, *asked, "--baseline", "new", "--format", "json")
    assert json.loads(based.out)["rows"][0]["b"] == "new"
    both = rankwise("score", *every[1:], *asked, "--confidence", "0.95", "--format", "json")
    assert {"conf_low", "sd_runs", "runs"} <= set(json.loads(both.out)["rows"][0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ["--test", "sign"],
            "sign cannot be combined with several runs of a system. Use --test t.",
        ),
        (["--interval", "max-t"], "Use --interval bonferroni."),
        (["--effort", "5"], "--effort cannot be combined with --systems, which computes no bounds"),
    ],
)
def test_options_that_do_not_go_with_systems(
    rankwise: Call, tmp_path: Path, every: tuple[str, ...], given: list[str], message: str
) -> None:
    (tmp_path / "systems.txt").write_text("system1 one\nsystem2 one\n")
    done = rankwise(*every, "-m", "AP", "--systems", "systems.txt", *given)
    assert done.code == 2 and message in done.err


def test_sentences_are_of_the_ten_largest_differences(rankwise: Call, tmp_path: Path) -> None:
    rows = "".join(
        f"r{run},{topic},AP,{run / 20 + run * topic % 5 / 90}\n"
        for run in range(13)
        for topic in range(9)
    )
    (tmp_path / "s.csv").write_text("run,topic,metric,value\n" + rows)
    said = rankwise("compare", "--scores", "s.csv", "--baseline", "r0", "--notes").err.splitlines()
    assert said[0] == "The 10 largest of 12 differences in AP:" and "r12 (" in said[1]
    assert len([line for line in said if " than r0 (" in line or " and r0 (" in line]) == 10


def test_some_topics_of_a_file_of_scores(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "only.txt").write_text("2\n3\n5\n7\n99\n")
    given = ("compare", "--scores", "AP=ap.csv", "--format", "csv")
    rows = ["topic,a,b", *(f"{t},0.{t},0.{12 - t}" for t in range(3, 10))]
    few = [row for row in rows if row[0] in "t2357"]
    (tmp_path / "few.csv").write_text("\n".join(few))
    (tmp_path / "ap.csv").write_text("\n".join(rows))
    done = rankwise(*given, "--only-topics", "only.txt", "--notes")
    assert done.code == 0 and "3 of 7 topics are selected" in done.err
    assert done.out == rankwise("compare", "--scores", "AP=few.csv", "--format", "csv").out
    (tmp_path / "only.txt").write_text("99\n")
    wrong = rankwise(*given, "--only-topics", "only.txt")
    assert wrong.code == 2 and "only.txt: no topic in common with --scores" in wrong.err


def test_standardised_scores_can_be_weighted(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("".join(f"{topic} {topic}\n" for topic in range(1, 13)))
    asked = ("score", *TWO[1:], "-m", "AP", "--standardise", "z")
    rows = json.loads(rankwise(*asked, "--by-topic", "--format", "json").out)["rows"]
    done = rankwise(*asked, "--weights", "w.txt", "--format", "json")
    for row in json.loads(done.out)["rows"]:
        of_run = [each for each in rows if each["run"] == row["run"] and each["topic"] != "all"]
        total = sum(float(each["topic"]) for each in of_run)
        weighted = sum(float(each["topic"]) * each["value"] for each in of_run)
        assert row["metric"] == "weighted(z(AP))"
        assert row["value"] == pytest.approx(weighted / total)
