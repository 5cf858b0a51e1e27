"""`rankwise trec_eval` against what trec_eval 10.0 printed, and against small files by hand."""

import gzip
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calls import Done

from rankwise import CallError, read_qrels, score
from rankwise.cli import main
from rankwise.compat.trec_eval import trec_eval
from rankwise.compat.trec_eval.measures import ORDER, Request
from rankwise.metrics import parse

ALL_TREC = ["ok8amxc", "READWARE2", "isa25", "disco1", "kuadhoc", "INQ601", "tno8d3"]
ALL_TREC += ["Scai8Adhoc", "cirtrc82", "CL99SD"]
OF_ISA25 = {
    1: "-c",
    2: "-l 2",
    3: "-J",
    4: "-M 100",
    5: "-n -q",
    6: "-N 500000 -m all_trec",
    7: "-m official",
    8: "-m P.3,7 -m ndcg_cut.4",
    9: "-q -m set",
    11: "-m map_cut.10 -m success.1,3 -m iprec_at_recall.0.2,0.4 -m set_F.0.5",
    12: "-q -c -m map -m bpref -m infAP -M 20",
}
# 40 collections of at most four topics and 14 documents, two by hand and the others at random
# (grades from -2 to 4, ties, missing topics, flags -c -l -J -M -N, 3 to 10 measures each), with
# what trec_eval printed for them: github.com/usnistgov/trec_eval at f425365 (10.0, June 2026),
# built by its own makefile. rbp is not among the measures: trec_eval takes its scale from memory
# that is never set. Cases in which trec_eval printed nan or crashed were not kept.
RECORDED = json.loads((Path(__file__).parent / "trec_eval_cases.json").read_text())
GOLDEN = [(f"{run}.q.all_trec.txt.gz", run, "-q -m all_trec") for run in ALL_TREC]
GOLDEN += [(f"isa25.{number}.txt", "isa25", flags) for number, flags in OF_ISA25.items()]


