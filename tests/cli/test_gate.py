"""`rankwise gate`: exit codes, the line that says why, formats; the steps that the docs show."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from rankwise.metrics import REGISTRY
from rankwise.simulation import simulate


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """system1 is the best by far, system6 the worst."""
    simulate(topics=30, systems=6, depth=100, pool_depth=50, seed=8).write(tmp_path / "made")
    (tmp_path / "made" / "qrels.txt").rename(tmp_path / "qrels.txt")
    for name in ("system1", "system6"):
        [run] = (tmp_path / "made" / "runs").glob(f"{name}.*")
        run.rename(tmp_path / f"{name}.run")
    return tmp_path


@pytest.mark.usefixtures("collection")
def test_three_outcomes_and_their_exit_codes(rankwise: Any) -> None:
    up, down = ("system6.run", "system1.run"), ("system1.run", "system6.run")
    rules = ("--max-drop", "nDCG@10=0.01", "--significant")
    passes = rankwise("gate", "qrels.txt", *up, *rules)
    assert passes.code == 0
    assert [line.split()[0] for line in passes.out.splitlines()[:2]] == ["PASSES", "PASSES"]
    assert passes.out.splitlines()[2] == "Overall: PASSES. Of 2 rules, 2 pass."
    fails = rankwise("gate", "qrels.txt", *down, *rules)
    assert fails.code == 1
    first, significant, overall, *_ = fails.out.splitlines()
    assert first.startswith("FAILS         nDCG@10 -") and first.endswith("more than 0.01.")
    assert overall == "Overall: FAILS. Of 2 rules, 2 fail."
    # The power of the test is of interest only if the test did not decide.
    assert "a candidate as good as the baseline" not in passes.out + fails.out
    limits = ("--max-drop", "RR=0.3", "--max-unjudged", "10=1")
    unclear = rankwise("gate", "qrels.txt", *down, *limits)
    assert unclear.code == 2
    assert "\n" + " " * 14 + "With 30 topics, a candidate as good as the baseline" in unclear.out
    assert " %; at most 100 % is allowed.\n" in unclear.out
    assert "\nOverall: INCONCLUSIVE. Of 2 rules, 1 is inconclusive and 1 passes.\n" in unclear.out
    assert significant.endswith("p < 0.0001: a significant drop.")
    failing = ("--max-drop", "AP=0", "--max-unjudged", "100=0", "--inconclusive", "pass")
    assert rankwise("gate", "qrels.txt", *down, *failing).code == 1
    refused = rankwise("gate", "qrels.txt", *down, "--max-unjudged", "100=0", "--min", "AP=0")
    words = "INCONCLUSIVE  Unjudged documents in the first 100"
    assert refused.code == 2 and refused.out.startswith(words)
    for counted, code in (("pass", 0), ("fail", 1)):
        asked = ("--max-unjudged", "100=0", "--inconclusive", counted)
        done = rankwise("gate", "qrels.txt", *down, *asked)
        assert done.code == code
        assert done.out.splitlines()[-1] == f"Inconclusive counts as {counted}."
    wrong = rankwise("gate", "qrels.txt", *down, "--max-drop", "nDGC@10=0.01")
    assert wrong.code == 2 and wrong.out == "" and "Did you mean nDCG" in wrong.err


@pytest.mark.usefixtures("collection")
def test_a_saved_baseline_warns_when_judgments_changed(rankwise: Any) -> None:
    for file in ("baseline.parquet", "baseline.csv", "baseline.json"):
        saved = ("score", "qrels.txt", "system1.run", "-m", "AP", "--by-topic", "-o", file)
        assert rankwise(*saved).code == 0
        asked = (file, "system6.run", "--max-drop", "AP=0.01")
        assert "warning" not in rankwise("gate", "qrels.txt", *asked).err
        _, *rest = Path("qrels.txt").read_text().splitlines(keepends=True)
        Path("fewer.txt").write_text("".join(rest))
        assert "judgments of 1 of 30 topics" in rankwise("gate", "fewer.txt", *asked).err


@pytest.mark.usefixtures("collection")
def test_scores_pass_a_gate_without_rankings(rankwise: Any) -> None:
    rules = ("--max-drop", "AP=0.01", "--significant")
    runs = ("system1.run", "system6.run")
    scores = ("score", "qrels.txt", *runs, "-m", "AP", "--by-topic", "-o", "s.csv")
    assert rankwise(*scores).code == 0
    expected = rankwise("gate", "qrels.txt", *runs, *rules)
    done = rankwise("gate", "--scores", "s.csv", "system1", "system6", *rules)
    assert (done.code, done.out.splitlines()[:3]) == (1, expected.out.splitlines()[:3])
    for wrong in (
        ["gate", "--scores", "s.csv", "qrels.txt", "system1", "system6", *rules],
        ["gate", "--scores", "s.csv", "system1", "system6", *rules, "--order", "rank"],
        ["gate", "--scores", "s.csv", "system1", "other", *rules],
        ["gate", "system1", "system6", *rules],
    ):
        refused = rankwise(*wrong)
        assert refused.code == 2 and refused.out == "" and "Traceback" not in refused.err


@pytest.mark.usefixtures("collection")
def test_scores_saved_by_the_command_are_a_baseline(rankwise: Any) -> None:
    for file in ("baseline.parquet", "baseline.csv", "baseline.json"):
        saved = rankwise(
            *("score", "qrels.txt", "system1.run", "-m", "nDCG@10,AP", "--by-topic", "-o", file)
        )
        assert saved.code == 0
        asked = ("--max-drop", "nDCG@10=0.01", "--max-drop", "map=0.02", "--format", "json")
        by_run = rankwise("gate", "qrels.txt", "system1.run", "system6.run", *asked)
        by_file = rankwise("gate", "qrels.txt", file, "system6.run", *asked)
        assert by_run.code == by_file.code == 1
        assert json.loads(by_run.out)["rules"] == json.loads(by_file.out)["rules"]
    rankwise("score", "qrels.txt", "system1.run", "-m", "nDCG@10", "-o", "means.parquet")
    means = rankwise("gate", "qrels.txt", "means.parquet", "system6.run", *asked)
    assert (
        means.code == 2 and "has only means over topics" in means.err and "--by-topic" in means.err
    )


@pytest.mark.usefixtures("collection")
def test_runs_and_saved_scores_take_names_and_columns_of_any_name(rankwise: Any) -> None:
    rows = [line.split() for line in Path("system6.run").read_text().splitlines()]
    table = "".join(f"{topic},{sku},{score}\n" for topic, _, sku, _, score, _ in rows)
    Path("other.csv").write_text("search,sku,points\n" + table)
    names = ("--columns", "topic=search,document=sku,score=points")
    saved = ("score", "qrels.txt", "system1.run", "-m", "AP", "--by-topic", "-o", "saved.csv")
    assert rankwise(*saved).code == 0
    for baseline in ("system1.run", "saved.csv"):
        asked = ("--min", "AP=1", "--significant", "-m", "AP")
        found = rankwise("gate", "qrels.txt", f"old={baseline}", "new=other.csv", *asked, *names)
        assert found.code == 1
        plain = rankwise("gate", "qrels.txt", "system1.run", "system6.run", *asked)
        assert found.out == plain.out
        same = ("qrels.txt", f"old={baseline}", "new=system1.run", *asked[2:], "--format", "json")
        passes = json.loads(rankwise("gate", *same).out)
        assert passes["why"] == "new passes 1 rule against old"


@pytest.mark.usefixtures("collection")
def test_one_call_writes_every_format(rankwise: Any) -> None:
    files = [f"gate.{suffix}" for suffix in ("json", "md", "xml", "txt")]
    asked = ["gate", "qrels.txt", "system1.run", "system6.run", "--max-drop", "AP=0.01"]
    done = rankwise(*asked, *(word for file in files for word in ("-o", file)))
    assert done.code == 1 and done.out == Path("gate.txt").read_text()
    assert json.loads(Path("gate.json").read_text())["outcome"] == "fails"
    assert ElementTree.parse("gate.xml").getroot().tag == "testsuites"
    for file, style in zip(files, ("json", "markdown", "junit", "text"), strict=True):
        assert rankwise(*asked, "--format", style).out == Path(file).read_text()
    assert rankwise(*asked, "-o", "gate.pdf").code == 2


OVERFLOWING = """
import numpy as np
from rankwise import Metric, register

