"""The command line in a process of its own, in the folder of the test."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from faults.calls import COMMAND, Run, environment


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def call(*args: str, env: dict[str, str] | None = None, **how: Any) -> Any:
        pipes: dict[str, Any] = {
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "timeout": 60,
        }
        given = [*COMMAND, *args]
        return subprocess.run(given, cwd=tmp_path, env=environment(**(env or {})), **(pipes | how))

    return call


collect_ignore = ["guided.py"]  # a program that needs atheris: see `make fuzz`
