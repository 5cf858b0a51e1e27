"""What scripts import of rankwise is there: they run by hand, and rarely."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted([*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "docs").glob("*.py")])


def imported_by(script: Path) -> list[tuple[str, str]]:
    return [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(script.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("rankwise")
        for alias in node.names
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_import_what_there_is(script: Path) -> None:
    for module, name in imported_by(script):
        assert hasattr(import_module(module), name) or find_spec(f"{module}.{name}"), (module, name)


def test_the_imports_of_scripts_are_seen() -> None:
    assert sum(len(imported_by(script)) for script in SCRIPTS) > 50
