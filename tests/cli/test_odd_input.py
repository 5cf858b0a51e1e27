"""Odd input through the command line: one line and exit code 2, or a stated answer."""

from pathlib import Path

import pytest

from .conftest import Call

HEAD = "import sys\nimport numpy as np\n"
OWN = (
    "from rankwise import Metric, register\nfrom rankwise.bounds import ScoreBounds\n"
    "@register()\nclass Odd(Metric):\n"
)


@pytest.fixture(autouse=True)
def collection(tmp_path: Path) -> None:
    """Two topics, two runs, one more that retrieves only what is not judged."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 1\n")
    for name, documents in {"one": "ab", "two": "ba", "new": "xy"}.items():
        lines = [
            f"{topic} Q0 {document} {rank} {9 - rank} {name}\n"
            for topic in "12"
            for rank, document in enumerate(documents, 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))


def own(tmp_path: Path, body: str) -> list[str]:
    (tmp_path / "own_odd.py").write_text(HEAD + OWN + body)
    return ["--metrics-from", "own_odd.py", "-m", "Odd"]


COMMANDS = [
    ["score", "qrels", "one.run", "two.run"],
    ["compare", "qrels", "one.run", "two.run"],
    ["metrics", "discriminate", "qrels", "one.run", "two.run"],
    ["explain", "qrels", "one.run", "--topic", "1"],
]


@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("np.full(judged.count, np.inf)", "the score of run one on topic 1 is inf"),
        ("np.ones(judged.count) * 1j", "complex128"),
        ("np.zeros(2**58)", "not enough memory"),
        ("None", "one real number per ranking"),
        ("int('one\\ntwo')", "ValueError"),
        ("sys.exit(0)", "SystemExit: 0"),
    ],
)
def test_an_own_metric_is_blamed_in_one_line(
    rankwise: Call, tmp_path: Path, command: list[str], returned: str, said: str
) -> None:
    body = f"    def compute(self, judged):\n        return {returned}\n"
    done = rankwise(*command, *own(tmp_path, body))
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("rankwise: Odd: ") and said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize("command", [[*COMMANDS[0], "--bounds"], COMMANDS[1]])
@pytest.mark.parametrize("ends", ["1 / 0", "(np.ones(3), np.ones(2))"])
def test_so_are_its_bounds(rankwise: Call, tmp_path: Path, command: list[str], ends: str) -> None:
    body = (
        "    def compute(self, judged):\n        return [0.5] * judged.count\n"
        "    class Ends(ScoreBounds):\n"
        f"        def in_view(self, metric, judged, unjudged):\n            return {ends}\n"
        "    bounds = Ends()\n"
    )
    done = rankwise(*command, *own(tmp_path, body))
    assert done.code == 2 and done.err.startswith("rankwise: Odd: ") and done.out == ""


@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_list_of_scores_will_do(rankwise: Call, tmp_path: Path, command: list[str]) -> None:
    body = "    def compute(self, judged):\n        return [0.5] * judged.count\n"
    assert rankwise(*command, *own(tmp_path, body)).code == 0


def test_an_explanation_without_judged_documents(rankwise: Call) -> None:
    done = rankwise("explain", "qrels", "new.run", "--topic", "1", "-m", "P@2")
    assert done.code == 0 and "0.5000" in done.out and "P@2 of new on topic 1: 0.0000" in done.err


def test_an_explanation_where_the_best_grade_of_the_topic_counts(rankwise: Call) -> None:
    done = rankwise("explain", "qrels", "one.run", "--topic", "1", "-m", "NWRR")
    assert done.code == 0 and "The sum of all contributions may differ from the score" in done.err


def test_a_score_that_is_undefined_is_called_so(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "none").write_text("1 0 a 0\n2 0 b 0\n")
    done = rankwise("explain", "none", "one.run", "--topic", "1", "-m", "AP")
    assert done.code == 0 and "AP of one on topic 1: undefined" in done.err
    (tmp_path / "groups").write_text("one X\ntwo Y\n")
    by_group = ["--by", "group", "--groups", "groups", "-m", "AP"]
    done = rankwise("metrics", "stability", "none", "one.run", "two.run", *by_group)
    assert done.code == 0 and "by 'without' is undefined" in done.err and "nan" not in done.out


def test_a_score_beyond_all_numbers_is_refused(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "huge").write_text("1 0 a 2147483647\n1 0 b 1\n")
    done = rankwise("score", "huge", "one.run", "-m", "ERR")
    assert (
        done.code == 2
        and "ERR: the score is not a finite number, because grades or gains are too large"
        in done.err
    )
    done = rankwise("score", "qrels", "one.run", "-m", "P@1000000000000", "--unjudged", "open")
    assert done.code == 2 and "It must be at most 10,000,000" in done.err


def test_a_difference_that_does_not_vary_has_no_p(rankwise: Call, tmp_path: Path) -> None:
    (tmp_path / "even.csv").write_text("topic,a,b\n1,0.5,0.25\n2,0.5,0.25\n3,0.5,0.25\n")
    done = rankwise("compare", "--scores", "X=even.csv")
    last = {line.rsplit(None, 1)[0].strip(): line.split()[-1] for line in done.out.splitlines()}
    assert (done.code, last["p"], last["significant at 0.05"]) == (0, "–", "–")
    assert "∞" not in done.out and "inf" not in done.out
    assert (
        "1 comparison has the same difference on every topic. Without variance, this test"
        in done.err
    )
    assert "nan" not in rankwise("compare", "--scores", "X=even.csv", "--format", "csv").out.lower()


@pytest.mark.parametrize(
    "given",
    [
        "metrics correlate qrels one.run two.run -m AP -m RR --swaps --alpha nan",
        "metrics correlate qrels one.run two.run -m AP -m RR --coefficient rbo --p nan",
        "metrics discriminate qrels one.run two.run --alpha nan",
        "metrics stability qrels one.run two.run --at inf",
        "metrics stability qrels one.run two.run --at nan",
        "plan sample qrels --keep nan",
        "plan depth -m RBP --accuracy nan",
        "plan depth -m RBP --accuracy inf",
    ],
)
def test_nan_and_inf_are_in_no_range(rankwise: Call, given: str) -> None:
    done = rankwise(*given.split())
    assert done.code == 2 and "is not a finite number" in done.err and done.out == ""


@pytest.mark.parametrize("name", ["topic", "topic_id"])
def test_the_topics_of_a_matrix_stand_first(rankwise: Call, tmp_path: Path, name: str) -> None:
    (tmp_path / "late.csv").write_text(f"a,{name},b\n0.1,1,0.2\n0.3,2,0.4\n")
    done = rankwise("compare", "--scores", "X=late.csv")
    assert done.code == 2 and f"column {name!r} has the topics. Make it the first" in done.err


def test_a_file_of_another_step_is_named(rankwise: Call) -> None:
    assert rankwise("pool", "one.run", "two.run", "--depth", "2", "-o", "pool.txt").code == 0
    done = rankwise("plan", "next", "pool.txt", "one.run", "-m", "P@2", "--budget", "1")
    assert (
        done.code == 2 and "has no grades. It looks like a pool of unjudged documents." in done.err
    )
    assert rankwise("plan", "sample", "none", "one.run", "--design", "2=1", "-o", "s.csv").code == 0
    done = rankwise("score", "s.csv", "one.run")
    assert done.code == 2 and "s.csv: is a sample of judgments" in done.err
    assert (
        "Use `rankwise judges sampled` to estimate scores from it." in done.err
        and "--lenient" not in done.err
    )


def test_an_option_for_another_input_is_refused(rankwise: Call) -> None:
    done = rankwise("score", "qrels", "one.run", "--judges", "majority")
    assert done.code == 2 and "there is only one" in done.err
    done = rankwise("convert", "qrels", "x.txt", "--index", "shop")
    assert (
        done.code == 2
        and "--index applies only to the format elasticsearch. Remove --index" in done.err
    )
    done = rankwise("demo", "-o", "x.pdf")
    assert done.code == 2 and "unknown suffix" in done.err and done.out == ""


def test_geometric_means_are_named(rankwise: Call) -> None:
    done = rankwise("score", "qrels", "one.run", "-m", "AP", "--mean", "geometric")
    assert (
        "means are geometric means over topics, in which a score below 0.00001 counts as 0.00001"
        in done.err
    )
