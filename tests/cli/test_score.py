"""`rankwise score`: what each option changes, in numbers that can be checked by hand."""

import gzip
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest

from rankwise import Metric, score, simulate
from rankwise.rankings.judged import JudgedRankings

Call = Callable[..., Any]

# up has an unjudged document in the first two of topics 1 and 2; nothing is relevant in topic 3.
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 d 2\n3 0 e 0\n"
UP = "1 Q0 c 1 3 up\n1 Q0 x 2 2 up\n1 Q0 a 3 1 up\n2 Q0 y 1 2 up\n2 Q0 d 2 1 up\n3 Q0 e 1 1 up\n"
ONE_SCORE = "run     P@2  topics\nup   0.3333       3\n"
DOWN = "1 Q0 b 1 3 down_1\n1 Q0 a 2 2 down_1\n3 Q0 e 1 1 down_1\n"
BOTH = ("score", "qrels", "up.run", "down.run")


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    for name, text in {"qrels": QRELS, "up.run": UP, "down.run": DOWN}.items():
        (tmp_path / name).write_text(text)


def values(done: Any) -> dict[tuple[str, str, str], float | None]:
    """run, topic and metric of each row of JSON, and its value."""
    assert done.code == 0, done.err
    rows = json.loads(done.out)["rows"]
    return {(row["run"], row["topic"], row["metric"]): row["value"] for row in rows}


def test_the_console_script_prints_a_leaderboard_best_first(console: Call) -> None:
    done = console(*BOTH[:2], "down.run", "up.run", "-m", "P@2", "-m", "AP")
    assert done.code == 0
    assert done.out.splitlines() == [
        "run        P@2      AP  topics",
        "up      0.3333  0.6667     2–3",
        "down_1  0.1667  0.1250     2–3",
    ]
    assert done.err.splitlines() == [
        "warning: down_1: returned nothing for 1 of 3 topics; a missing topic counts as an empty "
        "ranking",
        "note: AP: undefined on 1 of 3 topics, usually because they have no relevant document; "
        "these topics are excluded from the mean",
        "note: the means of different metrics are over different numbers of topics: 3 for P@2, 2 "
        "for AP",
    ]


def test_the_console_script_reads_standard_input_plain_and_compressed(console: Call) -> None:
    for data in (UP.encode(), gzip.compress(UP.encode())):
        done = console("score", "qrels", "-", "-m", "P@2", stdin=data)
        assert (done.code, done.out, done.err) == (0, ONE_SCORE, "")
    done = console("score", "-", "up.run", "-m", "P@2", stdin=QRELS.encode())
    assert (done.code, done.out) == (0, ONE_SCORE)


def test_an_option_without_its_value_says_what_it_takes(rankwise: Call) -> None:
    done = rankwise("score", "qrels", "up", "--standardise")
    assert done.code == 2
    assert "--standardise needs a value: normal, z. See `rankwise score --help`." in done.err


def test_one_run_has_the_layout_of_several(rankwise: Call) -> None:
    done = rankwise("score", "qrels", "up.run", "--digits", "2")
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[0] == ["run", "AP", "nDCG@10", "P@10", "RR", "topics"]
    assert rows[1][:2] == ["up", "0.67"] and rows[1][-1] == "2–3" and len(rows) == 2
    several = rankwise(*BOTH, "--digits", "2").out.splitlines()
    assert several[0].split() == rows[0] and rows[1] in [line.split() for line in several]


def test_counts_have_thousands_and_no_decimals(rankwise: Call, tmp_path: Path) -> None:
    rows = "".join(f"1 Q0 d{rank} {rank} {-rank} long\n" for rank in range(1, 1235))
    (tmp_path / "long.run").write_text(rows)
    done = rankwise("score", "qrels", "long.run", "-m", "NumRet")
    assert done.out.splitlines()[1].split() == ["long", "1,234", "3"]
    assert rankwise("score", "qrels", "long.run", "-m", "NumRet", "--format", "csv").out.endswith(
        "long,all,NumRet,1234.0,3\n"
    )


