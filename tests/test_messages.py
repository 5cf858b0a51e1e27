"""The library speaks of arguments, the command line of options."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from rankwise.cli import COMMANDS
from rankwise.cli.flags import as_flags
from rankwise.cli.root import root

PACKAGE = Path(__file__).parents[1] / "src" / "rankwise"
# `rankwise trec_eval` is a command line of its own, and its measures are flags.
LIBRARY = [
    file
    for file in sorted(PACKAGE.rglob("*.py"))
    if file.relative_to(PACKAGE).parts[0] != "cli" and file.parent.name != "trec_eval"
]
FLAG = re.compile(r"(?<![-\w])(--[a-z]|-[a-z]\b)")
ARGUMENT = re.compile(r"`((?:\w+=[^`\n]+)|load_metrics\(FILE\)|depth)`")


def sayings(file: Path) -> Iterator[tuple[int, str]]:
    """All text in a file but docstrings, which speak to the reader of the code."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, str):
            yield node.lineno, node.value


def options() -> set[str]:
    """All flags of all commands, subcommands among them."""
    context = click.Context(root)
    found = [root.get_command(context, name) for name in COMMANDS]
    for command in found:
        if isinstance(command, click.Group):
            found += list(command.commands.values())
    params = [param for command in found if command for param in command.params]
    return {flag for param in params for flag in (*param.opts, *param.secondary_opts)}


def test_no_message_of_the_library_names_a_flag() -> None:
    texts = [(file, line, text) for file in LIBRARY for line, text in sayings(file)]
    assert len(LIBRARY) > 100 and len(texts) > 2000
    named = [f"{file}:{line}: {text!r}" for file, line, text in texts if FLAG.search(text)]
    assert named == []


@pytest.mark.parametrize("text", ["give --lenient", "-m AP", "see (-q)", "`--x`"])
def test_a_flag_is_seen(text: str) -> None:
    assert FLAG.search(text)


def test_every_argument_in_a_message_is_an_option_on_the_command_line() -> None:
    known, found = options(), set()
    for file in LIBRARY:
        for line, text in sayings(file):
            for argument in ARGUMENT.findall(text):
                said = as_flags(f"`{argument}`")
                flags = re.findall(r"(?<![-\w])--?[a-z][a-z-]*", said)
                assert flags and set(flags) <= known, f"{file}:{line}: {argument} is {said}"
                found.add(argument)
    assert len(found) >= 8


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("`complete_runs=False` takes all runs", "leaving out --complete-runs, or in a study "
         "--all-runs, takes all runs"),
        ("as `parameters={'gains': '4:3 1:1'}`.", "as --set gains='4:3 1:1'."),
        ("`topics='all'` has them all", "--topics all has them all"),
        ("`rankwise metrics list` lists them", "`rankwise metrics list` lists them"),
        ("a greater `depth` would tell", "a greater --depth would tell"),
    ],
)  # fmt: skip
def test_arguments_become_flags(said: str, shown: str) -> None:
    assert as_flags(said) == shown