@register()
class Huge(Metric):
    \"\"\"So large that a sum of it, or of its squares, is none.\"\"\"

    def compute(self, judged):
        relevant = np.bincount(judged.ranking[judged.grade > 0], minlength=judged.count)
        return relevant * {factor}
"""


@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize("factor", ["0.9e308", "1e154", "np.inf"])
@pytest.mark.parametrize("rule", [["--significant", "-m", "Huge"], ["--min", "Huge=0.1"]])
def test_a_metric_that_overflows_passes_no_gate(
    rankwise: Any, tmp_path: Path, factor: str, rule: list[str]
) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    for name, documents in (("a", "aab"), ("b", "abb")):
        rows = [f"{at} Q0 {one} 1 1 {name}\n" for at, one in enumerate(documents, 1)]
        (tmp_path / f"{name}.run").write_text("".join(rows))
    for own, *runs in (["own.py", "a.run", "b.run"], ["again.py", "b.run", "a.run"]):
        (tmp_path / own).write_text(OVERFLOWING.format(factor=factor))
        REGISTRY.pop("Huge", None)
        done = rankwise("gate", "q", *runs, "--metrics-from", own, *rule)
        assert (
            done.code == 2
            and "Huge: the score of" in done.err
            and "between −1e+100 and" in done.err
        )


def test_scores_made_elsewhere_that_overflow_pass_no_gate() -> None:
    from rankwise.comparison.gate.rules import Numbers, Rule
    from rankwise.metrics import parse

    huge = Numbers(baseline=1e300, candidate=1e300, difference=0.0, topics=3, low=0, high=0, p=1)
    for kind in ("max-drop", "significant", "min"):
        outcome, why = Rule(kind, parse("AP"), 0.05).outcome(huge)
        assert outcome == "inconclusive" and "larger than 1e+100" in why