def test_by_topic_comes_before_the_means(rankwise: Call) -> None:
    found = values(rankwise(*BOTH, "-m", "AP", "--by-topic", "--format", "json"))
    assert found == {
        ("up", "1", "AP"): pytest.approx((1 + 2 / 3) / 2),
        ("up", "2", "AP"): 0.5,
        ("up", "3", "AP"): None,
        ("down_1", "1", "AP"): 0.25,
        ("down_1", "2", "AP"): 0.0,
        ("down_1", "3", "AP"): None,
        ("up", "all", "AP"): pytest.approx(2 / 3),
        ("down_1", "all", "AP"): 0.125,
    }
    assert [topic for _, topic, _ in found][-2:] == ["all", "all"]
    table = rankwise(*BOTH, "-m", "AP", "--by-topic").out.splitlines()
    assert table[0].split() == ["run", "topic", "AP"]
    assert table[3].split() == ["up", "3", "–"]
    assert table[-1].split() == ["down_1", "all", "0.1250"]


@pytest.mark.parametrize(("unjudged", "high"), [("retrieved", 2 / 3), ("open", 2.5 / 3)])
def test_bounds_add_the_least_and_greatest_score(
    rankwise: Call, unjudged: str, high: float
) -> None:
    asked = ("score", "qrels", "up.run", "-m", "P@2", "--bounds", "--unjudged", unjudged)
    [row] = json.loads(rankwise(*asked, "--format", "json").out)["rows"]
    assert (row["low"], row["high"]) == pytest.approx((1 / 3, high))
    header, line = rankwise(*asked).out.splitlines()
    assert header.split() == ["run", "metric", "value", "low", "high", "topics"]
    assert line.split() == ["up", "P@2", "0.3333", "0.3333", f"{high:.4f}", "3"]


def test_topics_common_leaves_out_what_a_run_lacks(rankwise: Call) -> None:
    asked = (*BOTH, "-m", "P@2", "--format", "json", "--topics")
    everything, common = values(rankwise(*asked, "all")), values(rankwise(*asked, "common"))
    assert everything == pytest.approx(
        {("up", "all", "P@2"): 1 / 3, ("down_1", "all", "P@2"): 1 / 6}
    )
    assert common == {("up", "all", "P@2"): 0.25, ("down_1", "all", "P@2"): 0.25}


@pytest.mark.parametrize(("order", "expected"), [("score", 1), ("rank", 1 / 3), ("file", 1 / 2)])
def test_order_says_what_makes_a_ranking(
    rankwise: Call, tmp_path: Path, order: str, expected: float
) -> None:
    (tmp_path / "odd.run").write_text("1 Q0 x 1 2 odd\n1 Q0 a 3 9 odd\n1 Q0 z 2 1 odd\n")
    done = rankwise("score", "qrels", "odd.run", "-m", "RR", "--order", order, "--by-topic",
                    "--format", "json")  # fmt: skip
    assert values(done)["odd", "1", "RR"] == pytest.approx(expected)


@pytest.mark.parametrize("runs", [("up.run",), ("up.run", "down.run")])
@pytest.mark.parametrize("options", [(), ("--bounds",), ("--confidence", "0.9")])
def test_counts_are_whole_and_said_to_be_sums(
    rankwise: Call, runs: tuple[str, ...], options: tuple[str, ...]
) -> None:
    done = rankwise("score", "qrels", *runs, "-m", "P@2", "-m", "NumRet", *options)
    assert "NumRet (sum)" in done.out
    assert "6.0" not in done.out and " 6" in done.out
    assert "note: these metrics are sums over topics, not means: NumRet" in done.err
    assert (
        "NumRet,6.0"
        in rankwise(*["score", "qrels", "up.run", "-m", "NumRet", "--format", "csv"]).out
    )


def test_sums_of_fractions_keep_them() -> None:
    """A metric of one's own that adds up halves was cut to whole numbers."""

    class HalfTheRelevant(Metric):
        aggregate: ClassVar[Any] = "sum"

        def compute(self, judged: JudgedRankings) -> Any:
            return judged.total((judged.grade > 0) / 2)

    found = score({"1": {"a": 1}}, {"1": {"a": 1}}, HalfTheRelevant())
    assert found.table().frame.rows() == [("run", 0.5, 1)]


