"""Completion in real shells: commands, options, their values, metrics and files."""

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
SETUP = {
    "bash": ["--norc", "--noprofile", "-i"],
    "zsh": ["-f", "-i"],
}
PROMPT = "ready> "
SECONDS = 60  # for one answer, on a machine that is busy


def available(shell: str) -> Any:
    missing = shutil.which(shell) is None
    return pytest.param(shell, marks=pytest.mark.skipif(missing, reason=f"{shell} is missing"))


@pytest.fixture
def folder(tmp_path: Path, rankwise: Call) -> Path:
    """A folder with judgments, a run, the three scripts, and `rankwise` as a command."""
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "upward.run").write_text("1 Q0 b 1 2 tag\n1 Q0 a 2 1 tag\n")
    for shell in ("bash", "zsh", "fish"):
        done = rankwise("completion", shell)
        assert done.code == 0
        (tmp_path / f"script.{shell}").write_text(done.out)
    program = tmp_path / "bin" / "rankwise"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m rankwise "$@"\n')
    program.chmod(0o755)
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    sources = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))
    settings = {"HOME": str(folder), "TERM": "dumb", "PS1": PROMPT, "COLUMNS": "200"}
    return {**os.environ, "PATH": path, "PYTHONPATH": sources, **settings}


class Terminal:
    """A shell on a terminal, for a test that types."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def type(self, text: str, until: str) -> str:
        """Type, and return what appears up to and including `until`."""
        os.write(self.descriptor, text.encode())
        shown, end = "", time.monotonic() + SECONDS
        while until not in shown:
            ready, _, _ = select.select([self.descriptor], [], [], max(end - time.monotonic(), 0))
            assert ready, f"no {until!r} after {text!r} in {shown!r}"
            shown += os.read(self.descriptor, 4096).decode(errors="replace")
        return shown


@contextmanager
def terminal(shell: str, folder: Path) -> Iterator[Terminal]:
    process, descriptor = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(shell, [shell, *SETUP[shell]], environment(folder))
    try:
        yield Terminal(descriptor)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(descriptor)


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", available("zsh")])
def test_a_command_is_typed_with_tabs(shell: str, folder: Path) -> None:
    with terminal(shell, folder) as typed:
        if shell == "zsh":
            typed.type("autoload -U compinit; compinit -D; echo loa''ded\n", "loaded")
        typed.type(f"source ./script.{shell}; echo sour''ced\n", "sourced")
        typed.type("rankwise sco\t", "score ")
        typed.type("qre\t", "qrels.txt ")
        typed.type("upw\t", "upward.run ")
        typed.type("-m SearchL\t", "SearchLength ")
        typed.type("--form\t", "--format ")
        typed.type("cs\t", "csv ")
        assert "tag,all,SearchLength," in typed.type("\n", ",1\r\n")


@pytest.mark.parametrize("shell", [available("fish")])
def test_fish_completes(shell: str, folder: Path) -> None:
    expected = {
        "rankwise sco": "score",
        "rankwise metrics dis": "discriminate",
        "rankwise score qre": "qrels.txt",
        "rankwise score qrels.txt upw": "upward.run",
        "rankwise score -m AP,SearchL": "AP,SearchLength",
        "rankwise score --recall-p": "--recall-precision",
        "rankwise score --format mark": "markdown",
    }
    program = "source script.fish; " + "; ".join(f"complete -C '{line}'" for line in expected)
    done = subprocess.run(
        [shell, "--no-config", "-c", program],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
    )
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == list(expected.values())


def test_options_and_files_are_not_mixed_up(folder: Path) -> None:
    def completed(line: str) -> list[str]:
        words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
        variables = environment(folder) | words | {"_RANKWISE_COMPLETE": "bash_complete"}
        done = subprocess.run(["rankwise"], env=variables, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    assert completed("rankwise nothing-like-this") == ["file,nothing-like-this"]
    assert completed("rankwise score --nothing-like-this") == []
    assert completed("rankwise report --help-all --probab") == ["plain,--probable"]
    assert "plain,completion" not in completed("rankwise ")  # not for every day
