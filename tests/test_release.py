"""One version, one address, and workflows and recipes that agree with them."""

import os
import re
import subprocess
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import rankwise

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
PLACEHOLDER = re.compile(r"\bOWNER/[\w-]+")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def script(name: str) -> Any:
    spec = spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_file_has_the_same_version() -> None:
    version = re.escape(rankwise.__version__)
    assert re.search(rf"^version: {version}$", text_of("CITATION.cff"), re.MULTILINE)
    assert f'set version = "{rankwise.__version__}"' in text_of("conda/recipe/meta.yaml")
    assert re.search(rf"^## {version} ", text_of("CHANGELOG.md"), re.MULTILINE)
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", rankwise.__version__)  # semantic


def test_the_address_of_the_repository_is_in_one_place() -> None:
    repository = script("repository")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = [name for name in listed.stdout.split("\n") if name]
    if not names:
        pytest.skip("this is no clone: git lists no files")
    ours = {"tests/test_release.py", ".ci/repository.py", "CHANGELOG.md"}
    text = {}
    for name in names:
        if name not in ours and Path(name).suffix in {
            ".md",
            ".toml",
            ".yml",
            ".yaml",
            ".cff",
            ".txt",
            "",
        }:
            text[name] = (ROOT / name).read_text(encoding="utf-8", errors="replace")
    having = {name for name, each in text.items() if repository.repository() in each}
    assert having == {*repository.FILES}
    placeholders = {found for each in text.values() for found in PLACEHOLDER.findall(each)}
    assert placeholders <= {repository.repository(), "OWNER/NAME"}


def test_the_recipes_have_the_dependencies_of_the_package() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    recipe = text_of("conda/recipe/meta.yaml")
    wanted = [each.replace(">=", " >=") for each in project["dependencies"]]
    assert len(wanted) == 5 and all(f"    - {each}\n" in recipe for each in wanted)
    assert "python >=3.11" in recipe and project["requires-python"] == ">=3.11"
    dist = script("dist")
    assert {each.partition(">")[0] for each in project["dependencies"]} == dist.RUNTIME
    assert all((ROOT / "tests" / name).exists() for name in dist.FAST_TESTS)


def test_pythons_of_the_classifiers_are_tested_by_the_workflow() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    versions = re.findall(r":: (3\.\d+)'", str(project["classifiers"]))
    (matrix,) = re.findall(r"python: \[(.*)\]", text_of(".github/workflows/test.yml"))
    assert versions == re.findall(r'"(.*?)"', matrix) and len(versions) >= 4


def test_a_job_has_no_more_rights_than_it_needs() -> None:
    assert len(WORKFLOWS) == 3
    for workflow in WORKFLOWS:
        text = workflow.read_text(encoding="utf-8")
        assert "\npermissions:\n  contents: read\n" in text, workflow.name
        assert "pull_request_target" not in text
        # Values from outside reach a shell by the environment only, never as text of a script.
        for line in re.findall(r"run:(.*)", text):
            assert "${{" not in line, f"{workflow.name}: {line}"
    assert text_of(".github/workflows/release.yml").count("id-token: write") == 1