def test_depth_cuts_every_ranking(rankwise: Call) -> None:
    asked = ("score", "qrels", "up.run", "-m", "NumRet", "-m", "P@2", "--format", "json")
    assert values(rankwise(*asked))["up", "all", "NumRet"] == 6
    cut = values(rankwise(*asked, "--depth", "1"))
    assert cut["up", "all", "NumRet"] == 3
    assert cut["up", "all", "P@2"] == pytest.approx(1 / 6)


def test_gains_say_what_grades_are_worth(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "halves").write_text("1 0 c 0.5\n1 0 x 1\n1 0 a 0\n")
    asked = ("score", "halves", "up.run", "-m", "DCG@1", "--format", "json")
    assert values(rankwise(*asked, "--gains", "0.5=3,1=4"))["up", "all", "DCG@1"] == 3
    done = rankwise(*asked)
    assert values(done)["up", "all", "DCG@1"] == 0.5
    assert "halves: fractional grades (0.5) are used directly as gains" in done.err
    assert "Use --gains to set other gains" in done.err
    done = rankwise(*asked, "--gains", "what")
    assert (done.code, done.out) == (2, "")
    assert "gains 'what'" in done.err


def test_lenient_drops_what_is_bad_and_counts_it_on_standard_error(
    console: Call, tmp_path: Path
) -> None:
    (tmp_path / "bad.run").write_text(UP + "1 Q0 c 9 -1 up\n1 Q0\n2 Q0 b 1 nan up\n")
    strict = console("score", "qrels", "bad.run", "-m", "P@2")
    assert (strict.code, strict.out) == (2, "")
    lenient = console("score", "qrels", "bad.run", "-m", "P@2", "--lenient")
    assert (lenient.code, lenient.out) == (0, ONE_SCORE)
    assert lenient.err.splitlines() == [
        "warning: bad.run: skipped 2 malformed lines",
        "warning: bad.run: skipped 1 duplicate document; of each document, only the row "
        "with the highest score is kept",
    ]


def test_the_formats_hold_the_same_numbers(rankwise: Call, tmp_path: Path) -> None:
    asked = (*BOTH, "-m", "P@2", "-m", "AP", "--format")
    csv = pl.read_csv(rankwise(*asked, "csv").out.encode())
    assert csv.columns == ["run", "topic", "metric", "value", "topics"]
    assert csv.rows() == pl.DataFrame(json.loads(rankwise(*asked, "json").out)["rows"]).rows()
    done = rankwise(*asked, "parquet", "-o", "scores.parquet")
    assert (done.code, done.out) == (0, "")
    assert pl.read_parquet(tmp_path / "scores.parquet").rows() == csv.rows()
    assert csv["value"].to_list() == pytest.approx([1 / 3, 1 / 6, 2 / 3, 1 / 8])


def test_markdown_and_latex_are_ready_to_paste(rankwise: Call) -> None:
    assert rankwise(*BOTH, "-m", "P@2", "--format", "markdown").out.splitlines() == [
        *["P@2 over 3 topics. Best in bold.", ""],
        *["| run | P@2 |", "| --- | ---: |", "| up | **0.3333** |", "| down_1 | 0.1667 |"],
    ]
    asked = ("-m", "P@2", "-m", "NumRet", "--format", "latex", "--digits", "1")
    assert rankwise(*BOTH, *asked, "--label", "tab:x").out.splitlines() == [
        *[r"% needs \usepackage{booktabs}", r"\begin{table}"],
        r"\caption{P@2, NumRet over 3 topics. Best in bold.}",
        *[r"\label{tab:x}", r"\smallskip", r"\centering\footnotesize"],
        *[r"\setlength{\tabcolsep}{3pt}", r"\begin{tabular}{@{}lr@{}lr@{}l@{}}", r"\toprule"],
        r"run & \multicolumn{2}{c}{P@2} & \multicolumn{2}{c}{NumRet (sum)} \\",
        *[r"\midrule", r"up & \textbf{0} & \textbf{.3} & 6 &  \\", r"down\_1 & 0 & .2 & 3 &  \\"],
        *[r"\bottomrule", r"\end{tabular}", r"\end{table}"],
    ]


