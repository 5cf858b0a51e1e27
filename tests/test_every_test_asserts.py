"""Every test can fail by an assertion, not only by an exception of what it calls."""

import ast
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
# Running the examples of a page is the test: they assert, or are doctests.
RUNS_EXAMPLES = {"run_blocks"}


def called(node: ast.AST) -> set[str]:
    """Return the names of all functions and methods that a piece of code calls."""
    functions = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
    names = {function.id for function in functions if isinstance(function, ast.Name)}
    return names | {function.attr for function in functions if isinstance(function, ast.Attribute)}


def without_assertion(text: str) -> Iterator[str]:
    """Yield the tests that neither assert nor call a function of their file that asserts."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    asserting = {
        function.name
        for function in functions
        if any(isinstance(node, ast.Assert) for node in ast.walk(function))
    }
    for function in functions:
        names = {function.name, *called(function)}
        can_fail = names & {"raises", "warns", *asserting, *RUNS_EXAMPLES}
        by_numpy = any(name.startswith("assert_") for name in names)
        if function.name.startswith("test_") and not can_fail and not by_numpy:
            yield function.name


def test_every_test_asserts_something() -> None:
    files = sorted(HERE.rglob("test_*.py"))
    assert len(files) > 100
    found = [
        f"{file.relative_to(HERE)}: {name}"
        for file in files
        for name in without_assertion(file.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_test_without_an_assertion_is_found() -> None:
    text = "def test_a():\n    score()\ndef test_b():\n    assert score()\n"
    assert list(without_assertion(text)) == ["test_a"]
