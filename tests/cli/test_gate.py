"""`rankwise gate`: exit codes, the line that says why, formats; the steps that the docs show."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from rankwise.metrics import REGISTRY
from rankwise.simulation import simulate

DOCS = Path(__file__).parents[2] / "docs" / "gate.md"


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
def test_exit_codes_and_one_line_that_says_why(rankwise: Any) -> None:
    up, down = ("system6.run", "system1.run"), ("system1.run", "system6.run")
    passes = rankwise("gate", "qrels.txt", *up, "--max-drop", "nDCG@10=0.01", "--significant")
    assert passes.code == 0
    assert passes.err.splitlines()[-1] == "rankwise gate: system1 passes 2 rules against system6"
    fails = rankwise("gate", "qrels.txt", *down, "--max-drop", "nDCG@10=0.01", "--significant")
    assert fails.code == 1
    line = fails.err.splitlines()[-1]
    rule = "nDCG@10: drop below 0.01"
    assert line.startswith(f"rankwise gate: system6 fails: {rule}: worse: -")
    assert line.endswith("; and 1 more")
    refused = rankwise("gate", "qrels.txt", *down, "--max-unjudged", "100=0", "--min", "AP=0")
    assert refused.code == 2
    assert "rankwise gate: system6 cannot be decided: at most 0 unjudged in the" in refused.err
    wrong = rankwise("gate", "qrels.txt", *down, "--max-drop", "nDGC@10=0.01")
    assert wrong.code == 2 and wrong.out == "" and "Did you mean nDCG" in wrong.err


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
    assert means.code == 2 and "holds means only" in means.err and "--by-topic" in means.err


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
        assert found.code == 1 and "rankwise gate: new fails: " in found.err
        table = rankwise("gate", "qrels.txt", "system1.run", "system6.run", *asked)
        assert found.out == table.out
        passes = rankwise("gate", "qrels.txt", f"old={baseline}", "new=system1.run", *asked[2:])
        assert passes.err.splitlines()[-1] == "rankwise gate: new passes 1 rule against old"


@pytest.mark.usefixtures("collection")
def test_one_call_writes_every_format(rankwise: Any) -> None:
    files = [f"gate.{suffix}" for suffix in ("json", "md", "xml", "txt")]
    asked = ["gate", "qrels.txt", "system1.run", "system6.run", "--max-drop", "AP=0.01"]
    done = rankwise(*asked, *(word for file in files for word in ("-o", file)))
    assert (done.code, done.out) == (1, "")
    assert json.loads(Path("gate.json").read_text())["outcome"] == "fails"
    assert ElementTree.parse("gate.xml").getroot().tag == "testsuites"
    for file, style in zip(files, ("json", "markdown", "junit", "table"), strict=True):
        assert rankwise(*asked, "--format", style).out == Path(file).read_text()
    assert rankwise(*asked, "-o", "gate.pdf").code == 2


def steps() -> list[str]:
    """What the workflow in the docs runs, step by step."""
    [workflow] = re.findall(r"```yaml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert len(workflow.splitlines()) <= 20
    blocks = re.findall(r"^ +(?:- )?run: (.*(?:\n {10,}.*)*)", workflow, re.MULTILINE)
    return [re.sub(r"^\|\n", "", re.sub(r"^ {10}", "", block, flags=re.M)) for block in blocks]


@pytest.mark.slow
@pytest.mark.parametrize(("candidate", "expected"), [("system1", 0), ("system6", 1)])
def test_the_steps_that_the_docs_show_run(collection: Path, candidate: str, expected: int) -> None:
    """As on a CI server: a step that fails stops the job, but for those that always run."""
    install, search, gate, summary = steps()
    assert install == "pip install ./rankwise"
    [save] = re.findall(
        r"^\$ (rankwise score (?:.*\\\n)*.*)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE
    )
    save = save.replace("search/qrels.txt", "qrels.txt").replace("search/runs/system1", "main")
    copy = f"print(open('{candidate}.run').read(), end='')"
    (collection / "search.py").write_text(copy)
    (collection / "main.run").write_bytes((collection / "system1.run").read_bytes())
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"GITHUB_STEP_SUMMARY": "summary.md", "PATH": tools}

    def run(step: str) -> int:
        return subprocess.run(["bash", "-ec", step], cwd=collection, env=env).returncode

    assert [run(step) for step in (save, search)] == [0, 0]
    assert run(gate) == expected
    assert run(summary) == 0
    words = f"{candidate} passes 4 rules" if expected == 0 else f"{candidate} fails"
    shown = (collection / "summary.md").read_text()
    assert shown.startswith(f"### rankwise gate: {words}")
    assert ElementTree.parse(collection / "gate.xml").getroot().tag == "testsuites"


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
        assert done.code == 2 and "Huge: scores" in done.err and "at most 1e+100" in done.err


def test_scores_made_elsewhere_that_overflow_pass_no_gate() -> None:
    from rankwise.comparison.gate.rules import Numbers, Rule
    from rankwise.metrics import parse

    huge = Numbers(baseline=1e300, candidate=1e300, difference=0.0, topics=3, low=0, high=0, p=1)
    for kind in ("max-drop", "significant", "min"):
        outcome, why = Rule(kind, parse("AP"), 0.05).outcome(huge)
        assert outcome == "undecided" and "larger than 1e+100" in why