@pytest.fixture
def gate(tmp_path: Path) -> Any:
    """Run the script of the action as GitHub does, on runs of four topics."""
    topics = range(8)
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in topics))
    for name, first in (("good", "a b"), ("bad", "b a")):
        lines = (
            f"{t} Q0 {d} {rank} {9 - rank} {name}\n"
            for t in topics
            for rank, d in enumerate(first.split(), start=1)
        )
        (tmp_path / f"{name}.run").write_text("".join(lines))
    import sys

    def call(baseline: str, candidate: str, rules: str) -> tuple[int, dict[str, str], str]:
        files = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
        where = os.environ | {name: str(tmp_path / file) for name, file in files.items()}
        where |= {"RUNNER_TEMP": str(tmp_path), "QRELS": "qrels.txt", "RULES": rules}
        where |= {"BASELINE": baseline, "CANDIDATE": candidate}
        where["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{where['PATH']}"
        command = ["bash", str(GITHUB / "actions" / "gate.sh")]
        done = subprocess.run(command, cwd=tmp_path, env=where, capture_output=True, text=True)
        lines = (tmp_path / "output").read_text().splitlines()
        summary = (tmp_path / "summary").read_text()
        return done.returncode, dict(line.split("=", 1) for line in lines), summary

    return call


@pytest.mark.parametrize(
    ("candidate", "rules", "code", "outcome"),
    [
        ("good.run", "--max-drop RR=0.1 --significant", 0, "passes"),
        ("bad.run", "--min RR=0.9", 1, "fails"),
        ("good.run", "--no-such-rule $(touch run-by-the-shell)", 2, "inconclusive"),
    ],
)
def test_the_action_says_what_the_gate_says(
    gate: Any, tmp_path: Path, candidate: str, rules: str, code: int, outcome: str
) -> None:
    exit_code, outputs, summary = gate("good.run", candidate, rules)
    assert (exit_code, outputs["outcome"]) == (code, outcome)
    assert Path(outputs["report"]).read_text() == summary and len(summary) > 20
    assert not (tmp_path / "run-by-the-shell").exists()
    assert code == 2 or Path(outputs["junit"]).read_text().startswith("<")


@pytest.mark.parametrize(("earlier", "method"), [("", "POST"), ("17\n23\n", "PATCH")])
def test_the_action_replaces_its_own_comment_only(
    tmp_path: Path, earlier: str, method: str
) -> None:
    """A `gh` that writes down its calls, and answers with the comments that bear the mark."""
    (tmp_path / "report.md").write_text("PASSES\n")
    (tmp_path / "found").write_text(earlier)
    program = tmp_path / "gh"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n'
        f'case "$*" in *--jq*) echo "$mark" > {tmp_path}/mark; cat {tmp_path}/found;; esac\n'
    )
    program.chmod(0o755)
    where = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    where |= {"GATE": "q.txt old new", "REPORT": str(tmp_path / "report.md"), "PULL_REQUEST": "5"}
    where |= {"GITHUB_REPOSITORY": "some/one", "RUNNER_TEMP": str(tmp_path)}
    script = GITHUB / "actions" / "comment.sh"
    subprocess.run(["bash", str(script)], env=where, check=True)
    mark = (tmp_path / "mark").read_text()
    assert mark == "<!-- rankwise gate: q.txt old new -->\n"
    assert (tmp_path / "rankwise-comment.md").read_text() == f"{mark}PASSES\n"
    _, written = (tmp_path / "calls").read_text().splitlines()
    target = "issues/comments/23" if earlier else "issues/5/comments"
    assert f"--method {method} repos/some/one/{target} " in written


def test_the_inputs_of_the_action_are_on_its_page() -> None:
    (inputs,) = re.findall(r"^inputs:\n(.*?)^outputs:", text_of("action.yml"), re.DOTALL | re.M)
    names = re.findall(r"^  ([\w-]+):$", inputs, re.MULTILINE)
    page = text_of("docs/ci.md")
    assert len(names) == 8 and [name for name in names if f"`{name}`" not in page] == []


def test_the_hook_names_the_bad_line_of_a_file(tmp_path: Path, capsys: Any) -> None:
    from rankwise.cli.check_files import main

    assert "entry: python -m rankwise.cli.check_files\n" in text_of(".pre-commit-hooks.yaml")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2.0 a\n1 Q0 d1 2 1.0 a\n")
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n")
    (tmp_path / "b.qrels").write_text("1 0 d1\n")
    assert main([str(tmp_path / "qrels.txt")]) == 0
    assert main([str(tmp_path / name) for name in ("a.run", "qrels.txt", "b.qrels")]) == 2
    errors = capsys.readouterr().err
    assert "a.run" in errors and "b.qrels" in errors and "qrels.txt" not in errors
    assert "lenient" not in errors  # the hook has no options


def test_the_index_for_language_models_names_commands_and_pages_that_exist() -> None:
    import shlex

    from rankwise.cli import COMMANDS, GROUPS

    text = text_of("docs/llms.txt")
    pages = re.findall(r"\]\(([\w.-]+\.md)\)", text)
    assert len(pages) > 10 and [p for p in pages if not (ROOT / "docs" / p).exists()] == []
    lines = re.findall(r"^- `rankwise (.*?)`", text, re.MULTILINE)
    assert len(lines) > 8
    for line in lines:
        first, second = (shlex.split(line) + [""])[:2]
        assert first in COMMANDS, line
        if first in GROUPS:
            assert {*second.split("|")} <= {*GROUPS[first]}, line
