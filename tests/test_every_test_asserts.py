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


def functions_in(text: str) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]


def asserting(functions: list[ast.FunctionDef]) -> set[str]:
    """Return the names of the functions that assert something."""
    return {
        function.name
        for function in functions
        if any(isinstance(node, ast.Assert) for node in ast.walk(function))
    }


def shared_checks() -> set[str]:
    """Return the functions that assert in the modules that tests share."""
    files = [file for file in HERE.rglob("*.py") if not file.name.startswith("test_")]
    return {name for file in files for name in asserting(functions_in(file.read_text("utf-8")))}


def without_assertion(text: str, shared: set[str]) -> Iterator[str]:
    """Yield the tests that neither assert nor call a function that asserts."""
    functions = functions_in(text)
    for function in functions:
        names = {function.name, *called(function)}
        can_fail = names & {"raises", "warns", *asserting(functions), *shared, *RUNS_EXAMPLES}
        by_numpy = any(name.startswith("assert_") for name in names)
        if function.name.startswith("test_") and not can_fail and not by_numpy:
            yield function.name


def test_every_test_asserts_something() -> None:
    files = sorted(HERE.rglob("test_*.py"))
    assert len(files) > 100
    shared = shared_checks()
    found = [
        f"{file.relative_to(HERE)}: {name}"
        for file in files
        for name in without_assertion(file.read_text(encoding="utf-8"), shared)
    ]
    assert found == []


def test_a_test_without_an_assertion_is_found() -> None:
    text = "def test_a():\n    score()\ndef test_b():\n    assert score()\n"
    assert list(without_assertion(text, set())) == ["test_a"]
