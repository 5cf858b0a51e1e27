"""What scripts import of rankwise is there: they run by hand, and rarely."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted([*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "docs").glob("*.py")])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_import_what_there_is(script: Path) -> None:
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankwise"):
            module = import_module(str(node.module))
            for imported in node.names:
                there = f"{node.module}.{imported.name}"
                assert hasattr(module, imported.name) or find_spec(there), there
