"""`trec_eval -R prefs|qrels_prefs|qrels_jg` against what trec_eval 10.0 printed for our files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rankwise.compat.trec_eval import Request, preferences
from rankwise.errors import CallError, InputError

PREFS = """\
1 ann 1 a 2
1 ann 1 b 1
1 ann 1 c 0
1 ann 2 d 2
1 ann 2 c 0
1 bob 1 b 2
1 bob 1 a 1
1 bob 1 e 0
1 bob 1 f 0
1 bob 1 g 0
2 ann 1 a 1
2 ann 1 b 0
2 ann 1 c 0
3 ann 1 x 1
3 ann 1 y 0
"""
GROUPS = """\
1 ann a 1
1 ann b 0
1 ann c 2
1 bob a 0
1 bob b 1
1 bob d -1
2 ann a 1
2 ann b 0
"""
RUN = """\
1 Q0 b 1 9 ours
1 Q0 z 2 8 ours
1 Q0 a 3 7 ours
1 Q0 f 4 7 ours
1 Q0 d 5 6 ours
1 Q0 c 6 5 ours
2 Q0 b 1 2 ours
2 Q0 a 2 1 ours
"""
ALL_PREFS = (
    "prefs_num_prefs_poss  \t1\t11\n"
    "prefs_num_prefs_ful   \t1\t10\n"
    "prefs_num_prefs_ful_ret\t1\t6\n"
    "prefs_simp            \t1\t0.9091\n"
    "prefs_pair            \t1\t0.9500\n"
    "prefs_avgjg           \t1\t0.8750\n"
    "prefs_avgjg_Rnonrel   \t1\t0.7227\n"
    "prefs_simp_ret        \t1\t0.8571\n"
    "prefs_pair_ret        \t1\t0.9167\n"
    "prefs_avgjg_ret       \t1\t0.8750\n"
    "prefs_avgjg_Rnonrel_ret\t1\t0.9500\n"
    "prefs_simp_imp        \t1\t0.9091\n"
    "prefs_pair_imp        \t1\t0.9500\n"
    "prefs_avgjg_imp       \t1\t0.8750\n"
    "prefs_num_prefs_poss  \t2\t2\n"
    "prefs_num_prefs_ful   \t2\t1\n"
    "prefs_num_prefs_ful_ret\t2\t0\n"
    "prefs_simp            \t2\t0.5000\n"
    "prefs_pair            \t2\t0.5000\n"
    "prefs_avgjg           \t2\t0.5000\n"
    "prefs_avgjg_Rnonrel   \t2\t0.0000\n"
    "prefs_simp_ret        \t2\t0.0000\n"
    "prefs_pair_ret        \t2\t0.0000\n"
    "prefs_avgjg_ret       \t2\t0.0000\n"
    "prefs_avgjg_Rnonrel_ret\t2\t0.0000\n"
    "prefs_simp_imp        \t2\t0.5000\n"
    "prefs_pair_imp        \t2\t0.5000\n"
    "prefs_avgjg_imp       \t2\t0.5000\n"
    "prefs_num_prefs_poss  \t3\t1\n"
    "prefs_num_prefs_ful   \t3\t0\n"
    "prefs_num_prefs_ful_ret\t3\t0\n"
    "prefs_simp            \t3\t0.0000\n"
    "prefs_pair            \t3\t0.0000\n"
    "prefs_avgjg           \t3\t0.0000\n"
    "prefs_avgjg_Rnonrel   \t3\t0.0000\n"
    "prefs_simp_ret        \t3\t0.0000\n"
    "prefs_pair_ret        \t3\t0.0000\n"
    "prefs_avgjg_ret       \t3\t0.0000\n"
    "prefs_avgjg_Rnonrel_ret\t3\t0.0000\n"
    "prefs_simp_imp        \t3\t0.0000\n"
    "prefs_pair_imp        \t3\t0.0000\n"
    "prefs_avgjg_imp       \t3\t0.0000\n"
    "runid                 \tall\tours\n"
    "num_q                 \tall\t3\n"
    "prefs_num_prefs_poss  \tall\t14\n"
    "prefs_num_prefs_ful   \tall\t11\n"
    "prefs_num_prefs_ful_ret\tall\t6\n"
    "prefs_simp            \tall\t0.4697\n"
    "prefs_pair            \tall\t0.4833\n"
    "prefs_avgjg           \tall\t0.4583\n"
    "prefs_avgjg_Rnonrel   \tall\t0.2409\n"
    "prefs_simp_ret        \tall\t0.2857\n"
    "prefs_pair_ret        \tall\t0.3056\n"
    "prefs_avgjg_ret       \tall\t0.2917\n"
    "prefs_avgjg_Rnonrel_ret\tall\t0.3167\n"
    "prefs_simp_imp        \tall\t0.4697\n"
    "prefs_pair_imp        \tall\t0.4833\n"
    "prefs_avgjg_imp       \tall\t0.4583\n"
)
QRELS_PREFS = (
    "runid                 \tall\tours\n"
    "num_q                 \tall\t2\n"
    "prefs_num_prefs_poss  \tall\t7\n"
    "prefs_num_prefs_ful   \tall\t3\n"
    "prefs_num_prefs_ful_ret\tall\t3\n"
    "prefs_simp            \tall\t0.2500\n"
    "prefs_pair            \tall\t0.2500\n"
    "prefs_avgjg           \tall\t0.2500\n"
    "prefs_avgjg_Rnonrel   \tall\t0.2875\n"
    "prefs_simp_ret        \tall\t0.2500\n"
    "prefs_pair_ret        \tall\t0.2500\n"
    "prefs_avgjg_ret       \tall\t0.2500\n"
    "prefs_avgjg_Rnonrel_ret\tall\t0.2875\n"
    "prefs_simp_imp        \tall\t0.2500\n"
    "prefs_pair_imp        \tall\t0.2500\n"
    "prefs_avgjg_imp       \tall\t0.2500\n"
)
BY_GROUP = (
    "map_avgjg             \t1\t0.6458\n"
    "P_avgjg_2             \t1\t0.2500\n"
    "P_avgjg_5             \t1\t0.2000\n"
    "Rprec_mult_avgjg_0.50 \t1\t0.5000\n"
    "Rprec_mult_avgjg_1.00 \t1\t0.5000\n"
    "map_avgjg             \t2\t0.5000\n"
    "P_avgjg_2             \t2\t0.5000\n"
    "P_avgjg_5             \t2\t0.2000\n"
    "Rprec_mult_avgjg_0.50 \t2\t0.0000\n"
    "Rprec_mult_avgjg_1.00 \t2\t0.0000\n"
    "map_avgjg             \tall\t0.5729\n"
    "P_avgjg_2             \tall\t0.3750\n"
    "P_avgjg_5             \tall\t0.2000\n"
    "Rprec_mult_avgjg_0.50 \tall\t0.2500\n"
    "Rprec_mult_avgjg_1.00 \tall\t0.2500\n"
)
CONDENSED = (
    "runid                 \tall\tours\n"
    "num_q                 \tall\t2\n"
    "map_avgjg             \tall\t0.5000\n"
    "P_avgjg_5             \tall\t0.1500\n"
    "P_avgjg_10            \tall\t0.0750\n"
    "P_avgjg_15            \tall\t0.0500\n"
    "P_avgjg_20            \tall\t0.0375\n"
    "P_avgjg_30            \tall\t0.0250\n"
    "P_avgjg_100           \tall\t0.0075\n"
    "P_avgjg_200           \tall\t0.0037\n"
    "P_avgjg_500           \tall\t0.0015\n"
    "P_avgjg_1000          \tall\t0.0008\n"
    "Rprec_mult_avgjg_0.20 \tall\t0.2500\n"
    "Rprec_mult_avgjg_0.40 \tall\t0.2500\n"
    "Rprec_mult_avgjg_0.60 \tall\t0.2500\n"
    "Rprec_mult_avgjg_0.80 \tall\t0.2500\n"
    "Rprec_mult_avgjg_1.00 \tall\t0.2500\n"
    "Rprec_mult_avgjg_1.20 \tall\t0.3750\n"
    "Rprec_mult_avgjg_1.40 \tall\t0.3750\n"
    "Rprec_mult_avgjg_1.60 \tall\t0.3750\n"
    "Rprec_mult_avgjg_1.80 \tall\t0.3750\n"
    "Rprec_mult_avgjg_2.00 \tall\t0.3750\n"
)
Files = Callable[[str], tuple[str, str]]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    def write(judgments: str) -> tuple[str, str]:
        (tmp_path / "judgments").write_text(judgments, encoding="utf-8")
        (tmp_path / "run").write_text(RUN, encoding="utf-8")
        return str(tmp_path / "judgments"), str(tmp_path / "run")

    return write


def test_preferences_to_the_byte(files: Files) -> None:
    request = Request(["all_prefs"], by_topic=True, complete=True)
    assert preferences(*files(PREFS), request, "prefs") == ALL_PREFS
    assert preferences(*files(GROUPS), Request(["all_prefs"]), "qrels_prefs") == QRELS_PREFS


def test_judgment_groups_to_the_byte(files: Files) -> None:
    measures = ["map_avgjg", "P_avgjg.2,5", "Rprec_mult_avgjg.0.5,1"]
    assert preferences(*files(GROUPS), Request(measures, by_topic=True), "qrels_jg") == BY_GROUP
    condensed = Request(["qrels_jg"], judged_only=True, depth=3)
    assert preferences(*files(GROUPS), condensed, "qrels_jg") == CONDENSED


def test_the_command_prints_the_same(files: Files) -> None:
    from click.testing import CliRunner

    from rankwise.cli.commands.trec_eval import command

    call = ["-R", "prefs", "-q", "-c", "-m", "all_prefs", *files(PREFS)]
    assert CliRunner().invoke(command, call).stdout == ALL_PREFS


@pytest.mark.parametrize(
    ("judgments", "what"),
    [
        (
            "1 ann 1 a 1\n1 ann 1 b 0\n1 ann 2 b 2\n1 ann 2 c 1\n",
            "a document has level 0 and a higher level",
        ),
        ("1 ann 1 a 2\n1 ann 1 b 1\n1 ann 2 b 2\n1 ann 2 a 1\n", "contradict each other"),
        ("1 ann 1 a 2\n1 ann 1 a 1\n", "two levels in one subgroup"),
    ],
)
def test_contradictions_are_errors(files: Files, judgments: str, what: str) -> None:
    with pytest.raises(CallError, match=what):
        preferences(*files(judgments), Request(["prefs"]), "prefs")


def test_files_and_measures_of_another_kind_are_errors(files: Files) -> None:
    with pytest.raises(InputError, match="topic group subgroup document level"):
        preferences(*files(GROUPS), Request(["prefs"]), "prefs")
    with pytest.raises(InputError, match="'high' is not a number"):
        preferences(*files("1 ann a high\n"), Request(["prefs"]), "qrels_prefs")
    with pytest.raises(CallError, match="map is not a measure of -R prefs"):
        preferences(*files(PREFS), Request(["map"]), "prefs")
    with pytest.raises(CallError, match="judged twice in a group"):
        preferences(*files("1 ann a 1\n1 ann a 0\n"), Request(["qrels_jg"]), "qrels_jg")
