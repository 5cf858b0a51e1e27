"""Two ways to call the command line: the console script itself, and its main, which is quick."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import json_outputs
import pytest
from calls import Done

from rankwise.cli import COMMANDS, GROUPS, main
from rankwise.cli.root import root
from rankwise.simulation import simulate

CONSOLE = Path(sys.executable).with_name("rankwise")


Call = Callable[..., Done]


@pytest.fixture
def console(tmp_path: Path) -> Call:
    """Run the installed script in the folder of the test."""

    def call(*args: str, stdin: bytes = b"") -> Done:
        done = subprocess.run([CONSOLE, *args], input=stdin, capture_output=True, cwd=tmp_path)
        json_outputs.check(done.stdout.decode())
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture
def rankwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """Run what the script runs, in this process and in the folder of the test."""
    monkeypatch.chdir(tmp_path)

    def call(*args: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["rankwise", *args])
        try:
            main()
            code = 0
        except SystemExit as end:
            assert isinstance(end.code, int)
            code = end.code
        done = Done(code, *capsys.readouterr())
        json_outputs.check(done.out)
        if code in (0, 1):
            json_outputs.check_files(args, tmp_path)
        return done

    return call


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    simulate(topics=4, systems=3, depth=20, pool_depth=8, seed=3).write(tmp_path / "made")
    return tmp_path / "made"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield each command with its name, such as `plan next`."""
    context = click.Context(root)
    for name in COMMANDS:
        command = root.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            for each in GROUPS[name]:
                inner = command.get_command(context, each)
                assert inner is not None
                yield f"{name} {each}", inner
        else:
            yield name, command