@pytest.mark.parametrize("style", ["table", "csv", "json", "latex", "markdown"])
def test_a_file_holds_what_would_be_printed(rankwise: Call, tmp_path: Path, style: str) -> None:
    printed = rankwise(*BOTH, "--format", style)
    done = rankwise(*BOTH, "--format", style, "-o", "out")
    assert (done.code, done.out, done.err) == (0, "", f"{printed.err}wrote out\n")
    assert (tmp_path / "out").read_text() == printed.out
    assert rankwise(*BOTH, "--format", style, "-o", "-").out == printed.out


def test_parquet_is_not_printed(rankwise: Call) -> None:
    done = rankwise(*BOTH, "--format", "parquet")
    assert (done.code, done.out) == (2, "")
    assert "parquet is a binary format, which is not printed. Use -o FILE.parquet" in done.err


def test_a_file_is_written_whole_or_not_at_all(
    rankwise: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").write_text("before")
    before = sorted(tmp_path.iterdir())
    assert rankwise("score", "qrels", "nothing.run", "-o", "out").code == 2

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    done = rankwise(*BOTH, "-o", "out")
    assert (done.code, done.out) == (2, "")
    assert "out: cannot be written: No space left on device." in done.err
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "out").read_text() == "before"


def test_a_file_has_the_rights_of_any_other_new_file(rankwise: Call, tmp_path: Path) -> None:
    assert rankwise(*BOTH, "-o", "out").code == 0
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "qrels").stat().st_mode