Call = Callable[..., Done]


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Call:
    """Run the command in a folder that holds the small qrels and run."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)

    def run(*args: str, files: tuple[str, str] = ("qrels", "run")) -> Done:
        monkeypatch.setattr(sys, "argv", ["rankwise", "trec_eval", *args, *files])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsysbinary.readouterr()
        return Done(code, out.decode(), err.decode())

    return run


def files_of(trec8: Path, run: str) -> tuple[str, str]:
    return str(trec8 / "trec8.qrels.gz"), str(trec8 / "runs" / f"input.{run}.gz")


def golden(trec8: Path, name: str) -> str:
    content = (trec8 / "trec_eval" / name).read_bytes()
    return (gzip.decompress(content) if name.endswith(".gz") else content).decode()


@pytest.mark.parametrize(("name", "run", "flags"), GOLDEN, ids=[name for name, *_ in GOLDEN])
def test_what_trec_eval_printed(trec8: Path, call: Call, name: str, run: str, flags: str) -> None:
    done = call(*flags.split(), files=files_of(trec8, run))
    assert (done.code, done.err) == (0, "")
    assert done.out == golden(trec8, name)


@pytest.mark.parametrize("case", RECORDED, ids=[case["flags"] for case in RECORDED])
def test_what_trec_eval_printed_for_small_collections(call: Call, case: dict[str, str]) -> None:
    Path("qrels").write_text(case["qrels"])
    Path("run").write_text(case["run"])
    done = call(*case["flags"].split())
    assert (done.code, done.out) == (0, case["printed"])


def test_the_small_collections_have_every_measure_and_flag() -> None:
    assert len(RECORDED) == 40
    typed = [part for case in RECORDED for part in case["flags"].split()]
    names = {part.split(".")[0] for part in typed}
    assert set(ORDER) - names == {"runid", "num_q", "rbp"}
    assert {"-c", "-J", "-N20", "-l2", "-l3", "-M1", "-M2", "-M5"} < names


def test_all_but_a_number_that_trec_eval_took_from_memory_it_never_set(
    trec8: Path, call: Call
) -> None:
    theirs = golden(trec8, "isa25.10.txt")
    ours = call("-m", "ndcg.1=2", "-m", "rbp.p=0.5", files=files_of(trec8, "isa25")).out
    # One relevant document at rank 3 of one of 50 topics alone is worth 0.5³ / 50 = 0.0025.
    wrong, right = "rbp_p=0.5             \tall\t0.0002", "rbp_p=0.5             \tall\t0.0025"
    assert wrong in theirs
    assert ours == theirs.replace(wrong, right)
    mean = score(*files_of(trec8, "isa25"), "RBP(p=0.5)").value.mean()
    assert f"{mean:.4f}" == "0.0025"


def test_every_run_of_trec8_is_evaluated(trec8: Path) -> None:
    qrels = read_qrels(trec8 / "trec8.qrels.gz")
    files = sorted((trec8 / "runs").glob("*.gz"))
    assert len(files) == 129
    for file in files:
        text, _ = trec_eval(qrels, file, Request(["all_trec"], complete=True))
        assert "num_q                 \tall\t50\n" in text
        assert "nan" not in text


# Topic 10 finds both relevant documents, at ranks 1 and 3, with an unjudged one between them.
# Topic 9 has a document judged non-relevant above its only relevant one. The run lacks topic 8.
QRELS = "10 0 a 1\n10 0 b 0\n10 0 c 1\n9 0 a 1\n9 0 d 0\n# a comment\n8 0 a 2\n"
RUN = "10 Q0 a 1 3 tag\n10 Q0 x 2 2 tag\n10 Q0 c 3 1 tag\n9 Q0 d 1 2 tag\n9 Q0 a 2 1 tag\n"

RECALLS = [(0.1 * place, 0.75 if place < 8 else 0.5833) for place in range(11)]
OFFICIAL = """\
runid                 \tall\ttag
num_q                 \tall\t2
num_ret               \tall\t5
num_rel               \tall\t3
num_rel_ret           \tall\t3
map                   \tall\t0.6667
gm_map                \tall\t0.6455
Rprec                 \tall\t0.2500
bpref                 \tall\t0.5000
recip_rank            \tall\t0.7500
RECALLSP_5                   \tall\t0.3000
P_10                  \tall\t0.1500
P_15                  \tall\t0.1000
P_20                  \tall\t0.0750
P_30                  \tall\t0.0500
P_100                 \tall\t0.0150
P_200                 \tall\t0.0075
P_500                 \tall\t0.0030
P_1000                \tall\t0.0015
""".replace("RECALLS", "".join(f"iprec_at_recall_{x:.2f}  \tall\t{y:.4f}\n" for x, y in RECALLS))


def rows(text: str) -> list[list[str]]:
    return [[field.strip() for field in line.split("\t")] for line in text.splitlines()]


def values(done: Done) -> dict[str, str]:
    """The rows of one topic, or of the summary, by their names."""
    assert done.code == 0, done.err
    return {name: value for name, _, value in rows(done.out)}


def test_official_is_the_default(call: Call) -> None:
    done = call()
    assert (done.code, done.out) == (0, OFFICIAL)
    assert done.err == "note: tag: returned nothing for 1 of 3 topics, which are excluded\n"
    assert call("-m", "official").out == OFFICIAL


def test_rows_are_in_the_order_of_the_table_and_topics_in_that_of_text(call: Call) -> None:
    done = call("-q", "-c", "-m", "P.2,1", "-m", "num_rel", "-m", "map", "-m", "gm_map")
    assert done.out == (
        "num_rel               \t10\t2\n"
        "map                   \t10\t0.8333\n"
        "P_1                   \t10\t1.0000\n"
        "P_2                   \t10\t0.5000\n"
        "num_rel               \t8\t1\n"
        "map                   \t8\t0.0000\n"
        "P_1                   \t8\t0.0000\n"
        "P_2                   \t8\t0.0000\n"
        "num_rel               \t9\t1\n"
        "map                   \t9\t0.5000\n"
        "P_1                   \t9\t0.0000\n"
        "P_2                   \t9\t0.5000\n"
        "num_rel               \tall\t4\n"
        "map                   \tall\t0.4444\n"
        "gm_map                \tall\t0.0161\n"
        "P_1                   \tall\t0.3333\n"
        "P_2                   \tall\t0.3333\n"
    )


def test_flags_are_joined_and_have_long_forms(call: Call) -> None:
    short = call("-qcnJ", "-l2", "-M1", "-N9", "-mall_trec")
    long = call(
        *["--query_eval_wanted", "--complete_rel_info_wanted", "--nosummary"],
        *["--Judged_docs_only", "--level_for_rel", "2", "--Max_retrieved_per_topic=1"],
        *["--Number_docs_in_coll", "9", "--measure", "all_trec"],
    )
    assert short == long
    assert {topic for _, topic, _ in rows(short.out)} == {"10", "8", "9"}
    assert call("-n").out == ""


def test_the_run_may_come_from_standard_input(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(QRELS)
    console = str(Path(sys.executable).with_name("rankwise"))
    args = [console, "trec_eval", "-m", "map", "qrels", "-"]
    done = subprocess.run(args, input=RUN.encode(), capture_output=True, cwd=tmp_path)
    assert done.stdout == b"map                   \tall\t0.6667\n"


def test_names_carry_the_parameters_as_typed(call: Call) -> None:
    wanted = ["ndcg.1=2,2=.5", "set_F.0.50", "utility.1,-1,0,2", "rbp.p=.5", "11pt_avg.0.2,.8"]
    found = values(call("-N", "10", *(f"-m{text}" for text in [*wanted, "Rprec_mult.2,.5"])))
    assert list(found) == [
        *["Rprec_mult_0.50", "Rprec_mult_2.00", "utility_1,-1,0,2", "11pt_avg_0.2,.8"],
        *["ndcg_1=2,2=.5", "set_F_0.50", "rbp_p=.5"],
    ]
    # (2 - 1 + 2 × (10 + 2 - 3 - 2) and 1 - 1 + 2 × (10 + 1 - 2 - 1)) / 2
    assert found["utility_1,-1,0,2"] == "15.5000"
    assert found["rbp_p=.5"] == "0.4375"  # (0.5 + 0.125 and 0.25) / 2
    assert found["11pt_avg_0.2,.8"] == "0.6667"  # ((1 + 2/3) / 2 and 0.5) / 2


def test_a_cutoff_is_the_whole_number_that_it_begins_with(call: Call) -> None:
    found = values(call("-m", "ndcg_cut.10,20,23.4", "-m", "success.1.9"))
    assert list(found) == ["ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_23", "success_1"]


def test_of_parameters_given_twice_the_first_count(call: Call) -> None:
    assert list(values(call("-m", "P", "-m", "P.2", "-m", "P.3"))) == ["P_2"]
    assert list(values(call("-m", "P.2", "-m", "official")))[-1] == "P_2"


def test_comments_and_more_than_six_fields_are_read_as_trec_eval_does(call: Call) -> None:
    plain = call("-q", "-m", "all_trec")
    lines = [f"{line} more text\n" for line in RUN.splitlines()]
    Path("run").write_text("".join(["# first\n", lines[0], " # 1 2 3 4 5\n", *lines[1:], "#\n"]))
    Path("qrels").write_text(f"# first\n# second\n{QRELS}# last")
    assert call("-q", "-m", "all_trec") == plain


def test_the_run_is_named_by_its_last_line(call: Call) -> None:
    Path("run").write_text(RUN.replace("9 Q0 a 2 1 tag", "9 Q0 a 2 1 last") + "\n# the end\n")
    assert values(call("-m", "runid")) == {"runid": "last"}


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        (QRELS, "10 Q0 a\n"),
        (QRELS, "10 Q0 a 1 high tag\n"),
        (QRELS, RUN + RUN),
        (QRELS + "7 0 a 0.5\n", RUN),
        (QRELS + "7 0 a 1e3\n", RUN),
        (QRELS + QRELS, RUN),
        (RUN, QRELS),
        (QRELS, "11 Q0 a 1 1 tag\n"),
        (QRELS, "topic,document,points\n10,a,1\n"),
    ],
)
def test_no_message_names_what_the_command_does_not_have(call: Call, qrels: str, run: str) -> None:
    Path("qrels").write_text(qrels)
    Path("run").write_text(run)
    done = call()
    assert (done.code, done.out) == (2, "")
    assert "--" not in done.err
    assert "gains" not in done.err


# Topics 1 to 4 with grades from -1 to 4, of which 4 has nothing relevant. In topic 3 recall x R
# is a half at several levels, in topic 2 all is judged.
GRADED = {
    "1": {"a": 4, "b": 0, "c": 1, "d": 2, "e": -1, "f": 1, "z": 3},
    "2": {"a": 0, "b": 2, "c": 1},
    "3": dict.fromkeys("abcdefghijklmno", 1),
    "4": {"a": 0, "b": -1},
}
RANKED = {
    "1": ["x", "c", "b", "e", "a", "y", "d", "w"],
    "2": ["b", "a", "c"],
    "3": [*"axybzcwdvefugt"],
    "4": ["b", "x", "a"],
}


def _per_topic(qrels: Any, run: Any) -> dict[tuple[str, str], str]:
    """What `trec_eval -q` prints for each measure and topic, by their names."""
    no_metrics = ("relstring", "ideal_dcg")
    names = [name for name in ORDER if name not in no_metrics]
    asked = Request(names, by_topic=True, summary=False)
    printed = rows(trec_eval(qrels, run, asked)[0])
    return {(name, topic): value for name, topic, value in printed}


def assert_score_agrees(qrels: Any, run: Any) -> None:
    printed = _per_topic(qrels, run)
    names = list(dict.fromkeys(name for name, _ in printed))
    assert len(names) > 90
    scores = score(qrels, run, names)
    tried = 0
    for name in names:
        values = scores.value[scores.metrics.index(parse(name)), 0]
        for topic, value in zip(scores.topics, values, strict=True):
            text = printed.get((name, topic))
            if text is not None:  # else the run lacks the topic
                shown = 0.0 if math.isnan(value) else float(value)  # as trec_eval has it
                assert text == (f"{shown:.4f}" if "." in text else str(int(shown))), (name, topic)
                tried += 1
    assert tried == len(printed) and tried >= len(names) * scores.present.sum()


def test_score_gives_by_a_name_of_trec_eval_what_trec_eval_prints() -> None:
    run = {
        topic: {name: -rank for rank, name in enumerate(names)} for topic, names in RANKED.items()
    }
    assert_score_agrees(GRADED, run)


@pytest.mark.parametrize("run", ["READWARE2", "isa25", "ok8amxc"])
def test_score_gives_by_a_name_of_trec_eval_what_it_prints_on_trec8(trec8: Path, run: str) -> None:
    qrels, file = files_of(trec8, run)
    assert_score_agrees(read_qrels(qrels), file)


def test_relstring_shows_grades(call: Call) -> None:
    grades = [0, 9, 10, -1, -5]
    qrels = "".join(f"1 0 d{place} {grade}\n" for place, grade in enumerate(grades))
    run = "".join(f"1 Q0 d{place} 1 {-place} t\n" for place in range(6))
    Path("qrels").write_text(qrels)
    Path("run").write_text(run)
    assert call("-q", "-m", "relstring").out == "relstring             \t1\t'09>..-'\n"
    assert call("-q", "-m", "relstring.2").out == "relstring_2           \t1\t'09'\n"
    assert call("-qJ", "-m", "relstring").out == "relstring             \t1\t'09>'\n"


def test_a_missing_topic_counts_0_in_everything_but_num_rel(call: Call) -> None:
    asked = ["-m", "all_trec", "-m", "utility.1,1,1,1", "-m", "rbp_resid.p=0.5", "-N", "9"]
    of_8 = {n: v for n, topic, v in rows(call("-qc", *asked).out) if topic == "8"}
    assert {n: v for n, v in of_8.items() if v not in ("0", "0.0000")} == {
        "num_rel": "1",
        "relstring": "''",
    }


def test_a_topic_without_relevant_documents_counts_0(call: Call) -> None:
    everything = ["-m", "all_trec", "-m", "dcg", "-m", "yaap"]
    found = values(call("-nq", "-l3", "-J", "-M1", *everything))
    assert found["Rndcg"] == found["map"] == found["iprec_at_recall_0.00"] == "0.0000"
    assert "nan" not in " ".join(found.values())


def test_rbp_scales_grades_by_the_highest_of_the_topic(call: Call) -> None:
    Path("qrels").write_text("1 0 a 2\n1 0 b 4\n2 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n")
    assert values(call("-m", "rbp.p=0.5")) == {"rbp_p=0.5": "0.3750"}  # (0.25 + 0.5) / 2
    assert values(call("-m", "rbp.p=0.5,1=4,2=1")) == {"rbp_p=0.5,1=4,2=1": "0.3125"}


def test_the_residual_is_0_where_all_is_judged(call: Call) -> None:
    found = rows(call("-nq", "-m", "rbp_resid.p=0.5").out)
    assert [value for _, _, value in found] == ["0.3750", "0.0000"]


def test_a_gain_that_is_a_fraction_takes_its_place_in_the_ideal(call: Call) -> None:
    Path("qrels").write_text("1 0 a 1\n1 0 b 2\n")
    Path("run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    assert values(call("-m", "ndcg.1=0.75,2=0.5")) == {"ndcg_1=0.75,2=0.5": "1.0000"}


def test_a_tie_of_the_fifth_decimal_falls_as_in_c(call: Call) -> None:
    topics = range(100, 132)
    Path("qrels").write_text("".join(f"{t} 0 {d} 1\n" for t in topics for d in "abc"))
    lines = [f"{t} Q0 {'x' if t > 100 else d} 1 {d} t\n" for t in topics for d in "1"]
    lines[0] = "".join(f"100 Q0 {d} 1 1 t\n" for d in "abc")
    Path("run").write_text("".join(lines))
    assert values(call("-m", "P.5")) == {"P_5": f"{3 / 5 / 32:.4f}"} == {"P_5": "0.0187"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ("-m prefs", "-m prefs: measures of preference judgments need -R prefs"),
        ("-m ndgc", "trec_eval has no measure 'ndgc'. Did you mean ndcg"),
        ("-m P.", "-m P.: the parameters after the dot are missing. Write -m P,"),
        (
            "-m official.5",
            "-m official.5: official is a set of measures, which takes no parameters",
        ),
        ("-m P.0", "-m P: '0' is not a cutoff. Give a whole number of 1 or more."),
        ("-m P.1e1", "'1e1' is not a cutoff"),  # 1 to trec_eval, 10 to others
        ("-m P.5,5", "a cutoff is given twice"),
        ("-m P.5,5.5", "a cutoff is given twice"),
        ("-m iprec_at_recall.2", "-m iprec_at_recall.2: recall=2.0 is not allowed"),
        ("-m set_F.1_0", "the parameter '1_0' is not a number"),
        ("-m map.5", "map takes no parameters"),
        ("-m ndcg.5", "parameters are pairs"),
        ("-m rbp.p=2", "-m rbp.p=2: p=2.0 is not allowed. It must be a number from 0 (included)"),
        ("-m rbp_resid.1=2", "rbp_resid takes only p"),
        ("-m utility.1", "utility takes 4 parameters, not 1"),
        ("-l 0", "must be 1 or more, not 0"),
        ("-M 0", "must be 1 or more, not 0"),
        ("-M 2x", "must be a whole number, not '2x'"),
        ("-m ideal_dcg.5", "parameters are pairs"),
        ("-o", "-o, --Output_old_results_format is not supported"),
        ("--nosuch", "No such option"),
    ],
)
def test_what_is_wrong_or_not_offered_is_refused(call: Call, args: str, message: str) -> None:
    done = call(*args.split())
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("text", ["0x10", "inf", "-inf", "nan", "abc", "1e400", "1_0", "1d3"])
def test_a_score_that_is_no_finite_decimal_number_is_refused(call: Call, text: str) -> None:
    Path("run").write_text(f"{RUN}10 Q0 b 4 {text} tag\n")
    done = call("-m", "map")
    assert (done.code, done.out) == (2, "")
    assert f"run:6: score '{text}' is not a finite number" in done.err


@pytest.mark.parametrize("grade", ["1e3", "+1E0", ".5e1", "10e-1"])
def test_a_grade_with_an_exponent_is_refused(call: Call, grade: str) -> None:
    Path("qrels").write_text(f"{QRELS}10 0 e {grade}\n")
    done = call("-m", "map")
    assert (done.code, done.out) == (2, "")
    assert f"qrels: grade '{grade}' has an exponent, which trec_eval does not read." in done.err


def test_names_and_comments_with_an_e_are_no_exponents(call: Call) -> None:
    Path("qrels").write_text(f"# 1 2 3 1e3\n{QRELS}10 1e3 2e4 0\n10 0 3e5 1.0\n1e1 0 a 1\n")
    assert call("-m", "num_rel", "-c").out == "num_rel               \tall\t6\n"


@pytest.mark.parametrize("file", ["qrels", "run"])
def test_a_file_that_is_not_utf_8_is_refused(call: Call, file: str) -> None:
    lines = {"qrels": b"10 0 \xe9 1\n", "run": b"10 Q0 \xe9 4 0 tag\n"}
    Path(file).write_bytes(Path(file).read_bytes() + lines[file])
    done = call("-m", "map")
    assert (done.code, done.out) == (2, "")
    assert "not UTF-8 text" in done.err


@pytest.mark.parametrize(
    ("more", "flags"), [("7 Q0 a 1 1 tag\n7 Q0 a 2 0 tag\n", ""), ("10 Q0 a 9 -9 tag\n", "-M 3")]
)
def test_a_duplicate_is_refused_also_where_trec_eval_does_not_look(
    call: Call, more: str, flags: str
) -> None:
    Path("run").write_text(RUN + more)
    done = call("-m", "map", *flags.split())
    assert (done.code, done.out) == (2, "")
    assert "duplicate document in topic" in done.err


def test_gains_of_one_measure_are_not_those_of_another(call: Call) -> None:
    alone = values(call("-m", "dcg"))
    both = values(call("-m", "dcg", "-m", "ndcg.1=3"))
    assert both["dcg"] == alone["dcg"]
    assert list(both) == ["dcg", "ndcg_1=3"]


def test_several_runs_in_one_file_are_refused() -> None:
    runs = {"one": {"1": {"a": 1.0}}, "two": {"1": {"a": 1.0}}}
    with pytest.raises(CallError, match="takes one run"):
        trec_eval({"1": {"a": 1}}, runs, Request())


def test_the_version_is_both(call: Call) -> None:
    assert "trec_eval 10" in call("-v").out
    assert call("--version") == call("-v")


ZSCORES = """\
10 map 0.5 0.25
9 map 0.5 0
8 map 0.1 0
10 num_ret 3 1.5
9 num_ret 1 2
10 gm_map -1 0.5
9 gm_map -1 0.5
8 gm_map -1 0.5
zz zz 0 1
"""
PRINTED_ZSCORES = """\
Znum_ret               \t10\t0.0000
Zmap                   \t10\t1.3333
relstring             \t10\t'1-1'
Znum_ret               \t8\t-1000000.0000
Zmap                   \t8\t-1000000.0000
relstring             \t8\t'-'
Znum_ret               \t9\t0.5000
Zmap                   \t9\t0.0000
relstring             \t9\t'01'
runid                 \tall\ttag
Znum_q                 \tall\t3.0000
Znum_ret               \tall\t-999999.5000
Zmap                   \tall\t-333332.8889
Zgm_map                \tall\t0.0019
"""


def test_z_scores_are_what_trec_eval_printed(call: Call) -> None:
    """Without a mean, without a deviation, of counts and of a geometric mean."""
    Path("run").write_text(RUN + "8 Q0 u 1 1 tag\n")
    Path("means").write_text(ZSCORES)
    names = ["runid", "num_q", "map", "gm_map", "num_ret", "relstring"]
    done = call("-q", "-Z", "means", *(part for name in names for part in ("-m", name)))
    assert (done.code, done.out) == (0, PRINTED_ZSCORES)


@pytest.mark.parametrize("wrong", ["9 map 0.5 0.1\n", "9 P_5 many 1\n", "9 P_5 1\n"])
def test_a_bad_file_of_means_is_refused(call: Call, wrong: str) -> None:
    Path("means").write_text("9 map 0.5 0.25\n" + wrong)
    done = call("-Z", "means")
    assert done.code == 2 and "means" in done.err


def test_preferences_have_z_scores_too(call: Call) -> None:
    Path("prefs").write_text("10 ann 1 a 1\n10 ann 1 b 0\n")
    Path("means").write_text("10 prefs_simp 0.5 0.25\n10 prefs_num_prefs_poss 1 0\n")
    done = call("-R", "prefs", "-m", "prefs", "-Z", "means", files=("prefs", "run"))
    assert "Zprefs_simp            \tall\t2.0000\n" in done.out
    assert "Zprefs_num_prefs_poss  \tall\t0.0000\n" in done.out