def test_output_to_a_link_goes_where_it_points(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "out")
    assert rankwise(*BOTH, "-o", "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "out").read_text().startswith("run")


def test_output_to_a_pipe_or_device_does_not_replace_it(rankwise: Call, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    done = rankwise(*BOTH, "-o", "pipe")
    reader.join(timeout=5)
    assert done.code == 0
    assert pipe.is_fifo()
    assert read[0].startswith("run")


def test_output_to_a_folder_that_is_not_there_is_refused(rankwise: Call) -> None:
    done = rankwise(*BOTH, "-o", "nowhere/out")
    assert (done.code, done.out) == (2, "")
    assert "there is no folder nowhere" in done.err


def test_the_name_of_the_file_says_the_format(rankwise: Call, tmp_path: Path) -> None:
    for name, begins in (
        ("a.csv", b"run,topic"),
        ("a.json", b'{"schema_version"'),
        ("a.parquet", b"PAR1"),
    ):
        assert rankwise("score", "qrels", "up.run", "-o", name).code == 0
        assert (tmp_path / name).read_bytes().startswith(begins)


def test_the_case_of_a_name_is_forgiven(rankwise: Call) -> None:
    assert rankwise("score", "qrels", "up.run", "-m", "hit@2").out.split()[1] == "Success@2"


@pytest.mark.parametrize("given", ["AP,nDCG@10", "AP nDCG@10", "AP, ndcg_at_10"])
def test_several_metrics_can_stand_in_one_option(rankwise: Call, given: str) -> None:
    wanted = rankwise("score", "qrels", "up.run", "-m", "AP", "-m", "nDCG@10")
    assert rankwise("score", "qrels", "up.run", "-m", given) == wanted and wanted.code == 0


def test_where_one_metric_is_wanted_two_are_refused(rankwise: Call) -> None:
    done = rankwise("explain", "qrels", "up.run", "--topic", "1", "-m", "nDCG@10,AP")
    assert (done.code, done.out) == (2, "")
    assert "'nDCG@10,AP' names 2 metrics. Give exactly one metric." in done.err


def test_a_name_that_means_another_metric_elsewhere_is_not_guessed(rankwise: Call) -> None:
    done = rankwise("score", "qrels", "up.run", "-m", "accuracy@10")
    assert (done.code, done.out) == (2, "")
    assert "accuracy@k of BEIR and sentence-transformers is Success@k" in done.err
    done = rankwise("score", "qrels", "up.run", "-m", "gm_map")
    assert "Use --mean geometric" in done.err


def test_a_metric_without_what_it_needs_has_a_page(rankwise: Call) -> None:
    shown = rankwise("metrics", "show", "unjudged")
    assert shown.code == 0 and shown.out == rankwise("metrics", "show", "Unjudged@10").out
    assert shown.out.startswith("Unjudged@cutoff") and "Also written: unj_#" in shown.out


def test_a_run_is_called_by_the_name_given_with_its_file(rankwise: Call, tmp_path: Path) -> None:
    qrels, run = BOTH[1], BOTH[2]
    assert '"ours"' in rankwise("score", qrels, f"ours={run}", "--format", "json").out
    twice = rankwise("score", qrels, f"ours={run}", f"ours={BOTH[3]}")
    assert (
        twice.code,
        "two runs are named ours. Give each run its own name: NAME=FILE." in twice.err,
    ) == (
        2,
        True,
    )
    nothing = rankwise("score", qrels, "ours=")
    assert (nothing.code, "Write FILE or NAME=FILE." in nothing.err) == (2, True)
    (tmp_path / "k1=0.9.run").write_bytes((tmp_path / run).read_bytes())
    assert rankwise("score", qrels, "k1=0.9.run").code == 0
    explained = rankwise("explain", qrels, f"ours={run}", "--topic", "1", "-m", "P@2")
    assert explained.code == 0


@pytest.mark.parametrize(("options", "message"), [
    (("--caption", "x"), "--caption applies only with --format latex or markdown. Add --format"),
    (("--label", "x", "--format", "markdown"), "--label applies only with --format latex."),
    (("--sort", "AP", "--format", "latex", "--by-topic"), "--sort cannot be combined with --by-"),
    (("--sort", "AP", "--format", "latex", "--bounds"), "one row per run and metric"),
    (("--recall-precision", "-m", "AP"), "--metric cannot be combined with --recall-"),
])  # fmt: skip
def test_options_of_papers_that_do_not_fit_are_refused(
    rankwise: Call, options: tuple[str, ...], message: str
) -> None:
    done = rankwise(*BOTH, *options)
    assert (done.code, done.out) == (2, "") and message in done.err


def test_what_is_probable(rankwise: Call, tmp_path: Path) -> None:
    simulate(topics=12, systems=6, seed=1).write(tmp_path / "made")
    runs = [f"made/runs/system{number}.run" for number in range(1, 7)]
    asked = ("plan", "predict", "made/qrels.txt", *runs, "-m", "AP", "--unjudged", "top=40")
    done = rankwise(*asked, "--format", "csv")
    rows = done.out.splitlines()
    columns = "run,metric,value,expected,probable_low,probable_high"
    assert rows[0] == columns and len(rows) == 7
    assert "the first 40 documents of each of these 6 runs)" in done.err
    assert "for 95–100 % of the runs in tests on five collections" in done.err
    assert "probable_high" in rankwise(*asked).out
    few = rankwise(*asked[:3], *runs[1:5], *asked[9:])
    assert few.code == 2 and "too few documents are judged for a prediction" in few.err
    for option in ("--bounds", "--topics common", "--only-topics x"):
        wrong = rankwise(*asked, *option.split())
        assert wrong.code == 2 and f"No such option '{option.split()[0]}'" in wrong.err


def test_what_spark_does_not_do_is_refused_with_the_reason(rankwise: Call) -> None:
    done = rankwise("score", "qrels", "up.run", "--engine", "spark", "--weights", "x")
    assert (done.code, done.out) == (2, "")
    assert "--engine spark cannot be combined with --weights." in done.err
    done = rankwise("score", "qrels", "-", "--engine", "spark")
    assert (done.code, done.out) == (2, "")
    assert "--engine spark cannot read standard input (-). Give files." in done.err


def test_a_master_implies_its_engine(rankwise: Call) -> None:
    done = rankwise("score", "qrels", "-", "--master", "local[1]")
    assert (done.code, done.out) == (2, "")
    assert "--engine spark cannot read standard input" in done.err


def test_rel_is_where_relevance_starts(rankwise: Any) -> None:
    Path("labels").write_text("1 0 a 0.9\n1 0 b 0.3\n")
    Path("run").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n")
    by = ("-m", "RR", "-m", "nDCG", "--format", "csv")
    wide, narrow = (rankwise("score", "labels", "run", *by, *rel) for rel in ([], ["--rel", "0.5"]))
    assert wide.out.splitlines()[1] == "x,all,RR,1.0,1"
    assert narrow.out.splitlines()[1] == "x,all,RR(rel=0.5),0.5,1"
    assert narrow.out.splitlines()[2] == wide.out.splitlines()[2]  # nDCG has gains
    done = rankwise("score", "labels", "run", "--rel", "0")
    assert done.code == 2 and "--rel" in done.err
